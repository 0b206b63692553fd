package placement_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/document"
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

// FuzzPolicyEdits: an edited policy is the same as the one that is read from its text,
// a document sees no change outside the rules of the deployment, and no byte before or
// behind them has changed.
func FuzzPolicyEdits(f *testing.F) {
	for _, text := range []string{small, rich, read(f, "placementPolicy_get_nodeAffinity.json"), read(f, "upgrades_config.json")} {
		f.Add(text, uint64(1))
	}
	for _, seed := range []string{``, `[]`, `{"placementPolicy":{}}`, `{"tolerations":null,"tolerations":1}`, `{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":7,"preference":{"matchExpressions":[{"key":"a","operator":"Exists"}]}}]}}`,
		`{"podPlacementPolicy":null}`, `{"placementPolicy":[{"podPlacementPolicy":{"nodeAffinity":null,"tolerations":null}},7]}`,
		`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":null,"preferredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{}]}}}`,
		"{\"tolerations\":[{\"key\":\"a\"},\r\n {\"key\": \"b\"}]}", `{"tolerations":[`, `{"tolerations":[]} {}`, `{"tolerations":[01]}`} {
		f.Add(seed, uint64(3))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		p, err := placement.Parse([]byte(text))
		if err != nil || len(p.Items()) == 0 {
			return
		}
		w := writer{rand.New(rand.NewPCG(seed, 5))}
		for range 6 {
			edited, err := randomEdit(w, p)
			if w.IntN(8) == 0 {
				edited, err = p.CopyRules(0, p, len(p.Items())-1)
			}
			if err != nil {
				continue
			}
			again, err := placement.Parse(edited.Bytes())
			if err != nil || !reflect.DeepEqual(again.Items(), edited.Items()) {
				t.Fatalf("%v: %s", err, edited.Bytes())
			}
			onlyRules(t, p, edited)
			p = edited
		}
	})
}

// onlyRules compares two policies as documents.
func onlyRules(t *testing.T, before, after placement.Policy) {
	t.Helper()
	a, errA := document.Parse(before.Bytes())
	b, errB := document.Parse(after.Bytes())
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	item := a.Root()
	if list, ok := item.Child("placementPolicy"); ok && before.Form() == placement.WholePolicy {
		item = list.First()
	}
	for _, change := range document.Diff(a, b) {
		if item.Kind() == document.Object && !change.Path.Within(item.Path()) && change.Path != item.Parent().Path() {
			t.Fatalf("%s changed beside %s:\n%s\n%s", change.Path, item.Path(), a.Text(), b.Text())
		}
	}
	start, end := item.Span()
	if !strings.HasPrefix(b.Text(), a.Text()[:start]) || !strings.HasSuffix(b.Text(), a.Text()[end:]) {
		t.Fatalf("an edit reached further:\n%s\n%s", a.Text(), b.Text())
	}
}

func TestPoliciesWithEverythingInThemHold(t *testing.T) {
	t.Parallel()
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
	for _, f := range placement.Check(p, nodes) {
		if text := f.At.Path + f.Text; plain.Line(text) != text {
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
		func() (placement.Policy, error) { return p.ClearAffinity(item) },
		func() (placement.Policy, error) {
			p, _, err := p.MoveToOther(placement.AtTerm(item, placement.Required, 0))
			return p, err
		},
		func() (placement.Policy, error) {
			p, _, err := p.MoveToOther(placement.AtTerm(item, placement.Preferred, 0))
			return p, err
		},
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

// FuzzReadNodes reads any file of nodes: it is an error in a clean sentence, or nodes, soon,
// and those are read again as they are.
func FuzzReadNodes(f *testing.F) {
	for _, seed := range []string{
		`{"items":[{"kind":"Node","metadata":{"name":"a","labels":{"gpu":"a100"}},"spec":{"taints":[{"key":"k","value":"v","effect":"NoSchedule"}]}}]}`,
		`{"kind":"Node","metadata":{"name":"a"},"spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"False"}],"allocatable":{"cpu":"15890m","pods":"110"}}}`,
		"NAME STATUS\na Ready\n",
		"kind: Node\nmetadata: {name: a, labels: {b: c}}\n---\n", "W\n{\"kind\":\"NodeList\",\"items\":[]}", "NAME x", "a: &a [*a]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		began := time.Now()
		nodes, err := placement.ReadNodes(data)
		if err != nil && (nodes != nil || plain.Line(err.Error()) != err.Error()) {
			t.Fatalf("%d nodes, %q", len(nodes), err)
		}
		for _, n := range nodes {
			if n.Name == "" {
				t.Fatal("a node without a name")
			}
		}
		if took := time.Since(began); took > 20*time.Second { // of at most a MiB: milliseconds
			t.Fatalf("it took %v", took)
		}
		if again, err := placement.ReadNodes(asList(t, nodes)); err != nil || len(nodes) > 0 && !reflect.DeepEqual(again, nodes) {
			t.Fatalf("%+v is written and read as %+v, %v", nodes, again, err)
		}
	})
}

// asList writes nodes as kubectl does.
func asList(t *testing.T, nodes []placement.Node) []byte {
	type object = map[string]any
	items := []object{}
	for _, n := range nodes {
		taints, allocatable := []object{}, object{}
		for _, x := range n.Taints {
			taints = append(taints, object{"key": x.Key, "value": x.Value, "effect": x.Effect})
		}
		if n.Taints == nil {
			taints = nil
		}
		for _, r := range n.Allocatable {
			allocatable[r.Name] = r.Amount
		}
		status := map[placement.Readiness]string{placement.Ready: "True", placement.NotReady: "False"}[n.Ready]
		items = append(items, object{
			"kind": "Node", "metadata": object{"name": n.Name, "labels": n.Labels}, "spec": object{"taints": taints, "unschedulable": n.Unschedulable},
			"status": object{"conditions": []object{{"type": "Ready", "status": status}}, "allocatable": allocatable},
		})
	}
	data, err := json.Marshal(object{"kind": "NodeList", "items": items})
	if err != nil {
		t.Fatal(err)
	}
	return data
}
