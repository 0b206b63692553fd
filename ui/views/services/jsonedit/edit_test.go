package jsonedit_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestANumberIsEditedInItsLineAndOnlyItsBytesChange(t *testing.T) {
	t.Parallel()
	text := definition(t)
	s := open(t, text).at("maxWaitTime")
	before := s.Revision()
	s.Press("jsonedit.edit")
	s.Shows("unit not documented")
	s.offers("enter apply, esc cancel")
	s.Press("ctrl+u")
	s.Type("90")
	if !s.Unsaved() || s.Revision() != before {
		t.Error("what is typed is not told apart from the document")
	}
	s.Press("enter")
	s.is(strings.Replace(text, `"maxWaitTime": 60`, `"maxWaitTime": 90`, 1))
	s.Shows("was 60")
	if s.Path() != "maxWaitTime" || s.Unsaved() || s.Revision() == before {
		t.Errorf("after the edit: %s, revision %d", s.Path(), s.Revision())
	}
	s.Press("jsonedit.undo")
	s.is(text)
	s.Press("jsonedit.redo")
	s.Shows("was 60")
}

func TestATextThatIsNoValueStaysWithTheReason(t *testing.T) {
	t.Parallel()
	text := definition(t)
	for _, c := range []struct{ path, typed, reason string }{
		{"maxWaitTime", "soon", "whole number"},
		{"maxWaitTime", "05", "05 is not a whole number; write 5."},
		{"maxWaitTime", "1.5", "whole number"},
		{"recycleStartTime", "24:00", "HH:MM"},
		{"x-lastTuned", "1,5", "number"},
		{"frameworkProperties", "{", "Column"},
	} {
		s := open(t, text)
		s.Invoke("jsonedit.go", c.path)
		s.Press("jsonedit.edit ctrl+u")
		s.Type(c.typed)
		s.Press("enter")
		s.Shows(c.typed, c.reason)
		if !s.Unsaved() || !s.CapturesText() {
			t.Errorf("%s: what was typed is gone", c.path)
		}
		s.is(text)
	}
}

func TestEscAsksBeforeItDiscardsWhatWasTyped(t *testing.T) {
	t.Parallel()
	text := definition(t)
	s := open(t, text).at("description")
	s.Press("jsonedit.edit")
	s.Type("xyz")
	s.Press("esc ctrl+s")
	s.Press("x enter tab")
	s.Shows("Answer first: discard this edit?  y discard · n keep typing")
	s.offers("y discard, n keep typing")
	for _, no := range []string{"n", "esc"} {
		s.Press(no)
		s.Shows("xyz")
		s.Hides("iscard this edit?")
		s.Press("esc")
	}
	s.Press("value.discard")
	if s.CapturesText() {
		t.Error("still typing")
	}
	s.is(text)
	s.Press("jsonedit.edit esc")
	if s.CapturesText() {
		t.Error("nothing was typed, and still it asks")
	}
}

func TestASwitchNeedsOneKey(t *testing.T) {
	t.Parallel()
	text := definition(t)
	s := open(t, text).at("properties.isCached")
	s.Press("enter")
	s.is(strings.Replace(text, `"isCached": false`, `"isCached": true`, 1))
}

func TestAStringKeepsItsEscapesUnlessItIsChanged(t *testing.T) {
	t.Parallel()
	text := definition(t)
	s := open(t, text).at("description")
	s.Press("jsonedit.edit")
	s.Shows("— \"sample\"")
	s.Press("enter")
	s.is(text)
	s.Press("jsonedit.edit")
	s.Type("!")
	s.Press("enter")
	if got, _ := s.Document().Find("description"); got.Text() != "Städte der Welt — \"sample\"!" {
		t.Errorf("the value is %s", got.Raw())
	}
}

func TestAnExtensionIsSwitchedFromAnyOfItsLines(t *testing.T) {
	t.Parallel()
	text := definition(t)
	s := open(t, text).at("extensions[WMSServer].properties.title")
	s.Press("space")
	s.is(strings.Replace(text, `"enabled": true`, `"enabled": false`, 1))
	s.Shows("switched off", "WMSServer, off")
	if s.Path() != "extensions[WMSServer].properties.title" {
		t.Errorf("the cursor went to %s", s.Path())
	}
	s.Press("space")
	s.is(text)
}

func TestCapabilitiesAreASet(t *testing.T) {
	t.Parallel()
	text := definition(t)
	s := open(t, text).at("capabilities")
	s.Press("jsonedit.edit")
	s.Shows("[x] Map", "[x] Data", "[ ] Editing")
	s.Press("down space a")
	s.Type("Tiles")
	s.Press("enter")
	s.Shows("[ ] Query", "[x] Tiles")
	s.Press("enter")
	s.is(strings.Replace(text, `"Map,Query,Data"`, `"Map,Data,Tiles"`, 1))
	s.Press("jsonedit.edit")
	s.Shows("[ ] Query")
	s.Press("esc")
	if s.CapturesText() {
		t.Error("an unchanged set asks before it is left")
	}
}

func TestKeysAreAddedDeletedRenamedAndMoved(t *testing.T) {
	t.Parallel()
	text := "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [1, 2]\n  }\n}"
	s := open(t, text).at("b.c")
	s.Press("jsonedit.delete")
	s.Shows("Deleted b.c with 2 elements")
	s.Press("jsonedit.undo")
	s.Press("jsonedit.rename ctrl+u")
	s.Type("long name")
	s.Press("enter")
	s.is(strings.Replace(text, `"c"`, `"long name"`, 1))
	s.Press("jsonedit.undo")
	s.at("b").Press("jsonedit.move-up")
	s.is("{\n  \"b\": {\n    \"c\": [1, 2]\n  },\n  \"a\": 1\n}")
	s.Press("jsonedit.undo")
	s.at("a").Press("jsonedit.add")
	s.Type("b")
	s.Press("enter")
	s.Shows("already")
	s.Press("ctrl+u")
	s.Type("n")
	s.Press("enter")
	s.Type("{\"x\":1.0}")
	s.Press("enter")
	s.is(strings.Replace(text, `"a": 1,`, "\"a\": 1,\n  \"n\": {\"x\":1.0},", 1))
	if s.Path() != "n" {
		t.Errorf("the cursor is on %s", s.Path())
	}
}

func TestASettingOfAnExtensionIsAText(t *testing.T) {
	t.Parallel()
	s := open(t, definition(t)).at("extensions[WFSServer].properties")
	s.Press("jsonedit.add")
	s.Type("maxFeatures")
	s.Press("enter")
	s.Type("5")
	s.Press("enter")
	if n, _ := s.Document().Find("extensions[WFSServer].properties.maxFeatures"); !n.Valid() || n.Raw() != `"5"` {
		t.Errorf("added:\n%s", s.Document().Text())
	}
}

func TestASubtreeIsEditedAsText(t *testing.T) {
	t.Parallel()
	text := definition(t)
	s := open(t, text).at("extensions[WMSServer].properties")
	s.Press("jsonedit.text")
	s.Shows("As text", `"odd.key": "1"`)
	s.offers("ctrl+s apply, esc cancel")
	s.Press("ctrl+s")
	s.is(text)
	s.Press("jsonedit.text down end backspace")
	s.Press("ctrl+s")
	s.Shows("Line 2, column 31: a comma is missing")
	if !s.Unsaved() {
		t.Error("the broken text is gone")
	}
	s.Press("esc n")
	s.Send(uitest.Paste(",\r\n\t\"new\": \"v\","))
	s.Press("ctrl+s")
	if n, ok := s.Document().Find("extensions[WMSServer].properties.new"); !ok || n.Text() != "v" {
		t.Errorf("taken over:\n%s\n%s", s.Document().Text(), s.View())
	}
	s.Press("jsonedit.undo")
	s.is(text)
}

func TestWhatIsCopiedIsTheValueOrItsPath(t *testing.T) {
	t.Parallel()
	s := open(t, definition(t)).at("properties.cacheDir")
	if got := uitest.Find[views.Copy](t, s.Press("jsonedit.copy")); got.Text != "/data/cache" {
		t.Errorf("copied %+v", got)
	}
	if got := uitest.Find[views.Copy](t, s.Press("jsonedit.copy-path")); got.Text != "properties.cacheDir" {
		t.Errorf("copied %+v", got)
	}
}

func TestALongDocumentIsEditedInACommand(t *testing.T) {
	t.Parallel()
	typed := func(keys string, text string) func(*screen) {
		return func(s *screen) {
			s.Press(keys)
			s.Type(text)
		}
	}
	for name, c := range map[string]struct {
		path   document.Path
		before func(*screen) // leads to the key
		key    string
		calls  func(*screen) tea.Cmd // instead of a key
	}{
		"a value":             {path: "properties.setting200.limit", before: typed("jsonedit.edit ctrl+u", "7"), key: "enter"},
		"a value by ctrl+s":   {path: "properties.setting200.limit", before: typed("jsonedit.edit ctrl+u", "7"), calls: calls("jsonedit.take", "")},
		"on or off":           {path: "properties.setting200.enabled", key: "enter"},
		"a list of words":     {path: "capabilities", before: typed("jsonedit.edit space", ""), key: "enter"},
		"opening the words":   {path: "capabilities", key: "jsonedit.edit"},
		"a new key":           {path: "properties.setting200", before: typed("jsonedit.add", "new"), key: "enter"},
		"its value":           {path: "properties.setting200", before: func(s *screen) { typed("jsonedit.add", "new")(s); typed("enter", "1")(s) }, key: "enter"},
		"another name":        {path: "properties.setting200", before: typed("jsonedit.rename", "x"), key: "enter"},
		"remove":              {path: "properties.setting200", key: "jsonedit.delete"},
		"move":                {path: "properties.setting200", key: "jsonedit.move-down"},
		"an extension":        {path: "extensions[WMSServer]", key: "space"},
		"opening as text":     {path: "properties", key: "jsonedit.text"},
		"as text":             {path: "properties.setting200.limit", before: typed("jsonedit.text ctrl+u", "7"), key: "jsonedit.take"},
		"a broken text":       {path: "properties", before: typed("jsonedit.text", "x"), key: "jsonedit.take"},
		"undo":                {path: "properties.setting200", before: typed("jsonedit.delete", ""), key: "jsonedit.undo"},
		"redo":                {path: "properties.setting200", before: typed("jsonedit.delete jsonedit.undo", ""), key: "jsonedit.redo"},
		"going to a path":     {path: "properties.setting200", calls: calls("jsonedit.go", "type")},
		"a text from outside": {path: "properties", calls: func(s *screen) tea.Cmd { return s.Replace(parse(t, "{}")) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, long(320)).at(c.path)
			if c.before != nil {
				c.before(s)
			}
			d, revision, at := s.Document(), s.Revision(), s.Path()
			var cmd tea.Cmd
			switch {
			case c.calls != nil:
				cmd = c.calls(s)
			case s.CapturesText():
				cmd = s.Update(uitest.Key(c.key))
			default:
				cmd, _, _ = uitest.PressKey(s, uitest.Key(c.key).String())
			}
			if !s.Busy() || !s.Unsaved() || s.Document() != d || s.Revision() != revision || s.Path() != at {
				t.Fatalf("the key waits for what grows with the document: busy %v, cursor on %s", s.Busy(), s.Path())
			}
			shown := s.View()
			for _, key := range uitest.Keys("down x enter") { // they wait at the dashboard
				s.Update(key)
				uitest.PressKey(s, key.String())
			}
			if s.View() != shown {
				t.Error("a key acts on the document before the edit")
			}
			replies := make(chan tea.Msg)
			go func() { replies <- cmd() }()
			_ = s.View() // at the same time: the race detector sees what the command touches
			s.SetSize(100, 30)
			reply := <-replies
			uitest.Drain(t, s.part, func() tea.Msg { return reply })
			if s.Busy() || s.View() == shown {
				t.Errorf("after the reply busy %v, and shown is\n%s", s.Busy(), s.View())
			}
		})
	}
}

func calls(id, argument string) func(*screen) tea.Cmd {
	return func(s *screen) tea.Cmd { return views.Invoke(s, id, argument) }
}

func TestOpeningAnotherDocumentDropsAnUnfinishedEdit(t *testing.T) {
	t.Parallel()
	s := open(t, long(320)).at("properties.setting200")
	cmd, _, _ := uitest.PressKey(s, uitest.Key("jsonedit.delete").String())
	s.set(definition(t), definition(t))
	uitest.Drain(t, s.part, cmd)
	s.is(definition(t))
	if s.Busy() {
		t.Error("the editor is busy with a document that nobody sees")
	}
}
