package simulator_test

import (
	"net/url"
	"strings"
	"testing"
)

// folders are the paths of all folders, below services.
var folders = []string{"", "/System", "/Utilities", "/Hosted"}

func TestServicesAreInTheirFolders(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	root := s.get("/services")
	root.has("folderName", "/", "folders", 3)
	root.contains("SampleWorldCities")
	total := root.length("services")
	for _, folder := range []string{"System", "Utilities", "Hosted"} {
		got := s.get("/services/" + folder)
		got.has("folderName", folder, "services.0.folderName", folder)
		total += got.length("services")
	}
	if total != 40 {
		t.Errorf("%d services", total)
	}
}

func TestADefinitionHoldsTheFieldsOfTheContractAndStaysAsItIs(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	got := s.get("/services/SampleWorldCities.MapServer")
	for field := range strings.FieldsSeq(`serviceName type description capabilities clusterName minInstancesPerNode maxInstancesPerNode
		maxWaitTime maxIdleTime maxUsageTime recycleInterval recycleStartTime loadBalancing isolationLevel keepAliveInterval properties
		datasets frameworkProperties extensions id deploymentId provider private`) {
		if got.at(field) == nil {
			t.Errorf("no %s", field)
		}
	}
	got.has("extensions", 3, "extensions.0.typeName", "WMSServer", "extensions.0.properties.fees", "None")
	if !strings.Contains(got.body, `"maxScale":1000.0`) || !strings.Contains(got.body, "9007199254740993") {
		t.Error("numbers are not as written")
	}
	if again := s.get("/services/SampleWorldCities.MapServer"); again.body != got.body {
		t.Error("a second reading differs")
	}
}

func TestEveryListedServiceHasADefinition(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"healthy", "hostile"} {
		s := open(t, scenario, "operator")
		types := map[string]bool{}
		for _, folder := range folders {
			for _, item := range value[[]any](s.get("/services"+folder), "services") {
				ref := item.(map[string]any)
				name, kind := ref["serviceName"].(string), ref["type"].(string)
				got := s.get("/services" + folder + "/" + url.PathEscape(name+"."+kind))
				if got.text("serviceName") != name || got.text("id") != ref["id"] {
					t.Errorf("%q: %.200s", name, got.body)
				}
				types[kind] = true
			}
		}
		if len(types) < 6 {
			t.Errorf("types: %v", types)
		}
	}
}

func TestAScenarioMayHaveThousandsOfServices(t *testing.T) {
	t.Parallel()
	s, total := open(t, "many-services", "operator"), 0
	for _, folder := range folders {
		total += s.get("/services" + folder).length("services")
	}
	if huge := builtIn(t, "huge").Services; total != 3000 || huge != 3000 {
		t.Errorf("%d services, huge has %d", total, huge)
	}
}

func TestWhatExistsIsToldByNameAndType(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	for _, c := range []struct {
		folder, name, kind string
		exists             bool
	}{
		{"", "SampleWorldCities", "MapServer", true}, {"/", "SampleWorldCities", "MapServer", true}, {"System", "PublishingTools", "GPServer", true},
		{"", "SampleWorldCities", "FeatureServer", false}, {"Hosted", "SampleWorldCities", "MapServer", false}, {"Hosted", "", "", true}, {"Maps", "", "", false},
	} {
		s.post("/services/exists", "folderName", c.folder, "serviceName", c.name, "type", c.kind).has("exists", c.exists)
	}
	s.post("/services/exists", "serviceName", "SampleWorldCities", "type", "MapServer").has("exists", true)
	s.post("/services/exists").refused(400, "folderName")
}
