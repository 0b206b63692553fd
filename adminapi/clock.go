package adminapi

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
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

// Now returns the current time of the wall. It has no monotonic reading: that stands still while a machine sleeps, and
// what was read the evening before would be a minute old in the morning.
func (SystemClock) Now() time.Time { return time.Now().Round(0) }

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

// Millis is a moment as the API writes it: milliseconds since the Unix epoch. Zero and
// negative values mean that there is none: the endtime of a running job is 0, not 1970.
type Millis int64

// MillisOf returns t as the API writes it, 0 for the zero time.
func MillisOf(t time.Time) Millis {
	if t.IsZero() {
		return 0
	}
	return Millis(t.UnixMilli())
}

// Moment is a time for scripts: in UTC to the millisecond, nil where there is none.
func Moment(t time.Time) *time.Time { return MillisOf(t).Moment() }

// Moment is the moment for scripts, nil where there is none.
func (m Millis) Moment() *time.Time {
	if m.IsZero() {
		return nil
	}
	t := m.Time()
	return &t
}

// IsZero reports whether there is no moment.
func (m Millis) IsZero() bool { return m <= 0 }

// Time returns the moment in UTC, the zero time if there is none.
func (m Millis) Time() time.Time {
	if m.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(int64(m)).UTC()
}

// Span returns the time from start to end, and false if either is missing or the end is
// before the start.
func Span(start, end Millis) (time.Duration, bool) {
	if start.IsZero() || end.IsZero() || end < start {
		return 0, false
	}
	return time.Duration(end-start) * time.Millisecond, true
}

// FormatDuration formats a duration for a sentence: "0.4 s", "30 s", "1 min 30 s",
// "10 min", "2 h 05 min". It rounds to tenths of a second below ten seconds, to seconds
// below an hour, and to minutes above.
func FormatDuration(d time.Duration) string {
	if d < 0 {
		return "-" + FormatDuration(-d)
	}
	if 0 < d && d < time.Second/10 {
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond)/time.Millisecond)
	}
	if d = d.Round(time.Second / 10); d < 10*time.Second {
		return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
	}
	if d = d.Round(time.Second); d < time.Minute {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	large, small, units := d/time.Minute, d%time.Minute/time.Second, [2]string{"min", "s"}
	if d >= time.Hour {
		d = d.Round(time.Minute)
		large, small, units = d/time.Hour, d%time.Hour/time.Minute, [2]string{"h", "min"}
	}
	if small == 0 {
		return fmt.Sprintf("%d %s", large, units[0])
	}
	return fmt.Sprintf("%d %s %02d %s", large, units[0], small, units[1])
}

// FormatElapsed formats a duration for a table: "0.4 s", "31 s", "4 min 10 s", "2 h 05 min".
// Above ten seconds it never rounds up.
func FormatElapsed(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%d h %02d min", d/time.Hour, d%time.Hour/time.Minute)
}

// FormatSeconds formats a duration as FormatElapsed does, in whole seconds: "3 s". One below
// zero is 0 s.
func FormatSeconds(d time.Duration) string {
	return strings.Replace(FormatElapsed(max(d, 0).Truncate(time.Second)), ".0 s", " s", 1)
}

// FormatCoarse formats a duration in its largest unit: "31 s", "4 min", "47 h", "3 days".
func FormatCoarse(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}

// ParseSpan reads a span of time as people type it: "90m", "24h", "7d".
func ParseSpan(text string) (time.Duration, error) {
	if days, is := strings.CutSuffix(text, "d"); is {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	span, err := time.ParseDuration(text)
	if err == nil && span < 0 {
		err = errors.New("the span is negative")
	}
	return span, err
}

// Fact is a value of the site with its age. The zero fact is not known.
type Fact[T any] struct {
	Value T
	At    time.Time // when it was fetched, by this machine's clock; zero where it is not known
	Err   error     // why the last refresh failed: Value is of before; nil where it did not
}

// FactOf makes a fact of the results of a call: not known where err is set.
func FactOf[T any](at time.Time, value T, err error) (f Fact[T]) {
	f.Take(at, value, err)
	return f
}

// Take keeps the results of a refresh. One that failed leaves value and time as they were.
func (f *Fact[T]) Take(at time.Time, value T, err error) {
	if f.Err = err; err != nil {
		return
	}
	f.Value, f.At = value, at
}

// Refresh fetches it again.
func (f *Fact[T]) Refresh(ctx context.Context, clock Clock, fetch func(context.Context) (T, error)) {
	value, err := fetch(ctx)
	f.Take(clock.Now(), value, err)
}

// Known reports whether it was ever fetched.
func (f Fact[T]) Known() bool { return !f.At.IsZero() }

// Old reports whether it no longer stands for the present: it is known, but its last refresh failed,
// or was longer ago than a limit, or so far ahead that the clock was set back since.
func (f Fact[T]) Old(now time.Time, limit time.Duration) bool {
	return f.Known() && (f.Err != nil || now.Sub(f.At).Abs() > limit)
}
