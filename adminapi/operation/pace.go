package operation

import (
	"time"

	"github.com/cenkalti/backoff/v5"
)

// A job is asked for after 1 s, growing to 5 s; while the API is away, after
// 2 s growing to 30 s with jitter, so that many watchers do not come back at once.
const (
	jobFirst, jobLast   = time.Second, 5 * time.Second
	awayFirst, awayLast = 2 * time.Second, 30 * time.Second
)

// pace says how long to wait before the next reading.
type pace struct{ running, away *backoff.ExponentialBackOff }

func newPace(first, last time.Duration) pace {
	return pace{running: growing(first, last, 0), away: growing(awayFirst, awayLast, 0.2)}
}

func growing(first, last time.Duration, jitter float64) *backoff.ExponentialBackOff {
	b := &backoff.ExponentialBackOff{
		InitialInterval: first, MaxInterval: last, Multiplier: 1.5, RandomizationFactor: jitter,
	}
	b.Reset()
	return b
}

// afterReading is the pause after a reading that came; it ends an absence.
func (p pace) afterReading() time.Duration {
	p.away.Reset()
	return p.running.NextBackOff()
}

// afterSilence is the pause after an attempt that failed.
func (p pace) afterSilence() time.Duration { return p.away.NextBackOff() }
