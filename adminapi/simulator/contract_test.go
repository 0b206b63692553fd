package simulator_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator/simtest"
)

// contractOperations are what the contract shows, as a site of nothing else answers them.
var contractOperations = []string{
	"/healthCheck/run", "/system/upgrades", "/system/upgrades/available",
	"/system/upgrades/getUpgradeSettings", "/system/upgrades/upgrade", "/services/SampleWorldCities.MapServer/edit",
	"/services/System/PublishingTools.GPServer/edit", "/services/SampleWorldCities.MapServer/placementPolicy/edit",
	"/services/System/PublishingTools.GPServer/placementPolicy/edit",
}

func TestASiteOfTheContractHasNothingElse(t *testing.T) {
	t.Parallel()
	for scenario, byGet := range map[string]bool{"contract-only": false, "contract-only-get": true} {
		s := open(t, scenario, "operator")
		for _, op := range operations {
			got := s.send("POST", op.path, values(nil), values(nil))
			if strings.HasSuffix(op.path, "/x") {
				continue // of a report or job that is not there
			}
			if missing := got.status == http.StatusNotFound; missing == slices.Contains(contractOperations, op.path) {
				t.Errorf("%s: POST %s: HTTP %d: %s", scenario, op.path, got.status, got.body)
			}
		}
		if got := s.send("GET", "/system/upgrades", values(nil), values(nil)); (got.status == http.StatusOK) != byGet {
			t.Errorf("%s: GET of the log of upgrades: HTTP %d", scenario, got.status)
		}
	}
}

// What a site of nothing else answers leads on: to a job, to a report, and to the log of upgrades.
func TestASiteOfTheContractAnswersWhereItsLinksLead(t *testing.T) {
	t.Parallel()
	s := open(t, "contract-only", "operator")
	run := func(async string) reply {
		return s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", "x", "async", async)
	}
	job := run("true").text("jobid")
	s.clock.Advance(10 * time.Minute)
	linked := s.waitFor(10*time.Minute, func() reply { return run("false") })
	_, report, _ := strings.Cut(linked.text("statusURL"), "/admin")
	for _, line := range simtest.Contract("resource") {
		path := map[string]string{"jobs/{id}": "/jobs/" + job, "healthCheck/reports/{id}": report, "system/upgrades": "/system/upgrades"}[line.Name]
		if got := s.post(path); path == "" || got.status != http.StatusOK {
			t.Errorf("%s: POST %s: HTTP %d: %s", line.Name, path, got.status, got.body)
		}
	}
}

func TestReadsAreAnsweredByPostToo(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	for _, op := range operations {
		if op.method == "GET" && !strings.Contains(op.path, "/x") {
			if got := s.send("POST", op.path, values(nil), values(nil)); got.status == http.StatusMethodNotAllowed {
				t.Errorf("POST %s: HTTP %d", op.path, got.status)
			}
		}
	}
}

func TestARefusalNamesTheOperationsOwnPrivileges(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	path := strings.NewReplacer("{name}", "SampleWorldCities", "{type}", "MapServer")
	for _, line := range simtest.Contract("privilege") {
		may := strings.Split(line.Words, ", or ")
		for user, has := range map[string]string{"viewer": "", "operator": "Security and infrastructure", "servers": "Servers",
			"updater": "Update", "deleter": "Delete", "author": "Publisher"} {
			s.signIn(user)
			got := s.post("/" + path.Replace(line.Name))
			if slices.Contains(may, has) {
				if strings.Contains(got.body, `"code":403`) {
					t.Errorf("%s by %s: %s", line.Name, user, got.body)
				}
				continue
			}
			got.refused(403, "needs the privilege "+line.Words+".")
		}
	}
}
