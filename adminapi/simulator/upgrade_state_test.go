package simulator_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

func TestTheUpgradesResourceIsIdle(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "operator")
	s.get("/system/upgrades").is(`{"status":{"code":0,"messages":[],"state":"no_upgrade"}}` + "\n")
}

// children are all that is below the Upgrades resource.
var children = []struct{ method, path string }{
	{"POST", "available"}, {"GET", "available"}, {"POST", "getUpgradeSettings"}, {"POST", "upgrade"}, {"GET", "currentVersion"},
	{"GET", "installed"}, {"POST", "installed"}, {"GET", "history"}, {"POST", "checkRollback"}, {"POST", "rollback"},
	{"POST", "importManifest"}, {"POST", "deleteImportedManifest"}, {"GET", "manifestStatus"}, {"GET", "config"},
}

func TestWhatIsBelowUpgradesIsClosedWhileOneRuns(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	started(t, s.upgradeTo(release12, s.licensed(release12, "12.0")))
	for state := "in_progress"; state == "in_progress"; state, _ = s.log() {
		for _, c := range children {
			s.send(c.method, "/system/upgrades/"+c.path, values(nil), values(nil)).refused(409, "in progress")
		}
		s.post("/mode/update", "isReadOnly", "false").refused(409, "in progress")
		s.clock.Advance(7 * time.Minute)
	}
	for _, c := range children {
		if got := s.send(c.method, "/system/upgrades/"+c.path, values(nil), values(nil)); strings.Contains(got.body, "in progress") {
			t.Errorf("%s %s is still closed: %s", c.method, c.path, got.body)
		}
	}
}

func TestWritesAreRefusedFrom2165To2166AndReadsAreNot(t *testing.T) {
	t.Parallel()
	failsEarly := builtIn(t, "healthy")
	failsEarly.Upgrades.Fail = &simulator.UpgradeFailure{After: 2288}
	toPatch := func(s *site) reply { return s.upgradeTo(patch6805, "{}") }
	for name, c := range map[string]struct {
		scenario simulator.Scenario
		begin    func(*site) reply
	}{
		"a release":                             {builtIn(t, "healthy"), func(s *site) reply { return s.upgradeTo(release12, s.licensed(release12, "12.0")) }},
		"a patch":                               {builtIn(t, "healthy"), toPatch},
		"a patch that fails":                    {builtIn(t, "patch-fails"), toPatch},
		"a patch that fails before it is begun": {failsEarly, toPatch},
		"a rollback": {builtIn(t, "upgraded"), func(s *site) reply {
			return s.post("/system/upgrades/rollback", "versionManifest", named(patch6815))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, c.scenario, "admin")
			started(t, c.begin(s))
			changes := 0
			for was, state := false, "in_progress"; state == "in_progress"; state = s.state() {
				s.clock.Advance(9 * time.Second)
				log := s.get("/system/upgrades").body
				want := strings.Contains(log, `"code":2165,`) && !strings.Contains(log, `"code":2166,`)
				mode := s.get("/mode")
				mode.has("isReadOnly", want)
				if want != was {
					was, changes = want, changes+1
					run := s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", "x", "async", "true")
					if refused := strings.Contains(run.body, "read-only mode"); refused != want {
						t.Errorf("a write: %s", run.body)
					}
					if said := strings.Contains(mode.body, "is in progress"); said != want {
						t.Errorf("the mode says %s", mode.body)
					}
				}
			}
			if changes != 2 {
				t.Errorf("read-only mode changed %d times", changes)
			}
		})
	}
}

func TestTheSystemChecksHealthBeforeAndAfter(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.upgrade(patch6805, "{}")
	s.clock.Advance(5 * time.Minute)
	page := s.reports("2")
	for i, name := range []string{"after-update-11.5.0.6805", "before-update-11.5.0.6745"} {
		at := fmt.Sprintf("runs.%d.", i)
		page.has(at+"name", name, at+"createdBy", "system", at+"result", "passed")
	}
}

func TestCountsGoUpToTheirTotal(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	messages := s.upgrade(release12, s.licensed(release12, "12.0"))
	counted, total := map[int]int{}, map[int]int{}
	for _, m := range messages {
		if m.Code != 2173 && m.Code != 2175 {
			continue
		}
		counted[m.Code]++
		var n, of int
		if _, err := fmt.Sscanf(m.Message, "%d of %d", &n, &of); err != nil || n != counted[m.Code] {
			t.Errorf("count %d: %q", counted[m.Code], m.Message)
		}
		total[m.Code] = of
	}
	if !maps.Equal(total, counted) || total[2175] < 40 {
		t.Errorf("totals %v, counted %v", total, counted)
	}
	if first, last := messages[0].Message, messages[len(messages)-1].Message; !strings.Contains(first, "11.5.0.6745 to 12.0.0.7286") || !strings.Contains(last, " min ") {
		t.Errorf("first %q, last %q", first, last)
	}
}

func TestTheLogGrowsAndNeverChanges(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	started(t, s.upgradeTo(patch6805, "{}"))
	var before []message
	for range 200 {
		s.clock.Advance(9 * time.Second)
		_, now := s.log()
		if len(now) < len(before) || !slices.Equal(now[:len(before)], before) {
			t.Fatalf("%v after %v", now, before)
		}
		if last := now[len(now)-1]; last.When > s.clock.Now().UnixMilli() {
			t.Fatalf("a message of the future: %+v", last)
		}
		before = now
	}
}

func TestTheSameSeedGivesTheSameUpgrade(t *testing.T) {
	t.Parallel()
	run := func(seed int64) string {
		clock := simtest.NewManualClock(noon)
		s := startOn(t, simulator.Options{Seed: seed, Clock: clock}, "admin")
		s.upgrade(patch6805, "{}")
		clock.Advance(time.Hour)
		return s.get("/system/upgrades").body + s.get("/system/upgrades/history").body + s.reports("2").body
	}
	if one, two := run(7), run(7); one != two {
		t.Errorf("two upgrades of one seed differ:\n%s\n%s", one, two)
	}
	if run(7) == run(8) {
		t.Error("two seeds gave one upgrade")
	}
}

func TestASiteGoesBackToWhatItListsWithoutTheLaterPatches(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	const base = "rel_24062025_6745"
	s.post("/system/upgrades/checkRollback").is("{\"updates\":[]}\n")
	back := func(id, settings string) reply {
		return s.post("/system/upgrades/rollback", "versionManifest", named(id), "rollbackSettings", settings)
	}
	s.upgrade(patch6835, "{}")
	s.post("/system/upgrades/checkRollback").has("updates", 5, "updates.0.id", "pat_23102025_6825", "updates.4.id", base)
	back(patch6835, "{}").refused(400, "not among the rollback options")
	back("pat_nope", "{}").refused(400, "pat_nope")
	back(release12, "{}").refused(400, "not among the rollback options")
	back(patch6815, "[]").refused(400, "rollbackSettings")
	back("", "{}").refused(400, "id")
	begun := back(patch6815, "{}")
	started(t, begun)
	begun.has("status.messages.0.code", 2072, "status.messages.0.message", "Starting the rollback process from 11.5.0.6835 to 11.5.0.6815.")
	s.finish()
	s.isVersion("11.5.0.6815")
	s.post("/system/upgrades/available").has("patches.0.id", "pat_07102025_6820", "patches", 3)
	s.get("/system/upgrades/history").has("history.0.operation", "rollback", "history.1.operation", "upgrade")
	s.isReadOnly(false)
	started(t, back(base, "{}"))
	s.finish()
	s.isVersion("11.5.0.6745")
	s.post("/system/upgrades/checkRollback").is("{\"updates\":[]}\n")
	back(base, "{}").refused(400, "not among the rollback options")
}

func TestASiteMayMeanWhatItRemoves(t *testing.T) {
	t.Parallel()
	for means, want := range map[string]struct {
		first  string
		listed int
		to     string // back from the first
	}{
		"toward":  {"pat_23102025_6825", 5, "11.5.0.6825"},
		"removes": {patch6835, 5, "11.5.0.6825"},
		"beyond":  {"pat_23102025_6825", 5, "11.5.0.6820"},
	} {
		scenario := builtIn(t, "upgraded")
		scenario.Upgrades.Rollback = means
		s := start(t, scenario, "admin")
		s.post("/system/upgrades/checkRollback").has("updates", want.listed, "updates.0.id", want.first)
		started(t, s.post("/system/upgrades/rollback", "versionManifest", named(want.first), "rollbackSettings", "{}"))
		s.finish()
		s.isVersion(want.to)
	}
}

func TestAnotherUserUpgradesBeforeOrInBetween(t *testing.T) {
	t.Parallel()
	s := open(t, "elses-upgrade", "admin")
	if state, messages := s.log(); state != "in_progress" || messages[0].When != noon.Add(-6*time.Minute).UnixMilli() || len(messages) < 4 {
		t.Errorf("at first: %s %v", state, messages)
	}
	s.upgradeTo(patch6815, "{}").refused(409, "started by operator")
	for name, refuses := range map[string]bool{"elses-upgrade-soon": false, "elses-upgrade-now": true} {
		s := open(t, name, "admin")
		s.isUpgrade("no_upgrade")
		settings := s.settings(patch6815)
		if state, _ := s.log(); (state == "no_upgrade") != refuses {
			t.Errorf("%s: %s after the settings were read", name, state)
		}
		s.upgradeTo(patch6815, settings).refused(409, "in progress")
		s.finish()
		s.isVersion("11.5.0.6805")
	}
}

func TestMessagesNameTheImageOfBefore(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	imagesOf := func(id string) (said []string) {
		started(t, s.upgradeTo(id, "{}"))
		for _, m := range s.finish() {
			if m.Code == 2038 && strings.Contains(m.Message, " apps:") {
				said = append(said, m.Message[strings.Index(m.Message, "apps:"):])
			}
		}
		return said
	}
	if got := imagesOf(patch6805); !slices.Equal(got, []string{"apps:11.5.0.6805 now, instead of apps:11.5.0.6745."}) {
		t.Errorf("first patch: %q", got)
	}
	if got := imagesOf(patch6835); !slices.Equal(got, []string{"apps:11.5.0.6835 now, instead of apps:11.5.0.6805."}) {
		t.Errorf("last patch: %q", got)
	}
}

func TestNoUpgradeStartsInReadOnlyMode(t *testing.T) {
	t.Parallel()
	s := open(t, "readonly", "admin")
	s.upgradeTo(patch6805, "{}").refused(403, "read-only mode")
	if got := s.settings(patch6805); !strings.Contains(got, "userInputs") {
		t.Errorf("reading: %s", got)
	}
}
