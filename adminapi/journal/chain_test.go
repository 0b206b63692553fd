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
	if v, err := j.Verify(); err != nil || len(v.Faults) > 0 || v.Lines != 6 || !v.Ending {
		t.Fatalf("%+v, %v", v, err)
	}
}

func headOf(j *journal.Journal) string { return filepath.Join(j.Folder(), "actions.head") }

func wantFault(t *testing.T, j *journal.Journal, kind journal.FaultKind, line int) {
	t.Helper()
	v, err := j.Verify()
	if err != nil || len(v.Faults) == 0 || v.Faults[0].Kind != kind || v.Faults[0].Line != line {
		t.Fatalf("found %+v, want %s at line %d (error %v)", v.Faults, kind, line, err)
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
			if err != nil || len(v.Faults) == 0 || !strings.Contains(kinds, string(v.Faults[0].Kind)) || v.Faults[0].Kind == journal.FaultChanged && v.Faults[0].Line != line {
				t.Fatalf("byte %d of %s, of line %d: %+v, %v", at, path, line, v.Faults, err)
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
	if v, _ := j.Verify(); len(v.Faults) == 0 || v.Faults[0].Operation != "start the upgrade" || v.Faults[0].Time.IsZero() {
		t.Errorf("%+v", v.Faults)
	}
	lines := strings.SplitAfter(log, "\n")
	put(t, logOf(j), lines[0]+lines[1]+"{"+lines[2]+lines[3])
	if v, _ := j.Verify(); len(v.Faults) == 0 || v.Faults[0].Line != 3 || v.Faults[0].Operation != "start the upgrade" || v.Faults[0].Time.IsZero() {
		t.Errorf("%+v", v.Faults)
	}
}

// A crash between a line and the head leaves the head before it: the line says so, and the next
// program, or the next line, makes up for it.
func TestAHeadThatACrashHasLeftBehindIsNoFalseAlarm(t *testing.T) {
	t.Parallel()
	for lines := 1; lines <= 3; lines++ {
		for name, next := range map[string]func(folder string, j *journal.Journal){
			"the next line":    func(_ string, j *journal.Journal) { begin(t, j, write(9, nil)) },
			"the next program": func(folder string, _ *journal.Journal) { open(t, folder) },
		} {
			folder := place(t)
			j := open(t, folder)
			before := ""
			for id := range lines {
				before = contentOf(t, headOf(j))
				begin(t, j, write(uint64(id), nil))
			}
			put(t, headOf(j), before)
			if v, err := j.Verify(); err != nil || len(v.Faults) > 0 || v.Lines != lines || v.Uncounted != 1 || !v.Ending {
				t.Fatalf("the head before line %d: %+v, %v", lines, v, err)
			}
			next(folder, j)
			v, err := j.Verify()
			if err != nil || len(v.Faults) > 0 || v.Uncounted != 0 || !v.Ending {
				t.Fatalf("the head before line %d, then %s: %+v, %v", lines, name, v, err)
			}
			put(t, logOf(j), strings.Join(strings.SplitAfter(contentOf(t, logOf(j)), "\n")[:v.Lines-1], ""))
			wantFault(t, j, journal.FaultEnding, v.Lines) // the head is up to date again
		}
	}
}

func TestAHeadThatCannotBeReplacedIsInTheWayOfNoWrite(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	if err := errors.Join(os.Remove(headOf(j)), os.Mkdir(headOf(j), 0o700)); err != nil {
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
			if v, err := j.Verify(); err != nil || len(v.Faults) > 0 || v.Lines != 20_000 {
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
