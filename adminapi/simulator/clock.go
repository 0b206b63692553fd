package simulator

import (
	"context"
	"time"

	"geodeck/adminapi"
)

// Clock is the time of a simulated world. All clocks here satisfy adminapi.Clock.
type Clock interface {
	// Now returns the present of the world.
	Now() time.Time
	// Sleep returns nil after d, or the context's error as soon as it ends.
	Sleep(ctx context.Context, d time.Duration) error
}

type scaledClock struct {
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
	return scaledClock{start: time.Now(), speed: speed}
}

func (c scaledClock) Now() time.Time {
	return c.start.Add(time.Duration(float64(time.Since(c.start)) * c.speed)).Round(0)
}

func (c scaledClock) Sleep(ctx context.Context, d time.Duration) error {
	return adminapi.SystemClock{}.Sleep(ctx, time.Duration(float64(d)/c.speed))
}

// shifted is the clock of a site that is set wrong.
type shifted struct {
	Clock
	ahead time.Duration
}

func (c shifted) Now() time.Time { return c.Clock.Now().Add(c.ahead) }
