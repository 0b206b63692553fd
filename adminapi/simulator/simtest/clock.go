package simtest

import (
	"context"
	"sync"
	"time"
)

// ManualClock moves only by Advance; Sleep waits until it has been moved far
// enough. It is for tests that check every moment.
type ManualClock struct {
	mu       sync.Mutex
	now      time.Time
	sleepers map[chan struct{}]time.Time // closed at their time
	changed  chan struct{}               // closed and replaced when another Sleep begins
}

// NewManualClock returns a manual clock at start.
func NewManualClock(start time.Time) *ManualClock {
	return &ManualClock{now: start, sleepers: map[chan struct{}]time.Time{}, changed: make(chan struct{})}
}

// Now returns the clock's time.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep waits until the clock has been moved by d, or for the end of ctx.
func (c *ManualClock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	wake := make(chan struct{})
	c.mu.Lock()
	c.sleepers[wake] = c.now.Add(d)
	close(c.changed)
	c.changed = make(chan struct{})
	c.mu.Unlock()
	select {
	case <-wake:
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.sleepers, wake)
		c.mu.Unlock()
	}
	return ctx.Err()
}

// Advance moves the clock and wakes every Sleep that has waited long enough.
func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for wake, at := range c.sleepers {
		if !at.After(c.now) {
			delete(c.sleepers, wake)
			close(wake)
		}
	}
}

// Waiters returns how many goroutines sleep on the clock.
func (c *ManualClock) Waiters() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.sleepers)
}

// Slept returns a channel that is closed when the next Sleep begins.
func (c *ManualClock) Slept() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// AwaitWaiters returns once at least n goroutines sleep on the clock, or with the error
// of ctx: a test that advances only then cannot advance too early.
func (c *ManualClock) AwaitWaiters(ctx context.Context, n int) error {
	for {
		c.mu.Lock()
		count, changed := len(c.sleepers), c.changed
		c.mu.Unlock()
		if count >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// SteppedClock moves by itself: each Sleep advances it by d and returns at once. Hours
// of a world take no time, and happen in the same order every time.
type SteppedClock struct {
	mu  sync.Mutex
	now time.Time
}

// NewSteppedClock returns a stepped clock at start.
func NewSteppedClock(start time.Time) *SteppedClock { return &SteppedClock{now: start} }

// Now returns the clock's time.
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
