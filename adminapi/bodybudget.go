package adminapi

import (
	"bytes"
	"context"
	"io"

	"golang.org/x/sync/semaphore"
)

const (
	// bodyBudget is how many bytes of answers one client takes in at a time: two of
	// the largest. The next large one waits until one of them is there.
	bodyBudget = 128 << 20
	// uncounted is how many bytes of each answer do not count, so that small answers
	// never wait for large ones.
	uncounted = 1 << 20
)

// bodies shares the memory for answers that are read at the same time.
type bodies struct{ budget *semaphore.Weighted }

func newBodies() bodies { return bodies{semaphore.NewWeighted(bodyBudget)} }

// read reads to the end. length is that of the body, negative where it is not known,
// and most what may come at the most. Room for all that may still come is taken at
// once, by who holds none: nobody waits with room that another one waits for. Who
// waits is served in turn, and its own time does not run.
func (b bodies) read(ctx context.Context, limit *deadline, in io.Reader, length, most int64) ([]byte, error) {
	body := new(bytes.Buffer)
	if length >= 0 {
		most = min(most, length)
		body.Grow(int(min(length, uncounted)) + bytes.MinRead)
	}
	_, err := io.CopyN(body, in, uncounted)
	if err == io.EOF {
		return body.Bytes(), nil
	}
	if err != nil || most <= uncounted {
		return body.Bytes(), err
	}
	limit.pause()
	err = b.budget.Acquire(ctx, most-uncounted)
	limit.goOn()
	if err != nil {
		return nil, err
	}
	defer b.budget.Release(most - uncounted)
	if length >= 0 {
		body.Grow(int(most) - body.Len() + bytes.MinRead) // or it would grow, and be copied, again and again
	}
	_, err = body.ReadFrom(in)
	return body.Bytes(), err
}
