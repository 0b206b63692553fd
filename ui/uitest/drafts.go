package uitest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/views"
)

// AsProgram opens the journal of a site as another program has it open.
func AsProgram(t testing.TB, site operation.Site, p journal.Program) *journal.Journal {
	t.Helper()
	j, err := journal.Open(filepath.Dir(site.Memory.Journal.Folder()), "throwaway://journal",
		journal.WithClock(site.Clock), journal.WithProgram(p))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// WantDrafts fails unless the drafts of a target, as the program of the site sees them, hold these words, in order.
func WantDrafts(t testing.TB, site operation.Site, target editing.Target, words ...string) {
	t.Helper()
	kept, err := site.Memory.SavedEdits(target)
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) != len(words) {
		t.Fatalf("there are %d drafts, want %d", len(kept), len(words))
	}
	for i, word := range words {
		if !strings.Contains(kept[i].Edit.Edited, word) {
			t.Errorf("draft %d does not hold %q", i, word)
		}
	}
}

// OpenInEditor opens the draft of a target, else what the site has, in an editor that saves it with an old part
// in place of a new one.
func OpenInEditor(t testing.TB, site operation.Site, target editing.Target, old, replaced string) *operation.EditorFile {
	t.Helper()
	now, err := editing.Read(t.Context(), site.Client, target)
	if err != nil {
		t.Fatal(err)
	}
	edit := operation.EditDraft{Base: now.Document.Text(), Edited: now.Document.Text()}
	if kept, err := site.Memory.SavedEdits(target); err == nil && len(kept) > 0 {
		edit = kept[0].Edit
	}
	file, err := site.Memory.OpenEditor(target, edit, "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file.Path())
	if err == nil {
		err = os.WriteFile(file.Path(), []byte(strings.Replace(string(text), old, replaced, 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// EditorFiles are the folders of texts that editors have, or had, open.
func EditorFiles(t testing.TB, site operation.Site) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(site.Memory.Journal.Folder(), "drafts", "*", "*.editor"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// Editor makes a program the user's editor: a script that gets the file as $1.
func Editor(t testing.TB, env *views.Env, script string) {
	t.Helper()
	Setenv(env, "VISUAL", "'"+simtest.Script(t, "my editor.sh", script)+"'")
}

// Setenv sets a variable of the environment that views see.
func Setenv(env *views.Env, name, value string) {
	before := env.Getenv
	env.Getenv = func(of string) string {
		if of == name {
			return value
		}
		return before(of)
	}
}
