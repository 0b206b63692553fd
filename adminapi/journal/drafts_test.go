package journal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/journal"
)

// load reads the first of the drafts of a key.
func load(j *journal.Journal, kind, key string, into any) (saved time.Time, found bool, err error) {
	all, err := j.Drafts(kind, key)
	if err != nil || len(all) == 0 {
		return saved, false, err
	}
	err = all[0].Read(into)
	return all[0].Saved, err == nil, err
}

type answers struct {
	Text  string
	Count int
}

func TestADraftComesBackAfterARestart(t *testing.T) {
	t.Parallel()
	folder := place(t)
	want := answers{"größer than\n<this> & that", 3}
	if _, err := open(t, folder).SaveDraft("upgrade settings", "U1", want); err != nil {
		t.Fatal(err)
	}
	var got answers
	saved, found, err := load(open(t, folder), "upgrade settings", "U1", &got)
	if err != nil || !found || got != want || !saved.Equal(newClock().Now()) {
		t.Errorf("got %+v, %v, %v, %v", got, saved, found, err)
	}
}

func TestDraftsAreReplacedListedAndDeleted(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	keys := []string{"../../etc/passwd", "..", "a/b", "A/B", "a-b", strings.Repeat("long", 100), "\x1b[31m", ""}
	for _, key := range append(keys, keys...) {
		if _, err := j.SaveDraft("service", key, answers{Text: key}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := j.SaveDraft("another kind", "a/b", 1); err != nil {
		t.Fatal(err)
	}
	drafts, err := j.ListDrafts("service")
	if err != nil || len(drafts) != len(keys) || drafts[0].Key != keys[len(keys)-1] || drafts[len(drafts)-1].Key != keys[0] {
		t.Fatalf("got %v, %v", drafts, err)
	}
	for _, key := range keys {
		var got answers
		if _, found, err := load(j, "service", key, &got); err != nil || !found || got.Text != key {
			t.Errorf("%q: got %+v, %v, %v", key, got, found, err)
		}
		for range 2 { // the second time there is none
			if err := j.DeleteDraft("service", key); err != nil {
				t.Errorf("%q: %v", key, err)
			}
		}
		if _, found, err := load(j, "service", key, &got); err != nil || found {
			t.Errorf("%q is still there: %v, %v", key, found, err)
		}
	}
	if drafts, err := j.ListDrafts("service"); err != nil || len(drafts) != 0 {
		t.Errorf("got %v, %v", drafts, err)
	}
	if drafts, err := j.ListDrafts("never used"); err != nil || len(drafts) != 0 {
		t.Errorf("got %v, %v", drafts, err)
	}
}

func TestADamagedDraftIsReportedAndSetAside(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	for _, content := range []string{"", `{"kind":"k","ke`, "\x00\x00", `{"kind":"k","key":"key"}`} {
		path := saveOne(t, j)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var got answers
		if _, found, err := load(j, "k", "key", &got); err == nil || found {
			t.Errorf("%q: found %v, %v", content, found, err)
		}
		saveOne(t, j)
		if aside, err := os.ReadFile(path + ".damaged"); err != nil || string(aside) != content {
			t.Errorf("%q: set aside is %q, %v", content, aside, err)
		}
	}
	var number int
	_, _, err := load(j, "k", "key", &number)
	wantSentence(t, err, "does not hold what was expected")
}

func TestADraftIsNeverHalfWritten(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	path := saveOne(t, j)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	// What a crash in the middle of a replacement leaves behind.
	unfinished := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"123")
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	foreign := filepath.Join(filepath.Dir(path), "."+name+".AAAAAAAA.json456")
	for _, left := range []string{unfinished, foreign} {
		put(t, left, `{"kind":"k"`)
	}
	if drafts, err := j.ListDrafts("k"); err != nil || len(drafts) != 1 {
		t.Errorf("got %v, %v", drafts, err)
	}
	saveOne(t, j)
	after, err := os.Stat(path)
	if err != nil || os.SameFile(before, after) {
		t.Errorf("the file was written over in place: %v", err)
	}
	for _, left := range []string{unfinished, foreign} {
		if _, err := os.Lstat(left); !os.IsNotExist(err) {
			t.Errorf("the rest of a crash is still there: %v", err)
		}
	}
	if _, err := j.SaveDraft("k", "key", func() {}); err == nil {
		t.Error("a value that is no JSON was saved")
	}
	var got answers
	if _, found, err := load(j, "k", "key", &got); err != nil || !found || got.Count != 1 {
		t.Errorf("the draft is lost: %+v, %v, %v", got, found, err)
	}
}

// saveOne saves a draft of its own kind and returns its file.
func saveOne(t *testing.T, j *journal.Journal) string {
	t.Helper()
	if _, err := j.SaveDraft("k", "key", answers{"text", 1}); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(j.Folder(), "drafts", "k-*", "key-*.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("got %v, %v", found, err)
	}
	return found[0]
}
