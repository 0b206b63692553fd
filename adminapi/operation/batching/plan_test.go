package batching_test

import (
	"errors"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

func TestRulesAreChangedInSeveralServicesAndSharedPodsOnce(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	folder, err := p.Client.Services.Folder(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	services := append([]adminapi.ServiceRef{operationtest.Cities}, folder.Services...)
	read, err := editing.Read(t.Context(), p.Client, editing.PlacementOf(operationtest.Cities))
	if err != nil {
		t.Fatal(err)
	}
	edited := operationtest.Parsed(t, strings.ReplaceAll(read.Document.Text(), `"gis"`, `"spot"`))
	edit := editing.Edit{Target: read.Target, Base: read.Document, Edited: edited}
	planned := batching.PlanMany(t.Context(), p.Site, services, edit, nil)
	shared, send := 0, 0
	deployments := map[string]bool{}
	for _, e := range planned {
		switch {
		case e.Service.Type != operationtest.Cities.Type:
			if e.Refused == nil || !strings.Contains(e.Refused.Error(), "no MapServer deployment") {
				t.Errorf("%s: %v", e.Service.Path(), e.Refused)
			}
		case e.Refused != nil:
			t.Errorf("%s: %v", e.Service.Path(), e.Refused)
		case e.With != "":
			shared++
		case !e.Unchanged():
			send++
			if !strings.Contains(e.Edited.Text(), `"spot"`) || strings.Contains(e.Edited.Text(), `"gis"`) {
				t.Errorf("%s gets %s", e.Service.Path(), e.Edited.Text())
			}
			for _, move := range e.Plan.Moves {
				if deployments[move.After.DeploymentID] {
					t.Errorf("%s would be changed twice", move.After.DeploymentID)
				}
				deployments[move.After.DeploymentID] = true
			}
		}
	}
	if shared == 0 || send < 2 {
		t.Fatalf("%d share their pods, %d are sent", shared, send)
	}
	planned = append(planned[:1:1], planned[len(planned)-4:]...)
	send = 0
	for _, e := range planned {
		if e.Refused == nil && !e.Unchanged() {
			send++
		}
	}
	reported := 0
	results := batching.Apply(t.Context(), p.Site, planned, true, nil, func(service adminapi.ServiceRef, now operation.EditProgress) {
		if now.Step == operation.StepEnded {
			reported++
			p.WantSent(t, "POST edit", reported)
			if now.Ended.Service.Path() != service.Path() || !now.Ended.Done() {
				t.Errorf("%s is reported as %+v", service.Path(), now.Ended)
			}
		}
	})
	if reported != len(results) {
		t.Errorf("%d of %d results were reported", reported, len(results))
	}
	for _, r := range results {
		if r.Outcome != adminapi.OutcomeDone || r.Err != nil {
			t.Errorf("%s: %v, %v", r.Service.Path(), r.Outcome, r.Err)
		}
	}
	p.WantSent(t, "POST edit", send)
	again := batching.PlanMany(t.Context(), p.Site, services[:1], edit, nil)
	if !again[0].Unchanged() {
		t.Errorf("the change is not there: %+v", again[0].Plan.Changes)
	}
	more, err := read.Document.Add("placementPolicy[0].podPlacementPolicy", "podAntiAffinity", "{}", -1)
	if err != nil {
		t.Fatal(err)
	}
	edit.Edited = more
	before := p.Requests()
	for _, e := range batching.PlanMany(t.Context(), p.Site, services, edit, nil) {
		if _, own := errors.AsType[*editing.OneServiceError](e.Refused); !own || p.Requests() > before {
			t.Errorf("%s: %v after %d requests", e.Service.Path(), e.Refused, p.Requests()-before)
		}
	}
}

// Pods of a deployment that two services share are replaced once. What is not changed by that is not called changed.
func TestAnEditIsLeftToAnotherOnlyWhereThatChangesAllOfIt(t *testing.T) {
	t.Parallel()
	const was, is = `{"tolerations":[]}`, `{"tolerations":[{"key":"k","operator":"Exists"}]}`
	edit := func(name string, ids ...string) batching.PlannedEdit {
		text := `{"placementPolicy":[`
		for i, id := range ids {
			if i > 0 {
				text += ","
			}
			text += `{"deploymentType":"T","deploymentId":"` + id + `","podPlacementPolicy":` + was + `}`
		}
		text += "]}"
		e := editing.Edit{Target: editing.PlacementOf(adminapi.ServiceRef{Name: name, Type: "MapServer"}), Base: operationtest.Parsed(t, text),
			Edited: operationtest.Parsed(t, strings.ReplaceAll(text, was, is))}
		return batching.PlannedEdit{Edit: e, Plan: e.Plan()}
	}
	edits := []batching.PlannedEdit{edit("First", "a", "b"), edit("Same", "b", "a"), edit("Part", "c", "a"), edit("Own", "c"), edit("NoID", ""), edit("NoIDEither", "")}
	batching.Share(edits)
	for i, want := range []string{"sent", "with First.MapServer", "refused", "sent", "sent", "sent"} {
		got := "sent"
		switch e := edits[i]; {
		case e.Refused != nil:
			got = "refused"
			if !strings.Contains(e.Refused.Error(), "shares one of its deployments with First.MapServer") {
				t.Error(e.Refused)
			}
		case e.Unchanged():
			got = "with " + e.With
		}
		if got != want {
			t.Errorf("%s is %s, want %s", edits[i].Service.Path(), got, want)
		}
	}
}
