package simulator

import (
	"context"
	"sync"
	"time"
)

// SteppedClock moves by itself: each Sleep advances it by d and returns at once.
// A whole run of hours takes no time, in the same order every time.
type SteppedClock struct {
	mu  sync.Mutex
	now time.Time
}

// NewSteppedClock returns a stepped clock at start.
func NewSteppedClock(start time.Time) *SteppedClock { return &SteppedClock{now: start} }

// Now returns where the clock stands.
func (c *SteppedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep advances the clock by d, unless ctx has ended.
func (c *SteppedClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.Advance(d)
	return nil
}

// Advance moves the clock; it never goes back.
func (c *SteppedClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(d, 0))
}
