package polling

import (
	"sync/atomic"
	"time"
)

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
