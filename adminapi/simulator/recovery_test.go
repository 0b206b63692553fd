package simulator_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
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

// onStore is the path of a store.
func onStore(name string) string { return "/system/disasterrecovery/stores/" + name }

func TestAStoreShowsWhereItIs(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	one := s.get(onStore("nightly"))
	one.has("name", "nightly", "default", true, "type", "S3", "versionCreated", "11.5.0", "bucketName", "geodeck-backups", "region", "eu-north-1")
	if len(one.text("providerID")) != 21 || len(one.text("serviceID")) != 21 {
		t.Error(one.body)
	}
	s.get("/system/disasterrecovery").is(`{"operations":["status"],"resources":["stores","settings"]}` + "\n")
	s.get("/system/disasterrecovery/stores").has("backupStores", 1, "backupStores.0.serviceID", one.text("serviceID"))
	s.get(onStore("x")).refused(404, "no backup store x")
	old := open(t, "old", "admin")
	old.get(onStore("nightly")).has("type", "HOSTED", "versionCreated", "10.9.1", "bucketName", nil, "storageConfig.provisioningType", "DYNAMIC")
}

func TestABackupWalksItsStagesAndIsListed(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	const passcode = "correct horse"
	got := s.post(onStore("nightly")+"/backups/create", "name", "before", "passcode", passcode, "description", "None", "retentionDate", "-1")
	got.has("status", "SUBMITTED", "jobsUrl", s.server.URL()+"/jobs/"+got.text("jobid"))
	job, seen := "/jobs/"+got.text("jobid"), got.body
	s.clock.Advance(10 * time.Second)
	s.isStatus(job, "EXECUTING").has("result", nil)
	status := s.get("/system/disasterrecovery/status")
	status.has("status.code", 1, "status.state", "in_progress", "status.backupName", "before", "status.scheduleType", "MANUAL", "status.operation", "Backup",
		"status.stages", 3, "status.stages.0.name", "Validation", "status.stages.0.state", "completed", "status.stages.2.state", "in_progress")
	list := s.get(onStore("nightly") + "/backups")
	list.has("backups", 8, "backups.7.backupName", "before", "backups.7.status", "in_progress", "backups.7.completeTime", nil)
	s.post(onStore("nightly")+"/backups/create", "name", "another", "passcode", passcode).refused(409, "in progress")
	s.clock.Advance(time.Minute)
	end := s.isStatus(job, "COMPLETED")
	end.has("result.stages", 5, "result.stages.4.state", "completed", "result.stages.2.duration", "50405 millis (~ 0 minutes)", "resource.name", "before")
	after := s.get(onStore("nightly") + "/backups")
	after.has("backups.7.status", "completed", "backups.7.description", "None", "backups.7.retentionDate", -1, "backups.7.backupStore", "nightly",
		"backups.7.completeTime", end.number("endtime"), "backups.7.release", "11.5.0")
	s.get("/system/disasterrecovery/status").has("status.code", 3, "status.state", "success", "status.message", "", "status.stages", 5)
	if all := seen + status.body + list.body + end.body + after.body; strings.Contains(all, passcode) {
		t.Error("an answer shows the passcode")
	}
}

func TestABackupThatIsNotAllowedIsRefused(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	create := func(pairs ...string) reply { return s.post(onStore("nightly")+"/backups/create", pairs...) }
	create("passcode", "12345678").refused(400, "name")
	create("name", "a").refused(400, "passcode")
	create("name", "a", "passcode", "1234567").refused(400, "less than 8")
	create("name", "a", "passcode", "12345678", "retentionDate", "soon").refused(400, "retentionDate")
	create("name", s.get(onStore("nightly")+"/backups").text("backups.0.backupName"), "passcode", "12345678").refused(400, "already")
	s.post(onStore("x")+"/backups/create", "name", "a", "passcode", "12345678").refused(404, "x")
	open(t, "unreadable-backup", "admin").post(onStore("nightly")+"/backups/create").refused(500, "cannot be read")
	open(t, "no-backup", "admin").get("/system/disasterrecovery/status").is(`{"status":{}}` + "\n")
}

func TestTheStatusIsThatOfTheNewestBackup(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.get("/system/disasterrecovery/status").has("status.code", 3, "status.state", "success", "status.scheduleType", "SCHEDULED",
		"status.backupName", "backup-20261120-0200", "status.backupStore", "nightly", "status.startTime", noon.Add(-10*time.Hour).UnixMilli())
}

// A site that is begun at night is as any other: its last backup is complete, and none is due for hours.
func TestNoBackupIsDueNearTheHourAtWhichASiteBegins(t *testing.T) {
	t.Parallel()
	for hour := range 24 {
		begins := noon.Add(time.Duration(hour)*time.Hour - time.Minute)
		s := startOn(t, simulator.Options{Scenario: builtIn(t, "healthy"), Clock: simtest.NewManualClock(begins)}, "admin")
		status := s.get("/system/disasterrecovery/status")
		status.has("status.state", "success")
		if age := begins.Sub(time.UnixMilli(int64(status.number("status.startTime")))); age < 5*time.Hour || age > 18*time.Hour {
			t.Errorf("begun at %s, it has a backup %s old", begins, age)
		}
	}
}

func TestTheSettingsOfDisasterRecoveryAreChanged(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	const path = "/system/disasterrecovery/settings"
	s.get(path).has("stagingVolumeConfig.component", "DR_JOB", "stagingVolumeConfig.size", "64Gi", "timeoutInSeconds", 7200)
	s.post(path+"/update", "settings", `{"stagingVolumeConfig":{"storageClass":"fast","size":"32Gi","provisioningType":"DYNAMIC"},"timeoutInSeconds":null}`).has("status", "success")
	s.get(path).has("stagingVolumeConfig.storageClass", "fast", "stagingVolumeConfig.size", "32Gi", "stagingVolumeConfig.provisioningType", "DYNAMIC",
		"stagingVolumeConfig.component", "DR_JOB", "stagingVolumeConfig.g", noon.UnixMilli(), "timeoutInSeconds", 7200)
	s.post(path+"/update", "settings", `{"timeoutInSeconds":0}`).refused(400, "more than 0")
	s.post(path+"/update", "settings", `{"stagingVolumeConfig":{"size":"-5"}}`).refused(400, "size")
	s.post(path+"/update", "settings", `{`).refused(400, "settings")
	s.post(path+"/update").refused(400, "settings")
}

func TestStoresAreRegisteredChangedAndUnregistered(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	const register = "/system/disasterrecovery/stores/register"
	const cloud = `{"type":"S3","provider":{"name":"AWS","cloudServices":[{"name":"AWS S3","type":"objectStore","usage":"BACKUP","category":"storage",` +
		`"connection":{"bucketName":"b","region":"r","rootDir":"backups","credential":{"type":"ACCESS-KEY","secret":{"secretKey":"very-secret"}}}}]}}`
	s.post(register, "storeName", "cloud", "settings", cloud, "isDefault", "true", "async", "false").has("status", "success")
	got := s.get(onStore("cloud"))
	got.has("default", true, "type", "S3", "bucketName", "b", "region", "r", "rootDir", "backups", "versionCreated", "11.5.0")
	if strings.Contains(got.body, "secret") {
		t.Error(got.body)
	}
	s.get(onStore("nightly")).has("default", false)
	s.post(register, "storeName", "volume", "settings", `{"type":"HOSTED","storageConfig":{"provisioningType":"STATIC","storageClass":"c","size":"64Gi","labels":{"a":"b"}}}`, "isDefault", "false")
	s.get(onStore("volume")).has("default", false, "storageConfig.provisioningType", "STATIC")
	s.get(onStore("volume")+"/backups").has("backups", 0)
	s.post(onStore("nightly")+"/update", "settings", `{"default": true}`).has("status", "success")
	s.get(onStore("cloud")).has("default", false)
	s.post(onStore("cloud")+"/unregister").has("status", "success")
	s.get("/system/disasterrecovery/stores").has("backupStores", 2, "backupStores.0.name", "nightly", "backupStores.0.default", true, "backupStores.1.name", "volume")
	s.post(register, "storeName", "volume", "settings", `{}`).refused(400, "already")
	s.post(register, "storeName", "x", "settings", `{}`).refused(400, "type")
	s.post(register, "storeName", "x", "settings", `{"type":"HOSTED"}`).refused(400, "size")
	job := "/jobs/" + s.post(register, "storeName", "later", "settings", `{"type":"S3"}`, "async", "true").text("jobid")
	s.get(onStore("later")).refused(404, "later")
	s.clock.Advance(time.Second)
	s.isStatus(job, "COMPLETED").has("resource.name", "later")
	s.get(onStore("later")).has("type", "S3", "default", false)
	s.post(register, "storeName", "x", "settings", `no`).refused(400, "settings")
	open(t, "old", "admin").post(register, "storeName", "x", "settings", cloud).refused(400, "stores of type S3 came with 11.2")
	s.post(register, "settings", `{}`).refused(400, "storeName")
}

func TestAStoreIsRegisteredOnceAndCanBeFound(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	const register, settings = "/system/disasterrecovery/stores/register", `{"type":"HOSTED","storageConfig":{"storageClass":"x","size":"%"}}`
	sized := func(size string) string { return strings.Replace(settings, "%", size, 1) }
	s.post(register, "storeName", "second", "settings", sized("1Gi"), "async", "true").has("status", "SUBMITTED")
	s.post(register, "storeName", "second", "settings", sized("1Gi"), "async", "true").refused(400, "already")
	s.clock.Advance(time.Minute)
	s.get("/system/disasterrecovery/stores").has("backupStores", 2)
	s.post(register, "storeName", "second", "settings", sized("1Gi")).refused(400, "already")
	s.post(register, "storeName", "a/b", "settings", sized("1Gi")).refused(400, "slash")
	s.post(onStore("second")+"/backups/create", "name", "a/b", "passcode", "correct horse").refused(400, "slash")
	s.post(onStore("second") + "/unregister")
	s.post(register, "storeName", "second", "settings", sized("1Gi"), "async", "true").has("status", "SUBMITTED")
	// A quantity that would take minutes to read.
	s.post(register, "storeName", "third", "settings", sized("1e-2000000000")).refused(400, "size")
}

// TestWhatIsShownMayChangeMeanwhile is for the race detector.
func TestWhatIsShownMayChangeMeanwhile(t *testing.T) {
	t.Parallel()
	s := startOn(t, simulator.Options{Clock: simtest.NewSteppedClock(noon)}, "admin")
	const scaling = "/services/SampleWorldCities.MapServer/scaling"
	spec := s.get(scaling).body
	var callers sync.WaitGroup
	for range 2 {
		callers.Go(func() {
			for range 20 {
				s.post(onStore("nightly")+"/update", "settings", `{"default":false}`)
				s.post(scaling+"/edit", "serviceScalingSpec", spec)
			}
		})
		callers.Go(func() {
			for range 20 {
				s.get("/system/disasterrecovery/stores").has("backupStores", 1)
				s.get(onStore("nightly"))
				s.get(scaling)
			}
		})
	}
	callers.Wait()
}
