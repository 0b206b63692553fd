package operation_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/polling"
)

func TestALateSearchSettlesNoLaterEdit(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-slow")
	edit := p.Edit(t, operationtest.Idle, "900")
	applied, _, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := operationtest.Apart(p.ApplyEdit(t.Context(), p.Edit(t, "maxWaitTime", "61"), nil)); err != nil {
		t.Fatal(err)
	}
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/jobs/"+applied.Job.ID) {
			fmt.Fprintf(w, `{"id":%q,"status":"FAILED"}`, applied.Job.ID)
			return
		}
		pass()
	})
	_, _ = findEdit(t.Context(), p.SearchEdit(edit, applied.Job.ID, nil))
	p.WantSettled(t, journal.VerdictSucceeded, "the site has it") // the later edit
}

func TestAnAnswerWithoutAJobIsLookedAfter(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		verdict journal.Verdict
		because string
	}{
		"nothing is kept": {journal.VerdictFailed, "the site kept nothing of it"},
		"not read back":   {"", ""},
	} {
		p := operationtest.WithJournal(t, "healthy")
		edit, sent := p.Edit(t, operationtest.Idle, "900"), false
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			switch {
			case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/edit"):
				sent = true
				fmt.Fprint(w, `{"success":true,"status":"success"}`)
			case sent && name == "not read back" && strings.HasSuffix(r.URL.Path, "SampleWorldCities.MapServer"):
				operationtest.HangUp(w)
			default:
				pass()
			}
		})
		if _, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil)); outcome != adminapi.OutcomeDone {
			t.Fatal(name, outcome, err)
		}
		p.WantSettled(t, want.verdict, want.because)
	}
}

func TestTheFailureOfAnotherHealthRunIsNotThatOfTheRequest(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	run, outcome, err := operationtest.Apart(
		p.StartHealthRun(t.Context(), adminapi.HealthRun{Name: "mine", SuiteIDs: []string{"BSHC-001"}}))
	if outcome != adminapi.OutcomeDone {
		t.Fatal(err)
	}
	const other = "11111111-2222-3333-4444-555555555555"
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/jobs"):
			fmt.Fprintf(w, `{"jobs":[%q]}`, other)
		case strings.HasSuffix(r.URL.Path, "/jobs/"+other):
			fmt.Fprintf(w, `{"id":%q,"status":"FAILED","operationURI":"https://x/ctx/admin/healthCheck/run","username":%q,"startTime":%d}`,
				other, p.User.Username, p.Clock.Now().UnixMilli())
		case strings.Contains(r.URL.Path, "/jobs/"):
			fmt.Fprint(w, `{"error":{"code":404,"message":"no such job","details":[]}}`)
		case strings.Contains(r.URL.Path, "/healthCheck/reports"):
			fmt.Fprint(w, `{"reports":[],"total":0,"nextStart":-1,"start":1,"num":100}`)
		default:
			pass()
		}
	})
	_, _ = polling.Wait(t.Context(), p.Clock, run, nil)
	p.WantSettled(t, "", "")
}

func TestAnAcceptedUpgradeWhoseFirstLineIsDamagedIsOnlyAccepted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, folder)
	if _, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), p.Request(t, operationtest.PatchID), nil)); outcome != adminapi.OutcomeDone {
		t.Fatal(err)
	}
	logs, err := filepath.Glob(filepath.Join(folder, "*", journal.LogName))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	text, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Replace(text, []byte(`"operation":"start the`), []byte(`"operation":"stXrt the`), 1)
	if err := os.WriteFile(logs[0], damaged, 0o600); err != nil || bytes.Equal(damaged, text) {
		t.Fatal("nothing is damaged", err)
	}
	records, err := p.Memory.Journal.Actions(0)
	for _, r := range records {
		if r.Target == adminapi.TargetSite && operation.ResultOf(r).End() != operation.EndUnseen {
			t.Errorf("%s, %s: %q", r.Operation, r.Kind, operation.ResultOf(r).Text())
		}
	}
	if err != nil || len(records) == 0 {
		t.Error(err)
	}
}
