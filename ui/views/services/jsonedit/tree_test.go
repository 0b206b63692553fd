package jsonedit_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestGroupsFindingsAndChangesAreJumpedTo(t *testing.T) {
	t.Parallel()
	s := edited(t, uitest.Theme(), 120, 35).at("")
	for _, step := range []struct {
		key  string
		path document.Path
	}{
		{"jsonedit.next-group", "serviceName"}, {"jsonedit.next-group", "deploymentId"}, {"jsonedit.next-group", "provider"}, {"jsonedit.previous-group", "deploymentId"}, {"jsonedit.previous-group", "serviceName"},
		{"jsonedit.next-finding", "minInstancesPerNode"}, {"jsonedit.next-finding", "minInstancesPerNode"},
		{"jsonedit.next-change", "maxWaitTime"}, {"jsonedit.previous-change", "minInstancesPerNode"}, {"jsonedit.previous-change", "x-note"},
	} {
		s.Press(step.key)
		if s.Path() != step.path {
			t.Fatalf("%s leads to %q instead of %q", step.key, s.Path(), step.path)
		}
	}
	s.Press("jsonedit.next-finding")
	s.Shows("✗ Minimum 5 is above maximum 2.")
}

func TestFoldsAndCursorStayWhereTheyAreWhenSomethingChanges(t *testing.T) {
	t.Parallel()
	s := open(t, definition(t)).at("extensions[WFSServer]")
	s.Press("rows.toggle")
	s.at("properties").Press("rows.toggle")
	s.at("description").Press("jsonedit.edit")
	s.Type(" and more")
	s.Press("enter")
	s.at("extensions[WMSServer]").Press("jsonedit.move-down")
	s.Shows(`"properties": {…}`, "{…},  4 keys  WFSServer, off", `"typeName": "WMSServer"`)
	if s.Path() != "extensions[WMSServer]" {
		t.Errorf("the cursor is on %s", s.Path())
	}
	s.Press("jsonedit.undo jsonedit.undo")
	s.is(definition(t))
	s.Shows(`"properties": {…}`)
}

func TestEnterInTheWholeDocumentGoesToItsFirstValue(t *testing.T) {
	t.Parallel()
	s := open(t, definition(t))
	s.Press("rows.top enter")
	if s.Path() != "serviceName" {
		t.Errorf("the cursor is on %s", s.Path())
	}
	s.Press("rows.top rows.toggle enter")
	s.Shows("serviceName")
}

func TestAFieldSaysWhetherAChangeRestartsBesideItsPath(t *testing.T) {
	t.Parallel()
	s := open(t, definition(t))
	s.Resize(80, 20)
	s.at("maxInstancesPerNode")
	s.Shows("restart likely", "The most instances that may run; not below the minimum.")
	s.Press("jsonedit.edit ctrl+u")
	s.Type("05")
	s.Press("enter")
	s.Shows("05 is not a whole number; write 5.")
	s.offers("enter apply, esc cancel")
}

func TestAFoldedLineMarksWhatItHides(t *testing.T) {
	t.Parallel()
	s := edited(t, uitest.Theme(), 120, 35).at("extensions")
	s.Press("rows.toggle")
	s.Shows("· 45   \"extensions\": […]")
}

func TestAFilterAndASearchFindKeysAndValues(t *testing.T) {
	t.Parallel()
	s := open(t, definition(t))
	s.Press("rows.filter")
	s.Type("wfs")
	s.Shows(`"typeName": "WFSServer"`, `"extensions": [`)
	s.Hides("clusterName")
	s.Press("esc rows.filter rows.filter")
	s.Type("cities_1")
	s.Press("enter")
	s.Shows("1 of 2 found")
	s.Press("rows.next")
	if s.Path() != "datasets[1].onPremiseName" {
		t.Errorf("the cursor is on %s", s.Path())
	}
}

func TestAFilterLeadsToTheValueThatIsEdited(t *testing.T) {
	t.Parallel()
	s := open(t, definition(t))
	s.Press("rows.filter")
	s.Type("capab")
	s.Press("enter jsonedit.edit")
	s.Shows("[x] Query")
	s.offers("space check, a add, e as text, enter apply, esc cancel")
	s.Press("esc rows.filter ctrl+u")
	s.Type("properties maxrec")
	s.Press("enter jsonedit.edit ctrl+u")
	s.Type("7")
	s.Press("enter")
	s.Shows(`"maxRecordCount": 7`)
}

func TestOnlyWhatDiffersOrBreaksARuleIsShown(t *testing.T) {
	t.Parallel()
	s := open(t, definition(t))
	s.Press("jsonedit.only")
	s.Shows("Nothing is changed, and no rule is broken.", "serviceName")
	s = edited(t, uitest.Theme(), 120, 35)
	s.Press("jsonedit.only")
	s.Shows("x-note", `"minInstancesPerNode": 5`, `"maxWaitTime": 90`, `"title": "SampleWorldCities"  deleted`, `"enabled": true`)
	s.Hides("serviceName", "recycleInterval", "capabilities")
	s.Back()
	s.Shows("serviceName")
	s.Press("jsonedit.only")
	s.at("serviceName").Shows("serviceName")
	s.Press("jsonedit.only jsonedit.undo jsonedit.undo jsonedit.undo jsonedit.undo jsonedit.undo")
	s.is(definition(t))
}

func TestAReplacedDocumentIsOneStep(t *testing.T) {
	t.Parallel()
	text := definition(t)
	s := open(t, text).at("private")
	uitest.Drain(t, s.part, s.Replace(parse(t, `{"serviceName": "SampleWorldCities", "type": "MapServer"}`)))
	s.Shows(`"description": "St`, "deleted, not sent yet", "23 of 32")
	s.Press("jsonedit.undo")
	s.is(text)
	if s.Path() != "private" {
		t.Errorf("the cursor is on %s", s.Path())
	}
}

func TestALongDocumentIsCheckedAfterAnEdit(t *testing.T) {
	t.Parallel()
	s := open(t, long(320)).at("serviceName")
	s.Press("jsonedit.delete")
	want := document.Check(s.Document(), s.Base())
	s.Shows(fmt.Sprintf("%d finding", len(want)))
	if len(want) == 0 {
		t.Fatal("the check finds nothing wrong: this test proves nothing")
	}
	s.Press("jsonedit.undo")
	s.Hides("finding")
}

func TestEveryEditIsUndoneByteForByte(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 5))
		s := open(t, definition(t))
		texts := []string{s.Document().Text()}
		for range 60 {
			s.Press("down")
			for range random.IntN(9) {
				s.Press([]string{"down", "up", "jsonedit.next-group", "h"}[random.IntN(4)])
			}
			s.Press([]string{"jsonedit.delete", "jsonedit.move-up", "jsonedit.move-down", "space", "jsonedit.edit", "jsonedit.text"}[random.IntN(6)])
			if s.CapturesText() {
				s.Type("7")
				s.Press("ctrl+s esc jsonedit.copy")
			}
			if now := s.Document().Text(); now != texts[len(texts)-1] {
				texts = append(texts, now)
			}
		}
		if len(texts) < 5 {
			t.Fatalf("only %d different texts", len(texts))
		}
		for i := len(texts) - 2; i >= 0; i-- {
			s.Press("jsonedit.undo")
			s.is(texts[i])
		}
		for _, text := range texts[1:] {
			s.Press("jsonedit.redo")
			s.is(text)
		}
		s.Draw()
	}
}

func TestHostileTextsAreHarmlessOnEveryScreen(t *testing.T) {
	t.Parallel()
	evil := "\u202e\u200b\u0085\u009b31m👩\u200d👩e\u0301"
	text := fmt.Sprintf(`{"%[1]s": "%[1]s", "esc": "\u001b[2J\u0007", "description": "%[1]s", "capabilities": "a,%[1]s", "o%[1]s": {"%[1]s": ["%[1]s"]}, "extensions": [{"typeName": "%[1]s", "enabled": true}]}`, evil)
	for _, size := range uitest.Sizes {
		s := openIn(t, uitest.Theme(), size.Width, size.Height, text)
		for range 16 {
			for _, keys := range []string{"jsonedit.edit", "jsonedit.text", "jsonedit.rename", "jsonedit.add", "space", "rows.toggle", "rows.filter"} {
				s.Press(keys)
				uitest.Harmless(t, s.Draw())
				s.Type("x")
				s.Send(uitest.Paste("\x1b]52;c;aGk=\x07\r\n\tpaste" + evil))
				uitest.Harmless(t, s.Draw())
				s.Press("jsonedit.take")
				uitest.Harmless(t, s.Draw())
				s.Press("esc jsonedit.copy esc esc jsonedit.copy")
				uitest.Harmless(t, s.Draw())
			}
			s.Press("jsonedit.undo jsonedit.undo jsonedit.undo jsonedit.undo jsonedit.undo jsonedit.undo jsonedit.undo jsonedit.undo down")
		}
	}
}

func TestDeepAndHugeDocumentsAreDrawnCut(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"k":[`, document.MaxDepth/2-1) + strings.Repeat("]}", document.MaxDepth/2-1)
	huge := `{"k": "` + strings.Repeat("日本", 300_000) + `", "n": ` + strings.Repeat("9", 500_000) + `}`
	for _, text := range []string{deep, huge} {
		for _, size := range uitest.Sizes {
			s := openIn(t, uitest.Theme(), size.Width, size.Height, text)
			for range document.MaxDepth {
				s.Press("down")
			}
			s.Draw()
			s.at("k").Press("jsonedit.edit")
			s.Draw()
			s.Press("esc")
			s.Press("jsonedit.text end")
			s.Draw()
		}
	}
}

func TestWhatAnEditCannotChangeIsRefusedAtTheKey(t *testing.T) {
	t.Parallel()
	for _, path := range []document.Path{"type", "serviceName"} {
		for _, key := range []string{"jsonedit.edit", "jsonedit.text", "enter"} {
			s := open(t, definition(t)).at(path)
			s.Tells(s.Press(key), "an edit cannot change it.")
			s.Rest()
			s.Hides("restart likely")
			if s.CapturesText() {
				t.Errorf("%s types a value of %s", key, path)
			}
		}
	}
}

func TestAnySizeIsDrawnExactly(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"", "jsonedit.edit", "jsonedit.text", "jsonedit.add", "jsonedit.rename", "rows.filter"} {
		for _, size := range [][2]int{{1, 1}, {3, 2}, {9, 5}, {20, 7}, {30, 8}, {59, 9}, {60, 25}, {61, 26}, {250, 90}} {
			s := openIn(t, uitest.Theme(), size[0], size[1], definition(t)).at("capabilities")
			s.Press(keys)
			s.Draw()
			s.Type("a")
			s.Draw()
			s.Press("esc")
			s.Draw()
		}
	}
}

func TestEveryCommandHasAHandlerHelpAndItsOwnKeys(t *testing.T) {
	t.Parallel()
	keys := map[string]string{}
	for _, c := range views.Distinct(open(t, "{}").Commands()) {
		if c.Help == "" {
			continue // of what is typed: see TypingCommands
		}
		for _, key := range c.Keys() {
			if c.Shown != nil && !c.Shown() { // n and N are of the search while there is one
				continue
			}
			if other := keys[key]; other != "" {
				t.Errorf("%s stands for %s and for %s", key, other, c.ID)
			}
			keys[key] = c.ID
		}
		if c.Run == nil && c.With == nil || c.Help == "" || c.Group == "" {
			t.Errorf("%s has no handler, or no help", c.ID)
		}
		s := open(t, definition(t))
		s.Invoke(c.ID, "")
		s.Draw()
	}
}

func TestWhileSomethingIsTypedOnlyItsEndIsACommand(t *testing.T) {
	t.Parallel()
	s := open(t, definition(t)).at("extensions")
	s.Press("jsonedit.text")
	for _, c := range views.Usable(s.Commands()) {
		if c.Name != "" && c.ID != "jsonedit.take" {
			t.Errorf("%s can be used", c.ID)
		}
	}
	s.Invoke("jsonedit.take", "")
	s.is(definition(t))
	if s.CapturesText() {
		t.Error("what is typed is not taken over")
	}
}

func TestAPasteNeverAnswersAQuestionOrTurnsASwitch(t *testing.T) {
	t.Parallel()
	text := definition(t)
	s := open(t, text).at("capabilities")
	s.Press("jsonedit.edit")
	s.Send(uitest.Paste(" "))
	s.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("xj")})
	if s.Unsaved() || !s.GuardsPaste() {
		t.Error("a paste turned a switch")
	}
	s.Press("esc")
	s.at("description").Press("jsonedit.edit")
	s.Type("!")
	s.Press("esc")
	s.Send(uitest.Paste("y"))
	if !s.GuardsPaste() || !s.Unsaved() {
		t.Error("a paste dropped what was typed")
	}
}

func TestWhatIsSaidOfALineFollowsAtRestAndKeysActAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t, `{"a": 1, "b": true}`)
	s.Press("down")
	s.Shows("a number")
	uitest.PressKey(s, "down")
	s.Shows("a number")
	s.Hides("true or false")
	uitest.PressKey(s, uitest.Key("jsonedit.edit").String()) // turns it
	s.is(`{"a": 1, "b": false}`)
	uitest.PressKey(s, "up")
	s.Rest()
	s.Shows("a number")
}

// No line below the definition is cut in a narrow terminal: what matters least is left out.
func TestTheLinesBelowTheDefinitionFitANarrowTerminal(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 80, 17, definition(t))
	for _, c := range []struct{ path, text string }{
		{"capabilities", "What clients may do with the service; the rest is refused."},
		{"type", "An edit cannot change it."},
		{"maxUsageTime", "restart likely · section Framework"},
	} {
		s.at(document.Path(c.path)).Shows(c.text)
		lines := strings.Split(s.Draw(), "\n")
		if below := strings.Join(lines[len(lines)-3:], "\n"); strings.Contains(below, "…") {
			t.Errorf("below %s stands\n%s", c.path, below)
		}
	}
}

func TestAKeyThatCannotBeUsedSaysWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text      string
		path      document.Path
		key, says string
	}{
		{"[]", "", "jsonedit.undo", "Nothing to undo. History restores what was sent."},
		{"[]", "", "jsonedit.redo", "Nothing to redo."},
		{"[]", "", "jsonedit.take", "No text is being typed."},
		{"[]", "", "space", "Only true, false and extensions switch; e edits."},
		{"[1]", "[0]", "jsonedit.rename", "Only a key of an object can be renamed."},
		{"1", "", "jsonedit.add", "Nothing can be added to a single value."},
		{"[]", "", "jsonedit.next-group", "This document has no groups."},
		{"[]", "", "jsonedit.previous-group", "This document has no groups."},
		{"{}", "", "jsonedit.next-finding", "No rule is broken; } goes to the next change."},
		{"{}", "", "jsonedit.previous-finding", "No rule is broken; } goes to the next change."},
		{"[]", "", "jsonedit.next-change", "Nothing is changed."},
		{"[]", "", "jsonedit.previous-change", "Nothing is changed."},
	} {
		t.Run(c.key, func(t *testing.T) {
			t.Parallel()
			s := open(t, c.text).at(c.path)
			s.Tells(s.Press(c.key), c.says)
		})
	}
	s := open(t, "{}")
	s.Press("rows.filter z z enter")
	for _, key := range []string{"jsonedit.edit", "jsonedit.delete", "jsonedit.text"} {
		s.Tells(s.Press(key), "No line matches the filter; hidden lines are not changed.")
	}
}
