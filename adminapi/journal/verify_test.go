package journal_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

const roads = "Hosted/Roads.MapServer"

// sent records a write under a claim, and returns that, to be released.
func sent(t *testing.T, j *journal.Journal, target, subject string, before func(*journal.Claim)) *journal.Claim {
	t.Helper()
	claim, err := j.Claim(target, subject)
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Release()
	if before != nil {
		before(claim)
	}
	w := write(uint64(time.Now().UnixNano()), nil)
	w.Target = target
	begin(t, j, w)
	j.AfterWrite(w, adminapi.OutcomeDone, nil)
	return claim
}

// busyFolder is a state folder after an upgrade, with its transcript, and two edits, with their
// backups: six lines. heads are the heads after each write, by the number of lines.
func busyFolder(t *testing.T) (folder string, j *journal.Journal, heads map[int]string) {
	t.Helper()
	folder = place(t)
	j = open(t, folder)
	heads = map[int]string{0: contentOf(t, headOf(j))}
	claim := sent(t, j, adminapi.TargetSite, "12.0", nil)
	heads[2] = contentOf(t, headOf(j))
	ours := theRun
	ours.Record = claim.Record()
	add(t, transcript(t, j, ours), journal.TranscriptLine{State: "in_progress", Messages: numbered(0, 1)})
	for i, content := range []string{"one", "two"} {
		sent(t, j, "service "+strings.ToLower(roads), roads, func(claim *journal.Claim) {
			if _, err := claim.SaveBackup("definition", roads, []byte(content), "ada", "before an edit"); err != nil {
				t.Fatal(err)
			}
		})
		heads[4+2*i] = contentOf(t, headOf(j))
	}
	return folder, j, heads
}

// remove removes what is named, below the folder of the journal.
func remove(t *testing.T, j *journal.Journal, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(j.Folder(), name)); err != nil {
			t.Fatal(err)
		}
	}
}

// keepLines cuts the log after some lines.
func keepLines(t *testing.T, j *journal.Journal, lines int) {
	t.Helper()
	put(t, logOf(j), strings.Join(strings.SplitAfter(contentOf(t, logOf(j)), "\n")[:lines], ""))
}

// faultsOf are the kinds and lines of the faults, and how many records are missing.
func faultsOf(t *testing.T, j *journal.Journal) string {
	t.Helper()
	v, err := j.Verify()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	records := 0
	for _, f := range v.Faults {
		if f.Kind == journal.FaultRecord {
			records++
		} else {
			found = append(found, fmt.Sprint(f.Kind, " ", f.Line))
		}
	}
	if records > 0 {
		found = append(found, fmt.Sprint("records ", records))
	}
	return strings.Join(found, ", ")
}

// removed are what was removed of the files of a journal, and what is found of it at once, and
// after the next write of the next program.
var removed = map[string]struct {
	names []string
	lines int // that are left
	head  int // the one that is put in place; 6 for that of now
	found string
	noted string
}{
	"nothing":                        {lines: 6, head: 6},
	"the backups and the transcript": {names: []string{"backups", "transcripts"}, lines: 6, head: 6},
	"the last line":                  {lines: 5, head: 6, found: "ending 6", noted: "ending 6"},
	"the last four lines":            {lines: 2, head: 6, found: "ending 6, records 2", noted: "ending 6, records 2"},
	"all lines":                      {lines: 0, head: 6, found: "ending 6, records 3", noted: "ending 6, records 3"},
	"the log":                        {names: []string{journal.LogName}, head: 6, found: "ending 6, records 3", noted: "ending 6, records 3"},
	"the head":                       {lines: 6, head: -1, found: "headMissing 0", noted: "headMissing 7"},
	"the head and the last line":     {lines: 5, head: -1, found: "headMissing 0", noted: "headMissing 6"},
	"the head and the last four":     {lines: 2, head: -1, found: "headMissing 0, records 2", noted: "headMissing 3, records 2"},
	"the head and all but a line":    {lines: 1, head: -1, found: "headMissing 0, records 2", noted: "headMissing 2, records 2"},
	"the head and the log":           {names: []string{journal.LogName}, head: -1, found: "log 0, records 3", noted: "headMissing 1, records 3"},
	"all but the backups":            {names: []string{journal.LogName, "transcripts", "lock", "programs"}, head: -1, found: "log 0, records 2", noted: "headMissing 1, records 2"},
	"all but the transcript":         {names: []string{journal.LogName, "backups", "lock", "programs"}, head: -1, found: "log 0, records 1", noted: "headMissing 1, records 1"},
	"the head, for the first":        {lines: 6, head: 0, found: "headOlder 0", noted: "headOlder 7"},
	"the head, for an earlier one":   {lines: 6, head: 4, found: "headOlder 0", noted: "headOlder 7"},
	"what came after four lines":     {lines: 4, head: 4, found: "records 1", noted: "records 1"},
	"what came after two lines":      {lines: 2, head: 2, found: "records 2", noted: "records 2"},
	"what came after no line":        {lines: 0, head: 0, found: "records 3", noted: "records 3"},
}

func TestWhatIsRemovedFromARecordIsToldAndStaysTold(t *testing.T) {
	t.Parallel()
	for name, c := range removed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, j, heads := busyFolder(t)
			keepLines(t, j, c.lines)
			put(t, headOf(j), heads[max(0, c.head)])
			remove(t, j, c.names...)
			if c.head < 0 {
				remove(t, j, journal.HeadName)
			}
			if got := faultsOf(t, j); got != c.found {
				t.Errorf("found %q, want %q", got, c.found)
			}
			next := open(t, folder)
			if got := faultsOf(t, next); got != c.found {
				t.Errorf("found %q once it was opened, want %q", got, c.found)
			}
			sent(t, next, adminapi.TargetSite, "12.1", nil)
			if got := faultsOf(t, next); got != c.noted {
				t.Errorf("found %q after the next write, want %q", got, c.noted)
			}
		})
	}
}

// Where nothing else tells of the writes either, a head or a log that was removed is not made anew as that of a
// record that begins.
func TestWhatIsRemovedWithoutAnyOtherTraceIsTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ gone, found, noted string }{
		"the head": {journal.HeadName, "headMissing 0", "headMissing 7"},
		"the log":  {journal.LogName, "ending 6", "ending 6"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := place(t)
			j := open(t, folder)
			threeWrites(t, j)
			remove(t, j, c.gone)
			next := open(t, folder)
			if got := faultsOf(t, next); got != c.found {
				t.Errorf("found %q once it was opened, want %q", got, c.found)
			}
			begin(t, next, write(9, nil))
			if got := faultsOf(t, next); got != c.noted {
				t.Errorf("found %q after the next write, want %q", got, c.noted)
			}
		})
	}
}

func TestSeveralFaultsAreAllTold(t *testing.T) {
	t.Parallel()
	_, j, heads := busyFolder(t)
	lines := strings.SplitAfter(contentOf(t, logOf(j)), "\n")
	lines[1] = strings.Replace(lines[1], "done", "gone", 1)
	now := contentOf(t, headOf(j))
	put(t, logOf(j), strings.Join(lines, ""))
	put(t, headOf(j), heads[4])
	if got := faultsOf(t, j); got != "changed 2" {
		t.Errorf("found %q of a head before the last lines, which prove nothing", got)
	}
	put(t, headOf(j), now)
	put(t, logOf(j), lines[0]+lines[1]+lines[2]+lines[5])
	remove(t, j, journal.HeadName)
	if got := faultsOf(t, j); got != "changed 2, order 4, headMissing 0" {
		t.Errorf("found %q", got)
	}
	v, err := j.Verify()
	if err != nil || v.Lines != 1 || v.Faults[0].Operation != "start the upgrade" {
		t.Errorf("%+v, %v", v, err)
	}
	at := func(at time.Time) string { return at.Format(time.TimeOnly) }
	remove(t, j, journal.LogName)
	v, _ = j.Verify()
	var told []string
	for _, f := range v.Faults {
		told = append(told, f.Sentence(at))
	}
	if want := []string{
		"the record is missing or empty, though writes have left other files",
	}; !slices.Equal(told[:1], want) || !strings.HasPrefix(told[1], "the transcript 20") || !strings.Contains(told[1], ", 12:00:") || !strings.HasPrefix(told[2], "the backup of "+roads+", 12:00:") ||
		!strings.Contains(told[3], ", belongs to a missing record: ") {
		t.Errorf("%q", told)
	}
}

func TestABackupThatIsMissingOrWasChangedIsTold(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"missing": os.Remove,
		"changed": func(path string) error { return os.WriteFile(path, []byte("three"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, j, _ := busyFolder(t)
			backups, err := j.Backups("definition", roads)
			if err != nil {
				t.Fatal(err)
			}
			if err := spoil(j.BackupPath("definition", roads, backups[0].ID)); err != nil {
				t.Fatal(err)
			}
			v, err := j.Verify()
			if err != nil || len(v.Faults) != 1 || v.Backups != 2 {
				t.Fatalf("%+v, %v", v, err)
			}
			at := func(at time.Time) string { return "NOW" }
			if f := v.Faults[0]; f.Kind != journal.FaultBackup || f.Sentence(at) != "the backup of "+roads+", NOW, is missing or was changed" || f.Meaning() != "What it held cannot be restored." {
				t.Errorf("%+v: %s. %s", f, f.Sentence(at), f.Meaning())
			}
		})
	}
}

// Of a record that has only begun nothing is said that it does not have.
func TestARecordWithoutOtherFilesProvesNothingOfThem(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	at := func(time.Time) string { return "THEN" }
	if v, err := j.Verify(); err != nil || v.Last != "" || !slices.Equal(v.Proof(at), []string{"Nothing was sent to this site from this machine yet."}) {
		t.Errorf("before the first line: %+v, %v", v, err)
	}
	threeWrites(t, j)
	if v, err := j.Verify(); err != nil || v.Last == "" || len(v.Proof(at)) != 3 || strings.Contains(strings.Join(v.Proof(at), ""), "backup") {
		t.Errorf("%q, %v", v.Proof(at), err)
	}
}

// A line that is damaged is there: what belongs to it is not told as missing it.
func TestADamagedRecordIsNotTakenForAMissingOne(t *testing.T) {
	t.Parallel()
	_, j, _ := busyFolder(t)
	lines := strings.SplitAfter(contentOf(t, logOf(j)), "\n")
	for i := 2; i < 4; i++ { // all of the first edit
		lines[i] = strings.Replace(lines[i], "/ctx/admin", "/CTX/admin", 1)
	}
	put(t, logOf(j), strings.Join(lines, ""))
	if _, err := j.SaveBackup("definition", "Hosted/Trees.MapServer", []byte("one"), "ada", "before an edit"); err != nil { // that was never sent
		t.Fatal(err)
	}
	if got := faultsOf(t, j); got != "changed 3, changed 4" {
		t.Errorf("found %q", got)
	}
}

// Where a line in the middle is gone, or one too many is there, the head does not fit either: that is no other fault.
func TestAFaultInTheMiddleIsToldOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(lines []string) []string
		found  string
	}{
		"a line removed":  {func(l []string) []string { return append(l[:2:2], l[3:]...) }, "order 3"},
		"a line repeated": {func(l []string) []string { return append(l[:6:6], l[5]) }, "order 7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := open(t, place(t))
			threeWrites(t, j)
			put(t, logOf(j), strings.Join(c.change(strings.SplitAfter(contentOf(t, logOf(j)), "\n")), ""))
			begin(t, j, write(9, nil))
			if got := faultsOf(t, j); got != c.found {
				t.Errorf("found %q, want %q", got, c.found)
			}
		})
	}
}

func TestAWholeRecordSaysWhatItProvesAndWhatNot(t *testing.T) {
	t.Parallel()
	_, j, heads := busyFolder(t)
	at := func(at time.Time) string { return at.Format(time.TimeOnly) }
	v, err := j.Verify()
	if oldest := actions(t, j)[2].Time; err != nil || v.Records != 3 || v.Backups != 2 || v.Transcripts != 1 || v.Unnamed != 0 || !v.From.Equal(oldest) {
		t.Errorf("%+v, %v", v, err)
	}
	got := v.Proof(at)
	if !strings.HasPrefix(got[0], "The record is as it was written: 3 records in 6 lines, from "+at(v.From)+" to "+at(v.To)) || !slices.Equal(got[1:], []string{
		"No line was changed, added, removed or cut from its end.",
		"Every backup (2) and transcript (1) belongs to a recorded write.",
		"Not proven: anyone who can write to the folder can forge a record that fits.",
	}) || !v.From.Before(v.To) {
		t.Errorf("%q", got)
	}
	begin(t, j, write(9, nil))
	put(t, headOf(j), heads[6])
	if _, err := j.SaveBackup("definition", "Hosted/Trees.MapServer", []byte("one"), "ada", "before an edit"); err != nil {
		t.Fatal(err)
	}
	put(t, j.TranscriptPath("damaged"), "{}\n")
	v, err = j.Verify()
	if got := strings.Join(v.Proof(at), "\n"); err != nil || len(v.Faults) > 0 || v.Unnamed != 1 || v.Uncounted != 1 ||
		!strings.Contains(got, "A program was cut off before actions.head counted the last line.") ||
		!strings.Contains(got, "1 backup without a record: never sent, or of an earlier version.") || !strings.Contains(got, "Not checked: the transcript is damaged") {
		t.Errorf("%+v, %v:\n%s", v, err, got)
	}
}

// What earlier versions have left names no record: only what must have had one is missed.
func TestRecordsOfEarlierVersionsAreNoFalseAlarm(t *testing.T) {
	t.Parallel()
	log, err := os.ReadFile("testdata/actions-of-1.4.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	head := contentOf(t, "testdata/actions-of-1.4.head")
	older := contentOf(t, "testdata/actions-of-0.9.jsonl")
	first := strings.SplitAfter(string(log), "\n")[0]
	theirs, ours := theRun, theRun
	theirs.Here = false
	for name, c := range map[string]struct {
		log, head  string
		backup     string // of which service
		transcript *journal.TranscriptRun
		found      string
		ending     bool
		unnamed    int
	}{
		"whole":                            {log: string(log), head: head, backup: roads, transcript: &ours, ending: true},
		"without its head":                 {log: string(log), found: "headMissing 0"},
		"the first line, the head cut off": {log: first},
		"a version that takes no head without lines": {log: string(log), head: "none"},
		"before there were heads":                    {log: older},
		"a backup that was never sent":               {log: string(log), head: head, backup: "Hosted/Trees.MapServer", ending: true, unnamed: 1},
		"an upgrade of somebody else":                {transcript: &theirs},
		"an upgrade that only a transcript tells":    {transcript: &ours, found: "log 0, records 1"},
		"a backup alone":                             {backup: roads, found: "log 0, records 1"},
		"an upgrade from here that is not in it":     {log: strings.ReplaceAll(older, `"target":"upgrade"`, `"target":"UPGRADE"`), transcript: &ours, found: "changed 1, changed 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := place(t)
			j := open(t, folder)
			if c.backup != "" {
				if _, err := j.SaveBackup("definition", c.backup, []byte("one"), "ada", "before an edit"); err != nil {
					t.Fatal(err)
				}
			}
			if c.transcript != nil {
				add(t, transcript(t, j, *c.transcript), journal.TranscriptLine{State: "in_progress", Messages: numbered(0, 1)})
			}
			none := contentOf(t, headOf(j))
			remove(t, j, journal.HeadName)
			if c.log != "" {
				put(t, logOf(j), c.log)
			}
			if c.head != "" {
				put(t, headOf(j), strings.Replace(c.head, "none", none, 1))
			}
			v, err := j.Verify()
			if got := faultsOf(t, j); err != nil || got != c.found || v.Ending != c.ending || v.Unnamed != c.unnamed {
				t.Errorf("found %q, want %q: %+v, %v", got, c.found, v, err)
			}
			if begin(t, open(t, folder), write(9, nil)); c.found == "" && faultsOf(t, j) != "" {
				t.Errorf("found %q after the next write", faultsOf(t, j))
			}
		})
	}
}

// A transcript of an earlier version names no record, and nothing else has sent an upgrade.
func TestAnUpgradeFromHereWithoutAnyRecordOfOneIsMissed(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	w := write(1, nil)
	w.Path = "/ctx/admin/healthCheck/run"
	begin(t, j, w)
	add(t, transcript(t, j, theRun), journal.TranscriptLine{State: "in_progress", Messages: numbered(0, 1)})
	if got := faultsOf(t, j); got != "records 1" {
		t.Errorf("found %q", got)
	}
	begin(t, j, write(2, nil)) // an upgrade, but after the transcript
	if got := faultsOf(t, j); got != "records 1" {
		t.Errorf("found %q after a later upgrade", got)
	}
}

// watchedFiles call see before a file is opened.
type watchedFiles struct {
	journal.SystemFiles
	see func()
}

func (f watchedFiles) Open(path string, flags int, mode fs.FileMode) (journal.File, error) {
	f.see()
	return f.SystemFiles.Open(path, flags, mode)
}

// What is written while a record is verified is no fault of it.
func TestARecordIsVerifiedWhileOthersWriteToIt(t *testing.T) {
	t.Parallel()
	for nth, opened := 1, 1; opened >= nth; nth++ {
		folder, other, _ := busyFolder(t)
		opened = 0
		reader, err := journal.OpenExisting(folder, site, journal.WithFiles(watchedFiles{see: func() {
			if opened++; opened == nth {
				sent(t, other, "service "+strings.ToLower(roads), roads, func(claim *journal.Claim) {
					if _, err := claim.SaveBackup("definition", roads, fmt.Append(nil, nth), "ada", "before an edit"); err != nil {
						t.Fatal(err)
					}
				})
			}
		}}))
		if err != nil {
			t.Fatal(err)
		}
		if v, err := reader.Verify(); err != nil || len(v.Faults) > 0 {
			t.Errorf("with a write before file %d is opened: %+v, %v", nth, v.Faults, err)
		}
	}
}

// Of lines that are missing at the end it says which, and nothing of what it cannot know.
func TestWhatIsSaidOfTheEndOfARecordIsKnown(t *testing.T) {
	t.Parallel()
	at := func(time.Time) string { return "THEN" }
	for lines, want := range map[int]string{
		5: "line 6 of the record, once its last, is missing, THEN",
		2: "lines 3 to 6 of the record, once its last, are missing, THEN",
		0: "lines 1 to 6 of the record, once its last, are missing, THEN",
	} {
		_, j, _ := busyFolder(t)
		keepLines(t, j, lines)
		if v, err := j.Verify(); err != nil || len(v.Faults) == 0 || v.Faults[0].Sentence(at) != want {
			t.Errorf("%+v, %v: want %q", v.Faults, err, want)
		}
		begin(t, j, write(9, nil)) // when they were written is not known then
		want = strings.TrimSuffix(want, ", THEN")
		if v, err := j.Verify(); err != nil || len(v.Faults) == 0 || v.Faults[0].Sentence(at) != want {
			t.Errorf("after the next write %+v, %v: want %q", v.Faults, err, want)
		}
	}
	proof := func(j *journal.Journal) string {
		t.Helper()
		v, err := j.Verify()
		if err != nil || len(v.Faults) > 0 {
			t.Fatalf("%+v, %v", v.Faults, err)
		}
		return strings.Join(v.Proof(at), "\n")
	}
	const whole, unknown = "removed or cut from its end.", "Whether its end was cut is known after the next write."
	old := open(t, place(t))
	put(t, logOf(old), contentOf(t, "testdata/actions-of-0.9.jsonl"))
	remove(t, old, journal.HeadName)
	if told := proof(old); strings.Contains(told, whole) || !strings.Contains(told, unknown) {
		t.Errorf("of a record without a head: %s", told)
	}
	begin(t, old, write(1, nil))
	if told := proof(old); !strings.Contains(told, whole) || strings.Contains(told, unknown) {
		t.Errorf("after the next write: %s", told)
	}

	behind := open(t, place(t))
	journal.BetweenDisk(t, behind, func(step, path string) error {
		if step == "rename" && path == headOf(behind) {
			return syscall.ENOSPC
		}
		return nil
	})
	for id, want := range []string{"counted the last line.", "counted the last 2 lines.", "counted the last 3 lines."} {
		if begin(t, behind, write(uint64(id), nil)); !strings.Contains(proof(behind), want) {
			t.Errorf("%s, want %q", proof(behind), want)
		}
	}
}

// The head of another record is none of this one, though no byte of it was changed.
func TestTheHeadOfAnotherSiteIsNotTakenForTheOwn(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	threeWrites(t, j)
	other, err := journal.Open(place(t), "https://other.example.org/ctx", journal.WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	threeWrites(t, other)
	put(t, headOf(j), contentOf(t, headOf(other)))
	wantFault(t, j, journal.FaultHead, 0)
}

// What is beside the record is not told as checked where it could not be read.
func TestBackupsThatCannotBeReadAreNoPartOfAProof(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(backups, index string) error
		says  string
	}{
		"a list that is a link": {func(_, index string) error { return errors.Join(os.Remove(index), os.Symlink("/dev/null", index)) }, "symbolic link"},
		"a file in their place": {func(backups, _ string) error {
			return errors.Join(os.RemoveAll(backups), os.WriteFile(backups, nil, 0o600))
		}, "not a folder"},
		"a file of somebody": {func(backups, _ string) error {
			return os.WriteFile(filepath.Join(backups, "notes.txt"), []byte("mine"), 0o600)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, j, _ := busyFolder(t)
			all, err := j.Backups("definition", roads)
			if err != nil {
				t.Fatal(err)
			}
			index := filepath.Join(filepath.Dir(j.BackupPath("definition", roads, all[0].ID)), "index.jsonl")
			if err := c.spoil(filepath.Join(j.Folder(), "backups"), index); err != nil {
				t.Fatal(err)
			}
			v, err := j.Verify()
			if c.says != "" {
				wantSentence(t, err, c.says)
			} else if err != nil || len(v.Faults) > 0 || v.Backups != 2 {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
}

// A line of the list that is not whole is no backup, and names no record.
func TestADamagedLineOfTheListOfBackupsIsNone(t *testing.T) {
	t.Parallel()
	_, j, _ := busyFolder(t)
	before, err := j.Backups("definition", roads)
	if err != nil {
		t.Fatal(err)
	}
	newest := before[0].ID
	appendTo(t, filepath.Join(filepath.Dir(j.BackupPath("definition", roads, newest)), "index.jsonl"),
		`{"id":"20261120T120000.000Z-000000000000","saved":"2026-11-20T12:00:00Z","bytes":"x"}`+"\n"+
			`{"backup":"`+newest+`","record":"AAAAAAAA-1"`+"\n"+`{"backup":"`+newest+`"}`+"\n\x00\n")
	if all, err := j.Backups("definition", roads); err != nil || !slices.Equal(all, before) {
		t.Errorf("%+v, %v", all, err)
	}
	if v, err := j.Verify(); err != nil || len(v.Faults) > 0 || v.Backups != 2 {
		t.Errorf("%+v, %v", v, err)
	}
}
