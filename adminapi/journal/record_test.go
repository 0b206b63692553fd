package journal_test

import (
	"fmt"
	"os"
	"os/user"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

func TestARecordKeepsWhatItsWriteDoes(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	w := write(1, nil)
	w.Kind, w.User = adminapi.WriteRollback, "admin" // whatever its path
	begin(t, j, w)
	if r := actions(t, j)[0]; r.Kind != adminapi.WriteRollback || r.User != "admin" {
		t.Errorf("of kind %q, of user %q", r.Kind, r.User)
	}
}

func TestARecordSaysWhereItWasSentByWhichCommandAndWhy(t *testing.T) {
	t.Parallel()
	reason, err := journal.ParseReason(" CHG-123\u200b: password=CANARY1 \n")
	if err != nil || reason != "CHG-123: password=[secret]" {
		t.Errorf("%q, %v", reason, err)
	}
	j, err := journal.Open(place(t), site, journal.WithoutSync(), journal.WithProgram(journal.Program{User: "ada", Host: "adm1", PID: 4711}),
		journal.WithSender("gis", []string{"--token-file", "/CANARY2", "service", "edit", "--set", "a.password=CANARY 3", "x y\x1b"}, reason))
	if err != nil {
		t.Fatal(err)
	}
	begin(t, j, write(1, nil))
	want := journal.Sender{
		Site: "gis", Address: site, Account: "ada", Host: "adm1", Process: 4711, Reason: reason,
		Command: "geodeck --token-file '…' service edit --set 'a.password=[secret]' 'x y'",
	}
	if got := actions(t, j)[0].Sender; got != want {
		t.Errorf("it says %+v", got)
	}
	wantIntact(t, j)
	for _, bad := range []string{strings.Repeat("ä", 501), "two\nlines", "a\tb", "a\x1b[0m"} {
		if _, err := journal.ParseReason(bad); err == nil {
			t.Errorf("%q is a reason", bad)
		}
	}
	if _, err := journal.ParseReason(strings.Repeat("ä", 500)); err != nil {
		t.Error(err)
	}
}

// The next write waits for what may have changed its target, and for nothing else.
func TestOnlyAChangeOfUnknownOutcomeIsOpen(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	begin(t, j, write(1, nil)) // a health check that nobody has heard of again
	for id, outcome := range map[uint64]adminapi.Outcome{2: adminapi.OutcomeDone, 3: adminapi.OutcomeRefused, 4: adminapi.OutcomeNotSent, 5: adminapi.OutcomeUnknown} {
		w := write(id, nil)
		w.Target = outcome.String()
		claim, err := j.Claim(w.Target, w.Target)
		if err != nil {
			t.Fatal(err)
		}
		begin(t, j, w)
		j.AfterWrite(w, outcome, nil)
		claim.Release()
	}
	if open, err := j.OpenRecords(""); err != nil || len(open) != 1 || open[0].Target != adminapi.OutcomeUnknown.String() {
		t.Errorf("%+v, %v", open, err)
	}
}

// Without anything to go by, a record names the account and machine of the system; a draft does so before any record.
func TestRecordsAndDraftsNameTheAccountOfTheSystem(t *testing.T) {
	t.Parallel()
	account, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	j := open(t, place(t))
	save(t, j, "of the first")
	if who := drafts(t, j)[0].Program; who.User != account.Username || who.Host != host || who.PID != os.Getpid() {
		t.Errorf("the draft is that of %v", who)
	}
	j = open(t, place(t))
	begin(t, j, write(1, nil))
	r := actions(t, j)[0]
	if r.Account != account.Username || r.Host != host || r.Process != os.Getpid() || r.By != fmt.Sprintf("%s on %s (process %d)", account.Username, host, os.Getpid()) {
		t.Errorf("%+v", r)
	}
	if got := journal.Account(); got != account.Username+" on "+host {
		t.Errorf("the account is %q", got)
	}
}

// The demonstration has no site that somebody could look for.
func TestAThrowawayRecordNamesNoSite(t *testing.T) {
	t.Parallel()
	j, err := journal.OpenThrowaway()
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	begin(t, j, write(1, nil))
	if got := actions(t, j)[0].Address; got != "" {
		t.Errorf("it was sent to %q", got)
	}
}

func TestTheKindOfAnEarlierRecordIsReadFromItsPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]adminapi.WriteKind{
		"/gis/admin/healthCheck/run":                                 adminapi.WriteHealthRun,
		"/gis/admin/healthCheck/reports/delete":                      adminapi.WriteReportDeletion,
		"/gis/admin/services/X.MapServer/edit":                       adminapi.WriteDefinition,
		"/gis/admin/services/a/X.MapServer/placementPolicy/edit":     adminapi.WriteRules,
		"/gis/admin/services/a/X.MapServer/start":                    adminapi.WriteStart,
		"/gis/admin/services/upgrade/delete.MapServer/stop":          adminapi.WriteStop,
		"/gis/admin/system/upgrades/importManifest":                  adminapi.WriteManifest,
		"/gis/admin/system/upgrades/upgrade":                         adminapi.WriteUpgrade,
		"/gis/admin/system/upgrades/rollback":                        adminapi.WriteRollback,
		"/gis/admin/uploads/upload":                                  adminapi.WriteUpload,
		"/gis/admin/uploads/i1/delete":                               adminapi.WriteUploadDeletion,
		"/gis/admin/services/edit":                                   "",
		"/gis/admin/something/else":                                  "",
		"":                                                           "",
		"/admin/admin/system/upgrades/upgrade":                       "", // a context that ends the first part: not read
		"/gis/admin/services/X.MapServer/placementPolicy/edit/later": "",
	} {
		j := open(t, place(t))
		w := write(1, nil)
		w.Path = path
		begin(t, j, w)
		if r := actions(t, j)[0]; r.Kind != want {
			t.Errorf("%s is of kind %q, not %q", path, r.Kind, want)
		}
	}
}

func TestAnAcceptedWriteIsSettledOnceAndKeepsItsOutcome(t *testing.T) {
	t.Parallel()
	folder := place(t)
	j := open(t, folder)
	begin(t, j, write(1, nil))
	id := actions(t, j)[0].ID
	if err := j.Settle(id, journal.VerdictFailed, "too early"); err == nil {
		t.Error("a write is settled whose outcome is unknown")
	}
	j.AfterWrite(write(1, nil), adminapi.OutcomeDone, nil)
	if r := actions(t, j)[0]; r.Verdict != "" || !r.Settled.IsZero() {
		t.Errorf("a write that was only accepted has the verdict %q", r.Verdict)
	}
	for _, by := range []*journal.Journal{j, open(t, folder)} {
		if err := by.Settle(id, journal.VerdictRolledBack, "the site has undone\nthe patch"); err != nil {
			t.Fatal(err)
		}
	}
	r := actions(t, j)[0]
	if r.Outcome != adminapi.OutcomeDone || r.Verdict != journal.VerdictRolledBack || r.Because != "the site has undone the patch" || !r.Settled.After(r.Finished) {
		t.Errorf("settled as %+v", r)
	}
	if lines, err := j.RecordLines(id); err != nil || len(lines) != 3 || !strings.Contains(string(lines[2].JSON), `"settled"`) {
		t.Errorf("its lines are %v, %v", lines, err)
	}
	wantSentence(t, j.Settle("ABCDEFGH-9", journal.VerdictFailed, ""), "the journal has no write ABCDEFGH-9")
	begin(t, j, write(2, nil))
	j.AfterWrite(write(2, nil), adminapi.OutcomeRefused, nil)
	if err := j.Settle(actions(t, j)[0].ID, journal.VerdictSucceeded, ""); err == nil {
		t.Error("a refused write succeeded")
	}
	wantIntact(t, j)
}
