package simulator_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
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
	const edit = "/services/SampleWorldCities.MapServer/edit"
	for _, c := range []struct{ user, path, needs string }{
		{"viewer", "/healthCheck/run", "privilege Security and infrastructure."},
		{"viewer", "/system/upgrades/available", "privilege Security and infrastructure, or Servers."},
		{"viewer", "/system/upgrades/upgrade", "privilege Security and infrastructure, or Servers."},
		{"viewer", edit, "privilege Update, or Delete, or Security and infrastructure, or Publisher."},
		{"viewer", "/services/SampleWorldCities.MapServer/placementPolicy/edit", "privilege Security and infrastructure."},
		{"updater", "/healthCheck/run", "privilege Security and infrastructure."},
	} {
		s.signIn(c.user)
		s.post(c.path).refused(403, c.needs)
	}
	for _, user := range []string{"updater", "deleter", "author"} {
		s.signIn(user)
		s.post(edit).refused(400, "service")
	}
}
