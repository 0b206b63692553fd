package adminapi

import (
	"context"
	"io"
	"sync"
	"time"
)

const (
	slowestLine  = 20 << 10 // bytes per second that a body is given time for
	mostBuffered = 4 << 20  // bytes that networks hold after they have taken them
)

// deadline gives a request up that makes no progress. Its time starts anew with
// every piece of the body that the network takes.
type deadline struct {
	cancel  context.CancelCauseFunc
	timeout time.Duration // without what lies in buffers

	mu    sync.Mutex
	sent  int64 // bytes of the body
	timer *time.Timer
	over  bool
}

// startDeadline returns a context that ends with errNoAnswer as its cause.
func startDeadline(ctx context.Context, timeout time.Duration) (context.Context, *deadline) {
	limited, cancel := context.WithCancelCause(ctx)
	d := &deadline{cancel: cancel, timeout: timeout}
	d.timer = time.AfterFunc(timeout, func() { cancel(errNoAnswer) })
	return limited, d
}

// end stops the clock. Nothing is reported from then on: a transport may read on
// in a body whose answer has come already.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	d.timer.Stop()
	d.cancel(nil)
}

// pause stops the clock while nothing is asked of the site, until goOn.
func (d *deadline) pause() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer.Stop()
}

// goOn starts the time anew.
func (d *deadline) goOn() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.over {
		d.timer.Reset(d.allowance())
	}
}

// allowed is the time without progress after which the request is given up: its
// timeout, and what a slow line needs for the bytes that are on their way.
func (d *deadline) allowed() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.allowance()
}

func (d *deadline) allowance() time.Duration {
	onTheWay := time.Duration(min(d.sent, mostBuffered)) * time.Second / slowestLine
	return d.timeout + onTheWay.Round(time.Second)
}

// track returns a body whose reading counts as progress. progress may be nil.
func (d *deadline) track(body io.ReadCloser, total int64, progress func(sent, total int64)) io.ReadCloser {
	return trackedBody{body, d, func(sent int64) {
		if progress != nil {
			progress(sent, total)
		}
	}}
}

type trackedBody struct {
	io.ReadCloser
	deadline *deadline
	report   func(sent int64)
}

// Read reads on and moves the deadline.
func (b trackedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.deadline.moved(n, b.report)
	}
	return n, err
}

func (d *deadline) moved(n int, report func(int64)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return
	}
	d.sent += int64(n)
	d.timer.Reset(d.allowance())
	report(d.sent)
}
