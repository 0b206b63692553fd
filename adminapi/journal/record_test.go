package journal_test

import (
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
	if err := j.Settle("ABCDEFGH-9", journal.VerdictFailed, ""); err == nil {
		t.Error("a write that nobody made is settled")
	}
	begin(t, j, write(2, nil))
	j.AfterWrite(write(2, nil), adminapi.OutcomeRefused, nil)
	if err := j.Settle(actions(t, j)[0].ID, journal.VerdictSucceeded, ""); err == nil {
		t.Error("a refused write succeeded")
	}
	wantIntact(t, j)
}
