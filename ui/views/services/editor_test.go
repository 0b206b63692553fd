package services_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// editor makes a program the user's editor: a script that gets the file as $1.
func (s *screen) editor(script string) {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "my editor.sh")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	s.setenv("VISUAL", "'"+path+"'")
}

// setenv sets a variable of the environment that the view sees.
func (s *screen) setenv(name, value string) {
	before := s.env.Getenv
	s.env.Getenv = func(of string) string {
		if of == name {
			return value
		}
		return before(of)
	}
}

func TestBrokenJSONFromAnEditorIsKeptAndShownWhereItBreaks(t *testing.T) {
	s := open(t, "healthy").cities()
	t.Setenv("TMPDIR", t.TempDir())
	s.editor(`sed -i 's/"provider": "DMaps",/"provider": "DMaps"/' "$1"`)
	s.Press("E")
	s.Shows("is no definition", "Line 6", `"provider": "DMaps"`, "›     6", "opens it in your editor again")
	s = s.again().cities()
	s.Shows("Its text is broken")
	s.Press("enter")
	s.Shows("›     6")
	s.editor(`sed -i 's/"provider": "DMaps"/"provider": "Other",/' "$1"`)
	s.Press("E")
	s.Hides("is no definition")
	s.Shows(`"provider": "Other"`)
	s.send()
	s.has("provider", `"Other"`)
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}

func TestWhateverAnEditorDoesTheChangesBeforeItStay(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"fails": "exit 3", "empties the file": `: > "$1"`, "deletes the file": `rm "$1"`, "returns at once": ":",
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, "healthy").cities()
			s.set("description", "Before the editor.")
			s.editor(script)
			if told := uitest.NoticeText(t, s.Press("E")); told == "" {
				t.Error("nothing is told")
			}
			s.Shows(`"Before the editor."`)
		})
	}
}

func TestTheTextOfAnEditorThatFailedIsTakenOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.editor(`sed -i 's/DMaps/Other/' "$1"; exit 1`)
	up := s.Press("E")
	s.Shows(`"DMaps"`)
	s.Answer(up, "y")
	s.Shows(`"Other"`)
}

func TestWithoutAnEditorThatCanBeRunNothingIsLost(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.setenv("VISUAL", `vi "unended`)
	if told := uitest.NoticeText(t, s.Press("E")); !strings.Contains(told, "quote") {
		t.Errorf("told %q", told)
	}
	s.setenv("VISUAL", "/no/such/editor")
	if told := uitest.NoticeText(t, s.Press("E")); !strings.Contains(told, "no such file") {
		t.Errorf("told %q", told)
	}
	s.Shows("serviceName")
}

func TestAnEditorInTheCurrentDirectoryIsNotRun(t *testing.T) {
	s := open(t, "healthy").cities()
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
			if told := uitest.NoticeText(t, s.Press("E")); !strings.Contains(told, "current directory") {
				t.Errorf("the editor %q with the path %q: told %q", editor, path, told)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "ran")); err == nil {
		t.Error("it was run")
	}
	s.Shows("serviceName")
}

func TestABrokenTextIsDiscardedWithoutTheChangesBeforeIt(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.set("description", "Before the editor.")
	s.editor(`sed -i 's/"provider": "DMaps",/"provider": "DMaps"/' "$1"`)
	s.Press("E")
	s.Shows("is no definition", "goes back to your changes from before it")
	question := s.Press("X")
	if asked := look(uitest.Find[views.Open](t, question).Dialog); !strings.Contains(asked, "broken text") || !strings.Contains(asked, "Your changes from before it stay") {
		t.Errorf("the question is\n%s", asked)
	}
	s.Answer(question, "y")
	s.Shows(`"Before the editor."`, "changed, draft kept")
	s = s.again().cities()
	s.Press("enter")
	s.Shows(`"Before the editor."`)
	question = s.Press("X")
	if asked := look(uitest.Find[views.Open](t, question).Dialog); !strings.Contains(asked, "Discard all your changes") {
		t.Errorf("the question is\n%s", asked)
	}
	s.Answer(question, "y")
	s.Hides("Before the editor.", "changed")
}

func TestABrokenTextWithNothingBeforeItIsDiscardedToWhatTheSiteHas(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.editor(`sed -i 's/"provider": "DMaps",/"provider": "DMaps"/' "$1"`)
	s.Press("E")
	s.Shows("goes back to what the site has")
	s.Answer(s.Press("X"), "y")
	s.Shows(`"provider": "DMaps"`)
	s.Hides("changed")
	s.again().cities().Hides("draft")
}
