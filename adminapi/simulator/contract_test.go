package simulator_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
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

// A run that is awaited is answered with a link to its report, any other with a job.
func TestARunIsAnsweredByAJobOrByALinkToItsReport(t *testing.T) {
	t.Parallel()
	for scenario, before := range map[string]string{"contract-only": "/geodeck/admin/healthCheck/", "contract-only-get": ""} {
		s := startOn(t, simulator.Options{Scenario: builtIn(t, scenario), Clock: simtest.NewSteppedClock(noon)}, "operator")
		link, short := strings.CutPrefix(s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", "x").text("statusURL"), before)
		if !short || !strings.HasPrefix(link, "reports/") {
			t.Errorf("%s: the link has %q", scenario, link)
		}
		report := s.send("POST", "/healthCheck/"+link, values(nil), values(nil))
		report.has("name", "x", "state", "completed")
		job := s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", "y", "async", "true")
		job.has("status", "SUBMITTED", "jobsUrl", s.server.URL()+"/jobs/"+job.text("jobid"))
		s.send("POST", "/jobs/"+job.text("jobid"), values(nil), values(nil)).has("jobid", job.text("jobid"))
	}
}

func TestARefusalNamesTheOperationsOwnPrivileges(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	path := strings.NewReplacer("{name}", "SampleWorldCities", "{type}", "MapServer")
	for _, line := range simtest.Contract("privilege") {
		may := strings.Split(line.Words, ", or ")
		for user, has := range map[string]string{"viewer": "", "operator": "Security and infrastructure", "servers": "Servers",
			"updater": "Update", "deleter": "Delete", "author": "the Publisher role"} {
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

// What the client says before and after a refusal is what the site does, user by user.
func TestTheClientKnowsWhoMayWhat(t *testing.T) {
	t.Parallel()
	c := connect(t, "healthy", "admin")
	ctx, world := t.Context(), adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}
	definition, err := c.Services.Definition(ctx, world)
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range c.server.Users() {
		c.signIn(t, user.Username)
		self, err := c.Session.Self(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for name, of := range map[string]struct {
			needs adminapi.Privileges
			call  func() error
		}{
			"upgrades": {adminapi.ToUpgrade, func() error { _, err := c.Upgrades.Available(ctx); return err }},
			"rules":    {adminapi.ToPlace, func() error { _, err := c.Services.Placement(ctx, world); return err }},
			"pods":     {adminapi.ToSeeDeployments, func() error { _, err := c.Deployments.List(ctx); return err }},
			"edits": {adminapi.ToEdit, func() error {
				_, _, err := c.Change(ctx, adminapi.EditService(world, definition, false))
				return err
			}},
		} {
			err := of.call()
			refusal, _ := errors.AsType[*adminapi.Error](err)
			if refused := errors.Is(err, adminapi.KindPrivilege); refused == self.May(of.needs) || refused && refusal.Privilege != of.needs.String() {
				t.Errorf("%s of %s: may %v, %v", name, user.Username, self.May(of.needs), err)
			}
		}
	}
}
