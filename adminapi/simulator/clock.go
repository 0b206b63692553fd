package simulator

import (
	"context"
	"time"

	"geodeck/adminapi"
)

// Clock is the time of a simulated world.
type Clock = adminapi.Clock

type scaledClock struct {
	wall  Clock
	start time.Time
	speed float64
}

// NewScaledClock returns a clock that starts at the wall's present and runs
// speed times as fast; Sleep waits for d divided by speed. A speed of zero or
// less is the wall's pace.
func NewScaledClock(speed float64) Clock {
	if speed <= 0 {
		speed = 1
	}
	wall := adminapi.SystemClock{}
	return scaledClock{wall, wall.Now(), speed}
}

// Now returns the scaled time.
func (c scaledClock) Now() time.Time {
	return c.start.Add(time.Duration(float64(c.wall.Now().Sub(c.start)) * c.speed)).Round(0)
}

// Sleep sleeps for d of this clock.
func (c scaledClock) Sleep(ctx context.Context, d time.Duration) error {
	return c.wall.Sleep(ctx, time.Duration(float64(d)/c.speed))
}

// shifted is a clock that is wrong.
type shifted struct {
	Clock
	ahead time.Duration
}

// Now returns the time of the clock, shifted.
func (c shifted) Now() time.Time { return c.Clock.Now().Add(c.ahead) }
