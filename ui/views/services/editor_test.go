package services_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest"
)

// editor makes a program the user's editor: a script that gets the file as $1.
func (s *screen) editor(script string) {
	s.t.Helper()
	s.setenv("VISUAL", "'"+simtest.Script(s.t, "my editor.sh", script)+"'")
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
	s.editor(`subst 's/"provider": "DMaps",/"provider": "DMaps"/' "$1"`)
	s.Press("E")
	s.Shows("Not valid JSON", "Line 6", `"provider": "DMaps"`, "›     6", "edit it again")
	s = s.restart().cities()
	s.Shows("Its text is broken")
	for range 2 { // offered, and gone on with: there is nothing to compare
		if s.hint("services.difference") != "" {
			t.Error("a broken text offers its difference")
		}
		s.Press("enter")
	}
	s.Shows("›     6")
	s.editor(`subst 's/"provider": "DMaps"/"provider": "Other",/' "$1"`)
	s.Press("E")
	s.Hides("Not valid JSON")
	s.Shows(`"provider": "Other"`)
	s.send()
	s.siteHas("provider", `"Other"`)
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}

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
			s := open(t, "healthy").cities().set("description", "Before the editor.")
			s.editor(c.script)
			s.Tells(s.Press("E"), c.tells)
			s.Shows(`"Before the editor."`)
		})
	}
}

func TestAnEditorThatWritesInvalidUTF8SpoilsNothing(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("description", "Before the editor.")
	s.editor(`printf '{"a":"\377"}' > "$1"`)
	s.Press("E")
	s.Shows("a byte that is not UTF-8", "back to your earlier changes")
	s.Answer(s.Press("X"), "y")
	s.Shows(`"Before the editor."`)
}

func TestAnEditorMaySaveByRenameAndLeaveFilesBesideTheText(t *testing.T) {
	s := open(t, "healthy").cities()
	t.Setenv("TMPDIR", t.TempDir())
	s.editor(`cp "$1" "$1~"; : > "$(dirname "$1")/.x.swp"; sed 's/DMaps/Other/' "$1" > "$1.new" && mv "$1.new" "$1"`)
	s.Press("E")
	s.Shows(`"provider": "Other"`, "changed")
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}

func TestTheTextOfAnEditorThatFailedIsTakenOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.editor(`subst 's/DMaps/Other/' "$1"; exit 1`)
	up := s.Press("E")
	s.Shows(`"DMaps"`)
	s.Answer(up, "y")
	s.Shows(`"Other"`)
}

func TestWithoutAnEditorThatCanBeRunNothingIsLost(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.setenv("VISUAL", `vi "unended`)
	s.Tells(s.Press("E"), "quote")
	s.setenv("VISUAL", "/no/such/editor")
	s.Tells(s.Press("E"), "no such file")
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
			s.Tells(s.Press("E"), "current directory")
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "ran")); err == nil {
		t.Error("it was run")
	}
	s.Shows("serviceName")
}

func TestABrokenTextIsDiscardedWithoutTheChangesBeforeIt(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("description", "Before the editor.")
	s.editor(`subst 's/"provider": "DMaps",/"provider": "DMaps"/' "$1"`)
	s.Press("E")
	s.Shows("Not valid JSON", "back to your earlier changes")
	question := s.Press("X")
	s.Asks(question, "broken text", "Your earlier changes stay")
	s.Answer(question, "y")
	s.Shows(`"Before the editor."`, "changed, draft saved")
	s = s.restart().cities()
	s.Press("enter")
	s.Shows(`"Before the editor."`)
	question = s.Press("X")
	s.Asks(question, "Discard all your changes")
	s.Answer(question, "y")
	s.Hides("Before the editor.", "changed")
}

// What was edited before a text was broken is on disk with it.
func TestChangesBeforeABrokenTextSurviveTheEndOfTheProgram(t *testing.T) {
	t.Parallel()
	for _, opened := range []bool{true, false} {
		s := open(t, "healthy").cities().set("description", "Before the editor.")
		s.editor(`subst 's/"provider": "DMaps",/"provider": "DMaps"/' "$1"`)
		s.Press("E")
		s = s.restart().cities()
		s.Shows("Its text is broken", "The draft also has your earlier changes", "discard only the broken text")
		s.Hides("v difference", "shows what it changes")
		if opened {
			s.Press("enter")
			s.Shows("Not valid JSON", "back to your earlier changes")
			s = s.restart().cities() // nothing was done with it
			s.Press("enter")
		}
		question := s.Press("X")
		s.Asks(question, "broken text", "Your earlier changes stay")
		s.Answer(question, "y")
		s.Shows(`"Before the editor."`, "changed, draft saved")
		s.Hides("Not valid JSON")
		s = s.restart().cities()
		s.Hides("broken")
		s.Press("enter")
		s.Shows(`"Before the editor."`)
		s.send()
		s.siteHas("description", `"Before the editor."`)
	}
}

func TestABrokenTextWithNothingBeforeItIsDiscardedToWhatTheSiteHas(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.editor(`subst 's/"provider": "DMaps",/"provider": "DMaps"/' "$1"`)
	s.Press("E")
	s.Shows("back to what the site has")
	s.Answer(s.Press("X"), "y")
	s.Shows(`"provider": "DMaps"`)
	s.Hides("changed")
	s.restart().cities().Hides("draft")
}

func TestADraftIsOfferedOnTheNextStart(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("description", "Half done.")
	if q := s.Leave(); q != "" {
		t.Errorf("leaving asks %q", q)
	}
	s.Tells(s.Press("esc"), "Draft saved, not sent")
	s.Shows("draft")
	s = s.restart()
	s.Shows("SampleWorldCities  draft")
	s.cities()
	s.Shows("Your draft of this definition")
	s.Press("v")
	s.Shows("Half done.", "Cities of the world")
	s.Press("esc enter")
	s.Shows("Half done.", "changed, draft saved")
	s.Answer(s.Press("X"), "y")
	s.Hides("Half done.")
	s.Press("esc")
	s.restart().Hides("draft")
}

func TestADraftIsAskedAboutAfterARestartOrADriftOnly(t *testing.T) {
	t.Parallel()
	const asks = "Your draft of this definition"
	s := open(t, "healthy").cities().set("description", "Half done.")
	again := func(s *screen, question bool) {
		t.Helper()
		s.Press("esc")
		s.cities()
		if !question {
			s.Hides(asks)
			s.Shows("Half done.")
			return
		}
		s.Shows(asks)
		s.Press("enter")
	}
	again(s, false)
	s.set("maxUsageTime", "700")
	s.Press("esc")
	s.cities()
	s.Shows(`"maxUsageTime": 700`)
	s = s.restart().cities()
	s.Shows(asks)
	s.Press("enter")
	again(s, false)
	s.editElsewhere("maxIdleTime", "900")
	again(s, true)
	s.Answer(s.Press("X"), "y")
	s.Press("esc")
	s.cities()
	s.Hides(asks)
}

func TestARefreshKeepsTheCursorAndTheFoldsOfADefinition(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[2]).cities()
	s.Invoke("jsonedit.go", "properties")
	s.Press("z")
	s.Invoke("jsonedit.go", "extensions[WFSServer]")
	s.editElsewhere("description", `"Another, and a longer one."`)
	s.Press("R")
	s.Shows("Another, and a longer one.", `"properties": {…}`, "extensions[WFSServer]  an object")
	s.editElsewhere("maxIdleTime", "900")
	s.editElsewhere("extensions[WFSServer].enabled", "true")
	s.Press("R")
	s.Shows("900", `"properties": {…}`, "extensions[WFSServer]  an object")
}

func TestAChangeThatIsUndoneIsNoDraft(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("description", "Half done.")
	s.Press("u")
	s.Tells(s.Press("w"), "Nothing to write.")
	s.Press("esc")
	if drafts, err := s.site.Memory.EditDrafts(editing.Definition); err != nil || len(drafts) > 0 {
		t.Errorf("%v, drafts %v", err, drafts)
	}
	s.Hides("draft")
}

func TestTheNewestOfManyQuickChangesIsKept(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.Invoke("jsonedit.go", "extensions[WFSServer]")
	first := s.do("jsonedit.switch", "")
	if q := s.Leave(); !strings.Contains(q, "not saved") {
		t.Errorf("before it is on disk leaving asks %q", q)
	}
	s.do("jsonedit.go", "provider")
	second := s.do("jsonedit.delete", "")
	s.drain(tea.Batch(first, second))
	kept, err := s.site.Memory.SavedEdits(editing.DefinitionOf(cities))
	if err != nil || len(kept) != 1 || strings.Contains(kept[0].Edit.Edited, `"provider"`) {
		t.Errorf("%v, the drafts are %+v", err, kept)
	}
	if q := s.Leave(); q != "" {
		t.Errorf("leaving asks %q", q)
	}
}

func TestADraftOfADefinitionThatWasChangedMeanwhileLeadsToAMerge(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-elses").cities().set("maxUsageTime", "700")
	s = s.restart().cities()
	s.Shows("was changed at the site since then")
	s.Press("enter w")
	s.Shows("Changed at the site")
	s.Press("m")
	s.Shows("merged with the site's version")
}

func TestTypedTextSurvivesAKilledTerminalAndIsOfferedAtItsPlace(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{"text": "i", "line": "e"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, "healthy").cities()
			s.Invoke("jsonedit.go", "description")
			s.Press(begin)
			s.Type("Half a sentence")
			s.Shows("text, draft saved")
			s = s.restart() // nothing was said to the first one
			s.Shows("draft")
			s.cities()
			s.Shows("It has text you were typing: description.")
			s.Tells(s.Press("v"), "No differences; ", "Half a sentence", " typed, not applied.")
			s.Press("enter")
			s.Shows("Half a sentence")
			if !s.CapturesText() {
				t.Fatal("the text is not typed on")
			}
			s.Press("w")
			s.Shows("Half a sentencew")
			s.sent(0)
			s.Press("esc y")
			s.Hides("Half a sentence")
			if drafts, _ := s.site.Memory.EditDrafts(editing.Definition); len(drafts) != 0 {
				t.Errorf("a draft of discarded text stays: %v", drafts)
			}
		})
	}
}

func TestTheDifferenceOfADraftNamesWhatWasTypedAndNotApplied(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("maxUsageTime", "700")
	s.Press("e")
	s.Type("8")
	s = s.restart().cities()
	s.Press("v")
	s.Shows("Difference: the draft against the present; 7008 typed, not applied", "600 → 700")
}

func TestTypedTextIsNoEditUntilItIsTakenOver(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("maxUsageTime", "700")
	s.Invoke("jsonedit.go", "properties")
	s.Press("i")
	s.Type("x")
	s = s.restart().cities()
	s.Press("enter esc y w")
	s.Shows("1 change", "600 → 700")
}

func TestTheTabWithADraftIsMarkedWhereverTheServiceOpens(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("spot")
	s.Hides("Placement draft")
	s.Press("tab")
	s.Shows("Placement draft")
	s = s.restart().cities()
	s.Shows("Placement draft")
	s.Hides("Definition draft")
	s.Press("tab")
	s.Answer(s.Press("X"), "y")
	s.Press("tab")
	s.Hides("draft")
}

// editElsewhere has somebody else set a value of the sample service.
func (s *screen) editElsewhere(path document.Path, raw string) {
	s.t.Helper()
	if _, r := s.site.ApplyEdit(s.t.Context(), uitest.Edit(s.t, s.site, cities, path, raw).Edit, nil); r.Err != nil {
		s.t.Fatal(r.Err)
	}
}

func TestARefreshWhileTheEditorIsOpenRevertsNobodysChange(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.editor(`subst 's/DMaps/Other/' "$1"`)
	s.editElsewhere("maxIdleTime", "900")
	reading, outside := s.do("services.read-again", ""), s.do("services.editor", "")
	s.drain(reading, outside)
	s.Press("w")
	s.Shows("changed at the site meanwhile", "maxIdleTime")
	s.Press("m")
	s.Answer(s.Press("w"), "y")
	s.siteHas("maxIdleTime", "900")
	s.siteHas("provider", `"Other"`)
}

func TestARefreshLeavesWhatIsBeingTyped(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	reading := s.do("services.read-again", "")
	s.Invoke("jsonedit.go", "description")
	s.Press("e ctrl+u")
	s.Type("Half a sen")
	s.drain(reading)
	s.Type("tence")
	s.Press("enter")
	s.Shows("Half a sentence")
}

func TestTheTextOfAnEditorIsKeptAlsoWhereItsServiceWasLeft(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.editor(`subst 's/DMaps/Other/' "$1"`)
	_, rest := uitest.Run(s.Model, s.do("services.editor", ""), 2)
	s.Press("esc")
	s.drain(rest...)
	s.cities()
	s.Shows(`"Other"`)
}

func TestWhatCouldNotBeKeptOnDiskIsThereWhenTheServiceIsOpenedAgain(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	if err := s.site.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	s.set("description", "Only in memory.")
	s.Tells(s.Press("esc"), "not saved on this machine")
	s.cities()
	s.Shows("Only in memory.")
}

func TestTheProgramOfAnEditorDoesNotSeeTheToken(t *testing.T) {
	s := open(t, "healthy").cities()
	t.Setenv("GEODECK_TOKEN", "canary")
	s.editor(`subst "s/DMaps/${GEODECK_TOKEN:-none}/" "$1"`)
	s.Press("E")
	s.Shows(`"none"`)
}

func TestAfterALostAnswerTheChangeOfAnotherIsNotReverted(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-answer-lost-not-performed").cities().set("description", "Other words.")
	s.Press("w")
	_, rest := uitest.Run(s.Model, uitest.AnswerOnly(t, s.Press("w"), uitest.Keys("y")...), 3)
	s.editElsewhere("maxIdleTime", "900")
	s.drain(rest...)
	s.Shows("neither the old definition nor what was sent")
	s.Press("esc w")
	s.Shows("Other words.", " 1 change ")
	s.Answer(s.Press("w"), "y")
	s.siteHas("maxIdleTime", "900")
	s.siteHas("description", `"Other words."`)
}

// An expert's edit of one value: E, what is done in the editor, w, y.
func TestAnEditOfOneValueFromTheListTakesThreeKeys(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.editor(`subst 's/"maxUsageTime": *600/"maxUsageTime": 700/' "$1"`)
	s.Invoke("rows.filter", "SampleWorldCities")
	s.Press("E")
	s.Answer(s.Press("w"), "y")
	s.siteHas("maxUsageTime", "700")
	s.sent(1)
}

func TestFromTheListTheEditorLeadsStraightToTheReview(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.editor(`subst 's/"maxUsageTime":600/"maxUsageTime":700/; s/"maxUsageTime": 600/"maxUsageTime": 700/' "$1"`)
	s.Invoke("rows.filter", "SampleWorldCities")
	s.Press("E")
	s.Shows("review", "maxUsageTime", "700")
	s.Answer(s.Press("w"), "y")
	s.Shows("has the new definition")
	s.siteHas("maxUsageTime", "700")
	s.Press("esc esc")
	s.editor(`true`)
	s.Tells(s.Press("E"), "changed nothing")
	s.set("maxUsageTime", "800")
	s.Hides("review") // the next edit is one like any other
}
