package output

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"
)

const (
	// maxWaiting is how many bytes of output may wait for a reader while a watch goes on.
	// All messages of an upgrade are some 2 MiB.
	maxWaiting = 64 << 20
	// writeLimit is how long a write may take before its reader counts as paused. It
	// keeps two streams in order on a terminal.
	writeLimit = 50 * time.Millisecond
	// FlushLimit is how long the end of the program waits for a reader that pauses.
	FlushLimit = 200 * time.Millisecond
)

// ErrUnread says that the program ended before its output was read.
var ErrUnread = errors.New("the output was not read to its end")

// ErrUnwritten says that the output takes no more, such as a full disk.
var ErrUnwritten = errors.New("the output cannot be written")

// stream is an output whose reader may pause. What is written waits in order and is
// never dropped; only the end of the program's time ends the wait for the reader.
type stream struct {
	out        io.Writer
	ctx        func() context.Context // the program's time
	maxWaiting int                    // bytes that may wait while the program goes on; 0 for none

	mu       sync.Mutex
	waiting  [][]byte
	size     int           // bytes that wait or are being written
	changed  chan struct{} // closed, and made anew, when size has changed
	draining bool          // a goroutine writes while something waits
	paused   bool          // the reader does
	outlives bool          // a reader who is gone ends nothing
	unread   bool          // he is gone: what is written is dropped
	err      error         // of a write; permanent
}

func newStream(out io.Writer, ctx func() context.Context) *stream {
	return &stream{out: out, ctx: ctx, changed: make(chan struct{})}
}

// Underlying returns what a stream writes to, and any other writer as it is.
func Underlying(out io.Writer) io.Writer {
	if s, ok := out.(*stream); ok {
		return s.out
	}
	return out
}

// Write returns when p is written, or if output may wait, without waiting for a reader
// that pauses.
func (s *stream) Write(p []byte) (int, error) {
	paused, err := s.add(p)
	switch {
	case err != nil:
		return 0, err
	case s.maxWaiting == 0:
		err = s.flush(0)
	case paused || !s.writtenSoon():
		err = s.flush(s.maxWaiting)
	}
	return len(p), err
}

func (s *stream) add(p []byte) (paused bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.unread || len(p) == 0 {
		return s.paused, s.err
	}
	s.waiting = append(s.waiting, slices.Clone(p))
	s.size += len(p)
	if !s.draining {
		s.draining = true
		go s.drain()
	}
	return s.paused, nil
}

// drain writes what waits until nothing does.
func (s *stream) drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting) > 0 {
		next := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.mu.Unlock()
		_, err := s.out.Write(next)
		s.mu.Lock()
		s.size -= len(next)
		switch {
		case err == nil:
		case s.outlives && errors.Is(err, syscall.EPIPE):
			s.unread, s.waiting, s.size = true, nil, 0
		default:
			// %v: an ENOSPC of the output must not look like one of the journal.
			s.err, s.waiting, s.size = fmt.Errorf("%w: %v", ErrUnwritten, err), nil, 0
		}
		s.paused = s.paused && s.size > 0
		close(s.changed)
		s.changed = make(chan struct{})
	}
	s.draining = false
}

// writtenSoon reports whether everything is written within writeLimit; otherwise it notes
// that the reader pauses.
func (s *stream) writtenSoon() bool {
	ctx, cancel := context.WithTimeout(context.Background(), writeLimit)
	defer cancel()
	if s.wait(ctx, 0) {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused = s.size > 0
	return !s.paused
}

// flush waits until at most that many bytes wait. It returns [ErrUnread] if the program's
// time ends before.
func (s *stream) flush(bytes int) error {
	if !s.wait(s.ctx(), bytes) {
		ctx, cancel := context.WithTimeout(context.Background(), FlushLimit)
		defer cancel()
		if !s.wait(ctx, bytes) { // nor is what follows waited for
			s.mu.Lock()
			s.err = cmp.Or(s.err, ErrUnread)
			s.mu.Unlock()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// wait reports whether at most that many bytes wait before ctx ends.
func (s *stream) wait(ctx context.Context, bytes int) bool {
	for {
		s.mu.Lock()
		size, moved := s.size, s.changed
		s.mu.Unlock()
		if size <= bytes {
			return true
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return false
		}
	}
}

// AllowPausedReaders lets the program go on while the readers of its output pause.
func (o *Output) AllowPausedReaders() {
	for _, out := range []io.Writer{o.Out, o.Err} {
		if s, ok := out.(*stream); ok {
			s.maxWaiting = maxWaiting
		}
	}
}

// heeded keeps the system from ending the program by a signal where it writes to a closed pipe. It
// ignores nothing: the programs that this one runs would, too.
var heeded = sync.OnceFunc(func() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) })

// OutliveReaders lets the program go on where the readers of its output are gone. What it prints
// then is dropped.
func (o *Output) OutliveReaders() {
	for _, out := range []io.Writer{o.Out, o.Err} {
		if s, ok := out.(*stream); ok {
			if _, is := s.out.(*os.File); is { // the system sends the signal for no other writer
				heeded()
			}
			s.mu.Lock()
			s.outlives = true
			s.mu.Unlock()
		}
	}
}

// Flush waits for the readers of what is left.
func (o *Output) Flush() (err error) {
	for _, out := range []io.Writer{o.Out, o.Err} {
		if s, ok := out.(*stream); ok {
			s.maxWaiting = 0
			err = errors.Join(err, s.flush(0))
		}
	}
	return err
}
