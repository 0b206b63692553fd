package operation_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

func TestALostAnswerIsFoundOutByReading(t *testing.T) {
	for _, scenario := range []string{"edit-answer-lost", "edit-answer-lost-502", "edit-answer-cut"} {
		p := editing(t, scenario)
		edit := p.edit(t, idle, "900")
		_, outcome, err := p.ApplyDefinition(t.Context(), edit, nil)
		if outcome != adminapi.OutcomeUnknown || err == nil {
			t.Fatalf("%s: %v, %v", scenario, outcome, err)
		}
		found, err := p.SettleDefinition(t.Context(), edit, nil)
		if err != nil || found.Finding != operation.EditArrived || found.Now.Text() != edit.Edited.Text() {
			t.Errorf("%s: %v, %v", scenario, found.Finding, err)
		}
		p.sentEdits(t, 1)
	}
}

func TestAnEditThatDidNotArriveIsNotTakenForDone(t *testing.T) {
	p := editing(t, "edit-answer-lost-not-performed")
	edit := p.edit(t, idle, "900")
	if _, outcome, _ := p.ApplyDefinition(t.Context(), edit, nil); outcome != adminapi.OutcomeUnknown {
		t.Fatal(outcome)
	}
	began := p.clock.Now()
	found, err := p.SettleDefinition(t.Context(), edit, nil)
	if !errors.Is(err, operation.ErrOutcomeUnknown) || found.Finding != operation.EditNotArrived {
		t.Errorf("%v, %v", found.Finding, err)
	}
	if looked := p.clock.Now().Sub(began); looked < 30e9 {
		t.Errorf("given up after %s", looked)
	}
	p.sentEdits(t, 1)
}

func TestALostAnswerAndADefinitionOfSomebodyElseStaysUnknown(t *testing.T) {
	p := editing(t, "edit-answer-lost-not-performed")
	edit := p.edit(t, idle, "900")
	if _, outcome, _ := p.ApplyDefinition(t.Context(), edit, nil); outcome != adminapi.OutcomeUnknown {
		t.Fatal(outcome)
	}
	elses := p.edit(t, "maxWaitTime", "61")
	if _, _, err := p.ApplyDefinition(t.Context(), elses, nil); err != nil {
		t.Fatal(err)
	}
	found, err := p.SettleDefinition(t.Context(), edit, nil)
	if !errors.Is(err, operation.ErrOutcomeUnknown) || found.Finding != operation.EditPartly {
		t.Errorf("%v, %v", found.Finding, err)
	}
}

func TestAnEditOfTheSameNameInAnotherFolderIsAnotherOne(t *testing.T) {
	p := editing(t, "healthy")
	edit := p.edit(t, idle, "900")
	for operationURI, want := range map[string]operation.EditFinding{
		"/geodeck/admin/services/Other/SampleWorldCities.MapServer/edit": operation.EditNotArrived,
		"/geodeck/admin/services/SampleWorldCities.MapServer/stop":       operation.EditNotArrived,
		"/geodeck/admin/services/SampleWorldCities%2EMapServer/edit":     operation.EditGoesOn,
	} {
		p.spoilWith(func(w http.ResponseWriter, r *http.Request, pass func()) {
			body := ""
			switch {
			case strings.HasSuffix(r.URL.Path, "/jobs"):
				body = `{"jobs":["j1"]}`
			case strings.HasSuffix(r.URL.Path, "/jobs/j1"):
				body = `{"jobid":"j1","status":"EXECUTING","operationURI":"` + operationURI + `"}`
			default:
				pass()
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body))
		})
		if found, err := p.FindDefinition(t.Context(), edit); err != nil || found.Finding != want {
			t.Errorf("%s: %v, %v", operationURI, found.Finding, err)
		}
	}
}

func TestAFailureToLookIsNoFinding(t *testing.T) {
	p := editing(t, "healthy")
	edit := p.edit(t, idle, "900")
	p.spoilWith(func(w http.ResponseWriter, _ *http.Request, _ func()) { hangUp(w) })
	found, err := p.SettleDefinition(t.Context(), edit, nil)
	if !errors.Is(err, operation.ErrOutcomeUnknown) || !errors.Is(err, adminapi.KindUnreachable) || found.Finding != operation.EditNotTold {
		t.Errorf("%v, %v", found.Finding, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.SettleDefinition(ctx, edit, nil); err == nil {
		t.Error("an end of the patience is taken for an answer")
	}
}
