package placement_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/placement"
)

// stores writes the file that places stores when a site is configured, with what a case is about.
func stores(components, rules string) string {
	return `{"placementPolicies":[{"components":` + components + `,"placementPolicy":` + rules + `,"x":1}]}`
}

func TestTheFileThatPlacesStoresIsReadAndChecked(t *testing.T) {
	t.Parallel()
	const stateful = `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"workload","operator":"In","values":["stateful"]}]}]}},` +
		`"tolerations":[{"key":"workload","operator":"Equal","value":"stateful","effect":"NoSchedule"}]}`
	text := stores(`["RELATIONAL","BLOB"]`, stateful)
	policy := parse(t, text)
	item := policy.Items()[0]
	if policy.Form() != placement.StoreRules || item.DeploymentType != "RELATIONAL, BLOB" || len(item.Required.Terms) != 1 || len(item.Tolerations) != 1 ||
		len(item.UnknownKeys) != 1 || string(policy.Bytes()) != text || !strings.Contains(policy.Rules(0), "stateful") {
		t.Fatalf("%+v", item)
	}
	if got := placement.Sentence(item); !strings.Contains(got, "workload") {
		t.Error(got)
	}
	tainted := placement.Node{Name: "a", Labels: map[string]string{"workload": "stateful"},
		Taints: []placement.Taint{{Key: "workload", Value: "stateful", Effect: placement.NoSchedule}}}
	if s := placement.Summarize(placement.Explain(item, []placement.Node{tainted})); s.Taking != 1 {
		t.Errorf("%+v", s)
	}
	for name, tt := range map[string]struct{ policy, want string }{
		"nothing wrong":       {text, ""},
		"a store to come":     {stores(`["VECTORS"]`, stateful), ""},
		"all of the guides":   {stores(`["RELATIONAL","BLOB","IN_MEM_CACHE","INDEXER","QUEUE"]`, stateful), ""},
		"a store misspelt":    {stores(`["RELATIONL"]`, stateful), "caution placementPolicies[0].components: the component RELATIONL is unknown; did you mean RELATIONAL?"},
		"a store twice":       {stores(`["BLOB","BLOB"]`, stateful), "the component BLOB is listed twice"},
		"no store":            {stores(`[]`, stateful), "no component is named"},
		"a store as a number": {stores(`[1]`, stateful), "blocking placementPolicies[0].components[0]: expected a text, found a number"},
		"no policy":           {`{"placementPolicies":[]}`, "the file has no policy"},
		"an element a word":   {`{"placementPolicies":["x"]}`, "expected an object, found a text"},
		"In without values": {stores(`["BLOB"]`, required(`{"key":"gpu","operator":"In","values":[]}`)), "blocking placementPolicies[0].placementPolicy.nodeAffinity." +
			"requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: In needs at least one value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := shown(placement.Check(parse(t, tt.policy), nil))
			if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
	if _, err := placement.Parse([]byte(`{"placementPolicies":{}}`)); err == nil {
		t.Error("an object for a list was read")
	}
}
