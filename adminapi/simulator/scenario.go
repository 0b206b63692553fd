package simulator

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"sigs.k8s.io/yaml"
)

// Scenario is a world and what happens in it, as data.
type Scenario struct {
	Name        string `json:"name"`
	Description string `json:"description"`

	Version            string           `json:"version,omitempty"`      // of the site, 10.9 to 12.1; default 11.5.0.6745
	ContractOnly       string           `json:"contractOnly,omitempty"` // nothing else is there: post, or get, where the log of upgrades is read by GET too
	Seed               int64            `json:"seed,omitempty"`
	Components         []ComponentState `json:"components,omitempty"` // those that are not well
	ReadOnly           bool             `json:"readOnly,omitempty"`
	ReadOnlyMessage    string           `json:"readOnlyMessage,omitempty"`
	Users              []UserSpec       `json:"users,omitempty"`          // besides those that every world has
	Services           int              `json:"services,omitempty"`       // how many, eight at least; default 40
	Reports            *int             `json:"reports,omitempty"`        // how many earlier ones; default 12
	Tests              int              `json:"tests,omitempty"`          // in each suite; default the platform's own
	Latency            Duration         `json:"latency,omitzero"`         // before every answer, on the world's clock
	TokenLife          Duration         `json:"tokenLife,omitzero"`       // the longest a token lives, wall time
	ClockAhead         Duration         `json:"clockAhead,omitzero"`      // how far the site's clock is off, also for its tokens; less than nothing: behind
	ReportLinks        string           `json:"reportLinks,omitempty"`    // of runs that are awaited: path (default), or portion, what follows healthCheck/
	PartialReports     bool             `json:"partialReports,omitempty"` // a running check shows its report so far; sites do that at the end
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

func (c ComponentState) check() error {
	if !isComponent(c.Name) {
		return fmt.Errorf("name: there is no component %q", c.Name)
	}
	return oneOf("state", c.State, stopped, degraded, strained)
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

// MarshalJSON writes it such as "1m30s".
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// YAML writes a scenario as [ReadScenario] reads it.
func (s Scenario) YAML() ([]byte, error) { return yaml.Marshal(s) }

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
	return s, s.check()
}

// The backups that a site has.
const (
	backupsRecent     = "recent"
	backupsNone       = "none"
	backupsOld        = "old"
	backupsUnreadable = "unreadable"
)

// orDefault replaces the zero scenario and checks any other.
func (s Scenario) orDefault() (Scenario, error) {
	if reflect.ValueOf(s).IsZero() {
		s, _ = BuiltIn(defaultScenario)
	}
	return s, s.check()
}

// siteVersion is the version of the site; check has seen that it is one.
func (s Scenario) siteVersion() version {
	v, _ := parseVersion(cmp.Or(s.Version, defaultVersion))
	return v
}

func (s Scenario) check() error {
	checks := []error{
		s.checkVersion(),
		inRange("services", s.Services, 0, 100_000),
		inRange("tests", s.Tests, 0, 1_000_000),
		checkEach("components", s.Components),
		s.checkUsers(),
		notNegative("latency", s.Latency.Duration),
		notNegative("tokenLife", s.TokenLife.Duration),
		checkEach("faults", s.Faults),
		checkEach("events", s.Events),
		below("upgrades", s.Upgrades.check(s.siteVersion())),
		below("editing", s.Editing.check()),
		below("placement", s.Placement.check()),
		oneOf("contractOnly", cmp.Or(s.ContractOnly, contractByPost), contractByPost, contractByGet),
		oneOf("reportLinks", cmp.Or(s.ReportLinks, linkPath), linkPath, linkPortion),
		oneOf("backups", cmp.Or(s.Backups, backupsRecent), backupsRecent, backupsNone, backupsOld, backupsUnreadable),
	}
	if strings.TrimSpace(s.Name) == "" {
		checks = append(checks, errors.New("name: a scenario needs one"))
	}
	if s.Reports != nil {
		checks = append(checks, inRange("reports", *s.Reports, 0, 10_000))
	}
	if s.ClockAhead.Abs() > year {
		checks = append(checks, fmt.Errorf("clockAhead: %s is more than a year", s.ClockAhead))
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
	if v.before("10.9") || !v.before("12.1.1") {
		return fmt.Errorf("version: %s is not between 10.9 and 12.1", s.Version)
	}
	return nil
}

func (s Scenario) checkUsers() error {
	taken := slices.Clone(defaultUsers)
	for i, u := range s.Users {
		if u.Username == "" || slices.ContainsFunc(taken, func(other UserSpec) bool { return other.Username == u.Username }) {
			return fmt.Errorf("users[%d].username: %q is empty or taken", i, u.Username)
		}
		taken = append(taken, u)
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

func notNegative[T int | time.Duration](key string, n T) error {
	if n < 0 {
		return fmt.Errorf("%s: %v is less than nothing", key, n)
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

// checkGiven checks what a scenario need not have.
func checkGiven[T interface{ check() error }](key string, given *T) error {
	if given == nil {
		return nil
	}
	return below(key, (*given).check())
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

// checkNamed looks for the services that the scenario names.
func (a *services) checkNamed() error {
	s := a.scenario
	named := slices.Concat(s.Editing.Stopped, slices.Collect(maps.Keys(s.Editing.Broken)), slices.Collect(maps.Keys(s.Editing.Definitions)),
		slices.Collect(maps.Keys(s.Placement.Policies)))
	if s.Editing.Other != nil && s.Editing.Other.Service != "" {
		named = append(named, s.Editing.Other.Service)
	}
	if s.Placement.Other != nil && s.Placement.Other.Service != "" {
		named = append(named, s.Placement.Other.Service)
	}
	for _, path := range named {
		if a.byPath[path] == nil {
			return fmt.Errorf("scenario %q: there is no service %q", s.Name, path)
		}
	}
	return nil
}

// hostileTails attack a terminal: they erase it, write its clipboard and title, move
// the cursor, turn the text around.
var hostileTails = []string{
	"\x1b[2J\x1b[H owned",
	"\x1b]52;c;ZXZpbA==\x07 clipboard",
	"\x1b]0;title\x07 title",
	"\u202egnorw\u202c bidi",
	"line one\nline two\ttabbed\r overwritten",
	"\u009b31m c1 \u0085 nel",
	"<script>alert(1)</script> & \"quotes\"",
	"wide 日本語 combining e\u0301\u0301\u0301 zero\u200bwidth",
}

// hostile adds the n-th attack to a text.
func hostile(text string, n int) string {
	return text + " " + hostileTails[n%len(hostileTails)]
}

// hostileMessageTails are further attacks, for messages of an upgrade.
var hostileMessageTails = sync.OnceValue(func() []string {
	return []string{
		"\xff\xfe broken \xc3\x28 UTF-8 \xf0\x9f",
		"\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\ \x1bP$q q\x1b\\ \x1b_apc\x1b\\",
		"\x1b[?1049h\x1b[?1000h\x1b[6n\x1b[c\x1b[>q modes and questions",
		"emoji 👩🏽‍🚒🏳️‍🌈🇩🇪 and a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307 marks",
		"\u2066isolated\u2069 \u200e\u200f\u061c marks \ufeff\u00ad\u2028\u2029 breaks",
		"\x00\x01\x08\x08\x08\x0b\x0c\x7f controls",
		strings.Repeat("\n", 500) + "many lines",
		strings.Repeat("a huge line ", 20_000),
		strings.Repeat("\u202e", 1000) + strings.Repeat("x\u0301", 1000),
		`{"stores":{"a":{"status":"` + "\x1b[2J" + `","fromVersion":[],"toVersion":{}}},"deep":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`,
	}
})

// hostileMessage adds an attack to the n-th message of an upgrade.
func hostileMessage(text string, n int) string {
	tails := hostileMessageTails()
	if n %= len(hostileTails) + len(tails); n >= len(hostileTails) {
		return text + " " + tails[n-len(hostileTails)]
	}
	return hostile(text, n)
}
