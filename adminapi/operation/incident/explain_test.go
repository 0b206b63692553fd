package incident_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/placement"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fault is something that goes wrong at a simulated site, with the cause that has to be
// named.
type fault struct {
	name string
	want explain.CauseID
	see  func(t *testing.T, p *visit) explain.Explanation
}

// incidentSite is a site and what goes wrong there, in order.
type incidentSite struct {
	scenario  string
	incidents []fault
}

// visit is a site while its incidents are looked at.
type visit struct {
	*operationtest.Platform
	report *adminapi.Report // of the one health check
}

const notKnown explain.CauseID = "not-known"

// test explains a test of a health check that is run now.
func test(name string, want explain.CauseID) fault {
	return fault{"test " + name, want, func(t *testing.T, p *visit) explain.Explanation {
		t.Helper()
		x, err := incident.ExplainTest(t.Context(), p.Site, p.checked(t), name, incident.Surroundings{})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}}
}

// checked runs all suites of the site once.
func (p *visit) checked(t *testing.T) adminapi.Report {
	t.Helper()
	if p.report != nil {
		return *p.report
	}
	suites, err := p.Client.Health.Suites(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, s := range suites {
		ids = append(ids, s.ID)
	}
	run, _, err := operationtest.Apart(p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: ids, Name: "incident"}))
	if err != nil {
		t.Fatal(err)
	}
	report, err := operationtest.WaitHealthRun(t.Context(), p.Platform, run, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.report = &report
	return report
}

// upgradeAfter explains the upgrade that runs, so long after now.
func upgradeAfter(name string, after time.Duration, want explain.CauseID) fault {
	return fault{"upgrade " + name, want, func(t *testing.T, p *visit) explain.Explanation {
		t.Helper()
		watch := watching.NewWatch(p.Site, nil)
		for range 2 { // the first read meets a run that goes on
			step, err := watch.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if p.Clock.Now().Sub(operationtest.Start) >= after {
				return incident.ExplainUpgrade(t.Context(), p.Site, step.Value, incident.Surroundings{Nodes: nodes(t, p.Platform)})
			}
			p.Clock.Advance(after)
			p.SignInAgain(t)
		}
		step, err := watch.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return incident.ExplainUpgrade(t.Context(), p.Site, step.Value, incident.Surroundings{Nodes: nodes(t, p.Platform)})
	}}
}

// nodes are those of the simulated cluster.
func nodes(t *testing.T, p *operationtest.Platform) []placement.Node {
	t.Helper()
	nodes, err := placement.ReadNodes(p.World.Nodes())
	if err != nil {
		t.Fatal(err)
	}
	return nodes
}

func service(path string, want explain.CauseID) fault {
	return fault{"service " + path, want, func(t *testing.T, p *visit) explain.Explanation {
		t.Helper()
		return incident.ExplainService(t.Context(), p.Site, ref(t, path), incident.Surroundings{Nodes: nodes(t, p.Platform)})
	}}
}

func ref(t *testing.T, path string) adminapi.ServiceRef {
	t.Helper()
	service, err := adminapi.ParseServicePath(path)
	if err != nil {
		t.Fatal(err)
	}
	return service
}

// write explains what became of a write.
func write(name string, want explain.CauseID, send func(t *testing.T, p *visit) (adminapi.Outcome, error)) fault {
	return fault{"write " + name, want, func(t *testing.T, p *visit) explain.Explanation {
		t.Helper()
		outcome, err := send(t, p)
		if err == nil {
			t.Fatal(name, "was done")
		}
		return incident.ExplainWrite(t.Context(), p.Site, incident.WriteFactsOf(operation.Result{What: name, Outcome: outcome, Err: err}, incident.Surroundings{}), incident.Surroundings{})
	}}
}

func editing1(t *testing.T, p *visit) (adminapi.Outcome, error) {
	t.Helper()
	return editIn(operationtest.Idle, "901")(t, p)
}

func editIn(path, raw document.Path) func(*testing.T, *visit) (adminapi.Outcome, error) {
	return func(t *testing.T, p *visit) (adminapi.Outcome, error) {
		t.Helper()
		_, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), p.Edit(t, path, string(raw)), nil))
		return outcome, err
	}
}

func starting(id string, change ...func(*operation.UpgradeRequest)) func(*testing.T, *visit) (adminapi.Outcome, error) {
	return func(t *testing.T, p *visit) (adminapi.Outcome, error) {
		t.Helper()
		request := p.Request(t, id)
		for _, c := range change {
			c(&request)
		}
		_, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), request, nil))
		return outcome, err
	}
}

// as signs another user in for a write.
func as(user string, send func(*testing.T, *visit) (adminapi.Outcome, error)) func(*testing.T, *visit) (adminapi.Outcome, error) {
	return func(t *testing.T, p *visit) (adminapi.Outcome, error) {
		t.Helper()
		admin := p.User
		defer func() { p.User = admin; p.SignInAgain(t) }()
		for _, u := range p.World.Users() {
			if u.Username == user {
				p.User = u
			}
		}
		p.SignInAgain(t)
		return send(t, p)
	}
}

func switching(path string, on bool) func(*testing.T, *visit) (adminapi.Outcome, error) {
	return func(t *testing.T, p *visit) (adminapi.Outcome, error) {
		t.Helper()
		_, outcome, err := operationtest.Apart(
			p.SwitchService(t.Context(), operation.Switch{Service: ref(t, path), Start: on}, nil, nil))
		return outcome, err
	}
}

const (
	patch   = "upgrades: {else: {id: pat_12082025_6805, when: running, ago: 1m}"
	release = "upgrades: {else: {id: rel_11122025_7286, when: running, ago: 1m}"
)

// failing is a release that fails after a message, with one that says why behind it.
func failing(after, says string) string {
	return release + ", fail: {after: " + after + "}, also: [{at: {code: " + after + ", plus: 5s}, message: {code: 2999, message: " + quote(says) + "}}]}"
}

// silent is a release that goes silent after a message, with one that says why behind it.
func silent(after, says string) string {
	more := ""
	if says != "" {
		more = ", also: [{at: {code: " + after + ", plus: 5s}, message: {code: 2999, message: " + quote(says) + "}}]"
	}
	return release + ", stall: {after: {code: " + after + "}}" + more + "}"
}

// pool is rules that ask for a label.
func pool(name string) string {
	return `{"tolerations":[],"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"pool","operator":"In","values":["` + name + `"]}]}]}}}`
}

func quote(text string) string { return `"` + text + `"` }

const late = 4 * time.Hour

// incidentSites are the sites; those after the first few have one fault each, since an
// upgrade fails but once.
func incidentSites() []incidentSite {
	one := func(scenario string, i fault) incidentSite { return incidentSite{scenario, []fault{i}} }
	lost := func(what, more string) string {
		return "faults: [{path: 'admin/services/**', method: POST, times: 1, what: " + what + more + "}]"
	}
	return []incidentSite{
		{`components:
  - {name: PORTAL_SHARING_API, state: stopped}
  - {name: POSTGRES, state: degraded, message: "could not extend file: No space left on device"}
  - {name: MINIO, state: stopped}
  - {name: PORTAL_APPS, state: degraded}
  - {name: ENTERPRISE_MANAGER, state: stopped, message: "Container manager is in CrashLoopBackOff."}
  - {name: ELASTICSEARCH, state: degraded, message: "flood stage disk watermark [95%] exceeded; index is read-only / allow delete"}
  - {name: INGRESS_CONTROLLER, state: degraded, message: "x509: certificate has expired or is not yet valid"}
  - {name: GP_SERVER, state: stopped, message: "0/14 nodes are available: 14 Insufficient memory."}
  - {name: MAP_SERVER, state: degraded, message: "Last state: Terminated, reason: OOMKilled"}
  - {name: SPATIAL_ANALYSIS, state: stopped, message: "Back-off pulling image arcgis-spatial-analysis:11.5.0.6745"}
  - {name: LOGGING, state: strained, message: "Log collection is 14 minutes behind; its memory is 93 % used."}
  - {name: PORTAL_INDEXER, state: strained, message: "The indices hold another number of items than expected."}
editing: {stopped: [Utilities/Geometry.GeometryServer]}`, []fault{
			test("sharing_availability", "sharing-api.no-answer"),
			test("healthcheck_relationalDatastore", "relational-store.disk-full"),
			test("healthcheck_objectStore", "object-store.no-answer"),
			test("home_app_availability", "home-app.not-ready"),
			test("manager_availability", "manager.crash"),
			test("healthcheck_spatioTemporalIndexStore", "index-store.disk-full"),
			test("healthcheck_ingress", "ingress.certificate"),
			test("healthcheck_publishingService", "publishing-tools.capacity"),
			test("healthcheck_sharedMapService", "shared-map-services.out-of-memory"),
			test("healthcheck_spatialanalysis", "spatial-analysis.image-pull"),
			test("healthcheck_geometryService", "geometry-service.stopped"),
			test("query_logs_availability", "log-collection.memory"),
			test("healthcheck_index_synced", notKnown),
		}},
		{"version: 12.0.0.7286\ncomponents: [{name: POSTGRES, state: degraded, message: 'replication is broken'}, {name: ELASTICSEARCH, state: degraded, message: 'Something odd.'}]", []fault{
			test("persistent_volume_usage", "volumes.volume-fills"),
			test("healthcheck_relationalDatastore", "relational-store.replication"),
			test("healthcheck_spatioTemporalIndexStore", "index-store.not-ready"),
		}},

		one(release+", fail: {after: 2144}}", upgradeAfter("fails in PostgreSQL", late, "database")),
		one(release+", fail: {after: 2287}}", upgradeAfter("fails in diagnostics", late, "diagnostics")),
		one(release+", fail: {after: 2271}}", upgradeAfter("fails in its plan", late, "plan")),
		one(release+", fail: {after: 2101, nth: 20}}", upgradeAfter("fails at a deployment", late, "component")),
		one(release+", fail: {after: 2187}}", upgradeAfter("fails in content", late, "content")),
		one(release+", fail: {after: 2191}}", upgradeAfter("fails in the search index", late, "search")),
		one(release+", fail: {after: 2010}}", upgradeAfter("fails at its launch", late, "launch")),
		one(patch+", fail: {after: 2038, nth: 5}}", upgradeAfter("patch is rolled back", late, "component")),
		one(failing("2101", "Failed to pull image arcgis-web-proxy:12.0.0.7286: manifest unknown"), upgradeAfter("cannot pull an image", late, "image-pull")),
		one(failing("2144", "pg_upgrade: could not write: No space left on device"), upgradeAfter("fills the disk", late, "disk-full")),
		one(failing("2287", "The license has expired"), upgradeAfter("has no valid licence", late, "licence")),
		one(failing("2101", "Container did not start within 1800 s: timed out waiting for the deployment"), upgradeAfter("meets the container timeout", late, "container-timeout")),
		one(failing("2101", "pods forbidden: exceeded quota: compute-resources"), upgradeAfter("meets the quota", late, "quota")),
		one(failing("2101", "0/14 nodes are available: 14 Insufficient cpu."), upgradeAfter("finds no capacity", late, "capacity")),
		one(failing("2101", "Last state: Terminated, reason: OOMKilled"), upgradeAfter("runs out of memory", late, "out-of-memory")),

		one(silent("2144", ""), upgradeAfter("is silent in PostgreSQL", late, notKnown)),
		one(silent("2101", "FailedScheduling: 0/14 nodes are available: 14 node(s) didn't match Pod's node affinity/selector."), upgradeAfter("waits for a node", late, "no-node")),
		one(silent("2101", "FailedScheduling: 0/14 nodes are available: 14 node(s) had untolerated taint {dedicated: gis}."), upgradeAfter("waits behind a taint", late, "taint")),
		one(silent("2101", "ImagePullBackOff"), upgradeAfter("waits for an image", late, "image-pull")),
		one(silent("2108", "Unable to attach or mount volumes: timed out waiting for the condition"), upgradeAfter("waits for a volume", late, "volume")),
		one(silent("2144", "")+"\nevents: [{at: 1m, component: MINIO, state: stopped}]", upgradeAfter("waits while a store is down", late, "not-ready")),
		one(patch+", states: [{from: {code: 2271}, state: waiting_for_resources, code: 7}]}", upgradeAfter("is in an unknown state", 6*time.Minute, "unknown-state")),
		one(patch+", ends: {state: completed_with_warnings, code: 4}}", upgradeAfter("ends in an unknown state", late, "unknown-state")),
		one(release+"}\nfaults: [{path: 'admin/**', what: reset, from: {code: 2101, component: ENTERPRISE_ADMIN_API, plus: 20s}}]",
			fault{"the API restarts", "api-restarts", watchUntilUnreachable}),
		one(patch+"}\nfaults: [{path: 'admin/**', what: close, from: {code: 2271, plus: 1s}}]", fault{"the API is away", notKnown, watchUntilUnreachable}),

		{"editing: {stopped: [Utilities/Geometry.GeometryServer], broken: {Utilities/PrintingTools.GPServer: 'The container image of the printing tools cannot be pulled.', Utilities/Symbols.GPServer: 'Back-off: container exited with exit code 1'}}\n" +
			"placement: {policies: {SampleWorldCities.MapServer: '" + pool("giss") + "'}}", []fault{
			service("Utilities/Geometry.GeometryServer", "stopped"),
			service("SampleWorldCities.MapServer", "no-node"),
			write("start the printing tools", "image-pull", switching("Utilities/PrintingTools.GPServer", true)),
			service("Utilities/PrintingTools.GPServer", "image-pull"),
			write("start the symbols", "crash", switching("Utilities/Symbols.GPServer", true)),
			service("Utilities/Symbols.GPServer", "crash"),
			service("Utilities/NoSuch.GPServer", "not-found"),
			write("stop as a viewer", "privilege", as("viewer", switching("Utilities/Geometry.GeometryServer", false))),
			write("stop a service that is not there", "not-found", switching("Utilities/NoSuch.GPServer", false)),
			write("a definition that is not valid", "definition", editIn("recycleStartTime", `"25:99"`)),
		}},
		one("placement: {policies: {SampleWorldCities.MapServer: '"+pool("gpu")+"'}}", service("SampleWorldCities.MapServer", "taint")),
		{"editing: {restart: 10m, edits: [{times: 1, ends: FAILED, message: 'The service did not become ready: 1 of 2 pods cannot be scheduled.'}, {after: 1, times: 1, ends: CANCELLED, message: 'The operation was cancelled by the system.'}]}", []fault{
			write("edit that fails", "unschedulable", editing1),
			write("edit that is cancelled", "cancelled", editing1),
			{"service restarts after an edit", "restarting", func(t *testing.T, p *visit) explain.Explanation {
				t.Helper()
				if outcome, err := editIn("maxInstancesPerNode", "6")(t, p); err != nil {
					t.Fatal(outcome, err)
				}
				return incident.ExplainService(t.Context(), p.Site, operationtest.Cities, incident.Surroundings{})
			}},
		}},
		one(lost("close", ", performed: true"), write("edit without an answer", "answer-lost", editing1)),
		{lost("close", ""), []fault{
			write("edit that does not arrive", "answer-lost", editing1),
			service(operationtest.Cities.Path(), "answer-lost"),
		}},
		one(lost("html", ", status: 502, performed: true"), write("edit behind a gateway", "answer-lost", editing1)),
		one("faults: [{path: admin/system/upgrades/upgrade, method: POST, times: 1, what: close}]", write("upgrade without an answer", "answer-lost", starting(operationtest.PatchID))),
		{"readOnly: true\nreadOnlyMessage: Maintenance.", []fault{
			write("edit in read-only mode", "read-only", editing1),
			write("start in read-only mode", "read-only", switching("Utilities/Geometry.GeometryServer", true)),
		}},
		{patch + "}", []fault{
			write("edit while an upgrade runs", "upgrade-runs", editing1),
			write("upgrade while one runs", "upgrade-runs", func(t *testing.T, p *visit) (adminapi.Outcome, error) {
				t.Helper()
				_, err := p.Client.Upgrades.Settings(t.Context(), operationtest.PatchID)
				return adminapi.OutcomeRefused, err
			}),
		}},
		{"upgrades: {licence: '11.5', mandatory: [pat_07102025_6820]}\nuploadExtensions: [soe]", []fault{
			write("upload of a licence", "upload-type", starting(operationtest.ReleaseID)),
		}},
		one("upgrades: {licence: '11.5'}", write("wrong licence", "licence", starting(operationtest.ReleaseID))),
		{"upgrades: {mandatory: [pat_07102025_6820]}\nevents: [{at: 20h, expireTokens: true}]", []fault{
			write("release before a required patch", "required-update", starting(operationtest.ReleaseID)),
			write("upgrade as a publisher", "privilege", func(t *testing.T, p *visit) (adminapi.Outcome, error) {
				t.Helper()
				request := p.Request(t, operationtest.PatchID)
				return as("publisher", func(t *testing.T, p *visit) (adminapi.Outcome, error) {
					t.Helper()
					_, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), request, nil))
					return outcome, err
				})(t, p)
			}),
			write("a sign-in that has ended", "sign-in", func(t *testing.T, p *visit) (adminapi.Outcome, error) {
				t.Helper()
				edit := p.Edit(t, operationtest.Idle, "900")
				p.Clock.Advance(21 * time.Hour)
				_, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
				return outcome, err
			}),
		}},
		one("version: 10.9.1.1203", write("a health check at an old site", "version", func(t *testing.T, p *visit) (adminapi.Outcome, error) {
			t.Helper()
			if _, err := p.Client.Root(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, err := p.Client.Health.Suites(t.Context())
			return adminapi.OutcomeNotSent, err
		})),
		one("faults: [{path: 'admin/services/**', what: html}]", write("something else than the API", "not-the-api", func(t *testing.T, p *visit) (adminapi.Outcome, error) {
			t.Helper()
			_, err := p.Client.Services.Status(t.Context(), operationtest.Cities)
			return adminapi.OutcomeNotSent, err
		})),
	}
}

// watchUntilUnreachable watches until the API is away for a while.
func watchUntilUnreachable(t *testing.T, p *visit) explain.Explanation {
	t.Helper()
	watch := watching.NewWatch(p.Site, nil)
	for range 2000 {
		step, err := watch.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if step.Unreachable != nil {
			return incident.ExplainUpgrade(t.Context(), p.Site, step.Value, incident.Surroundings{})
		}
		p.Clock.Advance(10 * time.Second)
	}
	t.Fatal("the API stayed")
	return explain.Explanation{}
}

func TestScriptedIncidentsAreNamedRightOrNotAtAll(t *testing.T) {
	t.Parallel()
	var named, all atomic.Int32
	t.Run("sites", func(t *testing.T) {
		for _, site := range incidentSites() {
			t.Run(site.incidents[0].name, func(t *testing.T) {
				t.Parallel()
				p := &visit{Platform: operationtest.New(t, "name: fault\nseed: 1\n"+site.scenario).Remembering(t, t.TempDir())}
				for _, i := range site.incidents {
					x := i.see(t, p)
					all.Add(1)
					switch {
					case x.Cause.ID == i.want && (i.want != notKnown) == x.Cause.Known:
						if x.Cause.Known {
							named.Add(1)
						}
					default:
						t.Errorf("%s: %s (%s), not %s\n%+v", i.name, x.Cause.ID, x.Cause.Sentence, i.want, x.Evidence)
					}
					checkExplanation(t, i.name, x)
				}
			})
		}
	})
	if all.Load() < 60 || named.Load()*100 < all.Load()*95 {
		t.Errorf("%d of %d incidents are named", named.Load(), all.Load())
	}
}

// outside are causes whose next step is not done at the site, or is where the refusal stands.
var outside = []explain.CauseID{"not-the-api", "upload-type", "licence", "read-only", "definition"}

// checkExplanation checks what holds for the explanation of every fault.
func checkExplanation(t *testing.T, name string, x explain.Explanation) {
	t.Helper()
	if !x.Fault || x.Title == "" || x.Cause.Sentence == "" || x.Next.Text == "" || len(x.Site) == 0 || len(x.Evidence) == 0 {
		t.Errorf("%s lacks a part: %+v", name, x)
	}
	if x.Next.Action.ID == "" && !slices.Contains(outside, x.Cause.ID) {
		t.Errorf("%s: nothing does the next step: %s", name, x.Next.Text)
	}
	harms := strings.HasPrefix(name, "upgrade ") && x.Cause.ID != "read-only-left" || strings.HasPrefix(name, "test ") || strings.HasPrefix(x.Title, "Outcome unknown")
	if harms && len(x.Avoid) == 0 {
		t.Errorf("%s does not say what not to do", name)
	}
	for _, e := range x.Evidence {
		if strings.ContainsAny(e.Text, "\n\x1b") {
			t.Errorf("%s: %q", name, e.Text)
		}
	}
}

// What no answer has told is no number.
func TestPodsThatCannotBeCountedAreNotNone(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.Contains(r.URL.Path, "/system/deployments/") {
			_, _ = io.WriteString(w, `{"deploymentId":`) // half an answer
			return
		}
		pass()
	})
	x := incident.ExplainService(t.Context(), p.Site, operationtest.Cities, incident.Surroundings{})
	said := fmt.Sprint(x.Evidence)
	if strings.Contains(said, "pods ready") || !strings.Contains(said, "The number of ready pods cannot be read") {
		t.Error(said)
	}
}

// A report tells of its time: a service that runs by now is not to be started.
func TestAServiceThatRunsSinceItsTestIsNotToBeStarted(t *testing.T) {
	t.Parallel()
	const path, name = "Utilities/Geometry.GeometryServer", "healthcheck_geometryService"
	p := &visit{Platform: operationtest.New(t, "name: since\nseed: 1\nediting: {stopped: ["+path+"]}")}
	report := p.checked(t)
	explained := func() explain.Explanation {
		x, err := incident.ExplainTest(t.Context(), p.Site, report, name, incident.Surroundings{})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	if x := explained(); x.Next.Action.ID != explain.OpenStopped || x.Next.Text != "Start "+path+"." {
		t.Errorf("%+v", x.Next)
	}
	service, err := adminapi.ParseServicePath(path)
	if err != nil {
		t.Fatal(err)
	}
	job, outcome, err := operationtest.Apart(p.SwitchService(t.Context(), operation.Switch{Service: service, Start: true}, nil, nil))
	if err != nil || outcome != adminapi.OutcomeDone {
		t.Fatal(job, outcome, err)
	}
	x := explained()
	if said := fmt.Sprint(x.Evidence); x.Next.Action.ID != explain.RunHealth || x.Cause.Sentence != path+" was not running then." || !strings.Contains(said, path+" runs by now.") {
		t.Errorf("%+v, %+v\n%s", x.Cause, x.Next, said)
	}
}
