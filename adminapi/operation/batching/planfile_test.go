package batching_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
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
	if drift, is := errors.AsType[*editing.DriftError](again(t, p, path).Refused); !is || drift.Changes[0].Path != "properties.maxRecordCount" {
		t.Errorf("%v", again(t, p, path).Refused)
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
