package simulator

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi/lists"
)

// The folders that every site has.
var folderNames = []string{"System", "Utilities", "Hosted"}

// service is one GIS service. Its definition is made when it is first fetched:
// before that, thousands of them cost nothing.
type service struct {
	id, folder, name, kind string
	deploymentID           string
	description            string
	definition             []byte // as the site writes it, byte for byte; nil until it is fetched
	reads                  int    // of the definition
	policyReads            int    // of the placement policy

	stopped         bool      // configured so
	broken          string    // why it cannot start, empty where it can
	transitionState string    // its state until settledAt
	settledAt       time.Time // from then on it is what it is configured to be
	busyUntil       time.Time // when the operation on it ends
}

// services is the area of services: their folders, states, definitions and edits.
type services struct {
	*world
	list   []*service // by folder and name
	byPath map[string]*service
	edits  int // taken so far
}

func (a *services) routes() []*route {
	return slices.Concat(
		lists.Each(folderNames, a.folderRoute),
		[]*route{
			get("/services", "Services", a.showRoot),
			query("/services/exists", "Exists", a.exists).needing(editors...),
		},
		perService(
			get("", "Service", on(a.named, a.show)),
			get("/status", "Service status", on(a.named, a.showStatus)),
			post("/edit", "Edit service", on(a.namedIdle, a.editDefinition)).needing(editors...).from("10.9"),
			post("/start", "Start service", on(a.namedIdle, a.start)).needing(editors...).from("10.9"),
			post("/stop", "Stop service", on(a.namedIdle, a.stop)).needing(editors...).from("10.9"),
		),
	)
}

// perService gives what is below a service both its paths: below a service of the
// root folder, and below one of another folder.
func perService(routes ...*route) []*route {
	for _, r := range slices.Clone(routes) {
		below, inFolder := strings.TrimPrefix(r.path, adminRoot), *r
		r.path = adminRoot + "/services/{service}" + below
		inFolder.path = adminRoot + "/services/{folder}/{service}" + below
		routes = append(routes, &inFolder)
	}
	return routes
}

// editors are the privileges that let a user change services.
var editors = []string{privUpdate, privDelete, privSecurity, privPublisher}

// named finds the service that the path of a request names.
func (a *services) named(q *request) (*service, error) {
	path := servicePath(q.vars["folder"], q.vars["service"])
	return orNotFound(a.byPath[path], "service", "service "+path)
}

// namedIdle is named for what cannot be done while an upgrade runs, or another
// operation on the service.
func (a *services) namedIdle(q *request) (*service, error) {
	s, err := a.named(q)
	if err != nil {
		return nil, err
	}
	if err := a.upgrades.checkIdle(q.now); err != nil {
		return nil, err
	}
	if q.now.Before(s.busyUntil) {
		return nil, conflict("Another operation on this service is in progress.",
			s.path()+" is busy until "+s.busyUntil.UTC().Format(time.RFC3339)+".")
	}
	return s, nil
}

// path is the service's path below services/.
func (s *service) path() string { return servicePath(s.folder, s.name+"."+s.kind) }

func servicePath(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

func (a *services) refs(folder string) []object {
	return lists.Each(only(a.list, func(s *service) bool { return s.folder == folder }), func(s *service) object {
		return object{"description": s.description, "id": s.id, "folderName": s.folder, "serviceName": s.name, "type": s.kind}
	})
}

func (a *services) showRoot(*request) any {
	return object{"isDefault": false, "folders": folderNames, "description": "Root folder", "id": "",
		"folderName": "/", "services": a.refs("")}
}

func (a *services) folderRoute(name string) *route {
	return get("/services/"+name, "Services", func(*request) any {
		return object{"isDefault": name == "System", "description": name + " services", "folderName": name,
			"id": "folder-" + strings.ToLower(name), "services": a.refs(name)}
	})
}

// exists tells whether there is a folder or a service.
func (a *services) exists(q *request) any {
	folder, name := q.params.Get("folderName"), q.params.Get("serviceName")
	if folder == "/" {
		folder = ""
	}
	found := a.byPath[servicePath(folder, name+"."+q.params.Get("type"))] != nil
	if name == "" {
		q.required("folderName")
		found = folder == "" || slices.Contains(folderNames, folder)
	}
	return object{"exists": found}
}

func (a *services) show(q *request, s *service) any {
	text := a.textOf(s) // of before another user's edit
	if err := a.countRead(s, q.now); err != nil {
		return err
	}
	return pieces{text}
}

// textOf returns the definition of a service; it is never changed in place.
func (a *services) textOf(s *service) []byte {
	if s.definition == nil {
		s.definition = a.newDefinition(s)
	}
	return s.definition
}

// sampleService is the service that every site has, and that scenarios are about where
// they name none.
const sampleService = "SampleWorldCities.MapServer"

// defaultServices is how many services a world has.
const defaultServices = 40

// serviceWords are the services that every site has, and the words that the others
// are named with.
var serviceWords = embedded[struct {
	Fixed                        []struct{ Folder, Name, Type, Description string }
	Themes, Places, Tools, Types []string
}]("services.yaml")

// serviceType is what services of one type have in common.
type serviceType struct {
	Provider     string
	Capabilities string
	Properties   string   // the part of a definition that holds them
	Extensions   []string // likewise
	Second       string   // the type whose shared deployment also runs services of this type
	Rules        string   // of the shared deployment, at first
}

var serviceTypes = embedded[map[string]serviceType]("service_types.yaml")

// newServices makes the services that every site has, and as many others as the
// scenario wants.
func newServices(w *world) *services {
	a := &services{world: w, byPath: map[string]*service{}}
	r := w.random("services")
	for _, fixed := range serviceWords().Fixed {
		a.add(service{folder: fixed.Folder, name: fixed.Name, kind: fixed.Type, description: fixed.Description}, r)
	}
	total := cmp.Or(w.scenario.Services, defaultServices)
	for i := len(a.list); i < total; i++ {
		a.add(generatedService(r, i, w.scenario.HostileText), r)
	}
	slices.SortStableFunc(a.list, func(a, b *service) int {
		return cmp.Or(cmp.Compare(a.folder, b.folder), cmp.Compare(a.name, b.name), cmp.Compare(a.kind, b.kind))
	})
	plan := w.scenario.Editing
	for path, s := range a.byPath {
		s.stopped, s.broken = slices.Contains(plan.Stopped, path), plan.Broken[path]
		if text, ok := plan.Definitions[path]; ok {
			s.definition = []byte(strings.TrimSpace(text))
		}
	}
	return a
}

// add gives a service its ids; those of one type share a deployment, except
// every fifth, which has one for itself.
func (a *services) add(item service, r *rand.Rand) {
	item.id, item.deploymentID = shortID(r, 21), shortID(r, 21)
	if c := a.sharedComponent(item.kind); r.IntN(5) > 0 && c != nil {
		item.deploymentID = c.deploymentID
	}
	a.list = append(a.list, &item)
	a.byPath[item.path()] = &item
}

func generatedService(r *rand.Rand, n int, hostileText bool) service {
	one := func(words []string) string { return words[r.IntN(len(words))] }
	words := serviceWords()
	kind, place := one(words.Types), one(words.Places)
	subjects, sentence := words.Themes, "%s of the %s district."
	if kind == "GPServer" {
		subjects, sentence = words.Tools, "%s tool for the %s district."
	}
	subject := one(subjects)
	item := service{
		name:        fmt.Sprintf("%s%s_%d", place, strings.ReplaceAll(subject, " ", ""), n),
		kind:        kind,
		description: fmt.Sprintf(sentence, subject, place),
	}
	if kind == "FeatureServer" || kind == "TileServer" {
		item.folder = "Hosted"
	}
	if hostileText {
		item.description = hostile(item.description, n)
		if n%4 == 0 {
			item.name += "\u202e\x1b[31m"
		}
	}
	return item
}

// The states of a service.
const (
	serviceStarted = "STARTED"
	serviceStopped = "STOPPED"
)

// How long a service takes to start and to stop.
const (
	startDuration = 4 * time.Second
	stopDuration  = 2 * time.Second
)

func (a *services) showStatus(q *request, s *service) any {
	return object{"configuredState": s.configuredState(), "realTimeState": a.pods.stateOf(s, q.now)}
}

func (s *service) configuredState() string {
	if s.stopped {
		return serviceStopped
	}
	return serviceStarted
}

func (s *service) realState(now time.Time) string {
	switch {
	case s.broken != "":
		return serviceStopped
	case now.Before(s.settledAt):
		return s.transitionState
	}
	return s.configuredState()
}

func (a *services) start(q *request, s *service) any {
	return a.switchState(q, s, false, job{name: "Start service", ends: q.now.Add(queueTime + startDuration)})
}

func (a *services) stop(q *request, s *service) any {
	return a.switchState(q, s, true, job{name: "Stop service", ends: q.now.Add(queueTime + stopDuration)})
}

// switchState starts or stops a service. It succeeds where there is nothing to do.
func (a *services) switchState(q *request, s *service, stop bool, j job) any {
	async := q.boolean("async")
	if q.err != nil {
		return q.err
	}
	s.transitionState, s.settledAt = s.realState(q.now), j.ends
	s.stopped, j.resource, j.begins, s.busyUntil = stop, s.name, q.now.Add(queueTime), j.ends
	switch {
	case s.broken != "" && !stop:
		j.end, j.messages = jobFailed, []string{s.broken}
	case !stop && s.transitionState == serviceStopped:
		a.pods.restart(s, j.ends)
	}
	if async && a.knowsAsync() {
		return a.jobs.inServiceJob(q, j)
	}
	return j.atEnd(q.now)
}
