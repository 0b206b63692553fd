package simulator_test

import (
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
)

// Restores take two minutes; the site is away from the first seconds to the last half minute.
const (
	restoreTime  = 2 * time.Minute
	restoreAway  = 5 * time.Second
	nightlyCode  = "geodeck-nightly"
	backupCode   = "correct horse"
	lastNight    = "backup-20261120-0200"
	statusOfBack = "/system/disasterrecovery/status"
)

// backUp makes a backup and waits for its end.
func (s *site) backUp(name string) {
	s.t.Helper()
	s.post(onStore("nightly")+"/backups/create", "name", name, "passcode", backupCode).has("status", "SUBMITTED")
	s.clock.Advance(2 * time.Minute)
}

func (s *site) restore(name, passcode string) reply {
	s.t.Helper()
	return s.post(onStore("nightly")+"/backups/"+name+"/restore", "passcode", passcode)
}

func TestARestoreBringsBackWhatTheBackupHolds(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	path := s.only("filterName", "shared-mapserver")
	text := s.edited(`"maxRecordCount":4000`, `"maxRecordCount":2000`)
	s.editJob(text)
	s.clock.Advance(time.Minute)
	s.place(`{"tolerations":[{"key":"a","operator":"Exists"}],"nodeAffinity":{}}`)
	s.edits(path, `{"replicas":{"min":2,"max":2}}`)
	s.clock.Advance(time.Minute)
	policy := s.get(cities + "/placementPolicy").body
	s.backUp("before")

	s.editJob(strings.Replace(text, "2000", "1000", 1))
	s.clock.Advance(time.Minute)
	s.place(`{"tolerations":[],"nodeAffinity":{}}`)
	s.edits(path, `{"replicas":{"min":6,"max":6}}`)
	s.clock.Advance(time.Minute)
	s.post(cities+"/stop", "async", "true")
	s.clock.Advance(time.Minute)
	s.isState(cities, "STOPPED")

	s.restore("before", backupCode).is(`{"status":"success"}` + "\n")
	s.clock.Advance(restoreTime)
	if got := s.get(cities); got.body != text {
		t.Errorf("the definition is %s", got.body)
	}
	if got := s.get(cities + "/placementPolicy").body; got != policy || !strings.Contains(got, `"key":"a"`) {
		t.Errorf("the rules are\n%s, were\n%s", got, policy)
	}
	s.isState(cities, "STARTED")
	s.get(path).has("spec.replicas.max", 2)
	s.get(path+"/status").has("totalReplicas", 2, "readyReplicas", 2)
	s.get(onStore("nightly")+"/backups").has("backups", 8, "backups.7.backupName", "before")
	s.editJob(s.edited(`"maxRecordCount":2000`, `"maxRecordCount":500`))
	s.clock.Advance(time.Minute)
	s.restore("before", backupCode).has("status", "success") // again: what it holds has not changed
	s.clock.Advance(restoreTime)
	s.get(path).has("spec.replicas.max", 2)
	if s.get(cities).body != text {
		t.Error("the second restore brings back something else")
	}
}

func TestTheSiteIsAwayWhileABackupIsRestored(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.restore(lastNight, nightlyCode).has("status", "success")
	s.get(statusOfBack).has("status.state", "in_progress", "status.code", 1, "status.operation", "Restore", "status.backupName", lastNight,
		"status.backupStore", "nightly", "status.completeTime", 0, "status.startTime", noon.UnixMilli(), "status.stages", 1)
	const during = "being restored"
	s.post(cities+"/stop", "async", "true").refused(409, during)
	s.post("/mode/update", "isReadOnly", "true").refused(409, during)
	s.post("/system/upgrades/upgrade").refused(409, during)
	s.restore(lastNight, nightlyCode).refused(409, during)
	spans := s.watch(noon.Add(restoreTime+10*time.Second), time.Second)
	assertBad(t, spans, "page Service Unavailable", noon.Add(restoreAway), 92*time.Second)
	s.get(statusOfBack).has("status.state", "success", "status.code", 3, "status.message", "", "status.stages", 5,
		"status.stages.4.state", "completed", "status.completeTime", noon.Add(restoreTime).UnixMilli())
	s.post(cities+"/stop", "async", "true").has("jobStatus", "SUBMITTED")
}

func TestServicesStartAtTheEndOfARestore(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.restore(lastNight, nightlyCode)
	s.clock.Advance(restoreTime - 10*time.Second)
	s.isState(cities, "STOPPED")
	s.get(statusOfBack).has("status.state", "in_progress", "status.stages", 5, "status.stages.4.state", "in_progress")
	s.post(cities+"/start", "async", "true").refused(409, "being restored")
	s.clock.Advance(10 * time.Second)
	s.isState(cities, "STARTED")
}

func TestWhatCannotBeRestoredIsRefused(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.restore("nothing", backupCode).refused(404, "no backup nothing")
	s.post(onStore("x")+"/backups/"+lastNight+"/restore", "passcode", nightlyCode).refused(404, "no backup store x")
	s.post(onStore("nightly")+"/backups/"+lastNight+"/restore").refused(400, "passcode")
	s.restore("backup-20261118-0200", nightlyCode).refused(400, "not complete")
	s.restore(lastNight, backupCode).refused(400, "the passcode is not that of the backup")
	s.restore(lastNight, nightlyCode+"x").refused(400, "passcode")
	s.post(onStore("nightly")+"/backups/create", "name", "new", "passcode", backupCode)
	s.restore(lastNight, nightlyCode).refused(409, "in progress")
	s.clock.Advance(2 * time.Minute)
	s.restore("new", nightlyCode).refused(400, "passcode")
	s.editJob(s.get(cities).body)
	s.restore("new", backupCode).refused(409, "in progress")
	s.clock.Advance(time.Minute)
	s.get(statusOfBack).has("status.operation", "Backup")
	s.get(onStore("nightly")+"/backups/new").has("backupName", "new", "release", "11.5.0", "status", "completed")
	s.get(onStore("nightly")+"/backups/x").refused(404, "x")
	s.signIn("publisher")
	s.restore("new", backupCode).refused(403, "Security")

	open(t, "unreadable-backup", "admin").restore(lastNight, nightlyCode).refused(500, "cannot be read")
	open(t, "readonly", "admin").restore(lastNight, nightlyCode).refused(403, "read-only")
	open(t, "running-release", "admin").restore(lastNight, nightlyCode).refused(409, "The upgrade")
}

// Backups of an earlier release cannot be restored.
func TestABackupOfAnotherReleaseIsNotRestored(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.backUp("before")
	s.upgrade(release12, s.licensed(release12, "12.0"))
	s.isVersion("12.0.0.7286")
	s.get(onStore("nightly")+"/backups/before").has("release", "11.5.0")
	s.restore("before", backupCode).refused(400, "the backup is of 11.5.0, the site is 12.0.0")
}

// The backup of a night holds what the site had then; older ones hold what it began with.
func TestNightlyBackupsAreRestored(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	first := s.get(cities).body
	second := s.edited(`"maxRecordCount":4000`, `"maxRecordCount":2000`)
	s.editJob(second)
	s.clock.Advance(20 * time.Hour)
	s.get(onStore("nightly")+"/backups").has("backups", 7, "backups.6.backupName", "backup-20261121-0200", "backups.3.status", "failed")
	s.editJob(s.edited(`"maxRecordCount":2000`, `"maxRecordCount":1000`))
	s.clock.Advance(time.Minute)
	rules := s.get(cities + "/placementPolicy").body
	s.place(`{"tolerations":[{"key":"other","operator":"Exists"}],"nodeAffinity":{}}`)
	s.clock.Advance(time.Minute)
	for name, want := range map[string]string{lastNight: first, "backup-20261121-0200": second} {
		s.restore(name, nightlyCode).has("status", "success")
		s.clock.Advance(restoreTime)
		if got := s.get(cities).body; got != want {
			t.Errorf("%s: %s", name, got)
		}
		if got := s.get(cities + "/placementPolicy").body; got != rules {
			t.Errorf("%s: the rules are %s", name, got)
		}
	}
	s.clock.Advance(30 * 24 * time.Hour)
	s.get(onStore("nightly")+"/backups").has("backups", 7, "backups.6.backupName", "backup-20261221-0200", "backups.0.status", "completed")
}

func TestARestoreWhoseServicesDoNotStartHasWarnings(t *testing.T) {
	t.Parallel()
	s := open(t, "services-down", "admin")
	s.restore(lastNight, nightlyCode).has("status", "success")
	s.clock.Advance(restoreTime)
	got := s.get(statusOfBack)
	got.has("status.state", "completed_with_warnings", "status.code", 3)
	if message := got.text("status.message"); !strings.Contains(message, "Utilities/PrintingTools.GPServer") || strings.Contains(message, "Geometry.") {
		t.Error(message)
	}
	s.get("/services/Utilities/Geometry.GeometryServer/status").has("configuredState", "STOPPED")
}

// The product's own client takes a restore for any other outage.
func TestTheClientTakesARestoreForAnOutage(t *testing.T) {
	t.Parallel()
	c := connect(t, "healthy", "admin")
	s := &site{t: t, server: c.server, client: healthy(t).client}
	s.signIn("admin")
	s.restore(lastNight, nightlyCode).has("status", "success")
	c.sleep(time.Minute)
	if _, err := c.Upgrades.Status(t.Context()); !adminapi.IsTransient(err) {
		t.Errorf("meanwhile: %v", err)
	}
	c.sleep(restoreTime)
	if status, err := c.Upgrades.Status(t.Context()); err != nil || status.State != adminapi.UpgradeNone {
		t.Errorf("after it: %v, %v", status.State, err)
	}
}
