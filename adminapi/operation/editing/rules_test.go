package editing_test

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/placement"
)

// twoDeployments is written as no library would write it, with unknown keys.
const twoDeployments = `{ "placementPolicy":[ {"deploymentId":"a","x-n":1.0,  "podPlacementPolicy":{"nodeAffinity":{},"tolerations":[],"odd":"\/"}},
	{"deploymentType":"T" ,"deploymentId":"b"} ],"more":[1.00] }`

func poolNodes(pools ...string) (nodes []placement.Node) {
	for i, pool := range pools {
		nodes = append(nodes, placement.Node{Name: "n" + string(rune('a'+i)), Labels: map[string]string{"pool": pool}, Ready: placement.Ready})
	}
	return nodes
}

// twice are two deployments, the second with rules set out in lines.
const twice = `{"placementPolicy":[{"deploymentId":"a","podPlacementPolicy":{"tolerations":[]}},{"deploymentId":"b","podPlacementPolicy":{"tolerations":[{"key":"k", "operator":"Exists"}], "weight": 1.0}}]}`

func TestRulesArePutOntoTheirDeploymentAndTheRestStaysAsItIs(t *testing.T) {
	t.Parallel()
	single := `{"placementPolicy":[ {"deploymentId":"a", "podPlacementPolicy":{"tolerations":[] } ,"x":1.0} ]}`
	rules := `{"nodeAffinity":{},"tolerations":[{"key":"k","operator":"Exists"}]}`
	for name, c := range map[string]struct{ base, text, want string }{
		"whole":      {twoDeployments, `{"placementPolicy":[{"deploymentId":"b","podPlacementPolicy":` + rules + `}]}`, strings.Replace(twoDeployments, `"deploymentId":"b"`, `"deploymentId":"b" ,"podPlacementPolicy":`+rules, 1)},
		"none":       {twoDeployments, `{"placementPolicy":[{"deploymentId":"b"}]}`, twoDeployments},
		"one item":   {single, `{"deploymentId":"a","podPlacementPolicy":` + rules + `}`, strings.Replace(single, `{"tolerations":[] }`, rules, 1)},
		"no name":    {single, `{"podPlacementPolicy":` + rules + `}`, strings.Replace(single, `{"tolerations":[] }`, rules, 1)},
		"bare rules": {single, rules, strings.Replace(single, `{"tolerations":[] }`, rules, 1)},
		"its own":    {twoDeployments, twoDeployments, twoDeployments},
		"taken away": {single, `{"placementPolicy":[{"deploymentId":"a"}]}`, strings.Replace(single, `{"tolerations":[] }`, `{}`, 1)},
	} {
		got, err := editing.PolicyOnto(operationtest.Parsed(t, c.base), []byte(c.text))
		if err != nil || got.Text() != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got.Text(), c.want)
		}
	}
}

// Where the site was not read, nobody knows which deployment rules without an id are for.
func TestOnlyAWholePolicyIsTakenWithoutABase(t *testing.T) {
	t.Parallel()
	if got, err := editing.PolicyOnto(nil, []byte(twice)); err != nil || got.Text() != twice {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{operationtest.OnPool("gis"), `{"deploymentId":"a","podPlacementPolicy":{"tolerations":[]}}`} {
		if got, err := editing.PolicyOnto(nil, []byte(text)); got != nil || err == nil || !strings.Contains(err.Error(), "the site was not read") {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestRulesWithoutTheirDeploymentAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"placementPolicy":[{"deploymentId":"c"}]}`:                      "no deployment c",
		`{"placementPolicy":[{"deploymentId":"a"},{"deploymentId":"a"}]}`: "deployment a twice",
		`{"nodeAffinity":{},"tolerations":[]}`:                            "names no deployment",
		`{"placementPolicy":[{"podPlacementPolicy":{}}]}`:                 "names no deployment",
		`{"placementPolicy":[]}`:                                          "names no deployment",
		`{"placementPolicies":[{"components":["BLOB"]}]}`:                 "places stores when a site is configured",
		`{"placementPolicy":[{"deploymentId":"c\u001b[2J"}]}`:             "no deployment c",
	} {
		if d, err := editing.PolicyOnto(operationtest.Parsed(t, twoDeployments), []byte(text)); err == nil || d != nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "{", "[]", "x"} {
		if _, err := editing.PolicyOnto(operationtest.Parsed(t, twoDeployments), []byte(text)); err == nil {
			t.Errorf("%q is no policy", text)
		}
	}
}

func TestOnlyDeploymentsWithChangedRulesAreAtRisk(t *testing.T) {
	t.Parallel()
	base := operationtest.Parsed(t, `{"placementPolicy":[{"deploymentId":"a","podPlacementPolicy":{"tolerations":[]}},{"deploymentId":"a","podPlacementPolicy":{}},{"podPlacementPolicy":{"x":1}},{"podPlacementPolicy":{}}]}`)
	edited, err := base.SetValue("placementPolicy[3].podPlacementPolicy", operationtest.OnPool("moon"))
	if err != nil {
		t.Fatal(err)
	}
	edit := editing.Edit{Target: editing.PlacementOf(operationtest.Cities), Base: base, Edited: edited, Nodes: poolNodes("gis")}
	if ids, risks := edit.Plan().Unschedulable(), edit.Plan().Risks; len(ids) != 1 || ids[0] != "placementPolicy[3]" || len(risks) != 2 {
		t.Errorf("%q, %+v", ids, risks)
	}
}

// B10: the risk that no node takes the pods stands on what keeps them away, where that changed, and
// else on what did change.
func TestTheRiskThatNoNodeTakesThePodsStandsOnItsCause(t *testing.T) {
	t.Parallel()
	const toleration = `{"key":"gpu","operator":"Exists"}`
	policy := func(terms, tolerations string) string {
		return `{"placementPolicy":[{"deploymentId":"a","podPlacementPolicy":{"tolerations":[` + tolerations + `],"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[` + terms + `]}}}}]}`
	}
	pool := func(name string) string {
		return `{"matchExpressions":[{"key":"pool","operator":"In","values":["` + name + `"]}]}`
	}
	nodes := poolNodes("gpu")
	nodes[0].Taints = []placement.Taint{{Key: "gpu", Effect: placement.NoSchedule}}
	for name, c := range map[string]struct{ before, after, on string }{
		"a term beside a toleration": {policy(pool("gpu"), ""), policy(pool("moon"), toleration), "matchExpressions[0]"},
		"a term added to others":     {policy(pool("sun"), ""), policy(pool("sun")+","+pool("moon"), toleration), "requiredDuringSchedulingIgnoredDuringExecution"},
		"lines that contradict":      {policy(pool("gpu"), toleration), policy(strings.Replace(pool("gpu"), "[{", `[{"key":"pool","operator":"DoesNotExist"},{`, 1), ""), "nodeSelectorTerms[0]"},
		"a toleration removed":       {policy(pool("gpu"), toleration), policy(pool("gpu"), ""), "placementPolicy[a]"},
	} {
		plan := editing.Edit{Target: editing.PlacementOf(operationtest.Cities), Base: operationtest.Parsed(t, c.before), Edited: operationtest.Parsed(t, c.after), Nodes: nodes}.Plan()
		if on := plan.Risks[0]; on.ID != editing.NoNode || !strings.HasSuffix(on.At.Path, c.on) {
			t.Errorf("%s: %+v", name, on)
		}
		tagged := 0
		for _, change := range plan.Changes {
			for _, risk := range (plan.Review("").RisksByChange())[change.Path] {
				if risk.ID == editing.NoNode {
					tagged++
					if strings.Contains(string(change.Path), "tolerations") != (name == "a toleration removed") {
						t.Errorf("%s: the tag is on %s", name, change.Path)
					}
				}
			}
		}
		if tagged != 1 {
			t.Errorf("%s: %d changes have the tag", name, tagged)
		}
	}
}

// What one deployment is warned of is not accepted, nor left unsaid, with the danger of another.
func TestEachDeploymentHasItsOwnFindings(t *testing.T) {
	t.Parallel()
	const emptyTerm = `{"matchExpressions":[]}`
	term := func(pool string) string {
		return `{"matchExpressions":[{"key":"pool","operator":"In","values":["` + pool + `"]}]}`
	}
	whole := func(a, ofA, b string) string {
		rules := func(terms, tolerations string) string {
			return `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[` + terms + `]}},"tolerations":[` + tolerations + `]}`
		}
		return policy("A a "+rules(a, ofA), "B b "+rules(b, ""))
	}
	base := whole(term("gis"), "", term("gis"))
	for name, c := range map[string]struct {
		edited string
		blocks bool
		open   []string // what has to be accepted
		pods   []string
	}{
		"none takes A, B has a term without lines":           {whole(term("moon"), "", term("gis")+","+emptyTerm), false, []string{"B b: term 2 rules", "A: term 1, line 1 no-node"}, []string{"a", "b"}},
		"B alone has one":                                    {whole(term("gis"), "", term("gis")+","+emptyTerm), false, []string{"B b: term 2 rules"}, []string{"b"}},
		"none takes A":                                       {whole(term("moon"), "", term("gis")), false, []string{"A: term 1, line 1 no-node"}, []string{"a"}},
		"none takes A, whose rules are broken":               {whole(term("moon"), `{"key":"x","operator":"Is"}`, term("gis")), true, []string{"A: term 1, line 1 no-node"}, []string{"a"}},
		"what blocks says why none takes A":                  {whole(strings.Replace(term("moon"), `"moon"`, `"moon","a!b"`, 1), "", term("gis")), true, nil, []string{"a"}},
		"A is broken as well, and B contradicts itself":      {whole(term("moon"), `{"key":"x","operator":"Is"}`, strings.Replace(term("moon"), `"moon"`, `"moon","a!b"`, 1)), true, []string{"A: term 1, line 1 no-node"}, []string{"a", "b"}},
		"a term of A contradicts itself, and another is met": {whole(term("gis")+`,{"matchExpressions":[{"key":"pool","operator":"Exists"},{"key":"pool","operator":"DoesNotExist"}]}`, "", term("gis")), false, []string{"A a: term 2 rules"}, []string{"a"}},
		"A contradicts itself, and B is broken":              {whole(`{"matchExpressions":[{"key":"pool","operator":"Exists"},{"key":"pool","operator":"DoesNotExist"}]}`, "", strings.Replace(term("moon"), `"moon"`, `"moon","a!b"`, 1)), true, []string{"A: term 1 no-node"}, []string{"a", "b"}},
		"no deployment is left":                              {policy(), false, []string{"placementPolicy rules", "placementPolicy[a] left-out", "placementPolicy[b] left-out"}, nil},
	} {
		edit := rulesEdit(t, base, c.edited)
		edit.Nodes = poolNodes("gis", "gis")
		plan := edit.Plan()
		var open []string
		blocks := false
		for _, f := range plan.Found() {
			blocks = blocks || f.Blocks()
			if f.Open() {
				open = append(open, cmp.Or(f.At.Name, f.At.Path)+" "+f.Accept)
			}
		}
		if blocks != c.blocks || !slices.Equal(open, c.open) {
			t.Errorf("%s: blocks %v, open are %q, want %q", name, blocks, open, c.open)
		}
		if pods := edit.Pods(plan); !slices.Equal(pods, c.pods) {
			t.Errorf("%s: it replaces the pods of %q, want %q", name, pods, c.pods)
		}
	}
	nameless := rulesEdit(t, `{"placementPolicy":[{"podPlacementPolicy":{}}]}`, `{"placementPolicy":[{"podPlacementPolicy":`+operationtest.OnPool("gis")+`}]}`)
	if pods := nameless.Pods(nameless.Plan()); len(pods) > 0 {
		t.Errorf("a deployment without an id is waited for: %q", pods)
	}
}

// Where the pods of a service run is said of each of its deployments, what several share once, and nothing where it is not told.
func TestTheRulesOfAServiceAreSaidOfEachDeployment(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	pool := operationtest.OnPool
	for name, c := range map[string]struct {
		answer string
		says   []string // each of them in a sentence of its own
	}{
		"one deployment":      {policy("Map a " + pool("gis")), []string{"gis"}},
		"two of one type":     {policy("Map a "+pool("gis"), "Map b "+pool("gis")), []string{"Map: "}},
		"two with other ones": {policy("Map a "+pool("gis"), "Feature f "+pool("spot")), []string{"Map: ", "Feature: "}},
		"an error":            {`{"error":{"code":403,"message":"No.","details":[]}}`, nil},
	} {
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if strings.HasSuffix(r.URL.Path, "/placementPolicy") {
				_, _ = io.WriteString(w, c.answer)
				return
			}
			pass()
		})
		got := editing.RuleSentences(t.Context(), p.Client, operationtest.Cities)
		right := len(got) == len(c.says)
		for i, want := range c.says {
			right = right && strings.Contains(got[i], want) && (name != "one deployment" || !strings.Contains(got[i], "Map: "))
		}
		if !right {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestRulesInAnotherLayoutReplaceNoPods(t *testing.T) {
	t.Parallel()
	edited := strings.NewReplacer(`{"key":"k", "operator":"Exists"}`, "{\n\t\"operator\" : \"Exists\",\n\t\"key\":\"k\"}", `"tolerations":[]`, `"tolerations":[{"key":"n","operator":"Exists"}]`).Replace(twice)
	edit := editing.Edit{Target: editing.PlacementOf(operationtest.Cities), Base: operationtest.Parsed(t, twice), Edited: operationtest.Parsed(t, edited)}
	plan := edit.Plan()
	if len(plan.Moves) != 1 || plan.Moves[0].After.DeploymentID != "a" || plan.Moves[0].Before == nil || len(plan.Risks) != 1 || plan.Risks[0].At.Path != string(plan.Moves[0].Path) {
		t.Errorf("%+v, %+v", plan.Moves, plan.Risks)
	}
	edit.Edited = operationtest.Parsed(t, strings.Replace(twice, "1.0", "1", 1))
	if moves := edit.Moves(); len(moves) != 1 || moves[0].After.DeploymentID != "b" {
		t.Errorf("a number that the site wrote in another way: %+v", moves)
	}
}

func TestADeploymentThatAnEditDoesNotNameIsARisk(t *testing.T) {
	t.Parallel()
	edit := editing.Edit{Target: editing.PlacementOf(operationtest.Cities), Base: operationtest.Parsed(t, twice)}
	edit.Edited = operationtest.Parsed(t, `{"placementPolicy":[{"deploymentId":"b","podPlacementPolicy":{"tolerations":[{"key":"k","operator":"Exists"}],"weight":1.0}}]}`)
	plan := edit.Plan()
	if len(plan.Moves) > 0 || len(plan.Risks) != 1 || plan.Risks[0].ID != editing.LeftOut || plan.Risks[0].At.Path != string(plan.Changes[0].Path) {
		t.Errorf("%+v, %+v, %+v", plan.Moves, plan.Risks, plan.Changes)
	}
}

func TestANewDeploymentHasNoRulesBefore(t *testing.T) {
	t.Parallel()
	edit := editing.Edit{Target: editing.PlacementOf(operationtest.Cities), Base: operationtest.Parsed(t, `{"placementPolicy":[]}`), Edited: operationtest.Parsed(t, twice), Nodes: poolNodes("gis")}
	moves := edit.Moves()
	if len(moves) != 2 || moves[0].Before != nil || moves[0].From.Total != 0 || moves[0].To.Taking != 1 {
		t.Errorf("%+v", moves)
	}
}

func TestRulesThatCouldBelongToSeveralDeploymentsAreRefused(t *testing.T) {
	t.Parallel()
	one, a := `{"placementPolicy":[{"deploymentId":"a"}]}`, `{"deploymentId":"a","podPlacementPolicy":{"tolerations":[]}}`
	for _, c := range []struct{ base, text, want string }{
		{`{"placementPolicy":[{"deploymentId":"a"},{"deploymentId":"a"}]}`, a, "the site has the deployment a twice"},
		{one, `{"placementPolicy":[{"podPlacementPolicy":{"tolerations":[]}}]}`, "names no deployment"},
		{a, a, "the site's answer is not a placement policy"},
		{`[]`, a, "the site's answer is not a placement policy"},
	} {
		if d, err := editing.PolicyOnto(operationtest.Parsed(t, c.base), []byte(c.text)); err == nil || d != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s onto %s: %v", c.text, c.base, err)
		}
	}
}

func TestOnlyAWholePolicyIsSent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{operationtest.OnPool("gis"): "placementPolicy is missing", `{"a":1}`: "ot a placement policy"} {
		edit := editing.Edit{Target: editing.PlacementOf(operationtest.Cities), Base: operationtest.Parsed(t, twice), Edited: operationtest.Parsed(t, text)}
		if err := edit.Sendable(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAMoveHasTheNodesBeforeAndAfter(t *testing.T) {
	t.Parallel()
	base := operationtest.Parsed(t, `{"placementPolicy":[{"deploymentId":"a","podPlacementPolicy":`+operationtest.OnPool("gis")+`}]}`)
	edited, err := editing.PolicyOnto(base, []byte(operationtest.OnPool("spot")))
	if err != nil {
		t.Fatal(err)
	}
	edit := editing.Edit{Target: editing.PlacementOf(operationtest.Cities), Base: base, Edited: edited, Nodes: poolNodes("gis", "spot", "spot")}
	if moves := edit.Moves(); len(moves) != 1 || moves[0].From.Taking != 1 || moves[0].To.Taking != 2 {
		t.Errorf("%+v", moves)
	}
}

func TestAnEditThatLeavesNoNodeNeedsAConfirmation(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Replacing(t, operationtest.OnPool("moon"))
	if err := edit.Sendable(); err != nil || len(edit.Plan().Unschedulable()) > 0 {
		t.Errorf("without nodes nobody knows: %v", err)
	}
	edit.Nodes = poolNodes("gis", "spot")
	none, ok := errors.AsType[*editing.NotAcceptedError](edit.Sendable())
	if !ok || len(none.Findings) != 1 || none.Findings[0].ID != editing.NoNode || !strings.Contains(none.Findings[0].Text, "2 nodes") || len(edit.Plan().Unschedulable()) != 1 {
		t.Fatalf("%+v", none)
	}
	if _, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil)); outcome != adminapi.OutcomeNotSent || !errors.As(err, &none) {
		t.Errorf("%v, %v", outcome, err)
	}
	edit.Accepted.Words = []string{"no-node"}
	if err := edit.Sendable(); err != nil {
		t.Error(err)
	}
	pool := edit
	pool.Accepted.Words = nil
	for i := range pool.Nodes { // a pool may have scaled to zero
		pool.Nodes[i].Labels["karpenter.sh/nodepool"] = "general"
	}
	none, ok = errors.AsType[*editing.NotAcceptedError](pool.Sendable())
	if !ok || len(none.Findings) != 1 || none.Findings[0].ID != editing.NoNode || none.Findings[0].Strength != finding.Caution ||
		none.Findings[0].Text != "No node has it now; a pool may make one." || len(pool.Plan().Unschedulable()) != 0 {
		t.Fatalf("with a pool: %+v", none)
	}
	for _, f := range pool.Plan().Findings {
		if f.Open() {
			t.Errorf("said again as a finding: %+v", f)
		}
	}
	if pool.Accepted.Words = []string{"no-node"}; pool.Sendable() != nil {
		t.Error(pool.Sendable())
	}
	for name, terms := range map[string]string{
		"no line":                   `{"matchExpressions":[]}`,
		"a contradiction":           `{"matchExpressions":[{"key":"pool","operator":"Exists","values":[]},{"key":"pool","operator":"DoesNotExist","values":[]}]}`,
		"a contradiction in each":   `{"matchExpressions":[]},{"matchExpressions":[{"key":"cpu","operator":"Gt","values":["5"]},{"key":"cpu","operator":"Lt","values":["6"]}]}`,
		"values that nothing keeps": `{"matchExpressions":[{"key":"pool","operator":"In","values":["a"]},{"key":"pool","operator":"In","values":["b"]}]}`,
	} {
		edit := p.Replacing(t, strings.Replace(operationtest.OnPool("spot"), `{"matchExpressions":[{"key":"pool","operator":"In","values":["spot"]}]}`, terms, 1))
		none, ok := errors.AsType[*editing.NotAcceptedError](edit.Sendable())
		plan := edit.Plan()
		if !ok || !strings.Contains(none.Findings[len(none.Findings)-1].Text, "No node can match") || plan.Risks[0].ID != editing.NoNode || plan.Risks[0].Strength != finding.Danger ||
			plan.Risks[0].At.Path == "" || len(plan.Unschedulable()) != 1 {
			t.Fatalf("%s, without nodes: %v, %+v", name, edit.Sendable(), plan.Risks)
		}
		for _, f := range plan.Findings {
			if f.Strength >= finding.Danger {
				t.Errorf("%s: said again as a finding: %+v", name, f)
			}
		}
		if edit.Accepted.Words = []string{"no-node", "rules"}; edit.Sendable() != nil {
			t.Errorf("%s: %v", name, edit.Sendable())
		}
	}
	for pool, want := range map[string]string{"moon": editing.NoNode, "spot": editing.OneNode} {
		edit := p.Replacing(t, operationtest.OnPool(pool))
		edit.Nodes = poolNodes("gis", "spot")
		plan := edit.Plan()
		risks := plan.Risks
		for _, f := range plan.Findings {
			if strings.HasPrefix(risks[0].Text, f.Text) {
				t.Errorf("%s: %q is said as a note as well", pool, f.Text)
			}
		}
		if len(risks) != 2 || risks[0].ID != want || risks[1].ID != editing.PodsReplaced || risks[0].At.Path == "" {
			t.Errorf("%s: %+v", pool, risks)
		}
	}
}

func TestRulesThatTheSiteWouldRefuseAreNotSent(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Replacing(t, strings.Replace(operationtest.OnPool("spot"), `"In"`, `"Is"`, 1))
	blocked, ok := errors.AsType[*editing.BlockedError](edit.Sendable())
	if !ok || len(blocked.Findings) == 0 || blocked.Findings[0].At.Line == 0 {
		t.Fatalf("%v", edit.Sendable())
	}
	p.WantSent(t, "POST edit", 0)
	edit.Base = edit.Edited // what the site has itself does not block
	if blocked := edit.Blocked(); blocked != nil {
		t.Error(blocked)
	}
	if err := edit.Sendable(); !errors.Is(err, editing.ErrNothingChanged) {
		t.Error(err)
	}
}
