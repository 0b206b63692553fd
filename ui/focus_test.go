package ui_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/theme"
	"geodeck/ui"
	"geodeck/ui/uitest"
)

// Dialogs are drawn in place of the view or over it: the cursor of the terminal is in them.
func TestTheCursorStandsInTheDialogOnTop(t *testing.T) {
	t.Parallel()
	v, maker := fake("alpha", "Alpha")
	v.focused = true
	site := signedInSite(t, simulator.Scenario{Name: "focus"})
	d := start(t, ui.Options{Site: site, Clock: site.Clock}, 80, 24, maker)
	stands := func(what, before, behind string) {
		t.Helper()
		screen := d.model.View()
		if n := strings.Count(screen, theme.CursorMark); n != 1 {
			t.Errorf("%s: %d places have the cursor", what, n)
		}
		if b, a := uitest.Focus(screen); !strings.HasSuffix(b, before) || !strings.HasPrefix(a, behind) {
			t.Errorf("%s: the cursor stands between %q and %q", what, b, a)
		}
	}
	stands("the view", "", "this is alpha")
	d.keys("palette o p")
	stands("the line of commands", ":op", " ")
	d.keys("enter")
	stands("a line that is not clear", ":op", " ")
	d.keys("esc")
	d.gone(":op")
	d.keys("help")
	stands("the help", "› ", "▾ On this screen")
	d.keys("down rows.filter")
	d.text("run")
	stands("the filter of the help", "/run", " ")
	d.keys("esc esc esc")
	d.gone("Help")
	d.expire()
	d.keys("R")
	d.see("user and password")
	stands("the method of a sign-in", "› ", "user and password")
	d.keys("ctrl+c")
	stands("the question before the end", "", "y quit")
}

func TestTheCursorIsHiddenOnATerminalThatIsTooSmall(t *testing.T) {
	t.Parallel()
	v, maker := fake("alpha", "Alpha")
	v.focused = true
	if d := start(t, ui.Options{}, 30, 10, maker); strings.Contains(d.model.View(), theme.CursorMark) {
		t.Error("the cursor is shown")
	}
}
