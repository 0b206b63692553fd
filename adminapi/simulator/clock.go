package simulator

import (
	"context"
	"time"
)

// Clock is the time of a simulated world. All clocks here satisfy adminapi.Clock.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
}

// NewScaledClock returns a clock that starts at the wall's present and runs
// speed times as fast; Sleep waits for d divided by speed.
func NewScaledClock(speed float64) Clock { panic("contract only") }

// ManualClock moves only when told to; Sleep waits until it has been moved far
// enough. For tests that look at every moment.
type ManualClock struct{}

// NewManualClock returns a manual clock at start.
func NewManualClock(start time.Time) *ManualClock { panic("contract only") }

// Now returns where the clock stands.
func (c *ManualClock) Now() time.Time { panic("contract only") }

// Sleep waits until the clock has been moved by d, or for the end of ctx.
func (c *ManualClock) Sleep(ctx context.Context, d time.Duration) error { panic("contract only") }

// Advance moves the clock and wakes whoever has waited long enough.
func (c *ManualClock) Advance(d time.Duration) { panic("contract only") }

// SteppedClock moves by itself: each Sleep advances it by d and returns at once.
// A whole run of hours takes no time, in the same order every time.
type SteppedClock struct{}

// NewSteppedClock returns a stepped clock at start.
func NewSteppedClock(start time.Time) *SteppedClock { panic("contract only") }

// Now returns where the clock stands.
func (c *SteppedClock) Now() time.Time { panic("contract only") }

// Sleep advances the clock by d.
func (c *SteppedClock) Sleep(ctx context.Context, d time.Duration) error { panic("contract only") }

// Advance moves the clock.
func (c *SteppedClock) Advance(d time.Duration) { panic("contract only") }
