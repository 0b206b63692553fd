package oracle_test

import (
	"strings"
	"testing"

	"geodeck/ui/uitest/sweep/oracle"
)

// somewhere are rules that the first of two nodes fits, and twoNodes are those.
const (
	somewhere = `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"pool","operator":"In","values":["gis"]}]}]}},"tolerations":[]}`
	twoNodes  = `{"items":[{"metadata":{"name":"n1","labels":{"pool":"gis"}}},{"metadata":{"name":"n2","labels":{"pool":"gpu"}},"spec":{"taints":[{"key":"gpu","effect":"NoSchedule"}]}}]}`
	verdicts  = `{"taking":1,"makeable":false,"nodes":[{"name":"n1","takes":true,"reasons":["term 1 matches: pool=gis"]},{"name":"n2","takes":false,` +
		`"reasons":["term 1: line 1 (pool In gis) fails: the node has pool=gpu","the taint gpu:NoSchedule repels: no toleration matches it"]}]}`
	rows = "NODE  TAKES  WHY\nn1    yes    pool is gis\nn2    no     pool is gpu, wants gis; taint gpu:NoSchedule\n"
)

// scheduled is a pair of days on which a command says something of rules and nodes: on the bad one it is something else.
func scheduled(rule, command, form, wrong, said, right, other string, code int) ruleDay {
	says := func(out string) func(*day) {
		return func(d *day) {
			s := oracle.Scheduled{Command: command, Rules: somewhere, Nodes: []byte(twoNodes), Wrong: wrong, Form: form, Code: code, Out: out}
			if wrong != "" {
				s.Out, s.Err = "", out
			}
			d.Schedules(s)
		}
	}
	return ruleDay{rule, says(said), says(strings.Replace(said, right, other, 1))}
}

var schedulingDays = []ruleDay{
	scheduled("nodes that cannot be read take no pods", "simulate", "json", "nothing to read", "geodeck: nothing to read", "nothing", "all is", 2),
	scheduled("each node is said to take pods or not, and why", "simulate", "json", "", verdicts, "has pool=gpu", "has pool=gis", 0),
	scheduled("each node is said to take pods or not, and why", "simulate", "table", "", rows, "; taint gpu:NoSchedule", "", 0),
	scheduled("each node is said to take pods or not, and why", "simulate", "table", "", rows, "pool is gpu", "pool is spot", 0),
	scheduled("mistakes in rules are found", "check", "json", "", `{"items":[]}`, "[]", `[{"severity":"caution","text":"no node has the label pool"}]`, 0),
	scheduled("rules are counted against the nodes", "explain", "json", "", `{"items":[{"sentence":"Pods must run on nodes whose pool is gis.","taking":1,"total":2}]}`, `"taking":1`, `"taking":2`, 0),
}

// A preset answers the taints that all nodes have which it picks, and edits take an affinity away with its last line.
func TestRulesAreBuilt(t *testing.T) {
	t.Parallel()
	const policy = `{"placementPolicy":[{"deploymentId":"a","podPlacementPolicy":` + somewhere + `}]}`
	made := oracle.Preset("dedicated", "pool", "gpu", []byte(twoNodes))(policy)
	want := strings.Replace(strings.Replace(policy, `"gis"`, `"gpu"`, 1), `"tolerations":[]`, `"tolerations":[{"key":"gpu","effect":"NoSchedule","operator":"Equal"}]`, 1)
	if !oracle.Same(made, want) {
		t.Errorf("made %s, want %s", made, want)
	}
	_, made = oracle.Edits(policy, func(int) int { return 0 }, oracle.Step{Do: "remove", Kind: "required"})
	if want = `{"placementPolicy":[{"deploymentId":"a","podPlacementPolicy":{"nodeAffinity":{},"tolerations":[]}}]}`; !oracle.Same(made, want) {
		t.Errorf("made %s, want %s", made, want)
	}
}
