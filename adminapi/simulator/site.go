package simulator

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// platform is the area of the site itself: what it is, its mode, its backups.
type platform struct{ world *world }

func (a *platform) routes() []route {
	updateMode := post("/mode/update", "Update mode", a.updateMode).needing(privSecurity)
	updateMode.duringRO = true
	return []route{
		get("", "Administrative root", a.root),
		get("/mode", "Mode", a.showMode),
		updateMode,
		get("/system/disasterrecovery/stores", "Backup stores", a.showBackupStores).needing(privSecurity),
		get("/system/disasterrecovery/stores/{store}/backups", "Backups", a.showBackups).needing(privSecurity),
	}
}

type rootBody struct {
	FullVersion    string          `json:"fullVersion"`
	CurrentVersion json.RawMessage `json:"currentVersion"`
	Resources      []string        `json:"resources"`
	Status         rootStatus      `json:"status"`
	Simulator      string          `json:"simulator"`
}

type rootStatus struct {
	Stages []rootStage `json:"stages"`
}

type rootStage struct {
	Name        string `json:"name"`
	State       string `json:"state"`
	LastUpdated int64  `json:"lastUpdated"`
}

func (a *platform) root(*request) (answer, error) {
	resources := []string{"services", "uploads", "system", "mode", "jobs"}
	if !a.world.version.before("11.2") {
		resources = append(resources, "healthCheck")
	}
	return answer{body: rootBody{
		FullVersion:    a.world.version.String(),
		CurrentVersion: a.world.version.asNumber(),
		Resources:      resources,
		Status: rootStatus{Stages: []rootStage{
			{Name: "Create site", State: "completed", LastUpdated: millis(a.world.started.AddDate(0, -4, 0))},
		}},
		Simulator: "geodeck simulator, scenario " + a.world.scenario.Name,
	}}, nil
}

// asNumber writes a version of two parts as a number and any other as a string,
// since 10.9.1 is no number.
func (v version) asNumber() json.RawMessage {
	if v[2] == 0 {
		return json.RawMessage(v.short())
	}
	return json.RawMessage(`"` + v.short() + `"`)
}

// mode says whether the site takes writes.
type mode struct {
	readOnly    bool
	message     string
	description string
}

type modeBody struct {
	ReadOnly    bool   `json:"isReadOnly"`
	Message     string `json:"message,omitempty"`
	Description string `json:"description,omitempty"`
}

type statusBody struct {
	Status string `json:"status"`
}

func (a *platform) showMode(*request) (answer, error) {
	return answer{body: modeBody{a.world.mode.readOnly, a.world.mode.message, a.world.mode.description}}, nil
}

func (a *platform) updateMode(q *request) (answer, error) {
	if _, err := q.required("isReadOnly"); err != nil {
		return answer{}, err
	}
	on, err := q.boolean("isReadOnly", false)
	if err != nil {
		return answer{}, err
	}
	if err := a.world.upgrades.checkIdle(q.now); err != nil {
		return answer{}, err
	}
	a.world.mode = mode{readOnly: on, description: q.params.Get("description")}
	if on {
		a.world.mode.message = "The site was set to read-only mode by " + q.user.Username + "."
	}
	return answer{body: statusBody{"success"}}, nil
}

// backupStore is the name of the one store for backups.
const backupStore = "nightly"

type backupStoreBody struct {
	Name    string `json:"name"`
	Default bool   `json:"default"`
}

type backupBody struct {
	Name   string `json:"backupName"`
	Start  int64  `json:"startTime"`
	Status string `json:"status"`
}

func (a *platform) showBackupStores(*request) (answer, error) {
	stores := []backupStoreBody{}
	if a.world.scenario.Backups != backupsNone {
		stores = append(stores, backupStoreBody{backupStore, true})
	}
	return answer{body: map[string][]backupStoreBody{"backupStores": stores}}, nil
}

// showBackups lists one backup a day, made at two in the morning UTC, oldest
// first; one of them has failed.
func (a *platform) showBackups(q *request) (answer, error) {
	if q.vars["store"] != backupStore || a.world.scenario.Backups == backupsNone {
		return answer{}, notFound("no such store", "there is no backup store "+q.vars["store"])
	}
	if a.world.scenario.Backups == backupsUnreadable {
		return answer{}, &refusal{code: 500, message: "The backup store cannot be read.", details: []string{"the store did not answer within 30 s"}}
	}
	return answer{body: map[string][]backupBody{"backups": a.backups(q.now)}}, nil
}

func (a *platform) backups(now time.Time) []backupBody {
	last, list := now, []backupBody{}
	if a.world.scenario.Backups == backupsOld {
		last = a.world.started.AddDate(0, -2, 0)
	}
	night := last.UTC().Truncate(24 * time.Hour).Add(2 * time.Hour)
	if night.After(last) {
		night = night.AddDate(0, 0, -1)
	}
	for age := 6; age >= 0; age-- {
		at := night.AddDate(0, 0, -age)
		list = append(list, backupBody{"backup-" + at.Format("20060102-1504"), millis(at), "completed"})
	}
	list[4].Status = "failed"
	if now.Sub(night) < 40*time.Minute {
		list[6].Status = "in_progress"
	}
	return list
}

// The states of a component.
const (
	working  = "working"
	stopped  = "stopped"  // answers nothing
	degraded = "degraded" // answers, but not well enough
	strained = "strained" // works, and somebody should look at it
)

//go:embed data/components.json
var componentData []byte

// component is one part of the platform, as its version manifests name it.
type component struct {
	Name     string `json:"name"`
	Image    string `json:"image"`
	Title    string `json:"title"`
	Type     string `json:"type"`
	Provider string `json:"provider"`
	Store    bool   `json:"store"`

	deploymentID string
	version      version // of the image that it runs
	state        string
	message      string // what is wrong with it, where the scenario says so
}

// allComponents reads the embedded list.
var allComponents = sync.OnceValue(func() []component {
	var list []component
	if err := json.Unmarshal(componentData, &list); err != nil {
		panic("the embedded list of components is broken: " + err.Error())
	}
	return list
})

func isComponent(name string) bool {
	return slices.ContainsFunc(allComponents(), func(c component) bool { return c.Name == name })
}

func newComponents(w *world) []*component {
	r := w.random("deployments")
	var list []*component
	for _, c := range allComponents() {
		c.deploymentID, c.state, c.version = shortID(r, 21), working, w.version
		for _, spec := range w.scenario.Components {
			if spec.Name == c.Name {
				c.state, c.message = spec.State, spec.Message
			}
		}
		list = append(list, &c)
	}
	return list
}

func (w *world) component(name string) *component {
	i := slices.IndexFunc(w.components, func(c *component) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return w.components[i]
}

// sharedComponent returns the component that runs the shared services of a type.
func (w *world) sharedComponent(kind string) *component {
	i := slices.IndexFunc(w.components, func(c *component) bool { return kind != "" && c.Type == kind })
	if i < 0 {
		return nil
	}
	return w.components[i]
}

// version is a site's version: up to three numbers and a build.
type version [4]int

// parseVersion reads 11.5.0.6745, or less of it.
func parseVersion(text string) (version, error) {
	var v version
	parts := strings.Split(text, ".")
	if len(parts) > len(v) {
		return v, fmt.Errorf("%q is not a version such as 11.5.0.6745", text)
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return v, fmt.Errorf("%q is not a version such as 11.5.0.6745", text)
		}
		v[i] = n
	}
	return v, nil
}

func (v version) String() string { return fmt.Sprintf("%d.%d.%d.%d", v[0], v[1], v[2], v[3]) }

// short is the version as currentVersion shows it: 11.5, 10.9.1.
func (v version) short() string {
	if v[2] == 0 {
		return fmt.Sprintf("%d.%d", v[0], v[1])
	}
	return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
}

// before compares without the build; other is one of our own literals.
func (v version) before(other string) bool {
	o, err := parseVersion(other)
	if err != nil {
		return false
	}
	for i := range 3 {
		if v[i] != o[i] {
			return v[i] < o[i]
		}
	}
	return false
}
