package operation_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/polling"
)

func TestTheOutcomeOfALostEditIsFound(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"edit-answer-lost", "edit-answer-lost-502", "edit-answer-cut"} {
		p := operationtest.WithJournal(t, scenario)
		edit := p.Edit(t, operationtest.Idle, "900")
		_, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
		if outcome != adminapi.OutcomeUnknown || err == nil {
			t.Fatalf("%s: %v, %v", scenario, outcome, err)
		}
		found, err := settleEdit(t.Context(), p, p.SearchEdit(edit, "", nil))
		if err != nil || seenAs(found) != "done" || found.Now.Text() != edit.Edited.Text() {
			t.Errorf("%s: %v, %v", scenario, seenAs(found), err)
		}
		p.WantSent(t, "POST edit", 1)
	}
}

// The definition decides where the jobs cannot be read, or a job is not known.
func TestTheReadBackDecidesALostAnswerOfAnEditWhereJobsAreUnknown(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(w http.ResponseWriter){
		"no answer": operationtest.HangUp,
		"no list":   func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"jobs":[]}`) },
		"a page":    func(w http.ResponseWriter) { _, _ = io.WriteString(w, `<html>Sign in</html>`) },
		"refused": func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"error":{"code":403,"message":"no","details":[]}}`)
		},
	} {
		for scenario, arrived := range map[string]bool{"edit-answer-lost": true, "edit-answer-lost-not-performed": false} {
			t.Run(name+", "+scenario, func(t *testing.T) {
				t.Parallel()
				p := operationtest.WithJournal(t, scenario)
				edit := p.Edit(t, operationtest.Idle, "900")
				p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
					if strings.Contains(r.URL.Path, "/jobs") {
						answer(w)
						return
					}
					pass()
				})
				operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
				found, err := settleEdit(t.Context(), p, p.SearchEdit(edit, "", nil))
				if (seenAs(found) == "done") != arrived || arrived == errors.Is(err, operation.ErrOutcomeUnknown) {
					t.Errorf("%v, %v", seenAs(found), err)
				}
				p.WantSent(t, "POST edit", 1)
			})
		}
	}
}

func TestAFoundEditIsRecorded(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-answer-lost")
	edit := p.Edit(t, operationtest.Idle, "900")
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
	p.Clock.Advance(time.Hour) // the job of the edit ends
	if found, err := findEdit(t.Context(), p.SearchEdit(edit, "", nil)); err != nil || seenAs(found) != "done" {
		t.Fatal(seenAs(found), err)
	}
	records, err := p.Memory.Journal.Actions(0)
	if err != nil || len(records) == 0 || records[0].Outcome != adminapi.OutcomeDone {
		t.Errorf("%+v, %v", records, err)
	}
}

func TestTheJobOfAnEditShowsItsEnd(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-fails")
	edit := p.Edit(t, operationtest.Idle, "900")
	applied, _, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
	if !errors.Is(err, operation.ErrJobBroken) {
		t.Fatal(err)
	}
	found, err := findEdit(t.Context(), p.SearchEdit(edit, applied.Job.ID, nil))
	if err != nil || seenAs(found) != "done" || !errors.Is(found.Err, operation.ErrJobBroken) || found.Job.Status != adminapi.JobFailed {
		t.Errorf("%v, job %q, %v", seenAs(found), found.Job.Status, err)
	}
	found, err = findEdit(t.Context(), p.SearchEdit(edit, "gone", nil))
	if err != nil || seenAs(found) != "nothing" || found.Job.ID != "" || !strings.Contains(found.How, applied.Job.ID+" from then") {
		t.Errorf("a job that is gone, beside one that may be it: %v, %q, %v", seenAs(found), found.How, err)
	}
}

func TestAnEditThatDidNotArriveIsNotDone(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-answer-lost-not-performed")
	edit := p.Edit(t, operationtest.Idle, "900")
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
	began := p.Clock.Now()
	found, err := settleEdit(t.Context(), p, p.SearchEdit(edit, "", nil))
	if !errors.Is(err, operation.ErrOutcomeUnknown) || seenAs(found) != "unchanged" {
		t.Errorf("%v, %v", seenAs(found), err)
	}
	if looked := p.Clock.Now().Sub(began); looked < 30e9 {
		t.Errorf("given up after %s", looked)
	}
	p.WantSent(t, "POST edit", 1)
}

func TestALostAnswerAndADefinitionOfSomebodyElseStaysUnknown(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-answer-lost-not-performed")
	edit := p.Edit(t, operationtest.Idle, "900")
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
	theirs := p.Edit(t, "maxWaitTime", "61")
	here := p.Memory.Journal
	p.Remembering(t, t.TempDir()) // on another machine
	if _, _, err := operationtest.Apart(p.ApplyEdit(t.Context(), theirs, nil)); err != nil {
		t.Fatal(err)
	}
	p.Memory.Journal = here
	found, err := settleEdit(t.Context(), p, p.SearchEdit(edit, "", nil))
	if !errors.Is(err, operation.ErrOutcomeUnknown) || seenAs(found) != "other" {
		t.Errorf("%v, %v", seenAs(found), err)
	}
}

func TestAJobOfTheSameNameInAnotherFolderIsNotOurs(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "900")
	for operationURI, want := range map[string]string{
		"/geodeck/admin/services/Other/SampleWorldCities.MapServer/edit": "unchanged",
		"/geodeck/admin/services/SampleWorldCities.MapServer/stop":       "unchanged",
		"/geodeck/admin/services/SampleWorldCities%2EMapServer/edit":     "running",
	} {
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
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
		if found, err := findEdit(t.Context(), p.SearchEdit(edit, "", nil)); err != nil || seenAs(found) != want {
			t.Errorf("%s: %v, %v", operationURI, seenAs(found), err)
		}
	}
}

// A colleague edits the service with a job while the answer to our edit is lost, or we did
// before, or long after that.
func TestTheEndOfAnothersJobIsNotTheEndOfOurs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		user   string
		before time.Duration
		own    bool
		seen   string // last, where it is not known to be ours
	}{
		{"colleague", 0, false, "unchanged"},
		{"", 0, false, "running"}, // it may be ours
		{"admin", time.Minute, false, "unchanged"}, {"admin", -2 * time.Hour, false, "unchanged"}, {"admin", 0, true, ""},
	} {
		user, own := c.user, c.own
		p := operationtest.WithJournal(t, "edit-answer-lost-not-performed")
		edit := p.Edit(t, operationtest.Idle, "900")
		operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
		ends := p.Clock.Now().Add(10 * time.Second)
		began := strconv.FormatInt(p.Clock.Now().Add(-c.before).UnixMilli(), 10)
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			status := adminapi.JobCompleted
			if p.Clock.Now().Before(ends) {
				status = "EXECUTING"
			}
			switch {
			case strings.HasSuffix(r.URL.Path, "/jobs"):
				_, _ = w.Write([]byte(`{"jobs":["j1"]}`))
			case strings.HasSuffix(r.URL.Path, "/jobs/j1"):
				_, _ = w.Write([]byte(`{"jobid":"j1","status":"` + status + `","username":"` + user + `","startTime":` + began + `,"operationURI":"/geodeck/admin/services/SampleWorldCities.MapServer/edit"}`))
			case user == "" && strings.HasSuffix(r.URL.Path, "/self"):
				http.NotFound(w, r) // nor does it tell who this user is
			default:
				pass()
			}
		})
		found, err := settleEdit(t.Context(), p, p.SearchEdit(edit, "", nil))
		if _, taken := errors.AsType[*editing.NotStoredError](err); taken != own || seenAs(found) != c.seen && !own {
			t.Errorf("job of %s, %s before: %v, %v", user, c.before, seenAs(found), err)
		}
		p.WantOutcome(t, map[bool]adminapi.Outcome{true: adminapi.OutcomeDone, false: adminapi.OutcomeUnknown}[own])
	}
}

// A busy site lists many jobs, and the one that edits the service may be any of them.
func TestAJobThatEditsTheServiceIsFoundAmongMany(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-answer-lost-not-performed")
	edit := p.Edit(t, operationtest.Idle, "900")
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
	var list []string
	for i := range 200 {
		list = append(list, fmt.Sprintf(`"j%d"`, i))
	}
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		_, id, found := strings.Cut(r.URL.Path, "/jobs/")
		status, of := adminapi.JobCompleted, "/geodeck/admin/services/Other.MapServer/edit"
		if id == "j199" {
			status, of = "EXECUTING", "/geodeck/admin/services/SampleWorldCities.MapServer/edit"
		}
		switch {
		case strings.HasSuffix(r.URL.Path, "/jobs"):
			_, _ = w.Write([]byte(`{"jobs":[` + strings.Join(list, ",") + `]}`))
		case found:
			_, _ = fmt.Fprintf(w, `{"jobid":"%s","status":"%s","username":"colleague","startTime":%d,"operationURI":"%s"}`, id, status, p.Clock.Now().UnixMilli(), of)
		default:
			pass()
		}
	})
	if found, err := findEdit(t.Context(), p.SearchEdit(edit, "", nil)); err != nil || seenAs(found) != "running" || found.Job.ID != "j199" {
		t.Errorf("%s, job %s, %v", seenAs(found), found.Job.ID, err)
	}
}

func TestASearchThatFailsFindsNothing(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "900")
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
	found, err := settleEdit(t.Context(), p, p.SearchEdit(edit, "", nil))
	if !errors.Is(err, operation.ErrOutcomeUnknown) || !errors.Is(err, adminapi.KindUnreachable) || seenAs(found) != "nothing" {
		t.Errorf("%v, %v", seenAs(found), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := settleEdit(ctx, p, p.SearchEdit(edit, "", nil)); err == nil {
		t.Error("an end of the patience is taken for an answer")
	}
}

// settleRun searches for the outcome of an upgrade to the end.
func settleRun(ctx context.Context, p *operationtest.Platform, run *operation.UpgradeRun) (adminapi.UpgradeStatus, error) {
	found, err := polling.Wait(ctx, p.Clock, run.Search(), nil)
	return found.Status, cmp.Or(err, found.Err)
}

// seenAs names what a search has found.
func seenAs(found operation.Resolution) string {
	if found.Outcome != adminapi.OutcomeUnknown {
		return found.Outcome.String()
	}
	return [...]string{"nothing", "unchanged", "running", "other"}[found.Shows]
}

// findRun searches once.
func findRun(ctx context.Context, search *operation.Search) (string, adminapi.UpgradeStatus, time.Duration, error) {
	step, err := search.Next(ctx)
	return seenAs(step.Value), step.Value.Status, step.Wait, err
}

// settleEdit searches for the outcome of an edit to the end.
func settleEdit(ctx context.Context, p *operationtest.Platform, lost *operation.Search) (operation.Resolution, error) {
	found, err := polling.Wait(ctx, p.Clock, lost, nil)
	return found, cmp.Or(err, found.Err)
}

// findEdit searches once.
func findEdit(ctx context.Context, lost *operation.Search) (operation.Resolution, error) {
	step, err := lost.Next(ctx)
	return step.Value, cmp.Or(err, step.Unreachable)
}
