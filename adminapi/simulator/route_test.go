package simulator_test

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
)

// operations are all that exist, with the users that may not call them.
var operations = []struct {
	method, path string
	refused      string // users without the privilege, by comma
}{
	{"GET", "", "viewer"},
	{"GET", "/mode", "viewer"},
	{"POST", "/mode/update", "servers,publisher,viewer"},
	{"GET", "/healthCheck", "viewer"},
	{"GET", "/healthCheck/suites", "viewer"},
	{"GET", "/healthCheck/suites/BSHC-001", "viewer"},
	{"POST", "/healthCheck/run", "servers,publisher,viewer"},
	{"GET", "/healthCheck/reports", "viewer"},
	{"GET", "/healthCheck/reports/query", "viewer"},
	{"GET", "/healthCheck/reports/x", "viewer"},
	{"POST", "/healthCheck/reports/delete", "servers,publisher,viewer"},
	{"POST", "/healthCheck/reports/export", "servers,publisher,viewer"},
	{"POST", "/healthCheck/reports/x/delete", "servers,publisher,viewer"},
	{"POST", "/healthCheck/reports/x/export", "servers,publisher,viewer"},
	{"POST", "/healthCheck/reports/x/rename", "servers,publisher,viewer"},
	{"GET", "/jobs", "viewer"},
	{"GET", "/jobs/x", "viewer"},
	{"GET", "/services", "viewer"},
	{"GET", "/services/Hosted", "viewer"},
	{"GET", "/services/System/PublishingTools.GPServer", "viewer"},
	{"POST", "/services/SampleWorldCities.MapServer/edit", "servers,viewer"},
	{"POST", "/services/System/PublishingTools.GPServer/edit", "servers,viewer"},
	{"GET", "/services/SampleWorldCities.MapServer/status", "viewer"},
	{"GET", "/services/System/PublishingTools.GPServer/status", "viewer"},
	{"POST", "/services/No.MapServer/start", "servers,viewer"},
	{"POST", "/services/System/No.GPServer/stop", "servers,viewer"},
	{"GET", "/services/SampleWorldCities.MapServer/placementPolicy", "servers,publisher,viewer"},
	{"GET", "/services/System/PublishingTools.GPServer/placementPolicy", "servers,publisher,viewer"},
	{"POST", "/services/SampleWorldCities.MapServer/placementPolicy/edit", "servers,publisher,viewer"},
	{"POST", "/services/System/PublishingTools.GPServer/placementPolicy/edit", "servers,publisher,viewer"},
	{"POST", "/services/exists", "servers,viewer"},
	{"GET", "/services/SampleWorldCities.MapServer/scaling", "servers,viewer"},
	{"POST", "/services/System/PublishingTools.GPServer/scaling/edit", "servers,viewer"},
	{"GET", "/system/deployments", "operator,servers,publisher,viewer"},
	{"POST", "/system/deployments/getDeploymentsById", "operator,servers,publisher,viewer"},
	{"POST", "/system/deployments/findDeployment", "operator,servers,publisher,viewer"},
	{"POST", "/system/deployments/findDeployments", "operator,servers,publisher,viewer"},
	{"POST", "/system/deployments/findDeploymentIds", "operator,servers,publisher,viewer"},
	{"POST", "/system/deployments/x/edit", "operator,servers,publisher,viewer"},
	{"POST", "/system/deployments/x/refresh", "operator,servers,publisher,viewer"},
	{"GET", "/system/deployments/x", "operator,servers,publisher,viewer"},
	{"GET", "/system/deployments/x/status", "operator,servers,publisher,viewer"},
	{"GET", "/system/upgrades", "viewer"},
	{"POST", "/system/upgrades/getUpgradeSettings", "publisher,viewer"},
	{"POST", "/system/upgrades/upgrade", "publisher,viewer"},
	{"GET", "/system/upgrades/currentVersion", "publisher,viewer"},
	{"GET", "/system/upgrades/history", "publisher,viewer"},
	{"POST", "/system/upgrades/checkRollback", "publisher,viewer"},
	{"POST", "/system/upgrades/rollback", "publisher,viewer"},
	{"POST", "/system/upgrades/importManifest", "publisher,viewer"},
	{"POST", "/system/upgrades/deleteImportedManifest", "publisher,viewer"},
	{"GET", "/system/upgrades/manifestStatus", "publisher,viewer"},
	{"GET", "/system/upgrades/config", "publisher,viewer"},
	{"GET", "/system/disasterrecovery/status", "servers,publisher,viewer"},
	{"GET", "/system/disasterrecovery/settings", "servers,publisher,viewer"},
	{"POST", "/system/disasterrecovery/settings/update", "servers,publisher,viewer"},
	{"GET", "/system/disasterrecovery/stores", "servers,publisher,viewer"},
	{"POST", "/system/disasterrecovery/stores/register", "servers,publisher,viewer"},
	{"GET", "/system/disasterrecovery/stores/nightly", "servers,publisher,viewer"},
	{"POST", "/system/disasterrecovery/stores/nightly/update", "servers,publisher,viewer"},
	{"POST", "/system/disasterrecovery/stores/x/unregister", "servers,publisher,viewer"},
	{"POST", "/system/disasterrecovery/stores/nightly/backups/create", "servers,publisher,viewer"},
	{"GET", "/system/disasterrecovery/stores/nightly/backups", "servers,publisher,viewer"},
	{"GET", "/uploads", "servers,updater,deleter,viewer"},
	{"POST", "/uploads/upload", "servers,updater,deleter,viewer"},
	{"POST", "/uploads/x/delete", "servers,updater,deleter,viewer"},
	{"GET", "/uploads/x", "servers,updater,deleter,viewer"},
	{"GET", "/uploads/x/download", "servers,updater,deleter,viewer"},
	{"POST", "/uploads/x/commit", "servers,updater,deleter,viewer"},
	{"GET", "/about", "viewer"},
	{"GET", "/overview", "servers,publisher,updater,deleter,author,viewer"},
	{"GET", "/overview/config", "servers,publisher,updater,deleter,author,viewer"},
	{"GET", "/logs", "updater,viewer"},
	{"GET", "/logs/query", "updater,viewer"},
	{"GET", "/logs/settings", "updater,viewer"},
	{"GET", "/system/properties", "servers,publisher,updater,deleter,author,viewer"},
	{"POST", "/system/properties/update", "servers,publisher,updater,deleter,author,viewer"},
	{"GET", "/system/deployments/properties", "operator,servers,publisher,updater,deleter,author,viewer"},
	{"GET", "/system/enterprisefunctions", "servers,publisher,updater,deleter,author,viewer"},
	{"GET", "/system/webadaptors", "servers,publisher,updater,deleter,author,viewer"},
	{"GET", "/security/certificates/trust", "servers,publisher,updater,deleter,author,viewer"},
	{"GET", "/services/properties", "servers,viewer"},
	{"GET", "/services/types", "servers,viewer"},
	{"GET", "/services/types/extensions", "servers,viewer"},
	{"GET", "/services/types/providers", "servers,viewer"},
	{"GET", "/orgs", "servers,publisher,updater,deleter,author,viewer"},
	{"GET", "/orgs/0123456789ABCDEF/federation/servers", "servers,publisher,updater,deleter,author,viewer"},
}

func TestEveryOperationChecksPrivileges(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	for _, op := range operations {
		s.token = ""
		s.send(op.method, op.path, values(nil), values(nil)).refused(499, "Token Required")
	}
	for _, user := range s.server.Users() {
		s.signIn(user.Username)
		for _, op := range operations {
			got := s.send(op.method, op.path, values(nil), values(nil))
			refused := strings.Contains(got.body, `"code":403`)
			// Whoever has but one of the publisher's privileges may no more.
			one := strings.Contains(op.refused, "publisher") && slices.Contains([]string{"updater", "deleter", "author"}, user.Username)
			if want := one || strings.Contains(op.refused, user.Username); refused != want {
				t.Errorf("%s %s by %s: refused %v, want %v: %.200s", op.method, op.path, user.Username, refused, want, got.body)
			}
		}
	}
}

func TestARefusalNamesThePrivilege(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "viewer")
	got := s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", "x")
	if got.status != http.StatusOK {
		t.Errorf("HTTP %d", got.status)
	}
	got.refused(403, "Security and infrastructure")
}

func TestTheWrongMethodIsRefusedWithTheRightOne(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	for _, op := range operations {
		if op.method == http.MethodGet || op.path == "/system/upgrades" {
			continue // POST reads, too
		}
		got := s.send(http.MethodGet, op.path, values(nil), values(nil))
		if got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != op.method {
			t.Errorf("GET %s: HTTP %d, Allow %q", op.path, got.status, got.header.Get("Allow"))
			continue
		}
		got.refused(405, op.method)
	}
}

func TestAPathThatDoesNotExistIsNotFound(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	for _, path := range []string{"/nothing", "/healthCheck/suites/XX-9", "/jobs/j-unknown", "/healthCheck/reports/unknown", "/services/No.MapServer", "/services/Hosted/No.MapServer", "/uploads/unknown"} {
		got := s.get(path)
		if got.status != http.StatusNotFound {
			t.Errorf("%s: HTTP %d", path, got.status)
		}
		got.refused(404, "no such")
	}
}

func TestFormatsArePlainPrettyAndPages(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.get("/mode").is("{\"isReadOnly\":false}\n")
	s.get("/mode", "f", "pjson").is("{\n  \"isReadOnly\": false\n}\n")
	for _, query := range []url.Values{nil, {"f": {"html"}}} {
		got := s.send(http.MethodGet, "/mode", query, nil)
		if !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || !strings.Contains(got.body, "simulator") || !strings.Contains(got.body, "isReadOnly") {
			t.Errorf("page: %s", got.body)
		}
	}
	s.get("/mode", "f", "xml").refused(400, "html, json, pjson")
	for _, path := range []string{"/healthCheck", "/healthCheck/reports"} {
		if got := s.get(path); !strings.HasPrefix(got.body, "<!DOCTYPE html>") {
			t.Errorf("%s has a JSON form: %s", path, got.body)
		}
	}
}

func TestAPageEscapesWhatItShows(t *testing.T) {
	t.Parallel()
	s := open(t, "hostile", "admin")
	for _, path := range []string{"/services", "/healthCheck/suites", "/healthCheck/reports"} {
		if got := s.get(path, "f", "html"); strings.Contains(got.body, "<script>") || strings.Contains(got.body, "\x1b") {
			t.Errorf("%s: %s", path, got.body)
		}
	}
}

func TestABrowserGoesFromAnAsynchronousRunToTheJobsPage(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	got := s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", "page", "async", "true", "f", "html")
	if got.status != http.StatusSeeOther || !strings.HasPrefix(got.header.Get("Location"), "/geodeck/admin/jobs/j") {
		t.Fatalf("HTTP %d to %q", got.status, got.header.Get("Location"))
	}
	page := s.get(strings.TrimPrefix(got.header.Get("Location"), "/geodeck/admin"), "f", "html")
	if page.status != http.StatusOK || !strings.Contains(page.body, "SUBMITTED") {
		t.Errorf("the job's page: %d %s", page.status, page.body)
	}
}

func TestAnEscapedSlashIsRefused(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	got := s.get("/services/Utilities%2FGeometry.GeometryServer")
	if got.refused(400, "escaped slash"); got.status != http.StatusBadRequest {
		t.Errorf("HTTP %d", got.status)
	}
	s.get("/services/Utilities/Geometry%2EGeometryServer").has("serviceName", "Geometry")
}

func TestReadOnlyModeRefusesWritesUntilItIsSwitchedOff(t *testing.T) {
	t.Parallel()
	s := open(t, "readonly", "admin")
	if got := s.get("/mode"); got.at("isReadOnly") != true || got.text("message") == "" {
		t.Errorf("mode: %s", got.body)
	}
	for _, op := range operations {
		switch path.Base(op.path) {
		case "getUpgradeSettings", "checkRollback", "exists", "findDeployment", "findDeployments", "findDeploymentIds", "getDeploymentsById":
			continue // changes nothing
		}
		if op.method == "POST" && op.path != "/mode/update" {
			s.post(op.path).refused(403, "read-only mode")
		}
	}
	s.reports("5").has("runs", 5)
	s.post("/mode/update").refused(400, "isReadOnly")
	s.post("/mode/update", "isReadOnly", "perhaps").refused(400, "perhaps")
	s.post("/mode/update", "isReadOnly", "false").is(`{"messages":[],"status":"success"}` + "\n")
	s.get("/mode").is(`{"isReadOnly":false}` + "\n")
	s.post("/mode/update", "isReadOnly", "true", "message", "Back at noon.", "description", "x").has("status", "success", "messages", 0)
	s.get("/mode").is(`{"isReadOnly":true,"message":"Back at noon."}` + "\n")
	s.post("/mode/update", "isReadOnly", "true")
	s.get("/mode").contains("read-only mode by admin")
	s.post("/mode/update", "isReadOnly", "false")
	s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", "x", "async", "true").has("status", "SUBMITTED")
}

func TestAnOldSiteLacksWhatItsVersionLacks(t *testing.T) {
	t.Parallel()
	s := open(t, "old", "admin")
	root := s.get("")
	if root.text("fullVersion") != "10.9.1.1203" || root.text("currentVersion") != "10.9.1" || strings.Contains(root.body, "healthCheck") {
		t.Errorf("root: %s", root.body)
	}
	got := s.get("/healthCheck/suites")
	if got.status != http.StatusNotFound {
		t.Errorf("HTTP %d", got.status)
	}
	got.refused(404, "11.2")
	s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", "x").refused(404, "11.2")
	s.get("/system/upgrades").has("status.state", "no_upgrade")
}

func TestTheDateIsTheWorlds(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.clock.Advance(36 * time.Hour)
	if got := s.get("/mode").header.Get("Date"); got != "Sun, 22 Nov 2026 00:00:00 GMT" {
		t.Errorf("Date: %s", got)
	}
}

func TestTheKindOfABodyIsReadInAnyCase(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	r := s.formRequest("/mode/update", "--x\r\nContent-Disposition: form-data; name=\"isReadOnly\"\r\n\r\ntrue\r\n--x--\r\n")
	r.Header.Set("Content-Type", "Multipart/Form-Data; boundary=x")
	s.do(r)
	s.isReadOnly(true)
}

func TestABodyThatIsNoFormIsRefused(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.do(s.formRequest("/mode/update?f=json", "isReadOnly=%zz")).refused(400, "not a form")
}

// Programs put a path behind a root as it was given to them, which may end in a slash.
func TestSlashesBehindEachOtherCountAsOne(t *testing.T) {
	t.Parallel()
	scenario := simulator.Scenario{Name: "x", Faults: []simulator.Fault{{Path: "/admin/mode", What: "status", Times: 1}}}
	s := start(t, scenario, "admin")
	s.get("//jobs").has("error", nil)
	if first := s.get("//mode"); first.status != http.StatusServiceUnavailable {
		t.Error("the fault is not about its path with two slashes: ", first.body)
	}
	job := s.post("//services//SampleWorldCities.MapServer/stop", "async", "true")
	s.get("//jobs/"+value[string](job, "jobID")).has("resource.name", "SampleWorldCities", "operationURI", "/geodeck/admin/services/SampleWorldCities.MapServer/stop")
}
