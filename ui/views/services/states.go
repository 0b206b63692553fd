package services

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views/rows"
)

// statesAtOnce is how many states are read before they are shown.
const statesAtOnce = 8

// statesRead are the states of some services.
type statesRead struct {
	services []adminapi.ServiceRef
	states   []operation.ServiceState
}

// wantStates reads the states of the rows on the screen that are not known yet, a
// few at a time: of three thousand services only those are worth a request, unless the
// filter asks for a state.
func (m *Model) wantStates() tea.Cmd {
	if m.env.Offline || m.catalog.Away != nil {
		return nil
	}
	var services []adminapi.ServiceRef
	for i := range m.catalog.list.OnScreen() {
		row := &m.catalog.rows.items[i]
		if row.service == nil || !m.catalog.unknown(row.key.path) {
			continue
		}
		if services = append(services, *row.service); len(services) == statesAtOnce {
			break
		}
	}
	if len(services) == 0 && m.sweeping() {
		services = m.nextUnknown()
	}
	if len(services) == 0 {
		return nil
	}
	return m.askStates(services)
}

func (m *Model) askStates(services []adminapi.ServiceRef) tea.Cmd {
	site := m.env.Site
	return m.scope.Do("states", func(ctx context.Context) tea.Msg {
		return statesRead{services, site.ServiceStates(ctx, services)}
	})
}

func (r statesRead) apply(m *Model) tea.Cmd {
	now := m.env.Clock.Now()
	for i, s := range r.services {
		if errors.Is(r.states[i].Err, adminapi.KindSignIn) {
			m.redrawStates()
			return m.scope.RetryAfterSignIn(r.states[i].Err, "states", m.wantStates)
		}
		m.noteState(s.Path(), r.states[i], now)
	}
	m.redrawStates()
	r.giveUp(m)
	return m.wantStates()
}

// noteState keeps what was read; a failure leaves the last good state.
func (m *Model) noteState(path string, state operation.ServiceState, now time.Time) {
	if known := m.catalog.states[path]; state.Err != nil && known.RealTime != "" {
		known.Err, known.stale = state.Err, false
		m.catalog.states[path] = known
		return
	}
	m.catalog.states[path] = knownState{ServiceState: state, read: now}
}

// redrawStates shows what is known of the states by now; where the filter asks for
// them, other rows.
func (m *Model) redrawStates() {
	m.countStates()
	m.catalog.list.Redraw()
	if m.asksStates() {
		m.catalog.list.Set(m.catalog.rows)
	}
	m.layDetail()
}

// stateCell is the state of a service in a column.
func (m *Model) stateCell(path string, width int) string {
	glyph, text, ink := m.stateOf(path)
	return ink.On(m.inks.Fit(glyph+" "+text, width))
}

// stateOf says the state of a service as sign, words and colour.
func (m *Model) stateOf(path string) (glyph, text string, ink rows.Ink) {
	k := &m.inks
	if s := m.switches[path]; s != nil {
		return k.Glyphs.Running, s.word(), k.Running
	}
	known, read := m.catalog.states[path]
	switch {
	case !read:
		return " ", "", k.Muted
	case known.Err != nil && known.RealTime == "":
		return k.Glyphs.Unknown, "not known", k.Unknown
	case known.Settled() && known.Running():
		return k.Glyphs.Pass, "started", k.OK
	case known.Settled() && known.RealTime == adminapi.ServiceStopped:
		return k.Glyphs.Skipped, "stopped", k.Muted
	case known.RealTime == adminapi.ServiceStopped && known.Configured == adminapi.ServiceStarted:
		return k.Glyphs.Fail, "stopped, should run", k.Fail
	case known.Running() && known.Configured == adminapi.ServiceStopped:
		return k.Glyphs.Warn, "runs, should not", k.Warn
	}
	return k.Glyphs.Unknown, plain.Line(lower(known.RealTime)), k.Unknown
}
