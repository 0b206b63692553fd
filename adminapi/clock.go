package adminapi

import (
	"context"
	"time"
)

// Clock is where time comes from. The client, the operations and the dashboard
// take one, so that the simulator can offer a faster clock and tests one that
// moves when they say.
type Clock interface {
	// Now returns the present.
	Now() time.Time
	// Sleep returns nil after d, or the context's error as soon as it ends.
	Sleep(ctx context.Context, d time.Duration) error
}

// SystemClock is the machine's own clock.
type SystemClock struct{}

// Now returns the machine's time.
func (SystemClock) Now() time.Time { return time.Now() }

// Sleep waits for d or for the end of ctx.
func (SystemClock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return ctx.Err()
	}
}
