package journal_test

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

func TestNoFileOfTheJournalHoldsACharacterThatATerminalObeys(t *testing.T) {
	t.Parallel()
	const obeyed = "\u0085\u009b\x7f\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069"
	folder := place(t)
	j := open(t, folder)
	w := write(1, url.Values{"runName": {"a" + obeyed}})
	begin(t, j, w)
	j.AfterWrite(w, adminapi.OutcomeRefused, &adminapi.Error{Message: obeyed})
	m := adminapi.UpgradeMessage{Code: 7, When: 5, Message: "b" + obeyed, Unknown: []byte(`{"c":"` + obeyed + `"}`)}
	theirs := theRun
	theirs.Here = false // nothing here has started it
	tr := transcript(t, j, theirs)
	add(t, tr, journal.TranscriptLine{State: "d" + obeyed, Messages: []journal.TranscriptMessage{{UpgradeMessage: m, Nth: 1}}})
	if _, err := j.SaveBackup("definition", "f", []byte("{}"), "e"+obeyed, "why"+obeyed); err != nil {
		t.Fatal(err)
	}
	_, lines := readBack(t, j, tr.ID())
	if records := actions(t, j); records[0].Fields.Get("runName") != "a"+obeyed || lines[0].Messages[0].Message != m.Message || lines[0].State != "d"+obeyed {
		t.Errorf("read back as %q and %q", records[0].Fields, lines[0].State)
	}
	read := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".jsonl" {
			return err
		}
		content, err := os.ReadFile(path)
		if read++; strings.ContainsAny(string(content), obeyed) {
			t.Errorf("%s holds %q", path, content)
		}
		return err
	})
	if err != nil || read != 3 {
		t.Errorf("%d files, %v", read, err)
	}
	if v, err := j.Verify(); len(v.Faults) > 0 || err != nil {
		t.Errorf("%+v, %v", v.Faults, err)
	}
}
