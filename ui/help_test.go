package ui_test

import (
	"strings"
	"testing"

	"geodeck/ui/uitest"
)

func TestHelpListsEveryCommandOfTheScreenAndItsKey(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.commands = nil // help names also what cannot be done at present
	d.keys("?")
	var seen strings.Builder
	for range 8 {
		seen.WriteString(d.model.View())
		d.keys("pgdown")
	}
	for _, text := range []string{"Move", "↑ ↓ k j", "Moves the selection.", ":open alpha <file>", "Everywhere", "ctrl+z", ":sign in", "Shows the view"} {
		if !strings.Contains(seen.String(), text) {
			t.Errorf("no %q in\n%s", text, seen.String())
		}
	}
	d.keys("q")
	d.gone("Help for")
}

func TestHelpBeginsWithWhatCanBeDoneRightNow(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.commands = v.commands[1:2]
	d.keys("?")
	d.see("Help for Alpha")
	screen := d.model.View()
	if run, root := strings.Index(screen, ":run alpha"), strings.Index(screen, "Everywhere"); run < 0 || root < run || strings.Contains(screen, ":open alpha") {
		t.Errorf("the help begins with\n%s", screen)
	}
	d.keys("/")
	d.text("opens a FILE")
	d.see("Alpha, not possible right now")
	d.see(":open alpha <file>")
}

func TestHelpIsFilteredAsListsAre(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	d.keys("? G /")
	d.text("quit")
	d.see("  1 of ") // from the end back to the first one found
	v.told = nil
	d.see("Quits; asks first") // both lines of a sentence that is wrapped
	d.see("lost.")
	d.gone("Moves the selection.")
	d.send(uitest.Paste("e"))
	d.see("Nothing here has this text.")
	uitest.Fits(t, d.model.View(), 80, 24)
	d.keys("backspace enter esc")
	d.see("Moves the selection.")
	d.keys("esc")
	d.gone("Help for")
	if len(v.told) > 0 {
		t.Errorf("the view heard %v", v.told)
	}
}
