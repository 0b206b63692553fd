package operation_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/polling"
)

func TestAResultIsToldByItsOutcomeAndItsVerdict(t *testing.T) {
	t.Parallel()
	const edit, deletion = adminapi.WriteDefinition, adminapi.WriteReportDeletion
	for _, c := range []struct {
		kind       adminapi.WriteKind
		outcome    adminapi.Outcome
		verdict    journal.Verdict
		pending    bool
		end        operation.End
		word, text string
	}{
		{edit, adminapi.OutcomeDone, "", false, operation.EndUnseen, "accepted", "accepted; no end seen yet"},
		{adminapi.WriteStart, adminapi.OutcomeDone, "", false, operation.EndUnseen, "accepted", "accepted; no end seen yet"},
		{adminapi.WriteStop, adminapi.OutcomeDone, "", false, operation.EndUnseen, "accepted", "accepted; no end seen yet"},
		{edit, adminapi.OutcomeDone, journal.VerdictSucceeded, false, operation.EndDone, "done", "done"},
		{edit, adminapi.OutcomeDone, journal.VerdictFailed, false, operation.EndFailed, "failed", "accepted; why"},
		{edit, adminapi.OutcomeDone, journal.VerdictPartly, false, operation.EndNotKept, "partly kept", "accepted; why"},
		{edit, adminapi.OutcomeDone, "reverted", false, operation.EndFailed, "reverted", "accepted; why"}, // of a newer version
		{adminapi.WriteUpgrade, adminapi.OutcomeDone, journal.VerdictRolledBack, false, operation.EndFailed, "rolled back", "accepted; why"},
		{edit, adminapi.OutcomeRefused, "", false, operation.EndRefused, "refused", "refused"},
		{edit, adminapi.OutcomeNotSent, "", false, operation.EndNotSent, "not sent", "not sent"},
		{edit, adminapi.OutcomeUnknown, "", false, operation.EndLost, "unknown", "unknown"},
		{edit, adminapi.OutcomeUnknown, "", true, operation.EndLost, "no outcome", "unknown, no outcome was recorded"},
		{deletion, adminapi.OutcomeDone, "", false, operation.EndDone, "done", "done"},
		{"", adminapi.OutcomeUnknown, "", false, operation.EndLost, "unknown", "unknown"}, // of a damaged line
	} {
		r := journal.Record{Kind: c.kind, Outcome: c.outcome, Verdict: c.verdict, Because: "why", Finished: operationtest.Start}
		if c.pending {
			r.Finished = r.Settled
		}
		got := operation.ResultOf(r)
		if got.End() != c.end || got.Word() != c.word || got.Text() != c.text {
			t.Errorf("%s, %s, %q: %d, %q, %q", c.kind, c.outcome, c.verdict, got.End(), got.Word(), got.Text())
		}
		// After a sign-in only that is sent again of which the site is known to have taken nothing.
		if got.Err = adminapi.KindSignIn; got.WantsSignIn() != (got.End() == operation.EndNotSent || got.End() == operation.EndRefused) {
			t.Errorf("%s, %s, %q: it is sent again after a sign-in: %v", c.kind, c.outcome, c.verdict, got.WantsSignIn())
		}
	}
}

// An edit among several is not called good where what became of its service was not seen.
func TestAnEditIsCalledGoodOnlyWhereItsServiceWasSeen(t *testing.T) {
	t.Parallel()
	done := operation.Result{Kind: adminapi.WriteDefinition, Outcome: adminapi.OutcomeDone, Verdict: journal.VerdictSucceeded}
	edit := operation.AppliedEdit{Target: editing.DefinitionOf(operationtest.Cities), Result: done}
	if tone, says := edit.Brief(); tone != operation.ToneUnknown || says != "done, state not known" {
		t.Errorf("%d, %q", tone, says)
	}
	edit.Applied.ReadBackErr = adminapi.KindPrivilege
	if tone, says := edit.Brief(); tone != operation.ToneWarn || says != "done, not read back" || strings.Contains(edit.Headline(), "has the new") {
		t.Errorf("%d, %q, %q", tone, says, edit.Headline())
	}
	edit.After.Service.ServiceStatus = adminapi.ServiceStatus{Configured: adminapi.ServiceStarted, RealTime: adminapi.ServiceStopped}
	if tone, says := edit.Brief(); tone != operation.ToneBad || says != "stopped, should run" {
		t.Errorf("%d, %q", tone, says)
	}
	edit.Result = operation.Result{Kind: adminapi.WriteDefinition, Outcome: adminapi.OutcomeUnknown}
	for err, says := range map[error]string{
		&adminapi.Error{Kind: adminapi.KindServer, Status: 500, Explicit: true}: "The site answered with an error.",
		&adminapi.Error{Kind: adminapi.KindUnreachable}:                         "No answer came.",
	} {
		if edit.Err = err; !strings.HasPrefix(edit.Headline(), says) || !strings.Contains(edit.Headline(), "not known whether") {
			t.Errorf("%v: %q", err, edit.Headline())
		}
	}
}

// The changes of two edits are not shown as those of one, where the version between them cannot be read.
func TestAVersionBeforeOneThatCannotBeReadIsNotCompared(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	var last operation.AppliedEdit
	for _, value := range []string{"900", "901", "902"} {
		edit := p.Edit(t, operationtest.Idle, value)
		applied, result := p.ApplyEdit(t.Context(), edit, nil)
		if !result.Done() {
			t.Fatal(result.Err)
		}
		last = operation.AppliedEdit{Applied: applied, Target: edit.Target}
	}
	kept, err := p.Memory.History(last.Target)
	if err != nil || len(kept) != 3 {
		t.Fatalf("%+v, %v", kept, err)
	}
	damaged, replaced := 0, regexp.MustCompile(`"maxIdleTime":\s*900\b`)
	if err = filepath.WalkDir(p.Memory.Journal.Folder(), func(path string, _ fs.DirEntry, err error) error {
		if text, _ := os.ReadFile(path); strings.Contains(path, "/backups/") && replaced.Match(text) {
			damaged++
			return os.WriteFile(path, []byte("{"), 0o600)
		}
		return err
	}); err != nil || damaged != 1 {
		t.Fatalf("%d files are damaged, %v", damaged, err)
	}
	versions, err := p.Memory.Versions(last.Target, last.Applied.Now)
	if err != nil || len(versions) != 3 || versions[0].Err != nil || len(versions[0].Changes) != 1 {
		t.Fatalf("%+v, %v", versions, err)
	}
	for _, v := range versions[1:] {
		if v.Err == nil || len(v.Changes) > 0 {
			t.Errorf("of %s is told %+v, %v", v.ID, v.Changes, v.Err)
		}
	}
}

func TestTheEndOfAnEditIsInItsRecord(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]struct {
		verdict          journal.Verdict
		because, replace string
	}{
		"healthy":            {journal.VerdictSucceeded, "the site has it", ""},
		"edit-slow":          {journal.VerdictSucceeded, "the site has it", ""},
		"edit-fails":         {journal.VerdictFailed, "job FAILED; nothing changed", "accepted; job FAILED; nothing changed; the site has this version"},
		"edit-cancelled":     {journal.VerdictFailed, "nothing changed", "the site has this version"},
		"edit-fails-applied": {journal.VerdictFailed, "but the site has it", ""},
	} {
		p := operationtest.WithJournal(t, scenario)
		edit := p.Edit(t, operationtest.Idle, "900")
		applied, _ := p.ApplyEdit(t.Context(), edit, nil)
		p.WantSettled(t, want.verdict, want.because)
		versions, err := p.Memory.Versions(edit.Target, applied.Now)
		if err != nil || len(versions) != 1 || !strings.Contains(versions[0].Still(), want.replace) || want.replace == "" && versions[0].Still() != "" {
			t.Errorf("%s: the history says %+v, %v", scenario, versions, err)
		}
		// a draft that began before it: the site is not said to have that version, nor that nothing came of it
		again, err := p.Memory.Versions(edit.Target, edit.Base)
		if ended := again[0].Ended; err != nil || want.verdict == journal.VerdictSucceeded && ended != "done" || ended == "" || strings.Contains(ended, "this version") {
			t.Errorf("%s: a review of what was before says %q, %v", scenario, ended, err)
		}
		if still := again[0].Still(); want.verdict == journal.VerdictSucceeded && !strings.HasSuffix(still, "the site has this version again") {
			t.Errorf("%s: where another has undone it the history says %q", scenario, still)
		}
		if failed := p.Memory.FailedEdit(edit.Target, versions[0].Backup); (failed == "") != (want.verdict == journal.VerdictSucceeded) {
			t.Errorf("%s: the list says %q", scenario, failed)
		}
	}
}

// The record says of an edit that was accepted what the site has after it, and nothing where nobody saw that.
func TestTheRecordOfAnEditSaysWhatTheSiteHasAfterIt(t *testing.T) {
	t.Parallel()
	now, failed := operationtest.Parsed(t, "{}"), adminapi.Job{Status: adminapi.JobFailed}
	job := &operation.JobError{Job: failed}
	kept := &editing.NotStoredError{Changes: make([]document.Change, 2)}
	for name, c := range map[string]struct {
		applied operation.Applied
		err     error
		verdict journal.Verdict
		because string
	}{
		"it is there":                  {operation.Applied{Now: now, Stored: operation.StoredNew}, nil, journal.VerdictSucceeded, "the site has it"},
		"its job, and no read back":    {operation.Applied{Job: adminapi.Job{Status: adminapi.JobCompleted}}, nil, journal.VerdictSucceeded, "its job has completed"},
		"no job and no read back":      {operation.Applied{}, nil, "", ""},
		"failed, the old one is there": {operation.Applied{Job: failed, Now: now, Stored: operation.StoredOld}, job, journal.VerdictFailed, "job FAILED; nothing changed"},
		"failed, and is there":         {operation.Applied{Job: failed, Now: now, Stored: operation.StoredNew}, job, journal.VerdictFailed, "job FAILED, but the site has it"},
		"failed, another is there":     {operation.Applied{Job: failed, Now: now, Stored: operation.StoredOther}, job, journal.VerdictFailed, "job FAILED"},
		"failed, and no read back":     {operation.Applied{Job: failed}, job, journal.VerdictFailed, "job FAILED"},
		"nothing was kept":             {operation.Applied{Now: now, Stored: operation.StoredOld}, kept, journal.VerdictFailed, "the site kept nothing of it"},
		"a part was kept":              {operation.Applied{Now: now, Stored: operation.StoredOther}, kept, journal.VerdictPartly, "the site differs from what was sent in 2 places"},
		"its end was not seen":         {operation.Applied{}, context.Canceled, "", ""},
	} {
		if verdict, because := c.applied.Verdict(c.err); verdict != c.verdict || because != c.because {
			t.Errorf("%s: %q, %q", name, verdict, because)
		}
	}
}

// A version that was saved before an edit which was not sent tells nothing of the edit before that.
func TestAVersionTellsOfTheEditAfterItAndOfNoEarlierOne(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "900")
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), edit, nil))
	p.Clock.Advance(time.Minute)
	operationtest.WantResult(t, adminapi.OutcomeNotSent, nil)(p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "901"), func(now operation.EditProgress) {
		if now.Step == operation.StepBackup {
			blockDrafts(t, p)
		}
	}))
	versions, err := p.Memory.Versions(edit.Target, p.Definition(t))
	if err != nil || len(versions) != 2 || versions[0].Ended != "how it ended is not known" {
		t.Errorf("%+v, %v", versions, err)
	}
	p = operationtest.WithJournal(t, "edit-answer-lost-not-performed")
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "900"), nil))
	if versions, err = p.Memory.Versions(edit.Target, p.Definition(t)); err != nil || len(versions) != 1 || versions[0].Ended != "outcome unknown" {
		t.Errorf("without an answer: %+v, %v", versions, err)
	}
}

func TestTheEndOfAnEditWhoseAnswerWasLostIsInItsRecord(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-answer-lost")
	edit := p.Edit(t, operationtest.Idle, "900")
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
	if found, err := settleEdit(t.Context(), p, p.SearchEdit(edit, "", nil)); err != nil || seenAs(found) != "done" {
		t.Fatal(seenAs(found), err)
	}
	p.WantSettled(t, journal.VerdictSucceeded, "the site has it")
}

func TestTheEndOfAHealthRunIsInItsRecord(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	run, outcome, err := operationtest.Apart(
		p.StartHealthRun(t.Context(), adminapi.HealthRun{Name: "nightly", SuiteIDs: []string{"BSHC-001"}}))
	if outcome != adminapi.OutcomeDone {
		t.Fatal(err)
	}
	p.WantSettled(t, "", "")
	if _, err := polling.Wait(t.Context(), p.Clock, run, nil); err != nil {
		t.Fatal(err)
	}
	p.WantSettled(t, journal.VerdictSucceeded, "report nightly")
}

func TestAServiceThatDoesNotSettleIsOnlyAccepted(t *testing.T) {
	t.Parallel()
	for _, stays := range []string{"", "STARTED", "STOPPING", "hibernating", "STARTED again"} { // empty: it stops; again: by somebody else
		p := operationtest.WithJournal(t, "healthy")
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if stays != "" && strings.HasSuffix(r.URL.Path, ".MapServer/status") {
				configured, is := "STOPPED", stays
				if started, again := strings.CutSuffix(stays, " again"); again {
					configured, is = started, started
				}
				_, _ = w.Write([]byte(`{"configuredState":"` + configured + `","realTimeState":"` + is + `"}`))
				return
			}
			pass()
		})
		stop := operation.Switch{Service: operationtest.Cities, Start: false}
		state, result := p.SwitchService(t.Context(), stop, nil, nil)
		want, because := journal.VerdictSucceeded, "the service is stopped"
		if stays != "" {
			want, because = "", ""
		}
		if !result.Done() || result.Verdict != want {
			t.Errorf("it is %q: %s, verdict %q, %v", stays, result.Outcome, result.Verdict, result.Err)
		}
		if why := stop.NotThere(result, state); (why == "") != (stays == "") || why != "" && !strings.HasPrefix(why, "accepted, but SampleWorldCities.MapServer is not there yet: ") {
			t.Errorf("it is %q: %q", stays, why)
		}
		p.WantSettled(t, want, because)
	}
}

// A program that was killed saw no end. The next one looks, and says nothing while it goes on.
func TestTheNextProgramRecordsHowAHealthRunEnded(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	run := adminapi.HealthRun{SuiteIDs: p.SuiteIDs(t), Name: "nightly"}
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.StartHealthRun(t.Context(), run))
	wantSettledBy(t, p, "", "")
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) { // some sites list what they still write
		if strings.HasSuffix(r.URL.Path, "/reports/query") {
			_, _ = fmt.Fprintf(w, `{"total":1,"num":1,"start":1,"nextStart":-1,"runs":[{"id":"p","name":"nightly","state":"in_progress","startTime":%d}]}`, operationtest.Start.UnixMilli())
			return
		}
		pass()
	})
	wantSettledBy(t, p, "", "")
	p.Intercept(func(_ http.ResponseWriter, _ *http.Request, pass func()) { pass() })
	p.Clock.Advance(10 * time.Minute)
	wantSettledBy(t, p, journal.VerdictSucceeded, "report nightly")
}

// wantSettledBy is WantSettled after a look of the next program.
func wantSettledBy(t *testing.T, p *operationtest.Platform, verdict journal.Verdict, because string) {
	t.Helper()
	if _, err := p.ResolveWrites(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.WantSettled(t, verdict, because)
}

func TestTheNextProgramRecordsHowAStopEnded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		passed     time.Duration
		state, job string // that the site then shows, and a state that is configured behind a blank; as it truly is where both are empty
		verdict    journal.Verdict
		because    string
		start      bool // it is a start
	}{
		"stopped":              {time.Hour, "", "", journal.VerdictSucceeded, "the service is stopped", false},
		"started":              {time.Hour, "", "", journal.VerdictSucceeded, "the service is started", true},
		"its job has failed":   {time.Hour, "STARTED", "FAILED", journal.VerdictFailed, "job FAILED", false},
		"its job goes on":      {time.Hour, "STARTED", "EXECUTING", "", "", false},
		"not stopped yet":      {time.Hour, "STARTED STOPPED", "EXECUTING", "", "", false},
		"not started yet":      {time.Hour, "STARTING STARTED", "EXECUTING", "", "", true},
		"too old to be judged": {25 * time.Hour, "", "", "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.WithJournal(t, "healthy")
			ctx, kill := context.WithCancel(t.Context())
			defer kill()
			if _, outcome, err := operationtest.Apart(p.SwitchService(ctx, operation.Switch{Service: operationtest.Cities, Start: c.start}, func(polling.Step[adminapi.Job]) { kill() }, nil)); outcome != adminapi.OutcomeDone || err == nil {
				t.Fatalf("%v, %v", outcome, err)
			}
			p.Clock.Advance(c.passed)
			p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
				switch at := r.URL.Path; {
				case c.state != "" && strings.HasSuffix(at, ".MapServer/status"):
					is, configured, _ := strings.Cut(c.state, " ")
					_, _ = fmt.Fprintf(w, `{"configuredState":%q,"realTimeState":%q}`, cmp.Or(configured, is), is)
				case c.job != "" && strings.HasSuffix(at, "/jobs"):
					_, _ = io.WriteString(w, `{"jobs":["jabcdef"]}`)
				case c.job != "" && strings.Contains(at, "/jobs/"):
					_, _ = fmt.Fprintf(w, `{"id":"jabcdef","status":%q,"username":"admin","operationURI":"/admin/services/SampleWorldCities.MapServer/stop","starttime":%d}`,
						c.job, operationtest.Start.UnixMilli())
				default:
					pass()
				}
			})
			wantSettledBy(t, p, c.verdict, c.because)
			p.WantSent(t, map[bool]string{false: "POST stop", true: "POST start"}[c.start], 1)
		})
	}
}

// What the site has after a later write says nothing of the one before.
func TestTheNextProgramJudgesOnlyTheLastWriteToAService(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	if _, outcome, _ := operationtest.Apart(p.SwitchService(ctx, operation.Switch{Service: operationtest.Cities, Start: true}, func(polling.Step[adminapi.Job]) { kill() }, nil)); outcome != adminapi.OutcomeDone {
		t.Fatal(outcome)
	}
	p.Clock.Advance(time.Hour)
	for _, start := range []bool{false, true} {
		if _, outcome, err := operationtest.Apart(p.SwitchService(t.Context(), operation.Switch{Service: operationtest.Cities, Start: start}, nil, nil)); outcome != adminapi.OutcomeDone || err != nil {
			t.Fatal(outcome, err)
		}
	}
	wantSettledBy(t, p, journal.VerdictSucceeded, "the service is started")
	records, err := p.Memory.Journal.Actions(0)
	if err != nil || len(records) != 3 || records[2].Verdict != "" {
		t.Errorf("%+v, %v", records, err)
	}
}
