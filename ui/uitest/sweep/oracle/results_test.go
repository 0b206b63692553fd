package oracle_test

import (
	"strings"

	"geodeck/ui/uitest/sweep/oracle"
)

// ended is what a command prints of the edit of a day that is done.
const ended = `{"items":[{"service":"Roads.MapServer","part":"definition","changes":[{"path":"maxIdleTime","kind":"changed","old":1800,"new":900}],
"outcome":"done","verdict":"succeeded","sent":true,"kept":true,"backup":"1","jobid":"` + job + `"}]}`

// result lets a command edit the definition, read it back and say how that has ended, where it prints another thing than it should in
// place of was.
func result(back, was, is string) func(*day) {
	return func(d *day) {
		d.edits("program-1", "A-1")
		d.Read("program-1", where, back, d.now)
		d.Sends(oracle.Sending{Program: "program-1", Service: "Roads.MapServer", Document: where, Form: "json", Out: strings.Replace(ended, was, is, 1), Files: d.disk})
	}
}

// rules is a policy with a pool and tolerations; nodes are a cluster of two pools.
func rules(pool, tolerations string) string {
	return `{"placementPolicy":[{"deploymentId":"d1","podPlacementPolicy":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[` +
		`{"matchExpressions":[{"key":"pool","operator":"In","values":["` + pool + `"]}]}]}},"tolerations":[` + tolerations + `]}}]}`
}

const nodes = `{"items":[{"metadata":{"labels":{"pool":"a"}}},{"metadata":{"labels":{"pool":"a"}}},{"metadata":{"labels":{"pool":"b"}},"spec":{"taints":[{"key":"t","effect":"NoSchedule"}]}}]}`

// tolerates lets a dry run say of rules that tolerate a taint how many nodes take the pods.
func tolerates(taking, risks string, code int) func(*day) {
	return func(d *day) {
		d.Places(oracle.Placing{Service: cities, Before: rules("b", ""), After: rules("b", `{"operator":"Exists"}`), Nodes: []byte(nodes), Code: code,
			Out: `{"items":[{"part":"placement","outcome":"refused","changes":[{"path":"placementPolicy[d1].podPlacementPolicy.tolerations","kind":"changed","old":[],"new":[{"operator":"Exists"}]}],
"risks":[` + risks + `{"label":"pods are replaced","severity":"note"}],"deployments":[{"deploymentId":"d1","takingBefore":0,"taking":` + taking + `,"nodes":3}]}]}`})
	}
}

const oneNode = `{"label":"one node only","severity":"caution","accept":"one-node"},`

// resultDays are days of what is said of an edit that was sent, and of rules that are not.
var resultDays = []struct {
	rule      string
	good, bad func(*day)
}{
	{"what an edit has changed is said", result(after, "", ""), result(after, `"old":1800`, `"old":1801`)},
	{"how an edit has ended is said as it was", result(after, "", ""), result(before, "", "")},
	{"how an edit has ended is said as it was", result(after, "", ""), result(after, `"succeeded"`, `"failed"`)},
	{"how an edit has ended is said as it was", result(after, "", ""), result(after, `"kept":true`, `"kept":false`)},
	{"how an edit has ended is said as it was", result(after, "", ""), result(after, "j111", "j211")},
	{"how an edit has ended is said as it was", result(after, "", ""), result(after, `"done"`, `"unchanged"`)},
	{"what an edit has replaced is named", result(after, "", ""), result(after, `"backup":"1"`, `"backup":""`)},
	{"new rules for pods are said with the nodes that take them", tolerates("1", oneNode, 4), tolerates("2", oneNode, 4)},
	{"new rules for pods are said with the nodes that take them", tolerates("1", oneNode, 4), tolerates("1", "", 4)},
	{"new rules for pods are said with the nodes that take them", tolerates("1", oneNode, 4), tolerates("1", oneNode, 0)},
}
