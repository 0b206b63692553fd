package services

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/secrets"
	"geodeck/ui/views"
	"geodeck/ui/views/services/history"
)

// freshTime is the age from which a state that is shown, or of a service that is down, is
// read again; of others from otherTime on. What is older than behindTime on the screen was
// not shown for a while, and is read at once and without a pause.
const (
	freshTime  = 30 * time.Second
	otherTime  = 2 * time.Minute
	behindTime = time.Minute
)

// freshener keeps states fresh that were read before. What it does not get stays as it was.
type freshener struct {
	views.Fetch
	refused secrets.Secret // the token that the site took no more; nothing is read with it
}

// statesFreshened are the states of some services, read again.
type statesFreshened struct{ statesRead }

// Freshen reads the states again that were read longest ago, a few at a time. It is called
// every few seconds while the view is shown.
func (m *Model) Freshen() tea.Cmd {
	c := m.catalog
	f, now := &c.fresh, c.Env.Clock.Now()
	switch {
	case c.Env.Offline || m.flow.Active() || c.Unreachable != nil || c.Loading || c.asked != nil || f.Loading,
		f.Unreachable != nil && now.Before(f.Unreachable.Next),
		f.refused != "" && f.refused == c.Env.Site.Client.Session.Token().Value:
		return nil
	}
	services := c.oldest(now)
	if m.inside {
		services = nil
		if c.aged(m.open.service.Path(), now, freshTime) {
			services = []adminapi.ServiceRef{m.open.service}
		}
	}
	if len(services) == 0 {
		return nil
	}
	f.Loading = true
	site := c.Env.Site
	return c.Scope.Do("fresh states", func(ctx context.Context) tea.Msg {
		return statesFreshened{statesRead{services, site.Availability().States(ctx, services)}}
	})
}

// aged reports whether the state of a service is known, and was last read so long ago.
func (c *catalog) aged(path string, now time.Time, age time.Duration) bool {
	known, read := c.states[path]
	age = c.Env.Site.Line.Pause(age)
	return read && !known.stale && c.switched[path] == nil && (known.doubted || now.Sub(known.tried) >= age)
}

// freshenDoubted reads the states that are shown and doubted, the same way as [Model.Freshen]: a
// site whose pods change all the time is not asked more often.
func (m *Model) freshenDoubted() tea.Cmd {
	c := m.catalog
	for i := range c.list.OnScreen() {
		if !m.inside && c.states[c.rows.items[i].key.path].doubted {
			return m.Freshen()
		}
	}
	return nil
}

// oldest returns a few of the services whose states are to be read again: those on the
// screen first, and of each the longest ago. Over a slow line they are those on the screen alone.
func (c *catalog) oldest(now time.Time) []adminapi.ServiceRef {
	var shown, others []adminapi.ServiceRef
	seen := map[string]bool{}
	for i := range c.list.OnScreen() {
		if row := &c.rows.items[i]; row.service != nil {
			seen[row.key.path] = true
			if c.aged(row.key.path, now, freshTime) {
				shown = append(shown, *row.service)
			}
		}
	}
	for i := range c.rows.items {
		row := &c.rows.items[i]
		if row.service == nil || seen[row.key.path] || c.Env.Site.Line.Slow() {
			continue
		}
		age := otherTime
		if c.states[row.key.path].amiss() {
			age = freshTime
		}
		if c.aged(row.key.path, now, age) {
			others = append(others, *row.service)
		}
	}
	for _, list := range [][]adminapi.ServiceRef{shown, others} {
		slices.SortStableFunc(list, func(a, b adminapi.ServiceRef) int {
			return c.states[a.Path()].tried.Compare(c.states[b.Path()].tried)
		})
	}
	all := append(shown, others...)
	return all[:min(statesAtOnce, len(all))]
}

// freshened takes states that were read again. Of a site that does not answer the last
// states stay, with their age; a sign-in is not asked for by what nobody asked for.
func (m *Model) freshened(r statesFreshened) tea.Cmd {
	c := m.catalog
	f, now := &c.fresh, c.Env.Clock.Now()
	f.Loading = false
	silent := 0
	for _, state := range r.states {
		switch err := state.Err; {
		case errors.Is(err, adminapi.KindSignIn):
			f.refused = c.Env.Site.Client.Session.Token().Value
			return nil
		case err != nil && adminapi.IsTransient(err):
			silent++
		}
	}
	if silent == len(r.states) {
		f.Failed(now, c.Env.Site.Line, r.states[0].Err)
		f.Loading = false
		return nil
	}
	f.Succeeded(now)
	var gone tea.Cmd
	for i, s := range r.services {
		gone = tea.Batch(gone, c.noteState(s.Path(), r.states[i], now))
		c.pods.expire(s.Path())
	}
	c.redrawStates()
	pods := c.loadShownPods()
	if m.inside && m.showsState() {
		pods = tea.Batch(c.loadPods(r.services), m.open.status.readFacts())
	}
	next := m.freshenDoubted()
	if next == nil {
		next = m.freshenBehind()
	}
	return tea.Batch(gone, pods, next)
}

// freshenBehind reads the states on the screen that were not shown for a while.
func (m *Model) freshenBehind() tea.Cmd {
	if c := m.catalog; !m.inside && c.shownSince().Before(c.Env.Clock.Now().Add(-c.Env.Site.Line.Pause(behindTime))) {
		return m.Freshen()
	}
	return nil
}

// shownSince is when the oldest of the states on the screen was read, but for those that say
// it themselves; the list itself where none is known.
func (c *catalog) shownSince() (since time.Time) {
	for i := range c.list.OnScreen() {
		if known := c.states[c.rows.items[i].key.path]; known.RealTime != "" && known.Err == nil && (since.IsZero() || known.read.Before(since)) {
			since = known.read
		}
	}
	if since.IsZero() {
		return c.Updated
	}
	return since
}

// freshness says how old the states are that are shown, and since when the site is silent.
func (v *shown) freshness() (updated time.Time, unreachable *views.Unreachable) {
	c := v.catalog
	updated = c.shownSince()
	if v.inside {
		history, kept := v.open.tab().(*history.Model)
		switch known := c.states[v.open.service.Path()]; {
		case kept:
			updated = history.Updated()
		case known.RealTime != "":
			updated = known.read
		default: // an edit was sent just now
			updated = v.open.definition.Fetch().Updated
		}
	}
	return updated, cmp.Or(c.Unreachable, c.fresh.Unreachable)
}

// noteState keeps what was read; a failure leaves the last good state, which is shown with its
// time. Of a service that is gone, its folder is read again.
func (c *catalog) noteState(path string, state availability.State, now time.Time) tea.Cmd {
	known, f := c.states[path], &c.pods
	delete(f.behind, path)
	if state.Err != nil && known.RealTime != "" {
		known.Err, known.stale, known.doubted, known.tried = state.Err, false, false, now
		c.states[path] = known
		if service, _, found := c.byPath(path); found && errors.Is(state.Err, adminapi.KindNotFound) {
			return c.readAlone(service)
		}
		return nil
	}
	c.states[path] = knownState{State: state, read: now, tried: now}
	if state.Err == nil {
		delete(c.gone, path)
	}
	if _, has := f.own(path); known.RealTime != "" && known.RealTime != state.RealTime && has { // so have its pods
		f.expire(path)
		f.behind[path] = f.refused == nil && f.hidden == nil && f.unread(path)
	}
	return nil
}
