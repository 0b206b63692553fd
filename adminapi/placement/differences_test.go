package placement_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/adminapi/placement"
)

// deployed writes a policy of one deployment.
func deployed(rules string) string {
	return `{"placementPolicy":[{"deploymentType":"MapServer","deploymentId":"a","podPlacementPolicy":` + rules + `}]}`
}

func differences(t *testing.T, before, after string) string {
	t.Helper()
	was, now := parse(t, before), parse(t, after)
	var lines []string
	for _, d := range placement.Differences(was, now) {
		if _, there := now.Document().Find(d.Path); !there && d.Kind != document.Removed {
			t.Errorf("%s: no such path: %s", d.Where, d.Path)
		}
		lines = append(lines, d.Text("→"))
	}
	return strings.Join(lines, "\n")
}

func TestWhatIsDifferentReadsInTheWordsOfRules(t *testing.T) {
	t.Parallel()
	const gis, gpu, zone = `{"key":"pool","operator":"In","values":["gis"]}`, `{"key":"pool","operator":"In","values":["gpu"]}`, `{"key":"zone","operator":"Exists"}`
	const next = `]},{"matchExpressions":[`
	weighted := func(weight string) string {
		return preferring(`[{"weight":` + weight + `,"preference":{"matchExpressions":[` + gis + `]}}]`)
	}
	for name, tt := range map[string]struct{ before, after, want string }{
		"nothing":           {required(gis), strings.ReplaceAll(required(gis), ":", ": "), ""},
		"a value":           {required(gis), required(gpu), "term 1: pool In gis → gpu"},
		"an operator":       {required(gis), required(`{"key":"pool","operator":"NotIn","values":["gis"]}`), "term 1: pool In gis → NotIn gis"},
		"a line more":       {required(gis), required(gis + "," + zone), "term 1: added zone Exists"},
		"a line less":       {required(zone + "," + gis), required(gis), "term 1: removed zone Exists"},
		"a term more":       {required(gis), required(gpu + next + gis), "term 1 added: pool In gpu"},
		"a term less":       {required(gpu + next + gis), required(gis), "term 1 removed: pool In gpu"},
		"terms in turn":     {required(gpu + next + gis), required(gis + next + gpu), "term 2: pool In gpu (was 1)"},
		"lines in turn":     {required(gis + "," + zone), required(zone + "," + gis), "nodeAffinity"},
		"another kind":      {required(gis), preferring(`{"nodeSelectorTerms":[{"matchExpressions":[` + gis + `]}]}`), "term 1 removed: pool In gis\npreferred term 1 added: pool In gis"},
		"none any more":     {required(gis), `{"nodeAffinity":{}}`, "term 1 removed: pool In gis"},
		"a weight":          {weighted("10"), weighted("50"), "preferred term 1: weight 10 → 50"},
		"a toleration":      {tolerating(``), tolerating(`{"key":"gpu","operator":"Exists"}`), "toleration 1 added: gpu"},
		"an effect":         {tolerating(`{"key":"gpu","operator":"Exists"}`), tolerating(`{"key":"gpu","operator":"Exists","effect":"NoSchedule"}`), "toleration 1: gpu → gpu:NoSchedule"},
		"an unknown key":    {tolerating(``), `{"tolerations":[],"odd":1}`, "odd: added 1"},
		"a number rewriten": {`{"tolerations":[],"odd":1.0}`, `{"tolerations":[],"odd":1}`, ""},
		"a long list": {required(`{"key":"n","operator":"In","values":["1","2","3","4","5","6","7","8"]}`), required(`{"key":"n","operator":"In","values":["1","2","3","4","5","6","7","9","10"]}`),
			"term 1: n In 8 values → 9 values, 9, 10 added, 8 removed"},
		"hostile": {required(gis), required(`{"key":"pool","operator":"In","values":["\u001b[2J\u202e"]}`), `term 1: pool In gis → ""`},
	} {
		t.Run(name, func(t *testing.T) {
			got := differences(t, deployed(tt.before), deployed(tt.after))
			if got != tt.want && (name != "lines in turn" && name != "an unknown key" || !strings.Contains(got, tt.want)) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	two := `{"placementPolicy":[{"deploymentId":"b","podPlacementPolicy":{}},{"deploymentType":"MapServer","deploymentId":"a","podPlacementPolicy":` + required(gpu) + `}]}`
	found := placement.Differences(parse(t, deployed(required(gis))), parse(t, two))
	if len(found) != 2 || found[0].Text("->") != "deployment added: b" || found[1].Deployment != "MapServer a" || found[1].Text("->") != "term 1: pool In gis -> gpu" {
		t.Errorf("%+v", found)
	}
}

func TestBothSidesOfAConflictReadInTheWordsOfRules(t *testing.T) {
	t.Parallel()
	p := parse(t, deployed(`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"pool","operator":"In","values":["gis","gpu"]},{"key":"zone","operator":"Exists"}]}]}},"tolerations":[{"key":"gpu","operator":"Exists"}]}`))
	for path, want := range map[document.Path]string{
		"placementPolicy[a]": "term 1: pool In gis, gpu and zone Exists; toleration 1: gpu",
		"placementPolicy[a].podPlacementPolicy.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms": "term 1: pool In gis, gpu and zone Exists",
		"placementPolicy[a].podPlacementPolicy.tolerations":                                                                   "toleration 1: gpu",
		"placementPolicy[a].deploymentType":                                                                                   "",
	} {
		if got := strings.Join(p.Words(path), "; "); got != want {
			t.Errorf("%s: got %s\nwant %s", path, got, want)
		}
	}
}
