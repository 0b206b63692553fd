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

// health is the area of health checks: suites, runs, and the reports of those
// that have ended.
type health struct {
	*world
	suites []*suite
	slower map[string]float64 // factors by test name: how much slower tests have become
	ended  []*healthRun       // newest first
}

func (a *health) routes() []*route {
	routes := []*route{
		get("/healthCheck", "Health check", a.showPage),
		get("/healthCheck/reports", "Reports", a.reportsPage),
		get("/healthCheck/reports/query", "Query reports", a.queryReports),
		get("/healthCheck/reports/{id}", "Health check report", on(a.namedRun, a.showReport)),
		post("/healthCheck/reports/delete", "Delete reports", on(a.namedRuns, a.deleteReports)).needing(privSecurity),
		post("/healthCheck/reports/{id}/delete", "Delete report", on(a.namedRun, a.deleteReport)).needing(privSecurity),
		post("/healthCheck/reports/{id}/rename", "Rename report", on(a.namedRun, a.renameReport)).needing(privSecurity),
		post("/healthCheck/reports/export", "Export reports", on(a.namedRuns, a.export)).needing(privSecurity),
		post("/healthCheck/reports/{id}/export", "Export report", on(a.namedRun, a.exportReport)).needing(privSecurity),
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
func (a *health) showPage(*request) any {
	return object{"children": []string{"suites", "run", "reports"}}
}

const (
	severityCritical = "critical"
	severityGeneral  = "general"
)

// suite is a set of tests.
type suite struct {
	ID, Name, Description string
	Since                 string // version of the site that brought it
	Series                int    // of the ids of its tests
	Tests                 []test // critical ones first
}

// test is one test of a suite; it looks at one component, or at a fact.
type test struct {
	Name, Description, Severity, Component string

	id    string
	usual time.Duration // how long it takes when all is well
}

var allSuites = embedded[[]suite]("suites.yaml")

// newSuites makes the suites that a site of this version has, with as many tests
// as the scenario wants.
func newSuites(w *world) []*suite {
	var suites []*suite
	for _, s := range allSuites() {
		if w.version.before(s.Since) {
			continue
		}
		s.Tests = slices.Clone(s.Tests)
		for i := range s.Tests {
			s.Tests[i].id = fmt.Sprintf("HC_%d_%03d", s.Series, i+1)
		}
		for i := len(s.Tests) + 1; i <= w.scenario.Tests; i++ {
			s.Tests = append(s.Tests, test{
				id:          fmt.Sprintf("HC_900_%06d", i),
				Name:        fmt.Sprintf("service_answers_%06d", i),
				Description: fmt.Sprintf("Service %d answers a query", i),
				Severity:    severityGeneral,
				Component:   [...]string{"MAP_SERVER", "FEATURE_SERVER", "GP_SERVER", "TILE_SERVER"}[(i-1)%4],
			})
		}
		s.pace(w)
		suites = append(suites, &s)
	}
	return suites
}

// pace gives every test its usual time: 0.2 to 8 s, mostly short; a large suite
// runs many tests at a time and needs a minute and a half over all.
func (s *suite) pace(w *world) {
	r := w.random("pace " + s.ID)
	for i := range s.Tests {
		t, x := &s.Tests[i], r.Float64()
		t.usual = 200*time.Millisecond + time.Duration(x*x*x*7*float64(time.Second))
		if n := len(s.Tests); n > 100 {
			t.usual = time.Duration(x * 2 * float64(90*time.Second) / float64(n))
		}
		if w.scenario.HostileText {
			t.Description = hostile(t.Description, i)
		}
	}
}

// suiteTest is a test as its suite shows it: there may be very many.
type suiteTest struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

func (s *suite) body() object {
	critical, general := []suiteTest{}, []suiteTest{}
	for _, t := range s.Tests {
		shown := suiteTest{t.Name, t.Description}
		if t.Severity == severityCritical {
			critical = append(critical, shown)
		} else {
			general = append(general, shown)
		}
	}
	return object{"systemOnly": false, "criticalTests": critical, "generalTests": general, "id": s.ID, "name": s.Name}
}

func (a *health) showSuites(*request) any {
	return object{"userSuites": lists.Each(a.suites, (*suite).body)}
}

func (a *health) suite(id string) *suite {
	return find(a.suites, func(s *suite) bool { return s.ID == id })
}

func (a *health) showSuite(q *request) any {
	id := q.vars["id"]
	s, err := orNotFound(a.suite(id), "suite", "suite "+id)
	if err != nil {
		return err
	}
	return s.body()
}

// queueTime is how long a run waits before it begins.
const queueTime = 400 * time.Millisecond

// How the link to the report of a run is written: pages show both forms.
const linkPath, linkPortion = "path", "portion"

// What the job of a run is called, and the resource that it belongs to.
const runJobName, runJobResource = "Run health check", "healthCheck"

func (a *health) runHealthCheck(q *request) any {
	suites, name, async := a.requestedSuites(q), q.required("runName"), q.boolean("async")
	if q.err != nil {
		return q.err
	}
	r := a.newRun(a.ids, name, q.user.Username, q.now.Add(queueTime), suites)
	if !async {
		link := "reports/" + r.id
		if a.scenario.ReportLinks != linkPortion {
			link = adminRoot + "/healthCheck/" + link
		}
		return answer{
			body:  object{"statusURL": link},
			after: r.end.Sub(q.now),
		}
	}
	j := job{name: runJobName, resource: runJobResource, begins: r.start, ends: r.end,
		result: func() any { return healthResult(r.report(r.end)) }}
	if a.scenario.PartialReports {
		j.partial = func(now time.Time) any { return healthResult(r.report(now)) }
	}
	return a.jobs.inJob(q, j)
}

func (a *health) requestedSuites(q *request) []*suite {
	q.required("suiteIds")
	var suites []*suite
	for _, id := range q.list("suiteIds") {
		s := a.suite(id)
		if s == nil {
			ids := lists.Each(a.suites, func(known *suite) string { return known.ID })
			q.refuse(invalid("unknown suite", "there is no suite "+id+"; there are "+strings.Join(ids, ", ")))
		}
		if !slices.Contains(suites, s) {
			suites = append(suites, s)
		}
	}
	if len(suites) == 0 {
		q.refuse(missing("parameter suiteIds names no suite"))
	}
	return suites
}

// newRun starts a run that finds the world as it is now. Its report is among the
// others once the run has ended.
func (a *health) newRun(r *rand.Rand, name, user string, start time.Time, suites []*suite) *healthRun {
	run := &healthRun{id: shortID(r, 10), name: name, owner: user, createdBy: user, start: start,
		suites: suites, found: a.examine(suites), pace: r.Uint64(), slower: a.slower}
	run.setEnd()
	a.schedule(run.end, func() { a.add(run) })
	return run
}

// checkBySystem starts a run as the system does before and after an upgrade.
func (a *health) checkBySystem(name string, at time.Time, r *rand.Rand) {
	if len(a.suites) > 0 {
		a.newRun(r, name, "system", at, a.suites[:1])
	}
}

func healthResult(report reportBody) any {
	return object{"diagnosticHealthReport": report}
}

// finding is a problem that a test found.
type finding struct {
	result  string // fail or warning
	message string
	took    time.Duration // instead of the usual time; 0 keeps it
}

// The results of tests. Those of suites and reports have other words, see reportWords.
const testPass, testFail, testWarning = "pass", "fail", "warning"

// examine returns what the tests of the suites find in the world as it is now, by
// test name.
func (a *health) examine(suites []*suite) map[string]finding {
	found := map[string]finding{}
	for _, s := range suites {
		for _, t := range s.Tests {
			if f := a.examineTest(t); f.result != "" {
				found[t.Name] = f
			}
		}
	}
	return found
}

// examineTest returns what a test finds; a finding without a result where all is well.
func (a *health) examineTest(t test) finding {
	if t.Component == "" {
		return a.examineFact(t.Name)
	}
	c := a.component(t.Component)
	switch {
	case c == nil || c.state == working:
		path := testedServices[t.Name]
		s := a.services.byPath[path]
		if s == nil || a.pods.stateOf(s, a.clock.Now()) == serviceStarted {
			return finding{}
		}
		return finding{testFail, "The service " + path + " is not started.", 0}
	case c.state == strained:
		return finding{testWarning, c.messageOr("works, but is short of resources"), 0}
	case c.state == degraded:
		return finding{testFail, c.messageOr("answers with errors; not all of its pods are ready"), 0}
	}
	timeout := 10 * time.Second
	if c.Store {
		timeout = 30 * time.Second
	}
	return finding{testFail, c.messageOr(fmt.Sprintf("did not answer within %d s", timeout/time.Second)), timeout}
}

func (c *component) messageOr(otherwise string) string {
	return cmp.Or(c.message, c.Title+" "+otherwise+".")
}

// examineFact returns what a test finds that looks at no component: such things stay
// the same for months.
func (a *health) examineFact(testName string) (f finding) {
	r := a.random("fact " + testName)
	switch testName {
	case "certificate_expiry":
		if days := 20 + r.IntN(60); days < 30 {
			f.message = fmt.Sprintf("The certificate of the ingress ends in %d days.", days)
		}
	case "persistent_volume_usage":
		f.message = fmt.Sprintf("The volume of the object store is %d %% full.", 81+r.IntN(10))
	case "backup_age":
		if days := 1 + r.IntN(12); days >= 7 {
			f.message = fmt.Sprintf("The newest backup is %d days old.", days)
		}
	}
	if f.message != "" {
		f.result = testWarning
	}
	return f
}

// testedServices are what tests of health checks call.
var testedServices = map[string]string{
	"healthcheck_geometryService":   "Utilities/Geometry.GeometryServer",
	"healthcheck_publishingService": "System/PublishingTools.GPServer",
	"healthcheck_spatialanalysis":   "System/SpatialAnalysisTools.GPServer",
}
