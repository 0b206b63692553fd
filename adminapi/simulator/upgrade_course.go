package simulator

import (
	"encoding/json"
	"fmt"
	"time"
)

// Course is what is special about the first upgrade of a world: how it goes, and
// how the site tells of it. Later ones go as upgrades usually do.
type Course struct {
	Fail    *UpgradeFailure `json:"fail,omitempty"`    // how it fails
	Lasts   Duration        `json:"lasts,omitempty"`   // from the first message to the last; default what the script takes
	Stall   *Stall          `json:"stall,omitempty"`   // where it says nothing for a while
	Also    []Remark        `json:"also,omitempty"`    // what it says beside its script
	Notes   *Notes          `json:"notes,omitempty"`   // many messages more
	Hostile bool            `json:"hostile,omitempty"` // texts that attack a terminal
	States  []StateSpell    `json:"states,omitempty"`  // other states for a while
	Ends    *UpgradeState   `json:"ends,omitempty"`    // the state at the end
	Told    []Telling       `json:"told,omitempty"`    // how its messages are told
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

// Remark is a message that no script has, told as it stands.
type Remark struct {
	At       Moment          `json:"at"`                 // without a code: after the start of the upgrade
	Message  json.RawMessage `json:"message"`            // {when} in it is its time; one without the key gets it
	Timeless bool            `json:"timeless,omitempty"` // it has no when at all
}

// Notes are so many messages, evenly over a time.
type Notes struct {
	Count int      `json:"count"`
	From  Moment   `json:"from"` // without a code: after the start of the upgrade
	For   Duration `json:"for"`
}

// StateSpell is another state for a while.
type StateSpell struct {
	Window
	UpgradeState
}

// Telling is how the site tells the messages of an upgrade for a while; what is
// true of the upgrade stays as it is. Of two at a time each does its part.
type Telling struct {
	Window
	Repeats  int  `json:"repeats,omitempty"`  // every so many-th message is told twice
	Shuffled bool `json:"shuffled,omitempty"` // in another order whenever there is a new one
	Newest   int  `json:"newest,omitempty"`   // only so many
	Forgets  bool `json:"forgets,omitempty"`  // those before From are not told any more
}

// forever is how long an upgrade runs that never ends.
const forever = 100 * 365 * 24 * time.Hour

func (c Course) check() error {
	if c.Fail != nil && (c.Fail.After <= 0 || c.Fail.Nth < 0) {
		return fmt.Errorf("fail: after is %d and nth is %d; a code and a count are wanted", c.Fail.After, c.Fail.Nth)
	}
	if c.Ends != nil && c.Ends.State == "" {
		return fmt.Errorf("ends.state: a word is wanted")
	}
	checks := []func() error{c.checkLength, c.checkStall, c.checkRemarks, c.checkNotes, c.checkSpells, c.checkTold}
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c Course) checkLength() error {
	if c.Lasts.Duration < 0 || c.Lasts.Duration > 30*24*time.Hour {
		return fmt.Errorf("lasts: %s is not between nothing and 30 days", c.Lasts)
	}
	if c.Lasts.Duration > 0 && c.moving() <= 0 {
		return fmt.Errorf("lasts: %s is not longer than the stall of %s", c.Lasts, c.Stall.For)
	}
	return nil
}

// moving is how long the upgrade lasts without its stall; zero or less where that
// is left to the script.
func (c Course) moving() time.Duration {
	if c.Stall == nil {
		return c.Lasts.Duration
	}
	return c.Lasts.Duration - c.Stall.For.Duration
}

func (c Course) checkStall() error {
	if c.Stall == nil {
		return nil
	}
	if c.Stall.After.Code == 0 || c.Stall.After.Plus.Duration != 0 {
		return fmt.Errorf("stall.after: the code of a message is wanted, and no plus")
	}
	if err := c.Stall.After.check(); err != nil {
		return fmt.Errorf("stall.after.%w", err)
	}
	return upToAYear("stall.for", c.Stall.For)
}

func (c Course) checkRemarks() error {
	for i, r := range c.Also {
		if err := r.At.check(); err != nil {
			return fmt.Errorf("also[%d].at.%w", i, err)
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(r.Message, &members) != nil {
			return fmt.Errorf("also[%d].message: an object is wanted", i)
		}
	}
	return nil
}

func (c Course) checkNotes() error {
	if c.Notes == nil {
		return nil
	}
	if err := c.Notes.From.check(); err != nil {
		return fmt.Errorf("notes.from.%w", err)
	}
	if c.Notes.For.Duration == 0 {
		return fmt.Errorf("notes.for: over which time they come has to be said")
	}
	if err := upToAYear("notes.for", c.Notes.For); err != nil {
		return err
	}
	return inRange("notes.count", c.Notes.Count, 1, 1_000_000)
}

func (c Course) checkSpells() error {
	for i, s := range c.States {
		if err := s.Window.check(); err != nil {
			return fmt.Errorf("states[%d].%w", i, err)
		}
		if s.State == "" {
			return fmt.Errorf("states[%d].state: a word is wanted", i)
		}
	}
	return nil
}

func (c Course) checkTold() error {
	for i, t := range c.Told {
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
