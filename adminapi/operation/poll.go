package operation

import (
	"context"
	"time"

	"geodeck/adminapi"
)

// Poller reads one thing at the site again and again until its end. It changes with
// every reading: one goroutine owns it, or one chain of messages, of which each waits
// for the one before.
type Poller[T any] interface {
	// Next reads once. An error ends the poll; after one that asks for a sign-in, Next
	// may be called again.
	Next(ctx context.Context) (Step[T], error)
}

// Step is one reading of a [Poller].
type Step[T any] struct {
	Value T             // what is known by now, also beside Away and beside an error
	Wait  time.Duration // until the next reading
	// Away is why the site did not tell this time. That is no end.
	Away error
	// Done says that no further reading is needed: Value is the end. Where Wait is
	// above zero all the same, nothing more is to be expected, but whoever stays may
	// look again after it.
	Done bool
}

// Wait reads to the end and reports each step; report may be nil. The error is that of
// the poller, or that of ctx; the value is then what was known last.
func Wait[T any](ctx context.Context, clock adminapi.Clock, p Poller[T], report func(Step[T])) (T, error) {
	for {
		step, err := p.Next(ctx)
		if err != nil {
			return step.Value, err
		}
		if report != nil {
			report(step)
		}
		if step.Done {
			return step.Value, nil
		}
		if err := clock.Sleep(ctx, step.Wait); err != nil {
			return step.Value, err
		}
	}
}

// pollFunc is a poller without a state of its own.
type pollFunc[T any] func(context.Context) (Step[T], error)

func (f pollFunc[T]) Next(ctx context.Context) (Step[T], error) { return f(ctx) }

// How often something is read that answers: a job after 1 s, growing to 5 s; pods and
// the upgrade after 2 s, growing to 10 s while nothing changes.
var (
	jobBackoff   = adminapi.Backoff{First: time.Second, Max: 5 * time.Second, Factor: 1.5}
	quietBackoff = adminapi.Backoff{First: 2 * time.Second, Max: 10 * time.Second, Factor: 1.5}
)

const (
	// searchTime is how long something is looked for whose answer was lost.
	searchTime = 30 * time.Second
	// searchPause lies between two looks.
	searchPause = 2 * time.Second
)

// pace counts readings and failures, and says how long to wait after each.
type pace struct {
	backoff            adminapi.Backoff // while the site answers
	rand               adminapi.Rand
	readings, failures int // in a row
}

func (s Site) pace(b adminapi.Backoff) pace {
	if s.Rand == nil {
		return pace{backoff: b, rand: adminapi.SystemRand{}}
	}
	return pace{backoff: b, rand: s.Rand}
}

// answered ends an absence.
func (p *pace) answered() { p.failures = 0 }

// afterReading is the pause after an answer.
func (p *pace) afterReading() time.Duration {
	p.answered()
	p.readings++
	return p.backoff.Pause(p.readings, nil)
}

// afterSilence is the pause after an attempt that failed.
func (p *pace) afterSilence() time.Duration {
	p.failures++
	return adminapi.AwayBackoff.Pause(p.failures, p.rand)
}

// quicken makes the next pauses short again.
func (p *pace) quicken() { p.readings = 0 }
