package journal_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

// forged is a log, and its head, of the lines that somebody wants to be there: the chain fits.
func forged(t *testing.T, j *journal.Journal, ids ...uint64) {
	t.Helper()
	for _, name := range []string{logOf(j), headOf(j)} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	other := open(t, filepath.Dir(j.Folder()))
	for _, id := range ids {
		begin(t, other, write(id, nil))
		other.AfterWrite(write(id, nil), adminapi.OutcomeDone, nil)
	}
}

// C5: a log and a head that both were written anew pass as they are, and fail at the first anchor that does not fit.
func TestAnAnchorShowsARecordThatWasWrittenAnew(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	var file []byte
	anchor := func(of *journal.Journal) {
		v, err := of.Verify()
		line, failed := json.Marshal(of.Anchor(v))
		if file = append(append(file, line...), '\n'); err != nil || failed != nil || v.Last == "" {
			t.Fatal(v, err, failed)
		}
	}
	check := func(want string) journal.Verification {
		t.Helper()
		if plain, err := j.Verify(); err != nil || len(plain.Faults) > 0 {
			t.Fatalf("without anchors: %+v, %v", plain, err)
		}
		v, err := j.Verify(journal.AnchorsIn(file, site)...)
		got := ""
		for _, f := range v.Faults {
			got += f.Sentence(func(time.Time) string { return "then" }) + "; "
		}
		if err != nil || got != want {
			t.Errorf("found %q, not %q, %v", got, want, err)
		}
		return v
	}
	begin(t, j, write(1, nil))
	anchor(j)
	other, err := journal.Open(place(t), "https://other.example.org/ctx", journal.WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	begin(t, other, write(1, nil))
	anchor(other) // line 2 is of another site
	j.AfterWrite(write(1, nil), adminapi.OutcomeDone, nil)
	begin(t, j, write(2, nil))
	anchor(j)
	file = append(file, "\n"+`{"address":"https://gis.example.org/ctx","lines":3}`+"\n<html>\n"...)
	const broken = "line 5 of the anchors is no anchor of a site; line 6 of the anchors is no anchor of a site; "
	if v := check(broken); v.Anchors != 2 || v.Anchored != 3 || v.Lines != 3 {
		t.Errorf("%+v", v)
	}
	j.AfterWrite(write(2, nil), adminapi.OutcomeDone, nil)
	file = file[:strings.LastIndex(strings.TrimSpace(string(file[:len(file)-8])), "\n")]
	v := check("")
	if told := strings.Join(v.Proof(func(time.Time) string { return "then" }), "\n"); !strings.HasSuffix(told,
		"Not proven: anyone who can write to the folder can forge the lines after 3.\nAnchors that fit: 2. Since then nothing up to line 3 was changed or cut.") {
		t.Error(told)
	}
	lines := strings.Split(strings.TrimSpace(string(file)), "\n")
	slices.Reverse(lines) // in a file of several machines they may be in any order
	if v, err := j.Verify(journal.AnchorsIn([]byte(strings.Join(lines, "\n")), site)...); err != nil || len(v.Faults) > 0 || v.Anchors != 2 || v.Anchored != 3 {
		t.Errorf("in another order: %+v, %v", v, err)
	}
	forged(t, j, 1, 2)
	first := "line 1 of the anchors, then, does not fit: line 1 of the record is another one; "
	check(first + "line 3 of the anchors, then, does not fit: line 3 of the record is another one; ")
	forged(t, j, 1)
	check(first + "line 3 of the anchors, then, does not fit: of 3 lines the record has 2; ")
	none, err := journal.OpenExisting(place(t), site)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if v, err := none.Verify(journal.AnchorsIn(file, site)...); err != nil || len(v.Faults) != 2 || v.Anchors != 0 {
		t.Errorf("of no log: %+v, %v", v, err)
	}
}

// The line that it names may be as it was, and those before it others.
func TestAnAnchorAfterAChangedLineProvesNothing(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	for id := range 2 {
		begin(t, j, write(uint64(id+1), nil))
		j.AfterWrite(write(uint64(id+1), nil), adminapi.OutcomeDone, nil)
	}
	before, err := j.Verify()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(j.Folder(), journal.LogName)
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(strings.Replace(string(text), `"event":"before"`, `"event":"Before"`, 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	v, err := j.Verify(j.Anchor(before))
	if err != nil || len(v.Faults) == 0 || v.Anchors != 0 || v.Anchored != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	other := j.Anchor(before)
	other.Last = strings.Repeat("0", len(other.Last))
	if with, err := j.Verify(other); err != nil || len(with.Faults) != len(v.Faults)+1 || with.Faults[len(v.Faults)].Kind != journal.FaultAnchor {
		t.Errorf("of another line: %+v, %v", with, err)
	}
}

// The checksum of the last line proves no lines that are not there.
func TestAnAnchorOfMoreLinesThanThereAreDoesNotFit(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	threeWrites(t, j)
	v, err := j.Verify()
	if err != nil {
		t.Fatal(err)
	}
	more := j.Anchor(v)
	line, err := json.Marshal(more)
	if all := journal.AnchorsIn(line, " HTTPS://gis.EXAMPLE.org:443/ctx/"); err != nil || len(all) != 1 || all[0].Last != v.Last {
		t.Errorf("of another spelling of the site: %+v, %v", all, err)
	}
	more.Lines++
	if v, err = j.Verify(more); err != nil || v.Anchors != 0 || len(v.Faults) != 1 || v.Faults[0].Kind != journal.FaultAnchor {
		t.Errorf("%+v, %v", v, err)
	}
}

// A line that is no anchor is told, whatever it has of one: who wrote it relies on it.
func TestALineThatIsNoAnchorIsTold(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	threeWrites(t, j)
	for _, line := range []string{
		`{"address":"https://gis.example.org/ctx","lines":-3,"checksum":"x"}`, `{"address":"https://gis.example.org/ctx","lines":0,"checksum":"x"}`,
		`{"address":"gis.example.org","lines":3,"checksum":"x"}`, `{"lines":3,"checksum":"x"}`,
		`{"address":"https://gis.example.org/ctx","lines":3,"checksum":"x","time":"yesterday"}`,
		`{"address":"https://other.example.org/ctx","lines":0,"checksum":"x"}`,
	} {
		v, err := j.Verify(journal.AnchorsIn([]byte("\n"+line+"\n"), site)...)
		if err != nil || len(v.Faults) != 1 || v.Faults[0].Sentence(nil) != "line 2 of the anchors is no anchor of a site" {
			t.Errorf("%s: %+v, %v", line, v.Faults, err)
		}
	}
}
