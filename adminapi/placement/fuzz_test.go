package placement_test

import (
	"bytes"
	"testing"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

func FuzzPolicy(f *testing.F) {
	nodes := gisNodes(f)
	// Short, for the engine makes what it finds smaller again and again.
	for _, seed := range []string{small, `{}`, `{"placementPolicy":[7,null,{"podPlacementPolicy":[]}]}`, tolerating(`{"":1}`), required(a100NotInC),
		preferring(`[{"weight":1e400,"preference":{"matchFields":[{"key":"metadata.name"}]}}]`),
		preferring(`[{"weight": 1e1,"preference":{}},{"weight":40,"preference":{"matchExpressions":[{"key":"gpu","operator":"In","values":["a100"]}]}}]`),
		`{ "note" : 1.50,"placementPolicy": [{"deploymentType":"M","deploymentId":"k","x":[1,2 , 3],"podPlacementPolicy":{"later":true,"nodeAffinity":"x","tolerations":{"a":1}}}]}`,
		tolerating(`{"operator":"Exists"},{"key":"dedicated","value":"gis","effect":"NoExecute","tolerationSeconds":3600,"by":"me"}`),
		required(`{"key":"cores","operator":"Gt","values":["8"]},{"key":"zone","operator":"NotIn","values":["node 9"]},{"key":"-","operator":"Is"}`),
		"\n {\"tolerations\" : [ ] }\t"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { policyHolds(t, nodes, data) })
}

func TestPoliciesWithEverythingInThemHold(t *testing.T) {
	for _, text := range []string{rich, read(t, "placementPolicy_get_nodeAffinity.json"), read(t, "upgrades_config.json")} {
		policyHolds(t, gisNodes(t), []byte(text))
	}
}

// policyHolds reads what may be a policy, and looks at all that is said of it and done to it.
func policyHolds(t *testing.T, nodes []placement.Node, data []byte) {
	p, err := placement.Parse(data)
	if err != nil {
		if plain.Line(err.Error()) != err.Error() {
			t.Fatalf("%q", err)
		}
		return
	}
	if !bytes.Equal(p.Bytes(), data) {
		t.Fatalf("became %q", p.Bytes())
	}
	for _, finding := range placement.Check(p, nodes) {
		if text := finding.Path + finding.Text; plain.Line(text) != text {
			t.Fatalf("%q", text)
		}
	}
	for n, i := range p.Items() {
		if text := placement.Sentence(i); plain.Clip(text, placement.MaxSentence) != text {
			t.Fatalf("%q", text)
		}
		for _, v := range placement.Explain(i, nodes) {
			for _, text := range append(v.Reasons(), v.Reason()) {
				if plain.Line(text) != text || text == "" {
					t.Fatalf("%q", text)
				}
			}
		}
		for _, c := range placement.KubectlLines(i, nodes) {
			if text := c.Line + c.Why; plain.Line(text) != text {
				t.Fatalf("%q", text)
			}
		}
		editsHold(t, p, n)
	}
}

// editsHold makes one edit of each sort and reads the result back.
func editsHold(t *testing.T, p placement.Policy, item int) {
	line := placement.Line{Key: "k", Operator: "Exists"}
	for _, edit := range []func() (placement.Policy, error){
		func() (placement.Policy, error) { return p.SetAffinity(item, placement.None) },
		func() (placement.Policy, error) { return p.SetAffinity(item, placement.Preferred) },
		func() (placement.Policy, error) { return p.SetAffinity(item, placement.Both) },
		func() (placement.Policy, error) {
			return p.AddTerm(placement.AtTerm(item, placement.Required, 0), placement.Term{Lines: []placement.Line{line}})
		},
		func() (placement.Policy, error) {
			return p.AddLine(placement.AtLine(item, placement.Preferred, 0, 0), line)
		},
		func() (placement.Policy, error) {
			return p.SetLine(placement.AtLine(item, placement.Required, 0, 0), line)
		},
		func() (placement.Policy, error) { return p.Copy(placement.AtLine(item, placement.Required, 0, 0)) },
		func() (placement.Policy, error) {
			return p.SetToleration(placement.AtToleration(item, 0), placement.Toleration{Seconds: "x"})
		},
		func() (placement.Policy, error) { return p.CopyRules(item, p, 0) },
	} {
		edited, err := edit()
		if err != nil {
			continue
		}
		if _, err := placement.Parse(edited.Bytes()); err != nil {
			t.Fatalf("%v in %q", err, edited.Bytes())
		}
	}
}

func FuzzReadNodes(f *testing.F) {
	for _, seed := range []string{
		`{"items":[{"kind":"Node","metadata":{"name":"a","labels":{"gpu":"a100"}},"spec":{"taints":[{"key":"k","value":"v","effect":"NoSchedule"}]}}]}`,
		`{"kind":"Node","metadata":{"name":"a"},"spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"False"}],"allocatable":{"cpu":"15890m","pods":"110"}}}`,
		"NAME STATUS\na Ready\n",
		"kind: Node\nmetadata: {name: a, labels: {b: c}}\n---\n", "W\n{\"kind\":\"NodeList\",\"items\":[]}", "NAME x", "a: &a [*a]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		nodes, err := placement.ReadNodes(data)
		if err != nil && (nodes != nil || plain.Line(err.Error()) != err.Error()) {
			t.Fatalf("%d nodes, %q", len(nodes), err)
		}
		for _, n := range nodes {
			if n.Name == "" {
				t.Fatal("a node without a name")
			}
		}
	})
}
