package services_test

import (
	"os"
	"path/filepath"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest"
)

// editor makes a program the user's editor: a script that gets the file as $1.
func (s *screen) editor(script string) { uitest.Editor(s.t, s.env, script) }

// setenv sets a variable of the environment that the view sees.
func (s *screen) setenv(name, value string) { uitest.Setenv(s.env, name, value) }

func TestBrokenJSONFromAnEditorIsKeptAndShownWhereItBreaks(t *testing.T) {
	s := open(t, "healthy").cities()
	t.Setenv("TMPDIR", t.TempDir())
	s.editor(`subst 's/"provider": "DMaps",/"provider": "DMaps"/' "$1"`)
	s.Press("services.editor")
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
	s.Press("services.editor")
	s.Hides("Not valid JSON")
	s.Shows(`"provider": "Other"`)
	s.send()
	s.siteHas("provider", `"Other"`)
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}

// B11: a raw text that does not parse is kept as a draft and left, is offered as it was with the line of its
// error, and cannot be sent.
func TestABrokenRawTextIsKeptAsADraft(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("description", "Before.")
	s.Invoke("jsonedit.go", "properties")
	s.Press("jsonedit.text")
	s.Type("oops ")
	s.Press("esc")
	s.Shows("y discard", "n keep typing", "k keep as draft")
	s.Press("k")
	s.Shows("Kept in the draft, not applied. i opens it again.", "draft saved")
	for _, row := range []string{"services.write", "services.editor", "jsonedit.edit", "jsonedit.delete", "jsonedit.undo"} {
		s.Tells(s.Press(row), "Finish the text that you kept first: press i. X discards it.")
	}
	s.Press("f5")
	s.Tells(s.Press("esc"), "Draft saved, not sent")
	s.cities()
	s.Shows("Kept in the draft, not applied. i opens it again.") // no key goes into it unasked
	s.Press("i")
	s.Shows("oops {", "✗ 1", "✗ Line 1, column 1")
	s.Press("esc k")
	s = s.restart().cities()
	s.Shows("It has text you were typing: properties. It does not parse: line 1, column 1")
	s.Press("enter")
	s.Shows("oops {", "Line 1, column 1")
	s.Press("esc k jsonedit.text")
	s.Shows("oops {")
	s.Press("home delete delete delete delete delete jsonedit.take")
	s.Hides("oops")
	s.send()
	s.siteHas("description", `"Before."`)

	s = open(t, "healthy").cities()
	s.Press("jsonedit.text")
	s.Type("x")
	s.Press("esc k")
	s.Answer(s.Press("services.discard"), "y")
	s.Press("esc")
	if drafts, err := s.site.Memory.EditDrafts(editing.Definition); err != nil || len(drafts) > 0 {
		t.Errorf("%v, drafts %v", err, drafts)
	}
}

// B12: one key undoes what is typed, which every terminal sends and the footer names; what was edited can still be
// undone after the service was left.
func TestUndoIsInTheFooterAndOutlivesAnEditor(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0]).cities().set("description", "Half done.")
	if s.hint("jsonedit.undo") != "undo" {
		t.Error("the footer of the tree names no undo")
	}
	s.Press("esc")
	s.cities()
	s.Shows("Half done.")
	s.Press("jsonedit.undo")
	s.Hides("Half done.")
	s.Press("esc")
	s.cities()
	s.Press("jsonedit.redo")
	s.Shows("Half done.")
	s.Press("jsonedit.undo")
	for _, begin := range []string{"jsonedit.text", "jsonedit.edit"} {
		s.Invoke("jsonedit.go", "description")
		s.Press(begin)
		if s.hint("cursor.undo") != "" {
			t.Error("undo is named before anything was typed")
		}
		s.Type("never")
		if s.hint("cursor.undo") != "undo" {
			t.Error("the footer of a typed text names no undo")
		}
		s.Press("ctrl+_")
		s.Hides("never", "Discard this edit?")
		s.Press("esc")
	}

	s.Press("esc")
	s.Invoke("services.placement", "SampleWorldCities.MapServer")
	s.Press("j j rules.delete")
	s.Shows("changed")
	s.Press("esc")
	s.Invoke("services.placement", "SampleWorldCities.MapServer")
	s.Shows("changed")
	s.Press("rules.undo")
	s.Hides("changed, draft")
}

// What was edited before a text was broken is on disk with it.
func TestChangesBeforeABrokenTextSurviveTheEndOfTheProgram(t *testing.T) {
	t.Parallel()
	for _, opened := range []bool{true, false} {
		s := open(t, "healthy").cities().set("description", "Before the editor.")
		s.editor(`subst 's/"provider": "DMaps",/"provider": "DMaps"/' "$1"`)
		s.Press("services.editor")
		s = s.restart().cities()
		s.Shows("Its text is broken", "The draft also has your earlier changes", "discard only the broken text")
		s.Hides("v difference", "shows what it changes")
		if opened {
			s.Press("enter")
			s.Shows("Not valid JSON", "back to your earlier changes")
			s = s.restart().cities() // nothing was done with it
			s.Press("enter")
		}
		question := s.Press("services.discard")
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

// A broken text stays on disk when what was sent before it has ended.
func TestTheEndOfAnEditLeavesABrokenTextAsItIs(t *testing.T) {
	t.Parallel()
	s := sentOnce(openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0]))
	s.editor(`subst 's/"provider": "DMaps",/"provider": "DMaps"/' "$1"`)
	s.Press("services.editor")
	s.Shows("Not valid JSON")
	s.Press("tab tab services.restore")
	_, s.rest = uitest.Run(s.Model, uitest.AnswerOnly(t, s.ask(), yes...), 2)
	s.drain(s.rest...)
	s.Shows("has the new definition")
	s = s.restart().cities()
	s.Shows("Its text is broken")
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
	s.Press("services.difference")
	s.Shows("Half done.", "Cities of the world")
	s.Press("esc enter")
	s.Shows("Half done.", "changed, draft saved")
	s.Answer(s.Press("services.discard"), "y")
	s.Hides("Half done.")
	s.Press("esc")
	s.restart().Hides("draft")
}

func TestAChangeThatIsUndoneIsNoDraft(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("description", "Half done.")
	s.Press("jsonedit.undo")
	s.Tells(s.Press("services.write"), "Nothing to write.")
	s.Press("esc")
	if drafts, err := s.site.Memory.EditDrafts(editing.Definition); err != nil || len(drafts) > 0 {
		t.Errorf("%v, drafts %v", err, drafts)
	}
	s.Hides("draft")
}

func TestADraftOfADefinitionThatWasChangedMeanwhileLeadsToAMerge(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-elses").cities().set("maxUsageTime", "700")
	s = s.restart().cities()
	s.Shows("was changed at the site since then")
	s.Press("enter services.write")
	s.Shows("Changed at the site")
	s.Press("m")
	s.Shows("merged with the site's version")
}

func TestTypedTextSurvivesAKilledTerminalAndIsOfferedAtItsPlace(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{"text": "jsonedit.text", "line": "jsonedit.edit"} {
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
			s.Tells(s.Press("services.difference"), "No differences; ", "Half a sentence", " typed, not applied.")
			s.Press("enter")
			s.Shows("Half a sentence")
			if !s.CapturesText() {
				t.Fatal("the text is not typed on")
			}
			s.Press("w")
			s.Shows("Half a sentencew")
			s.sent(0)
			s.Press("esc value.discard")
			s.Hides("Half a sentence")
			if drafts, _ := s.site.Memory.EditDrafts(editing.Definition); len(drafts) != 0 {
				t.Errorf("a draft of discarded text stays: %v", drafts)
			}
		})
	}
}

func TestTypedTextIsNoEditUntilItIsTakenOver(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("maxUsageTime", "700")
	s.Invoke("jsonedit.go", "properties")
	s.Press("jsonedit.text")
	s.Type("x")
	s = s.restart().cities()
	s.Press("enter esc value.discard services.write")
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
	s.Answer(s.Press("services.discard"), "y")
	s.Press("tab")
	s.Hides("draft")
}

// A draft that began before somebody else's change stays one of then where a batch edits the service beside it.
func TestADraftBesideABatchRevertsNobodysChange(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0]).cities().set("description", "Half done.")
	s.Press("esc")
	s.editElsewhere("maxIdleTime", "900")
	s.Invoke("rows.filter", "SampleWorldCities")
	s.Press("space esc rows.top space rows.top enter")
	s.set("maxUsageTime", "700")
	s.Press("services.write services.many")
	s.Answer(s.ask(), "y")
	s.siteHas("maxUsageTime", "700")
	s.Press("esc")
	s.cities().Shows("The definition was changed at the site since then.")
	s.Press("enter services.write")
	s.Shows("hanged at the site", "maxIdleTime")
	s.Press("m")
	s.Answer(s.ask(), "y")
	s.siteHas("description", `"Half done."`)
	s.siteHas("maxIdleTime", "900")
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
	s.Press("services.write")
	s.Shows("changed at the site meanwhile", "maxIdleTime")
	s.Press("m")
	s.Answer(s.ask(), "y")
	s.siteHas("maxIdleTime", "900")
	s.siteHas("provider", `"Other"`)
}

func TestAfterALostAnswerTheChangeOfAnotherIsNotReverted(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-answer-lost-not-performed").cities().set("description", "Other words.")
	s.Press("services.write")
	_, rest := uitest.Run(s.Model, uitest.AnswerOnly(t, s.ask(), uitest.Keys("y")...), 3)
	s.editElsewhere("maxIdleTime", "900")
	s.drain(rest...)
	s.Shows("neither the old definition nor what was sent")
	s.Press("esc services.write")
	s.Shows("Other words.", " 1 change ")
	s.Answer(s.ask(), "y")
	s.siteHas("maxIdleTime", "900")
	s.siteHas("description", `"Other words."`)
}

// An expert's edit of one value: E, what is done in the editor, w, y.
func TestAnEditOfOneValueFromTheListTakesThreeKeys(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.editor(`subst 's/"maxUsageTime": *600/"maxUsageTime": 700/' "$1"`)
	s.Invoke("rows.filter", "SampleWorldCities")
	s.Press("services.edit-outside")
	s.Answer(s.ask(), "y")
	s.siteHas("maxUsageTime", "700")
	s.sent(1)
}

func TestFromTheListTheEditorLeadsStraightToTheReview(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.editor(`subst 's/"maxUsageTime":600/"maxUsageTime":700/; s/"maxUsageTime": 600/"maxUsageTime": 700/' "$1"`)
	s.Invoke("rows.filter", "SampleWorldCities")
	s.Press("services.edit-outside")
	s.Shows("review", "maxUsageTime", "700")
	s.Answer(s.ask(), "y")
	s.Shows("has the new definition")
	s.siteHas("maxUsageTime", "700")
	s.Press("esc esc")
	s.editor(`true`)
	s.Tells(s.Press("services.edit-outside"), "changed nothing")
	s.set("maxUsageTime", "800")
	s.Hides("review") // the next edit is one like any other
}
