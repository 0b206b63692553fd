package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Placing is what the dry run of new rules for pods has said in JSON.
type Placing struct {
	Day     *Day
	Service string
	Before  string // the policy that its program has read
	After   string // that was given
	Nodes   []byte // of the cluster, as kubectl prints them
	Code    int
	Out     string
}

// placed is what is said of new rules.
type placed struct {
	edited
	Deployments []struct {
		DeploymentID                string
		TakingBefore, Taking, Nodes *int
	}
}

type placing struct {
	Placing
	item    placed
	changes []Difference
}

// Places judges what was said of new rules for the pods of a service with one deployment.
func (d *Day) Places(p Placing) {
	before, after := treeOf(p.Before), treeOf(p.After)
	var list struct{ Items []placed }
	if before == nil || after == nil || json.Unmarshal([]byte(p.Out), &list) != nil || len(list.Items) != 1 {
		return
	}
	p.Day = d
	judge(d, atPlacing, placing{p, list.Items[0], differences("", before, after)})
}

var atPlacing = []rule[placing]{{"new rules for pods are said with the nodes that take them", placingIsSo}}

func placingIsSo(p placing) (judged int, wrong []string) {
	before, after := rulesIn(p.Before), rulesIn(p.After)
	wrong = unlike(p.Service, "changes of rules", written(p.changes), saidIn(p.item.Changes))
	say := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("%s: of new rules it is said ", p.Service)+fmt.Sprintf(format, args...))
	}
	code, outcome := 0, "planned"
	var labels []string
	for _, one := range p.item.Risks {
		if labels = append(labels, one.Label+" "+one.Severity); one.Accept != "" {
			code, outcome = 4, "refused"
		}
	}
	for _, one := range p.item.Findings {
		if one.Accept != "" && code == 0 {
			code, outcome = 4, "refused"
		}
		if one.Blocking {
			code, outcome = 2, "refused"
		}
	}
	if len(p.changes) == 0 {
		if p.item.Outcome != "unchanged" || p.Code != 0 || len(p.item.Deployments) > 0 {
			say("that they are %s, with exit code %d, and nothing is changed", p.item.Outcome, p.Code)
		}
		return 1, wrong
	}
	if p.item.Outcome != outcome && !(outcome == "planned" && p.item.Outcome == "not sent") || p.item.Outcome == outcome && p.Code != code || p.item.Sent {
		say("that they are %s, with exit code %d, and should be %s, with %d", p.item.Outcome, p.Code, outcome, code)
	}
	nodes := nodesIn(p.Nodes)
	was, is, all := before.PodPlacementPolicy.taking(nodes), after.PodPlacementPolicy.taking(nodes), len(nodes)
	if len(p.item.Deployments) != 1 {
		say("that they are of %d deployments", len(p.item.Deployments))
		return 1, wrong
	}
	of, number := p.item.Deployments[0], func(n *int) int {
		if n == nil {
			return -1
		}
		return *n
	}
	if of.DeploymentID != after.DeploymentID || number(of.TakingBefore) != was || number(of.Taking) != is || number(of.Nodes) != all {
		say("that of %d nodes %d take the pods of %s, and %d did, and it is %d of %d, and %d did",
			number(of.Nodes), number(of.Taking), of.DeploymentID, number(of.TakingBefore), is, all, was)
	}
	has := func(label string) bool {
		return slices.ContainsFunc(labels, func(one string) bool { return strings.HasPrefix(one, label) })
	}
	if has("no node takes them") != (is == 0) || has("one node only caution") != (is == 1) || !has("pods are replaced note") {
		say("%q, and %d of %d nodes take the pods", labels, is, all)
	}
	return 1, wrong
}

// Replaces are new rules for the only deployment of a policy; empty where it has not one. pick draws a number below another.
func Replaces(policy string, pick func(int) int) string {
	t := treeOf(policy)
	if t == nil || t.open != '{' || t.at("placementPolicy[0].podPlacementPolicy") == nil || len(t.at("placementPolicy").kids) != 1 {
		return ""
	}
	labels := []string{"gis", "gpu", "spot", "memory", "system", "nowhere"}
	some := strings.Join([]string{
		`{"key":"pool","operator":"In","values":["` + labels[pick(6)] + `"]}`, `{"key":"pool","operator":"In","values":["gis","` + labels[1+pick(5)] + `"]}`,
		`{"key":"pool","operator":"NotIn","values":["gis"]}`, `{"key":"disk","operator":"In","values":["` + []string{"ssd", "hdd"}[pick(2)] + `"]}`,
		`{"key":"gpu","operator":"Exists"}`, `{"key":"gpu","operator":"DoesNotExist"}`,
		`{"key":"topology.kubernetes.io/zone","operator":"In","values":["eu-1` + string(rune('a'+pick(4))) + `"]}`,
	}, "\n")
	all := strings.Split(some, "\n")
	terms := all[pick(len(all))]
	switch pick(4) {
	case 0:
		terms += "," + all[pick(len(all))]
	case 1:
		terms += `]},{"matchExpressions":[` + all[pick(len(all))]
	}
	tolerated := []string{"", "", `{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}`, `{"operator":"Exists"}`,
		`{"key":"dedicated","operator":"Equal","value":"analysis","effect":"NoSchedule"}`, `{"key":"dedicated","operator":"Equal","value":"gis"}`}
	t.at("placementPolicy").kids[0].kids[t.at("placementPolicy").kids[0].kid("podPlacementPolicy")] = treeOf(
		`{"tolerations":[` + tolerated[pick(len(tolerated))] + `],"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[` + terms + `]}]}}}`)
	return t.text()
}
