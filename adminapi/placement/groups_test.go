package placement_test

import (
	"fmt"
	"strings"
	"testing"

	"geodeck/adminapi/placement"
)

func TestNodesAreGroupedByWhyTakersFirstAndTheWorstLast(t *testing.T) {
	t.Parallel()
	node := func(name, pool string, taints ...string) placement.Node {
		n := placement.Node{Name: name, Labels: map[string]string{"example.com/pool": pool, "kubernetes.io/hostname": name}, Ready: placement.Ready}
		for _, key := range taints {
			n.Taints = append(n.Taints, placement.Taint{Key: key, Effect: placement.NoSchedule})
		}
		return n
	}
	nodes := []placement.Node{node("a", "gis", "gpu", "own"), node("b", "gis"), node("c", "gpu"), node("d", "gis"), node("e", "gpu"), node("f", "gpu", "own"), node("g", "gpu", "own", "gpu"), {Name: "h"}}
	for policy, want := range map[string]string{
		required(`{"key":"example.com/pool","operator":"In","values":["gpu"]}`): "take: c e: pool is gpu | taint: f: pool is gpu; taint own:NoSchedule | taint: g: pool is gpu; taint own:NoSchedule; taint gpu:NoSchedule" +
			" | unfit: b d: pool is gis, wants gpu | unfit: h: no pool, wants gpu | unfit: a: pool is gis, wants gpu; taint gpu:NoSchedule; taint own:NoSchedule",
		required(`{"key":"example.com/pool","operator":"Exists"},{"key":"kubernetes.io/hostname","operator":"In","values":["c"]}`): "take: c: has pool | unfit: b d e: wants node c | unfit: f: wants node c; taint own:NoSchedule" +
			" | unfit: a: wants node c; taint gpu:NoSchedule; taint own:NoSchedule | unfit: g: wants node c; taint own:NoSchedule; taint gpu:NoSchedule | unfit: h: no pool; wants node c",
		required(`{"key":"example.com/pool","operator":"NotIn","values":["gpu"]},{"key":"other/pool","operator":"DoesNotExist"}`): "take: b d h: matches | taint: a: matches; taint gpu:NoSchedule; taint own:NoSchedule" +
			" | unfit: c e: example.com/pool is gpu, excluded | unfit: f: example.com/pool is gpu, excluded; taint own:NoSchedule | unfit: g: example.com/pool is gpu, excluded; taint own:NoSchedule; taint gpu:NoSchedule",
	} {
		var got []string
		for _, g := range placement.Groups(placement.Explain(parse(t, policy).Items()[0], nodes)) {
			var names []string
			for _, v := range g.Verdicts {
				names = append(names, v.Node.Name)
			}
			got = append(got, [...]string{"favour", "take", "taint", "unfit"}[g.Standing]+": "+strings.Join(names, " ")+": "+g.Reason)
		}
		if text := strings.Join(got, " | "); text != want {
			t.Errorf("%s\ngot  %s\nwant %s", policy, text, want)
		}
	}
}

func TestNamesOfNodesShareTheirDomain(t *testing.T) {
	t.Parallel()
	for names, want := range map[string]string{
		"ip-10-0-0-1.eu-central-1.compute.internal ip-10-0-0-2.eu-central-1.compute.internal": ".eu-central-1.compute.internal",
		"ip-1.eu.compute.internal ip-2.us.compute.internal":                                   ".compute.internal",
		"gis-1 gis-2": "", "gis-1.local": "", "a.b.c b.c": ".c", "": "", "x.y x.z": "",
	} {
		var nodes []placement.Node
		for name := range strings.FieldsSeq(names) {
			nodes = append(nodes, placement.Node{Name: name})
		}
		if got := placement.CommonSuffix(nodes); got != want {
			t.Errorf("%s: %q", names, got)
		}
	}
}

func BenchmarkGroups(b *testing.B) {
	nodes := make([]placement.Node, 5000)
	for i := range nodes {
		nodes[i] = placement.Node{Name: fmt.Sprint("n", i), Labels: map[string]string{"pool": fmt.Sprint(i % 7)}}
	}
	verdicts := placement.Explain(parse(b, required(`{"key":"pool","operator":"In","values":["1"]}`)).Items()[0], nodes)
	for b.Loop() {
		placement.Groups(verdicts)
	}
}
