package ui_test

import (
	"strings"
	"testing"

	"geodeck/ui/views"
)

func TestPaletteRunsCommandsByName(t *testing.T) {
	tests := map[string]struct {
		typed, keys string
		alpha, beta string // what the views hear last
	}{
		"a whole name":                       {typed: "run alpha", keys: "enter", alpha: "do alpha.run"},
		"the letters of a name":              {typed: "rnal", keys: "enter", alpha: "do alpha.run"},
		"a name and an argument":             {typed: "open alpha my file.json", keys: "enter", alpha: "do alpha.open my file.json"},
		"completed by tab":                   {typed: "open al", keys: "tab x enter", alpha: "do alpha.open x"},
		"an argument chosen from a list":     {typed: "open alpha b", keys: "enter", alpha: "do alpha.open b"},
		"an argument completed from a list":  {typed: "open alpha b", keys: "tab enter", alpha: "do alpha.open beta.json"},
		"a command of a view that is hidden": {typed: "run beta", keys: "enter", alpha: "blur", beta: "do beta.run"},
		"a view by its name":                 {typed: "beta", keys: "enter", alpha: "blur", beta: "focus"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d, a, b := two(t)
			d.keys(":")
			d.text(tt.typed)
			d.keys(tt.keys)
			d.await("the command", func() bool { return a.last() == tt.alpha && (tt.beta == "" || b.last() == tt.beta) })
		})
	}
}

func TestPaletteKeepsALineItDoesNotKnow(t *testing.T) {
	d, v := one(t)
	v.told = nil
	d.keys(":")
	d.text("zzz 1")
	d.keys("enter")
	d.see(`there is no command "zzz 1"`)
	d.keys("backspace")
	d.see(":zzz")
	if len(v.told) > 0 {
		t.Errorf("the view heard %v", v.told)
	}
	d.keys("esc")
	d.gone(":zzz")
}

func TestPaletteRemembersWhatWasRun(t *testing.T) {
	d, v := one(t)
	d.keys(":")
	d.text("open alpha one.json")
	d.keys("enter")
	d.await("the command", func() bool { return v.last() == "do alpha.open one.json" })
	v.told = nil
	d.keys(":")
	d.see("open alpha one.json")
	d.keys("up enter")
	d.await("the command again", func() bool { return v.last() == "do alpha.open one.json" })
}

func TestEnterOnAnEmptyLineRunsNothing(t *testing.T) {
	d, v := one(t)
	d.keys(":")
	d.text("run alpha")
	d.keys("enter")
	d.await("the command", func() bool { return v.last() == "do alpha.run" })
	v.told = nil
	d.keys(":")
	d.see("run before")
	d.keys("enter")
	d.gone("run before")
	if len(v.told) > 0 {
		t.Errorf("%v", v.told)
	}
}

func TestArrowsChooseAmongCompletions(t *testing.T) {
	d, v := one(t)
	d.keys(":")
	d.text("open alpha ")
	d.see("beta.json")
	d.keys("up tab enter")
	d.await("the command", func() bool { return v.last() == "do alpha.open beta.json" })
}

func TestTimesAreShownAsTheUserWants(t *testing.T) {
	d, v := one(t)
	v.status.Reading = d.pace.Now().Add(-7 * 60e9)
	d.keys("t")
	d.see("read 13:58:00Z")
	d.keys("t")
	d.see("read 7 min ago")
	d.keys("t")
	d.see("read 14:58:00")
}

func TestHelpListsEveryCommandOfTheScreenAndItsKey(t *testing.T) {
	d, v := one(t)
	v.commands = nil // help names also what cannot be done at present
	d.keys("?")
	var seen strings.Builder
	for range 4 {
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

func TestCopyWithoutATerminalSaysSo(t *testing.T) {
	d, _ := one(t)
	d.send(views.Copy{Text: "x", What: "report id"})
	d.see("error: cannot copy the report id: there is no terminal")
}
