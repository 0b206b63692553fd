package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
)

// streamTo is a stream into a pipe that somebody else reads, or does not.
func streamTo(t *testing.T, ctx context.Context) (*stream, io.Reader) {
	t.Helper()
	read, write := io.Pipe() // holds nothing: a write waits for its reader
	t.Cleanup(func() { _ = read.Close() })
	return newStream(write, func() context.Context { return ctx }), read
}

func TestWhatWaitsForAReaderIsReadInOrder(t *testing.T) {
	s, read := streamTo(t, t.Context())
	s.maxWaiting = maxWaiting
	var want strings.Builder
	for i := range 2000 {
		line := fmt.Sprintf("line %d\n", i)
		want.WriteString(line)
		if _, err := io.WriteString(s, line); err != nil {
			t.Fatal(err)
		}
	}
	got := make([]byte, want.Len())
	if _, err := io.ReadFull(read, got); err != nil || string(got) != want.String() {
		t.Errorf("%v, read %q", err, got)
	}
	if err := s.flush(0); err != nil {
		t.Error(err)
	}
}

func TestTooMuchThatWaitsWaitsForTheReader(t *testing.T) {
	s, read := streamTo(t, t.Context())
	s.maxWaiting = 10
	if _, err := io.WriteString(s, "0123456789"); err != nil {
		t.Fatal(err)
	}
	written := make(chan error)
	go func() {
		_, err := io.WriteString(s, "beyond")
		written <- err
	}()
	got := make([]byte, len("0123456789beyond"))
	if _, err := io.ReadFull(read, got); err != nil || string(got) != "0123456789beyond" {
		t.Errorf("%v, read %q", err, got)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}

func TestTheEndOfTheTimeEndsTheWaitForAReader(t *testing.T) {
	for _, behind := range []int{0, maxWaiting} {
		ctx, cancel := context.WithCancel(context.Background())
		s, _ := streamTo(t, ctx)
		s.maxWaiting = behind
		if behind > 0 {
			if _, err := io.WriteString(s, "waits"); err != nil {
				t.Fatal(err)
			}
			s.maxWaiting = 0
		}
		cancel()
		if _, err := io.WriteString(s, "more"); !errors.Is(err, ErrUnread) {
			t.Errorf("error %v", err)
		}
	}
}

func TestAnOutputThatFailsIsToldToWhoWritesNext(t *testing.T) {
	s := newStream(full{}, func() context.Context { return t.Context() })
	for range 2 {
		if _, err := io.WriteString(s, "x"); err == nil || !strings.Contains(err.Error(), "no space") {
			t.Errorf("error %v", err)
		}
	}
}

func TestOutputThatIsWrittenIsNotHeldBack(t *testing.T) {
	var out bytes.Buffer
	s := newStream(&out, func() context.Context { return t.Context() })
	for _, behind := range []int{0, maxWaiting} {
		s.maxWaiting = behind
		out.Reset()
		if _, err := io.WriteString(s, "now"); err != nil || s.flush(0) != nil || out.String() != "now" {
			t.Errorf("%v, %q", err, out.String())
		}
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
