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
			question := b.Press("X")
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
			b.Press("v")
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

func TestABrokenTextOfAKilledProgramIsOfferedWithTheChangesBeforeIt(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities().set("description", "Of alice.")
	a.killedInEditor(`"DMaps",`, `"DMaps"`)
	b.cities()
	b.Shows("Text that your editor saved at", "Its text is broken", "The draft also has your earlier changes")
	b.Answer(b.Press("X"), "y")
	b.Shows("changed, draft saved", "Of alice.")
	b.wantDrafts("Of alice.")
	if left := b.editorFiles(); len(left) > 0 {
		t.Errorf("the files are %v", left)
	}
}

// Where it is not known whether its program runs, a text is read, and taken over as a copy.
func TestTheTextOfAnEditorOnAnotherHostIsTakenOverAsACopy(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	c, b := s.startAs(carol), s.startAs(bob)
	file := c.openInEditor(`"DMaps"`, `"Other"`)
	alive, err := filepath.Glob(filepath.Join(c.site.Memory.Journal.Folder(), "programs", "*adm2*"))
	if err != nil || len(alive) != 1 {
		t.Fatal(alive, err)
	}
	if err := c.site.Memory.Journal.Close(); err != nil { // as a crash does
		t.Fatal(err)
	}
	if err := os.WriteFile(alive[0], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.cities()
	b.Shows("carol on adm2", "may still have it open")
	b.takesOver()
	b.Shows("changed, draft saved", `"Other"`)
	if _, err := os.Stat(file.Path()); err != nil {
		t.Errorf("the file of the other is gone: %v", err)
	}
}

func TestTheFileOfAnEditorStaysUntilItsTextIsADraft(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").startAs(alice).cities()
	// The draft cannot be written: a folder is in its place.
	s.editor(`subst 's/DMaps/Other/' "$1"; d=$(dirname "$1"); mkdir "${d%-1.editor}.json"`)
	said := s.Press("E")
	left := s.editorFiles()
	if len(left) != 1 {
		t.Fatalf("the files are %v", left)
	}
	s.Tells(said, "are not saved on this machine", "your editor's text stays in "+left[0])
	if text, err := os.ReadFile(filepath.Join(left[0], "SampleWorldCities.MapServer.json")); err != nil || !strings.Contains(string(text), `"Other"`) {
		t.Errorf("it holds %s, %v", text, err)
	}
	if err := os.Remove(strings.TrimSuffix(left[0], "-1.editor") + ".json"); err != nil {
		t.Fatal(err)
	}
	s.set("description", "And more.")
	s.wantDrafts("And more.")
	if left := s.editorFiles(); len(left) > 0 {
		t.Errorf("the files are %v", left)
	}
}

func TestATextThatWasLeftToAnEditorThatFailedIsNotOffered(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").startAs(alice).cities()
	s.editor(`subst 's/DMaps/Other/' "$1"; exit 1`)
	question := s.Press("E")
	if len(s.editorFiles()) != 1 {
		t.Error("before it is answered the text is nowhere")
	}
	s.Answer(question, "n")
	if left := s.editorFiles(); len(left) > 0 {
		t.Errorf("the files are %v", left)
	}
}

// What was taken back in the editor is no change to send, but one of the draft, which is told at
// the start: it is offered, and gone afterwards.
func TestATextThatIsAsAtTheSiteIsOfferedBeforeTheDraftItWasMadeOf(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities().set("description", "Of alice.")
	file := a.openInEditor("", "")
	now, err := editing.Read(t.Context(), a.site.Client, editing.DefinitionOf(cities))
	if err == nil {
		err = os.WriteFile(file.Path(), operation.InLines(now.Document.Text()), 0o600)
	}
	if err == nil {
		err = a.site.Memory.Journal.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	b = b.startAs(bob)
	b.cities()
	b.Shows("Text that your editor saved at", "is in no draft yet", "It differs from your earlier draft: description.")
	b.Press("enter")
	if left := append(b.editorFiles(), b.site.Memory.LeftInEditors()...); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	b.sent(0)
}
