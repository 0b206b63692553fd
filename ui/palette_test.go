package ui_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

func TestPaletteRunsCommandsByName(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		typed, keys string
		alpha, beta string // what the views hear last
	}{
		"a whole name":                       {typed: "run alpha", keys: "enter", alpha: "do alpha.run"},
		"words of a name in any order":       {typed: "al ru", keys: "enter", alpha: "do alpha.run"},
		"a word of its sentence, after tab":  {typed: "runs", keys: "tab enter", alpha: "do alpha.run"},
		"a whole word of a name":             {typed: "run", keys: "enter", alpha: "do alpha.run"},
		"a name and an argument":             {typed: "open alpha my file.json", keys: "enter", alpha: "do alpha.open my file.json"},
		"completed by tab":                   {typed: "open al", keys: "tab x enter", alpha: "do alpha.open x"},
		"an argument chosen from a list":     {typed: "open alpha b", keys: "enter", alpha: "do alpha.open beta.json"},
		"an argument completed from a list":  {typed: "open alpha b", keys: "tab enter", alpha: "do alpha.open beta.json"},
		"an argument gone to by the arrows":  {typed: "open alpha ", keys: "up up enter", alpha: "do alpha.open beta.json"},
		"a command of a view that is hidden": {typed: "run beta", keys: "enter", alpha: "focus", beta: "do beta.run"},
		"a view by its name":                 {typed: "beta", keys: "enter", alpha: "focus", beta: "focus"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, a, b := two(t)
			d.keys(":")
			d.text(tt.typed)
			d.keys(tt.keys)
			d.await("the command", func() bool { return a.last() == tt.alpha && (tt.beta == "" || b.last() == tt.beta) })
		})
	}
}

// Each key compares the line with every command: with a paste of a book it would take seconds.
func TestALineOfThePaletteHasALimit(t *testing.T) {
	t.Parallel()
	d, a, _ := two(t)
	d.keys(":")
	d.text("open alpha ")
	d.send(uitest.Paste(strings.Repeat("long ", 20_000)))
	d.keys("enter")
	d.await("the command", func() bool { return strings.HasPrefix(a.last(), "do alpha.open long long ") })
	if n := len(a.last()); n > 5000 {
		t.Errorf("the argument has %d bytes", n)
	}
}

func TestEnterRunsTheMarkedCommand(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"ru": "do alpha.run", "RUN": "do alpha.run", "move": "do up", "dow": "do down",
		"open alpha in ed": "do alpha.open in ed", "open alpha": "do alpha.open", "burn": "do burn",
	} {
		t.Run(typed, func(t *testing.T) {
			t.Parallel()
			d, a, b := wordy(t)
			d.keys(":")
			d.text(typed)
			a.told, b.told = nil, nil
			d.keys("enter")
			d.await("the command", func() bool { return slices.Contains(append(a.told, b.told...), want) })
		})
	}
}

func TestEnterRunsNothingThatIsNotPossible(t *testing.T) {
	t.Parallel()
	const not = "not available here"
	tests := map[string]struct{ typed, says string }{
		"what cannot be done now":               {"write", not},
		"the same, which another view could":    {"undo", not},
		"the first word of what cannot be done": {"set", not},
		"what is no command":                    {"zzz", `There is no command "zzz". ctrl+u lists all.`},
		"what only has the letters of one":      {"rnal", `There is no command "rnal". ctrl+u lists all.`},
		"a word of the sentence of one":         {"runs", `There is no command "runs". Tab takes the nearest.`},
		"a word of what another view could":     {"everything", `There is no command "everything". Tab takes the nearest.`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, a, b := wordy(t)
			d.keys(":")
			d.text(tt.typed)
			a.told, b.told = nil, nil
			d.keys("enter")
			d.see(tt.says)
			if len(a.told)+len(b.told) > 0 {
				t.Errorf("alpha heard %v, beta %v", a.told, b.told)
			}
		})
	}
}

func TestThePaletteSaysWhyItOffersNothing(t *testing.T) {
	t.Parallel()
	d, a, _ := wordy(t)
	a.commands = append(a.commands, views.Command{ID: "switch", Name: "start or stop", Group: "Words", Help: "Does it.", Enabled: func() string { return "Put the cursor on a service." }})
	for typed, says := range map[string]string{"stop": "Put the cursor on a service.", "restart": `There is no command "restart"`} {
		d.keys(":")
		d.text(typed)
		d.see(says)
		d.keys("enter")
		d.see("✗ " + says)
		d.keys("esc")
		d.gone(says)
	}
	a.commands = append(rows.NewPager("").Moves(), a.commands...)
	d.keys(":")
	if screen := d.model.View(); !strings.Contains(screen, "run alpha") || strings.Contains(screen, "half a page") {
		t.Errorf("an empty line begins with moves:\n%s", screen)
	}
}

func TestWhatNeedsAChoiceInAnotherViewOnlyGoesThere(t *testing.T) {
	t.Parallel()
	d, a, b := wordy(t)
	b.rest = append(b.rest, views.Command{ID: "switch", Name: "start or stop", Group: "Words", Help: "Does it.", Needs: "a service under the cursor"})
	d.keys(":")
	d.text("start")
	d.keys("enter")
	d.see(`"start or stop" needs a service under the cursor. Choose it here first.`)
	if b.last() != "focus" {
		t.Errorf("alpha heard %v, beta %v", a.told, b.told)
	}
}

func TestThePaletteOffersOtherViewsOnlyWhereThisOneHasNoMatch(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string][2]string{"open": {"open alpha", "open beta"}, "run": {"run alpha", "run beta"}, "evid": {"Beta: Does it.", "run"}, "move": {"move up", "burn"}} {
		d, _, _ := wordy(t)
		d.keys(":")
		d.text(typed)
		d.see(want[0])
		d.gone(want[1])
	}
}

func TestQQuitsFromThePalette(t *testing.T) {
	d, _, _ := wordy(t)
	d.keys(":")
	d.text("q")
	d.keys("enter")
	d.await("end", func() bool { return d.ended })
}

// wordy opens a view with more commands, some of which cannot be done now.
func wordy(t *testing.T) (*driver, *fakeView, *fakeView) {
	t.Helper()
	a, makerA := fake("alpha", "Alpha")
	b, makerB := fake("beta", "Beta")
	named := func(id, name string) views.Command {
		return views.Command{ID: id, Name: name, Group: "Words", Help: "Does it."}
	}
	a.commands = append(a.commands, named("up", "move up"), named("down", "move down"), named("editor", "open alpha in editor"))
	a.rest = append(slices.Clone(a.commands), named("undo", "undo"), named("write", "write"), named("set", "set the weight"))
	b.rest = append(slices.Clone(b.rest), named("evidence", "write evidence"), named("burn", "burn everything"), named("beta.undo", "undo"))
	return start(t, ui.Options{}, 80, 24, makerA, makerB), a, b
}

func TestAHiddenViewsCommandOfTheSameNameRunsWhereItWasChosen(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]string{"by tab": "tab enter", "by the arrows": "up down enter"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, a, b := wordy(t)
			d.keys(":")
			d.text("undo")
			d.keys(keys)
			d.await("the command", func() bool { return b.last() == "do beta.undo" && a.last() == "focus" })
		})
	}
}

func TestANameIsCompletedThoughItsBeginningIsACommand(t *testing.T) {
	t.Parallel()
	d, a, _ := wordy(t)
	d.keys(":")
	d.text("open alpha in e")
	d.see("open alpha in editor")
	d.keys("tab enter")
	d.await("the command", func() bool { return a.last() == "do editor" })
}

func TestPaletteKeepsALineItDoesNotKnow(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.told = nil
	d.keys(":")
	d.text("zzz 1")
	d.keys("enter")
	d.see(`There is no command "zzz 1"`)
	d.keys("backspace")
	d.see(":zzz")
	if len(v.told) > 0 {
		t.Errorf("the view heard %v", v.told)
	}
	d.keys("esc")
	d.gone(":zzz")
}

func TestPaletteRemembersWhatWasRun(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
	d, v := one(t)
	d.keys(":")
	d.text("open alpha ")
	d.see("beta.json")
	d.keys("up up tab enter")
	d.await("the command", func() bool { return v.last() == "do alpha.open beta.json" })
}

func TestIdsComeWithWhatTheyAre(t *testing.T) {
	t.Parallel()
	a, maker := fake("alpha", "Alpha")
	a.commands[2].Choices = func() []views.Choice {
		return []views.Choice{{Text: "k8t1f5e8fc", Note: "11-06 05:20  passed  nightly"}, {Text: "maw6hosto0", Note: "11-11 21:20  failed  by hand"}}
	}
	a.rest = a.commands
	d := start(t, ui.Options{}, 80, 24, maker)
	d.keys(":")
	d.text("open alpha ")
	d.see("k8t1f5e8fc  11-06 05:20  passed  nightly")
	d.text("by hand")
	d.gone("nightly")
	d.keys("enter")
	d.await("the command", func() bool { return a.last() == "do alpha.open maw6hosto0" })
}

func TestACommandWithoutItsArgumentAsksForIt(t *testing.T) {
	t.Parallel()
	a, maker := fake("alpha", "Alpha")
	a.commands[2].Binding = views.Key("")
	a.commands[2].Choices = func() []views.Choice { return views.Choices([]string{"k8t1f5e8fc", "maw6hosto0"}) }
	a.rest = a.commands
	d := start(t, ui.Options{}, 80, 24, maker)
	d.keys(":")
	d.text("open al")
	d.keys("enter")
	d.see("add the ")
	d.see("k8t1f5e8fc")
	d.text("maw")
	d.keys("enter")
	d.await("the command", func() bool { return a.last() == "do alpha.open maw6hosto0" })
}

func TestThePaletteOffersNoWayBackWithinAnotherView(t *testing.T) {
	t.Parallel()
	_, first := fake("alpha", "Alpha")
	b, second := fake("beta", "Beta")
	b.commands = append(b.commands, views.Command{ID: "beta.back", Binding: views.Key("back", "esc"), Name: "withdraw", Help: "One step back.", Run: views.Do(nil)})
	b.rest = b.commands
	d := start(t, ui.Options{}, 80, 24, first, second)
	d.keys(":")
	d.text("withdr")
	d.see("There is no command")
}

func TestTabGoesFromOneNameToTheNext(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{"tab": ":open alpha", "tab tab": ":open beta", "tab tab tab": ":open alpha", "tab tab up tab": ":open alpha"} {
		d, a, _ := two(t)
		a.commands = append(a.commands, views.Command{ID: "beta", Name: "open beta", Argument: "file", Group: "Words", Help: "Opens a file."})
		d.keys(":")
		d.text("open")
		d.keys("tab " + keys) // first what all have in common
		d.see(want)
		d.keys("esc")
	}
}

func TestAPathOfACommandIsCompleted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"licence.json", "licence-old.json", "deep/more.json"} {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		typed string
		steps []string // keys, and what is seen then
	}{
		{"", []string{"tab", "licence-old.json", "tab", ":open alpha deep/", "tab", ":open alpha licence-old.json"}},
		{"l", []string{"tab", ":open alpha licence", "tab", ":open alpha licence-old.json", "tab", ":open alpha licence.json"}},
		{"d", []string{"tab", ":open alpha deep/", "tab", ":open alpha deep/more.json"}},
		{"", []string{"up", "deep/", "enter", "more.json", "enter", ""}},
	} {
		a, maker := fake("alpha", "Alpha")
		a.commands[2].Choices, a.commands[2].Files = nil, true
		a.rest = a.commands
		d := start(t, ui.Options{}, 80, 24, maker)
		a.env.Folder = folder
		d.keys(":")
		d.text("open alpha " + tt.typed)
		for i := 0; i < len(tt.steps); i += 2 {
			d.keys(tt.steps[i])
			d.see(tt.steps[i+1])
		}
		if last := tt.steps[len(tt.steps)-1]; last == "" {
			d.await("the command", func() bool { return a.last() == "do alpha.open deep/more.json" })
		}
	}
}

func TestTimesAreShownAsTheUserWants(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.status.Updated = d.pace.Now().Add(-7 * 60e9)
	d.keys("t")
	d.see("updated 13:58:00Z")
	d.keys("t")
	d.see("updated 7 min ago")
	d.keys("t")
	d.see("updated 14:58:00")
	v.status.Updated = d.pace.Now().Add(-20 * 60e9)
	d.keys("t t t")
	d.see("updated 20 min ago")
	d.send(views.Open{Dialog: widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Read: d.pace.Now().Add(-12 * 60e9)})})
	d.see("updated 12 min ago")
	d.keys("n")
	d.see("updated 20 min ago")
}

func TestCopyWithoutATerminalSaysSo(t *testing.T) {
	t.Parallel()
	d, _ := one(t)
	d.send(views.Copy{Text: "x", What: "report id"})
	d.see("error: cannot copy the report id: there is no terminal")
}
