package batching_test

import (
	"errors"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
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
	if one := batching.PlanMany(t.Context(), p.Site, services[:1], edit, nil); one[0].Why != "" || planned[0].Why != "an edit of several services" {
		t.Errorf("of one service the record would say %q, of several %q", one[0].Why, planned[0].Why)
	}
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
	refused := edit("Refused", "a", "b")
	refused.Refused = errors.New("it is not sent")
	edits := []batching.PlannedEdit{refused, edit("First", "a", "b"), edit("Same", "b", "a"), edit("Part", "c", "a"), edit("Own", "c"), edit("NoID", ""), edit("NoIDEither", "")}
	batching.Share(edits)
	for i, want := range []string{"sent", "with First.MapServer", "refused", "sent", "sent", "sent"} {
		got := "sent"
		switch e := edits[i+1]; {
		case e.Refused != nil:
			got = "refused"
			if !strings.Contains(e.Refused.Error(), "shares one of its deployments with First.MapServer") {
				t.Error(e.Refused)
			}
		case e.Unchanged():
			got = "with " + e.With
		}
		if got != want {
			t.Errorf("%s is %s, want %s", edits[i+1].Service.Path(), got, want)
		}
	}
}

// A change that a service cannot take is refused, which is not that it has it already.
func TestAServiceThatCannotTakeTheChangeIsNotCalledUnchanged(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	utilities, err := p.Client.Services.Folder(t.Context(), "Utilities")
	if err != nil {
		t.Fatal(err)
	}
	services := []adminapi.ServiceRef{{Name: "None", Type: "MapServer"}, operationtest.Cities, utilities.Services[0], utilities.Services[1]}
	planned := batching.PlanEach(t.Context(), p.Site, services, editing.Definition, nil, func(service adminapi.ServiceRef, d *document.Document) (*document.Document, error) {
		switch service.Path() {
		case operationtest.Cities.Path():
			return d.SetValue("minInstancesPerNode", "50")
		case services[3].Path():
			return d, nil
		}
		return d.SetValue(operationtest.Idle, "907")
	})
	if !errors.Is(planned[0].Refused, adminapi.KindNotFound) || !errors.As(planned[1].Refused, new(*editing.BlockedError)) {
		t.Errorf("refused are %v, %v", planned[0].Refused, planned[1].Refused)
	}
	for i, unchanged := range []bool{false, false, false, true} {
		if planned[i].Unchanged() != unchanged {
			t.Errorf("%s: unchanged is not %v", services[i].Path(), unchanged)
		}
	}
	if send := batching.ToSend(planned); len(send) != 1 || send[0].Service.Path() != services[2].Path() || send[0].Why != "an edit of several services" {
		t.Errorf("it sends %+v", send)
	}
	if text := batching.SentBefore(planned); text != "" {
		t.Errorf("it says %q", text)
	}
	done := []int{}
	if batching.PlanMany(t.Context(), p.Site, services[2:], p.Edit(t, operationtest.Idle, "907"), func(n int) { done = append(done, n) }); len(done) != 2 || done[1] != 2 {
		t.Errorf("it reports %v", done)
	}
}

func TestServicesThatDoNotRunBeforeAnEditAreNamedWhereThatIsKnown(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edits := several(t, p, 4)
	edits[3].Refused = errors.New("it is not sent")
	states := map[string][2]string{edits[3].Service.Path(): {"STARTED", "STOPPED"}}
	for i, s := range [][2]string{{"STARTED", "STARTED"}, {"STARTED", "STOPPED"}, {"", ""}} {
		states[edits[i].Service.Path()] = s
	}
	state := func(service adminapi.ServiceRef) availability.State {
		s := states[service.Path()]
		return availability.State{ServiceStatus: adminapi.ServiceStatus{Configured: s[0], RealTime: s[1]}}
	}
	want := "not running before the edit: " + edits[1].Service.Path() + " (stopped, should run)"
	if got := batching.NotRunning(edits, state); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	states[edits[1].Service.Path()] = [2]string{"STOPPED", "STOPPED"}
	if got := batching.NotRunning(edits, state); got != "not running before the edit: "+edits[1].Service.Path()+" (stopped)" {
		t.Errorf("of one that should not run it says %q", got)
	}
	states[edits[1].Service.Path()] = [2]string{"STOPPED", "STARTED"}
	if got := batching.NotRunning(edits, state); !strings.Contains(got, "(runs, should not)") {
		t.Errorf("of one that stops it says %q", got)
	}
	if got := batching.NotRunning(edits[:1], state); got != "" {
		t.Errorf("of one that runs it says %q", got)
	}
}
