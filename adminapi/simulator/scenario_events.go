package simulator

import (
	"cmp"
	"encoding/json"
	"errors"
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

// in returns how long after the start of a script the moment comes, and false
// where its message does not.
func (m Moment) in(lines []scriptLine) (time.Duration, bool) {
	left := max(m.Nth, 1)
	for _, line := range lines {
		if m.matches(line) {
			left--
		}
		if left == 0 {
			return line.at + m.Plus.Duration, true
		}
	}
	return 0, false
}

// Window is a stretch of time in a world, or one that recurs. The zero Window is
// always.
type Window struct {
	From  *Moment  `json:"from,omitempty"`  // default the world's start
	Till  *Moment  `json:"till,omitempty"`  // default never
	For   Duration `json:"for,omitempty"`   // so long from then on; default until Till
	Every Duration `json:"every,omitempty"` // it recurs so long after each beginning
}

func (f Window) check() error {
	for _, end := range []struct {
		key    string
		moment *Moment
	}{{"from", f.From}, {"till", f.Till}} {
		if end.moment == nil {
			continue
		}
		if err := end.moment.check(); err != nil {
			return fmt.Errorf("%s: %w", end.key, err)
		}
	}
	if f.Every.Duration != 0 && (f.Every.Duration <= f.For.Duration || f.For.Duration == 0) {
		return fmt.Errorf("every: %s has to be longer than for, which is %s", f.Every, f.For)
	}
	return upToAYear("for", f.For)
}

// upToAYear bounds spans, so that their sums do not overflow.
func upToAYear(key string, d Duration) error {
	if d.Duration < 0 || d.Duration > year {
		return fmt.Errorf("%s: %s is not between nothing and a year", key, d)
	}
	return nil
}

const year = 365 * 24 * time.Hour

// Event changes the world while it runs. One that changes nothing is refused.
type Event struct {
	At           Duration `json:"at"`                     // after the start, on the world's clock
	After        *Moment  `json:"after,omitempty"`        // At counts from this message of the first upgrade
	Component    string   `json:"component,omitempty"`    // gets the state and the message
	State        string   `json:"state,omitempty"`        // working, stopped, degraded, strained
	Message      string   `json:"message,omitempty"`      // what its tests say, or why the site is read-only
	ReadOnly     *bool    `json:"readOnly,omitempty"`     // read-only mode goes on or off
	ExpireTokens bool     `json:"expireTokens,omitempty"` // every token issued so far ends
}

func (e Event) check() error {
	if e.After != nil {
		if err := e.After.check(); err != nil {
			return fmt.Errorf("after.%w", err)
		}
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

// UpgradePlan is what a scenario says of upgrades.
type UpgradePlan struct {
	Offer               string            `json:"offer,omitempty"`               // fitting (default), none, all
	Mandatory           []string          `json:"mandatory,omitempty"`           // ids of patches that releases wait for
	Patches             int               `json:"patches,omitempty"`             // so many more after the last one of the site's release
	Entries             []json.RawMessage `json:"entries,omitempty"`             // shown as they stand beside what is offered; none can be installed
	Licence             string            `json:"licence,omitempty"`             // the version that licences must name; default the target's
	SettingsChangeAfter int               `json:"settingsChangeAfter,omitempty"` // reads after which a form asks for more
	Past                string            `json:"past,omitempty"`                // id of the update that made the site what it is, a day ago
	Other               *OtherUpgrade     `json:"else,omitempty"`                // an upgrade by another user
	ScriptChanges
}

func (p UpgradePlan) check(site version) error {
	known := updateCatalogue()
	for i, id := range p.Mandatory {
		if u := find(known, id); u == nil || u.isRelease() {
			return fmt.Errorf("mandatory[%d]: there is no patch %q", i, id)
		}
	}
	if _, err := parseVersion(p.Licence); p.Licence != "" && err != nil {
		return fmt.Errorf("licence: %w", err)
	}
	if u := find(known, p.Past); p.Past != "" && (u == nil || u.full() != site) {
		return fmt.Errorf("past: no update %q makes a site of %s", p.Past, site)
	}
	return cmp.Or(
		oneOf("offer", cmp.Or(p.Offer, offerFitting), offerFitting, offerNone, offerAll),
		inRange("settingsChangeAfter", p.SettingsChangeAfter, 0, 1000),
		inRange("patches", p.Patches, 0, 100_000),
		p.ScriptChanges.check(),
		below("else", p.Other.check(known, site)),
	)
}

// OtherUpgrade is an upgrade that another user starts.
type OtherUpgrade struct {
	ID   string   `json:"id"`
	User string   `json:"user,omitempty"` // default operator
	When string   `json:"when"`           // running, settings (once they were read), submit (right before one is taken)
	Ago  Duration `json:"ago,omitempty"`  // of a running one: since when
}

// When another user starts an upgrade.
const (
	otherRunning       = "running"
	otherAfterSettings = "settings"
	otherAtSubmit      = "submit"
)

func (e *OtherUpgrade) check(known []*update, site version) error {
	if e == nil {
		return nil
	}
	if u := find(known, e.ID); u == nil || u.PreviousVersion != site.release() {
		return fmt.Errorf("id: there is no update %q for %s", e.ID, site)
	}
	return cmp.Or(oneOf("when", e.When, otherRunning, otherAfterSettings, otherAtSubmit), notNegative("ago", e.Ago))
}

// ScriptChanges is what a scenario changes of the script of the first upgrade in a
// world, and of how the site shows its messages. Later upgrades go as usual.
type ScriptChanges struct {
	Fail       *UpgradeFailure `json:"fail,omitempty"`    // how it fails
	Lasts      Duration        `json:"lasts,omitempty"`   // from the first message to the last; default what the script takes
	Stall      *Stall          `json:"stall,omitempty"`   // where it is silent for a while
	Also       []ExtraMessage  `json:"also,omitempty"`    // messages beside its script
	Notes      *Notes          `json:"notes,omitempty"`   // many messages more
	Hostile    bool            `json:"hostile,omitempty"` // texts that attack a terminal
	States     []StateWindow   `json:"states,omitempty"`  // other states for a while
	Ends       *UpgradeState   `json:"ends,omitempty"`    // the state at the end
	Deliveries []Delivery      `json:"told,omitempty"`    // how its messages are shown
}

func (c ScriptChanges) check() error {
	if c.Fail != nil && (c.Fail.After <= 0 || c.Fail.Nth < 0) {
		return fmt.Errorf("fail: after is %d and nth is %d; a code and a count are wanted", c.Fail.After, c.Fail.Nth)
	}
	if c.Ends != nil && c.Ends.State == "" {
		return fmt.Errorf("ends.state: a word is wanted")
	}
	if c.Lasts.Duration < 0 || c.Lasts.Duration > 30*24*time.Hour {
		return fmt.Errorf("lasts: %s is not between nothing and 30 days", c.Lasts)
	}
	if c.Lasts.Duration > 0 && c.moving() <= 0 {
		return fmt.Errorf("lasts: %s is not longer than the stall of %s", c.Lasts, c.Stall.For)
	}
	return cmp.Or(
		below("stall", c.Stall.check()),
		checkEach("also", c.Also),
		below("notes", c.Notes.check()),
		checkEach("states", c.States),
		c.checkDelivery(),
	)
}

// moving is how long the upgrade lasts without its stall; zero or less where that
// is left to the script.
func (c ScriptChanges) moving() time.Duration {
	if c.Stall == nil {
		return c.Lasts.Duration
	}
	return c.Lasts.Duration - c.Stall.For.Duration
}

// UpgradeFailure is how an upgrade fails: it reports nothing more after one of
// its messages. A release stays as it is then, also in read-only mode; a patch
// is rolled back by the site.
type UpgradeFailure struct {
	After int `json:"after"`         // code of the message
	Nth   int `json:"nth,omitempty"` // which one of them; default the first
}

// UpgradeState is a state that the Upgrades resource shows.
type UpgradeState struct {
	State string `json:"state"`
	Code  int    `json:"code"`
}

// Stall is a silence after a message.
type Stall struct {
	After Moment   `json:"after"`
	For   Duration `json:"for,omitempty"` // default for good
}

// forever is how long an upgrade runs that never ends.
const forever = 100 * year

func (s *Stall) check() error {
	if s == nil {
		return nil
	}
	if s.After.Code == 0 || s.After.Plus.Duration != 0 {
		return errors.New("after: the code of a message is wanted, and no plus")
	}
	return cmp.Or(below("after", s.After.check()), upToAYear("for", s.For))
}

// ExtraMessage is a message that no script has, shown as it stands.
type ExtraMessage struct {
	At       Moment          `json:"at"`                 // without a code: after the start of the upgrade
	Message  json.RawMessage `json:"message"`            // {when} in it is its time; one without the key gets it
	Timeless bool            `json:"timeless,omitempty"` // it has no when at all
}

func (m ExtraMessage) check() error {
	var members map[string]json.RawMessage
	if json.Unmarshal(m.Message, &members) != nil {
		return errors.New("message: an object is wanted")
	}
	return below("at", m.At.check())
}

// Notes are so many messages, evenly over a time.
type Notes struct {
	Count int      `json:"count"`
	From  Moment   `json:"from"` // without a code: after the start of the upgrade
	For   Duration `json:"for"`
}

func (n *Notes) check() error {
	if n == nil {
		return nil
	}
	if n.For.Duration == 0 {
		return errors.New("for: over which time they come has to be said")
	}
	return cmp.Or(below("from", n.From.check()), upToAYear("for", n.For), inRange("count", n.Count, 1, 1_000_000))
}

// StateWindow is another state for a while.
type StateWindow struct {
	Window
	UpgradeState
}

func (s StateWindow) check() error {
	if s.State == "" {
		return errors.New("state: a word is wanted")
	}
	return s.Window.check()
}

// Delivery is how the site shows the messages of an upgrade for a while; the
// upgrade itself is not affected. Of two at a time each does its part.
type Delivery struct {
	Window
	Repeats  int  `json:"repeats,omitempty"`  // every so many-th message comes twice
	Shuffled bool `json:"shuffled,omitempty"` // in another order whenever there is a new one
	Newest   int  `json:"newest,omitempty"`   // only so many
	Forgets  bool `json:"forgets,omitempty"`  // those before From are not shown any more
}

func (c ScriptChanges) checkDelivery() error {
	for i, t := range c.Deliveries {
		switch err := t.Window.check(); {
		case err != nil:
			return fmt.Errorf("told[%d].%w", i, err)
		case t.Repeats < 0 || t.Newest < 0:
			return fmt.Errorf("told[%d]: repeats is %d and newest is %d; neither is less than nothing", i, t.Repeats, t.Newest)
		case t.Forgets && t.From == nil:
			return fmt.Errorf("told[%d].from: what is forgotten has to be said", i)
		case t.Repeats == 0 && t.Newest == 0 && !t.Shuffled && !t.Forgets:
			return fmt.Errorf("told[%d]: nothing is told in another way", i)
		}
	}
	return nil
}
