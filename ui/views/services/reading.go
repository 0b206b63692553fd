package services

import (
	"cmp"
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
)

// mostUnasked is how many states are read without being in sight or asked for: of three
// thousand services not each is worth a request.
const mostUnasked = 500

// loadShownStates reads the states of the rows on the screen that are not known yet, a
// few at a time, then their pods, then the states of the others: a service that is down may be out of
// sight. Only what the filter or the order asks for does not wait for the pods.
func (c *catalog) loadShownStates() tea.Cmd {
	if c.Env.Offline || c.Unreachable != nil {
		return nil
	}
	var services []adminapi.ServiceRef
	add := func(i int) (full bool) {
		row := &c.rows.items[i]
		if row.service != nil && c.states.unknown(row.key.path) {
			services = append(services, *row.service)
		}
		return len(services) == statesAtOnce
	}
	for i := range c.list.OnScreen() {
		if add(i) {
			break
		}
	}
	pods := tea.Cmd(nil)
	if len(services) == 0 {
		pods = c.loadShownPods()
	}
	shown := pods == nil && c.states.pods.asked == nil
	if len(services) == 0 && (c.sweeping() || shown && c.checking()) {
		for i := range c.rows.items {
			if add(i) {
				break
			}
		}
	}
	if len(services) == 0 || slices.EqualFunc(services, c.states.asked, samePath) {
		return pods
	}
	return tea.Batch(pods, c.states.loadStates(services...))
}

func (c *catalog) statesRead(r statesRead) tea.Cmd {
	now := c.Env.Clock.Now()
	c.states.asked = nil
	defer c.redrawStates()
	failed, gone := 0, tea.Cmd(nil)
	for i, s := range r.services {
		switch err := r.states[i].Err; {
		case errors.Is(err, adminapi.KindSignIn):
			return c.Scope.RetryAfterSignIn(err, "states", c.loadShownStates)
		case err != nil && !errors.Is(err, adminapi.KindNotFound):
			failed++
		}
		gone = tea.Batch(gone, c.states.noteState(s.Path(), r.states[i], now))
	}
	c.redrawStates()
	if failed == statesAtOnce { // thousands of others would fail alike
		c.givenUp = cmp.Or(c.needle(), c.order.String())
	}
	return tea.Batch(gone, c.loadShownStates())
}

// forgetStates has the states of all services fetched again when they are in sight.
func (c *catalog) forgetStates() {
	c.givenUp, c.fresh = "", freshener{}
	c.states.pods.forget()
	clear(c.states.reasons)
	for path, known := range c.states.known {
		known.stale = true
		c.states.known[path] = known
	}
}

// redrawStates shows the states that are known; where the filter asks for states, or the
// list is sorted by them, the rows change.
func (c *catalog) redrawStates() {
	if row, ok := c.selected(); ok && c.asksStates() {
		c.kept = row.key
	}
	if c.order == byState || c.order == byPods || c.order == byFolder && c.downChanged() {
		c.lay()
		return
	}
	c.countStates()
	c.list.Redraw()
	if c.asksStates() {
		c.list.Set(c.rows)
	}
}

// letGo lets the row go that stayed under the cursor, once that has left it or the filter.
func (c *catalog) letGo() {
	row, ok := c.selected()
	if c.kept == (rowKey{}) || ok && row.key == c.kept && c.needle() != "" {
		return
	}
	c.kept = rowKey{}
	c.list.Set(c.rows)
}

// sweeping reports whether states are read for the filter, seen or not.
func (c *catalog) sweeping() bool {
	return !c.hidden && c.tally.read < c.count() && (c.asksStates() || c.order == byState && c.givenUp == "")
}

// checking reports whether states are read that nobody asked for: all, as far as that is few
// requests, and none over a slow line.
func (c *catalog) checking() bool {
	return !c.hidden && c.givenUp == "" && c.tally.read < min(c.count(), mostUnasked) && !c.Env.Site.Line.Slow()
}

// loadShownPods reads the pods of the rows on the screen that are not known yet, a few at a
// time, once their states are known.
func (c *catalog) loadShownPods() tea.Cmd {
	f := &c.states.pods
	if c.Env.Offline || c.Unreachable != nil || c.hidden || f.hidden != nil {
		return nil
	}
	var services []adminapi.ServiceRef
	cursor, _ := c.list.Selected()
	for i := range c.list.OnScreen() {
		row := &c.rows.items[i]
		if i != cursor && c.Env.Site.Line.Slow() {
			continue // a column of the list is not worth the requests
		}
		if row.service != nil && f.unread(row.key.path) {
			services = append(services, *row.service)
		}
		if len(services) == statesAtOnce {
			break
		}
	}
	if len(services) == 0 || slices.EqualFunc(services, f.asked, samePath) {
		return nil
	}
	return c.states.loadPods(services)
}

func (c *catalog) podsRead(r podsRead) tea.Cmd {
	f := &c.states.pods
	f.asked = nil
	for i, s := range r.services {
		scaling := r.scaling[i]
		if forbidden(scaling.Err) {
			f.hidden = scaling.Err
		}
		f.scaling[s.Path()] = scaling
		delete(f.stale, s.Path())
		if !c.states.known[s.Path()].doubted {
			delete(f.behind, s.Path())
		}
	}
	for _, d := range r.pods {
		if forbidden(d.Err) {
			f.refused = d.Err
		}
		c.states.notePods(d)
	}
	c.redrawStates()
	return c.loadShownStates()
}
