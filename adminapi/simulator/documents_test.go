package simulator_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/simulator"
)

func TestTheServiceTypesAreThoseOfTheDeployments(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	providers := map[any]any{}
	for _, one := range value[[]any](s.get("/services/types"), "types") {
		kind := one.(map[string]any)
		providers[kind["name"]] = kind["provider"]
	}
	known := map[any]bool{}
	for _, one := range value[[]any](s.get("/services/types/providers"), "providers") {
		known[one] = true
	}
	for _, one := range value[[]any](s.get(deployments), "deployments") {
		d := one.(map[string]any)
		if d["mode"] != "Dedicated" && d["mode"] != "Shared" {
			continue // none of services
		}
		if provider := providers[d["type"]]; provider != d["provider"] || !known[provider] {
			t.Errorf("%v runs in %v; the types say %v, of %v", d["type"], d["provider"], provider, known)
		}
	}
}

func TestTheOrganizationIsTheOneOfThePortal(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.get("/orgs").has("organizations.0", s.get(strings.TrimSuffix(s.server.TokenURL(), "generateToken")+"portals/self").text("id"), "organizations.1", nil)
}

func TestAnEditOfPropertiesChangesOnlyWhatItNames(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	update := func(properties string) reply { return s.post("/system/properties/update", "properties", properties) }
	update(`{"added": true}`).has("status", "success")
	update(`null`).has("status", "success")
	update(`{"containerStartUpTimeoutSeconds": `).refused(400, "properties: ")
	update(`[]`).refused(400, "properties: ")
	update("").refused(400, "properties is required")
	s.get("/system/properties").has("containerStartUpTimeoutSeconds", 1800, "added", true)
	healthy(t).get("/system/properties").has("added", nil)
}

func TestWhatAVersionDoesNotHaveIsNotThere(t *testing.T) {
	t.Parallel()
	s := start(t, simulator.Scenario{Name: "x", Version: "11.3"}, "admin")
	s.get("/about").refused(404, "the resource came with 11.5")
	s.get("/system/enterprisefunctions").refused(404, "the resource came with 11.4")
	s.get("/overview").has("criticalLogs.0", nil)
}
