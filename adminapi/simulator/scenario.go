package simulator

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"sigs.k8s.io/yaml"
)

// What a scenario says of backups.
const (
	backupsRecent     = "recent"
	backupsNone       = "none"
	backupsOld        = "old"
	backupsUnreadable = "unreadable"
)

func (s Scenario) checkBackups() error {
	kinds := []string{"", backupsRecent, backupsNone, backupsOld, backupsUnreadable}
	if !slices.Contains(kinds, s.Backups) {
		return fmt.Errorf("backups: %q is none of %s", s.Backups, strings.Join(kinds[1:], ", "))
	}
	return nil
}

// ElsesPlacement is an edit of where pods run that somebody else makes, once, right
// after the policy of a service was read.
type OtherPlacement struct {
	Service string `json:"service,omitempty"` // path; default SampleWorldCities.MapServer
	User    string `json:"user,omitempty"`    // default publisher
	Reads   int    `json:"reads,omitempty"`   // after so many readings; default 1
	Rules   string `json:"rules"`             // the podPlacementPolicy that its own deployment gets
}

func (e *OtherPlacement) check() error {
	switch {
	case e == nil:
		return nil
	case e.Reads < 0:
		return fmt.Errorf("placement.else.reads: %d is less than nothing", e.Reads)
	case !isObject(e.Rules):
		return fmt.Errorf("placement.else.rules: that is no JSON object")
	}
	return nil
}

// Scenario is a world and what will happen to it, as data.
type Scenario struct {
	Name        string `json:"name"`
	Description string `json:"description"`

	Version            string           `json:"version,omitempty"` // of the site, 10.9 to 12.0; default 11.5.0.6745
	Seed               int64            `json:"seed,omitempty"`
	Components         []ComponentState `json:"components,omitempty"` // those that are not well
	ReadOnly           bool             `json:"readOnly,omitempty"`
	ReadOnlyMessage    string           `json:"readOnlyMessage,omitempty"`
	Users              []UserSpec       `json:"users,omitempty"`          // beside the five that every world has
	Services           int              `json:"services,omitempty"`       // how many, eight at least; default 40
	Reports            *int             `json:"reports,omitempty"`        // how many earlier ones; default 12
	Tests              int              `json:"tests,omitempty"`          // in each suite; default the platform's own
	Latency            Duration         `json:"latency,omitempty"`        // before every answer, on the world's clock
	TokenLife          Duration         `json:"tokenLife,omitempty"`      // the longest a token lives, wall time
	ClockAhead         Duration         `json:"clockAhead,omitempty"`     // how far the site's clock is off, also for its tokens; less than nothing: behind
	PartialReports     bool             `json:"partialReports,omitempty"` // a running check shows its report so far
	HostileText        bool             `json:"hostileText,omitempty"`    // names that attack a terminal
	Upgrades           UpgradePlan      `json:"upgrades,omitzero"`
	Editing            ServicePlan      `json:"editing,omitzero"`             // of services
	Placement          PlacementPlan    `json:"placement,omitzero"`           // of pods
	Backups            string           `json:"backups,omitempty"`            // recent (default), none, old, unreadable
	UploadExtensions   []string         `json:"uploadExtensions,omitempty"`   // of files that uploads take; default the usual ones and json
	UncommittedUploads bool             `json:"uncommittedUploads,omitempty"` // what is uploaded never gets committed
	Faults             []Fault          `json:"faults,omitempty"`
	Events             []Event          `json:"events,omitempty"`
}

// ComponentState is a component that is not well from the start.
type ComponentState struct {
	Name    string `json:"name"`
	State   string `json:"state"`             // stopped, degraded, strained
	Message string `json:"message,omitempty"` // what its tests say; default a sentence of ours
}

// UserSpec is somebody more who can sign in. The password follows from the seed.
type UserSpec struct {
	Username   string   `json:"username"`
	FullName   string   `json:"fullName,omitempty"`
	Role       string   `json:"role,omitempty"`
	Privileges []string `json:"privileges,omitempty"`
}

// Duration is a time span, written such as 1m30s.
type Duration struct{ time.Duration }

// UnmarshalJSON reads a span such as "200ms".
func (d *Duration) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("a duration is written such as 200ms, not %s", text)
	}
	span, err := time.ParseDuration(s)
	if err != nil {
		return err
	}
	d.Duration = span
	return nil
}

//go:embed scenarios/*.yaml
var scenarioFiles embed.FS

const (
	defaultScenario = "healthy"
	defaultVersion  = "11.5.0.6745"
)

// BuiltIn returns a scenario that ships with the program.
func BuiltIn(name string) (Scenario, bool) {
	if name != path.Base(name) {
		return Scenario{}, false
	}
	text, err := scenarioFiles.ReadFile("scenarios/" + name + ".yaml")
	if err != nil {
		return Scenario{}, false
	}
	s, err := ReadScenario(text)
	return s, err == nil
}

// ScenarioNames lists the scenarios that ship with the program, healthy first.
func ScenarioNames() []string {
	files, _ := scenarioFiles.ReadDir("scenarios")
	names := []string{defaultScenario}
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), ".yaml"); name != defaultScenario {
			names = append(names, name)
		}
	}
	return names
}

// FeaturedScenarios lists the scenarios that a person would open first, the ones
// without trouble at the top.
func FeaturedScenarios() []string {
	return []string{
		defaultScenario, "degraded",
		"running-patch", "running-release", "running-release-fails", "upgrade-stalls-for-good",
		"sign-in-ends-midway", "eight-hours", "answer-lost-silent",
		"edit-slow", "edit-elses", "no-node",
	}
}

// ReadScenario reads a scenario from YAML. Unknown keys and impossible values
// are errors that name the key.
func ReadScenario(text []byte) (Scenario, error) {
	var s Scenario
	if err := yaml.UnmarshalStrict(text, &s); err != nil {
		return Scenario{}, fmt.Errorf("the scenario cannot be read: %w", err)
	}
	if err := s.check(); err != nil {
		return Scenario{}, err
	}
	return s, nil
}

// orDefault replaces the zero scenario and checks any other.
func (s Scenario) orDefault() (Scenario, error) {
	if reflect.ValueOf(s).IsZero() {
		healthy, ok := BuiltIn(defaultScenario)
		if !ok {
			return s, errors.New("the scenario healthy is missing")
		}
		return healthy, nil
	}
	return s, s.check()
}

// siteVersion is the version of the site; check has seen that it is one.
func (s Scenario) siteVersion() version {
	text := s.Version
	if text == "" {
		text = defaultVersion
	}
	v, _ := parseVersion(text)
	return v
}

func (s Scenario) check() error {
	checks := []error{
		s.checkVersion(),
		inRange("services", s.Services, 0, 100_000),
		inRange("tests", s.Tests, 0, 1_000_000),
		s.checkComponents(),
		s.checkUsers(),
		notNegative("latency", s.Latency),
		notNegative("tokenLife", s.TokenLife),
		s.checkClock(),
		s.checkFaults(),
		s.checkEvents(),
		s.checkUpgrades(),
		s.checkEditing(),
		s.checkPlacement(),
		s.checkBackups(),
	}
	if strings.TrimSpace(s.Name) == "" {
		checks = append(checks, errors.New("name: a scenario needs one"))
	}
	if s.Reports != nil {
		checks = append(checks, inRange("reports", *s.Reports, 0, 10_000))
	}
	if err := errors.Join(checks...); err != nil {
		return fmt.Errorf("scenario %q: %w", s.Name, err)
	}
	return nil
}

func (s Scenario) checkVersion() error {
	v, err := parseVersion(cmp.Or(s.Version, defaultVersion))
	if err != nil {
		return fmt.Errorf("version: %w", err)
	}
	if v.before("10.9") || !v.before("12.0.1") {
		return fmt.Errorf("version: %s is not between 10.9 and 12.0", s.Version)
	}
	return nil
}

func (s Scenario) checkClock() error {
	if s.ClockAhead.Abs() > year {
		return fmt.Errorf("clockAhead: %s is more than a year", s.ClockAhead)
	}
	return nil
}

func (s Scenario) checkComponents() error {
	for i, c := range s.Components {
		if !isComponent(c.Name) {
			return fmt.Errorf("components[%d].name: there is no component %q", i, c.Name)
		}
		if states := []string{stopped, degraded, strained}; !slices.Contains(states, c.State) {
			return fmt.Errorf("components[%d].state: %q is none of %s", i, c.State, strings.Join(states, ", "))
		}
	}
	return nil
}

func (s Scenario) checkUsers() error {
	taken := []string{"admin", "operator", "servers", "publisher", "viewer"}
	for i, u := range s.Users {
		if u.Username == "" || slices.Contains(taken, u.Username) {
			return fmt.Errorf("users[%d].username: %q is empty or taken", i, u.Username)
		}
		taken = append(taken, u.Username)
		for _, p := range u.Privileges {
			if !slices.Contains(allPrivileges, p) {
				return fmt.Errorf("users[%d].privileges: %q is none of %s", i, p, strings.Join(allPrivileges, ", "))
			}
		}
	}
	return nil
}

func inRange(key string, n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("%s: %d is not between %d and %d", key, n, least, most)
	}
	return nil
}

func notNegative(key string, d Duration) error {
	if d.Duration < 0 {
		return fmt.Errorf("%s: %s is less than nothing", key, d)
	}
	return nil
}

// ServicePlan is what a scenario says of services and of their editing.
type ServicePlan struct {
	Edits       []EditPlan        `json:"edits,omitempty"`       // what becomes of edits; the first one that is about an edit counts
	Keeps       string            `json:"keeps,omitempty"`       // of an edit: everything (default), known members, rounded numbers
	Else        *OtherEdit        `json:"else,omitempty"`        // one that somebody else makes
	Restart     Duration          `json:"restart,omitzero"`      // of a service after an edit; default 10s
	Lines       int               `json:"lines,omitempty"`       // how long the definition of SampleWorldCities is at least
	Stopped     []string          `json:"stopped,omitempty"`     // paths of services that are stopped
	Broken      map[string]string `json:"broken,omitempty"`      // path of a service that cannot start: why
	Definitions map[string]string `json:"definitions,omitempty"` // path of a service: its definition, whatever it is
}

// EditPlan is how edits end.
type EditPlan struct {
	After   int      `json:"after,omitempty"`   // so many edits pass before
	Times   int      `json:"times,omitempty"`   // so many are hit; 0 means all from then on
	Ends    string   `json:"ends,omitempty"`    // COMPLETED (default), FAILED, CANCELLED, TIMED OUT
	Takes   Duration `json:"takes,omitzero"`    // default 6s
	Message string   `json:"message,omitempty"` // why, where it does not end well
	Applied bool     `json:"applied,omitempty"` // the definition is replaced whatever the end
}

// ElsesEdit is an edit that somebody else makes right after the definition of a
// service was read: whoever reads again sees it, whoever does not overwrites it.
type OtherEdit struct {
	Service string    `json:"service,omitempty"` // path; default SampleWorldCities.MapServer
	User    string    `json:"user,omitempty"`    // default publisher
	Reads   int       `json:"reads,omitempty"`   // after so many readings; default 1
	Times   int       `json:"times,omitempty"`   // after so many more readings again; default 1
	Set     []Setting `json:"set"`
}

// Setting replaces one value of a definition, or takes a member out.
type Setting struct {
	At    string          `json:"at"`              // a JSON pointer, such as /properties/maxRecordCount
	Value json.RawMessage `json:"value,omitempty"` // missing: the member goes
}

// What a site keeps of an edit.
const (
	keepsEverything = "everything"
	keepsKnown      = "known"   // members that it does not know are dropped
	keepsRounded    = "rounded" // numbers are written anew: 1.0 as 1, large ones as the nearest that a double holds
)

// The ends of an edit.
var editEnds = []string{"", jobCompleted, jobFailed, jobCancelled, jobTimedOut}

func (s Scenario) checkEditing() error {
	p := s.Editing
	if kept := []string{"", keepsEverything, keepsKnown, keepsRounded}; !slices.Contains(kept, p.Keeps) {
		return fmt.Errorf("editing.keeps: %q is none of %s", p.Keeps, strings.Join(kept[1:], ", "))
	}
	for i, e := range p.Edits {
		if err := e.check(); err != nil {
			return fmt.Errorf("editing.edits[%d].%w", i, err)
		}
	}
	if err := notNegative("editing.restart", p.Restart); err != nil {
		return err
	}
	if err := inRange("editing.lines", p.Lines, 0, 1_000_000); err != nil {
		return err
	}
	if p.Else == nil {
		return nil
	}
	if err := p.Else.check(); err != nil {
		return fmt.Errorf("editing.else.%w", err)
	}
	return nil
}

func (e EditPlan) check() error {
	switch {
	case !slices.Contains(editEnds, e.Ends):
		return fmt.Errorf("ends: %q is none of %s", e.Ends, strings.Join(editEnds[1:], ", "))
	case e.After < 0:
		return fmt.Errorf("after: %d is less than nothing", e.After)
	case e.Times < 0:
		return fmt.Errorf("times: %d is less than nothing", e.Times)
	}
	return notNegative("takes", e.Takes)
}

func (e OtherEdit) check() error {
	switch {
	case len(e.Set) == 0:
		return fmt.Errorf("set: nothing is changed")
	case e.Reads < 0:
		return fmt.Errorf("reads: %d is less than nothing", e.Reads)
	case e.Times < 0:
		return fmt.Errorf("times: %d is less than nothing", e.Times)
	}
	for i, set := range e.Set {
		if at := jsontext.Pointer(set.At); at == "" || !at.IsValid() {
			return fmt.Errorf("set[%d].at: %q is no JSON pointer to a part of a definition", i, set.At)
		}
	}
	return nil
}

// checkServices looks for the services that the scenario names.
func (a *services) checkNamed() error {
	p := a.world.scenario.Editing
	named := slices.Clone(p.Stopped)
	for path := range p.Broken {
		named = append(named, path)
	}
	for path := range p.Definitions {
		named = append(named, path)
	}
	for path := range a.world.scenario.Placement.Policies {
		named = append(named, path)
	}
	if p.Else != nil && p.Else.Service != "" {
		named = append(named, p.Else.Service)
	}
	if e := a.world.scenario.Placement.Else; e != nil && e.Service != "" {
		named = append(named, e.Service)
	}
	for _, path := range named {
		if a.byPath[path] == nil {
			return fmt.Errorf("scenario %q: there is no service %q", a.world.scenario.Name, path)
		}
	}
	return nil
}

// PlacementPlan is what a scenario says of where pods run and of the editing of it.
type PlacementPlan struct {
	Policies map[string]string `json:"policies,omitempty"` // path of a service: the podPlacementPolicy of its deployment
	Refused  string            `json:"refused,omitempty"`  // why every edit is refused
	Answer   string            `json:"answer,omitempty"`   // whatever is asked for: success, or a job named by jobID or by jobid; default as asked for
	Ends     string            `json:"ends,omitempty"`     // of edits: COMPLETED (default), FAILED, CANCELLED, TIMED OUT
	Message  string            `json:"message,omitempty"`  // why, where they do not end well
	Takes    Duration          `json:"takes,omitzero"`     // an edit; default 3s
	PodStart Duration          `json:"podStart,omitzero"`  // of each pod, one after the other; default 8s
	Else     *OtherPlacement   `json:"else,omitempty"`     // an edit that somebody else makes
}

// How an edit of a placement is answered.
const (
	answerSuccess = "success"
	answerJobID   = "jobID" // as other edits of services are
	answerJobid   = "jobid" // as health checks are
)

func (s Scenario) checkPlacement() error {
	p := s.Placement
	if known := []string{"", answerSuccess, answerJobID, answerJobid}; !slices.Contains(known, p.Answer) {
		return fmt.Errorf("placement.answer: %q is none of %s", p.Answer, strings.Join(known[1:], ", "))
	}
	if !slices.Contains(editEnds, p.Ends) {
		return fmt.Errorf("placement.ends: %q is none of %s", p.Ends, strings.Join(editEnds[1:], ", "))
	}
	for path, text := range p.Policies {
		if !isObject(text) {
			return fmt.Errorf("placement.policies: that of %s is no JSON object", path)
		}
	}
	if err := notNegative("placement.takes", p.Takes); err != nil {
		return err
	}
	if err := notNegative("placement.podStart", p.PodStart); err != nil {
		return err
	}
	return p.Else.check()
}

func isObject(text string) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &members) == nil && members != nil
}
