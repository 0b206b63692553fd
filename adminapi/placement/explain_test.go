package placement_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/placement"
)

const a100NotInC = `{"key":"gpu","operator":"In","values":["a100","h100"]},{"key":"topology.kubernetes.io/zone","operator":"NotIn","values":["eu-1c"]}`

func TestEveryNodeSaysWhy(t *testing.T) {
	t.Parallel()
	policy := parse(t, strings.TrimSuffix(required(a100NotInC), "}")+`,"tolerations":[{"key":"dedicated","operator":"Equal","value":"gis","effect":"NoSchedule"}]}`)
	want := map[string]struct{ short, long string }{
		"node-a": {"gpu is a100; tolerates dedicated=gis",
			"term 1 matches: gpu=a100, topology.kubernetes.io/zone=eu-1a | the taint dedicated=gis:NoSchedule is tolerated"},
		"node-b": {"zone is eu-1c, excluded",
			"term 1: line 2 (topology.kubernetes.io/zone NotIn eu-1c) fails: the node has topology.kubernetes.io/zone=eu-1c"},
		"node-c": {"gpu is a100; cordoned; not ready",
			"term 1 matches: gpu=a100, topology.kubernetes.io/zone=eu-1b | the node is cordoned (unschedulable): no toleration matches that"},
		"node-f": {"gpu is a100; taint maintenance:NoExecute",
			"term 1 matches: gpu=a100, topology.kubernetes.io/zone=eu-1a | the taint maintenance:NoExecute repels: no toleration matches it"},
	}
	verdicts := placement.Explain(policy.Items()[0], gisNodes(t))
	for _, v := range verdicts {
		if got := v.Reason(); got != want[v.Node.Name].short {
			t.Errorf("%s: %s", v.Node.Name, got)
		}
		if got := strings.Join(v.Reasons(), " | "); got != want[v.Node.Name].long {
			t.Errorf("%s: %s", v.Node.Name, got)
		}
	}
	s := placement.Summarize(verdicts)
	if s != (placement.Summary{Total: 4, Taking: 1, Unmatched: 1, Repelled: 2}) || s.String() != "1 of 4 nodes takes these pods" ||
		s.Short() != "1 of 4 nodes takes these pods; room is not counted" { // B14
		t.Errorf("%+v: %s", s, s)
	}
}

func TestPreferredNodesAreMarkedAndNoneIsClosed(t *testing.T) {
	t.Parallel()
	for name, affinity := range map[string]string{
		"contract":   `{"nodeSelectorTerms":[{"matchExpressions":[{"key":"gpu","operator":"In","values":["h100"]}]}]}`,
		"kubernetes": `[{"weight":30,"preference":{"matchExpressions":[{"key":"gpu","operator":"In","values":["h100"]}]}}]`,
	} {
		verdicts := placement.Explain(parse(t, preferring(affinity)).Items()[0], gisNodes(t)[1:2])
		score := map[string]int{"contract": 1, "kubernetes": 30}[name]
		if v := verdicts[0]; !v.Takes || v.Score != score || v.Reason() != "preferred" {
			t.Errorf("%s: %t, %d, %s", name, v.Takes, v.Score, v.Reason())
		}
		if s := placement.Summarize(verdicts); s.String() != "1 of 1 node takes these pods, 1 of them preferred" ||
			s.Short() != "1 of 1 node takes these pods; room is not counted, 1 preferred" {
			t.Error(s)
		}
	}
}

func TestATaintThatOnlyDiscouragesLeavesTheNodeOpen(t *testing.T) {
	t.Parallel()
	v := placement.Explain(parse(t, tolerating(`{"key":"maintenance","operator":"Exists"}`)).Items()[0], gisNodes(t)[3:])[0]
	if !v.Takes || len(v.Discouraged()) != 1 || v.Reason() != "tolerates maintenance; discouraged by slow=yes" {
		t.Errorf("%t: %s", v.Takes, v.Reason())
	}
	if got := strings.Join(v.Reasons(), " | "); !strings.Contains(got, "slow=yes:PreferNoSchedule discourages") {
		t.Error(got)
	}
}

func TestNoNodeLeftIsAVerdictOfItsOwn(t *testing.T) {
	t.Parallel()
	nodes := gisNodes(t)
	for policy, want := range map[string]string{
		required(`{"key":"gpu","operator":"In","values":["t4"]}`):                                      "none of 4 nodes takes these pods: they stay Pending; no label fits",
		required(`{"key":"dedicated","operator":"Exists"}`):                                            "none of 4 nodes takes these pods: they stay Pending; 1 would fit but for a taint",
		`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}}`: "none of 4 nodes takes these pods: they stay Pending; no label fits",
	} {
		s := placement.Summarize(placement.Explain(parse(t, policy).Items()[0], nodes))
		if !s.None() || s.String() != want {
			t.Errorf("%s: %s", policy, s)
		}
	}
	if s := placement.Summarize(nil); s.None() || s.String() != "no nodes are known" {
		t.Errorf("without nodes: %t, %s", s.None(), s)
	}
}

func TestTermsThatKubernetesCannotReadAreNamed(t *testing.T) {
	t.Parallel()
	nodes := gisNodes(t)[1:2]
	v := placement.Explain(parse(t, required(`{"key":"gpu","operator":"In","values":[]}`)).Items()[0], nodes)[0]
	if got := v.Reasons()[0]; v.Takes || got != "term 1 cannot be read by Kubernetes, so it matches nothing: In needs at least one value" {
		t.Error(got)
	}
	v = placement.Explain(parse(t, preferring(`[{"weight":1,"preference":{"matchExpressions":[{"key":"a b","operator":"Exists"}]}}]`)).Items()[0], nodes)[0]
	if got := v.Reasons()[0]; v.Takes || !strings.HasPrefix(got, "Kubernetes cannot read a preferred term, so no pod is placed: the key a b") {
		t.Error(got)
	}
}

func TestReasonsAreCleanAndShort(t *testing.T) {
	t.Parallel()
	hostile := "\x1b]0;x\x07\u202e" + strings.Repeat("y", 3000)
	node := placement.Node{Name: "n", Labels: map[string]string{"gpu": hostile}, Taints: []placement.Taint{{Key: hostile, Value: hostile, Effect: "NoSchedule"}}}
	v := placement.Explain(parse(t, required(a100NotInC)).Items()[0], []placement.Node{node})[0]
	for _, text := range append(v.Reasons(), v.Reason()) {
		if strings.ContainsAny(text, "\x1b\x07\u202e") || len(text) > 1000 {
			t.Errorf("%.200q", text)
		}
	}
}
