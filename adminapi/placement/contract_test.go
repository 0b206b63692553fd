package placement_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/simulator/simtest"
)

// A policy with every field of the contract is read with its values, and goes back as it came.
func TestThePolicyOfTheContractIsRead(t *testing.T) {
	t.Parallel()
	const terms = `{"nodeSelectorTerms":[{"matchExpressions":[{"key":"pool","operator":"In","values":["gis","maps"]}]}]}`
	const policy = `{"placementPolicy":[{"deploymentId":"d1","deploymentType":"MapServer","podPlacementPolicy":{"nodeAffinity":{` +
		`"requiredDuringSchedulingIgnoredDuringExecution":` + terms + `,"preferredDuringSchedulingIgnoredDuringExecution":` + terms + `},` +
		`"tolerations":[{"effect":"NoExecute","key":"gpu","operator":"Equal","value":"yes"}]}}]}`
	p := parse(t, policy)
	line := placement.Line{Key: "pool", Operator: "In", Values: []string{"gis", "maps"}}
	i := p.Items()[0]
	got := []any{i.DeploymentID, i.DeploymentType, i.Required.Terms[0].Lines, i.Preferred.Terms[0].Lines, i.Tolerations, i.UnknownKeys, string(p.Bytes())}
	want := []any{"d1", "MapServer", []placement.Line{line}, []placement.Line{line},
		[]placement.Toleration{{Effect: "NoExecute", Key: "gpu", Operator: "Equal", Value: "yes"}}, []string(nil), policy}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, field := range simtest.Contract("field") {
		group, name, _ := strings.Cut(field.Name, ".")
		if slices.Contains([]string{"Policy", "Item", "Rules", "Affinity", "Term", "Expression", "Toleration"}, group) && !strings.Contains(policy, `"`+name+`":`) {
			t.Errorf("%s is not in the policy of this test", field.Name)
		}
	}
}

func TestTheWordsOfTheContractAreTaken(t *testing.T) {
	t.Parallel()
	var operators, tolerationOperators, effects []string
	for _, line := range simtest.Contract("operator", "effect") {
		name, ofToleration := strings.CutPrefix(line.Name, "toleration ")
		switch {
		case line.Kind == "effect":
			effects = append(effects, name)
		case ofToleration:
			tolerationOperators = append(tolerationOperators, name)
		default:
			operators = append(operators, name)
		}
	}
	for _, words := range [][2][]string{{operators, placement.Operators()}, {tolerationOperators, placement.TolerationOperators()}, {effects, placement.Effects()}} {
		slices.Sort(words[0])
		slices.Sort(words[1])
		if diff := cmp.Diff(words[0], words[1]); diff != "" {
			t.Error(diff)
		}
	}
}
