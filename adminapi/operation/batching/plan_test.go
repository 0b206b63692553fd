package batching_test

import (
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
	results := batching.Apply(t.Context(), p.Site, planned, true, func(service adminapi.ServiceRef, now operation.EditProgress) {
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
}

func TestRulesThatHaveNoPlaceInAServiceAreRefused(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	gp := `{"placementPolicy":[{"deploymentType":"GPServer","deploymentId":"x","podPlacementPolicy":{"tolerations":[]}}` +
		`,{"deploymentType":"GPSyncServer","deploymentId":"y","podPlacementPolicy":{"tolerations":[]}}]}`
	tolerated := `"tolerations":[{"key":"k","operator":"Exists"}]`
	for name, c := range map[string]struct{ edited, want string }{
		"one, onto the only one": {strings.Replace(gp, `"tolerations":[]`, tolerated, 1), ""},
		"both onto the only one": {strings.ReplaceAll(gp, `"tolerations":[]`, tolerated), "rules of two"},
		"nothing":                {gp, "no rules of a deployment"},
		"other rules as well":    {strings.Replace(gp, `"tolerations":[]`, tolerated+`,"podAntiAffinity":{"required":[{"topologyKey":"zone"}]}`, 1), "also changes podAntiAffinity; send it"},
		"other rules":            {strings.Replace(gp, `"tolerations":[]`, `"tolerations":[],"podAntiAffinity":{}`, 1), "also changes podAntiAffinity"},
		"a deployment less":      {strings.Replace(gp[:strings.Index(gp, ",{\"deploymentType")]+"]}", `"tolerations":[]`, tolerated, 1), "also changes y; send it"},
		"beside the rules":       {strings.Replace(strings.Replace(gp, `"tolerations":[]`, tolerated, 1), "{", `{"mode":1,`, 1), "also changes mode"},
		"a deployment":           {strings.Replace(gp, "}}]}", `}},{"deploymentId":"z"}]}`, 1), "adds a deployment"},
	} {
		edit := editing.Edit{Target: editing.PlacementOf(operationtest.Cities), Base: operationtest.Parsed(t, gp), Edited: operationtest.Parsed(t, c.edited)}
		e := batching.PlanMany(t.Context(), p.Site, []adminapi.ServiceRef{operationtest.Cities}, edit, nil)[0]
		switch {
		case c.want == "" && (e.Refused != nil || !strings.Contains(e.Edited.Text(), `"key": "k"`) && !strings.Contains(e.Edited.Text(), `"key":"k"`)):
			t.Errorf("%s: %v", name, e.Refused)
		case c.want != "" && (e.Refused == nil || !strings.Contains(e.Refused.Error(), c.want)):
			t.Errorf("%s: %v", name, e.Refused)
		}
	}
}
