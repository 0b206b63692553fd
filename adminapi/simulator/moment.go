package simulator

import (
	"fmt"
	"time"
)

// Moment is a time in a world: so long after its start or, with a code, after a
// message of the scenario's upgrade.
type Moment struct {
	Code      int      `json:"code,omitempty"`
	Nth       int      `json:"nth,omitempty"`       // which message of the code; default the first
	Component string   `json:"component,omitempty"` // counts only messages about it
	Plus      Duration `json:"plus,omitempty"`
}

// Window is a stretch of time in a world, or one that comes again and again. The
// zero Window is always.
type Window struct {
	From  *Moment  `json:"from,omitempty"`  // default the world's start
	Till  *Moment  `json:"till,omitempty"`  // default never
	For   Duration `json:"for,omitempty"`   // so long from then on; default until Till
	Every Duration `json:"every,omitempty"` // and again so long after each beginning
}

func (m Moment) check() error {
	switch {
	case m.Code < 0 || m.Nth < 0:
		return fmt.Errorf("code is %d and nth is %d; neither is less than nothing", m.Code, m.Nth)
	case m.Code == 0 && (m.Nth != 0 || m.Component != ""):
		return fmt.Errorf("code: nth and component belong to a code")
	case m.Component != "" && !isComponent(m.Component):
		return fmt.Errorf("component: there is no component %q", m.Component)
	}
	return upToAYear("plus", m.Plus)
}

// upToAYear keeps sums of spans from running over.
func upToAYear(key string, d Duration) error {
	if d.Duration < 0 || d.Duration > year {
		return fmt.Errorf("%s: %s is not between nothing and a year", key, d)
	}
	return nil
}

const year = 365 * 24 * time.Hour

func (f Window) check() error {
	for key, m := range map[string]*Moment{"from": f.From, "till": f.Till} {
		if m == nil {
			continue
		}
		if err := m.check(); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if f.Every.Duration != 0 && f.Every.Duration <= f.For.Duration || f.Every.Duration != 0 && f.For.Duration == 0 {
		return fmt.Errorf("every: %s has to be longer than for, which is %s", f.Every, f.For)
	}
	return upToAYear("for", f.For)
}

// is tells whether a line is one of those that the moment counts.
func (m Moment) is(line scriptLine) bool {
	return line.code == m.Code && (m.Component == "" || m.Component == line.component)
}

// in returns how long after the start of a script the moment comes, and false
// where its message does not.
func (m Moment) in(lines []scriptLine) (time.Duration, bool) {
	left := max(m.Nth, 1)
	for _, line := range lines {
		if m.is(line) {
			left--
		}
		if left == 0 {
			return line.at + m.Plus.Duration, true
		}
	}
	return 0, false
}

// timeOf returns when a moment is, and false as long as nobody can tell.
func (w *world) timeOf(m Moment) (time.Time, bool) {
	if m.Code == 0 {
		return w.started.Add(m.Plus.Duration), true
	}
	run := w.upgrades.staged
	if run == nil {
		return time.Time{}, false
	}
	after, ok := m.in(run.lines)
	return run.start.Add(after), ok
}

// within tells whether now is in a window.
func (w *world) within(f Window, now time.Time) bool {
	from, ok := w.started, true
	if f.From != nil {
		from, ok = w.timeOf(*f.From)
	}
	if !ok || now.Before(from) {
		return false
	}
	if f.Till != nil {
		if till, ok := w.timeOf(*f.Till); ok && !now.Before(till) {
			return false
		}
	}
	since := now.Sub(from)
	if f.Every.Duration > 0 {
		since %= f.Every.Duration
	}
	return f.For.Duration == 0 || since < f.For.Duration
}

// atThisTime is within for whoever does not have the world for himself.
func (w *world) atThisTime(f Window) bool {
	if f == (Window{}) {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.within(f, w.clock.Now())
}
