package simulator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// platform is the area of the site itself: what it is, its mode, and what it did.
type platform struct{ *world }

func (a *platform) routes() []*route {
	updateMode := post("/mode/update", "Update mode", a.updateMode).needing(privSecurity)
	updateMode.duringRO = true
	return []*route{
		get("", "Administrative root", a.root),
		get("/about", "About", a.about).from("11.5"),
		get("/overview", "Overview", a.overview).needing(privSecurity),
		get("/logs/query", "Query logs", a.queryLogs).needing(privSecurity, privServers, privDelete, privPublisher),
		get("/mode", "Mode", a.showMode),
		updateMode,
	}
}

func (a *platform) root(*request) any {
	w := a.world
	resources := []string{"services", "uploads", "system", "mode", "jobs"}
	if !w.version.before("11.2") {
		resources = append(resources, "healthCheck")
	}
	created := object{"name": "Create site", "state": "completed", "lastUpdated": millis(w.started.AddDate(0, -4, 0))}
	return object{
		"fullVersion": w.version.String(), "currentVersion": w.version.asNumber(), "resources": resources,
		"status": object{"stages": []object{created}}, "simulator": "geodeck simulator, scenario " + w.scenario.Name,
	}
}

// asNumber writes 11.5 as a number and 10.9.1 as a string.
func (v version) asNumber() json.RawMessage {
	if v[2] == 0 {
		return json.RawMessage(v.short())
	}
	return json.RawMessage(`"` + v.short() + `"`)
}

// mode says whether the site accepts writes.
type mode struct {
	ReadOnly bool   `json:"isReadOnly"`
	Message  string `json:"message,omitempty"`
}

func (a *platform) showMode(*request) any { return a.mode }

func (a *platform) updateMode(q *request) any {
	q.required("isReadOnly")
	to := mode{ReadOnly: q.boolean("isReadOnly")}
	if q.err != nil {
		return q.err
	}
	if err := a.upgrades.checkIdle(q.now); err != nil {
		return err
	}
	if to.ReadOnly {
		to.Message = cmp.Or(q.params.Get("message"), "The site was set to read-only mode by "+q.user.Username+".")
	}
	a.mode = to
	return object{"status": "success", "messages": []string{}}
}

// The states of a component.
const (
	working  = "working"
	stopped  = "stopped"  // answers nothing
	degraded = "degraded" // answers, but not well enough
	strained = "strained" // works, but needs attention
)

// component is one part of the platform, as its version manifests name it.
type component struct {
	Name, Image, Title, Type, Provider string
	Store                              bool
	Init                               bool // an image that runs in the pods of others

	deploymentID string
	version      version // of the image that it runs
	state        string
	message      string // what is wrong with it, where the scenario says so
}

var allComponents = embedded[[]component]("components.json")

func isComponent(name string) bool {
	return slices.ContainsFunc(allComponents(), func(c component) bool { return c.Name == name })
}

func (w *world) component(name string) *component {
	return find(w.components, func(c *component) bool { return c.Name == name })
}

// sharedComponent returns the component that runs the shared services of a type.
func (w *world) sharedComponent(kind string) *component {
	return find(w.components, func(c *component) bool { return kind != "" && c.Type == kind })
}

// version is a site's version: up to three numbers and a build.
type version [4]int

// parseVersion reads 11.5.0.6745, or less of it.
func parseVersion(text string) (version, error) {
	var v version
	parts := strings.Split(text, ".")
	bad := fmt.Errorf("%q is not a version such as 11.5.0.6745", text)
	if len(parts) > len(v) {
		return v, bad
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return v, bad
		}
		v[i] = n
	}
	return v, nil
}

// String is the version with its build: 11.5.0.6835.
func (v version) String() string { return fmt.Sprintf("%d.%d.%d.%d", v[0], v[1], v[2], v[3]) }

// short is the version as currentVersion shows it: 11.5, 10.9.1.
func (v version) short() string { return strings.TrimSuffix(v.release(), ".0") }

// release is the version without the build.
func (v version) release() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// before compares without the build; other is one of our own literals.
func (v version) before(other string) bool {
	o, err := parseVersion(other)
	return err == nil && slices.Compare(v[:3], o[:3]) < 0
}
