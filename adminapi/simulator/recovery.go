package simulator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi/lists"
)

// recovery is the area of disaster recovery: stores, backups, and how they are made.
type recovery struct {
	*world
	stores    []*backupStore
	coming    []string  // names of stores whose registration is under way
	backups   []*backup // oldest first
	restored  *restore  // the last one, nil for none
	scheduled passcode  // of the backups of the nights
	settings  recoverySettings
}

func (a *recovery) routes() []*route {
	const root, store = "/system/disasterrecovery", "/system/disasterrecovery/stores/{store}"
	return needing([]string{privSecurity},
		get(root, "Disaster recovery", a.show),
		get(root+"/status", "Disaster recovery status", a.showStatus),
		get(root+"/settings", "Disaster recovery settings", a.showSettings),
		post(root+"/settings/update", "Update settings", a.updateSettings),
		get(root+"/stores", "Backup stores", a.showStores),
		post(root+"/stores/register", "Register backup store", a.register),
		get(store, "Backup store", on(a.store, a.showStore)),
		post(store+"/update", "Update backup store", on(a.store, a.updateStore)),
		post(store+"/validate", "Validate backup store", on(a.readable, a.validate)).from("10.9.1"),
		post(store+"/unregister", "Unregister backup store", on(a.store, a.unregister)),
		get(store+"/backups", "Backups", on(a.readable, a.showBackups)),
		post(store+"/backups/create", "Create backup", on(a.readable, a.create)),
		get(store+"/backups/{backup}", "Backup", on(a.backup, showBackup)),
		post(store+"/backups/{backup}/restore", "Restore backup", on(a.backup, a.restore)),
	)
}

// backupStore is a place for backups.
type backupStore struct {
	Name       string         `json:"name"`
	Default    bool           `json:"default"`
	Type       string         `json:"type"`
	Created    string         `json:"versionCreated,omitempty"`
	ProviderID string         `json:"providerID,omitempty"`
	ServiceID  string         `json:"serviceID,omitempty"`
	Bucket     string         `json:"bucketName,omitempty"`
	Region     string         `json:"region,omitempty"`
	RootDir    string         `json:"rootDir,omitempty"`
	Volume     *storageConfig `json:"storageConfig,omitempty"`
}

// storageConfig is a volume of the cluster.
type storageConfig struct {
	Class        string `json:"storageClass"`
	Size         string `json:"size"`
	Provisioning string `json:"provisioningType"`
}

// The types of stores: in a cloud, in a volume.
const storeS3, storeHosted = "S3", "HOSTED"

// cloudStores is the version that brought stores in a cloud.
const cloudStores = "11.2"

// scheduledStore is the name of the store that a backup goes to every night.
const scheduledStore = "nightly"

func newRecovery(w *world) *recovery {
	r := w.random("recovery")
	a := &recovery{world: w, scheduled: newPasscode(w.secrets, scheduledPasscode), settings: recoverySettings{
		Volume:  stagingVolume{"DR_JOB", storageConfig{"default", "64Gi", "DYNAMIC"}, millis(w.started.AddDate(0, -4, 0))},
		Timeout: 7200,
	}}
	s := &backupStore{Name: scheduledStore, Default: true, Type: storeHosted, Created: w.version.release(),
		ProviderID: shortID(r, 21), ServiceID: shortID(r, 21)}
	if w.version.before(cloudStores) {
		s.RootDir, s.Volume = "backups", &storageConfig{"backups", "64Gi", "DYNAMIC"}
	} else {
		s.Type, s.Bucket, s.Region = storeS3, "geodeck-backups", "eu-north-1"
	}
	if w.scenario.Backups != backupsNone {
		a.stores = []*backupStore{s}
	}
	return a
}

// store finds the store that the path of a request names.
func (a *recovery) store(q *request) (*backupStore, error) {
	name := q.vars["store"]
	return orNotFound(a.named(name), "store", "backup store "+name)
}

func (a *recovery) named(name string) *backupStore {
	return find(a.stores, func(s *backupStore) bool { return s.Name == name })
}

// readable is store for what needs what is in it.
func (a *recovery) readable(q *request) (*backupStore, error) {
	s, err := a.store(q)
	if err == nil && a.scenario.Backups == backupsUnreadable {
		err = &refusal{code: 500, message: "The backup store cannot be read.", details: []string{"the store did not answer within 30 s"}}
	}
	return s, err
}

func (a *recovery) show(*request) any {
	return object{"operations": []string{"status"}, "resources": []string{"stores", "settings"}}
}

func (a *recovery) showStores(*request) any {
	// Copies: the answer is written when others change the stores.
	return object{"backupStores": lists.Each(a.stores, func(s *backupStore) backupStore { return *s })}
}

func (a *recovery) showStore(_ *request, s *backupStore) any {
	return *s
}

// register adds a store. Of its settings only what it shows is kept: they may hold the keys
// of a cloud.
func (a *recovery) register(q *request) any {
	var settings struct {
		Type     string         `json:"type"`
		Volume   *storageConfig `json:"storageConfig"`
		RootDir  string         `json:"rootDir"`
		Provider struct {
			Services []struct {
				Connection struct {
					Bucket string `json:"bucketName"`
					Region string `json:"region"`
					Root   string `json:"rootDir"`
				} `json:"connection"`
			} `json:"cloudServices"`
		} `json:"provider"`
	}
	name, first := q.required("storeName"), q.boolean("isDefault")
	async := q.boolean("async")
	q.readObject("settings", &settings)
	const cannot = "The backup store cannot be registered."
	switch {
	case q.err != nil:
		return q.err
	case a.named(name) != nil || slices.Contains(a.coming, name):
		return invalid(cannot, "there is a backup store "+name+" already")
	case strings.Contains(name, "/"):
		return invalid(cannot, "storeName has a slash")
	case settings.Type == "":
		return invalid(cannot, "settings has no type")
	case settings.Type != storeHosted && a.version.before(cloudStores):
		return invalid(cannot, "this site is "+a.version.String()+"; stores of type "+settings.Type+" came with "+cloudStores)
	case settings.Type == storeHosted && (settings.Volume == nil || atMost(settings.Volume.Size, settings.Volume.Size) != nil):
		return invalid(cannot, "storageConfig of a HOSTED store needs a size such as 64Gi")
	}
	r := a.ids
	s := &backupStore{Name: name, Type: settings.Type, Created: a.version.release(),
		ProviderID: shortID(r, 21), ServiceID: shortID(r, 21), RootDir: settings.RootDir, Volume: settings.Volume}
	if list := settings.Provider.Services; len(list) > 0 {
		s.Bucket, s.Region, s.RootDir = list[0].Connection.Bucket, list[0].Connection.Region, list[0].Connection.Root
	}
	add := func() {
		a.stores = append(a.stores, s)
		a.setDefault(s, first)
	}
	if async {
		ends := q.now.Add(queueTime)
		a.coming = append(a.coming, name)
		a.schedule(ends, func() {
			a.coming = slices.DeleteFunc(a.coming, func(other string) bool { return other == name })
			add()
		})
		return a.jobs.inJob(q, job{name: "Register backup store", resource: name, begins: q.now, ends: ends})
	}
	add()
	return success
}

// setDefault says whether a store is the default one, of which there is one at most.
func (a *recovery) setDefault(s *backupStore, on bool) {
	for _, other := range a.stores {
		other.Default = other.Default && !on
	}
	s.Default = on
}

func (a *recovery) updateStore(q *request, s *backupStore) any {
	settings := struct {
		Default bool `json:"default"`
	}{s.Default}
	if q.readObject("settings", &settings); q.err == nil {
		a.setDefault(s, settings.Default)
	}
	return success
}

// validate reports whether backups can be made in a store; readable refuses one that cannot
// be reached.
func (a *recovery) validate(*request, *backupStore) any {
	return object{"isReady": true, "status": "success"}
}

func (a *recovery) unregister(_ *request, s *backupStore) any {
	a.stores = slices.DeleteFunc(a.stores, func(other *backupStore) bool { return other == s })
	return success
}

// recoverySettings is where backups are prepared, and how long one may take.
type recoverySettings struct {
	Volume  stagingVolume `json:"stagingVolumeConfig"`
	Timeout int           `json:"timeoutInSeconds"`
}

type stagingVolume struct {
	Component string `json:"component"`
	storageConfig
	Changed int64 `json:"g"`
}

func (a *recovery) showSettings(*request) any { return a.settings }

// updateSettings changes what is given; null is nothing.
func (a *recovery) updateSettings(q *request) any {
	to := a.settings
	if q.readObject("settings", &to); q.err == nil && (to.Timeout < 1 || to.Volume.Class == "" || atMost(to.Volume.Size, to.Volume.Size) != nil) {
		return invalid("The settings are not valid.", "stagingVolumeConfig needs storageClass and a size such as 64Gi; timeoutInSeconds is more than 0")
	}
	if q.err != nil {
		return q.err
	}
	to.Volume.Component, to.Volume.Changed = a.settings.Volume.Component, millis(q.now)
	a.settings = to
	return success
}

// backup is one backup.
type backup struct {
	recoveryRun
	name, store, description string
	schedule                 string // by whom it was started
	retention                int64  // until when it is kept, -1 for ever
	release                  string // of the site that it was made of
	passcode                 passcode
	content                  *snapshot
}

// The schedules of backups.
const byHand, nightly = "MANUAL", "SCHEDULED"

func showBackup(q *request, b *backup) any {
	body := object{
		"backupName": b.name, "backupStore": b.store, "backupType": "FULL", "scheduleType": b.schedule,
		"release": b.release, "description": b.description, "retentionDate": b.retention,
		"startTime": millis(b.start), "status": b.status(q.now),
	}
	if body["status"] != stateRunning {
		body["completeTime"] = millis(b.end())
	}
	return body
}

func (a *recovery) showBackups(q *request, s *backupStore) any {
	inStore := only(a.backups, func(b *backup) bool { return b.store == s.Name })
	return object{"backups": lists.Each(inStore, func(b *backup) any { return showBackup(q, b) })}
}

// backup finds the backup that the path of a request names.
func (a *recovery) backup(q *request) (*backup, error) {
	s, err := a.readable(q)
	if err != nil {
		return nil, err
	}
	name := q.vars["backup"]
	return orNotFound(a.backupNamed(s.Name, name), "backup", "backup "+name+" in the store "+s.Name)
}

func (a *recovery) backupNamed(store, name string) *backup {
	return find(a.backups, func(b *backup) bool { return b.store == store && b.name == name })
}

// nights is how many backups the schedule keeps.
const nights = 7

// addPast adds the backups of the nights before the world began, one of which has failed. They hold the world as it
// begins. They were made at 02:00 UTC, or at 14:00 where it begins within six hours of that: at whatever hour a world
// is begun, no backup is due or under way for six hours, and it is as at any other.
func (a *recovery) addPast() {
	w := a.world
	plan := w.scenario.Backups
	if plan == backupsNone {
		return
	}
	last := w.started
	if plan == backupsOld {
		last = last.AddDate(0, -2, 0)
	}
	night := last.UTC().Add(-8 * time.Hour).Truncate(12 * time.Hour).Add(2 * time.Hour)
	content := w.snapshot()
	for age := nights - 1; age >= 0; age-- {
		b := a.ofNight(night.AddDate(0, 0, -age), content)
		if age == 2 {
			b.failedAt = "Stage Object store"
		}
		if run := w.upgrades.run; run != nil && b.start.Before(run.end) {
			b.release = run.from.release()
		}
	}
	if plan != backupsOld {
		a.scheduleNight(night.AddDate(0, 0, 1))
	}
}

// scheduleNight schedules the backup of a night, and with it that of the next. While a
// backup is restored, none is made.
func (a *recovery) scheduleNight(at time.Time) {
	a.schedule(at, func() {
		if !a.restoring(at) {
			a.ofNight(at, a.snapshot())
			first := slices.IndexFunc(a.backups, func(b *backup) bool { return b.schedule == nightly })
			a.backups = slices.Delete(a.backups, first, first+1)
		}
		a.scheduleNight(at.AddDate(0, 0, 1))
	})
}

// ofNight adds the backup of a night.
func (a *recovery) ofNight(at time.Time, content *snapshot) *backup {
	b := &backup{name: "backup-" + at.Format("20060102-1504"), store: scheduledStore, schedule: nightly, retention: millis(at.AddDate(0, 0, 14)),
		recoveryRun: recoveryRun{plan: backupStages, start: at, slower: 36}, release: a.version.release(), passcode: a.scheduled, content: content}
	a.backups = append(a.backups, b)
	return b
}

// shortestPasscode is how many characters a passcode has at least.
const shortestPasscode = 8

// create makes a backup. Of the passcode it keeps only what tells it from another one.
func (a *recovery) create(q *request, s *backupStore) any {
	name, code, retention := q.required("name"), q.required("passcode"), int64(-1)
	if len([]rune(code)) < shortestPasscode {
		q.refuse(notAllowed(fmt.Sprintf("passcode has less than %d characters", shortestPasscode)))
	}
	if text := q.params.Get("retentionDate"); text != "" {
		var err error
		if retention, err = strconv.ParseInt(text, 10, 64); err != nil || retention < -1 {
			q.refuse(notAllowed("retentionDate is milliseconds, or -1"))
		}
	}
	switch {
	case q.err != nil:
		return q.err
	case strings.Contains(name, "/"):
		return notAllowed("name has a slash")
	case a.backupNamed(s.Name, name) != nil:
		return invalid("The backup cannot be created.", "there is a backup "+name+" already")
	}
	if err := a.checkIdle(q.now); err != nil {
		return err
	}
	b := &backup{name: name, store: s.Name, description: q.params.Get("description"), schedule: byHand, retention: retention,
		recoveryRun: recoveryRun{plan: backupStages, start: q.now.Add(queueTime), slower: 1}, release: a.version.release(),
		passcode: newPasscode(a.secrets, code), content: a.snapshot()}
	a.backups = append(a.backups, b)
	return a.jobs.inJob(q, job{name: "Create backup", resource: name, begins: b.start, ends: b.end(),
		result: func() any { return object{"stages": b.stages(b.end())} }})
}

// checkIdle refuses what cannot be done while a backup is made. While one is restored, no
// write gets here.
func (a *recovery) checkIdle(now time.Time) error {
	if slices.ContainsFunc(a.backups, func(b *backup) bool { return now.Before(b.end()) }) {
		return conflict("Another disaster recovery operation is in progress.")
	}
	return nil
}
