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
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/placement"
)

// takesInstead puts another policy in place of the one that was sent.
func takesInstead(t *testing.T, r *http.Request, policy string) {
	if err := r.ParseForm(); err != nil {
		t.Error(err)
	}
	r.PostForm.Set("servicePlacementPolicy", policy)
	body := r.PostForm.Encode()
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
}

func TestAPolicyIsSentOnceReadBackAndBackedUp(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"healthy", "placement-async", "placement-async-other"} {
		p := operationtest.WithJournal(t, scenario)
		edit := p.Replacing(t, operationtest.OnPool("spot"))
		if _, err := p.Memory.SaveEditDraft(edit.Target, operation.EditDraft{}); err != nil {
			t.Fatal(err)
		}
		if kept, err := p.Memory.SavedEdits(editing.DefinitionOf(operationtest.Cities)); len(kept) > 0 || err != nil {
			t.Errorf("%s: a draft of the policy is one of the definition: %v", scenario, err)
		}
		applied, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
		if err != nil || outcome != adminapi.OutcomeDone || applied.Now.Text() != edit.Edited.Text() || p.Policy(t).Text() != edit.Edited.Text() {
			t.Fatalf("%s: %v, %v", scenario, outcome, err)
		}
		p.WantSent(t, "POST edit", 1)
		history, err := p.Memory.History(edit.Target)
		if err != nil || len(history) == 0 {
			t.Fatal(scenario, history, err)
		}
		old, err := p.Memory.ReadBackup(edit.Target, history[len(history)-1].ID)
		if err != nil || old.Text() != edit.Base.Text() {
			t.Errorf("%s: the backup is not what there was: %v", scenario, err)
		}
		if other, err := p.Memory.History(editing.DefinitionOf(operationtest.Cities)); err != nil || len(other) > 0 {
			t.Errorf("%s: the history of the definition has %v, %v", scenario, other, err)
		}
	}
}

func TestAPolicyThatWasChangedMeanwhileIsNotOverwritten(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	mine, theirs := p.Replacing(t, operationtest.OnPool("spot")), p.Replacing(t, operationtest.OnPool("gpu"))
	if _, _, err := operationtest.Apart(p.ApplyEdit(t.Context(), theirs, nil)); err != nil {
		t.Fatal(err)
	}
	_, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), mine, nil))
	if drift, ok := errors.AsType[*editing.DriftError](err); !ok || outcome != adminapi.OutcomeNotSent || drift.Part != editing.Placement {
		t.Errorf("%v, %v", outcome, err)
	}
	p.WantSent(t, "POST edit", 1)
}

func TestAPolicyThatSomebodyElseChangesBetweenReviewAndSendingIsNotOverwritten(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "placement-elses")
	edit := p.Replacing(t, operationtest.OnPool("spot"))
	_, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
	drift, ok := errors.AsType[*editing.DriftError](err)
	if !ok || outcome != adminapi.OutcomeNotSent || len(drift.Changes) != 1 {
		t.Fatalf("%v, %v", outcome, err)
	}
	p.WantSent(t, "POST edit", 0)
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
		p := operationtest.WithJournal(t, scenario)
		edit := p.Replacing(t, operationtest.OnPool("spot"))
		if _, _, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil)); !errors.Is(err, want) || p.Policy(t).Text() != edit.Base.Text() {
			t.Errorf("%s: %v", scenario, err)
		}
		p.WantSent(t, "POST edit", 1)
	}
}

func TestTheOutcomeOfALostPolicyIsFound(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]string{
		"placement-answer-lost": "done", "placement-answer-lost-not-performed": "unchanged",
	} {
		p := operationtest.WithJournal(t, scenario)
		edit := p.Replacing(t, operationtest.OnPool("spot"))
		if _, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil)); outcome != adminapi.OutcomeUnknown || err == nil {
			t.Fatalf("%s: %v, %v", scenario, outcome, err)
		}
		p.Clock.Advance(time.Hour)
		if found, err := settleEdit(t.Context(), p, p.SearchEdit(edit, "", nil)); err != nil && want == "done" || seenAs(found) != want {
			t.Errorf("%s: %v, %v", scenario, seenAs(found), err)
		}
		p.WantSent(t, "POST edit", 1)
	}
}

func TestUnknownKeysOfAPolicySurviveAnEdit(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "placement-odd")
	base := p.Policy(t)
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
	edit := editing.Edit{Target: editing.PlacementOf(operationtest.Cities), Base: base, Edited: edited}
	applied, _, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
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
	for name, instead := range map[string]string{"something else": operationtest.OnPool("gpu"), "the old rules": ""} {
		t.Run(name, func(t *testing.T) {
			p := operationtest.WithJournal(t, "healthy")
			edit := p.Replacing(t, operationtest.OnPool("spot"))
			kept := edit.Base
			if instead != "" {
				kept = p.Replacing(t, instead).Edited
			}
			p.Intercept(func(_ http.ResponseWriter, r *http.Request, pass func()) {
				if strings.HasSuffix(r.URL.Path, "/placementPolicy/edit") {
					takesInstead(t, r, kept.Text())
				}
				pass()
			})
			applied, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
			missing, ok := errors.AsType[*editing.NotStoredError](err)
			if !ok || outcome != adminapi.OutcomeDone {
				t.Fatalf("%v, %v", outcome, err)
			}
			want := document.Diff(edit.Edited, kept)
			if len(missing.Changes) != len(want) || missing.Changes[0].Path != want[0].Path {
				t.Errorf("changes %+v, want %+v", missing.Changes, want)
			}
			if applied.Now.Text() != kept.Text() || p.Policy(t).Text() != kept.Text() {
				t.Errorf("it is said to have %s", applied.Now.Text())
			}
			p.WantSent(t, "POST edit", 1)
		})
	}
}

func TestRulesThatCannotBeReadBackAreNotReportedAsStored(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Replacing(t, operationtest.OnPool("spot"))
	sent := false
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/placementPolicy") && sent {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		sent = sent || strings.HasSuffix(r.URL.Path, "/placementPolicy/edit")
		pass()
	})
	applied, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
	if err != nil || outcome != adminapi.OutcomeDone || applied.Now != nil || applied.ReadBackErr == nil {
		t.Errorf("%v, %v, read back as %v because of %v", outcome, err, applied.Now, applied.ReadBackErr)
	}
	p.WantSent(t, "POST edit", 1)
}
