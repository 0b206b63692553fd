package placement_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"geodeck/adminapi/placement"

	"github.com/google/go-cmp/cmp"
)

func parse(t testing.TB, text string) placement.Policy {
	t.Helper()
	p, err := placement.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return p
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rich has about everything that a policy can have, and much that nobody knows.
const rich = `{ "note" : 1.50,
  "placementPolicy": [
    {"deploymentType":"MapServer","deploymentId":"krh1vura4livmjy61ibe4","x":[1,2 , 3],
     "podPlacementPolicy":{"later":true,"nodeAffinity":{
        "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
          {"matchExpressions":[{"key":"gpu","operator":"In","values":["a100","h\u0031\u0030\u0030"],"why":"fast"},{"key":"cores","operator":"Gt","values":["8"]}],
           "matchFields":[{"key":"metadata.name","operator":"NotIn","values":["node-9"]}]}],"q":0}
        ,"preferredDuringSchedulingIgnoredDuringExecution":[{"weight": 1e1,"preference":{}},{"weight":40,"preference":{"matchExpressions":[{"key":"zone","operator":"In","values":["eu-1a"]}]}}]},
      "tolerations":[{"operator":"Exists"},{"key":"dedicated","value":"gis","effect":"NoExecute","tolerationSeconds":3600,"by":"me"}]}},
    {"deploymentType":"GPServer","deploymentId":"b","podPlacementPolicy":{"nodeAffinity":{},"tolerations":[]}}
  ] }
`

func TestAnUntouchedPolicyGoesBackAsItCame(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"case":            read(t, "placementPolicy_get_nodeAffinity.json"),
		"upgrades config": read(t, "upgrades_config.json"),
		"rich":            rich,
		"bare":            "\n {\"tolerations\" : [ ] }\t",
		"empty list":      `{"placementPolicy":[]}`,
		"odd kinds":       `{"placementPolicy":[7,null,{"podPlacementPolicy":[]},{"podPlacementPolicy":{"nodeAffinity":"x","tolerations":{"a":1}}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(parse(t, text).Bytes()); got != text {
				t.Errorf("became %s", got)
			}
		})
	}
}

func TestAPolicyIsReadWithAllItHas(t *testing.T) {
	t.Parallel()
	i := parse(t, rich).Items()[0]
	got := []any{i.DeploymentType, i.DeploymentID, i.Kind().String(), i.Required, i.Preferred, i.Tolerations, i.UnknownKeys}
	want := []any{"MapServer", "krh1vura4livmjy61ibe4", "both",
		placement.Affinity{Present: true, Terms: []placement.Term{{Lines: []placement.Line{
			{Key: "gpu", Operator: "In", Values: []string{"a100", "h100"}},
			{Key: "cores", Operator: "Gt", Values: []string{"8"}},
			{Key: "metadata.name", Operator: "NotIn", Values: []string{"node-9"}, Field: true}}}}},
		placement.Affinity{Present: true, Shape: placement.WeightedList, Terms: []placement.Term{{}, {Weight: 40,
			Lines: []placement.Line{{Key: "zone", Operator: "In", Values: []string{"eu-1a"}}}}}},
		[]placement.Toleration{{Operator: "Exists"},
			{Key: "dedicated", Value: "gis", Effect: "NoExecute", Seconds: "3600"}},
		[]string{"x", "podPlacementPolicy.later",
			"podPlacementPolicy.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.q",
			"podPlacementPolicy.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].why",
			"podPlacementPolicy.tolerations[1].by"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOneRuleAloneIsAPolicyToo(t *testing.T) {
	t.Parallel()
	for text, form := range map[string]placement.Form{
		read(t, "upgrades_config.json"):                     placement.OneItem,
		`{"nodeAffinity":{},"tolerations":[{"key":"gpu"}]}`: placement.BareRules,
		`{"tolerations":[]}`:                                placement.BareRules,
		rich:                                                placement.WholePolicy,
	} {
		p := parse(t, text)
		if p.Form() != form || len(p.Items()) == 0 {
			t.Errorf("%s: form %d, %d items", text, p.Form(), len(p.Items()))
		}
	}
}

func TestWhatIsNoPolicyIsRefusedInPlainWords(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return `{"tolerations":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
	for text, want := range map[string]string{
		"":                                   "the text is empty",
		" \n":                                "the text is empty",
		"{":                                  "the text ends before the } for the {",
		"{\"placementPolicy\":\n[}":          "line 2, column 2, at placementPolicy[0]: a value is missing before }",
		"[]":                                 "the outermost value must be an object",
		"{\"services\":[]}":                  "it has none of the keys placementPolicy",
		"{\"placementPolicy\":{}}":           "placementPolicy must be a list",
		"{\"tolerations\":[]} x":             "line 1, column 20: the document has ended",
		"{\"tolerations\":[]}{}":             "the text continues",
		"{\"a\":1,\"a\":2}":                  `the key "a" appears twice`,
		deep(100):                            "line 1, column 115: more than 100",
		deep(200):                            "more than 200 levels",
		"{\"tolerations\":[\"\x1b]0;x\x07]}": "a control character inside a string",
	} {
		_, err := placement.Parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\x1b\x07\n") {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
	endless := required(strings.Repeat(`{"key":"a","operator":"Exists"},`, placement.MaxLines) + `{"key":"b","operator":"Exists"}`)
	if _, err := placement.Parse([]byte(endless)); err == nil {
		t.Error("a term over the limit is read")
	}
	if _, err := placement.Parse(bytes.Repeat([]byte(" "), placement.MaxSize+1)); err == nil {
		t.Error("a text over the limit is read")
	}
}
