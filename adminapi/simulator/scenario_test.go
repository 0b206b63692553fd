package simulator_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"

	"github.com/google/go-cmp/cmp"
)

func TestAScenarioIsReadWithEverythingInIt(t *testing.T) {
	t.Parallel()
	s, err := simulator.ReadScenario([]byte(`
name: night
description: A night shift.
version: 12.0.0.7286
seed: 9
readOnly: true
services: 50
reports: 0
tests: 20
latency: 20ms
tokenLife: 10m
hostileText: true
users: [{username: deputy, privileges: [Servers]}]
components: [{name: MINIO, state: strained, message: nearly full}]
faults: [{path: "admin/jobs/*", what: delay, delay: 3s, after: 1, times: 2}]
events: [{at: 1m, component: MINIO, state: stopped}, {at: 2m, readOnly: false}]
`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "night" || s.Latency.Duration != 20*time.Millisecond || *s.Reports != 0 || s.Faults[0].Delay.Duration != 3*time.Second {
		t.Errorf("%+v", s)
	}
}

func TestAWrongScenarioIsRefusedWithTheKey(t *testing.T) {
	t.Parallel()
	for yaml, key := range map[string]string{
		"description: nameless":                                                       "name",
		"name: x\ncolour: red":                                                        "colour",
		"name: x\nname: y":                                                            "name",
		"name: x\nservices: many":                                                     "services",
		"name: x\nservices: -1":                                                       "services",
		"name: x\ntests: 2000000":                                                     "tests",
		"name: x\nreports: -4":                                                        "reports",
		"name: x\nversion: eleven":                                                    "version",
		"name: x\nversion: 10.8.1":                                                    "version",
		"name: x\nversion: 12.2":                                                      "version",
		"name: x\nlatency: soon":                                                      "soon",
		"name: x\nlatency: 5":                                                         "5",
		"name: x\nlatency: -1s":                                                       "latency",
		"name: x\nclockAhead: 9000h":                                                  "clockAhead",
		"name: x\ntokenLife: -1s":                                                     "tokenLife",
		"name: [":                                                                     "yaml",
		"name: x\ncomponents: [{name: NOPE, state: stopped}]":                         "components[0].name",
		"name: x\ncomponents: [{name: MINIO, state: tired}]":                          "components[0].state",
		"name: x\nusers: [{username: admin}]":                                         "users[0].username",
		"name: x\nusers: [{username: a}, {username: a}]":                              "users[1].username",
		"name: x\nusers: [{username: a, privileges: [Everything]}]":                   "users[0].privileges",
		"name: x\nplacement: {answer: perhaps}":                                       "placement.answer",
		"name: x\nplacement: {ends: WELL}":                                            "placement.ends",
		"name: x\nplacement: {takes: -1s}":                                            "placement.takes",
		"name: x\nplacement: {podStart: -1s}":                                         "placement.podStart",
		"name: x\nplacement: {policies: {A.MapServer: '['}}":                          "placement.policies",
		"name: x\nplacement: {else: {rules: '[]'}}":                                   "placement.else.rules",
		"name: x\nplacement: {else: {reads: -1, rules: '{}'}}":                        "placement.else.reads",
		"name: x\nfaults: [{what: empty}]":                                            "faults[0].path",
		"name: x\nfaults: [{path: '[', what: empty}]":                                 "faults[0].path",
		"name: x\nfaults: [{path: admin, what: empty, method: PUT}]":                  "faults[0].method",
		"name: x\nfaults: [{path: admin, what: explode}]":                             "faults[0].what",
		"name: x\nfaults: [{path: admin, what: empty, after: -1}]":                    "faults[0].after",
		"name: x\nfaults: [{path: admin, what: empty, times: -1}]":                    "faults[0].times",
		"name: x\nfaults: [{path: admin, what: status, status: 99}]":                  "faults[0].status",
		"name: x\nfaults: [{path: admin, what: delay}]":                               "faults[0].delay",
		"name: x\nupgrades: {offer: some}":                                            "upgrades.offer",
		"name: x\nupgrades: {mandatory: [rel_11122025_7286]}":                         "upgrades.mandatory[0]",
		"name: x\nupgrades: {licence: new}":                                           "upgrades.licence",
		"name: x\nupgrades: {settingsChangeAfter: -1}":                                "upgrades.settingsChangeAfter",
		"name: x\nupgrades: {past: pat_04122025_6835}":                                "upgrades.past",
		"name: x\nupgrades: {else: {id: nope, when: running}}":                        "upgrades.else.id",
		"name: x\nupgrades: {else: {id: rel_09082022_2068, when: running}}":           "upgrades.else.id",
		"name: x\nupgrades: {else: {id: rel_11122025_7286, when: later}}":             "upgrades.else.when",
		"name: x\nupgrades: {else: {id: rel_11122025_7286, when: running, ago: -1s}}": "upgrades.else.ago",
		"name: x\nupgrades: {fail: {after: 0}}":                                       "upgrades.fail",
		"name: x\nediting: {keeps: half}":                                             "editing.keeps",
		"name: x\nediting: {edits: [{ends: BROKEN}]}":                                 "editing.edits[0].ends",
		"name: x\nediting: {edits: [{after: -1}]}":                                    "editing.edits[0].after",
		"name: x\nediting: {edits: [{times: -1}]}":                                    "editing.edits[0].times",
		"name: x\nediting: {edits: [{takes: -1s}]}":                                   "editing.edits[0].takes",
		"name: x\nediting: {restart: -1s}":                                            "editing.restart",
		"name: x\nediting: {lines: -1}":                                               "editing.lines",
		"name: x\nediting: {else: {}}":                                                "editing.else.set",
		"name: x\nediting: {else: {reads: -1, set: [{at: /a}]}}":                      "editing.else.reads",
		"name: x\nediting: {else: {times: -1, set: [{at: /a}]}}":                      "editing.else.times",
		"name: x\nediting: {else: {set: [{at: a}]}}":                                  "editing.else.set[0].at",
		"name: x\nbackups: many":                                                      "backups",
		"name: x\nevents: [{at: 1s}]":                                                 "events[0].component",
		"name: x\nevents: [{at: -1s, readOnly: true}]":                                "events[0].at",
		"name: x\nevents: [{at: 1s, component: NOPE, state: stopped}]":                "events[0].component",
		"name: x\nevents: [{at: 1s, component: MINIO}]":                               "events[0].state",
	} {
		if _, err := simulator.ReadScenario([]byte(yaml)); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%q: error %v does not name %s", yaml, err, key)
		}
	}
}

func TestNewRefusesAScenarioThatWasMadeWrongInCode(t *testing.T) {
	t.Parallel()
	if _, err := simulator.New(simulator.Options{Scenario: simulator.Scenario{Name: "x", Version: "9.1"}}); err == nil {
		t.Error("a site of 9.1 was made")
	}
}

func TestAScenarioNamesServicesThatThereAre(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"editing: {stopped: [Nowhere.MapServer]}", "editing: {broken: {Nowhere.MapServer: why}}", "editing: {definitions: {Nowhere.MapServer: '{}'}}",
		"editing: {else: {service: Nowhere.MapServer, set: [{at: /a}]}}", "placement: {policies: {Nowhere.MapServer: '{}'}}", "placement: {else: {service: Nowhere.MapServer, rules: '{}'}}"} {
		s := readScenario(t, "name: x\n"+text)
		if _, err := simulator.New(simulator.Options{Scenario: s}); err == nil || !strings.Contains(err.Error(), "Nowhere.MapServer") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAnUnknownScenarioIsNotBuiltIn(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "nope", "../scenarios/healthy", "."} {
		if _, ok := simulator.BuiltIn(name); ok {
			t.Errorf("%q is built in", name)
		}
	}
}

func TestEventsOfAScenarioHappenInTime(t *testing.T) {
	t.Parallel()
	s := start(t, readScenario(t, `
name: events
events:
  - {at: 3m, readOnly: true, message: an upgrade is near}
  - {at: 1m, component: MINIO, state: stopped}
  - {at: 2m, component: MINIO, state: working}
  - {at: 4m, expireTokens: true}
`), "admin")
	check := func(want string) {
		t.Helper()
		job := s.checkHealth("x")
		s.clock.Advance(time.Minute)
		got := s.isStatus(job, "COMPLETED")
		if result := got.text("result.diagnosticHealthReport.result"); result != want {
			t.Errorf("the check is %s, want %s", result, want)
		}
	}
	check("passed")
	check("failed")
	check("passed")
	s.get("/mode").has("isReadOnly", true, "message", "an upgrade is near")
	s.clock.Advance(time.Minute)
	s.get("/mode").refused(498, "expired")
}

func readScenario(t *testing.T, text string) simulator.Scenario {
	t.Helper()
	s, err := simulator.ReadScenario([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func FuzzReadScenario(f *testing.F) {
	f.Add([]byte("name: x\nfaults: [{path: admin/**, what: cut}]"))
	f.Add([]byte("name: x\nversion: 10.9.1\nevents: [{at: 1s, readOnly: true}]"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := simulator.ReadScenario(text)
		if err != nil {
			return
		}
		if strings.TrimSpace(s.Name) == "" {
			t.Error("a scenario without a name was read")
		}
		written, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := simulator.ReadScenario(written); err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%+v is written as %q, and read as %+v, %v", s, written, again, err)
		}
	})
}

func TestAScenarioIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	for _, name := range simulator.ScenarioNames() {
		want, _ := simulator.BuiltIn(name)
		text, err := want.YAML()
		if err != nil {
			t.Fatal(err)
		}
		got, err := simulator.ReadScenario(text)
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b json.RawMessage) bool { return sameJSON(a, b) })); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

// sameJSON reports whether two texts say the same.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return (len(a) == 0) == (len(b) == 0) && (len(a) == 0 || json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y))
}
