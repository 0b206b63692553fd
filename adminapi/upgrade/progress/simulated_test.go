package progress_test

import (
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade/progress"
)

// start begins the first upgrade that is offered of a type.
func start(t *testing.T, c *adminapi.Client, release bool) {
	t.Helper()
	manifest, err := c.Upgrades.Available(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	target := manifest.Patches[0]
	if release {
		target = manifest.Releases[0]
	}
	settings, err := c.Upgrades.Settings(t.Context(), target.ID)
	if err != nil {
		t.Fatal(err)
	}
	filled := string(settings.Raw)
	if strings.Contains(filled, "licenseUpload") {
		id, _, err := c.Uploads.Send(t.Context(), adminapi.Part{FileName: "l.json", Content: simtest.Licence(target.Version), Secret: true}, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		filled = strings.Replace(filled, `"value":""`, `"value":"`+id+`"`, 1)
	}
	_, _, err = c.Upgrades.Start(t.Context(), []adminapi.Part{
		{Name: "versionManifest", Content: []byte(`{"id":"` + target.ID + `"}`)},
		{Name: "versionManifestFile", File: true},
		{Name: "upgradeSettings", Content: []byte(filled)},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// watched follows a run to its end and returns every progress.
func watched(t *testing.T, c *adminapi.Client, clock *simtest.ManualClock) (all []progress.Progress) {
	t.Helper()
	merger, fold := progress.NewMerger(progress.LogBudget), progress.NewFold()
	for range 2000 {
		status, err := c.Upgrades.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		merger.Merge(status.Messages)
		all = append(all, fold.Add(merger.Log(), progress.StateOf(status)))
		if !status.Running() {
			return all
		}
		clock.Advance(15 * time.Second)
	}
	t.Fatal("the run does not end")
	return nil
}

func TestRunsOfASiteAreFollowed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scenario string
		begin    func(*testing.T, *adminapi.Client)
		kind     progress.RunKind
		end      progress.State
		readOnly bool
	}{
		"a release":            {"healthy", func(t *testing.T, c *adminapi.Client) { start(t, c, true) }, progress.ReleaseRun, progress.StateSucceeded, true},
		"a patch":              {"healthy", func(t *testing.T, c *adminapi.Client) { start(t, c, false) }, progress.PatchRun, progress.StateSucceeded, true},
		"a rollback":           {"upgraded", rollBack, progress.RollbackRun, progress.StateSucceeded, true},
		"a patch that fails":   {"patch-fails", func(t *testing.T, c *adminapi.Client) { start(t, c, false) }, progress.PatchRun, progress.StateFailed, true},
		"a release that fails": {"release-fails", func(t *testing.T, c *adminapi.Client) { start(t, c, true) }, progress.ReleaseRun, progress.StateFailed, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, clock := simtest.SignIn(t, c.scenario, "operator")
			c.begin(t, client)
			all := watched(t, client, clock)
			last := all[len(all)-1]
			if last.Kind != c.kind || last.Meaning != c.end || last.From == "" || last.To == "" || last.UnknownCodes != 0 {
				t.Errorf("%q %v %+v, %d foreign", last.Kind, last.Meaning, last.Run, last.UnknownCodes)
			}
			if _, was := last.ReadOnlyFor(last.Last); was != c.readOnly {
				t.Errorf("read-only: %+v", last.ReadOnly)
			}
			if last.RolledBack != (c.scenario == "patch-fails") {
				t.Errorf("%d of %d, rolled back: %v", last.Done, last.Total, last.RolledBack)
			}
			assertItGoesOn(t, all)
			assertTheEnd(t, last)
		})
	}
}

func rollBack(t *testing.T, c *adminapi.Client) {
	t.Helper()
	offered, err := c.Upgrades.CheckRollback(t.Context())
	if err != nil || len(offered) == 0 {
		t.Fatal(offered, err)
	}
	if _, _, err := c.Upgrades.Rollback(t.Context(), offered[0].ID); err != nil {
		t.Fatal(err)
	}
}

// assertItGoesOn checks that no phase that was done is open again, except the plan of
// the way back: the launch, to which the platform returns after the plan, was not done.
func assertItGoesOn(t *testing.T, all []progress.Progress) {
	t.Helper()
	for i := 1; i < len(all); i++ {
		for k, phase := range all[i].Phases {
			was := all[i-1].Phases[k]
			if was.State == progress.PhaseDone && phase.State == progress.PhaseOpen &&
				!(phase.Name == progress.PhasePlan && all[len(all)-1].RolledBack) {
				t.Errorf("%s was done after %d messages and goes on after %d", phase.Name, all[i-1].Messages, all[i].Messages)
			}
			if phase.Spent < was.Spent || all[i].Meaning == progress.StateRunning && phase.Name == all[i].Current && phase.State != progress.PhaseOpen {
				t.Errorf("%+v after %+v", phase, was)
			}
		}
	}
}

func assertTheEnd(t *testing.T, p progress.Progress) {
	t.Helper()
	if p.Meaning != progress.StateSucceeded {
		for _, phase := range p.Phases {
			if (phase.State == progress.PhaseStopped) != (phase.Name == p.StoppedIn()) || p.StoppedIn() == "" || p.StoppedIn() == progress.PhaseFinish {
				t.Errorf("%s is %s, stopped in %q", phase.Name, phase.State, p.StoppedIn())
			}
			if phase.Name == progress.PhaseFinish && phase.State == progress.PhaseDone {
				t.Error("a run that failed has finished")
			}
		}
		return
	}
	elapsed := time.Duration(p.Last-p.Began) * time.Millisecond
	if p.Done != p.Total || p.Total == 0 || p.Took == 0 || (p.Took-elapsed).Abs() > 2*time.Second {
		t.Errorf("%d of %d in %v, elapsed %v", p.Done, p.Total, p.Took, elapsed)
	}
	if running := p.PastRun(true); running.Took != elapsed {
		t.Errorf("its record: %+v", running)
	}
}
