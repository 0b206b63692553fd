package simulator

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
)

// The operations on a service, beside reading it.
var serviceOperations = []string{"edit", "start", "stop"}

// The folders that every site has.
var folderNames = []string{"System", "Utilities", "Hosted"}

// service is one GIS service. Its definition is made when it is first read:
// thousands of them cost nothing before.
type service struct {
	id, folder, name, kind string
	deploymentID           string
	description            string
	definition             []byte // as the site writes it, byte for byte; nil until read
	reads                  int    // of the definition
	policyReads            int    // of the placement policy

	stopped         bool      // configured so
	broken          string    // why it cannot start, empty where it can
	transitionState string    // its state until it settles
	settledAt       time.Time // when it is what it is configured to be
	busyUntil       time.Time // an operation on it goes on
}

// services is the area of services: their folders, states, definitions and edits.
type services struct {
	world  *world
	list   []*service // by folder and name
	byPath map[string]*service
	edits  int // taken so far
}

func (a *services) routes() []route {
	return slices.Concat(
		[]route{
			get("/services", "Services", a.showRoot),
			get("/services/{first}", "Services", a.showFolderOrService),
			get("/services/{folder}/{service}", "Service", a.show),
		},
		perService(get("/status", "Service status", a.onService(a.showStatus))),
		perService(post("/edit", "Edit service", a.onIdleService(a.editDefinition)).needing(editors...).from("10.9")),
		perService(post("/start", "Start service", a.onIdleService(a.start)).needing(editors...).from("10.9")),
		perService(post("/stop", "Stop service", a.onIdleService(a.stop)).needing(editors...).from("10.9")),
	)
}

// perService gives what is below a service both its paths: of a service in the
// root folder, and of one in another.
func perService(r route) []route {
	below, inFolder := strings.TrimPrefix(r.path, adminRoot), r
	r.path = adminRoot + "/services/{service}" + below
	inFolder.path = adminRoot + "/services/{folder}/{service}" + below
	return []route{r, inFolder}
}

// editors are who may change a service.
var editors = []string{privUpdate, privDelete, privSecurity, privPublisher}

// onService handles a request by the service that its path names.
func (a *services) onService(do func(*request, *service) (answer, error)) func(*request) (answer, error) {
	return func(q *request) (answer, error) {
		path := q.vars["service"]
		if folder := q.vars["folder"]; folder != "" {
			path = folder + "/" + path
		}
		s := a.byPath[path]
		if s == nil {
			return answer{}, notFound("no such service", "there is no service "+path)
		}
		return do(q, s)
	}
}

// onIdleService is onService for what cannot be done while an upgrade runs, or
// another operation on the service.
func (a *services) onIdleService(do func(*request, *service) (answer, error)) func(*request) (answer, error) {
	return a.onService(func(q *request, s *service) (answer, error) {
		if err := a.world.upgrades.checkIdle(q.now); err != nil {
			return answer{}, err
		}
		if q.now.Before(s.busyUntil) {
			return answer{}, &refusal{code: 409, message: "Another operation on this service is in progress.",
				details: []string{s.path() + " is busy until " + s.busyUntil.UTC().Format(time.RFC3339) + "."}}
		}
		return do(q, s)
	})
}

// path is the service's path below services/.
func (s *service) path() string {
	path := s.name + "." + s.kind
	if s.folder != "" {
		path = s.folder + "/" + path
	}
	return path
}

type folderBody struct {
	IsDefault   bool         `json:"isDefault"`
	Folders     []string     `json:"folders,omitempty"`
	Description string       `json:"description"`
	ID          string       `json:"id"`
	FolderName  string       `json:"folderName"`
	Services    []serviceRef `json:"services"`
}

type serviceRef struct {
	Description string `json:"description"`
	ID          string `json:"id"`
	FolderName  string `json:"folderName"`
	ServiceName string `json:"serviceName"`
	Type        string `json:"type"`
}

func (a *services) refs(folder string) []serviceRef {
	refs := []serviceRef{}
	for _, item := range a.list {
		if item.folder == folder {
			refs = append(refs, serviceRef{item.description, item.id, item.folder, item.name, item.kind})
		}
	}
	return refs
}

func (a *services) showRoot(*request) (answer, error) {
	return answer{body: folderBody{Folders: folderNames, Description: "Root folder", FolderName: "/", Services: a.refs("")}}, nil
}

// showFolderOrService shows a folder, or a service of the root folder.
func (a *services) showFolderOrService(q *request) (answer, error) {
	name := q.vars["first"]
	if slices.Contains(folderNames, name) {
		return answer{body: folderBody{IsDefault: name == "System", Description: name + " services", ID: "folder-" + strings.ToLower(name),
			FolderName: name, Services: a.refs(name)}}, nil
	}
	return a.definitionOf(name, q.now)
}

func (a *services) show(q *request) (answer, error) {
	folder, name := q.vars["folder"], q.vars["service"]
	if !slices.Contains(folderNames, folder) && slices.Contains(serviceOperations, name) {
		return answer{}, wrongMethod(q.http.Method, []string{http.MethodPost})
	}
	return a.definitionOf(folder+"/"+name, q.now)
}

func (a *services) definitionOf(path string, now time.Time) (answer, error) {
	s := a.byPath[path]
	if s == nil {
		return answer{}, notFound("no such service", "there is no folder or service "+path)
	}
	text, err := a.textOf(s)
	if err != nil {
		return answer{}, err
	}
	return answer{text: text}, a.countRead(s, now)
}

// textOf returns the definition of a service; it is never changed in place.
func (a *services) textOf(s *service) ([]byte, error) {
	if s.definition == nil {
		text, err := a.newDefinition(s)
		if err != nil {
			return nil, err
		}
		s.definition = text
	}
	return s.definition, nil
}

// sampleService is the one that every site has and that scenarios are about
// where they name none.
const sampleService = "SampleWorldCities.MapServer"

// defaultServices is how many services a world has.
const defaultServices = 40

// fixedServices are those that every site has.
var fixedServices = []service{
	{folder: "System", name: "PublishingTools", kind: "GPServer", description: "Publishes services."},
	{folder: "System", name: "CachingTools", kind: "GPServer", description: "Builds and deletes map caches."},
	{folder: "System", name: "SpatialAnalysisTools", kind: "GPServer", description: "Tools of spatial analysis."},
	{folder: "System", name: "SyncTools", kind: "GPSyncServer", description: "Short tools that answer at once."},
	{folder: "Utilities", name: "Geometry", kind: "GeometryServer", description: "Projects, buffers and cuts geometries."},
	{folder: "Utilities", name: "PrintingTools", kind: "GPServer", description: "Prints web maps."},
	{folder: "Utilities", name: "Symbols", kind: "GPServer", description: "Draws symbols."},
	{folder: "", name: "SampleWorldCities", kind: "MapServer", description: "Cities of the world, as a sample."},
}

var (
	themes         = []string{"Roads", "Rivers", "Parcels", "Land cover", "Elevation", "Addresses", "Water mains", "Power lines", "Zoning", "Trees", "Bus stops", "Soil", "Flood zones", "Buildings", "Trails", "Wells", "Noise", "Air quality", "Schools", "Districts"}
	places         = []string{"North", "South", "East", "West", "City", "County", "Coast", "Valley", "Harbour", "Uplands"}
	tools          = []string{"Buffer", "Viewshed", "Drive time", "Elevation profile", "Data extract", "Report", "Route planner", "Hot spots"}
	generatedKinds = []string{"MapServer", "FeatureServer", "MapServer", "FeatureServer", "TileServer", "GPServer"}
)

// newServices makes the services that every site has, and as many others as the
// scenario wants.
func newServices(w *world) *services {
	a := &services{world: w, byPath: map[string]*service{}}
	r := w.random("services")
	for _, fixed := range fixedServices {
		a.add(fixed, r)
	}
	total := cmp.Or(w.scenario.Services, defaultServices)
	for i := len(a.list); i < total; i++ {
		a.add(generatedService(r, i, w.scenario.HostileText), r)
	}
	slices.SortFunc(a.list, func(a, b *service) int {
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
	if c := a.world.sharedComponent(item.kind); r.IntN(5) > 0 && c != nil {
		item.deploymentID = c.deploymentID
	}
	a.list = append(a.list, &item)
	a.byPath[item.path()] = &item
}

func generatedService(r *rand.Rand, n int, hostileText bool) service {
	kind, place := generatedKinds[r.IntN(len(generatedKinds))], places[r.IntN(len(places))]
	subjects, sentence := themes, "%s of the %s district."
	if kind == "GPServer" {
		subjects, sentence = tools, "%s tool for the %s district."
	}
	subject := subjects[r.IntN(len(subjects))]
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

type serviceStatusBody struct {
	Configured string `json:"configuredState"`
	RealTime   string `json:"realTimeState"`
}

func (a *services) showStatus(q *request, s *service) (answer, error) {
	return answer{body: serviceStatusBody{s.configuredState(), a.world.pods.stateOf(s, q.now)}}, nil
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

// holdState keeps a service in a state until it is what it is configured to be.
func (s *service) holdState(meanwhile string, until time.Time) {
	s.transitionState, s.settledAt = meanwhile, until
}

func (a *services) start(q *request, s *service) (answer, error) {
	return a.switchState(q, s, false, job{name: "Start service", ends: q.now.Add(queueTime + startDuration)})
}

func (a *services) stop(q *request, s *service) (answer, error) {
	return a.switchState(q, s, true, job{name: "Stop service", ends: q.now.Add(queueTime + stopDuration)})
}

// switchState starts or stops a service. It succeeds where nothing is to be done.
func (a *services) switchState(q *request, s *service, stop bool, j job) (answer, error) {
	async, err := q.boolean("async", false)
	if err != nil {
		return answer{}, err
	}
	meanwhile := s.realState(q.now)
	s.stopped, j.resource, j.begins, s.busyUntil = stop, s.name, q.now.Add(queueTime), j.ends
	s.holdState(meanwhile, j.ends)
	if s.broken != "" && !stop {
		j.end, j.messages = jobFailed, []string{s.broken}
	}
	if async {
		return a.world.jobs.inServiceJob(q, j), nil
	}
	return j.atEnd(q.now), nil
}
