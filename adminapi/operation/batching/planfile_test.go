package batching_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/placement"
)

// written writes the plan of an edit of this site into a file.
func written(t *testing.T, p *operationtest.Platform, edit editing.Edit) string {
	t.Helper()
	path, err := batching.WritePlan(p.Site, filepath.Join(t.TempDir(), "plan.json"), []batching.PlannedEdit{{Edit: edit, Plan: edit.Plan()}})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// again reads a plan and plans it against this site.
func again(t *testing.T, p *operationtest.Platform, path string) batching.PlannedEdit {
	t.Helper()
	plan, err := batching.ReadPlanFile(path)
	if err != nil {
		t.Fatal(err)
	}
	planned, err := batching.PlanAgain(t.Context(), p.Site, plan, nil, editing.Accepted{})
	if err != nil || len(planned) != 1 {
		t.Fatal(planned, err)
	}
	return planned[0]
}

func TestAPlanIsSentAsItWasWrittenAndOnlyOnce(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "901")
	edit.Edited = operationtest.Parsed(t, strings.Replace(edit.Edited.Text(), `"maxRecordCount":4000`, `"password":"hunter2"`, 1))
	edit.Accepted = editing.AcceptedOf(edit.Plan().Found(), finding.Finding.Open)
	path := written(t, p, edit)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	planned := again(t, p, path)
	if planned.Refused != nil || planned.Edited.Text() != edit.Edited.Text() || planned.Base.Text() != edit.Base.Text() {
		t.Fatalf("%v: it would send\n%s", planned.Refused, planned.Edited.Text())
	}
	if _, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), planned.Edit, nil)); err != nil || outcome != adminapi.OutcomeDone {
		t.Fatal(outcome, err)
	}
	if p.Definition(t).Text() != edit.Edited.Text() {
		t.Error("the site has something else than the plan")
	}
	if planned = again(t, p, path); !planned.Unchanged() {
		t.Errorf("a second time it would send %v, refused: %v", planned.Plan.Changes, planned.Refused)
	}
	p.WantSent(t, "POST edit", 1)
}

func TestAPlanIsRefusedWhereTheSiteHasAnotherDefinition(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	path := written(t, p, p.Edit(t, operationtest.Idle, "901"))
	if _, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), p.Edit(t, "properties.maxRecordCount", "7"), nil)); err != nil || outcome != adminapi.OutcomeDone {
		t.Fatal(outcome, err)
	}
	planned := again(t, p, path)
	if drift, is := errors.AsType[*editing.DriftError](planned.Refused); !is || drift.Changes[0].Path != "properties.maxRecordCount" || drift.Theirs.Text() != p.Definition(t).Text() {
		t.Errorf("%v", planned.Refused)
	}
	if planned.Service.Path() != operationtest.Cities.Path() {
		t.Errorf("it is said of %v", planned.Service)
	}
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) {
		_, _ = w.Write([]byte(`{"error":{"code":500,"message":"Failed.","details":[]}}`))
	})
	if planned := again(t, p, path); !errors.Is(planned.Refused, adminapi.KindServer) || planned.Service.Path() != operationtest.Cities.Path() {
		t.Errorf("where it cannot be read: %v of %v", planned.Refused, planned.Service)
	}
}

// The history of what a plan sends says why, and the plan when it was made.
func TestAPlanSaysWhyAndWhenItWasMade(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit, made := p.Edit(t, operationtest.Idle, "901"), p.Clock.Now()
	edit.Why = "ticket 4711"
	path := written(t, p, edit)
	p.Clock.Advance(time.Hour)
	plan, err := batching.ReadPlanFile(path)
	if err != nil || !plan.Made.Equal(made) || len(plan.Edits) != 1 || plan.Edits[0].Why != edit.Why {
		t.Fatalf("%+v, %v", plan, err)
	}
	applied, result := p.ApplyEdit(t.Context(), again(t, p, path).Edit, nil)
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(applied, result)
	if applied.Backup.Why != "before "+edit.Why {
		t.Errorf("the history says %q", applied.Backup.Why)
	}
}

func TestAPlanIsRefusedAtAnotherSite(t *testing.T) {
	t.Parallel()
	p, other := operationtest.WithJournal(t, "healthy"), operationtest.WithJournal(t, "healthy")
	plan, err := batching.ReadPlanFile(written(t, p, p.Edit(t, operationtest.Idle, "901")))
	if err != nil {
		t.Fatal(err)
	}
	_, err = batching.PlanAgain(t.Context(), other.Site, plan, nil, editing.Accepted{})
	if bad, is := errors.AsType[*batching.PlanFileError](err); !is || bad.NoPlan || !strings.Contains(bad.Why, "the plan is for ") {
		t.Errorf("%v", err)
	}
}

func TestAPlanOfNothingIsEmpty(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	same := p.Edit(t, operationtest.Idle, p.Definition(t).Text())
	same.Edited = same.Base
	path, err := batching.WritePlan(p.Site, filepath.Join(t.TempDir(), "plan.json"), []batching.PlannedEdit{{Edit: same, Plan: same.Plan()}})
	if err != nil {
		t.Fatal(err)
	}
	if plan, err := batching.ReadPlanFile(path); err != nil || len(plan.Edits) > 0 {
		t.Errorf("%v, %v", plan.Edits, err)
	}
}

// sealed changes places of the file of a plan, gives it the checksum of what it then holds, and writes it anew.
func sealed(t *testing.T, path string, places map[document.Path]string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	plan := operationtest.Parsed(t, string(content))
	for place, raw := range places {
		if _, there := plan.Find(place); there {
			plan, err = plan.SetValue(place, raw)
		} else {
			last, _ := place.Last()
			plan, err = plan.Add(place.Parent(), last.Key, raw, -1)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if plan, err = plan.SetValue("sha256", `""`); err != nil {
		t.Fatal(err)
	}
	text := jsontext.Value(plan.Text())
	if err := text.Compact(); err != nil {
		t.Fatal(err)
	}
	if plan, err = plan.SetValue("sha256", document.Quote(operation.SumOf(string(text)))); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "sealed.json")
	if err := os.WriteFile(path, plan.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The checksum says that nobody has changed a plan, not that it can be sent.
func TestAPlanWhoseChecksumFitsIsStillReadWithCare(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "901")
	path := written(t, p, edit)
	if _, err := batching.ReadPlanFile(sealed(t, path, map[document.Path]string{"made": `"2026-11-20T21:00:00Z"`})); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		places map[document.Path]string
		want   string
	}{
		"a part that this version does not know": {map[document.Path]string{"part": `"extension"`}, "names what cannot be changed"},
		"no service":                             {map[document.Path]string{"edits[0].service": `"Roads"`}, "the plan of Roads cannot be read"},
		"a base that is no JSON":                 {map[document.Path]string{"edits[0].base": `"x"`, "edits[0].baseSha256": document.Quote(operation.SumOf("x"))}, "cannot be read"},
		"nothing to send":                        {map[document.Path]string{"edits[0].send": `""`}, "cannot be read"},
		"another base":                           {map[document.Path]string{"edits[0].base": document.Quote(edit.Edited.Text())}, "cannot be read"},
	} {
		plan, err := batching.ReadPlanFile(sealed(t, path, c.places))
		if bad, is := errors.AsType[*batching.PlanFileError](err); !is || bad.NoPlan || !strings.Contains(bad.Why, c.want) || len(plan.Edits) > 0 {
			t.Errorf("%s: %v, %+v", name, err, plan.Edits)
		}
	}
}

// Rules that no node took when they were saved are not sent because the nodes are not known now.
func TestAPlanThatNoNodeTookIsNotSentUnlessThatIsAccepted(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Replacing(t, operationtest.OnPool("moon"))
	known := []placement.Node{{Name: "a", Labels: map[string]string{"pool": "gis"}, Ready: placement.Ready}}
	later := []placement.Node{{Name: "a", Labels: map[string]string{"pool": "moon"}, Ready: placement.Ready}, {Name: "b", Labels: map[string]string{"pool": "moon"}, Ready: placement.Ready}}
	unknown := written(t, p, edit)
	edit.Nodes = known
	path := written(t, p, edit)
	older := sealed(t, unknown, map[document.Path]string{"edits[0].allowNone": "true"})
	for name, c := range map[string]struct {
		path     string
		nodes    []placement.Node
		accepted []string
		open     bool
	}{
		"the nodes are not known now":              {path, nil, nil, true},
		"and it is accepted":                       {path, nil, []string{"no-node"}, false},
		"still none takes them":                    {path, known, nil, true},
		"by now some do":                           {path, later, nil, false},
		"nobody knew of nodes":                     {unknown, nil, nil, false},
		"nobody knew, and none takes them":         {unknown, known, nil, true},
		"accepted in a plan of an earlier version": {older, known, nil, false},
	} {
		plan, err := batching.ReadPlanFile(c.path)
		if err != nil {
			t.Fatal(name, err)
		}
		planned, err := batching.PlanAgain(t.Context(), p.Site, plan, c.nodes, editing.Accepted{Words: c.accepted})
		if err != nil {
			t.Fatal(name, err)
		}
		none, open := errors.AsType[*editing.NotAcceptedError](planned[0].Refused)
		if open != c.open || !open && planned[0].Refused != nil || open && (len(none.Findings) != 1 || none.Findings[0].ID != editing.NoNode) {
			t.Errorf("%s: %v", name, planned[0].Refused)
		}
	}
}

// A plan of what the site did not show goes out unread only where the site still does not show it.
func TestAPlanOfWhatWasNotReadIsComparedAsSoonAsItCanBeRead(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "901")
	own, err := edit.Base.SetValue("properties.maxRecordCount", "7") // as the file has it, and the site has not
	if err != nil {
		t.Fatal(err)
	}
	edit.Base = own
	if edit.Edited, err = own.SetValue(operationtest.Idle, "901"); err != nil {
		t.Fatal(err)
	}
	edit = edit.WithoutReading(adminapi.KindPrivilege, "base.json")
	edit.Accepted.Words = []string{"unread"}
	path := written(t, p, edit)
	answers := func(text string) {
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if text != "" && strings.HasSuffix(r.URL.Path, ".MapServer") {
				_, _ = w.Write([]byte(text))
				return
			}
			pass()
		})
	}
	answers(`{"error":{"code":403,"message":"You do not have permissions.","details":[]}}`)
	if got := again(t, p, path); got.Refused != nil || got.Edit.Unread == nil || got.Edit.Unread.File != "base.json" || got.Unchanged() {
		t.Errorf("where it is not shown: %v, %+v", got.Refused, got.Edit.Unread)
	}
	answers(`{"error":{"code":500,"message":"Failed.","details":[]}}`)
	if got := again(t, p, path); !errors.Is(got.Refused, adminapi.KindServer) || got.Edit.Unread != nil {
		t.Errorf("where it cannot be read for now: %v, %+v", got.Refused, got.Edit.Unread)
	}
	answers("")
	read := written(t, p, p.Edit(t, operationtest.Idle, "902"))
	answers(`{"error":{"code":403,"message":"You do not have permissions.","details":[]}}`)
	if got := again(t, p, read); !errors.Is(got.Refused, adminapi.KindPrivilege) || got.Edit.Unread != nil {
		t.Errorf("a plan of what was read, where it is not shown: %v, %+v", got.Refused, got.Edit.Unread)
	}
	answers("")
	if got := again(t, p, path); !errors.As(got.Refused, new(*editing.DriftError)) || got.Edit.Unread != nil {
		t.Errorf("where it is shown: %v, %+v", got.Refused, got.Edit.Unread)
	}
}

func TestAServiceThatHasThePlanIsCalledNotBackOnlyWhereItShouldRun(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "901")
	path := written(t, p, edit)
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), edit, nil))
	for states, want := range map[[2]string]string{
		{"STARTED", "STARTED"}: "has this already",
		{"STOPPED", "STOPPED"}: "has this already",
		{"STARTED", "STOPPED"}: "has this already, and has not started again yet",
	} {
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if strings.HasSuffix(r.URL.Path, "/status") {
				_, _ = fmt.Fprintf(w, `{"configuredState":%q,"realTimeState":%q}`, states[0], states[1])
				return
			}
			pass()
		})
		if got := again(t, p, path); !got.Unchanged() || got.Has() != want {
			t.Errorf("%s: it %q", states, got.Has())
		}
	}
}

// Who is signed out, or stops, gets no plan of a part of it.
func TestAPlanThatIsNotPlannedWholeIsAnError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at   string // the end of the path of the request that meets it
		want error
	}{
		"signed out":                      {".MapServer", adminapi.KindSignIn},
		"stopped at a definition":         {".MapServer", context.Canceled},
		"stopped once that was read":      {".MapServer/status", context.Canceled},
		"stopped at the last of the plan": {"PrintingTools.GPServer/status", context.Canceled},
	} {
		p := operationtest.WithJournal(t, "healthy")
		edits := several(t, p, 3)
		path, err := batching.WritePlan(p.Site, filepath.Join(t.TempDir(), "plan.json"), edits)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range edits { // the site has it: its status is read
			operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), e.Edit, nil))
		}
		plan, err := batching.ReadPlanFile(path)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var after []string
		met := false
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			switch {
			case met:
				after = append(after, r.URL.Path)
				pass()
			case strings.HasSuffix(r.URL.Path, c.at):
				met = true
				if c.want == context.Canceled {
					stop()
					<-r.Context().Done()
					return
				}
				_, _ = w.Write([]byte(`{"error":{"code":498,"message":"Invalid token.","details":[]}}`))
			default:
				pass()
			}
		})
		planned, err := batching.PlanAgain(ctx, p.Site, plan, nil, editing.Accepted{})
		if !met || len(planned) > 0 || !errors.Is(err, c.want) || len(after) > 0 {
			t.Errorf("%s: %+v, %v; then it fetched %q", name, planned, err, after)
		}
	}
}

// A plan has both parts of a service, each as it is, and what others changed and it overwrites.
func TestAPlanKeepsThePartsAndWhatIsOverwritten(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	mine, rules := p.Edit(t, operationtest.Idle, "901"), p.Replacing(t, operationtest.OnPool("spot"))
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "700"), nil))
	mine, yes := mine.Merging(p.Definition(t)).WithMine(), true
	mine.Sync = &yes
	path, err := batching.WritePlan(p.Site, filepath.Join(t.TempDir(), "plan.json"), []batching.PlannedEdit{{Edit: mine, Plan: mine.Plan()}, {Edit: rules, Plan: rules.Plan()}})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := batching.ReadPlanFile(path)
	if err != nil || len(plan.Edits) != 2 || plan.Edits[0].Part != editing.Definition || plan.Edits[1].Part != editing.Placement ||
		plan.Edits[0].Sync == nil || !*plan.Edits[0].Sync || plan.Edits[1].Sync != nil {
		t.Fatalf("%+v, %v", plan.Edits, err)
	}
	for _, accepted := range [][]string{nil, {"drift"}} {
		planned, err := batching.PlanAgain(t.Context(), p.Site, plan, nil, editing.Accepted{Words: accepted})
		if err != nil {
			t.Fatal(err)
		}
		left, open := errors.AsType[*editing.NotAcceptedError](planned[0].Refused)
		if open != (accepted == nil) || open && (left.Findings[0].ID != editing.Overwrites || left.Findings[0].Text != mine.Drift[0].Text) || !open && planned[0].Refused != nil {
			t.Errorf("accepted %q: %v", accepted, planned[0].Refused)
		}
		if planned[1].Refused != nil || planned[1].Edited.Text() != rules.Edited.Text() {
			t.Errorf("of the rules: %v", planned[1].Refused)
		}
	}
}

// A key that no definition has had is asked about again when its plan is sent.
func TestAPlanIsCheckedForUnknownKeysWhenItIsSent(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "901")
	var err error
	if edit.Edited, err = edit.Base.Add("properties", "maxRecodCount", "20", -1); err != nil {
		t.Fatal(err)
	}
	left, _ := errors.AsType[*editing.NotAcceptedError](again(t, p, written(t, p, edit)).Refused)
	if left == nil || len(left.Findings) != 1 || left.Findings[0].ID != document.UnknownKey {
		t.Errorf("left is %v", left)
	}
}

// A key that another definition has, which was read, is no news in several services, nor when a plan is sent.
func TestAKeyThatWasReadElsewhereIsNoNewsInAPlan(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	root, err := p.Client.Services.Folder(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(root.Services, func(s adminapi.ServiceRef) bool {
		return s.Type == operationtest.Cities.Type && s.Name != operationtest.Cities.Name
	})
	adds := func(service adminapi.ServiceRef, words ...string) editing.Edit {
		t.Helper()
		read, err := p.Read(t.Context(), editing.DefinitionOf(service))
		if err != nil {
			t.Fatal(err)
		}
		edit := editing.Edit{Target: read.Target, Base: read.Document, Keys: p.Memory.Keys(), Accepted: editing.Accepted{Words: words}}
		if edit.Edited, err = read.Document.Add("properties", "floodLevel", "3", -1); err != nil {
			t.Fatal(err)
		}
		return edit
	}
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), adds(root.Services[at], "unknown-key"), nil))
	p.Remembering(t, t.TempDir()) // another machine
	if _, err := p.Read(t.Context(), editing.DefinitionOf(root.Services[at])); err != nil {
		t.Fatal(err)
	}
	edit := adds(operationtest.Cities)
	for name, planned := range map[string]batching.PlannedEdit{
		"for several services": batching.PlanMany(t.Context(), p.Site, []adminapi.ServiceRef{operationtest.Cities}, edit, nil)[0],
		"from a file":          again(t, p, written(t, p, edit)),
	} {
		if planned.Refused != nil || slices.ContainsFunc(planned.Plan.Risks, func(r finding.Finding) bool { return r.ID == document.UnknownKey }) {
			t.Errorf("%s: %+v, %v", name, planned.Plan.Risks, planned.Refused)
		}
	}
}

// What was accepted stands in the command that is copied, where who runs it sees it, and not in its plan.
func TestACopiedCommandSendsThePlanAndSaysWhatIsAccepted(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	definition, rules := p.Edit(t, "capabilities", `"Map"`), p.Replacing(t, operationtest.OnPool("moon"))
	if left, _ := errors.AsType[*editing.NotAcceptedError](definition.Sendable()); left == nil { // nobody has accepted it yet
		t.Fatal(definition.Sendable())
	}
	rules.Nodes = []placement.Node{{Name: "a", Labels: map[string]string{"pool": "gis"}, Ready: placement.Ready}}
	rules.Accepted.Words = []string{"no-node", "drift"} // drift was not found
	folder := t.TempDir()
	reviewed := batching.ReviewedEdits{Edits: []batching.PlannedEdit{{Edit: definition, Plan: definition.Plan()}, {Edit: rules, Plan: rules.Plan()}},
		PathOf: func(of editing.Target) string { return filepath.Join(folder, of.Part.Kind()+".json") }}
	prepared := reviewed.Prepare(p.Site)
	lines, err := prepared.Commands()
	if err != nil || len(lines) != 2 {
		t.Fatalf("%+v, %v", lines, err)
	}
	for i, want := range []string{"service apply --plan " + folder + "/definition.json", "placement apply --plan " + folder + "/placement.json --accept no-node"} {
		if got := strings.Join(lines[i].Words, " "); got != want || !strings.Contains(lines[i].First, "It sends the plan in "+folder) {
			t.Errorf("it is %q, after %q; want %q", got, lines[i].First, want)
		}
		plan, err := batching.ReadPlanFile(lines[i].Words[3])
		if err != nil || len(plan.Edits) != 1 || len(plan.Edits[0].Accepted.Words) > 0 || plan.Edits[0].Edited.Text() != reviewed.Edits[i].Edited.Text() {
			t.Errorf("%s sends %+v, %v", want, plan.Edits, err)
		}
	}
	requests, err := prepared.Requests(t.Context())
	if err != nil || len(requests) != 2 || !strings.HasSuffix(requests[0].Path, "MapServer/edit") || !strings.HasSuffix(requests[1].Path, "placementPolicy/edit") {
		t.Errorf("%+v, %v", requests, err)
	}
	for want, parts := range map[string][]editing.Part{
		"apply --plan x": nil, "service apply --plan x": {editing.Definition, editing.Definition},
	} {
		if got := strings.Join(batching.CommandOfPlan("x", parts...).Words, " "); got != want {
			t.Errorf("of %v: %q", parts, got)
		}
	}
	if got := batching.CommandOfPlan("x", editing.Definition, editing.Placement).Words; got[0] != "apply" {
		t.Errorf("of both parts: %q", got)
	}
	p.WantSent(t, "POST edit", 0)
}

// A command is copied only where it has its plan.
func TestNoCommandIsCopiedOfAPlanThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "901")
	folder := t.TempDir()
	for _, c := range []struct {
		path string
		want int
	}{{filepath.Join(folder, "plan.json"), 1}, {filepath.Join(folder, "none", "plan.json"), 0}} {
		reviewed := batching.ReviewedEdits{Edits: []batching.PlannedEdit{{Edit: edit, Plan: edit.Plan()}}, PathOf: func(editing.Target) string { return c.path }}
		lines, err := reviewed.Prepare(p.Site).Commands()
		if len(lines) != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%s: %+v, %v", c.path, lines, err)
		}
	}
}

func TestAFileThatIsNoPlanOrNotPrivateOrChangedIsNotRead(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	path := written(t, p, p.Edit(t, operationtest.Idle, "901"))
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	plan, folder := string(content), t.TempDir()
	replaced := func(from, to string) string {
		if !strings.Contains(plan, from) {
			t.Errorf("the plan has no %s", from)
		}
		return strings.Replace(plan, from, to, 1)
	}
	for name, c := range map[string]struct {
		content string
		mode    os.FileMode
		want    string
		noPlan  bool
	}{
		"what is sent":      {replaced("901", "902"), 0o600, "was changed", false},
		"the service":       {replaced("SampleWorldCities.MapServer", "Other.MapServer"), 0o600, "was changed", false},
		"the site":          {replaced(`"site": "`, `"site": "x`), 0o600, "was changed", false},
		"the base":          {replaced(`"base": "{`, `"base": "{ `), 0o600, "was changed", false},
		"a byte of the sum": {replaced(`"sha256": "`, `"sha256": "0`), 0o600, "was changed", false},
		"another key":       {replaced(`"made"`, `"x": 1, "made"`), 0o600, "not a plan", true},
		"another form":      {replaced(`"geodeckPlan": 1`, `"geodeckPlan": 2`), 0o600, "another version of geodeck", true},
		"cut":               {plan[:len(plan)/2], 0o600, "not a plan", true},
		"empty":             {"", 0o600, "not a plan", true},
		"a definition":      {p.Definition(t).Text(), 0o600, "not a plan", true},
		"an empty object":   {"{}", 0o600, "not a plan", true},
		"read by others":    {plan, 0o640, "others on this machine", false},
		"written by others": {plan, 0o602, "others on this machine", false},
	} {
		file := filepath.Join(folder, strings.ReplaceAll(name, " ", "-"))
		if err := errors.Join(os.WriteFile(file, []byte(c.content), 0o600), os.Chmod(file, c.mode)); err != nil {
			t.Fatal(err)
		}
		_, err := batching.ReadPlanFile(file)
		if bad, is := errors.AsType[*batching.PlanFileError](err); !is || bad.NoPlan != c.noPlan || !strings.Contains(bad.Why, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	link := filepath.Join(folder, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{link: "is a link", folder: "not a regular file", filepath.Join(folder, "none"): "there is no file"} {
		if _, err := batching.ReadPlanFile(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
