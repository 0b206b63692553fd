package adminapi

import (
	"context"
	"math/rand/v2"
	"time"
)

// Clock is a source of time. The client, the operations and the dashboard take one, so
// that the simulator can run faster and tests can set the time.
type Clock interface {
	// Now returns the current time.
	Now() time.Time
	// Sleep returns nil after d, or the context's error as soon as the context ends.
	Sleep(ctx context.Context, d time.Duration) error
}

// SystemClock is the clock of this machine.
type SystemClock struct{}

// Now returns the current time.
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

// Timer calls a function once its time is over, such as a [*time.Timer] of
// [time.AfterFunc].
type Timer interface {
	// Reset starts the timer again; it reports whether the timer was running.
	Reset(d time.Duration) bool
	// Stop ends the timer; it reports whether the timer was running.
	Stop() bool
}

func systemTimer(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }

// Rand is a source of random numbers, safe for concurrent use. Tests pass one with a
// fixed sequence.
type Rand interface {
	// Uint64 returns a random number.
	Uint64() uint64
}

// SystemRand is the random source of this machine.
type SystemRand struct{}

// Uint64 returns a random number.
func (SystemRand) Uint64() uint64 { return rand.Uint64() }

// Backoff describes how the pauses between attempts grow.
type Backoff struct {
	First, Max time.Duration
	Factor     float64 // from one pause to the next
	Jitter     float64 // share of a pause that is added or subtracted at random: 0.2 is up to a fifth
}

// Pause returns the pause after the n-th attempt in a row, counted from 1. It is exact
// where r is nil; jitter keeps programs that started together from retrying together.
func (b Backoff) Pause(n int, r Rand) time.Duration {
	pause := float64(b.First)
	for ; n > 1 && pause < float64(b.Max); n-- {
		pause *= b.Factor
	}
	pause = min(pause, float64(b.Max))
	if r != nil && b.Jitter > 0 {
		pause += b.Jitter * pause * (2*rand.New(r).Float64() - 1)
	}
	return time.Duration(pause)
}

// UnreachableBackoff paces the retries at a site that does not answer.
var UnreachableBackoff = Backoff{First: 2 * time.Second, Max: 30 * time.Second, Factor: 2, Jitter: 0.2}
