package simulator_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/simulator"
)

const affinityOf = `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[%s]}]}}}`

// place sends rules for the first deployment of the sample.
func (s *site) place(rules string) reply {
	s.t.Helper()
	id := s.get(cities + "/placementPolicy").text("placementPolicy.0.deploymentId")
	return s.post(cities+"/placementPolicy/edit", "servicePlacementPolicy",
		fmt.Sprintf(`{"placementPolicy":[{"deploymentId":%q,"deploymentType":"MapServer","podPlacementPolicy":%s}]}`, id, rules), "async", "true")
}

func TestTheNodesAreThoseOfAClusterInPools(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"healthy", "hostile"} {
		server, err := simulator.New(simulator.Options{Scenario: builtIn(t, scenario)})
		if err != nil {
			t.Fatal(err)
		}
		nodes, err := placement.ReadNodes(server.Nodes())
		if err != nil || len(nodes) < 12 {
			t.Fatalf("%d nodes, %v", len(nodes), err)
		}
		if n := strings.Count(string(server.Nodes()), "node.kubernetes.io/unschedulable"); n != 1 {
			t.Errorf("%d taints of cordoned nodes", n)
		}
		cordoned, gpus := 0, 0
		for _, n := range nodes {
			if n.Unschedulable {
				cordoned++
			}
			if n.Labels["gpu"] != "" && len(n.Taints) > 0 && len(n.Allocatable) == 4 {
				gpus++
			}
		}
		if cordoned != 1 || gpus < 3 || len(placement.LabelValues(nodes, "topology.kubernetes.io/zone")) != 3 || len(placement.Taints(nodes)) < 5 {
			t.Errorf("%d cordoned, %d with a GPU, %v", cordoned, gpus, placement.Taints(nodes))
		}
	}
}

func TestServicesHaveDeploymentsAndSomeShareThem(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	services, shapes := map[string]int{}, map[placement.Shape]bool{}
	several, unknown := 0, 0
	for _, path := range s.servicePaths() {
		policy, err := placement.Parse([]byte(s.get(path + "/placementPolicy").body))
		if err != nil {
			t.Fatal(err)
		}
		items := policy.Items()
		if own := s.get(path).text("deploymentId"); items[0].DeploymentID != own || len(own) != 21 {
			t.Errorf("%s: %q is not %q", path, items[0].DeploymentID, own)
		}
		if len(items) > 1 {
			several++
		}
		for _, item := range items {
			services[item.DeploymentID]++
			unknown += len(item.UnknownKeys)
			if item.Preferred.Present {
				shapes[item.Preferred.Shape] = true
			}
			if got := s.get("/system/deployments/" + item.DeploymentID + "/status"); got.number("readyReplicas") < 1 || got.text("id") != item.DeploymentID {
				t.Errorf("%s: %s", path, got.body)
			}
		}
	}
	if several == 0 || unknown == 0 || len(shapes) != 2 || slices.Max(slices.Collect(maps.Values(services))) < 3 {
		t.Errorf("%d with several, %d unknown keys, shapes %v, %v", several, unknown, shapes, services)
	}
}

func TestPodsRunAgainWhereANodeTakesThem(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	deployment := "/system/deployments/" + s.get(cities).text("deploymentId")
	const gpu = `"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"gpu","operator":"Exists"}]}]}}`
	const everywhere = `"tolerations":[{"operator":"Exists"}]`
	for _, step := range []struct {
		rules string
		taken bool
	}{
		{`{"nodeAffinity":{}}`, true},
		{`{` + everywhere + `,` + strings.ReplaceAll(gpu, `"gpu"`, `"upgrader"`) + `}`, true},
		{`{` + everywhere + `,"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[` +
			`{"weight":9,"preference":{"matchExpressions":[{"key":"pool","operator":"In","values":["memory","system"]}]}},` +
			`{"weight":1,"preference":{"matchExpressions":[{"key":"pool","operator":"In","values":["memory"]}]}}]}}`, true},
		{`{"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists"}],` + gpu + `}`, true},
		{`{"tolerations":[],` + gpu + `}`, false},
		{`{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":9,"preference":{"matchExpressions":[{"key":"disk","operator":"In","values":["hdd"]}]}}]}}`, true},
	} {
		s.place(step.rules).has("jobStatus", "SUBMITTED")
		s.clock.Advance(4 * time.Second)
		s.get(deployment+"/status").has("readyReplicas", 0)
		s.clock.Advance(time.Minute)
		status := s.get(deployment + "/status")
		if total := status.number("totalReplicas"); total == 0 || (status.number("readyReplicas") == total) != step.taken {
			t.Errorf("%s: %s", step.rules, status.body)
		}
	}
}

func TestTheSameRulesMoveNoPods(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	text := s.get(cities + "/placementPolicy").body
	s.post(cities+"/placementPolicy/edit", "servicePlacementPolicy", text, "async", "true").has("jobStatus", "SUBMITTED")
	s.clock.Advance(4 * time.Second)
	s.get(cities+"/status").has("realTimeState", "STARTED")
}

func TestAPlacementThatTheSiteCannotTakeIsRefused(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	before := s.get(cities + "/placementPolicy").body
	line := func(text string) string { return fmt.Sprintf(affinityOf, text) }
	for rules, says := range map[string]string{
		line(`{"key":"a","operator":"Is","values":["b"]}`):                   "In, NotIn, Exists, DoesNotExist, Gt, Lt",
		line(`{"operator":"Exists"}`):                                        "a key",
		line(`{"key":"a","operator":"In","values":[]}`):                      "needs values",
		line(`{"key":"a","operator":"Exists","values":["b"]}`):               "takes no values",
		line(`{"key":"a","operator":"Gt","values":["b"]}`):                   "one number",
		`{"tolerations":[{"key":"a","operator":"Exists","effect":"Never"}]}`: "NoSchedule, PreferNoSchedule, NoExecute",
		`{"tolerations":[{"key":"a","operator":"In"}]}`:                      "Equal, Exists",
		`{"tolerations":[{"operator":"Equal","value":"a"}]}`:                 "without a key",
		`{"tolerations":[{"key":"a","operator":"Exists","value":"b"}]}`:      "takes no value",
		`{"tolerations":[{"key":"a","value":"b","tolerationSeconds":3}]}`:    "NoExecute",
		`{"tolerations":{}}`:  "tolerations",
		`{"nodeAffinity":[]}`: "nodeAffinity",
		`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}}`:                               "no nodeSelectorTerms",
		`{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":101,"preference":{"matchExpressions":[]}}]}}`: "weight is 101",
		"null": "is missing",
	} {
		s.place(rules).refused(400, says)
	}
	for text, says := range map[string]string{
		"[]": "not a JSON object", "{": "not a JSON object", `{"placementPolicy":[]}`: "no deployment", `{"placementPolicy":[{}]}`: "is missing",
		`{"placementPolicy":[{"deploymentId":"nowhere","podPlacementPolicy":{}}]}`: "no deployment of this service",
		strings.Replace(before, `"MapServer"`, `"Unheard"`, 1):                     "deploymentType",
	} {
		s.post(cities+"/placementPolicy/edit", "servicePlacementPolicy", text).refused(400, says)
	}
	item := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(before), `{"placementPolicy":[`), `]}`)
	s.post(cities+"/placementPolicy/edit", "servicePlacementPolicy", `{"placementPolicy":[`+item+","+item+"]}", "async", "true").refused(400, "is there twice")
	s.post(cities+"/placementPolicy/edit").refused(400, "servicePlacementPolicy is required")
	s.post(cities+"/placementPolicy/edit", "servicePlacementPolicy", before, "async", "yes").refused(400, "async")
	s.clock.Advance(time.Minute)
	if after := s.get(cities + "/placementPolicy").body; after != before {
		t.Errorf("it became %s", after)
	}
}

func TestAServiceIsBusyWhileItsPlacementIsEdited(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.place("{}").has("jobStatus", "SUBMITTED")
	s.place("{}").refused(409, "in progress")
	s.post(cities+"/stop").refused(409, "in progress")
	s.clock.Advance(time.Minute)
	s.place("{}").has("jobStatus", "SUBMITTED")
}

func TestAStoppedServiceHasNoPods(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	for _, path := range s.servicePaths() {
		s.post(path+"/stop", "async", "true")
	}
	s.clock.Advance(time.Minute)
	got := s.get("/system/deployments/" + s.get(cities).text("deploymentId") + "/status")
	got.has("totalReplicas", 0, "currentState", "STOPPED")
}
