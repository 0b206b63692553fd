package simulator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"geodeck/adminapi/sorting"
)

// recovery is the area of disaster recovery: stores, backups, and how they are made.
type recovery struct {
	world    *world
	stores   []*backupStore
	made     []*backup // by a user, oldest first
	settings recoverySettings
}

func (a *recovery) routes() []*route {
	const root, store = "/system/disasterrecovery", "/system/disasterrecovery/stores/{store}"
	routes := []*route{
		get(root+"/status", "Disaster recovery status", a.showStatus),
		get(root+"/settings", "Disaster recovery settings", a.showSettings),
		post(root+"/settings/update", "Update settings", a.updateSettings),
		get(root+"/stores", "Backup stores", a.showStores),
		post(root+"/stores/register", "Register backup store", a.register),
		get(store, "Backup store", on(a.store, a.showStore)),
		post(store+"/update", "Update backup store", on(a.store, a.updateStore)),
		post(store+"/unregister", "Unregister backup store", on(a.store, a.unregister)),
		get(store+"/backups", "Backups", on(a.readable, a.showBackups)),
		post(store+"/backups/create", "Create backup", on(a.readable, a.create)),
	}
	for i := range routes {
		routes[i].privileges = []string{privSecurity}
	}
	return routes
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

// The types of stores: in a cloud since 11.2, in a volume.
const storeS3, storeHosted = "S3", "HOSTED"

// scheduledStore is the name of the store that a backup goes to every night.
const scheduledStore = "nightly"

func newRecovery(w *world) *recovery {
	r := w.random("recovery")
	a := &recovery{world: w, settings: recoverySettings{
		Volume:  stagingVolume{"DR_JOB", storageConfig{"default", "64Gi", "DYNAMIC"}, millis(w.started.AddDate(0, -4, 0))},
		Timeout: 7200,
	}}
	s := &backupStore{Name: scheduledStore, Default: true, Type: storeHosted, Created: w.version.release(),
		ProviderID: shortID(r, 21), ServiceID: shortID(r, 21)}
	if w.version.before("11.2") {
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
	if s := a.named(name); s != nil {
		return s, nil
	}
	return nil, notFound("no such store", "there is no backup store "+name)
}

func (a *recovery) named(name string) *backupStore {
	return find(a.stores, func(s *backupStore) bool { return s.Name == name })
}

// readable is store for what needs what is in it.
func (a *recovery) readable(q *request) (*backupStore, error) {
	s, err := a.store(q)
	if err == nil && a.world.scenario.Backups == backupsUnreadable {
		err = &refusal{code: 500, message: "The backup store cannot be read.", details: []string{"the store did not answer within 30 s"}}
	}
	return s, err
}

func (a *recovery) showStores(*request) (answer, error) {
	return answer{body: map[string][]*backupStore{"backupStores": append([]*backupStore{}, a.stores...)}}, nil
}

func (a *recovery) showStore(_ *request, s *backupStore) (answer, error) {
	return answer{body: s}, nil
}

// objectOf reads a parameter that is a JSON object.
func objectOf(q *request, name string, into any) {
	text := q.required(name)
	if err := json.Unmarshal([]byte(text), into); q.err == nil && err != nil {
		q.refuse(invalid("The JSON of a parameter is not valid.", name+": "+whyNotJSON(err)))
	}
}

// register adds a store. Of its settings only what it shows is kept: they may hold the keys
// of a cloud.
func (a *recovery) register(q *request) (answer, error) {
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
	objectOf(q, "settings", &settings)
	const cannot = "The backup store cannot be registered."
	switch {
	case a.named(name) != nil:
		q.refuse(invalid(cannot, "there is a backup store "+name+" already"))
	case settings.Type == "":
		q.refuse(invalid(cannot, "settings has no type"))
	case settings.Type == storeHosted && (settings.Volume == nil || atMost(settings.Volume.Size, settings.Volume.Size) != nil):
		q.refuse(invalid(cannot, "storageConfig of a HOSTED store needs a size such as 64Gi"))
	}
	if q.err != nil {
		return answer{}, q.err
	}
	r := a.world.ids
	s := &backupStore{Name: name, Type: settings.Type, Created: a.world.version.release(),
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
		a.world.schedule(ends, add)
		return a.world.jobs.inJob(q, job{name: "Register backup store", resource: name, begins: q.now, ends: ends}), nil
	}
	add()
	return success, nil
}

// setDefault says whether a store is the default one, of which there is one at most.
func (a *recovery) setDefault(s *backupStore, on bool) {
	for _, other := range a.stores {
		other.Default = other.Default && !on
	}
	s.Default = on
}

func (a *recovery) updateStore(q *request, s *backupStore) (answer, error) {
	settings := struct {
		Default bool `json:"default"`
	}{s.Default}
	if objectOf(q, "settings", &settings); q.err == nil {
		a.setDefault(s, settings.Default)
	}
	return success, q.err
}

func (a *recovery) unregister(_ *request, s *backupStore) (answer, error) {
	a.stores = slices.DeleteFunc(a.stores, func(other *backupStore) bool { return other == s })
	return success, nil
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

func (a *recovery) showSettings(*request) (answer, error) { return answer{body: a.settings}, nil }

// updateSettings changes what is given; null is nothing.
func (a *recovery) updateSettings(q *request) (answer, error) {
	to := a.settings
	if objectOf(q, "settings", &to); q.err == nil && (to.Timeout < 1 || to.Volume.Class == "" || atMost(to.Volume.Size, to.Volume.Size) != nil) {
		q.refuse(invalid("The settings are not valid.", "stagingVolumeConfig needs storageClass and a size such as 64Gi; timeoutInSeconds is more than 0"))
	}
	if q.err != nil {
		return answer{}, q.err
	}
	to.Volume.Component, to.Volume.Changed = a.settings.Volume.Component, millis(q.now)
	a.settings = to
	return success, nil
}

// backup is one backup.
type backup struct {
	name, store, description string
	schedule                 string // by whom it was started
	start                    time.Time
	retention                int64 // until when it is kept, -1 for ever
	failed                   bool
	slower                   int // how many times as long as usual it takes
}

// The schedules of backups.
const byHand, nightly = "MANUAL", "SCHEDULED"

// backupStages are the stages of a backup with their usual times.
var backupStages = []struct {
	name string
	took time.Duration
}{
	{"Validation", 3096 * time.Millisecond},
	{"Stage Relational store", 5149 * time.Millisecond},
	{"Stage Object store", 50405 * time.Millisecond},
	{"Stage system configuration", 6517 * time.Millisecond},
	{"Post backup operation cleanup", 800 * time.Millisecond},
}

type stageBody struct {
	Duration string `json:"duration"`
	Updated  int64  `json:"lastUpdated"`
	Name     string `json:"name"`
	State    string `json:"state"`
}

// stages returns the stages of a backup that have begun at a time.
func (b *backup) stages(now time.Time) []stageBody {
	list, begin := []stageBody{}, b.start
	for _, stage := range backupStages {
		if now.Before(begin) {
			break
		}
		end := begin.Add(stage.took * time.Duration(b.slower))
		state, took := stateDone, end.Sub(begin)
		switch {
		case now.Before(end):
			state, took = stateRunning, now.Sub(begin)
		case b.failed && stage.name == "Stage Object store":
			state = "failed"
		}
		list = append(list, stageBody{fmt.Sprintf("%d millis (~ %d minutes)", took.Milliseconds(), int(took.Minutes())), millis(begin.Add(took)), stage.name, state})
		if state != stateDone {
			break
		}
		begin = end
	}
	return list
}

func (b *backup) end() time.Time {
	end := b.start
	for _, stage := range backupStages {
		end = end.Add(stage.took * time.Duration(b.slower))
	}
	return end
}

// status is the word of a list for how a backup is at a time.
func (b *backup) status(now time.Time) string {
	switch {
	case now.Before(b.end()):
		return stateRunning
	case b.failed:
		return "failed"
	}
	return stateDone
}

type backupBody struct {
	Release     string `json:"release"`
	Description string `json:"description"`
	Complete    int64  `json:"completeTime,omitempty"`
	Store       string `json:"backupStore"`
	Retention   int64  `json:"retentionDate"`
	Type        string `json:"backupType"`
	Schedule    string `json:"scheduleType"`
	Start       int64  `json:"startTime"`
	Name        string `json:"backupName"`
	Status      string `json:"status"`
}

func (a *recovery) showBackups(q *request, s *backupStore) (answer, error) {
	list := []backupBody{}
	for _, b := range a.backups(q.now) {
		if b.store != s.Name {
			continue
		}
		body := backupBody{a.world.version.release(), b.description, 0, b.store, b.retention, "FULL", b.schedule, millis(b.start), b.name, b.status(q.now)}
		if body.Status != stateRunning {
			body.Complete = millis(b.end())
		}
		list = append(list, body)
	}
	return answer{body: map[string][]backupBody{"backups": list}}, nil
}

// backups returns the backups of all stores, oldest first: one a day, made at two in the
// morning UTC, one of which has failed, and those that were made by hand.
func (a *recovery) backups(now time.Time) []*backup {
	list := slices.Clone(a.made)
	if a.world.scenario.Backups != backupsNone {
		last := now
		if a.world.scenario.Backups == backupsOld {
			last = a.world.started.AddDate(0, -2, 0)
		}
		night := last.UTC().Truncate(24 * time.Hour).Add(2 * time.Hour)
		if night.After(last) {
			night = night.AddDate(0, 0, -1)
		}
		for age := range 7 {
			at := night.AddDate(0, 0, -age)
			list = append(list, &backup{name: "backup-" + at.Format("20060102-1504"), store: scheduledStore, schedule: nightly,
				start: at, retention: millis(at.AddDate(0, 0, 14)), failed: age == 2, slower: 36})
		}
	}
	sorting.Stable(list, func(a, b *backup) int { return a.start.Compare(b.start) })
	return list
}

// shortestPasscode is how many characters a passcode has at least.
const shortestPasscode = 8

// create makes a backup. The passcode is checked, and not kept.
func (a *recovery) create(q *request, s *backupStore) (answer, error) {
	name, retention := q.required("name"), int64(-1)
	if len([]rune(q.required("passcode"))) < shortestPasscode {
		q.refuse(notAllowed(fmt.Sprintf("passcode has less than %d characters", shortestPasscode)))
	}
	if text := q.params.Get("retentionDate"); text != "" {
		var err error
		if retention, err = strconv.ParseInt(text, 10, 64); err != nil || retention < -1 {
			q.refuse(notAllowed("retentionDate is milliseconds, or -1"))
		}
	}
	list := a.backups(q.now)
	if slices.ContainsFunc(list, func(b *backup) bool { return b.name == name && b.store == s.Name }) {
		q.refuse(invalid("The backup cannot be created.", "there is a backup "+name+" already"))
	}
	if len(list) > 0 && q.now.Before(list[len(list)-1].end()) {
		q.refuse(&refusal{code: 409, message: "Another disaster recovery operation is in progress."})
	}
	if q.err != nil {
		return answer{}, q.err
	}
	b := &backup{name: name, store: s.Name, description: q.params.Get("description"), schedule: byHand,
		start: q.now.Add(queueTime), retention: retention, slower: 1}
	a.made = append(a.made, b)
	return a.world.jobs.inJob(q, job{name: "Create backup", resource: name, begins: b.start, ends: b.end(),
		result: func() any { return map[string][]stageBody{"stages": b.stages(b.end())} }}), nil
}

type recoveryStatus struct {
	Code      int         `json:"code"`
	Schedule  string      `json:"scheduleType"`
	Stages    []stageBody `json:"stages"`
	Complete  int64       `json:"completeTime"`
	Start     int64       `json:"startTime"`
	State     string      `json:"state"`
	Store     string      `json:"backupStore"`
	Message   string      `json:"message"`
	Operation string      `json:"operation"`
	Backup    string      `json:"backupName"`
}

// showStatus shows the newest backup.
func (a *recovery) showStatus(q *request) (answer, error) {
	list := a.backups(q.now)
	if len(list) == 0 {
		return answer{body: map[string]object{"status": {}}}, nil
	}
	b := list[len(list)-1]
	to := recoveryStatus{Code: 3, Schedule: b.schedule, Stages: b.stages(q.now), Complete: millis(b.end()), Start: millis(b.start),
		State: "success", Store: b.store, Operation: "Backup", Backup: b.name}
	switch b.status(q.now) {
	case stateRunning:
		to.Code, to.Complete, to.State = 1, 0, stateRunning
	case "failed":
		to.Code, to.State, to.Message = 2, "failed", "The backup has failed."
	}
	return answer{body: map[string]recoveryStatus{"status": to}}, nil
}
