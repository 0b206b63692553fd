package simulator

import (
	"fmt"
	"time"
)

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

func suiteRoutes(w *world) []route {
	return []route{
		get("/healthCheck/suites", "Suites", w.listSuites).from("11.2"),
		get("/healthCheck/suites/{id}", "Suite", w.showSuite).from("11.2"),
	}
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

// operationalTests are our own reading of the second suite of 12.0, whose
// tests are not published.
var operationalTests = []test{
	{name: "certificate_expiry", description: "Certificates are valid for a month or more", severity: severityCritical},
	{name: "persistent_volume_usage", description: "Persistent volumes are less than 80 % full", severity: severityGeneral},
	{name: "backup_age", description: "The newest backup is less than a week old", severity: severityGeneral},
	{name: "pod_restarts", description: "Pods have not restarted often today", severity: severityGeneral},
	{name: "service_instance_usage", description: "Services have free instances", severity: severityGeneral, component: "MAP_SERVER"},
}

// newSuites makes the suites that a site of this version has; more is how many
// tests the scenario wants in each, 0 for the platform's own.
func newSuites(w *world) []*suite {
	if olderThan(w.version, "11.2") {
		return nil
	}
	suites := []*suite{{id: basicSuiteID, name: "Basic health checks",
		description: "The parts that every user of the site depends on.", tests: numbered(basicTests, 112)}}
	if !olderThan(w.version, "12.0") {
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

func (w *world) suite(id string) *suite {
	for _, s := range w.reports.suites {
		if s.id == id {
			return s
		}
	}
	return nil
}

func (w *world) listSuites(*request) (answer, error) {
	body := suitesBody{UserSuites: []suiteBody{}}
	for _, s := range w.reports.suites {
		body.UserSuites = append(body.UserSuites, s.body())
	}
	return answer{body: body}, nil
}

func (w *world) showSuite(q *request) (answer, error) {
	s := w.suite(q.vars["id"])
	if s == nil {
		return answer{}, notFound("no such suite", "there is no suite "+q.vars["id"])
	}
	return answer{body: s.body()}, nil
}
