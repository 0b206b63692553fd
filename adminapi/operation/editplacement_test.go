package operation_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/placement"
)

// twoDeployments is written as no library would write it, with unknown keys.
const twoDeployments = `{ "placementPolicy":[ {"deploymentId":"a","x-n":1.0,  "podPlacementPolicy":{"nodeAffinity":{},"tolerations":[],"odd":"\/"}},
	{"deploymentType":"T" ,"deploymentId":"b"} ],"more":[1.00] }`

func parsed(t *testing.T, text string) *document.Document {
	t.Helper()
	d, err := document.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

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
		got, err := operation.PolicyOnto(parsed(t, c.base), []byte(c.text))
		if err != nil || got.Text() != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got.Text(), c.want)
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
		`{"placementPolicy":[{"deploymentId":"c\u001b[2J"}]}`:             "no deployment c",
	} {
		if d, err := operation.PolicyOnto(parsed(t, twoDeployments), []byte(text)); err == nil || d != nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "{", "[]", "x"} {
		if _, err := operation.PolicyOnto(parsed(t, twoDeployments), []byte(text)); err == nil {
			t.Errorf("%q is no policy", text)
		}
	}
}

func poolNodes(pools ...string) (nodes []placement.Node) {
	for i, pool := range pools {
		nodes = append(nodes, placement.Node{Name: "n" + string(rune('a'+i)), Labels: map[string]string{"pool": pool}, Ready: placement.Ready})
	}
	return nodes
}

func TestAnEditThatLeavesNoNodeNeedsAConfirmation(t *testing.T) {
	t.Parallel()
	p := editing(t, "healthy")
	edit := p.replacing(t, onPool("moon"))
	if err := edit.Sendable(); err != nil || len(edit.Unschedulable()) > 0 {
		t.Errorf("without nodes nobody knows: %v", err)
	}
	edit.Nodes = poolNodes("gis", "spot")
	none, ok := errors.AsType[*operation.NoNodeError](edit.Sendable())
	if !ok || len(none.Deployments) != 1 || none.Nodes != 2 || edit.Unschedulable()[0] != none.Deployments[0] {
		t.Fatalf("%+v", none)
	}
	if _, outcome, err := apart(p.ApplyEdit(t.Context(), edit, nil)); outcome != adminapi.OutcomeNotSent || !errors.As(err, &none) {
		t.Errorf("%v, %v", outcome, err)
	}
	edit.AllowNone = true
	if err := edit.Sendable(); err != nil {
		t.Error(err)
	}
	for name, terms := range map[string]string{
		"no line":                   `{"matchExpressions":[]}`,
		"a contradiction":           `{"matchExpressions":[{"key":"pool","operator":"Exists","values":[]},{"key":"pool","operator":"DoesNotExist","values":[]}]}`,
		"a contradiction in each":   `{"matchExpressions":[]},{"matchExpressions":[{"key":"cpu","operator":"Gt","values":["5"]},{"key":"cpu","operator":"Lt","values":["6"]}]}`,
		"values that nothing keeps": `{"matchExpressions":[{"key":"pool","operator":"In","values":["a"]},{"key":"pool","operator":"In","values":["b"]}]}`,
	} {
		edit := p.replacing(t, strings.Replace(onPool("spot"), `{"matchExpressions":[{"key":"pool","operator":"In","values":["spot"]}]}`, terms, 1))
		none, ok := errors.AsType[*operation.NoNodeError](edit.Sendable())
		plan := edit.Plan()
		if !ok || none.Nodes != 0 || plan.Risks[0].ID != operation.NoNode || plan.Risks[0].Strength != finding.Danger {
			t.Fatalf("%s, without nodes: %v, %+v", name, edit.Sendable(), plan.Risks)
		}
		for _, f := range plan.Findings {
			if f.Strength >= finding.Danger {
				t.Errorf("%s: said again as a finding: %+v", name, f)
			}
		}
		if edit.AllowNone = true; edit.Sendable() != nil {
			t.Errorf("%s: %v", name, edit.Sendable())
		}
	}
	for pool, want := range map[string]string{"moon": operation.NoNode, "spot": operation.OneNode} {
		edit := p.replacing(t, onPool(pool))
		edit.Nodes = poolNodes("gis", "spot")
		plan := edit.Plan()
		risks := plan.Risks
		for _, f := range plan.Findings {
			if strings.HasPrefix(risks[0].Text, f.Text) {
				t.Errorf("%s: %q is said as a note as well", pool, f.Text)
			}
		}
		if len(risks) != 2 || risks[0].ID != want || risks[1].ID != operation.PodsReplaced || risks[0].At.Path == "" {
			t.Errorf("%s: %+v", pool, risks)
		}
	}
}

func TestRulesThatTheSiteWouldRefuseAreNotSent(t *testing.T) {
	t.Parallel()
	p := editing(t, "healthy")
	edit := p.replacing(t, strings.Replace(onPool("spot"), `"In"`, `"Is"`, 1))
	blocked, ok := errors.AsType[*operation.BlockedError](edit.Sendable())
	if !ok || len(blocked.Findings) == 0 || blocked.Findings[0].At.Line == 0 {
		t.Fatalf("%v", edit.Sendable())
	}
	p.wantSent(t, "POST edit", 0)
	edit.Base = edit.Edited // what the site has itself does not block
	if blocked := edit.Blocked(); blocked != nil {
		t.Error(blocked)
	}
	if err := edit.Sendable(); !errors.Is(err, operation.ErrNothingChanged) {
		t.Error(err)
	}
}

func TestAPolicyIsSentOnceReadBackAndBackedUp(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"healthy", "placement-async", "placement-async-other"} {
		p := editing(t, scenario)
		edit := p.replacing(t, onPool("spot"))
		if _, err := p.Memory.SaveEditDraft(edit.Target, operation.EditDraft{}); err != nil {
			t.Fatal(err)
		}
		if kept, err := p.Memory.SavedEdits(operation.DefinitionOf(cities)); len(kept) > 0 || err != nil {
			t.Errorf("%s: a draft of the policy is one of the definition: %v", scenario, err)
		}
		applied, outcome, err := apart(p.ApplyEdit(t.Context(), edit, nil))
		if err != nil || outcome != adminapi.OutcomeDone || applied.Now.Text() != edit.Edited.Text() || p.policy(t).Text() != edit.Edited.Text() {
			t.Fatalf("%s: %v, %v", scenario, outcome, err)
		}
		p.wantSent(t, "POST edit", 1)
		history, err := p.Memory.History(edit.Target)
		if err != nil || len(history) == 0 {
			t.Fatal(scenario, history, err)
		}
		old, err := p.Memory.ReadBackup(edit.Target, history[len(history)-1].ID)
		if err != nil || old.Text() != edit.Base.Text() {
			t.Errorf("%s: the backup is not what there was: %v", scenario, err)
		}
		if other, err := p.Memory.History(operation.DefinitionOf(cities)); err != nil || len(other) > 0 {
			t.Errorf("%s: the history of the definition has %v, %v", scenario, other, err)
		}
	}
}

func TestAPolicyThatWasChangedMeanwhileIsNotOverwritten(t *testing.T) {
	t.Parallel()
	p := editing(t, "healthy")
	mine, theirs := p.replacing(t, onPool("spot")), p.replacing(t, onPool("gpu"))
	if _, _, err := apart(p.ApplyEdit(t.Context(), theirs, nil)); err != nil {
		t.Fatal(err)
	}
	_, outcome, err := apart(p.ApplyEdit(t.Context(), mine, nil))
	if drift, ok := errors.AsType[*operation.DriftError](err); !ok || outcome != adminapi.OutcomeNotSent || drift.Part != operation.Placement {
		t.Errorf("%v, %v", outcome, err)
	}
	p.wantSent(t, "POST edit", 1)
}

func TestAPolicyThatSomebodyElseChangesBetweenReviewAndSendingIsNotOverwritten(t *testing.T) {
	t.Parallel()
	p := editing(t, "placement-elses")
	edit := p.replacing(t, onPool("spot"))
	_, outcome, err := apart(p.ApplyEdit(t.Context(), edit, nil))
	drift, ok := errors.AsType[*operation.DriftError](err)
	if !ok || outcome != adminapi.OutcomeNotSent || len(drift.Changes) != 1 {
		t.Fatalf("%v, %v", outcome, err)
	}
	p.wantSent(t, "POST edit", 0)
	if history, err := p.Memory.History(edit.Target); err != nil || len(history) > 0 {
		t.Errorf("kept what was not replaced: %v, %v", history, err)
	}
	if _, conflicts := edit.Rebase(drift.Theirs); len(conflicts) != 1 || !strings.Contains(conflicts[0].Theirs, "memory") {
		t.Errorf("conflicts %v", conflicts)
	}
}

func TestAPolicyThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]error{"placement-refused": adminapi.KindInvalid, "placement-fails": operation.ErrJobBroken} {
		p := editing(t, scenario)
		edit := p.replacing(t, onPool("spot"))
		if _, _, err := apart(p.ApplyEdit(t.Context(), edit, nil)); !errors.Is(err, want) || p.policy(t).Text() != edit.Base.Text() {
			t.Errorf("%s: %v", scenario, err)
		}
		p.wantSent(t, "POST edit", 1)
	}
}

func TestTheOutcomeOfALostPolicyIsFound(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]string{
		"placement-answer-lost": "done", "placement-answer-lost-not-performed": "unchanged",
	} {
		p := editing(t, scenario)
		edit := p.replacing(t, onPool("spot"))
		if _, outcome, err := apart(p.ApplyEdit(t.Context(), edit, nil)); outcome != adminapi.OutcomeUnknown || err == nil {
			t.Fatalf("%s: %v, %v", scenario, outcome, err)
		}
		p.clock.Advance(time.Hour)
		if found, err := settleEdit(t.Context(), p, p.SearchEdit(edit, "", nil)); err != nil && want == "done" || seenAs(found) != want {
			t.Errorf("%s: %v, %v", scenario, seenAs(found), err)
		}
		p.wantSent(t, "POST edit", 1)
	}
}

func TestUnknownKeysOfAPolicySurviveAnEdit(t *testing.T) {
	t.Parallel()
	p := editing(t, "placement-odd")
	base := p.policy(t)
	policy, err := placement.Parse(base.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	policy, err = policy.AddToleration(placement.AtToleration(0, 0), placement.Toleration{Key: "k", Operator: placement.Exists})
	if err != nil {
		t.Fatal(err)
	}
	edited, err := operation.PolicyOnto(base, policy.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	edit := operation.Edit{Target: operation.PlacementOf(cities), Base: base, Edited: edited}
	applied, _, err := apart(p.ApplyEdit(t.Context(), edit, nil))
	if err != nil {
		t.Fatal(err)
	}
	now, err := placement.Parse(applied.Now.Bytes())
	before, _ := placement.Parse(base.Bytes())
	if err != nil || len(before.Items()[0].UnknownKeys) == 0 || len(now.Items()[0].UnknownKeys) != len(before.Items()[0].UnknownKeys) {
		t.Errorf("%v became %v, %v", before.Items()[0].UnknownKeys, now.Items()[0].UnknownKeys, err)
	}
}

func TestOnlyDeploymentsWithChangedRulesAreAtRisk(t *testing.T) {
	t.Parallel()
	base := parsed(t, `{"placementPolicy":[{"deploymentId":"a","podPlacementPolicy":{"tolerations":[]}},{"deploymentId":"a","podPlacementPolicy":{}},{"podPlacementPolicy":{"x":1}},{"podPlacementPolicy":{}}]}`)
	edited, err := base.SetValue("placementPolicy[3].podPlacementPolicy", onPool("moon"))
	if err != nil {
		t.Fatal(err)
	}
	edit := operation.Edit{Target: operation.PlacementOf(cities), Base: base, Edited: edited, Nodes: poolNodes("gis")}
	if ids, risks := edit.Unschedulable(), edit.Plan().Risks; len(ids) != 1 || ids[0] != "placementPolicy[3]" || len(risks) != 2 {
		t.Errorf("%q, %+v", ids, risks)
	}
}

// twice are two deployments, the second with rules set out in lines.
const twice = `{"placementPolicy":[{"deploymentId":"a","podPlacementPolicy":{"tolerations":[]}},{"deploymentId":"b","podPlacementPolicy":{"tolerations":[{"key":"k", "operator":"Exists"}], "weight": 1.0}}]}`

func TestRulesInAnotherLayoutReplaceNoPods(t *testing.T) {
	t.Parallel()
	edited := strings.NewReplacer(`{"key":"k", "operator":"Exists"}`, "{\n\t\"operator\" : \"Exists\",\n\t\"key\":\"k\"}", `"tolerations":[]`, `"tolerations":[{"key":"n","operator":"Exists"}]`).Replace(twice)
	edit := operation.Edit{Target: operation.PlacementOf(cities), Base: parsed(t, twice), Edited: parsed(t, edited)}
	plan := edit.Plan()
	if len(plan.Moves) != 1 || plan.Moves[0].After.DeploymentID != "a" || plan.Moves[0].Before == nil || len(plan.Risks) != 1 || plan.Risks[0].At.Path != string(plan.Moves[0].Path) {
		t.Errorf("%+v, %+v", plan.Moves, plan.Risks)
	}
	edit.Edited = parsed(t, strings.Replace(twice, "1.0", "1", 1))
	if moves := edit.Moves(); len(moves) != 1 || moves[0].After.DeploymentID != "b" {
		t.Errorf("a number that the site wrote in another way: %+v", moves)
	}
}

func TestADeploymentThatAnEditDoesNotNameIsARisk(t *testing.T) {
	t.Parallel()
	edit := operation.Edit{Target: operation.PlacementOf(cities), Base: parsed(t, twice)}
	edit.Edited = parsed(t, `{"placementPolicy":[{"deploymentId":"b","podPlacementPolicy":{"tolerations":[{"key":"k","operator":"Exists"}],"weight":1.0}}]}`)
	plan := edit.Plan()
	if len(plan.Moves) > 0 || len(plan.Risks) != 1 || plan.Risks[0].ID != operation.LeftOut || plan.Risks[0].At.Path != string(plan.Changes[0].Path) {
		t.Errorf("%+v, %+v, %+v", plan.Moves, plan.Risks, plan.Changes)
	}
}

func TestANewDeploymentHasNoRulesBefore(t *testing.T) {
	t.Parallel()
	edit := operation.Edit{Target: operation.PlacementOf(cities), Base: parsed(t, `{"placementPolicy":[]}`), Edited: parsed(t, twice), Nodes: poolNodes("gis")}
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
		if d, err := operation.PolicyOnto(parsed(t, c.base), []byte(c.text)); err == nil || d != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s onto %s: %v", c.text, c.base, err)
		}
	}
}

func TestOnlyAWholePolicyIsSent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{onPool("gis"): "placementPolicy is missing", `{"a":1}`: "ot a placement policy"} {
		edit := operation.Edit{Target: operation.PlacementOf(cities), Base: parsed(t, twice), Edited: parsed(t, text)}
		if err := edit.Sendable(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAMoveHasTheNodesBeforeAndAfter(t *testing.T) {
	t.Parallel()
	base := parsed(t, `{"placementPolicy":[{"deploymentId":"a","podPlacementPolicy":`+onPool("gis")+`}]}`)
	edited, err := operation.PolicyOnto(base, []byte(onPool("spot")))
	if err != nil {
		t.Fatal(err)
	}
	edit := operation.Edit{Target: operation.PlacementOf(cities), Base: base, Edited: edited, Nodes: poolNodes("gis", "spot", "spot")}
	if moves := edit.Moves(); len(moves) != 1 || moves[0].From.Taking != 1 || moves[0].To.Taking != 2 {
		t.Errorf("%+v", moves)
	}
}

// A site may answer an edit of the rules with success and do something else: only what
// is read back afterwards tells.
func TestRulesThatTheSiteDoesNotStoreAreAnError(t *testing.T) {
	t.Parallel()
	for name, instead := range map[string]string{"something else": onPool("gpu"), "the old rules": ""} {
		t.Run(name, func(t *testing.T) {
			p := editing(t, "healthy")
			edit := p.replacing(t, onPool("spot"))
			kept := edit.Base
			if instead != "" {
				kept = p.replacing(t, instead).Edited
			}
			p.intercept(func(_ http.ResponseWriter, r *http.Request, pass func()) {
				if strings.HasSuffix(r.URL.Path, "/placementPolicy/edit") {
					takesInstead(t, r, kept.Text())
				}
				pass()
			})
			applied, outcome, err := apart(p.ApplyEdit(t.Context(), edit, nil))
			missing, ok := errors.AsType[*operation.NotStoredError](err)
			if !ok || outcome != adminapi.OutcomeDone {
				t.Fatalf("%v, %v", outcome, err)
			}
			want := document.Diff(edit.Edited, kept)
			if len(missing.Changes) != len(want) || missing.Changes[0].Path != want[0].Path {
				t.Errorf("changes %+v, want %+v", missing.Changes, want)
			}
			if applied.Now.Text() != kept.Text() || p.policy(t).Text() != kept.Text() {
				t.Errorf("it is said to have %s", applied.Now.Text())
			}
			p.wantSent(t, "POST edit", 1)
		})
	}
}

// takesInstead puts another policy in place of the one that was sent.
func takesInstead(t *testing.T, r *http.Request, policy string) {
	if err := r.ParseForm(); err != nil {
		t.Error(err)
	}
	r.PostForm.Set("servicePlacementPolicy", policy)
	body := r.PostForm.Encode()
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
}

func TestRulesThatCannotBeReadBackAreNotReportedAsStored(t *testing.T) {
	t.Parallel()
	p := editing(t, "healthy")
	edit := p.replacing(t, onPool("spot"))
	sent := false
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/placementPolicy") && sent {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		sent = sent || strings.HasSuffix(r.URL.Path, "/placementPolicy/edit")
		pass()
	})
	applied, outcome, err := apart(p.ApplyEdit(t.Context(), edit, nil))
	if err != nil || outcome != adminapi.OutcomeDone || applied.Now != nil || applied.ReadBackErr == nil {
		t.Errorf("%v, %v, read back as %v because of %v", outcome, err, applied.Now, applied.ReadBackErr)
	}
	p.wantSent(t, "POST edit", 1)
}
