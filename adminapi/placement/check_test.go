package placement_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/placement"
)

// required and tolerating write rules around what a case is about.
func required(lines string) string {
	return `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[` + lines + `]}]}}}`
}

func tolerating(tolerations string) string { return `{"tolerations":[` + tolerations + `]}` }

func preferring(affinity string) string {
	return `{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":` + affinity + `}}`
}

func shown(findings []placement.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s %s: %s\n", f.Strength, f.At.Path, f.Text)
	}
	return b.String()
}

func TestAPolicyIsCheckedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	const term = "nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
	for name, tt := range map[string]struct{ policy, want string }{
		"nothing wrong":              {required(`{"key":"gpu","operator":"In","values":["a"]},{"key":"x.io/y","operator":"DoesNotExist"}`), ""},
		"In without values":          {required(`{"key":"gpu","operator":"In","values":[]}`), "blocking " + term + ".matchExpressions[0].values: In needs at least one value"},
		"Exists with a value":        {required(`{"key":"gpu","operator":"Exists","values":["a"]}`), "Exists takes no value"},
		"an operator in lower":       {required(`{"key":"gpu","operator":"in","values":["a"]}`), `the operator in is unknown; did you mean In?`},
		"another operator":           {required(`{"key":"gpu","operator":"Matches","values":["a"]}`), "the operator Matches is unknown; there are In, NotIn, Exists, DoesNotExist, Gt, Lt"},
		"no operator":                {required(`{"key":"gpu"}`), "the operator is missing"},
		"Gt":                         {required(`{"key":"gpu","operator":"Gt","values":["3"]}`), "caution " + term + ".matchExpressions[0].operator: the API does not document the operator Gt"},
		"Gt of a word":               {required(`{"key":"gpu","operator":"Gt","values":["many"]}`), "Gt takes exactly one value, a whole number"},
		"an empty key":               {required(`{"key":"","operator":"Exists"}`), "blocking " + term + ".matchExpressions[0].key: the key is empty"},
		"a key with a space":         {required(`{"key":"my gpu","operator":"Exists"}`), "the key my gpu is not a label name"},
		"a key with two slashes":     {required(`{"key":"a/b/c","operator":"Exists"}`), "is not a label name"},
		"a value too long":           {required(`{"key":"gpu","operator":"In","values":["` + strings.Repeat("a", 64) + `"]}`), "is not a valid label value"},
		"a value twice":              {required(`{"key":"gpu","operator":"In","values":["a","a"]}`), "caution " + term + ".matchExpressions[0].values: a value is listed twice"},
		"a number as a value":        {required(`{"key":"gpu","operator":"In","values":[1]}`), "blocking " + term + ".matchExpressions[0].values[0]: expected a text, found a number: put it in double quotes"},
		"a line twice":               {required(`{"key":"g","operator":"In","values":["a","b"]},{"key":"g","operator":"In","values":["b","a"]}`), "the same as line 1"},
		"In and NotIn":               {required(`{"key":"g","operator":"In","values":["a"]},{"key":"g","operator":"NotIn","values":["a","b"]}`), "danger " + term + ": no node can match this term: NotIn excludes every value that In allows for g"},
		"Exists and not":             {required(`{"key":"g","operator":"Exists"},{"key":"g","operator":"DoesNotExist"}`), "danger " + term + ": no node can match this term: g must exist and must not exist"},
		"In twice, apart":            {required(`{"key":"g","operator":"In","values":["a"]},{"key":"g","operator":"In","values":["b"]}`), "two lines with In share no value of g"},
		"Gt above Lt":                {required(`{"key":"g","operator":"Gt","values":["5"]},{"key":"g","operator":"Lt","values":["6"]}`), "no number is within the limits for g"},
		"Gt beyond all numbers":      {required(`{"key":"g","operator":"Gt","values":["9223372036854775807"]}`), "no number is within the limits"},
		"In outside the limits":      {required(`{"key":"g","operator":"Gt","values":["5"]},{"key":"g","operator":"In","values":["3","x"]}`), "is within Gt and Lt"},
		"a label named as the field": {`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"metadata.name","operator":"In","values":["a"]}],"matchFields":[{"key":"metadata.name","operator":"In","values":["b"]}]}]}}}`, ""},
		"two names at once":          {`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["a"]},{"key":"metadata.name","operator":"In","values":["b"]}]}]}}}`, "two lines with In share no value of metadata.name"},
		"no term can match":          {required(`{"key":"g","operator":"Exists"},{"key":"g","operator":"DoesNotExist"}]},{"matchExpressions":[`), "g must exist and must not exist; no other term can match either\ncaution nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[1]: no node can match this term: it has no line"},
		"a term without a line":      {required(``), "danger " + term + ": no node can match this term: it has no line"},
		"no term":                    {`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}}`, "blocking nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution: required without a term is refused"},
		"required as a list":         {`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[]}}`, "expected an object, found a list"},
		"fields":                     {`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"spec.x","operator":"Exists"}]}]}}}`, "blocking " + term + ".matchFields[0].key: matchFields accepts only the key metadata.name"},
		"the contract's shape":       {preferring(`{"nodeSelectorTerms":[{"matchExpressions":[{"key":"g","operator":"Exists"}]}]}`), "note nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution: preferred terms have no weights here"},
		"the shape of Kubernetes": {preferring(`[{"weight":1,"preference":{"matchExpressions":[{"key":"g","operator":"Exists"}]}}]`),
			"preferred terms have weights, which the API does not document"},
		"a weight of 0":                    {preferring(`[{"weight":0,"preference":{"matchExpressions":[{"key":"g","operator":"Exists"}]}}]`), "a weight must be a whole number from 1 to 100"},
		"Equal without a key":              {tolerating(`{"operator":"Equal","value":"x"}`), "blocking tolerations[0].key: Equal needs a key"},
		"no operator and no key":           {tolerating(`{}`), "Equal needs a key"},
		"everything":                       {tolerating(`{"operator":"Exists"}`), "caution tolerations[0]: without a key it tolerates every taint"},
		"Exists with a toleration's value": {tolerating(`{"key":"g","operator":"Exists","value":"x"}`), "blocking tolerations[0].value: Exists takes no value"},
		"an effect in lower":               {tolerating(`{"key":"g","operator":"Exists","effect":"noSchedule"}`), "the effect noSchedule is unknown; did you mean NoSchedule?"},
		"Gt of a toleration":               {tolerating(`{"key":"g","operator":"Gt","value":"3"}`), "the API does not document the operator Gt; most clusters have it off"},
		"seconds without NoExecute":        {tolerating(`{"key":"g","operator":"Exists","effect":"NoSchedule","tolerationSeconds":3}`), "tolerationSeconds needs the effect NoExecute"},
		"a toleration twice":               {tolerating(`{"key":"g","operator":"Exists"},{"key":"g","value":"x","effect":"NoSchedule"}`), "caution tolerations[1]: toleration 1 covers this one"},
		"a toleration covered later":       {tolerating(`{"key":"g","value":"x","effect":"NoSchedule"},{"key":"g","operator":"Exists"}`), "caution tolerations[0]: toleration 2 covers this one"},
		"a toleration that is a word":      {tolerating(`"gpu"`), "expected an object, found a text"},
		"no deployment":                    {`{"placementPolicy":[]}`, "the policy has no deployment"},
		"no id":                            {`{"placementPolicy":[{}]}`, "blocking placementPolicy[0].deploymentId: the deployment has no id"},
		"an id twice":                      {`{"placementPolicy":[{"deploymentId":"a"},{"deploymentId":"a"}]}`, "the deployment a is listed twice"},
		"hostile":                          {required(`{"key":"\u001b]0;x\u0007gpu","operator":"In\n\u202e","values":["\u001b[2J"]}`), "is not a label name"},
	} {
		t.Run(name, func(t *testing.T) {
			got := shown(placement.Check(parse(t, tt.policy), nil))
			if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
			if strings.ContainsAny(got, "\x1b\x07\u202e") {
				t.Errorf("not clean: %q", got)
			}
		})
	}
}

func gisNodes(t testing.TB) []placement.Node {
	t.Helper()
	nodes, err := placement.ReadNodes([]byte(read(t, "nodes.json")))
	if err != nil {
		t.Fatal(err)
	}
	return nodes
}

func TestWordsThatNoNodeHasComeWithASuggestion(t *testing.T) {
	t.Parallel()
	nodes := gisNodes(t)
	for name, tt := range map[string]struct{ policy, want string }{
		"a key misspelt":              {required(`{"key":"topology.kubernetes.io/zome","operator":"In","values":["eu-1a"]}`), "no node has the label topology.kubernetes.io/zome; did you mean topology.kubernetes.io/zone?"},
		"a key without prefix":        {required(`{"key":"zone","operator":"Exists"}`), "did you mean topology.kubernetes.io/zone?"},
		"a value begun":               {required(`{"key":"gpu","operator":"In","values":["a1"]}`), "no node has gpu=a1; did you mean a100?"},
		"a value misspelt":            {required(`{"key":"gpu","operator":"In","values":["a10O"]}`), "no node has gpu=a10O; did you mean a100?"},
		"a value swapped":             {required(`{"key":"gpu","operator":"In","values":["a010"]}`), "did you mean a100?"},
		"a value unlike any":          {required(`{"key":"gpu","operator":"In","values":["zzz"]}`), "no node has gpu=zzz\n"},
		"NotIn of no label":           {required(`{"key":"nowhere","operator":"NotIn","values":["x"]}`), "no node has the label nowhere, so this line excludes no node\n"},
		"NotIn of a value unlike any": {required(`{"key":"gpu","operator":"NotIn","values":["zzz"]}`), ""},
		"NotIn of a value misspelt":   {required(`{"key":"gpu","operator":"NotIn","values":["a1000"]}`), "no node has gpu=a1000; did you mean a100?"},
		"DoesNotExist is fine":        {required(`{"key":"nowhere","operator":"DoesNotExist"}`), ""},
		"a taint's value":             {tolerating(`{"key":"dedicated","value":"gsi","effect":"NoSchedule"}`), "no node has the taint dedicated=gsi; there is gis"},
		"a taint's key":               {tolerating(`{"key":"dedicatde","operator":"Exists"}`), "no node has a taint dedicatde; did you mean dedicated?"},
		"a taint that is to come":     {tolerating(`{"key":"future","operator":"Exists"}`), "note tolerations[0]: opens no further node: none has this taint\n"},
		"nobody is left":              {required(`{"key":"gpu","operator":"In","values":["t4"]}`), "danger nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]: no node meets this line: the pods stay Pending"},
	} {
		t.Run(name, func(t *testing.T) {
			got := shown(placement.Check(parse(t, tt.policy), nodes))
			if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestBlockingFindingsComeFirstAndOldOnesAreKnown(t *testing.T) {
	t.Parallel()
	before := parse(t, tolerating(`{"operator":"Exists"},{"key":"g","effect":"X"}`))
	findings := placement.Check(before, nil)
	if len(findings) != 2 || !findings[0].Blocks() || findings[1].Blocks() {
		t.Errorf("%s", shown(findings))
	}
	if findings[0].In != placement.AtToleration(0, 1) {
		t.Errorf("at %+v", findings[0].In)
	}
	after := parse(t, tolerating(`{"key":"ok","operator":"Exists","effect":"Y"},{"operator":"Exists"},{"key":"g","effect":"X"}`))
	fresh := placement.Introduced(placement.Check(after, nil), findings)
	if !slices.ContainsFunc(fresh, placement.Finding.Blocks) || strings.Contains(shown(fresh), "effect X") {
		t.Errorf("%s", shown(fresh))
	}
}

// B10: what keeps every node away is marked where it stands: on the line or the term that no node
// meets, and where several parts do it together on the affinity or the tolerations.
func TestWhatKeepsEveryNodeAwayIsMarkedAtItsCause(t *testing.T) {
	t.Parallel()
	const gis, nowhere, next = `{"key":"pool","operator":"In","values":["gis"]}`, `{"key":"pool","operator":"In","values":["nowhere"]}`, `]},{"matchExpressions":[`
	const gpu, tolerated = `{"key":"gpu","operator":"Exists"}`, `"tolerations":[{"key":"other","operator":"Exists"}],`
	nodes := []placement.Node{
		{Name: "gis-1", Labels: map[string]string{"pool": "gis"}, Taints: []placement.Taint{{Key: "dedicated", Value: "gis", Effect: placement.NoSchedule}}},
		{Name: "gpu-1", Labels: map[string]string{"pool": "gpu", "gpu": "a100"}, Taints: []placement.Taint{{Key: "dedicated", Value: "gpu", Effect: placement.NoSchedule}}},
	}
	for name, c := range map[string]struct {
		rules string
		at    placement.Place
		text  string
	}{
		"a line, beside a toleration":   {`{` + tolerated + required(nowhere)[1:], placement.AtLine(0, placement.Required, 0, 0), "no node meets this line"},
		"one line of two":               {required(gis + `,{"key":"zone","operator":"In","values":["moon"]}`), placement.AtLine(0, placement.Required, 0, 1), "no node meets this line"},
		"two lines that no node has":    {required(gis + "," + gpu), placement.AtTerm(0, placement.Required, 0), "no node meets all lines"},
		"two terms":                     {required(nowhere + next + gis + "," + gpu), placement.AtAffinity(0, placement.Required), "no node meets any of these terms"},
		"a taint on all nodes that fit": {`{` + tolerated + required(gis)[1:], placement.AtAffinity(0, placement.Required), "a taint keeps these pods off all nodes that match"},
		"taints alone":                  {tolerating(`{"key":"other","operator":"Exists"}`), placement.AtTolerations(0), "taints keep these pods off every node"},
	} {
		found := placement.Check(parse(t, c.rules), nodes)
		if len(found) == 0 || found[0].ID != placement.NoNode || found[0].In != c.at || !strings.HasPrefix(found[0].Text, c.text) {
			t.Errorf("%s: %+v\n%s", name, found, shown(found))
		}
	}
}

// B18: a toleration that opens no further node says so, and one that attracts nothing.
func TestATolerationThatOpensNoFurtherNodeSaysSo(t *testing.T) {
	t.Parallel()
	const gpu = `{"key":"nvidia.com/gpu","operator":"Exists"}`
	nodes := []placement.Node{
		{Name: "gis-1", Labels: map[string]string{"pool": "gis"}},
		{Name: "gpu-1", Labels: map[string]string{"pool": "gpu"}, Taints: []placement.Taint{{Key: "nvidia.com/gpu", Effect: placement.NoSchedule}}},
	}
	onPool := func(pool string) string {
		return `{"tolerations":[` + gpu + `],` + required(`{"key":"pool","operator":"In","values":["` + pool + `"]}`)[1:]
	}
	for name, c := range map[string]struct{ rules, want string }{
		"for nodes that do not fit": {onPool("gis"), "note tolerations[0]: opens no further node: none with this taint meets the other rules\n"},
		"for nodes that fit":        {onPool("gpu"), ""},
		"alone":                     {tolerating(gpu), "note tolerations: tolerations let the pods onto tainted nodes, but attract none\n"},
		"for no node":               {tolerating(`{"key":"future","operator":"Exists"}`), "note tolerations[0]: opens no further node: none has this taint\n"},
		"that is refused":           {tolerating(`{"key":"future","operator":"Exists","effect":"NoSchedul"}`), "blocking tolerations[0].effect: the effect NoSchedul is unknown; did you mean NoSchedule?\n"},
	} {
		if got := shown(placement.Check(parse(t, c.rules), nodes)); got != c.want {
			t.Errorf("%s: got %swant %s", name, got, c.want)
		}
	}
}
