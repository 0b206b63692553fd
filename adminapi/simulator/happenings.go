package simulator

import (
	"fmt"
	"slices"
	"strings"
)

// Happening is something that befalls the world while it runs. One that names
// nothing to happen is refused.
type Happening struct {
	At           Duration `json:"at"`                     // after the start, on the world's clock
	After        *Moment  `json:"after,omitempty"`        // At counts from this message of the first upgrade
	Component    string   `json:"component,omitempty"`    // gets the state and the message
	State        string   `json:"state,omitempty"`        // working, stopped, degraded, strained
	Message      string   `json:"message,omitempty"`      // what its tests say, or why the site is read-only
	ReadOnly     *bool    `json:"readOnly,omitempty"`     // read-only mode goes on or off
	ExpireTokens bool     `json:"expireTokens,omitempty"` // every token issued so far ends
}

func (s Scenario) checkHappenings() error {
	for i, h := range s.Happenings {
		if err := h.check(); err != nil {
			return fmt.Errorf("happenings[%d].%w", i, err)
		}
	}
	return nil
}

func (h Happening) check() error {
	states := []string{working, stopped, degraded, strained}
	if h.After != nil {
		if err := h.After.check(); err != nil {
			return fmt.Errorf("after.%w", err)
		}
	}
	switch {
	case h.After != nil && h.After.Code == 0:
		return fmt.Errorf("after: the code of a message is wanted")
	case h.At.Duration < 0:
		return fmt.Errorf("at: %s is less than nothing", h.At)
	case h.Component == "" && h.ReadOnly == nil && !h.ExpireTokens:
		return fmt.Errorf("component: none named, and nothing else happens")
	case h.Component != "" && !isComponent(h.Component):
		return fmt.Errorf("component: there is no component %q", h.Component)
	case h.Component != "" && !slices.Contains(states, h.State):
		return fmt.Errorf("state: %q is none of %s", h.State, strings.Join(states, ", "))
	}
	return nil
}

func isComponent(name string) bool {
	return slices.ContainsFunc(componentCatalogue(), func(c *component) bool { return c.Name == name })
}

// expect schedules what the scenario says will happen.
func (w *world) expect(list []Happening) {
	for _, h := range list {
		if h.After == nil {
			w.schedule(w.started.Add(h.At.Duration), func() { w.befall(h) })
		}
	}
}

// expectAfterMessages schedules what follows a message of a run.
func (w *world) expectAfterMessages(r *upgradeRun) {
	for _, h := range w.scenario.Happenings {
		if h.After == nil {
			continue
		}
		if after, ok := h.After.in(r.lines); ok {
			w.schedule(r.start.Add(after+h.At.Duration), func() { w.befall(h) })
		}
	}
}

func (w *world) befall(h Happening) {
	if c := w.component(h.Component); c != nil {
		c.state, c.message = h.State, h.Message
	}
	if h.ReadOnly != nil {
		w.mode = mode{readOnly: *h.ReadOnly}
		if *h.ReadOnly {
			w.mode.message = h.Message
		}
	}
	if h.ExpireTokens {
		w.tokens.endAll()
	}
}
