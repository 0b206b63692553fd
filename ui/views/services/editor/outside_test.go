package editor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest"
)

func TestWhateverAnEditorDoesTheChangesBeforeItStay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, tells string }{
		"fails":            {"exit 3", "exit status 3"},
		"empties the file": {`: > "$1"`, "saved an empty file"},
		"deletes the file": {`rm "$1"`, "removed the file"},
		"returns at once":  {":", "--wait"},
		"ends by a signal": {`kill -9 $$`, "killed"},
		"leaves a folder":  {`rm "$1"; mkdir "$1"`, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			s := enterIt(t, "healthy").cities().set("description", "Before the editor.")
			s.editor(c.script)
			s.Tells(s.Press("services.editor"), c.tells)
			s.Shows(`"Before the editor."`)
		})
	}
}

func TestAnEditorThatWritesInvalidUTF8SpoilsNothing(t *testing.T) {
	t.Parallel()
	s := enterIt(t, "healthy").cities().set("description", "Before the editor.")
	s.editor(`printf '{"a":"\377"}' > "$1"`)
	s.Press("services.editor")
	s.Shows("a byte that is not UTF-8", "back to your earlier changes")
	s.Answer(s.Press("services.discard"), "y")
	s.Shows(`"Before the editor."`)
}

func TestAnEditorMaySaveByRenameAndLeaveFilesBesideTheText(t *testing.T) {
	s := enterIt(t, "healthy").cities()
	t.Setenv("TMPDIR", t.TempDir())
	s.editor(`cp "$1" "$1~"; : > "$(dirname "$1")/.x.swp"; sed 's/DMaps/Other/' "$1" > "$1.new" && mv "$1.new" "$1"`)
	s.Press("services.editor")
	s.Shows(`"provider": "Other"`, "changed")
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}

func TestTheTextOfAnEditorThatFailedIsTakenOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	s := enterIt(t, "healthy").cities()
	s.editor(`subst 's/DMaps/Other/' "$1"; exit 1`)
	up := s.Press("services.editor")
	s.Shows(`"DMaps"`)
	s.Answer(up, "y")
	s.Shows(`"Other"`)
}

// A missing editor is said before the terminal is given away.
func TestWithoutAnEditorThatCanBeRunNothingIsLost(t *testing.T) {
	t.Parallel()
	s := enterIt(t, "healthy").cities()
	s.setenv("VISUAL", `vi "unended`)
	s.Tells(s.Press("services.editor"), "quote")
	s.setenv("VISUAL", "/no/such/editor")
	s.Tells(s.Press("services.editor"), "Nothing was changed: /no/such/editor is not installed; set EDITOR or VISUAL")
	s.Shows("serviceName")
}

func TestAnEditorInTheCurrentDirectoryIsNotRun(t *testing.T) {
	s := enterIt(t, "healthy").cities()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "vi"), []byte("#!/bin/sh\n: > ran\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	t.Setenv("TMPDIR", t.TempDir())
	s.setenv("VISUAL", "")
	for _, editor := range []string{"", "vi"} {
		for _, path := range []string{".", ":/none"} {
			s.setenv("EDITOR", editor)
			t.Setenv("PATH", path)
			s.Tells(s.Press("services.editor"), "current directory")
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "ran")); err == nil {
		t.Error("it was run")
	}
	s.Shows("serviceName")
}

func TestABrokenTextIsDiscardedWithoutTheChangesBeforeIt(t *testing.T) {
	t.Parallel()
	s := enterIt(t, "healthy").cities().set("description", "Before the editor.")
	s.editor(`subst 's/"provider": "DMaps",/"provider": "DMaps"/' "$1"`)
	s.Press("services.editor")
	s.Shows("Not valid JSON", "back to your earlier changes")
	question := s.Press("services.discard")
	s.Asks(question, "broken text", "Your earlier changes stay")
	s.Answer(question, "y")
	s.Shows(`"Before the editor."`, "changed, draft saved")
	s = s.restart().cities()
	s.Press("enter")
	s.Shows(`"Before the editor."`)
	question = s.Press("services.discard")
	s.Asks(question, "Discard all your changes")
	s.Answer(question, "y")
	s.Hides("Before the editor.", "changed")
}

// The program may end while the text is broken: its draft has the changes from before the editor, too.
func TestABrokenTextThatIsOpenedAgainStillHasTheChangesBeforeIt(t *testing.T) {
	t.Parallel()
	s := enterIt(t, "healthy").cities().set("description", "Before the editor.")
	s.editor(`subst 's/"provider": "DMaps",/"provider": "DMaps"/' "$1"`)
	s.Press("services.editor")
	s.Shows("Not valid JSON")
	s = s.restart().cities()
	s.Press("enter")
	s.Shows("Not valid JSON")
	s.Answer(s.Press("services.discard"), "y")
	s.Shows(`"Before the editor."`, "changed, draft saved")
}

func TestABrokenTextWithNothingBeforeItIsDiscardedToWhatTheSiteHas(t *testing.T) {
	t.Parallel()
	s := enterIt(t, "healthy").cities()
	s.editor(`subst 's/"provider": "DMaps",/"provider": "DMaps"/' "$1"`)
	s.Press("services.editor")
	s.Shows("back to what the site has")
	s.Answer(s.Press("services.discard"), "y")
	s.Shows(`"provider": "DMaps"`)
	s.Hides("changed")
	s.restart().cities().Hides("draft")
}

func TestTheTextOfAnEditorIsKeptAlsoWhereItsServiceWasLeft(t *testing.T) {
	t.Parallel()
	s := enterIt(t, "healthy").cities()
	s.editor(`subst 's/DMaps/Other/' "$1"`)
	_, rest := uitest.Run(s.room, s.do("services.editor", ""), 2)
	s.Press("esc")
	s.drain(rest...)
	s.cities()
	s.Shows(`"Other"`)
}

func TestTheProgramOfAnEditorDoesNotSeeTheToken(t *testing.T) {
	s := enterIt(t, "healthy").cities()
	t.Setenv("GEODECK_TOKEN", "canary")
	s.editor(`subst "s/DMaps/${GEODECK_TOKEN:-none}/" "$1"`)
	s.Press("services.editor")
	s.Shows(`"none"`)
}

func TestABrokenTextOfAKilledProgramIsOfferedWithTheChangesBeforeIt(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities().set("description", "Of alice.")
	a.killedInEditor(`"DMaps",`, `"DMaps"`)
	b.cities()
	b.Shows("Text that your editor saved at", "Its text is broken", "The draft also has your earlier changes")
	b.Answer(b.Press("services.discard"), "y")
	b.Shows("changed, draft saved", "Of alice.")
	b.wantDrafts("Of alice.")
	if left := b.editorFiles(); len(left) > 0 {
		t.Errorf("the files are %v", left)
	}
}

// Where it is not known whether its program runs, a text is read, and taken over as a copy.
func TestTheTextOfAnEditorOnAnotherHostIsTakenOverAsACopy(t *testing.T) {
	t.Parallel()
	s := enterIt(t, "healthy")
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
	s := enterIt(t, "healthy").startAs(alice).cities()
	// The draft cannot be written: a folder is in its place.
	s.editor(`subst 's/DMaps/Other/' "$1"; d=$(dirname "$1"); mkdir "${d%-1.editor}.json"`)
	said := s.Press("services.editor")
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
	s := enterIt(t, "healthy").startAs(alice).cities()
	s.editor(`subst 's/DMaps/Other/' "$1"; exit 1`)
	question := s.Press("services.editor")
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
	left := b.editorFiles()
	for _, e := range b.site.Memory.LeftEdits() {
		if e.Draft.Outside {
			left = append(left, e.Target.String())
		}
	}
	if len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	b.sent(0)
}
