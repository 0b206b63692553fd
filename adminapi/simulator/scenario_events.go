package simulator

import (
	"cmp"
	"fmt"
	"time"
)

// Moment is a time in a world: so long after its start or, with a code, after a
// message of the scenario's upgrade.
type Moment struct {
	Code      int      `json:"code,omitempty"`
	Nth       int      `json:"nth,omitempty"`       // which message of the code; default the first
	Component string   `json:"component,omitempty"` // counts only messages about it
	Plus      Duration `json:"plus,omitzero"`
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

// matches reports whether a line is one of those that the moment counts.
func (m Moment) matches(line scriptLine) bool {
	return line.code == m.Code && (m.Component == "" || m.Component == line.component)
}

// index returns which line has the message of the moment, and false where none has.
func (m Moment) index(lines []scriptLine) (int, bool) {
	left := max(m.Nth, 1)
	for i, line := range lines {
		if m.matches(line) {
			if left--; left == 0 {
				return i, true
			}
		}
	}
	return 0, false
}

// in returns when the moment is after the start of a script, and false where its
// message does not come. Without a code it counts from that start.
func (m Moment) in(lines []scriptLine) (time.Duration, bool) {
	if m.Code == 0 {
		return m.Plus.Duration, true
	}
	i, ok := m.index(lines)
	if !ok {
		return 0, false
	}
	return lines[i].at + m.Plus.Duration, true
}

// timeOf returns when a moment is, and false as long as that is not known.
func (w *world) timeOf(m Moment) (time.Time, bool) {
	if m.Code == 0 {
		return w.started.Add(m.Plus.Duration), true
	}
	run := w.upgrades.first
	if run == nil {
		return time.Time{}, false
	}
	after, ok := m.in(run.lines)
	return run.start.Add(after), ok
}

// Window is a stretch of time in a world, or one that recurs. The zero Window is
// always.
type Window struct {
	From  *Moment  `json:"from,omitempty"` // default the world's start
	Till  *Moment  `json:"till,omitempty"` // default never
	For   Duration `json:"for,omitzero"`   // its length; default until Till
	Every Duration `json:"every,omitzero"` // between the beginnings of one that recurs
}

func (f Window) check() error {
	if err := cmp.Or(checkGiven("from", f.From), checkGiven("till", f.Till)); err != nil {
		return err
	}
	if f.Every.Duration != 0 && (f.Every.Duration <= f.For.Duration || f.For.Duration == 0) {
		return fmt.Errorf("every: %s has to be longer than for, which is %s", f.Every, f.For)
	}
	return upToAYear("for", f.For)
}

// within reports whether now is in a window.
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

const year = 365 * 24 * time.Hour

// upToAYear bounds spans, so that their sums do not overflow.
func upToAYear(key string, d Duration) error {
	if d.Duration < 0 || d.Duration > year {
		return fmt.Errorf("%s: %s is not between nothing and a year", key, d)
	}
	return nil
}

// Event changes the world while it runs. One that changes nothing is refused.
type Event struct {
	At           Duration `json:"at"`                     // after the start, on the world's clock
	After        *Moment  `json:"after,omitempty"`        // At counts from this message of the first upgrade
	Component    string   `json:"component,omitempty"`    // gets the state and the message
	State        string   `json:"state,omitempty"`        // working, stopped, degraded, strained
	Message      string   `json:"message,omitempty"`      // what its tests say, or why the site is read-only
	ReadOnly     *bool    `json:"readOnly,omitempty"`     // read-only mode goes on or off
	ExpireTokens bool     `json:"expireTokens,omitempty"` // every token issued so far expires
}

func (e Event) check() error {
	if err := checkGiven("after", e.After); err != nil {
		return err
	}
	switch {
	case e.After != nil && e.After.Code == 0:
		return fmt.Errorf("after: the code of a message is wanted")
	case e.At.Duration < 0:
		return fmt.Errorf("at: %s is less than nothing", e.At)
	case e.Component == "" && e.ReadOnly == nil && !e.ExpireTokens:
		return fmt.Errorf("component: none named, and nothing else happens")
	case e.Component == "":
		return nil
	case !isComponent(e.Component):
		return fmt.Errorf("component: there is no component %q", e.Component)
	}
	return oneOf("state", e.State, working, stopped, degraded, strained)
}

// scheduleEvents schedules the events of the scenario that have a time; those
// that follow a message wait for scheduleEventsAfter.
func (w *world) scheduleEvents() {
	for _, e := range w.scenario.Events {
		if e.After == nil {
			w.schedule(w.started.Add(e.At.Duration), func() { w.apply(e) })
		}
	}
}

// scheduleEventsAfter schedules the events that follow a message of a run.
func (w *world) scheduleEventsAfter(r *upgradeRun) {
	for _, e := range w.scenario.Events {
		if e.After == nil {
			continue
		}
		if after, ok := e.After.in(r.lines); ok {
			w.schedule(r.start.Add(after+e.At.Duration), func() { w.apply(e) })
		}
	}
}

func (w *world) apply(e Event) {
	if c := w.component(e.Component); c != nil {
		c.state, c.message = e.State, e.Message
	}
	if e.ReadOnly != nil {
		w.mode = mode{ReadOnly: *e.ReadOnly}
		if *e.ReadOnly {
			w.mode.Message = e.Message
		}
	}
	if e.ExpireTokens {
		for text, tok := range w.accounts.issued {
			tok.expires = time.Time{}
			w.accounts.issued[text] = tok
		}
	}
}
