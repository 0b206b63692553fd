package checkout_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/checkout"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

// compared compares one part with its file.
func (f *folder) compared(target editing.Target) checkout.Comparison {
	f.t.Helper()
	return f.Compare(f.t.Context(), f.p.Site, []editing.Target{target}, false, nil)[0]
}

// pullOf pulls as a person does, who names the site.
func (f *folder) pullOf(target editing.Target) {
	f.t.Helper()
	f.Index.Address = journal.SiteOf(f.p.Client.Base())
	f.pull(false, target)
}

// elsewhere takes the folder to another site, which has the same services.
func (f *folder) elsewhere() {
	f.t.Helper()
	f.p = operationtest.WithJournal(f.t, "healthy")
}

// changedByOthers changes a setting of the site.
func (f *folder) changedByOthers(path document.Path, raw string) {
	f.t.Helper()
	if _, r := f.p.ApplyEdit(f.t.Context(), f.p.Edit(f.t, path, raw), nil); r.Err != nil {
		f.t.Fatal(r.Err)
	}
}

// appliedBefore gives the folder another one, as what was applied last; an empty text is no file.
func (f *folder) appliedBefore(file, text string) {
	f.t.Helper()
	path := f.t.TempDir()
	if text != "" {
		if err := os.WriteFile(filepath.Join(path, file), []byte(text), 0o600); err != nil {
			f.t.Fatal(err)
		}
	}
	before, err := checkout.Open(path)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = before.Close() })
	f.Before = before
}

// loseIndex takes away what tells what was pulled.
func (f *folder) loseIndex() {
	f.t.Helper()
	if err := os.Remove(filepath.Join(f.path, checkout.IndexFile)); err != nil {
		f.t.Fatal(err)
	}
	f.open()
}

// Whether others changed what a file overwrites is known from the pull, or from what was applied last. Where
// neither tells, it may be.
func TestWhyAFileMayOverwriteWhatOthersChangedIsSaid(t *testing.T) {
	t.Parallel()
	const unknown = "what the site had when the file was written is not known"
	target := editing.DefinitionOf(operationtest.Cities)
	for name, tt := range map[string]struct {
		since func(f *folder, pulled string) // what has happened since the pull
		want  string                         // how it begins; empty where nobody changed anything
		dated bool
	}{
		"nothing": {func(*folder, string) {}, "", false},
		"a change": {func(f *folder, _ string) { f.changedByOthers(operationtest.Idle, "1801") },
			"the site was changed since the pull of 2026-11-20 22:00:00 UTC", true},
		"the index is lost": {func(f *folder, _ string) { f.loseIndex() }, unknown, false},
		"an index without files": {func(f *folder, _ string) {
			f.write(checkout.IndexFile, `{"schemaVersion":1,"address":"`+f.Index.Address+`","files":null}`)
			f.open()
		}, unknown, false},
		"another site": {func(f *folder, _ string) { f.elsewhere() }, "", false},
		"another site that has something else": {func(f *folder, _ string) {
			f.elsewhere()
			f.changedByOthers(operationtest.Idle, "1801")
		}, "the files were pulled from http", false},
		"applied before, and as it was": {func(f *folder, pulled string) {
			f.loseIndex()
			f.appliedBefore(cities, pulled)
		}, "", false},
		"applied before, written by hand": {func(f *folder, pulled string) {
			f.appliedBefore(cities, strings.Replace(strings.Replace(pulled, "{", `{"id": "another", `, 1), "1000.0", "1e3", 1))
		}, "", false},
		"applied before, then changed": {func(f *folder, pulled string) {
			f.appliedBefore(cities, pulled)
			f.changedByOthers(operationtest.Idle, "1801")
		}, "the site was changed since the file was applied: maxIdleTime", false},
		"applied before, on another site": {func(f *folder, pulled string) {
			f.elsewhere()
			f.changedByOthers(operationtest.Idle, "1801")
			f.appliedBefore(cities, strings.Replace(pulled, `"maxIdleTime": 1800`, `"maxIdleTime": 1801`, 1))
		}, "", false},
		"others were applied before": {func(f *folder, _ string) {
			f.appliedBefore(cities, "")
			f.changedByOthers(operationtest.Idle, "1801")
		}, "the site was changed since the pull of 2026-11-20 22:00:00 UTC", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			f.pullOf(target)
			pulled := f.read(cities)
			f.replace(cities, `"maxRecordCount": 4000`, `"maxRecordCount": 2000`)
			tt.since(&f, pulled)
			c := f.compared(target)
			if c.Err != nil || !c.Differs() || !strings.HasPrefix(c.Drifted, tt.want) || (c.Drifted == "") != (tt.want == "") || c.Drift.IsZero() == tt.dated {
				t.Errorf("%q, since %v, %v, %v", c.Drifted, c.Drift, c.Changes, c.Err)
			}
			var left *editing.NotAcceptedError
			asks := errors.As(f.plan()[0].Sendable(), &left) && slices.Contains(finding.Words(left.Findings), "drift")
			if asks != (tt.want != "") {
				t.Errorf("that drift be accepted is asked: %v", asks)
			}
		})
	}
}

func TestAFileThatCannotBeReadAsAppliedBeforeIsNotSent(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	target := editing.DefinitionOf(operationtest.Cities)
	f.pull(false, target)
	f.replace(cities, `"maxRecordCount": 4000`, `"maxRecordCount": 2000`)
	f.appliedBefore(cities, "{")
	if c := f.compared(target); !errors.As(c.Err, new(*checkout.FileError)) || c.Differs() {
		t.Errorf("%+v", c)
	}
	if e := f.plan()[0]; !errors.As(e.Refused, new(*checkout.FileError)) {
		t.Errorf("refused: %v", e.Refused)
	}
}

// Else what that site has would hide what others change on the one that the files are of.
func TestWhatIsAppliedToAnotherSiteIsNotNotedAsPulled(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.pullOf(editing.DefinitionOf(operationtest.Cities))
	index, of := f.read(checkout.IndexFile), f.Index.Address
	f.elsewhere()
	f.replace(cities, `"maxRecordCount": 4000`, `"maxRecordCount": 2000`)
	if files := f.apply(); !slices.Equal(files, []string{cities}) {
		t.Fatalf("applied: %v", files)
	}
	if now := f.read(checkout.IndexFile); now != index || of == journal.SiteOf(f.p.Client.Base()) {
		t.Errorf("of %s it says %s", of, now)
	}
}
