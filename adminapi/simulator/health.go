package simulator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// health is the area of health checks: suites, runs, and the reports of those
// that have ended.
type health struct {
	world  *world
	suites []*suite
	slower map[string]float64 // how much slower tests have become by now
	ended  []*healthRun       // newest first
}

func (a *health) routes() []route {
	routes := []route{
		get("/healthCheck", "Health check", a.showPage),
		get("/healthCheck/reports", "Reports", a.reportsPage),
		get("/healthCheck/reports/query", "Query reports", a.queryReports),
		get("/healthCheck/reports/{id}", "Health check report", a.onReport(a.showReport)),
		post("/healthCheck/reports/delete", "Delete reports", a.onReports(a.deleteReports)).needing(privSecurity),
		post("/healthCheck/reports/{id}/delete", "Delete report", a.onReport(a.deleteReport)).needing(privSecurity),
		post("/healthCheck/reports/{id}/rename", "Rename report", a.onReport(a.renameReport)).needing(privSecurity),
		post("/healthCheck/reports/export", "Export reports", a.onReports(a.export)).needing(privSecurity),
		post("/healthCheck/reports/{id}/export", "Export report", a.onReport(a.exportReport)).needing(privSecurity),
		get("/healthCheck/suites", "Suites", a.showSuites),
		get("/healthCheck/suites/{id}", "Suite", a.showSuite),
		post("/healthCheck/run", "Run health check", a.runHealthCheck).needing(privSecurity),
	}
	for i := range routes {
		routes[i].since = "11.2"
	}
	routes[0].htmlOnly, routes[1].htmlOnly = true, true
	return routes
}

// showPage is a page with links; it has no JSON form.
func (a *health) showPage(*request) (answer, error) {
	return answer{body: map[string][]string{"children": {"suites", "run", "reports"}}}, nil
}

// The suites that the platform brings.
const (
	basicSuiteID       = "BSHC-001"
	operationalSuiteID = "OPHC-001"
)

const (
	severityCritical = "critical"
	severityGeneral  = "general"
)

// suite is a set of tests.
type suite struct {
	id, name, description string
	tests                 []test // critical ones first
}

// test is one test of a suite; it looks at one component, or at a fact.
type test struct {
	id, name, description, severity string
	component                       string
	usual                           time.Duration // how long it takes when all is well
}

// basicTests are the tests of the basic suite in the API's order.
var basicTests = []test{
	{name: "sharing_availability", description: "Portal API answers", severity: severityCritical, component: "PORTAL_SHARING_API"},
	{name: "healthcheck_relationalDatastore", description: "Relational store answers and takes a query", severity: severityCritical, component: "POSTGRES"},
	{name: "healthcheck_objectStore", description: "Object store takes, returns and removes an object", severity: severityGeneral, component: "MINIO"},
	{name: "home_app_availability", description: "Portal home page opens", severity: severityGeneral, component: "PORTAL_APPS"},
	{name: "manager_availability", description: "Enterprise Manager opens", severity: severityGeneral, component: "ENTERPRISE_MANAGER"},
	{name: "healthcheck_spatioTemporalIndexStore", description: "Spatiotemporal and index store has a healthy cluster", severity: severityGeneral, component: "ELASTICSEARCH"},
	{name: "healthcheck_ingress", description: "Requests come in through the ingress", severity: severityGeneral, component: "INGRESS_CONTROLLER"},
	{name: "healthcheck_publishingService", description: "System publishing tools run a task", severity: severityGeneral, component: "GP_SERVER"},
	{name: "healthcheck_sharedMapService", description: "Shared map services draw an image", severity: severityGeneral, component: "MAP_SERVER"},
	{name: "healthcheck_spatialanalysis", description: "Spatial analysis tools run a task", severity: severityGeneral, component: "SPATIAL_ANALYSIS"},
	{name: "healthcheck_geometryService", description: "Geometry service projects a point", severity: severityGeneral, component: "GEOMETRY_SERVER"},
	{name: "query_logs_availability", description: "Logs can be queried", severity: severityGeneral, component: "LOGGING"},
	{name: "healthcheck_index_synced", description: "Indices of users, groups and items match the database", severity: severityGeneral, component: "PORTAL_INDEXER"},
}

// operationalTests are a guess at the second suite of 12.0, whose
// tests are not published.
var operationalTests = []test{
	{name: "certificate_expiry", description: "Certificates are valid for a month or more", severity: severityCritical},
	{name: "persistent_volume_usage", description: "Persistent volumes are less than 80 % full", severity: severityGeneral},
	{name: "backup_age", description: "The newest backup is less than a week old", severity: severityGeneral},
	{name: "pod_restarts", description: "Pods have not restarted often today", severity: severityGeneral},
	{name: "service_instance_usage", description: "Services have free instances", severity: severityGeneral, component: "MAP_SERVER"},
}

// newSuites makes the suites that a site of this version has, with as many tests
// as the scenario wants.
func newSuites(w *world) []*suite {
	if w.version.before("11.2") {
		return nil
	}
	suites := []*suite{{id: basicSuiteID, name: "Basic health checks",
		description: "The parts that every user of the site depends on.", tests: numbered(basicTests, 112)}}
	if !w.version.before("12.0") {
		suites = append(suites, &suite{id: operationalSuiteID, name: "Operational health checks",
			description: "What will become a problem if nobody looks at it.", tests: numbered(operationalTests, 120)})
	}
	for _, s := range suites {
		s.extend(w.scenario.Tests)
		s.pace(w)
	}
	return suites
}

func numbered(tests []test, series int) []test {
	list := make([]test, len(tests))
	for i, t := range tests {
		t.id = fmt.Sprintf("HC_%d_%03d", series, i+1)
		list[i] = t
	}
	return list
}

// extend adds tests over the platform's own until there are total.
func (s *suite) extend(total int) {
	for i := len(s.tests); i < total; i++ {
		s.tests = append(s.tests, test{
			id:          fmt.Sprintf("HC_900_%06d", i+1),
			name:        fmt.Sprintf("service_answers_%06d", i+1),
			description: fmt.Sprintf("Service %d answers a query", i+1),
			severity:    severityGeneral,
			component:   [...]string{"MAP_SERVER", "FEATURE_SERVER", "GP_SERVER", "TILE_SERVER"}[i%4],
		})
	}
}

// pace gives every test its usual time: 0.2 to 8 s, mostly short; a large suite
// runs many tests at a time and needs a minute and a half over all.
func (s *suite) pace(w *world) {
	r := w.random("pace " + s.id)
	for i := range s.tests {
		x := r.Float64()
		usual := 200*time.Millisecond + time.Duration(x*x*x*7*float64(time.Second))
		if n := len(s.tests); n > 100 {
			usual = time.Duration(x * 2 * float64(90*time.Second) / float64(n))
		}
		s.tests[i].usual = usual
		if w.scenario.HostileText {
			s.tests[i].description = hostile(s.tests[i].description, i)
		}
	}
}

type suitesBody struct {
	UserSuites []suiteBody `json:"userSuites"`
}

type suiteBody struct {
	SystemOnly bool            `json:"systemOnly"`
	Critical   []suiteTestBody `json:"criticalTests"`
	General    []suiteTestBody `json:"generalTests"`
	ID         string          `json:"id"`
	Name       string          `json:"name"`
}

type suiteTestBody struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

func (s *suite) body() suiteBody {
	b := suiteBody{ID: s.id, Name: s.name, Critical: []suiteTestBody{}, General: []suiteTestBody{}}
	for _, t := range s.tests {
		item := suiteTestBody{t.name, t.description}
		if t.severity == severityCritical {
			b.Critical = append(b.Critical, item)
		} else {
			b.General = append(b.General, item)
		}
	}
	return b
}

func (a *health) suite(id string) *suite {
	for _, s := range a.suites {
		if s.id == id {
			return s
		}
	}
	return nil
}

func (a *health) showSuites(*request) (answer, error) {
	body := suitesBody{UserSuites: []suiteBody{}}
	for _, s := range a.suites {
		body.UserSuites = append(body.UserSuites, s.body())
	}
	return answer{body: body}, nil
}

func (a *health) showSuite(q *request) (answer, error) {
	s := a.suite(q.vars["id"])
	if s == nil {
		return answer{}, notFound("no such suite", "there is no suite "+q.vars["id"])
	}
	return answer{body: s.body()}, nil
}

// queueTime is how long a run waits before it begins.
const queueTime = 400 * time.Millisecond

// What the job of a run is called, and the resource that it belongs to.
const runJobName, runJobResource = "Run health check", "healthCheck"

func (a *health) runHealthCheck(q *request) (answer, error) {
	suites, err := a.requestedSuites(q)
	if err != nil {
		return answer{}, err
	}
	name, err := q.required("runName")
	if err != nil {
		return answer{}, err
	}
	async, err := q.boolean("async", false)
	if err != nil {
		return answer{}, err
	}
	r := a.startRun(q, name, suites)
	if async {
		return a.world.jobs.inJob(q, a.jobOf(r)), nil
	}
	return answer{
		body:  map[string]string{"statusURL": adminRoot + "/healthCheck/reports/" + r.id},
		after: r.end.Sub(q.now),
	}, nil
}

func (a *health) requestedSuites(q *request) ([]*suite, error) {
	if _, err := q.required("suiteIds"); err != nil {
		return nil, err
	}
	var suites []*suite
	for _, id := range q.list("suiteIds") {
		s := a.suite(id)
		if s == nil {
			return nil, invalid("unknown suite", "there is no suite "+id+"; there are "+strings.Join(a.suiteIDs(), ", "))
		}
		if !slices.Contains(suites, s) {
			suites = append(suites, s)
		}
	}
	if len(suites) == 0 {
		return nil, invalid("a required parameter is missing", "parameter suiteIds names no suite")
	}
	return suites, nil
}

func (a *health) suiteIDs() []string {
	var ids []string
	for _, s := range a.suites {
		ids = append(ids, s.id)
	}
	return ids
}

// startRun looks at the world once; its report is among the others when the run
// has ended.
func (a *health) startRun(q *request, name string, suites []*suite) *healthRun {
	r := &healthRun{
		id: shortID(a.world.ids, 10), name: name, owner: q.user.Username, createdBy: q.user.Username,
		start: q.now.Add(queueTime), suites: suites, found: a.examine(suites), pace: a.world.ids.Uint64(), slower: a.slower,
	}
	r.setEnd()
	a.world.schedule(r.end, func() { a.add(r) })
	return r
}

type healthResult struct {
	Report reportBody `json:"diagnosticHealthReport"`
}

func (a *health) jobOf(r *healthRun) job {
	j := job{name: runJobName, resource: runJobResource, begins: r.start, ends: r.end,
		result: func() any { return healthResult{r.report(time.Time{})} }}
	if a.world.scenario.PartialReports {
		j.partial = func(now time.Time) any { return healthResult{r.report(now)} }
	}
	return j
}

// finding is what a test found that is not as it should be.
type finding struct {
	result  string // fail or warning
	message string
	took    time.Duration // instead of the usual time; 0 keeps it
}

// The words for results: those of tests differ from those of suites and reports.
const (
	testPass, testFail, testWarning       = "pass", "fail", "warning"
	reportPass, reportFail, reportWarning = "passed", "failed", "warning"
)

// examine looks at the world as it is and returns what the tests of the suites
// will find, by test name.
func (a *health) examine(suites []*suite) map[string]finding {
	found := map[string]finding{}
	for _, s := range suites {
		for _, t := range s.tests {
			if f, bad := a.examineTest(t); bad {
				found[t.name] = f
			}
		}
	}
	return found
}

func (a *health) examineTest(t test) (finding, bool) {
	if t.component == "" {
		return a.examineFact(t.name)
	}
	c := a.world.component(t.component)
	switch {
	case c == nil || c.state == working:
		return a.examineService(t.name)
	case c.state == strained:
		return finding{testWarning, c.messageOr("works, but is short of resources"), 0}, true
	case c.state == degraded:
		return finding{testFail, c.messageOr("answers with errors; not all of its pods are ready"), 0}, true
	}
	timeout := 10 * time.Second
	if c.Store {
		timeout = 30 * time.Second
	}
	return finding{testFail, c.messageOr(fmt.Sprintf("did not answer within %d s", timeout/time.Second)), timeout}, true
}

func (c *component) messageOr(otherwise string) string {
	if c.message != "" {
		return c.message
	}
	return c.Title + " " + otherwise + "."
}

// examineFact looks at what is no component: such things hold for months.
func (a *health) examineFact(testName string) (finding, bool) {
	r := a.world.random("fact " + testName)
	switch testName {
	case "certificate_expiry":
		if days := 20 + r.IntN(60); days < 30 {
			return finding{testWarning, fmt.Sprintf("The certificate of the ingress ends in %d days.", days), 0}, true
		}
	case "persistent_volume_usage":
		return finding{testWarning, fmt.Sprintf("The volume of the object store is %d %% full.", 81+r.IntN(10)), 0}, true
	case "backup_age":
		if days := 1 + r.IntN(12); days >= 7 {
			return finding{testWarning, fmt.Sprintf("The newest backup is %d days old.", days), 0}, true
		}
	}
	return finding{}, false
}

// pastRun is the report of a given age, 0 the newest.
func (a *health) pastRun(r *rand.Rand, suites []*suite, at time.Time, age, count int) *healthRun {
	past := &healthRun{id: shortID(r, 10), start: at, suites: suites, pace: r.Uint64(), slower: slowerBy(count - age - 1)}
	past.name, past.owner, past.createdBy = a.pastOrigin(at, age)
	if age == min(5, count-1) && count > 1 {
		past.found = map[string]finding{"healthcheck_index_synced": {result: testFail,
			message: "The index of items differs from the database: 3 items are missing. A reindex is advised."}}
	}
	if a.world.scenario.HostileText {
		past.name = hostile(past.name, age)
	}
	past.setEnd()
	return past
}

// testedServices are what tests of health checks call.
var testedServices = map[string]string{
	"healthcheck_geometryService":   "Utilities/Geometry.GeometryServer",
	"healthcheck_publishingService": "System/PublishingTools.GPServer",
	"healthcheck_spatialanalysis":   "System/SpatialAnalysisTools.GPServer",
}

// examineService returns what a test finds of the service that it calls.
func (a *health) examineService(testName string) (finding, bool) {
	path := testedServices[testName]
	s := a.world.services.byPath[path]
	if s == nil || a.world.pods.stateOf(s, a.world.clock.Now()) == serviceStarted {
		return finding{}, false
	}
	return finding{testFail, "The service " + path + " is not started.", 0}, true
}

// checkBySystem lets the system check the health of the site, as it does before
// and after an upgrade.
func (a *health) checkBySystem(name string, at time.Time, draw *rand.Rand) {
	if len(a.suites) == 0 {
		return
	}
	suites := a.suites[:1]
	r := &healthRun{id: shortID(draw, 10), name: name, owner: "system", createdBy: "system", start: at,
		suites: suites, found: a.examine(suites), pace: draw.Uint64(), slower: a.slower}
	r.setEnd()
	a.world.schedule(r.end, func() { a.add(r) })
}
