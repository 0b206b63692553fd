package simulator

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// ServicePlan is what a scenario says of services and of their edits.
type ServicePlan struct {
	Edits       []EditPlan        `json:"edits,omitempty"`       // how edits end; the first plan that is about an edit counts
	Keeps       string            `json:"keeps,omitempty"`       // what the site stores of an edit: everything (default), known members, rounded numbers
	Other       *OtherEdit        `json:"else,omitempty"`        // an edit by another user
	Restart     Duration          `json:"restart,omitzero"`      // of a service after an edit; default 10s
	Lines       int               `json:"lines,omitempty"`       // how long the definition of SampleWorldCities is at least
	Stopped     []string          `json:"stopped,omitempty"`     // paths of services that are stopped
	Broken      map[string]string `json:"broken,omitempty"`      // path of a service that cannot start: why
	Definitions map[string]string `json:"definitions,omitempty"` // path of a service: its definition, valid or not
}

// What a site stores of an edit.
const (
	keepsEverything = "everything"
	keepsKnown      = "known"   // members that it does not know are dropped
	keepsRounded    = "rounded" // numbers are rewritten: 1.0 as 1, large ones as the nearest that a double holds
)

func (p ServicePlan) check() error {
	return cmp.Or(
		oneOf("keeps", cmp.Or(p.Keeps, keepsEverything), keepsEverything, keepsKnown, keepsRounded),
		checkEach("edits", p.Edits),
		notNegative("restart", p.Restart.Duration),
		inRange("lines", p.Lines, 0, 1_000_000),
		checkGiven("else", p.Other),
	)
}

// EditPlan is how edits end.
type EditPlan struct {
	After   int      `json:"after,omitempty"`   // so many edits pass first
	Times   int      `json:"times,omitempty"`   // so many it is about; 0 means all from then on
	Ends    string   `json:"ends,omitempty"`    // COMPLETED (default), FAILED, CANCELLED, TIMED OUT
	Takes   Duration `json:"takes,omitzero"`    // default 6s
	Message string   `json:"message,omitempty"` // why, where it does not end well
	Applied bool     `json:"applied,omitempty"` // the definition is replaced even if it fails
}

func (e EditPlan) check() error {
	return cmp.Or(checkEnds(e.Ends), notNegative("after", e.After), notNegative("times", e.Times), notNegative("takes", e.Takes.Duration))
}

// checkEnds checks how an edit ends.
func checkEnds(status string) error {
	return oneOf("ends", cmp.Or(status, jobCompleted), jobCompleted, jobFailed, jobCancelled, jobTimedOut)
}

// completes reports whether an edit that ends so has succeeded.
func completes(status string) bool { return status == "" || status == jobCompleted }

// OtherEdit is an edit that another user makes right after the definition of a
// service was fetched: a client that fetches it again sees the edit, and one that
// does not overwrites it.
type OtherEdit struct {
	Service string    `json:"service,omitempty"` // path; default SampleWorldCities.MapServer
	User    string    `json:"user,omitempty"`    // default publisher
	Reads   int       `json:"reads,omitempty"`   // after so many reads; default 1
	Times   int       `json:"times,omitempty"`   // so often, each after so many reads; default 1
	Set     []Setting `json:"set"`
}

// Setting replaces one value of a definition, or removes a member.
type Setting struct {
	At    string          `json:"at"`              // a JSON pointer, such as /properties/maxRecordCount
	Value json.RawMessage `json:"value,omitempty"` // missing: the member is removed
}

func (e OtherEdit) check() error {
	if len(e.Set) == 0 {
		return errors.New("set: nothing is changed")
	}
	for i, set := range e.Set {
		if at := jsontext.Pointer(set.At); at == "" || !at.IsValid() {
			return fmt.Errorf("set[%d].at: %q is no JSON pointer to a part of a definition", i, set.At)
		}
	}
	return cmp.Or(notNegative("reads", e.Reads), notNegative("times", e.Times))
}

// PlacementPlan is what a scenario says of where pods run, and of edits of it.
type PlacementPlan struct {
	Policies map[string]string `json:"policies,omitempty"` // path of a service: the podPlacementPolicy of its deployment
	Refused  string            `json:"refused,omitempty"`  // why every edit is refused
	Answer   string            `json:"answer,omitempty"`   // whether or not the request is asynchronous: success, or a job named by jobID or by jobid
	Ends     string            `json:"ends,omitempty"`     // of edits: COMPLETED (default), FAILED, CANCELLED, TIMED OUT
	Message  string            `json:"message,omitempty"`  // why, where they do not end well
	Takes    Duration          `json:"takes,omitzero"`     // an edit; default 3s
	PodStart Duration          `json:"podStart,omitzero"`  // of each pod, one after the other; default 8s
	Other    *OtherPlacement   `json:"else,omitempty"`     // an edit by another user
	// EmptyPools are the pools of nodes.yaml that have none before pods wait for one. Karpenter makes all nodes
	// where there is such a pool.
	EmptyPools []string `json:"emptyPools,omitempty"`
}

// How an edit of a placement is answered.
const (
	answerSuccess = "success"
	answerJobID   = "jobID" // as other edits of services are
	answerJobid   = "jobid" // as health checks are
)

func (p PlacementPlan) check() error {
	for path, text := range p.Policies {
		if !isObject(text) {
			return fmt.Errorf("policies: that of %s is no JSON object", path)
		}
	}
	return cmp.Or(
		oneOf("answer", cmp.Or(p.Answer, answerSuccess), answerSuccess, answerJobID, answerJobid),
		checkEnds(p.Ends),
		notNegative("takes", p.Takes.Duration),
		notNegative("podStart", p.PodStart.Duration),
		checkGiven("else", p.Other),
	)
}

// OtherPlacement is an edit of where pods run that another user makes, once, right
// after the policy of a service was fetched.
type OtherPlacement struct {
	Service string `json:"service,omitempty"` // path; default SampleWorldCities.MapServer
	User    string `json:"user,omitempty"`    // default publisher
	Reads   int    `json:"reads,omitempty"`   // after so many reads; default 1
	Rules   string `json:"rules"`             // the podPlacementPolicy that its own deployment gets
}

func (e OtherPlacement) check() error {
	if !isObject(e.Rules) {
		return errors.New("rules: that is no JSON object")
	}
	return notNegative("reads", e.Reads)
}

func isObject(text string) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &members) == nil && members != nil
}

// UpgradePlan is what a scenario says of upgrades.
type UpgradePlan struct {
	Offer               string            `json:"offer,omitempty"`               // fitting (default), none, all
	Mandatory           []string          `json:"mandatory,omitempty"`           // ids of patches that releases wait for
	Patches             int               `json:"patches,omitempty"`             // so many more after the last one of the site's release
	Entries             []json.RawMessage `json:"entries,omitempty"`             // added unchanged to what is offered; none can be installed
	Licence             string            `json:"licence,omitempty"`             // the version that licences must name; default the target's
	SettingsChangeAfter int               `json:"settingsChangeAfter,omitempty"` // reads after which a form asks for more
	Rollback            string            `json:"rollback,omitempty"`            // what a listed id means: toward (default) it, removes it, beyond (listed as toward, and removed)
	Past                string            `json:"past,omitempty"`                // id of the update that made the site what it is, a day ago
	Other               *OtherUpgrade     `json:"else,omitempty"`                // an upgrade by another user
	ScriptChanges
}

func (p UpgradePlan) check(site version) error {
	known := updateCatalogue()
	for i, id := range p.Mandatory {
		if u := updateOf(known, id); u == nil || u.isRelease() {
			return fmt.Errorf("mandatory[%d]: there is no patch %q", i, id)
		}
	}
	if _, err := parseVersion(p.Licence); p.Licence != "" && err != nil {
		return fmt.Errorf("licence: %w", err)
	}
	if u := updateOf(known, p.Past); p.Past != "" && (u == nil || u.full() != site) {
		return fmt.Errorf("past: no update %q makes a site of %s", p.Past, site)
	}
	return cmp.Or(
		oneOf("offer", cmp.Or(p.Offer, offerFitting), offerFitting, offerNone, offerAll),
		oneOf("rollback", cmp.Or(p.Rollback, rollbackToward), rollbackToward, rollbackRemoves, rollbackBeyond),
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
	When string   `json:"when"`           // running, settings (once they were fetched), submit (right before one is accepted)
	Ago  Duration `json:"ago,omitzero"`   // of a running one: since when
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
	if u := updateOf(known, e.ID); u == nil || u.PreviousVersion != site.release() {
		return fmt.Errorf("id: there is no update %q for %s", e.ID, site)
	}
	return cmp.Or(oneOf("when", e.When, otherRunning, otherAfterSettings, otherAtSubmit), notNegative("ago", e.Ago.Duration))
}

// ScriptChanges is what a scenario changes of the script of the first upgrade in a
// world, and of how the site shows its messages. Later upgrades go as usual.
type ScriptChanges struct {
	Fail       *UpgradeFailure `json:"fail,omitempty"`    // how it fails
	Lasts      Duration        `json:"lasts,omitzero"`    // from the first message to the last; default what the script takes
	Stall      *Stall          `json:"stall,omitempty"`   // where it is silent for a while
	Also       []ExtraMessage  `json:"also,omitempty"`    // messages that its script does not have
	Notes      *Notes          `json:"notes,omitempty"`   // many more messages
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
		checkGiven("stall", c.Stall),
		checkEach("also", c.Also),
		checkGiven("notes", c.Notes),
		checkEach("states", c.States),
		checkEach("told", c.Deliveries),
	)
}

// moving is how long the upgrade lasts without its stall; zero or less where the
// script decides.
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
	For   Duration `json:"for,omitzero"` // default for good
}

// forever is how long an upgrade runs that never ends.
const forever = 100 * year

func (s Stall) check() error {
	if s.After.Code == 0 || s.After.Plus.Duration != 0 {
		return errors.New("after: the code of a message is wanted, and no plus")
	}
	return cmp.Or(below("after", s.After.check()), upToAYear("for", s.For))
}

// ExtraMessage is a message that no script has, shown unchanged.
type ExtraMessage struct {
	At       Moment          `json:"at"`                 // without a code: after the start of the upgrade
	Message  json.RawMessage `json:"message"`            // {when} in it is its time, which is added where the key is missing
	Timeless bool            `json:"timeless,omitempty"` // it has no when at all
}

func (m ExtraMessage) check() error {
	if !isObject(string(m.Message)) {
		return errors.New("message: an object is wanted")
	}
	return below("at", m.At.check())
}

// Notes are many messages, spread evenly over a time.
type Notes struct {
	Count int      `json:"count"`
	From  Moment   `json:"from"` // without a code: after the start of the upgrade
	For   Duration `json:"for"`
}

func (n Notes) check() error {
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
// upgrade itself is not affected. Two at the same time both apply.
type Delivery struct {
	Window
	Repeats  int  `json:"repeats,omitempty"`  // n: every n-th message comes twice
	Shuffled bool `json:"shuffled,omitempty"` // in another order whenever there is a new one
	Newest   int  `json:"newest,omitempty"`   // n: only the last n
	Forgets  bool `json:"forgets,omitempty"`  // those before From are no longer shown
}

func (d Delivery) check() error {
	switch {
	case d.Forgets && d.From == nil:
		return errors.New("from: what is forgotten has to be said")
	case d.Repeats == 0 && d.Newest == 0 && !d.Shuffled && !d.Forgets:
		return errors.New("repeats: nothing is told in another way")
	}
	return cmp.Or(d.Window.check(), notNegative("repeats", d.Repeats), notNegative("newest", d.Newest))
}
