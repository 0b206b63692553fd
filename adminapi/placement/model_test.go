package placement_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/placement"

	corev1 "k8s.io/api/core/v1"
	schedule "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// The model is the scheduler's library, asked about the whole pod and the whole
// node. The explanation is made of terms, lines and taints: together they must say
// the same.
func TestTheExplanationAgreesWithTheScheduler(t *testing.T) {
	t.Parallel()
	takes := 0
	for seed := range uint64(4000) {
		w := writer{rand.New(rand.NewPCG(seed, 2))}
		i, nodes := w.item(), w.nodes(6)
		for _, v := range placement.Explain(i, nodes) {
			want, readable := scheduled(i, *v.Node)
			if v.Takes != want {
				t.Fatalf("seed %d: %s takes %t, the scheduler says %t\n%+v\n%+v", seed, v.Node.Name, v.Takes, want, i, *v.Node)
			}
			if v.Takes {
				takes++
			}
			explainsItself(t, seed, i, v, readable)
		}
	}
	if takes < 2000 || takes > 22000 {
		t.Errorf("%d of 24000 verdicts take: the nodes and rules are one-sided", takes)
	}
}

// scheduled asks the library; readable is false where it refuses preferred terms.
func scheduled(i placement.Item, n placement.Node) (takes, readable bool) {
	node, pod := modelNode(n), &corev1.Pod{Spec: corev1.PodSpec{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}}}}
	affinity := pod.Spec.Affinity.NodeAffinity
	if i.Required.Present {
		affinity.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{NodeSelectorTerms: modelTerms(i.Required.Terms)}
	}
	for k, term := range modelTerms(i.Preferred.Terms) {
		affinity.PreferredDuringSchedulingIgnoredDuringExecution = append(affinity.PreferredDuringSchedulingIgnoredDuringExecution,
			corev1.PreferredSchedulingTerm{Weight: int32(i.Preferred.Terms[k].Weight), Preference: term})
	}
	var tolerations []corev1.Toleration
	for _, t := range i.Tolerations {
		tolerations = append(tolerations, corev1.Toleration{Key: t.Key, Value: t.Value, Operator: corev1.TolerationOperator(t.Operator), Effect: corev1.TaintEffect(t.Effect)})
	}
	fits, _ := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	_, err := nodeaffinity.NewPreferredSchedulingTerms(affinity.PreferredDuringSchedulingIgnoredDuringExecution)
	_, repelled := schedule.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, tolerations, func(t *corev1.Taint) bool {
		return t.Effect != corev1.TaintEffectPreferNoSchedule
	}, false)
	cordoned := n.Unschedulable && !schedule.TolerationsTolerateTaint(klog.Background(), tolerations,
		&corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}, false)
	return fits && err == nil && !repelled && !cordoned, err == nil
}

func modelNode(n placement.Node) *corev1.Node {
	node := &corev1.Node{}
	node.Name, node.Labels, node.Spec.Unschedulable = n.Name, n.Labels, n.Unschedulable
	for _, t := range n.Taints {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)})
	}
	return node
}

func modelTerms(terms []placement.Term) (out []corev1.NodeSelectorTerm) {
	for _, t := range terms {
		var term corev1.NodeSelectorTerm
		for _, l := range t.Lines {
			r := corev1.NodeSelectorRequirement{Key: l.Key, Operator: corev1.NodeSelectorOperator(l.Operator), Values: l.Values}
			if l.Field {
				term.MatchFields = append(term.MatchFields, r)
			} else {
				term.MatchExpressions = append(term.MatchExpressions, r)
			}
		}
		out = append(out, term)
	}
	return out
}

// explainsItself checks that the parts of a verdict add up to it.
func explainsItself(t *testing.T, seed uint64, i placement.Item, v placement.Verdict, readable bool) {
	t.Helper()
	terms := v.Terms(placement.Required)
	anyTerm := !i.Required.Present || slices.ContainsFunc(terms, func(t placement.TermVerdict) bool { return t.Matches })
	if v.Matches != (anyTerm && readable) || v.Takes != (v.Matches && len(v.Repelled()) == 0) {
		t.Fatalf("seed %d: %s matches %t, terms %+v, repelled by %v", seed, v.Node.Name, v.Matches, terms, v.Repelled())
	}
	score := 0
	for k, term := range slices.Concat(terms, v.Terms(placement.Preferred)) {
		every := len(term.Lines) > 0 && term.Refused == "" && !slices.ContainsFunc(term.Lines, func(l placement.LineVerdict) bool { return !l.Matches })
		if term.Matches != every {
			t.Fatalf("seed %d: %s, term %d: %+v", seed, v.Node.Name, k, term)
		}
		if k -= len(terms); k >= 0 && term.Matches && i.Preferred.Shape == placement.WeightedList {
			score += i.Preferred.Terms[k].Weight
		} else if k >= 0 && term.Matches {
			score++
		}
	}
	if readable && v.Score != score {
		t.Fatalf("seed %d: %s has score %d, its terms %d", seed, v.Node.Name, v.Score, score)
	}
	if len(v.Reasons()) == 0 || v.Reason() == "" {
		t.Fatalf("seed %d: %s has no reason", seed, v.Node.Name)
	}
}

// What is told of a term must be true on every node.
func TestATermSaidToNeverMatchNeverDoes(t *testing.T) {
	t.Parallel()
	said := 0
	for seed := range uint64(1500) {
		w := writer{rand.New(rand.NewPCG(seed, 3))}
		i := placement.Item{Required: placement.Affinity{Present: true, Terms: []placement.Term{w.term(), w.term()}}}
		p := policyOf(t, i)
		verdicts := placement.Explain(i, w.nodes(40))
		if never := i.Never(); never != "" && slices.ContainsFunc(verdicts, func(v placement.Verdict) bool { return v.Matches }) {
			t.Fatalf("seed %d: said of all terms: %s", seed, never)
		}
		for _, f := range placement.Check(p, nil) {
			if !strings.Contains(f.Text, "no node can match") || f.In.Part != placement.TermPart {
				continue
			}
			said++
			for _, v := range verdicts {
				if v.Terms(placement.Required)[f.In.Term].Matches {
					t.Fatalf("seed %d: %q, but %+v matches %+v", seed, f.Text, v.Node.Labels, i.Required.Terms[f.In.Term])
				}
			}
		}
	}
	if said < 75 {
		t.Errorf("said of %d terms only", said)
	}
}

// policyOf writes an item as a policy.
func policyOf(t testing.TB, i placement.Item) placement.Policy {
	p := parse(t, `{"tolerations":[]}`)
	var err error
	add := func(kind placement.Kind) {
		for k, term := range i.Affinity(kind).Terms {
			if p, err = p.AddTerm(placement.AtTerm(0, kind, k), term); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(placement.Required)
	add(placement.Preferred)
	for k, toleration := range i.Tolerations {
		if p, err = p.AddToleration(placement.AtToleration(0, k), toleration); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func takes(i placement.Item, n placement.Node) bool {
	return placement.Explain(i, []placement.Node{n})[0].Takes
}

// The contract's four sentences about labels and taints.
func TestTheSemanticsOfTheContractHold(t *testing.T) {
	t.Parallel()
	gis := placement.Item{Required: placement.Affinity{Present: true, Terms: []placement.Term{{Lines: []placement.Line{{Key: "pool", Operator: "In", Values: []string{"gis"}}}}}}}
	labelled := placement.Node{Labels: map[string]string{"pool": "gis"}}
	if !takes(gis, labelled) || takes(gis, placement.Node{Labels: map[string]string{"pool": "GIS"}}) || takes(gis, placement.Node{Labels: map[string]string{"Pool": "gis"}}) {
		t.Error("a label must have the same key and value to attract pods")
	}
	if !takes(placement.Item{}, labelled) {
		t.Error("affinity of one service keeps other pods off labelled nodes")
	}
	tainted := placement.Node{Taints: []placement.Taint{{Key: "gpu", Value: "yes", Effect: "NoSchedule"}}}
	for _, tt := range []struct {
		toleration placement.Toleration
		want       bool
	}{
		{placement.Toleration{}, false},
		{placement.Toleration{Key: "gpu", Operator: "Equal", Value: "yes", Effect: "NoSchedule"}, true},
		{placement.Toleration{Key: "gpu", Operator: "Equal", Value: "no", Effect: "NoSchedule"}, false},
		{placement.Toleration{Key: "cpu", Operator: "Equal", Value: "yes", Effect: "NoSchedule"}, false},
		{placement.Toleration{Key: "gpu", Operator: "Equal", Value: "yes", Effect: "NoExecute"}, false},
		{placement.Toleration{Key: "gpu", Operator: "Exists"}, true},
		{placement.Toleration{Key: "cpu", Operator: "Exists"}, false},
	} {
		if got := takes(placement.Item{Tolerations: []placement.Toleration{tt.toleration}}, tainted); got != tt.want {
			t.Errorf("%+v: %t", tt.toleration, got)
		}
	}
	if takes(placement.Item{}, tainted) {
		t.Error("a taint does not repel a pod that does not tolerate it")
	}
}
