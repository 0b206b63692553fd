package services_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
)

// editorFiles are the folders of texts that editors have, or had, open.
func (s *screen) editorFiles() []string {
	s.t.Helper()
	left, err := filepath.Glob(filepath.Join(s.site.Memory.Journal.Folder(), "drafts", "*", "*.editor"))
	if err != nil {
		s.t.Fatal(err)
	}
	return left
}

// killedInEditor ends a program while its editor is open, which has saved its text with an old
// part in place of a new one.
func (s *screen) killedInEditor(old, replaced string) {
	s.t.Helper()
	s.openInEditor(old, replaced)
	if err := s.site.Memory.Journal.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// openInEditor opens the draft, else what the site has, in an editor that saves.
func (s *screen) openInEditor(old, replaced string) *operation.EditorFile {
	s.t.Helper()
	target := editing.DefinitionOf(cities)
	now, err := editing.Read(s.t.Context(), s.site.Client, target)
	if err != nil {
		s.t.Fatal(err)
	}
	edit := operation.EditDraft{Base: now.Document.Text(), Edited: now.Document.Text()}
	if kept, err := s.site.Memory.SavedEdits(target); err == nil && len(kept) > 0 {
		edit = kept[0].Edit
	}
	file, err := s.site.Memory.OpenEditor(target, edit)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := os.ReadFile(file.Path())
	if err == nil {
		err = os.WriteFile(file.Path(), []byte(strings.Replace(string(text), old, replaced, 1)), 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return file
}

func TestWhatAnEditorHasSavedIsOfferedWithWhatDiffers(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]func(b *screen){
		"continued": func(b *screen) {
			b.Press("enter")
			b.Shows("changed, draft saved", `"Other"`, "Of alice.")
			b.wantDrafts(`"Other"`) // the draft that the editor was given went with it
		},
		"discarded": func(b *screen) {
			question := b.Press("services.discard")
			b.Asks(question, "Discard your editor's text", "The site is not changed")
			b.Tells(b.Answer(question, "y"), "Your editor's text is discarded.")
			b.Shows("Your draft of this definition")
			b.wantDrafts("Of alice.")
		},
		"left for later": func(b *screen) {
			b.Press("esc")
			b.Shows("draft")
			b.wantDrafts(`"Other"`, "Of alice.")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := twoDashboards(t, "healthy")
			a.cities().set("description", "Of alice.")
			a.killedInEditor(`"DMaps"`, `"Other"`)
			b = b.startAs(bob)
			b.Shows("draft")
			b.cities()
			b.Shows("Text that your editor saved at", "is in no draft yet", "It differs from your earlier draft: provider.", "continue with your editor's text")
			b.Press("services.difference")
			b.Shows("your editor's text against the present", `"Other"`, "Of alice.")
			b.Press("esc")
			script(b)
			b.sent(0)
			if left := b.editorFiles(); (name == "left for later") != (len(left) > 0) {
				t.Errorf("the files are %v", left)
			}
		})
	}
}
