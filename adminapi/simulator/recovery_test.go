package simulator_test

import (
	"testing"
	"time"

	"geodeck/adminapi/simulator"
)

func TestBackupsAreAsTheScenarioSays(t *testing.T) {
	t.Parallel()
	const list = "/system/disasterrecovery/stores/nightly/backups"
	for backups, age := range map[string]time.Duration{"": 10 * time.Hour, "recent": 10 * time.Hour, "old": 61*24*time.Hour + 10*time.Hour} {
		s := start(t, simulator.Scenario{Name: "x", Backups: backups}, "operator")
		s.get("/system/disasterrecovery/stores").has("backupStores.0.name", "nightly", "backupStores.0.default", true)
		got := s.get(list)
		if got.text("backups.6.status") != "completed" || got.number("backups.6.startTime") != noon.Add(-age).UnixMilli() || got.text("backups.4.status") != "failed" {
			t.Errorf("%q: %s", backups, got.body)
		}
	}
	none := open(t, "no-backup", "operator")
	none.get("/system/disasterrecovery/stores").has("backupStores", 0)
	none.get(list).refused(404, "nightly")
	unreadable := open(t, "unreadable-backup", "operator")
	unreadable.get(list).refused(500, "cannot be read")
}

func TestABackupUnderWayIsNotTheLastCompletedOne(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.clock.Advance(14*time.Hour + 10*time.Minute)
	got := s.get("/system/disasterrecovery/stores/nightly/backups")
	got.has("backups.6.status", "in_progress", "backups.5.status", "completed")
}
