package journal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/journal"
)

// inEditor opens a text for an editor.
func inEditor(t *testing.T, j *journal.Journal, given string) *journal.Text {
	t.Helper()
	text, err := j.OpenText("definition", "Roads", "Roads.json", []byte(given), given)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// saves has the editor save a text.
func saves(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// outside are the texts that are offered of editors.
func outside(t *testing.T, j *journal.Journal) (all []journal.Draft) {
	t.Helper()
	for _, d := range drafts(t, j) {
		if d.Outside {
			all = append(all, d)
		}
	}
	return all
}

func TestTheFileForAnEditorIsPrivateFromTheBeginning(t *testing.T) {
	t.Parallel()
	j := openAs(t, t.TempDir(), alice)
	text := inEditor(t, j, "given")
	for path := text.Path(); path != j.Folder(); path = filepath.Dir(path) {
		want := fs.ModeDir | 0o700
		if path == text.Path() {
			want = 0o600
		}
		if info, err := os.Lstat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if err := os.Chmod(text.Path(), 0o644); err != nil { // some editors save with another mode
		t.Fatal(err)
	}
	if read, changed, err := text.Read(); err != nil || changed || string(read) != "given" {
		t.Errorf("read %q, %v, %v", read, changed, err)
	}
	if info, err := os.Lstat(text.Path()); err != nil || info.Mode() != 0o600 {
		t.Errorf("after it was read: %v, %v", info.Mode(), err)
	}
}

func TestOnlyATextThatWasChangedIsOfferedAndOnlyWhenItsProgramHasEnded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does   func(path string)
		offers string
	}{
		"nothing":   {func(string) {}, ""},
		"the same":  {func(path string) { saves(t, path, "given") }, ""},
		"empty":     {func(path string) { saves(t, path, " \n") }, ""},
		"removed":   {func(path string) { _ = os.Remove(path) }, ""},
		"changed":   {func(path string) { saves(t, path, "changed") }, "changed"},
		"no UTF-8":  {func(path string) { saves(t, path, "\xff{") }, "\xff{"},
		"by rename": {func(path string) { saves(t, path+"~", "renamed"); _ = os.Rename(path+"~", path) }, "renamed"},
		"with swap": {func(path string) {
			saves(t, path, "changed")
			saves(t, filepath.Join(filepath.Dir(path), ".x.swp"), "x")
		}, "changed"},
		"read-only":  {func(path string) { saves(t, path, "changed"); _ = os.Chmod(path, 0o400) }, "changed"},
		"for others": {func(path string) { saves(t, path, "changed"); _ = os.Chmod(path, 0o666) }, "changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			a, b := openAs(t, folder, alice), openAs(t, folder, bob)
			text := inEditor(t, a, "given")
			c.does(text.Path())
			if len(outside(t, a))+len(outside(t, b)) > 0 {
				t.Error("it is offered while its editor is open")
			}
			crash(t, a)
			switch got := outside(t, b); {
			case c.offers == "" && len(got) > 0, c.offers != "" && (len(got) != 1 || string(got[0].Text) != c.offers || got[0].Program.User != "alice"):
				t.Fatalf("offered are %+v", got)
			case c.offers == "":
				_ = inEditor(t, b, "of bob")
				if _, err := os.Lstat(filepath.Dir(text.Path())); !os.IsNotExist(err) {
					t.Errorf("the next program leaves the file: %v", err)
				}
			default:
				_ = inEditor(t, b, "of bob")
				if again := outside(t, b); len(again) != 1 {
					t.Errorf("the next program has removed it: %+v", again)
				}
				listed, err := b.ListDrafts("definition")
				if err != nil || len(listed) != 1 || !listed[0].Outside || listed[0].Key != "Roads" {
					t.Errorf("listed are %+v, %v", listed, err)
				}
				if err := b.DiscardDraft(got[0]); err != nil || len(outside(t, b)) > 0 {
					t.Errorf("it is not discarded: %v", err)
				}
			}
		})
	}
}

// What an editor has kept of a crash may be all there is of what was typed.
func TestFilesThatAnEditorKeepsOfACrashAreNotSwept(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	a, b := openAs(t, folder, alice), openAs(t, folder, bob)
	swap := filepath.Join(filepath.Dir(inEditor(t, a, "given").Path()), ".Roads.json.swp")
	saves(t, swap, "typed and not saved")
	untold := inEditor(t, a, "given").Path()
	saves(t, untold, "typed")
	if err := os.Remove(filepath.Join(filepath.Dir(untold), ".opened")); err != nil { // that says what it is
		t.Fatal(err)
	}
	crash(t, a)
	_ = inEditor(t, b, "of bob")
	for _, path := range []string{swap, untold} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}

// A program of another machine may still run: its editor keeps its file, also where nothing was saved yet.
func TestTheFileOfAnEditorOnAnotherMachineIsNotSwept(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	a, b := openAs(t, folder, carol), openAs(t, folder, bob)
	text := inEditor(t, a, "given")
	crash(t, a)
	_ = inEditor(t, b, "of bob")
	if kept, err := os.ReadFile(text.Path()); err != nil || string(kept) != "given" {
		t.Errorf("it holds %q, %v", kept, err)
	}
}

func TestEditorsOfOneServiceHaveFilesOfTheirOwn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	a, b := openAs(t, folder, alice), openAs(t, folder, bob)
	paths := map[string]bool{}
	for _, j := range []*journal.Journal{a, a, b} {
		text := inEditor(t, j, "given")
		saves(t, text.Path(), text.Path())
		paths[text.Path()] = true
	}
	for path := range paths {
		if text, err := os.ReadFile(path); err != nil || string(text) != path || len(paths) != 3 {
			t.Errorf("%s holds %q, %v", path, text, err)
		}
	}
	crash(t, a)
	if got := outside(t, b); len(got) != 2 {
		t.Errorf("of two texts are offered %+v", got)
	}
}

func TestATextIsTakenOverWithTheDraftThatTheEditorWasGiven(t *testing.T) {
	t.Parallel()
	for name, later := range map[string]string{"the same": "given", "a later one": "later"} {
		folder := t.TempDir()
		a, b := openAs(t, folder, alice), openAs(t, folder, bob)
		save(t, a, "given")
		saves(t, inEditor(t, a, "given").Path(), "changed")
		save(t, a, later)
		crash(t, a)
		other := openAs(t, folder, alice) // another program of hers, which has left the same draft
		save(t, other, "given")
		crash(t, other)
		taken, err := b.TakeDraft(outside(t, b)[0])
		if err != nil || string(taken.Text) != "changed" || textOf(t, taken) != "given" || !taken.Mine || taken.Outside {
			t.Errorf("%s: taken is %+v, %v", name, taken, err)
		}
		if left := drafts(t, b)[1:]; len(left) != 1 && later == "given" || len(left) != 2 && later != "given" {
			t.Errorf("%s: left are %+v", name, left)
		}
		save(t, b, "of bob")
		if d := drafts(t, b)[0]; d.Text != nil || textOf(t, d) != "of bob" {
			t.Errorf("%s: the next draft is %+v", name, d)
		}
	}
}

// Two editors were given the same, and something else was typed in each.
func TestATextThatIsTakenOverLeavesThatOfAnotherEditor(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	a, b := openAs(t, folder, alice), openAs(t, folder, bob)
	for _, typed := range []string{"one", "two"} {
		saves(t, inEditor(t, a, "given").Path(), typed)
	}
	crash(t, a)
	both := outside(t, b)
	if len(both) != 2 {
		t.Fatalf("%+v", both)
	}
	taken, err := b.TakeDraft(both[0])
	if err != nil {
		t.Fatal(err)
	}
	if left := outside(t, b); len(left) != 1 || string(left[0].Text) != string(both[1].Text) || string(taken.Text) != string(both[0].Text) {
		t.Errorf("taken is %q, left are %+v", taken.Text, left)
	}
}

// It is as old as what the editor has saved, and was begun with the draft that it was given.
func TestATextSaysWhenItWasBegunAndSaved(t *testing.T) {
	t.Parallel()
	long := newClock().now.AddDate(-1, 0, 0)
	for name, c := range map[string]struct {
		given    bool // from a draft
		modified time.Time
	}{
		"without a draft": {false, long}, "of a draft": {true, long}, "saved later": {true, newClock().now.AddDate(1, 0, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			a, b := openAs(t, folder, alice), openAs(t, folder, bob)
			var since time.Time
			if c.given {
				save(t, a, "given")
				since = drafts(t, a)[0].Since
			}
			text := inEditor(t, a, "given")
			saves(t, text.Path(), "changed")
			if err := os.Chtimes(text.Path(), c.modified, c.modified); err != nil {
				t.Fatal(err)
			}
			if read, changed, err := text.Read(); string(read) != "changed" || !changed || err != nil {
				t.Errorf("read %q, changed %v, %v", read, changed, err)
			}
			crash(t, a)
			got := outside(t, b)
			if len(got) != 1 || got[0].Since.IsZero() || c.given && !got[0].Since.Equal(since) || got[0].Saved.Before(got[0].Since) {
				t.Fatalf("begun at %v: %+v", since, got)
			}
			if later := c.modified != long; later != got[0].Saved.Equal(c.modified) {
				t.Errorf("saved at %v: %+v", c.modified, got[0])
			}
		})
	}
}

// What was sent or discarded does not stay behind under another name, nor is a part of it offered after a crash.
func TestATextThatIsRemovedIsGone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	a, b := openAs(t, folder, alice), openAs(t, folder, bob)
	left := func() (names []string) {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(a.Folder(), "drafts", "definition-*", "*"))
		hidden, failed := filepath.Glob(filepath.Join(a.Folder(), "drafts", "definition-*", ".*"))
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		return append(found, hidden...)
	}
	text := inEditor(t, a, "given")
	saves(t, filepath.Join(filepath.Dir(text.Path()), ".x.swp"), "x")
	if err := text.Remove(); err != nil || len(left()) != 0 {
		t.Errorf("left are %q, %v", left(), err)
	}
	half := filepath.Dir(inEditor(t, a, "given").Path())
	saves(t, filepath.Join(half, "Roads.json"), "changed")
	if err := os.Rename(half, filepath.Join(filepath.Dir(half), "."+filepath.Base(half))); err != nil {
		t.Fatal(err)
	}
	crash(t, a)
	if listed, err := b.ListDrafts("definition"); err != nil || len(listed) != 0 || len(outside(t, b)) != 0 {
		t.Errorf("listed are %+v, %v", listed, err)
	}
	if next := inEditor(t, b, "of bob"); len(left()) != 1 {
		t.Errorf("beside %s are %q", next.Path(), left())
	}
}

// A planted link is not followed, and what cannot be read stays and is told of.
func TestWhatIsInThePlaceOfATextIsToldOfAndNotFollowed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does func(text *journal.Text, secret string)
		says string
	}{
		"a link": {func(text *journal.Text, secret string) {
			_ = os.Remove(text.Path())
			_ = os.Symlink(filepath.Join(secret, "Roads.json"), text.Path())
		}, "symbolic link"},
		"a linked folder": {func(text *journal.Text, secret string) {
			_ = os.Rename(filepath.Dir(text.Path()), filepath.Dir(text.Path())+".moved")
			_ = os.Symlink(secret, filepath.Dir(text.Path()))
		}, "symbolic link"},
		"a folder":  {func(text *journal.Text, _ string) { _ = os.Remove(text.Path()); _ = os.Mkdir(text.Path(), 0o700) }, "not a regular file"},
		"too large": {func(text *journal.Text, _ string) { _ = os.Truncate(text.Path(), 64<<20+1) }, "more than 64 MiB"},
		"damaged":   {func(text *journal.Text, _ string) { saves(t, filepath.Join(filepath.Dir(text.Path()), ".opened"), "{") }, "damaged"},
		"another file": {func(text *journal.Text, _ string) {
			path := filepath.Join(filepath.Dir(text.Path()), ".opened")
			record, _ := os.ReadFile(path)
			saves(t, path, strings.Replace(string(record), `"file":"Roads.json"`, `"file":"../../Roads.json"`, 1))
		}, "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, secret := t.TempDir(), t.TempDir()
			saves(t, filepath.Join(secret, "Roads.json"), "of somebody else")
			a, b := openAs(t, folder, alice), openAs(t, folder, bob)
			text := inEditor(t, a, "given")
			c.does(text, secret)
			crash(t, a)
			got := outside(t, b)
			if len(got) != 1 || got[0].Damaged == nil || got[0].Text != nil || !strings.Contains(got[0].Damaged.Error(), c.says) {
				t.Fatalf("offered are %+v", got)
			}
			_ = inEditor(t, b, "of bob")
			if err := b.DiscardDraft(got[0]); err != nil || len(outside(t, b)) > 0 {
				t.Errorf("it is not set aside: %v", err)
			}
			if content, err := os.ReadFile(filepath.Join(secret, "Roads.json")); err != nil || string(content) != "of somebody else" {
				t.Errorf("behind the link is %q, %v", content, err)
			}
		})
	}
}

// Who goes on with the draft that an editor was given leaves what was typed in the editor.
func TestATextOutlastsTheDraftThatItsEditorWasGiven(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	a, b := openAs(t, folder, alice), openAs(t, folder, bob)
	save(t, a, "given")
	saves(t, inEditor(t, a, "given").Path(), "changed")
	crash(t, a)
	for _, d := range drafts(t, b) {
		if !d.Outside {
			if _, err := b.TakeDraft(d); err != nil {
				t.Fatal(err)
			}
		}
	}
	if left := outside(t, b); len(left) != 1 || string(left[0].Text) != "changed" {
		t.Errorf("left are %+v", left)
	}
}
