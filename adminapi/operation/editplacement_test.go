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
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/placement"
)

func parsed(t *testing.T, text string) *document.Document {
	t.Helper()
	d, err := document.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func poolNodes(pools ...string) (nodes []placement.Node) {
	for i, pool := range pools {
		nodes = append(nodes, placement.Node{Name: "n" + string(rune('a'+i)), Labels: map[string]string{"pool": pool}, Ready: placement.Ready})
	}
	return nodes
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

func TestAnEditThatLeavesNoNodeNeedsAConfirmation(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	edit := p.replacing(t, onPool("moon"))
	if err := edit.Sendable(); err != nil || len(edit.Unschedulable()) > 0 {
		t.Errorf("without nodes nobody knows: %v", err)
	}
	edit.Nodes = poolNodes("gis", "spot")
	none, ok := errors.AsType[*editing.NoNodeError](edit.Sendable())
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
		none, ok := errors.AsType[*editing.NoNodeError](edit.Sendable())
		plan := edit.Plan()
		if !ok || none.Nodes != 0 || plan.Risks[0].ID != editing.NoNode || plan.Risks[0].Strength != finding.Danger {
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
	for pool, want := range map[string]string{"moon": editing.NoNode, "spot": editing.OneNode} {
		edit := p.replacing(t, onPool(pool))
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
	p := editingSite(t, "healthy")
	edit := p.replacing(t, strings.Replace(onPool("spot"), `"In"`, `"Is"`, 1))
	blocked, ok := errors.AsType[*editing.BlockedError](edit.Sendable())
	if !ok || len(blocked.Findings) == 0 || blocked.Findings[0].At.Line == 0 {
		t.Fatalf("%v", edit.Sendable())
	}
	p.wantSent(t, "POST edit", 0)
	edit.Base = edit.Edited // what the site has itself does not block
	if blocked := edit.Blocked(); blocked != nil {
		t.Error(blocked)
	}
	if err := edit.Sendable(); !errors.Is(err, editing.ErrNothingChanged) {
		t.Error(err)
	}
}

func TestAPolicyIsSentOnceReadBackAndBackedUp(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"healthy", "placement-async", "placement-async-other"} {
		p := editingSite(t, scenario)
		edit := p.replacing(t, onPool("spot"))
		if _, err := p.Memory.SaveEditDraft(edit.Target, operation.EditDraft{}); err != nil {
			t.Fatal(err)
		}
		if kept, err := p.Memory.SavedEdits(editing.DefinitionOf(cities)); len(kept) > 0 || err != nil {
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
		if other, err := p.Memory.History(editing.DefinitionOf(cities)); err != nil || len(other) > 0 {
			t.Errorf("%s: the history of the definition has %v, %v", scenario, other, err)
		}
	}
}

func TestAPolicyThatWasChangedMeanwhileIsNotOverwritten(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	mine, theirs := p.replacing(t, onPool("spot")), p.replacing(t, onPool("gpu"))
	if _, _, err := apart(p.ApplyEdit(t.Context(), theirs, nil)); err != nil {
		t.Fatal(err)
	}
	_, outcome, err := apart(p.ApplyEdit(t.Context(), mine, nil))
	if drift, ok := errors.AsType[*editing.DriftError](err); !ok || outcome != adminapi.OutcomeNotSent || drift.Part != editing.Placement {
		t.Errorf("%v, %v", outcome, err)
	}
	p.wantSent(t, "POST edit", 1)
}

func TestAPolicyThatSomebodyElseChangesBetweenReviewAndSendingIsNotOverwritten(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "placement-elses")
	edit := p.replacing(t, onPool("spot"))
	_, outcome, err := apart(p.ApplyEdit(t.Context(), edit, nil))
	drift, ok := errors.AsType[*editing.DriftError](err)
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
		p := editingSite(t, scenario)
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
		p := editingSite(t, scenario)
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
	p := editingSite(t, "placement-odd")
	base := p.policy(t)
	policy, err := placement.Parse(base.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	policy, err = policy.AddToleration(placement.AtToleration(0, 0), placement.Toleration{Key: "k", Operator: placement.Exists})
	if err != nil {
		t.Fatal(err)
	}
	edited, err := editing.PolicyOnto(base, policy.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	edit := editing.Edit{Target: editing.PlacementOf(cities), Base: base, Edited: edited}
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

// A site may answer an edit of the rules with success and do something else: only what
// is read back afterwards tells.
func TestRulesThatTheSiteDoesNotStoreAreAnError(t *testing.T) {
	t.Parallel()
	for name, instead := range map[string]string{"something else": onPool("gpu"), "the old rules": ""} {
		t.Run(name, func(t *testing.T) {
			p := editingSite(t, "healthy")
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
			missing, ok := errors.AsType[*editing.NotStoredError](err)
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

func TestRulesThatCannotBeReadBackAreNotReportedAsStored(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
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
