package services

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
	"geodeck/ui/views"
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

// freshen reads the states of the list again that were read longest ago, a few at a time.
func (c *catalog) freshen() tea.Cmd { return c.freshenOf(c.oldest(c.Env.Clock.Now())) }

// freshenOne reads the state of a service again where that is old.
func (c *catalog) freshenOne(service adminapi.ServiceRef) tea.Cmd {
	if !c.states.aged(service.Path(), c.Env.Clock.Now(), freshTime) {
		return nil
	}
	return c.freshenOf([]adminapi.ServiceRef{service})
}

func (c *catalog) freshenOf(services []adminapi.ServiceRef) tea.Cmd {
	f := &c.fresh
	switch {
	case c.Env.Offline || c.changing() || c.Unreachable != nil || c.Loading || c.states.asked != nil || f.Loading,
		f.Unreachable != nil && c.Env.Clock.Now().Before(f.Unreachable.Next),
		f.refused != "" && f.refused == c.Env.Site.Client.Session.Token().Value,
		len(services) == 0:
		return nil
	}
	f.Loading = true
	site := c.Env.Site
	return c.Scope.Do("fresh states", func(ctx context.Context) tea.Msg {
		return statesFreshened{statesRead{services, site.Availability().States(ctx, services)}}
	})
}

// freshenDoubted reads the states that are shown and doubted, the same way as [catalog.freshen]: a
// site whose pods change all the time is not asked more often.
func (c *catalog) freshenDoubted() tea.Cmd {
	for i := range c.list.OnScreen() {
		if !c.hidden && c.states.known[c.rows.items[i].key.path].doubted {
			return c.freshen()
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
			if c.states.aged(row.key.path, now, freshTime) {
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
		if c.states.known[row.key.path].amiss() {
			age = freshTime
		}
		if c.states.aged(row.key.path, now, age) {
			others = append(others, *row.service)
		}
	}
	for _, list := range [][]adminapi.ServiceRef{shown, others} {
		slices.SortStableFunc(list, func(a, b adminapi.ServiceRef) int {
			return c.states.known[a.Path()].tried.Compare(c.states.known[b.Path()].tried)
		})
	}
	all := append(shown, others...)
	return all[:min(statesAtOnce, len(all))]
}

// freshened takes states that were read again, and reports whether there were any. Of a site that does
// not answer the last states stay, with their age; a sign-in is not asked for by what nobody asked for.
func (c *catalog) freshened(r statesFreshened) (cmd tea.Cmd, any bool) {
	f, now := &c.fresh, c.Env.Clock.Now()
	f.Loading = false
	silent := 0
	for _, state := range r.states {
		switch err := state.Err; {
		case errors.Is(err, adminapi.KindSignIn):
			f.refused = c.Env.Site.Client.Session.Token().Value
			return nil, false
		case err != nil && adminapi.IsTransient(err):
			silent++
		}
	}
	if silent == len(r.states) {
		f.Failed(now, c.Env.Site.Line, r.states[0].Err)
		f.Loading = false
		return nil, false
	}
	f.Succeeded(now)
	var gone tea.Cmd
	for i, s := range r.services {
		gone = tea.Batch(gone, c.states.noteState(s.Path(), r.states[i], now))
		c.states.pods.expire(s.Path())
	}
	c.redrawStates()
	pods := c.loadShownPods()
	next := c.freshenDoubted()
	if next == nil {
		next = c.freshenBehind()
	}
	return tea.Batch(gone, pods, next), true
}

// freshenBehind reads the states on the screen that were not shown for a while.
func (c *catalog) freshenBehind() tea.Cmd {
	if !c.hidden && c.shownSince().Before(c.Env.Clock.Now().Add(-c.Env.Site.Line.Pause(behindTime))) {
		return c.freshen()
	}
	return nil
}

// shownSince is when the oldest of the states on the screen was read, but for those that say
// it themselves; the list itself where none is known.
func (c *catalog) shownSince() (since time.Time) {
	for i := range c.list.OnScreen() {
		if known := c.states.known[c.rows.items[i].key.path]; known.RealTime != "" && known.Err == nil && (since.IsZero() || known.read.Before(since)) {
			since = known.read
		}
	}
	if since.IsZero() {
		return c.Updated
	}
	return since
}
