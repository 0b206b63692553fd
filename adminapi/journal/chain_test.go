package journal_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

// threeWrites records three writes, six lines.
func threeWrites(t testing.TB, j *journal.Journal) {
	t.Helper()
	for id := range uint64(3) {
		if err := j.BeforeWrite(write(id, nil)); err != nil {
			t.Fatal(err)
		}
		j.AfterWrite(write(id, nil), adminapi.OutcomeDone, nil)
	}
	if v, err := j.Verify(); err != nil || v.Fault != nil || v.Lines != 6 || !v.Ending {
		t.Fatalf("%+v, %v", v, err)
	}
}

func headOf(j *journal.Journal) string { return filepath.Join(j.Folder(), "actions.head") }

func wantFault(t *testing.T, j *journal.Journal, kind journal.FaultKind, line int) {
	t.Helper()
	v, err := j.Verify()
	if err != nil || v.Fault == nil || v.Fault.Kind != kind || v.Fault.Line != line {
		t.Fatalf("found %+v, want %s at line %d (error %v)", v.Fault, kind, line, err)
	}
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestAChangedLogIsNoticedAtItsFirstBrokenLine(t *testing.T) {
	t.Parallel()
	changes := map[string]struct {
		change func(lines []string) []string
		kind   journal.FaultKind
		line   int
	}{
		"a word changed":      {func(l []string) []string { l[2] = strings.Replace(l[2], "upgrade", "UPGRADE", 1); return l }, journal.FaultChanged, 3},
		"the last changed":    {func(l []string) []string { l[5] = strings.Replace(l[5], "done", "gone", 1); return l }, journal.FaultChanged, 6},
		"the first changed":   {func(l []string) []string { l[0] = strings.Replace(l[0], "before", "after_", 1); return l }, journal.FaultChanged, 1},
		"the last removed":    {func(l []string) []string { return l[:5] }, journal.FaultEnding, 6},
		"all removed":         {func([]string) []string { return nil }, journal.FaultEnding, 6},
		"a line removed":      {func(l []string) []string { return append(l[:2], l[3:]...) }, journal.FaultOrder, 3},
		"the first removed":   {func(l []string) []string { return l[1:] }, journal.FaultOrder, 1},
		"two lines exchanged": {func(l []string) []string { l[3], l[4] = l[4], l[3]; return l }, journal.FaultOrder, 4},
		"a line repeated":     {func(l []string) []string { return append(l, l[5]) }, journal.FaultOrder, 7},
		"not even JSON":       {func(l []string) []string { l[4] = "\x00"; return l }, journal.FaultChanged, 5},
		"an empty line":       {func(l []string) []string { return append(l, "") }, journal.FaultChanged, 7},
	}
	for name, c := range changes {
		t.Run(name, func(t *testing.T) {
			j := open(t, place(t))
			threeWrites(t, j)
			data, err := os.ReadFile(logOf(j))
			if err != nil {
				t.Fatal(err)
			}
			lines := c.change(strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"))
			if err := os.WriteFile(logOf(j), []byte(strings.TrimLeft(strings.Join(lines, "\n")+"\n", "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			wantFault(t, j, c.kind, c.line)
			begin(t, j, write(9, nil)) // the log goes on
			wantFault(t, j, c.kind, c.line)
		})
	}
}

// Of one byte after the other each is changed, the last end of a line as well.
func TestEveryByteThatChangesIsNoticed(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	threeWrites(t, j)
	for path, kinds := range map[string]string{
		logOf(j):  string(journal.FaultChanged + journal.FaultEnding),
		headOf(j): string(journal.FaultHead),
	} {
		content := contentOf(t, path)
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		line := 1
		for at, was := range []byte(content) {
			now := was ^ 1
			switch at % 3 {
			case 1:
				now = was ^ 0x80
			case 2:
				now = '\n'
			}
			if now == was {
				now = ' '
			}
			if _, err := f.WriteAt([]byte{now}, int64(at)); err != nil {
				t.Fatal(err)
			}
			v, err := j.Verify()
			if err != nil || v.Fault == nil || !strings.Contains(kinds, string(v.Fault.Kind)) || v.Fault.Kind == journal.FaultChanged && v.Fault.Line != line {
				t.Fatalf("byte %d of %s, of line %d: %+v, %v", at, path, line, v.Fault, err)
			}
			if was == '\n' {
				line++
			}
			if _, err := f.WriteAt([]byte{was}, int64(at)); err != nil {
				t.Fatal(err)
			}
		}
	}
	wantIntact(t, j)
}

func TestAFaultNamesItsTimeAndOperation(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	threeWrites(t, j)
	log := contentOf(t, logOf(j))
	at := strings.Index(log, "/ctx/admin")
	put(t, logOf(j), log[:at]+"/CTX"+log[at+4:])
	if v, _ := j.Verify(); v.Fault == nil || v.Fault.Operation != "start the upgrade" || v.Fault.Time.IsZero() {
		t.Errorf("%+v", v.Fault)
	}
	lines := strings.SplitAfter(log, "\n")
	put(t, logOf(j), lines[0]+lines[1]+"{"+lines[2]+lines[3])
	if v, _ := j.Verify(); v.Fault == nil || v.Fault.Line != 3 || v.Fault.Operation != "start the upgrade" || v.Fault.Time.IsZero() {
		t.Errorf("%+v", v.Fault)
	}
}

// A crash between a line and the head leaves an earlier head, or none.
func TestAHeadThatACrashHasLeftBehindIsNoFalseAlarm(t *testing.T) {
	t.Parallel()
	for _, earlier := range []int{0, 1, 3} {
		j := open(t, place(t))
		heads := []string{""}
		for id := range uint64(3) {
			begin(t, j, write(id, nil))
			heads = append(heads, contentOf(t, headOf(j)))
		}
		if earlier == 0 {
			if err := os.Remove(headOf(j)); err != nil {
				t.Fatal(err)
			}
		} else {
			put(t, headOf(j), heads[earlier])
		}
		if v, err := j.Verify(); err != nil || v.Fault != nil || v.Lines != 3 || v.Ending != (earlier > 0) {
			t.Fatalf("head %d: %+v, %v", earlier, v, err)
		}
		begin(t, j, write(9, nil))
		if v, err := j.Verify(); err != nil || v.Fault != nil || !v.Ending {
			t.Fatalf("head %d, after one more: %+v, %v", earlier, v, err)
		}
		put(t, logOf(j), strings.Join(strings.SplitAfter(contentOf(t, logOf(j)), "\n")[:3], ""))
		wantFault(t, j, journal.FaultEnding, 4) // the head is up to date again
	}
}

func TestAHeadThatCannotBeReplacedIsInTheWayOfNoWrite(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	if err := os.Mkdir(headOf(j), 0o700); err != nil {
		t.Fatal(err)
	}
	begin(t, j, write(1, nil))
	j.AfterWrite(write(1, nil), adminapi.OutcomeDone, nil)
	if got := actions(t, j); len(got) != 1 || got[0].Pending() || j.Problem() != nil {
		t.Errorf("%+v, %v", got, j.Problem())
	}
	wantFault(t, j, journal.FaultHead, 0)
}

func TestARecordSaysWhoAndWhichProgram(t *testing.T) {
	t.Parallel()
	folder := place(t)
	j, err := journal.Open(folder, site, journal.WithoutSync(), journal.WithVersion("geodeck/1.2.3"),
		journal.WithProgram(journal.Program{User: "ada", Host: "adm1", PID: 4711}))
	if err != nil {
		t.Fatal(err)
	}
	begin(t, j, write(1, nil)) // nothing that it changes was claimed
	j.AfterWrite(write(1, nil), adminapi.OutcomeDone, nil)
	got := actions(t, j)[0]
	if got.By != "ada on adm1 (process 4711)" || got.Program != "geodeck/1.2.3" {
		t.Errorf("%+v", got)
	}
	lines, err := j.RecordLines(got.ID)
	if err != nil || len(lines) != 2 || lines[0].Event != "before" || lines[1].Event != "after" || lines[1].Number != 2 ||
		!lines[0].Intact || lines[0].Time.After(time.Now()) || !strings.Contains(string(lines[0].JSON), "geodeck/1.2.3") {
		t.Errorf("%+v, %v", lines, err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestARecordOfAnEarlierVersionIsRead(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	old, err := os.ReadFile("testdata/actions-of-0.9.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	put(t, logOf(j), string(old))
	got := actions(t, j)
	if len(got) != 1 || got[0].Outcome != adminapi.OutcomeDone || got[0].Program != "" || got[0].By == "" {
		t.Errorf("%+v", got)
	}
	wantIntact(t, j)
}

func TestWhoOnlyReadsCreatesNothing(t *testing.T) {
	t.Parallel()
	folder := place(t)
	if _, err := journal.OpenExisting(folder, site); err == nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a state folder: %v", err)
	}
	j := open(t, folder)
	threeWrites(t, j)
	if _, err := journal.OpenExisting(folder, "https://other.example.org/ctx"); err == nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of another site: %v", err)
	}
	reader, err := journal.OpenExisting(folder, site)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(j.Folder(), "lock")); err != nil {
		t.Fatal(err)
	}
	if got := actions(t, reader); len(got) != 3 {
		t.Errorf("%d records", len(got))
	}
	wantIntact(t, reader)
	if _, err := os.Stat(filepath.Join(j.Folder(), "lock")); err == nil {
		t.Error("reading takes the lock")
	}
}

// manyWrites fills a journal with records, of two lines each.
func manyWrites(b *testing.B, j *journal.Journal, records int) {
	b.Helper()
	for id := range uint64(records) {
		w := write(id, map[string][]string{"async": {"true"}, "runName": {fmt.Sprint("nightly ", id)}})
		if err := j.BeforeWrite(w); err != nil {
			b.Fatal(err)
		}
		j.AfterWrite(w, adminapi.OutcomeDone, nil)
	}
}

func BenchmarkVerify(b *testing.B) {
	j, err := journal.OpenThrowaway()
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	manyWrites(b, j, 10_000)
	b.Run("10000 records", func(b *testing.B) {
		for b.Loop() {
			if v, err := j.Verify(); err != nil || v.Fault != nil || v.Lines != 20_000 {
				b.Fatalf("%+v, %v", v, err)
			}
		}
	})
	b.Run("reading 10000 records", func(b *testing.B) {
		for b.Loop() {
			if all, err := j.Actions(0); err != nil || len(all) != 10_000 {
				b.Fatal(err)
			}
		}
	})
}

// What a record costs, with the wait for the disk.
func BenchmarkRecord(b *testing.B) {
	j := benchJournal(b)
	id := uint64(0)
	for b.Loop() {
		id++
		if err := j.BeforeWrite(write(id, nil)); err != nil {
			b.Fatal(err)
		}
	}
}
