package journal_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/journal"
)

// openAs opens the journal as the program of another user or host.
func openAs(t *testing.T, folder string, p journal.Program) *journal.Journal {
	t.Helper()
	j, err := journal.Open(folder, site, journal.WithClock(newClock()), journal.WithProgram(p), journal.WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

var (
	alice = journal.Program{User: "alice", Host: "adm1", PID: 4711}
	bob   = journal.Program{User: "bob", Host: "adm1", PID: 4712}
	carol = journal.Program{User: "carol", Host: "adm2", PID: 4711}
)

// save keeps a text and returns who else has the edit, empty for nobody.
func save(t *testing.T, j *journal.Journal, text string) (holder string) {
	t.Helper()
	d, err := j.SaveDraft("definition", "Roads", text)
	if err != nil {
		t.Fatal(err)
	}
	if d == nil {
		return ""
	}
	return d.Program.Who()
}

func drafts(t *testing.T, j *journal.Journal) []journal.Draft {
	t.Helper()
	all, err := j.Drafts("definition", "Roads")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// draftTexts are those of all drafts, in order.
func draftTexts(t *testing.T, j *journal.Journal) (all []string) {
	t.Helper()
	for _, d := range drafts(t, j) {
		all = append(all, textOf(t, d))
	}
	return all
}

func textOf(t *testing.T, d journal.Draft) (text string) {
	t.Helper()
	if err := d.Read(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

func wantTexts(t *testing.T, j *journal.Journal, want ...string) {
	t.Helper()
	got := draftTexts(t, j)
	if len(got) != len(want) {
		t.Fatalf("the drafts are %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("the drafts are %q, want %q", got, want)
		}
	}
}

// crash ends the use of a journal as a crash does: the files of its program stay, and
// their locks end.
func crash(t *testing.T, j *journal.Journal) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(j.Folder(), "programs", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestTheSecondToSaveLearnsWhoHasTheEdit(t *testing.T) {
	t.Parallel()
	folder := place(t)
	a, b := openAs(t, folder, alice), openAs(t, folder, bob)
	if holder := save(t, a, "of a"); holder != "" {
		t.Errorf("%s has what a began", holder)
	}
	if holder := save(t, b, "of b"); holder != "alice on adm1" {
		t.Errorf("b is told of %q", holder)
	}
	since := drafts(t, a)[0].Since
	if holder := save(t, a, "more of a"); holder != "" {
		t.Errorf("%s has what a began", holder)
	}
	if d := drafts(t, a)[0]; !d.Since.Equal(since) || !d.Saved.After(since) {
		t.Errorf("a began at %v: %+v", since, d)
	}
	wantTexts(t, a, "more of a", "of b")
	wantTexts(t, b, "of b", "more of a")
	told := journal.Holder(drafts(t, b))
	if told == nil || told.Mine || told.Liveness != journal.Alive || told.Program.String() != "alice on adm1 (process 4711)" || told.Since.IsZero() || told.Saved.Before(told.Since) {
		t.Errorf("told of %+v", told)
	}
	if err := a.DeleteDraft("definition", "Roads"); err != nil {
		t.Fatal(err)
	}
	if holder := save(t, b, "of b"); holder != "" {
		t.Errorf("%s still has what is sent", holder)
	}
	wantTexts(t, b, "of b")
}

func TestTheFirstLearnsOfATakeOverAtItsNextSave(t *testing.T) {
	t.Parallel()
	folder := place(t)
	a, b := openAs(t, folder, alice), openAs(t, folder, bob)
	save(t, a, "of a")
	was := drafts(t, b)[0]
	taken, err := b.TakeDraft(was)
	if err != nil || textOf(t, taken) != "of a" || !taken.Mine || !taken.Saved.Equal(was.Saved) || !taken.Since.Equal(drafts(t, b)[0].Since) || taken.Since.IsZero() {
		t.Fatalf("taken over %+v, %v", taken, err)
	}
	if holder := save(t, a, "more of a"); holder != "bob on adm1" {
		t.Errorf("a is told of %q", holder)
	}
	if holder := save(t, b, "of b"); holder != "" {
		t.Errorf("%s has what b took over", holder)
	}
	wantTexts(t, b, "of b", "more of a")

	// Taking over again, with what was typed meanwhile.
	back, err := a.TakeDraft(*journal.Holder(drafts(t, a)))
	if err != nil || textOf(t, back) != "more of a" {
		t.Fatalf("taken over %+v, %v", back, err)
	}
	if holder := save(t, b, "more of b"); holder != "alice on adm1" {
		t.Errorf("b is told of %q", holder)
	}
	wantTexts(t, a, "more of a", "more of b")
}

// The clock of the second is an hour behind: it has not begun before the first.
func TestWhoHasAnEditIsNotSaidByTheClocks(t *testing.T) {
	t.Parallel()
	folder := place(t)
	a := openAs(t, folder, alice)
	b, err := journal.Open(folder, site, journal.WithClock(&tickingClock{now: newClock().now.Add(-time.Hour)}), journal.WithProgram(bob), journal.WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	save(t, a, "of a")
	for range 2 {
		if holder := save(t, b, "of b"); holder != "alice on adm1" {
			t.Errorf("b is told of %q", holder)
		}
		if holder := save(t, a, "of a"); holder != "" {
			t.Errorf("%s has what a began", holder)
		}
	}
}

// constant is the chance of a program, which names it.
type constant uint64

func (c constant) Uint64() uint64 { return uint64(c) }

// The first that is offered is the one to go on with, whatever the names of the files.
func TestDraftsAreInTheOrderInWhichTheyAreOffered(t *testing.T) {
	t.Parallel()
	folder, clock := place(t), newClock()
	opened := func(nth constant) *journal.Journal {
		j, err := journal.Open(folder, site, journal.WithClock(clock), journal.WithRand(nth), journal.WithProgram(alice), journal.WithoutSync())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = j.Close() })
		return j
	}
	older, newer := opened(1), opened(2)
	save(t, newer, "ended, newer")
	save(t, older, "ended, older")
	if _, err := older.TakeDraft(*journal.Holder(drafts(t, older))); err != nil { // who had the edit last may not have saved last
		t.Fatal(err)
	}
	save(t, newer, "ended, newer")
	crash(t, older)
	crash(t, newer)
	second, first, mine := opened(3), opened(4), opened(5)
	save(t, first, "runs, has it")
	save(t, second, "runs")
	save(t, mine, "mine")
	own, err := filepath.Glob(filepath.Join(mine.Folder(), "drafts", "definition-*", "roads-*.FAAAAAAA.json"))
	if err != nil || len(own) != 1 {
		t.Fatal(own, err)
	}
	put(t, strings.Replace(own[0], ".FAAAAAAA.", ".AAAAAAAA.", 1), `{"kind":"definition","key":"Roads","saved":"2027-01-01T00:00:00Z"}`)
	all := drafts(t, mine)
	if last := all[len(all)-1]; last.Damaged == nil {
		t.Errorf("the last is %+v", last)
	}
	var texts []string
	for _, d := range all[:len(all)-1] {
		texts = append(texts, textOf(t, d))
	}
	if want := []string{"mine", "runs, has it", "runs", "ended, newer", "ended, older"}; !slices.Equal(texts, want) {
		t.Errorf("they are %q, not %q", texts, want)
	}
}

// Somebody has copied a file: that is nobody's edit, and in nobody's way.
func TestACopyOfADraftIsNotThatOfItsProgram(t *testing.T) {
	t.Parallel()
	folder := place(t)
	a, b := openAs(t, folder, alice), openAs(t, folder, bob)
	save(t, a, "of a")
	own, err := filepath.Glob(filepath.Join(a.Folder(), "drafts", "definition-*", "roads-*.json"))
	if err != nil || len(own) != 1 {
		t.Fatal(own, err)
	}
	name, _, _ := strings.Cut(filepath.Base(own[0]), ".")
	put(t, filepath.Join(filepath.Dir(own[0]), name+".copy.json"), contentOf(t, own[0]))
	all := drafts(t, b)
	if len(all) != 2 || all[0].Program.User != "alice" || all[1].Liveness != journal.Ended || all[1].Program != (journal.Program{}) {
		t.Fatalf("%+v", all)
	}
	if err := b.DiscardDraft(all[1]); err != nil {
		t.Error(err)
	}
	wantTexts(t, b, "of a")
}

func TestATakeOverIsOfTheNamedDraftOnly(t *testing.T) {
	t.Parallel()
	folder := place(t)
	a, b, c := openAs(t, folder, alice), openAs(t, folder, bob), openAs(t, folder, carol)
	save(t, a, "of a")
	told := drafts(t, c)[0]
	if _, err := b.TakeDraft(drafts(t, b)[0]); err != nil {
		t.Fatal(err)
	}
	_, err := c.TakeDraft(told)
	if held, ok := errors.AsType[*journal.DraftHeldError](err); !ok || held.Draft.Program.User != "bob" {
		t.Errorf("c takes what it was told of a from b: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	left := drafts(t, b)[1]
	if err := b.DeleteDraft("definition", "Roads"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.TakeDraft(left); err != nil {
		t.Fatal(err)
	}
	if _, err := c.TakeDraft(left); err == nil {
		t.Error("two programs go on with the same draft")
	}
	if err := b.DeleteDraft("definition", "Roads"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.TakeDraft(left); !errors.Is(err, journal.ErrNoDraft) {
		t.Errorf("what is gone is taken: %v", err)
	}
}

func TestTheDraftOfAProgramThatEndedIsTakenOver(t *testing.T) {
	t.Parallel()
	ends := map[string]func(*testing.T, *journal.Journal){
		"quits":   func(t *testing.T, j *journal.Journal) { _ = j.Close() },
		"crashes": crash,
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			folder := place(t)
			a, b := openAs(t, folder, alice), openAs(t, folder, bob)
			save(t, a, "of a")
			end(t, a)
			left := drafts(t, b)
			if len(left) != 1 || left[0].Liveness != journal.Ended || journal.Holder(left) != nil {
				t.Fatalf("the drafts are %+v", left)
			}
			if _, err := b.TakeDraft(left[0]); err != nil {
				t.Fatal(err)
			}
			save(t, b, "goes on")
			wantTexts(t, b, "goes on")
		})
	}
}

func TestADraftThatWasLeftIsNotReplacedByAnotherEdit(t *testing.T) {
	t.Parallel()
	folder := place(t)
	a := openAs(t, folder, alice)
	save(t, a, "of a")
	crash(t, a)
	b := openAs(t, folder, bob)
	if holder := save(t, b, "of b"); holder != "" {
		t.Errorf("%s has it, who has ended", holder)
	}
	if err := b.DeleteDraft("definition", "Roads"); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, b, "of a")
	if err := b.DiscardDraft(drafts(t, b)[0]); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, b)
}

func TestADraftOfARunningProgramIsNotDiscarded(t *testing.T) {
	t.Parallel()
	folder := place(t)
	a, b := openAs(t, folder, alice), openAs(t, folder, bob)
	save(t, a, "of a")
	err := b.DiscardDraft(drafts(t, b)[0])
	if _, held := errors.AsType[*journal.DraftHeldError](err); !held {
		t.Errorf("discarded: %v", err)
	}
	if err := b.DeleteDraft("definition", "Roads"); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, b, "of a")
}

// Who discards a draft discards what they were shown.
func TestADraftThatWasSavedAgainSinceIsNotDiscarded(t *testing.T) {
	t.Parallel()
	folder := place(t)
	a, b := openAs(t, folder, alice), openAs(t, folder, bob)
	save(t, a, "one")
	shown := drafts(t, b)[0]
	save(t, a, "two")
	crash(t, a)
	err := b.DiscardDraft(shown)
	if _, held := errors.AsType[*journal.DraftHeldError](err); !held {
		t.Errorf("discarded unseen: %v", err)
	}
	wantTexts(t, b, "two")
}

// Of one that can be read no more nobody knows whether its program runs.
func TestADraftThatIsDamagedSinceItWasShownIsNotDiscarded(t *testing.T) {
	t.Parallel()
	folder := place(t)
	a, b := openAs(t, folder, alice), openAs(t, folder, bob)
	save(t, a, "one")
	shown := drafts(t, b)[0]
	crash(t, a)
	files, err := filepath.Glob(filepath.Join(b.Folder(), "drafts", "definition-*", "roads-*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.DiscardDraft(shown); err == nil {
		t.Error("it is discarded unseen")
	}
	if _, err := os.Stat(files[0]); err != nil {
		t.Error(err)
	}
	if err := b.DiscardDraft(drafts(t, b)[0]); err != nil { // as what it is now
		t.Error(err)
	}
}

func TestAProgramOnAnotherHostMayStillRun(t *testing.T) {
	t.Parallel()
	folder := place(t)
	there, here := openAs(t, folder, carol), openAs(t, folder, alice)
	save(t, there, "of c")
	if d := drafts(t, here)[0]; d.Liveness != journal.Alive {
		t.Errorf("its lock is seen, its life is %v", d.Liveness)
	}
	crash(t, there)
	left := drafts(t, here)[0]
	if left.Liveness != journal.MaybeAlive {
		t.Fatalf("its life is %v", left.Liveness)
	}
	if holder := save(t, here, "of a"); holder != "carol on adm2" {
		t.Errorf("told of %q", holder)
	}
	if _, err := here.TakeDraft(left); err != nil {
		t.Fatal(err)
	}
	if holder := save(t, here, "of a"); holder != "" {
		t.Errorf("%s has what was taken over", holder)
	}
	wantTexts(t, here, "of a", "of c")
	if err := here.DiscardDraft(left); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, here, "of a")

	again := openAs(t, folder, carol)
	save(t, again, "of c again")
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if d := drafts(t, here)[1]; d.Liveness != journal.Ended {
		t.Errorf("it has said that it ends, its life is %v", d.Liveness)
	}
}

func TestADraftOfAnEarlierVersionIsOneOfAProgramThatEnded(t *testing.T) {
	t.Parallel()
	folder := place(t)
	a := openAs(t, folder, alice)
	save(t, a, "of a")
	path, err := filepath.Glob(filepath.Join(a.Folder(), "drafts", "definition-*", "roads-*.json"))
	if err != nil || len(path) != 1 {
		t.Fatal(path, err)
	}
	if err := a.DeleteDraft("definition", "Roads"); err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(path[0])
	old := filepath.Join(filepath.Dir(path[0]), name[:len("roads-123456789012")]+".json")
	content := `{"kind":"definition","key":"Roads","saved":"2026-11-19T12:00:00Z","value":"of old"}`
	if err := os.WriteFile(old, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	save(t, a, "of a")
	wantTexts(t, a, "of a", "of old")
	b := openAs(t, folder, bob)
	if err := a.DeleteDraft("definition", "Roads"); err != nil {
		t.Fatal(err)
	}
	left := drafts(t, b)[0]
	if left.Liveness != journal.Ended || left.Program != (journal.Program{}) || left.Saved.IsZero() {
		t.Errorf("it is %+v", left)
	}
	if _, err := b.TakeDraft(left); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, b, "of old")
}

func TestADamagedDraftOfAnotherProgramIsSetAside(t *testing.T) {
	t.Parallel()
	folder := place(t)
	a, b := openAs(t, folder, alice), openAs(t, folder, bob)
	path := saveOne(t, a)
	const half = `{"kind":"k","key":"ke`
	if err := os.WriteFile(path, []byte(half), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := b.Drafts("k", "key")
	if err != nil || len(all) != 1 || all[0].Damaged == nil {
		t.Fatalf("%+v, %v", all, err)
	}
	if _, err := b.TakeDraft(all[0]); err == nil {
		t.Error("it is gone on with")
	}
	if _, err := b.SaveDraft("k", "key", 1); err != nil {
		t.Errorf("it is in the way: %v", err)
	}
	if err := b.DiscardDraft(all[0]); err != nil {
		t.Error(err)
	}
	if all, err := b.Drafts("k", "key"); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	if kept, err := os.ReadFile(path + ".damaged"); err != nil || string(kept) != half {
		t.Errorf("it is lost: %q, %v", kept, err)
	}
}

func TestAKilledProgramIsSeenToHaveEnded(t *testing.T) {
	t.Parallel()
	folder := place(t)
	p, lines := startProgram(t, "until killed", folder)
	for lines.Scan() && lines.Text() != "2" {
	}
	j := open(t, folder)
	all, err := j.Drafts("both", "one")
	if err != nil || len(all) != 1 || all[0].Liveness != journal.Alive || all[0].Program.PID != p.Process.Pid {
		t.Errorf("while it runs: %+v, %v", all, err)
	}
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait()
	all, err = j.Drafts("both", "one")
	if err != nil || len(all) != 1 || all[0].Liveness != journal.Ended {
		t.Errorf("after it was killed: %+v, %v", all, err)
	}
	// Its file is removed once another program saves a draft.
	if _, err := j.SaveDraft("both", "one", 1); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(filepath.Join(j.Folder(), "programs", "*")); len(files) != 1 {
		t.Errorf("the programs are %v", files)
	}
}

func TestADraftThatIsGoneIsDiscardedAlready(t *testing.T) {
	t.Parallel()
	folder := place(t)
	a, b := openAs(t, folder, alice), openAs(t, folder, bob)
	save(t, a, "of a")
	crash(t, a)
	left := drafts(t, b)[0]
	for range 2 {
		if err := b.DiscardDraft(left); err != nil {
			t.Fatal(err)
		}
	}
	wantTexts(t, b)
}

// A list offers what can be gone on with.
func TestAListHasNoDraftThatIsDamagedOrOfAnotherKind(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	path := saveOne(t, j)
	content := contentOf(t, path)
	put(t, strings.Replace(path, "key-", "cut-", 1), `{"kind":"k","key":"cut","saved":"2026-11-20T12:00:00Z"}`)
	put(t, strings.Replace(path, "key-", "moved-", 1), strings.Replace(content, `"kind":"k"`, `"kind":"upgrade settings"`, 1))
	if all, err := j.ListDrafts("k"); err != nil || len(all) != 1 || all[0].Key != "key" {
		t.Errorf("listed are %+v, %v", all, err)
	}
}
