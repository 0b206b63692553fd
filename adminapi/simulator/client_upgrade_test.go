package simulator_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator/simtest"
)

func TestTheClientReadsWhatTheSiteOffersAndHas(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"healthy", "hostile", "upgraded", "empty-manifest", "odd-manifest", "required-patch-first"} {
		t.Run(scenario, func(t *testing.T) {
			c := connect(t, scenario, "operator")
			offers := map[string]int{"healthy": 5, "hostile": 5, "odd-manifest": 14, "required-patch-first": 5}[scenario]
			if m, err := c.Upgrades.Available(t.Context()); err != nil || len(m.Patches) != offers {
				t.Errorf("%d patches, %v", len(m.Patches), err)
			}
			current, err := c.Upgrades.Current(t.Context())
			if err != nil || current.Version != "11.5.0" {
				t.Errorf("current: %s, %v", current.FullVersion(), err)
			}
			if list, err := c.Upgrades.Installed(t.Context()); err != nil || len(list) == 0 || list[len(list)-1].ID != current.ID {
				t.Errorf("installed: %d, %v", len(list), err)
			}
			if list, err := c.Upgrades.History(t.Context()); err != nil || (len(list) == 1) != (scenario == "upgraded") {
				t.Errorf("history: %+v, %v", list, err)
			}
			if list, err := c.Upgrades.CheckRollback(t.Context()); err != nil || (len(list) == 5) != (scenario == "upgraded") {
				t.Errorf("rollback: %d, %v", len(list), err)
			}
			readAround(t, c)
		})
	}
}

func readAround(t *testing.T, c *client) {
	t.Helper()
	if status, err := c.Upgrades.ManifestStatus(t.Context()); err != nil || status.Source == "" {
		t.Errorf("manifest: %+v, %v", status, err)
	}
	if config, err := c.Upgrades.Config(t.Context()); err != nil || len(config.PodPlacement) == 0 {
		t.Errorf("config: %+v, %v", config, err)
	}
	stores, err := c.Backups.Stores(t.Context())
	if err != nil || len(stores) != 1 {
		t.Fatalf("stores: %+v, %v", stores, err)
	}
	if backups, err := c.Backups.List(t.Context(), stores[0].Name); err != nil || len(backups) != 7 || backups[6].Status != adminapi.BackupCompleted {
		t.Errorf("backups: %+v, %v", backups, err)
	}
}

// parts is an upgrade of the new style.
func parts(id, settings string) []adminapi.Part {
	return []adminapi.Part{
		{Name: "versionManifest", Content: []byte(named(id))},
		{Name: "versionManifestFile", File: true},
		{Name: "upgradeSettings", Content: []byte(settings)},
	}
}

func TestTheClientUpgradesToAReleaseAndIsRefusedMeanwhile(t *testing.T) {
	t.Parallel()
	c := connect(t, "healthy", "admin")
	settings, err := c.Upgrades.Settings(t.Context(), release12)
	if err != nil || len(settings.Inputs) != 2 {
		t.Fatalf("settings: %+v, %v", settings, err)
	}
	id, _, err := c.Uploads.Send(t.Context(), adminapi.Part{FileName: "licence.json", Content: simtest.Licence("12.0"), Secret: true}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if item, err := c.Uploads.Item(t.Context(), id); err != nil || !item.Committed || item.Name != "licence.json" {
		t.Errorf("item: %+v, %v", item, err)
	}
	filled := strings.Replace(string(settings.Raw), `"value":""`, `"value":"`+id+`"`, 1)
	status, outcome, err := c.Upgrades.Start(t.Context(), parts(release12, filled))
	if err != nil || outcome != adminapi.OutcomeDone || status.State != adminapi.UpgradeInProgress || len(status.Messages) != 1 {
		t.Fatalf("start: %+v %v %v", status, outcome, err)
	}
	if _, err := c.Upgrades.Available(t.Context()); !errors.Is(err, adminapi.KindBusy) {
		t.Errorf("available meanwhile: %v", err)
	}
	if _, outcome, err := c.Upgrades.Start(t.Context(), parts(patch6805, "{}")); !errors.Is(err, adminapi.KindBusy) || outcome != adminapi.OutcomeRefused {
		t.Errorf("a second one: %v %v", outcome, err)
	}
	c.sleep(30 * time.Minute)
	if mode, err := c.Mode(t.Context()); err != nil || !mode.ReadOnly {
		t.Errorf("mode: %+v, %v", mode, err)
	}
	c.sleep(2 * time.Hour)
	if status, err = c.Upgrades.Status(t.Context()); err != nil || status.State != adminapi.UpgradeSuccess {
		t.Errorf("at the end: %s %v", status.State, err)
	}
	if current, err := c.Upgrades.Current(t.Context()); err != nil || current.FullVersion() != "12.0.0.7286" {
		t.Errorf("current: %s %v", current.FullVersion(), err)
	}
}

func TestTheClientReadsAChainOfFiveThousandPatches(t *testing.T) {
	t.Parallel()
	c := connect(t, "many-patches", "admin")
	m, err := c.Upgrades.Available(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for i, p := range m.Patches {
		if ids[p.ID] || i > 0 && p.PreviousBuild != m.Patches[i-1].Build {
			t.Fatalf("patch %d: %+v", i, p)
		}
		ids[p.ID] = true
	}
	if len(ids) != 5005 {
		t.Errorf("%d patches", len(ids))
	}
	last := m.Patches[len(m.Patches)-1]
	if _, _, err := c.Upgrades.Start(t.Context(), parts(last.ID, "{}")); err != nil {
		t.Fatal(err)
	}
	c.sleep(2 * time.Hour)
	if current, err := c.Upgrades.Current(t.Context()); err != nil || current.FullVersion() != last.FullVersion() {
		t.Errorf("current: %s, want %s, %v", current.FullVersion(), last.FullVersion(), err)
	}
}

func TestTheClientRollsAPatchBack(t *testing.T) {
	t.Parallel()
	c := connect(t, "upgraded", "servers")
	if status, outcome, err := c.Upgrades.Rollback(t.Context(), patch6815); err != nil || outcome != adminapi.OutcomeDone || status.State != adminapi.UpgradeInProgress {
		t.Fatalf("%+v %v %v", status, outcome, err)
	}
	c.sleep(2 * time.Hour)
	if current, err := c.Upgrades.Current(t.Context()); err != nil || current.FullVersion() != "11.5.0.6815" {
		t.Errorf("current: %s %v", current.FullVersion(), err)
	}
}

func TestTheClientDistinguishesRefusalsOfUpgrades(t *testing.T) {
	t.Parallel()
	for scenario, kind := range map[string]adminapi.Kind{"elses-upgrade": adminapi.KindBusy, "elses-upgrade-now": adminapi.KindBusy, "readonly": adminapi.KindReadOnly} {
		c := connect(t, scenario, "admin")
		if _, outcome, err := c.Upgrades.Start(t.Context(), parts(patch6815, "{}")); outcome != adminapi.OutcomeRefused || !errors.Is(err, kind) {
			t.Errorf("%s: %v %v", scenario, outcome, err)
		}
	}
	c := connect(t, "healthy", "viewer")
	if _, _, err := c.Upgrades.Start(t.Context(), parts(patch6815, "{}")); !errors.Is(err, adminapi.KindPrivilege) {
		t.Errorf("a viewer: %v", err)
	}
}
