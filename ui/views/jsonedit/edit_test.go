package jsonedit_test

import (
	"strings"
	"testing"

	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

func TestANumberIsEditedInItsLineAndOnlyItsBytesChange(t *testing.T) {
	text := definition(t)
	s := open(t, text).at("maxWaitTime")
	before := s.Revision()
	s.press("e")
	s.shows("unit not stated", "enter takes it over")
	s.press("ctrl+u")
	s.typed("90")
	if !s.Unsaved() || s.Revision() != before {
		t.Error("what is typed is not told apart from the document")
	}
	s.press("enter")
	s.is(strings.Replace(text, `"maxWaitTime": 60`, `"maxWaitTime": 90`, 1))
	s.shows("was 60")
	if s.Path() != "maxWaitTime" || s.Unsaved() || s.Revision() == before {
		t.Errorf("after the edit: %s, revision %d", s.Path(), s.Revision())
	}
	s.press("u")
	s.is(text)
	s.press("ctrl+r")
	s.shows("was 60")
}

func TestATextThatIsNoValueStaysTypedWithTheReason(t *testing.T) {
	text := definition(t)
	for _, c := range []struct{ path, typed, reason string }{
		{"maxWaitTime", "soon", "whole number"},
		{"maxWaitTime", "1.5", "whole number"},
		{"recycleStartTime", "24:00", "HH:MM"},
		{"x-lastTuned", "1,5", "number"},
		{"frameworkProperties", "{", "Column"},
	} {
		s := open(t, text)
		s.Do("jsonedit.go", c.path)
		s.press("e ctrl+u")
		s.typed(c.typed)
		s.press("enter")
		s.shows(c.typed, c.reason)
		if !s.Unsaved() || !s.CapturesText() {
			t.Errorf("%s: what was typed is gone", c.path)
		}
		s.is(text)
	}
}

func TestEscAsksBeforeItDropsWhatWasTyped(t *testing.T) {
	text := definition(t)
	s := open(t, text).at("description")
	s.press("e")
	s.typed("xyz")
	s.press("esc")
	s.shows("Drop what was typed?")
	s.press("n")
	s.shows("xyz")
	s.press("esc y")
	if s.CapturesText() {
		t.Error("still typing")
	}
	s.is(text)
	s.press("e esc")
	if s.CapturesText() {
		t.Error("nothing was typed, and still it asks")
	}
}

func TestASwitchTurnsAtOnce(t *testing.T) {
	text := definition(t)
	s := open(t, text).at("properties.isCached")
	s.press("enter")
	s.is(strings.Replace(text, `"isCached": false`, `"isCached": true`, 1))
}

func TestAStringKeepsItsEscapesUnlessItIsChanged(t *testing.T) {
	text := definition(t)
	s := open(t, text).at("description")
	s.press("e")
	s.shows("— \"sample\"")
	s.press("enter")
	s.is(text)
	s.press("e")
	s.typed("!")
	s.press("enter")
	if got, _ := s.Document().Find("description"); got.Text() != "Städte der Welt — \"sample\"!" {
		t.Errorf("the value is %s", got.Raw())
	}
}

func TestAnExtensionIsSwitchedFromAnyOfItsLines(t *testing.T) {
	text := definition(t)
	s := open(t, text).at("extensions[WMSServer].properties.title")
	s.press("space")
	s.is(strings.Replace(text, `"enabled": true`, `"enabled": false`, 1))
	s.shows("switched off", "WMSServer, off")
	if s.Path() != "extensions[WMSServer].properties.title" {
		t.Errorf("the cursor went to %s", s.Path())
	}
	s.press("space")
	s.is(text)
}

func TestCapabilitiesAreASet(t *testing.T) {
	text := definition(t)
	s := open(t, text).at("capabilities")
	s.press("e")
	s.shows("[x] Map", "[x] Data", "[ ] Editing")
	s.press("down space a")
	s.typed("Tiles")
	s.press("enter")
	s.shows("[ ] Query", "[x] Tiles")
	s.press("enter")
	s.is(strings.Replace(text, `"Map,Query,Data"`, `"Map,Data,Tiles"`, 1))
	s.press("e")
	s.shows("[ ] Query")
	s.press("esc")
	if s.CapturesText() {
		t.Error("an unchanged set asks before it is left")
	}
}

func TestKeysAreAddedDeletedRenamedAndMoved(t *testing.T) {
	text := "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [1, 2]\n  }\n}"
	s := open(t, text).at("b.c")
	s.press("d")
	s.shows("Gone: b.c with 2 elements")
	s.press("u")
	s.press("R ctrl+u")
	s.typed("long name")
	s.press("enter")
	s.is(strings.Replace(text, `"c"`, `"long name"`, 1))
	s.press("u")
	s.at("b").press("K")
	s.is("{\n  \"b\": {\n    \"c\": [1, 2]\n  },\n  \"a\": 1\n}")
	s.press("u")
	s.at("a").press("a")
	s.typed("b")
	s.press("enter")
	s.shows("already")
	s.press("ctrl+u")
	s.typed("n")
	s.press("enter")
	s.typed("{\"x\":1.0}")
	s.press("enter")
	s.is(strings.Replace(text, `"a": 1,`, "\"a\": 1,\n  \"n\": {\"x\":1.0},", 1))
	if s.Path() != "n" {
		t.Errorf("the cursor is on %s", s.Path())
	}
}

func TestASettingOfAnExtensionIsAText(t *testing.T) {
	s := open(t, definition(t)).at("extensions[WFSServer].properties")
	s.press("a")
	s.typed("maxFeatures")
	s.press("enter")
	s.typed("5")
	s.press("enter")
	if n, _ := s.Document().Find("extensions[WFSServer].properties.maxFeatures"); !n.Valid() || n.Raw() != `"5"` {
		t.Errorf("added:\n%s", s.Document().Text())
	}
}

func TestASubtreeIsEditedAsText(t *testing.T) {
	text := definition(t)
	s := open(t, text).at("extensions[WMSServer].properties")
	s.press("i")
	s.shows("As text", `"odd.key": "1"`, "ctrl+s")
	s.press("ctrl+s")
	s.is(text)
	s.press("i down end backspace")
	s.press("ctrl+s")
	s.shows("Line 2, column 31: a comma is missing")
	if !s.Unsaved() {
		t.Error("the broken text is gone")
	}
	s.press("esc n")
	s.key(uitest.Paste(",\r\n\t\"new\": \"v\","))
	s.press("ctrl+s")
	if n, ok := s.Document().Find("extensions[WMSServer].properties.new"); !ok || n.Text() != "v" {
		t.Errorf("taken over:\n%s\n%s", s.Document().Text(), s.View())
	}
	s.press("u")
	s.is(text)
}

func TestWhatIsCopiedIsTheValueOrItsPath(t *testing.T) {
	s := open(t, definition(t)).at("properties.cacheDir")
	if got := uitest.Find[views.Copy](t, s.press("y")); got.Text != "/data/cache" {
		t.Errorf("copied %+v", got)
	}
	if got := uitest.Find[views.Copy](t, s.press("Y")); got.Text != "properties.cacheDir" {
		t.Errorf("copied %+v", got)
	}
}
