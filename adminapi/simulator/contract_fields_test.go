package simulator_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

// collected are the objects of the contract that a site has sent, by the group of their fields.
type collected map[string][]map[string]any

// add takes what a group has its fields in: an object, or the objects of an array.
func (c collected) add(group string, found any) {
	switch found := found.(type) {
	case map[string]any:
		c[group] = append(c[group], found)
	case []any:
		for _, one := range found {
			c.add(group, one)
		}
	}
}

// below adds, for each object of a group, what its member holds.
func (c collected) below(group, member, of string) {
	for _, object := range c[group] {
		c.add(of, object[member])
	}
}

func (r reply) object(t *testing.T) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), &v); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return v
}

// is reports whether a value is of a type of the contract.
func is(value any, types string) bool {
	kind := "object"
	switch v := value.(type) {
	case string:
		kind = "string"
	case bool:
		kind = "boolean"
	case []any:
		kind = "array"
	case nil:
		return false
	case float64:
		kind = "number"
		if v == float64(int64(v)) && !strings.Contains(types, "number") {
			kind = "integer"
		}
	}
	return types == "any" || slices.Contains(strings.Split(types, " or "), kind)
}

// collect uses the operations of the contract, and returns all that the site answers.
func collect(t *testing.T) collected {
	t.Helper()
	c := collected{}
	s := open(t, "healthy", "operator")
	run := s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", "x", "async", "true")
	c.add("RunAnswer", run.object(t))
	s.clock.Advance(10 * time.Minute)
	c.add("Job", s.post("/jobs/"+run.text("jobid")).object(t))
	c.below("Job", "result", "JobResult")
	c.below("JobResult", "diagnosticHealthReport", "Report")
	c.below("Report", "suiteStatus", "Suite")
	c.below("Suite", "criticalTestStatus", "Test")
	c.below("Suite", "generalTestStatus", "Test")
	link := s.waitFor(10*time.Minute, func() reply {
		return s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", "y", "async", "false")
	})
	c.add("LinkAnswer", link.object(t))

	c.add("Manifest", s.post("/system/upgrades/available").object(t))
	c.below("Manifest", "patches", "Version")
	c.below("Manifest", "releases", "Version")
	c.below("Version", "containers", "Container")
	release := c["Manifest"][0]["releases"].([]any)[0].(map[string]any)["id"].(string)
	c.add("Settings", s.post("/system/upgrades/getUpgradeSettings", "upgradeId", `{"id":"`+release+`"}`).object(t))
	c.below("Settings", "userInputs", "Input")

	const service = "/services/SampleWorldCities.MapServer"
	definition, rules := s.get(service), s.get(service+"/placementPolicy")
	c.add("Definition", definition.object(t))
	c.below("Definition", "properties", "Properties")
	c.below("Definition", "extensions", "Extension")
	edited := s.post(service+"/edit", "service", definition.body, "async", "true")
	c.add("EditAnswer", edited.object(t))
	s.clock.Advance(10 * time.Minute)
	c.add("Job", s.post("/jobs/"+edited.text("jobID")).object(t))
	c.below("Job", "resource", "Resource")

	policy := `{"placementPolicy":[{"deploymentId":"` + rules.text("placementPolicy.0.deploymentId") + `","deploymentType":"MapServer",` +
		`"podPlacementPolicy":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[` +
		`{"key":"pool","operator":"In","values":["gis"]}]}]},"preferredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}},` +
		`"tolerations":[{"effect":"NoSchedule","key":"gpu","operator":"Equal","value":"yes"}]}}]}`
	placed := s.waitFor(10*time.Minute, func() reply { return s.post(service+"/placementPolicy/edit", "servicePlacementPolicy", policy) })
	c.add("DoneAnswer", placed.object(t))
	c.add("Policy", s.post(service+"/placementPolicy").object(t))
	c.below("Policy", "placementPolicy", "Item")
	c.below("Item", "podPlacementPolicy", "Rules")
	c.below("Rules", "nodeAffinity", "Affinity")
	c.below("Rules", "tolerations", "Toleration")
	c.below("Affinity", "requiredDuringSchedulingIgnoredDuringExecution", "Affinity")
	c.below("Affinity", "nodeSelectorTerms", "Term")
	c.below("Term", "matchExpressions", "Expression")

	started(t, s.upgradeTo(release, s.licensed(release, "12.0.0")))
	c.add("Status", s.post("/system/upgrades").object(t)["status"])
	s.finish()
	c.add("Status", s.post("/system/upgrades").object(t)["status"])
	c.below("Status", "messages", "Message")
	return c
}

// Each field of the contract is in an answer of the site, with its type.
func TestAnswersHaveTheFieldsOfTheContract(t *testing.T) {
	t.Parallel()
	sent := collect(t)
	for _, line := range simtest.Contract("field") {
		group, field, _ := strings.Cut(line.Name, ".")
		if !slices.ContainsFunc(sent[group], func(object map[string]any) bool { return is(object[field], line.Type) }) {
			t.Errorf("no %s of %d has %q, %s", group, len(sent[group]), field, line.Type)
		}
	}
}

// Each word of the contract for the value of a field is in an answer of the site.
func TestAnswersHaveTheValuesOfTheContract(t *testing.T) {
	t.Parallel()
	sent := collect(t)
	for _, line := range simtest.Contract("value") {
		name, value, _ := strings.Cut(line.Name, " ")
		group, field, _ := strings.Cut(name, ".")
		if !slices.ContainsFunc(sent[group], func(object map[string]any) bool {
			some, _ := object[field].([]any)
			return object[field] == value || slices.Contains(some, any(value))
		}) {
			t.Errorf("no %s of %d has %s %q", group, len(sent[group]), field, value)
		}
	}
}

// The log of a release and that of a patch have each message of the contract.
func TestTheLogHasTheCodesOfTheContract(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "operator")
	manifest := s.post("/system/upgrades/available")
	patch, release := manifest.text("patches.0.id"), manifest.text("releases.0.id")
	sent := map[string]bool{}
	for _, m := range append(s.upgrade(patch, s.settings(patch)), s.upgrade(release, s.licensed(release, "12.0.0"))...) {
		sent[strconv.Itoa(m.Code)] = true
	}
	for _, line := range simtest.Contract("code") {
		if !sent[line.Name] {
			t.Errorf("no message has code %s, %s", line.Name, line.Words)
		}
	}
}

func TestTheBasicSuiteHasTheTestsOfTheContract(t *testing.T) {
	t.Parallel()
	sent := collect(t)
	lines := simtest.Contract("test")
	for _, line := range lines {
		if !slices.ContainsFunc(sent["Test"], func(test map[string]any) bool {
			return test["name"] == line.Name && strings.Contains(line.Words, test["severity"].(string))
		}) {
			t.Errorf("there is no %s, %s", line.Name, line.Words)
		}
	}
	if len(lines) != len(sent["Test"]) {
		t.Errorf("%d tests, want %d", len(sent["Test"]), len(lines))
	}
}

// What an operation of the contract requires is asked for by name, and what it takes besides counts.
func TestTheSiteTakesTheParametersOfTheContract(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "admin")
	definition := s.get("/services/SampleWorldCities.MapServer").body
	whole := map[string]map[string]string{
		"healthCheck/run":                             {"suiteIds": "BSHC-001", "runName": "x"},
		"system/upgrades/getUpgradeSettings":          {"upgradeId": `{"id":"x"}`},
		"system/upgrades/upgrade":                     {"versionManifest": `{"id":"x"}`},
		"services/{name}.{type}/edit":                 {"service": definition},
		"services/{name}.{type}/placementPolicy/edit": {"servicePlacementPolicy": s.get("/services/SampleWorldCities.MapServer/placementPolicy").body},
	}
	path := strings.NewReplacer("{name}", "SampleWorldCities", "{type}", "MapServer")
	for _, line := range simtest.Contract("parameter") {
		operation, name, _ := strings.Cut(line.Name, " ")
		if !strings.Contains(line.Words, "required") || strings.Contains(line.Words, "from 11.0") {
			continue
		}
		var params []string
		for other, value := range whole[operation] {
			if other != name {
				params = append(params, other, value)
			}
		}
		s.post("/"+path.Replace(operation), params...).refused(400, name)
	}
	for _, missing := range []string{"healthCheck/run", "services/{name}.{type}/edit", "services/{name}.{type}/placementPolicy/edit"} {
		s.clock.Advance(time.Hour)
		var params []string
		for name, value := range whole[missing] {
			params = append(params, name, value)
		}
		accepted := s.post("/"+path.Replace(missing), append(params, "async", "true")...)
		if !strings.Contains(accepted.body, "jobsUrl") {
			t.Errorf("%s with async: %s", missing, accepted.body)
		}
	}
	form := func(f string) string { return s.post("/system/upgrades/available", "f", f).body }
	if compact, pretty := form("json"), form("pjson"); strings.Contains(strings.TrimSpace(compact), "\n") || !strings.Contains(strings.TrimSpace(pretty), "\n") {
		t.Errorf("json: %.60q, pjson: %.60q", compact, pretty)
	}
	s.token = ""
	s.post("/healthCheck/run").refused(499, "Token")
}

// What came with a version is missing before it.
func TestOperationsCameWithTheVersionsOfTheContract(t *testing.T) {
	t.Parallel()
	before := map[string]string{"11.2": "11.1.0.4000", "10.9": "10.9.0.505"}
	path := strings.NewReplacer("{name}", "SampleWorldCities", "{type}", "MapServer")
	for _, line := range simtest.Contract("version") {
		site, listed := before[line.Words]
		if !listed || strings.Contains(line.Name, " ") {
			continue
		}
		s := start(t, simulator.Scenario{Name: "x", Version: site}, "admin")
		missing := s.post("/"+path.Replace(line.Name)).status == http.StatusNotFound
		if want := line.Words != "10.9"; missing != want {
			t.Errorf("%s at %s: missing %v", line.Name, site, missing)
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
	_, report, _ := strings.Cut(linked.text("statusURL"), "reports/")
	for _, line := range simtest.Contract("resource") {
		path := map[string]string{"jobs/{id}": "/jobs/" + job, "healthCheck/reports/{id}": "/healthCheck/reports/" + report, "system/upgrades": "/system/upgrades"}[line.Name]
		if got := s.post(path); path == "" || got.status != http.StatusOK {
			t.Errorf("%s: POST %s: HTTP %d: %s", line.Name, path, got.status, got.body)
		}
	}
}
