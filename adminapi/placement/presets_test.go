package placement_test

import (
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/placement"
)

func TestAPresetIsAPolicyWithoutFaults(t *testing.T) {
	t.Parallel()
	nodes := gisNodes(t)
	for _, preset := range placement.Presets(nodes) {
		value := preset.Value
		if value == "" {
			value = "x"
		}
		p, err := preset.Apply(parse(t, rich), 1, preset.Key, value)
		if err != nil {
			t.Fatalf("%s: %v", preset.ID, err)
		}
		alone, err := placement.Policy.CopyRules(parse(t, `{"tolerations":[]}`), 0, p, 1)
		if err != nil || slices.ContainsFunc(placement.Check(alone, nil), placement.Finding.Blocks) {
			t.Errorf("%s: %v %s", preset.ID, err, shown(placement.Check(alone, nil)))
		}
		if preset.Title == "" || preset.Text == "" || (preset.KeyLabel == "") != (preset.Key == "") {
			t.Errorf("%s is not explained", preset.ID)
		}
	}
}

func TestAPresetProposesWhatTheNodesHave(t *testing.T) {
	t.Parallel()
	presets := placement.Presets(gisNodes(t))
	at := func(id string) placement.Preset {
		return presets[slices.IndexFunc(presets, func(p placement.Preset) bool { return p.ID == id })]
	}
	for id, want := range map[string]string{
		"gpu": "gpu=", "zone": "topology.kubernetes.io/zone=eu-1a", "dedicated": "dedicated=gis", "prefer": "dedicated=gis",
	} {
		if p := at(id); p.Key+"="+p.Value != want {
			t.Errorf("%s proposes %s=%s", id, p.Key, p.Value)
		}
	}
}

func TestAPresetKeepsTheTolerationsOfTheItem(t *testing.T) {
	t.Parallel()
	presets := placement.Presets(nil)
	dedicated := presets[slices.IndexFunc(presets, func(p placement.Preset) bool { return p.ID == "dedicated" })]
	p, err := dedicated.Apply(parse(t, tolerating(`{"key":"a","operator":"Exists","by":"me"}`)), 0, "pool", "gis")
	if err != nil {
		t.Fatal(err)
	}
	const want = "Pods must run on nodes whose pool is gis; they also accept nodes with the taint a of any value, or the taint pool=gis and the effect NoSchedule."
	if got := placement.Sentence(p.Items()[0]); got != want || !strings.Contains(string(p.Bytes()), `"by":"me"`) {
		t.Errorf("%s\n%s", got, p.Bytes())
	}
	again, err := dedicated.Apply(p, 0, "pool", "gis")
	if err != nil || len(again.Items()[0].Tolerations) != 2 {
		t.Errorf("%v: %s", err, again.Bytes())
	}
}

func TestHintsSuitTheItem(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		policy  string
		has     string
		hasNone string
	}{
		"toleration alone": {tolerating(`{"key":"a","operator":"Exists"}`), "toleration-does-not-attract toleration-before-taint nothing-is-evicted", "affinity-does-not-repel preferred-is-a-wish"},
		"affinity":         {required(`{"key":"a","operator":"NotIn","values":["x"]}`), "affinity-does-not-repel not-takes-missing nothing-is-evicted", "toleration-does-not-attract toleration-before-taint terms-any-lines-all"},
		"NotIn and Exists": {required(`{"key":"a","operator":"NotIn","values":["x"]},{"key":"a","operator":"Exists"}`), "terms-any-lines-all", "not-takes-missing"},
		"preferred":        {preferring(`[]`), "preferred-is-a-wish", "seconds-then-evicted"},
		"seconds":          {tolerating(`{"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":5}`), "seconds-then-evicted", ""},
		"nothing":          {`{"tolerations":[]}`, "nothing-is-evicted room-is-not-looked-at", "toleration-before-taint"},
	} {
		var ids []string
		for _, h := range placement.Hints(parse(t, tt.policy).Items()[0]) {
			ids = append(ids, h.ID)
		}
		for _, id := range strings.Fields(tt.has) {
			if !slices.Contains(ids, id) {
				t.Errorf("%s: %s is missing in %v", name, id, ids)
			}
		}
		for _, id := range strings.Fields(tt.hasNone) {
			if slices.Contains(ids, id) {
				t.Errorf("%s: %s does not suit", name, id)
			}
		}
	}
}

func TestAPresetAsItIsProposedLeavesNodes(t *testing.T) {
	t.Parallel()
	nodes, err := placement.ReadNodes([]byte(`{"kind":"List","items":[
		{"kind":"Node","metadata":{"name":"gpu-1","labels":{"gpu":"a100","pool":"gpu"}},"spec":{"taints":[
			{"key":"nvidia.com/gpu","value":"present","effect":"NoSchedule"},{"key":"maintenance","effect":"NoExecute"}]}},
		{"kind":"Node","metadata":{"name":"gpu-2","labels":{"gpu":"h100","pool":"gpu"}},"spec":{"taints":[
			{"key":"nvidia.com/gpu","value":"present","effect":"NoSchedule"},{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]}},
		{"kind":"Node","metadata":{"name":"gis-1","labels":{"pool":"gis","topology.kubernetes.io/zone":"a"}},"spec":{"taints":[
			{"key":"team","value":"gis","effect":"NoExecute"}]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"gpu":       "Pods must run on nodes that have gpu; they also accept nodes with the taint nvidia.com/gpu of any value and the effect NoSchedule.",
		"dedicated": "Pods must run on nodes whose pool is gis; they also accept nodes with the taint team=gis and the effect NoExecute.",
	} {
		presets := placement.Presets(nodes)
		preset := presets[slices.IndexFunc(presets, func(p placement.Preset) bool { return p.ID == id })]
		p, err := preset.Apply(parse(t, `{"tolerations":[]}`), 0, preset.Key, preset.Value)
		if err != nil {
			t.Fatal(err)
		}
		if got := placement.Sentence(p.Items()[0]); got != want {
			t.Errorf("%s: %s", id, got)
		}
	}
}
