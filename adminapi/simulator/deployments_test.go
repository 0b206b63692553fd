package simulator_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
)

const deployments = "/system/deployments"

// found returns the ids of the deployments that filters leave.
func (s *site) found(filters ...string) (ids []string) {
	s.t.Helper()
	for _, id := range value[[]any](s.post(deployments+"/findDeploymentIds", filters...), "filteredDeploymentIds") {
		ids = append(ids, id.(string))
	}
	return ids
}

// only returns the path of the one deployment that filters leave.
func (s *site) only(filters ...string) string {
	s.t.Helper()
	ids := s.found(filters...)
	if len(ids) != 1 {
		s.t.Fatalf("%v are %v", filters, ids)
	}
	return deployments + "/" + ids[0]
}

func TestADeploymentHasThePublishedShape(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	got := s.get(s.only("filterName", "shared-mapserver"))
	got.has("mode", "Shared", "configuredState", "STARTED", "provider", "DMaps", "name", "shared-mapserver", "type", "MapServer",
		"spec.replicas.min", 3, "spec.replicas.max", 3, "spec.replicas.scalingMode", "manual", "spec.containers.0.name", "main-container",
		"spec.containers.0.resources.cpuMin", "0.125", "spec.containers.0.resources.cpuMax", "1",
		"spec.containers.0.resources.memoryMin", "500Mi", "spec.containers.0.resources.memoryMax", "2Gi",
		"spec.containers.0.containerImageKey", "MAP_SERVER", "revision", noon.AddDate(0, -4, 0).UnixMilli())
	got.contains(`"podPlacementPolicy":{"tolerations":[],"nodeAffinity":{"required`)
	var top map[string]json.RawMessage
	if err := json.Unmarshal([]byte(got.body), &top); err != nil {
		t.Fatal(err)
	}
	if names := strings.Join(slices.Sorted(maps.Keys(top)), " "); names != "configuredState deploymentId labels mode name provider revision spec type" {
		t.Error(names)
	}
	system := s.get(s.only("filterName", "ingress-controller"))
	system.has("mode", "Undefined", "provider", "Undefined", "type", "System", "spec.podPlacementPolicy", nil)
	old := start(t, simulator.Scenario{Name: "x", Version: "11.1"}, "admin")
	old.get(old.only("filterName", "shared-mapserver")).has("name", "shared-mapserver", "spec.podPlacementPolicy", nil)
}

func TestDeploymentsAreFoundByWhatTheyAre(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	all := s.found()
	s.get(deployments).has("deployments", len(all))
	for _, filters := range [][]string{
		{"filterName", "object-store"}, {"filterProvider", "Postgres"}, {"filterId", all[0]}, {"filterType", "QueueServer"},
		{"filterName", "", "filterType", "MapServer", "filterId", "", "filterProvider", "", "filterMode", "Shared"},
	} {
		path := s.only(filters...)
		one := s.get(path)
		s.get(path+"/status").has("id", one.text("deploymentId"), "name", one.text("name"), "currentState", "STARTED")
		for _, verb := range []string{"/findDeployment", "/findDeployments"} {
			s.post(deployments+verb, filters...).has("filteredDeployments", 1, "filteredDeployments.0.deploymentId", one.text("deploymentId"))
		}
	}
	s.post(deployments+"/getDeploymentsById", "deploymentIDs", all[2]+","+all[0]).has("deployments", 2,
		"deployments.0.deploymentId", all[2], "deployments.1.deploymentId", all[0], "deployments.0.spec.replicas.min", 2)
	s.post(deployments+"/getDeploymentsById", "deploymentIDs", all[2]+",x").refused(404, "no deployment x")
	s.post(deployments+"/getDeploymentsById").refused(400, "deploymentIDs")
	if got := s.found("filterName", "x"); len(got) != 0 {
		t.Error(got)
	}
	old := open(t, "old", "admin")
	old.post(deployments+"/findDeploymentIds").refused(404, "11.0")
	if n := old.post(deployments+"/findDeployment", "filterType", "System").length("filteredDeployments"); n < 5 {
		t.Error(n)
	}
}

func TestTheStatusOfAPartOfThePlatformIsThatOfItsComponent(t *testing.T) {
	t.Parallel()
	for state, ready := range map[string]int{"working": 2, "strained": 2, "degraded": 1, "stopped": 0} {
		scenario := simulator.Scenario{Name: "x"}
		if state != "working" {
			scenario.Components = []simulator.ComponentState{{Name: "MINIO", State: state}}
		}
		s := start(t, scenario, "admin")
		s.get(s.only("filterName", "object-store")+"/status").has("readyReplicas", ready, "totalReplicas", 2,
			"kubernetesResourceKind", "StatefulSet", "kubernetesResourceName", "arcgis-object-store")
	}
}

// edits sends an edit of a deployment, and waits for its answer.
func (s *site) edits(path, spec string) reply {
	s.t.Helper()
	return s.waitFor(3*time.Second, func() reply { return s.post(path+"/edit", "deploymentJson", `{"spec":`+spec+`}`) })
}

func TestAnEditOfADeploymentChangesItsPods(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	path := s.only("filterName", "shared-mapserver")
	pods := func(ready, total int) {
		t.Helper()
		s.get(path+"/status").has("readyReplicas", ready, "totalReplicas", total)
	}
	s.edits(path, `{"replicas":{"min":5,"max":5}}`).has("status", "success")
	pods(3, 5)
	s.clock.Advance(time.Minute)
	pods(5, 5)
	edited := s.get(path)
	edited.has("spec.replicas.min", 5, "spec.replicas.scalingMode", "manual", "spec.containers.0.resources.cpuMax", "1")
	if edited.number("revision") <= noon.UnixMilli() {
		t.Error(edited.body)
	}
	s.edits(path, `{"replicas":{"min":1,"max":2,"scalingMode":"auto"},"containers":[{"name":"main-container","resources":{"memoryMax":"4Gi"}}]}`)
	pods(0, 2)
	s.clock.Advance(time.Minute)
	pods(2, 2)
	s.get(path).has("spec.containers.0.resources.memoryMax", "4Gi", "spec.containers.0.resources.memoryMin", "500Mi", "spec.replicas.scalingMode", "auto")
	s.edits(path, `{"podPlacementPolicy":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"no","operator":"Exists"}]}]}}}}`)
	s.clock.Advance(time.Hour)
	pods(0, 2)
	for text, why := range map[string]string{
		`{"spec":{"replicas":{"min":2,"max":3,"scalingMode":"manual"}}}`:                                  "min and max are the same",
		`{"spec":{"replicas":{"min":0,"max":0}}}`:                                                         "0 to 0",
		`{"spec":{"replicas":{"min":1,"max":1,"scalingMode":"often"}}}`:                                   "often",
		`{"spec":{"containers":[{"name":"main-container","resources":{"cpuMax":"all"}}]}}`:                "all",
		`{"spec":{"containers":[{"name":"other"}]}}`:                                                      "other",
		`{"spec":{"podPlacementPolicy":{"tolerations":[{"key":"a","operator":"Is"}],"nodeAffinity":{}}}}`: "Is",
		`{"replicas":{}}`: "spec", `{"deploymentId":"x","spec":{}}`: "deployment x", `{"spec":{"containers":[{"name":"main-container","resources":{"cpuMin":"9"}}]}}`: "no range", `[`: "not valid", ``: "deploymentJson",
	} {
		s.post(path+"/edit", "deploymentJson", text).refused(400, why)
	}
}

func TestRulesThatADeploymentCannotHaveAreRefused(t *testing.T) {
	t.Parallel()
	const rules = `{"spec":{"podPlacementPolicy":{"tolerations":[],"nodeAffinity":{}}}}`
	s := healthy(t)
	s.post(s.only("filterName", "ingress-controller")+"/edit", "deploymentJson", rules).refused(400, "podPlacementPolicy")
	old := start(t, simulator.Scenario{Name: "x", Version: "11.1"}, "admin")
	old.post(old.only("filterName", "shared-mapserver")+"/edit", "deploymentJson", rules).refused(400, "podPlacementPolicy")
}

func TestARefreshReplacesThePods(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	path := s.only("filterName", "ingress-controller")
	s.post(path+"/refresh").has("status", "success")
	for _, ready := range []int{0, 1, 2} {
		s.get(path+"/status").has("readyReplicas", ready, "totalReplicas", 2)
		s.clock.Advance(8 * time.Second)
	}
	s.post(deployments+"/x/refresh").refused(404, "no deployment x")
	closed := open(t, "readonly", "admin")
	closed.post(closed.only("filterName", "ingress-controller")+"/refresh").refused(403, "read-only")
}

func TestADeploymentIsEditedOnceAtATime(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	path := s.only("filterName", "shared-mapserver")
	edit := func(replicas string) reply {
		return s.post(path+"/edit", "deploymentJson", strings.ReplaceAll(`{"spec":{"replicas":{"min":N,"max":N}}}`, "N", replicas))
	}
	s.waitFor(time.Minute, func() reply { return edit("4") }, func() { edit("5").refused(409, "in progress") }).has("status", "success")
	s.get(path).has("spec.replicas.min", 4)
	s.waitFor(time.Minute, func() reply { return edit("5") }).has("status", "success")
	s.get(path).has("spec.replicas.min", 5)
}

func TestTheScalingOfAServiceIsThatOfItsDeployments(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	const tools = "/services/System/PublishingTools.GPServer"
	got := s.get(tools + "/scaling")
	got.has("scalingSpec", 2, "scalingSpec.0.deploymentType", "GPServer", "scalingSpec.0.resources.memoryMin", "500Mi")
	id := got.text("scalingSpec.1.deploymentId")
	spec := strings.ReplaceAll(got.body, `"min":3,"max":3`, `"min":4,"max":4`)
	s.waitFor(time.Minute, func() reply { return s.post(tools+"/scaling/edit", "serviceScalingSpec", spec) }).has("status", "success")
	s.get(tools + "/scaling").is(spec)
	s.get(deployments+"/"+id).has("spec.replicas.min", 4)
	for text, why := range map[string]string{`{}`: "no deployment", ``: "serviceScalingSpec", `{"scalingSpec":[{"deploymentId":"x"}]}`: "x",
		`{"scalingSpec":[{"deploymentId":"` + id + `","replicas":{"min":-1}}]}`: "-1"} {
		s.post(tools+"/scaling/edit", "serviceScalingSpec", text).refused(400, why)
	}
}
