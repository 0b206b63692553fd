// Package polling fetches something of a site repeatedly until its end: commands with [Wait], views step by
// step. Start at [Poller].
package polling

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"geodeck/adminapi"
)

// Poller fetches something of the site repeatedly until its end. It changes with every
// step, so it belongs to one goroutine, or to one chain of messages.
type Poller[T any] interface {
	// Next fetches once. An error ends the poll; after an error that asks for a sign-in,
	// Next may be called again.
	Next(ctx context.Context) (Step[T], error)
}

// Step is what one fetch of a [Poller] returned.
type Step[T any] struct {
	Value       T             // the latest known, also beside Unreachable and an error
	Wait        time.Duration // until the next fetch
	Unreachable error         // why this fetch has no answer; the poll goes on
	// Done says that Value is the end. With a Wait above zero the caller may still go on
	// polling, though nothing more is expected.
	Done bool
}

// Wait polls to the end and reports each step; report may be nil. After an error of the
// poller or of ctx, the value is the latest known.
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

// Passed is the time between two readings of a clock, which may be set in between: it is not below zero, and at most what
// can have passed.
func Passed(from, to time.Time, most time.Duration) time.Duration {
	return min(max(to.Sub(from), 0), most)
}

// Pauses between fetches while the site answers: of a job 1 s, growing to 5 s; of pods and
// of the upgrade 2 s, growing to 10 s while nothing changes.
var (
	JobBackoff   = adminapi.Backoff{First: time.Second, Max: 5 * time.Second, Factor: 1.5}
	QuietBackoff = adminapi.Backoff{First: 2 * time.Second, Max: 10 * time.Second, Factor: 1.5}
)

// Pace counts answers and failures, and says how long to wait after each.
type Pace struct {
	backoff           adminapi.Backoff // while the site answers
	line              *Line
	rand              adminapi.Rand
	answers, failures int // in a row
}

// NewPace returns a pace that has counted nothing yet; rand may be nil.
func NewPace(b adminapi.Backoff, line *Line, rand adminapi.Rand) Pace {
	return Pace{backoff: b, line: line, rand: cmp.Or[adminapi.Rand](rand, adminapi.SystemRand{})}
}

// AfterAnswer returns the pause after an answer.
func (p *Pace) AfterAnswer() time.Duration {
	p.failures = 0
	p.answers++
	return p.line.Pause(p.backoff.Pause(p.answers, nil))
}

// AfterFailure returns the pause after a fetch that failed.
func (p *Pace) AfterFailure() time.Duration {
	p.failures++
	return p.line.Pause(adminapi.UnreachableBackoff.Pause(p.failures, p.rand))
}

// Reset makes the next pauses short again.
func (p *Pace) Reset() { p.answers = 0 }

// Line is the way to a site. Over a slow one everything is polled at half the pace, and what
// nobody looks at is not fetched. It is safe for concurrent use; a nil one is not slow.
type Line struct{ slow atomic.Bool }

// NewLine returns a line.
func NewLine(slow bool) *Line {
	l := &Line{}
	l.SetSlow(slow)
	return l
}

// Slow reports whether the line is slow.
func (l *Line) Slow() bool { return l != nil && l.slow.Load() }

// SetSlow says whether the line is slow. Pauses that have begun stay as they are.
func (l *Line) SetSlow(slow bool) { l.slow.Store(slow) }

// Pause returns what becomes of a pause between two fetches.
func (l *Line) Pause(d time.Duration) time.Duration {
	if l.Slow() {
		return 2 * d
	}
	return d
}
