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

// Scenario is a world and what happens to it, as data.
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
	Message string `json:"message,omitempty"` // what its tests say; default a sentence of the simulator
}

// UserSpec is one more user. The password follows from the seed.
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
		checkEach("faults", s.Faults),
		checkEach("events", s.Events),
		below("upgrades", s.Upgrades.check(s.siteVersion())),
		below("editing", s.Editing.check()),
		below("placement", s.Placement.check()),
		oneOf("backups", cmp.Or(s.Backups, backupsRecent), backupsRecent, backupsNone, backupsOld, backupsUnreadable),
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
		if err := oneOf("state", c.State, stopped, degraded, strained); err != nil {
			return fmt.Errorf("components[%d].%w", i, err)
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
			if err := oneOf("privileges", p, allPrivileges...); err != nil {
				return fmt.Errorf("users[%d].%w", i, err)
			}
		}
	}
	return nil
}

func inRange(key string, n, lowest, highest int) error {
	if n < lowest || n > highest {
		return fmt.Errorf("%s: %d is not between %d and %d", key, n, lowest, highest)
	}
	return nil
}

func notNegative(key string, d Duration) error {
	if d.Duration < 0 {
		return fmt.Errorf("%s: %s is less than nothing", key, d)
	}
	return nil
}

func countFrom0(key string, n int) error {
	if n < 0 {
		return fmt.Errorf("%s: %d is less than nothing", key, n)
	}
	return nil
}

func oneOf(key, value string, allowed ...string) error {
	if !slices.Contains(allowed, value) {
		return fmt.Errorf("%s: %q is none of %s", key, value, strings.Join(allowed, ", "))
	}
	return nil
}

// below puts the key that an error is below in front of it.
func below(key string, err error) error {
	if err != nil {
		return fmt.Errorf("%s.%w", key, err)
	}
	return nil
}

// checkEach returns what is wrong with the first bad element of a list.
func checkEach[T interface{ check() error }](key string, list []T) error {
	for i, element := range list {
		if err := element.check(); err != nil {
			return fmt.Errorf("%s[%d].%w", key, i, err)
		}
	}
	return nil
}

// What backups there are.
const (
	backupsRecent     = "recent"
	backupsNone       = "none"
	backupsOld        = "old"
	backupsUnreadable = "unreadable"
)

// ServicePlan is what a scenario says of services and of their editing.
type ServicePlan struct {
	Edits       []EditPlan        `json:"edits,omitempty"`       // how edits end; the first plan that is about an edit counts
	Keeps       string            `json:"keeps,omitempty"`       // what the site stores of an edit: everything (default), known members, rounded numbers
	Other       *OtherEdit        `json:"else,omitempty"`        // an edit by another user
	Restart     Duration          `json:"restart,omitzero"`      // of a service after an edit; default 10s
	Lines       int               `json:"lines,omitempty"`       // how long the definition of SampleWorldCities is at least
	Stopped     []string          `json:"stopped,omitempty"`     // paths of services that are stopped
	Broken      map[string]string `json:"broken,omitempty"`      // path of a service that cannot start: why
	Definitions map[string]string `json:"definitions,omitempty"` // path of a service: its definition, whatever it is
}

// What a site stores of an edit.
const (
	keepsEverything = "everything"
	keepsKnown      = "known"   // members that it does not know are dropped
	keepsRounded    = "rounded" // numbers are written anew: 1.0 as 1, large ones as the nearest that a double holds
)

func (p ServicePlan) check() error {
	return cmp.Or(
		oneOf("keeps", cmp.Or(p.Keeps, keepsEverything), keepsEverything, keepsKnown, keepsRounded),
		checkEach("edits", p.Edits),
		notNegative("restart", p.Restart),
		inRange("lines", p.Lines, 0, 1_000_000),
		below("else", p.Other.check()),
	)
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

func (e EditPlan) check() error {
	return cmp.Or(checkEnds(e.Ends), countFrom0("after", e.After), countFrom0("times", e.Times), notNegative("takes", e.Takes))
}

// checkEnds checks how an edit ends.
func checkEnds(status string) error {
	return oneOf("ends", cmp.Or(status, jobCompleted), jobCompleted, jobFailed, jobCancelled, jobTimedOut)
}

// OtherEdit is an edit that another user makes right after the definition of a
// service was read: a client that reads it once more sees the edit, and one that
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

func (e *OtherEdit) check() error {
	if e == nil {
		return nil
	}
	if len(e.Set) == 0 {
		return errors.New("set: nothing is changed")
	}
	for i, set := range e.Set {
		if at := jsontext.Pointer(set.At); at == "" || !at.IsValid() {
			return fmt.Errorf("set[%d].at: %q is no JSON pointer to a part of a definition", i, set.At)
		}
	}
	return cmp.Or(countFrom0("reads", e.Reads), countFrom0("times", e.Times))
}

// PlacementPlan is what a scenario says of where pods run and of the editing of it.
type PlacementPlan struct {
	Policies map[string]string `json:"policies,omitempty"` // path of a service: the podPlacementPolicy of its deployment
	Refused  string            `json:"refused,omitempty"`  // why every edit is refused
	Answer   string            `json:"answer,omitempty"`   // whatever the request wants: success, or a job named by jobID or by jobid
	Ends     string            `json:"ends,omitempty"`     // of edits: COMPLETED (default), FAILED, CANCELLED, TIMED OUT
	Message  string            `json:"message,omitempty"`  // why, where they do not end well
	Takes    Duration          `json:"takes,omitzero"`     // an edit; default 3s
	PodStart Duration          `json:"podStart,omitzero"`  // of each pod, one after the other; default 8s
	Other    *OtherPlacement   `json:"else,omitempty"`     // an edit by another user
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
		notNegative("takes", p.Takes),
		notNegative("podStart", p.PodStart),
		below("else", p.Other.check()),
	)
}

// OtherPlacement is an edit of where pods run that another user makes, once, right
// after the policy of a service was read.
type OtherPlacement struct {
	Service string `json:"service,omitempty"` // path; default SampleWorldCities.MapServer
	User    string `json:"user,omitempty"`    // default publisher
	Reads   int    `json:"reads,omitempty"`   // after so many reads; default 1
	Rules   string `json:"rules"`             // the podPlacementPolicy that its own deployment gets
}

func (e *OtherPlacement) check() error {
	if e == nil {
		return nil
	}
	if !isObject(e.Rules) {
		return errors.New("rules: that is no JSON object")
	}
	return countFrom0("reads", e.Reads)
}

func isObject(text string) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &members) == nil && members != nil
}

// checkNamed looks for the services that the scenario names.
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
	if p.Other != nil && p.Other.Service != "" {
		named = append(named, p.Other.Service)
	}
	if e := a.world.scenario.Placement.Other; e != nil && e.Service != "" {
		named = append(named, e.Service)
	}
	for _, path := range named {
		if a.byPath[path] == nil {
			return fmt.Errorf("scenario %q: there is no service %q", a.world.scenario.Name, path)
		}
	}
	return nil
}
