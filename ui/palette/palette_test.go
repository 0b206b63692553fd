package palette_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/theme"
	"geodeck/ui/palette"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// line is a palette over the screen Alpha, with the commands of another one, Beta.
type line struct {
	*palette.Palette
	t    *testing.T
	ran  string // the id of the last command that was run, and its argument
	shut bool
}

// named returns a command of the screen that can be used.
func named(id, name string) palette.Entry {
	return palette.Entry{Command: views.Command{ID: id, Name: name, Group: "Words", Help: "Does it."}}
}

// entries are those of two views, and of the root.
func entries() []palette.Entry {
	open := func(id, name string) palette.Entry {
		e := named(id, name)
		e.Key, e.Word, e.Argument, e.Help = "o", "open", "file", "Opens a file."
		e.Choices = func() []views.Choice { return views.Choices([]string{"alpha.json", "beta.json"}) }
		return e
	}
	run := func(id, name string) palette.Entry {
		e := named(id, name)
		e.Key, e.Word, e.Help = "r", "run", "Runs what is to be run."
		return e
	}
	list := []palette.Entry{run("alpha.run", "run alpha"), open("alpha.open", "open alpha"), named("quit", "quit"), named("view.beta", "beta")}
	for _, e := range []palette.Entry{run("beta.run", "run beta"), open("beta.open", "open beta")} {
		e.Elsewhere = "Beta"
		list = append(list, e)
	}
	return list
}

// wordy are more of them, some of which cannot be run at present.
func wordy() []palette.Entry {
	list := append(entries(), named("up", "move up"), named("down", "move down"), named("editor", "open alpha in editor"))
	for _, e := range []palette.Entry{named("undo", "undo"), named("write", "write"), named("set", "set the weight")} {
		e.Unavailable, e.Shown = true, func() bool { return false }
		list = append(list, e)
	}
	for _, e := range []palette.Entry{named("evidence", "write evidence"), named("burn", "burn everything"), named("beta.undo", "undo")} {
		e.Elsewhere = "Beta"
		list = append(list, e)
	}
	return list
}

// open opens the line, and types into it.
func open(t *testing.T, entries []palette.Entry, typed string) *line {
	t.Helper()
	return openIn(t, t.TempDir(), entries, typed)
}

func openIn(t *testing.T, folder string, entries []palette.Entry, typed string) *line {
	t.Helper()
	env := uitest.Env(t, operation.Site{}, uitest.Theme())
	env.Folder = folder
	l := &line{Palette: palette.New(env, entries, nil, 80), t: t}
	l.SetSize(76, 18)
	l.send(uitest.Text(typed)...)
	return l
}

func (l *line) send(keys ...tea.KeyMsg) {
	l.t.Helper()
	for _, key := range keys {
		for _, msg := range uitest.Drain(l.t, l.Palette, l.Update(key)) {
			shut, ok := msg.(views.Shut)
			if l.shut = l.shut || ok; !ok || shut.Then == nil {
				continue
			}
			if run, ok := shut.Then().(palette.Run); ok {
				l.ran = strings.TrimSpace(run.Entry.ID + " " + run.Argument)
			}
		}
	}
}

func (l *line) keys(names string) {
	l.t.Helper()
	l.send(uitest.Keys(names)...)
}

// screen is what is seen of the line, and of what it suggests.
func (l *line) screen() string {
	over := l.Hooks().Over(make([]string, 19), 80)
	return theme.WithoutCursor(strings.Join(over, "\n") + "\n" + l.Hooks().Line(80))
}

func (l *line) see(text string) {
	l.t.Helper()
	if screen := l.screen(); !strings.Contains(screen, text) {
		l.t.Fatalf("no %q on\n%s", text, screen)
	}
}

func (l *line) gone(text string) {
	l.t.Helper()
	if screen := l.screen(); strings.Contains(screen, text) {
		l.t.Fatalf("%q is on\n%s", text, screen)
	}
}

// runs fails unless the line has run a command; empty for none.
func (l *line) runs(want string) {
	l.t.Helper()
	if l.ran != want {
		l.t.Fatalf("it ran %q instead of %q:\n%s", l.ran, want, l.screen())
	}
}

func TestCommandsRunByName(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ typed, keys, want string }{
		"a whole name":                       {typed: "run alpha", keys: "enter", want: "alpha.run"},
		"words of a name in any order":       {typed: "al ru", keys: "enter", want: "alpha.run"},
		"a word of its sentence, after tab":  {typed: "runs", keys: "tab enter", want: "alpha.run"},
		"a whole word of a name":             {typed: "run", keys: "enter", want: "alpha.run"},
		"a name and an argument":             {typed: "open alpha my file.json", keys: "enter", want: "alpha.open my file.json"},
		"completed by tab":                   {typed: "open al", keys: "tab x enter", want: "alpha.open x"},
		"an argument chosen from a list":     {typed: "open alpha b", keys: "enter", want: "alpha.open beta.json"},
		"an argument completed from a list":  {typed: "open alpha b", keys: "tab enter", want: "alpha.open beta.json"},
		"an argument gone to by the arrows":  {typed: "open alpha ", keys: "up up enter", want: "alpha.open beta.json"},
		"a command of a view that is hidden": {typed: "run beta", keys: "enter", want: "beta.run"},
		"a view by its name":                 {typed: "beta", keys: "enter", want: "view.beta"},
		"the letter that quits":              {typed: "q", keys: "enter", want: "quit"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t, entries(), tt.typed)
			l.keys(tt.keys)
			l.runs(tt.want)
		})
	}
}

// Each key compares the line with every command: with a paste of a book it would take seconds.
func TestALineHasALimit(t *testing.T) {
	t.Parallel()
	l := open(t, entries(), "open alpha ")
	l.send(uitest.Paste(strings.Repeat("long ", 20_000)))
	l.keys("enter")
	if !strings.HasPrefix(l.ran, "alpha.open long long ") || len(l.ran) > 5000 {
		t.Errorf("%d bytes were run", len(l.ran))
	}
}

func TestEnterRunsTheMarkedCommand(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"ru": "alpha.run", "RUN": "alpha.run", "move": "up", "dow": "down",
		"open alpha in ed": "alpha.open in ed", "open alpha": "alpha.open", "burn": "burn",
	} {
		l := open(t, wordy(), typed)
		l.keys("enter")
		l.runs(want)
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
			l := open(t, wordy(), tt.typed)
			l.keys("enter")
			l.see(tt.says)
			l.runs("")
		})
	}
}

func TestItSaysWhyItOffersNothing(t *testing.T) {
	t.Parallel()
	list := wordy()
	refused := named("switch", "start or stop")
	refused.Unavailable, refused.Enabled = true, func() string { return "Put the cursor on a service." }
	for typed, says := range map[string]string{"stop": "Put the cursor on a service.", "restart": `There is no command "restart"`} {
		l := open(t, append(list, refused), typed)
		l.see(says)
		l.keys("enter")
		l.see("✗ " + says)
		l.keys("esc")
		if !l.shut {
			t.Error("esc leaves the line open")
		}
	}
	for _, move := range rows.NewPager("").Moves() {
		list = append([]palette.Entry{{Command: move}}, list...)
	}
	if screen := open(t, list, "").screen(); !strings.Contains(screen, "run alpha") || strings.Contains(screen, "half a page") {
		t.Errorf("an empty line begins with moves:\n%s", screen)
	}
}

func TestOtherViewsAreOfferedOnlyWhereThisOneHasNoMatch(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string][2]string{"open": {"open alpha", "open beta"}, "run": {"run alpha", "run beta"}, "evid": {"Beta: Does it.", "run"}, "move": {"move up", "burn"}} {
		l := open(t, wordy(), typed)
		l.see(want[0])
		l.gone(want[1])
	}
}

func TestAHiddenViewsCommandOfTheSameNameRunsWhereItWasChosen(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]string{"by tab": "tab enter", "by the arrows": "up down enter"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t, wordy(), "undo")
			l.keys(keys)
			l.runs("beta.undo")
		})
	}
}

func TestANameIsCompletedThoughItsBeginningIsACommand(t *testing.T) {
	t.Parallel()
	l := open(t, wordy(), "open alpha in e")
	l.see("open alpha in editor")
	l.keys("tab enter")
	l.runs("editor")
}

func TestALineThatItDoesNotKnowStays(t *testing.T) {
	t.Parallel()
	l := open(t, entries(), "zzz 1")
	l.keys("enter")
	l.see(`There is no command "zzz 1"`)
	l.keys("backspace")
	l.see(":zzz")
	l.runs("")
	if l.keys("esc"); !l.shut {
		t.Error("esc leaves the line open")
	}
}

func TestArrowsChooseAmongCompletions(t *testing.T) {
	t.Parallel()
	l := open(t, entries(), "open alpha ")
	l.see("beta.json")
	l.keys("up up tab enter")
	l.runs("alpha.open beta.json")
}

func TestIDsComeWithWhatTheyAre(t *testing.T) {
	t.Parallel()
	list := entries()
	list[1].Choices = func() []views.Choice {
		return []views.Choice{{Text: "k8t1f5e8fc", Note: "11-06 05:20  passed  nightly"}, {Text: "maw6hosto0", Note: "11-11 21:20  failed  by hand"}}
	}
	l := open(t, list, "open alpha ")
	l.see("k8t1f5e8fc  11-06 05:20  passed  nightly")
	l.send(uitest.Text("by hand")...)
	l.gone("nightly")
	l.keys("enter")
	l.runs("alpha.open maw6hosto0")
}

func TestACommandWithoutItsArgumentAsksForIt(t *testing.T) {
	t.Parallel()
	list := entries()[:2]
	list[1].Key, list[1].Word = "", ""
	list[1].Choices = func() []views.Choice { return views.Choices([]string{"k8t1f5e8fc", "maw6hosto0"}) }
	l := open(t, list, "open al")
	l.keys("enter")
	l.see("add the ")
	l.see("k8t1f5e8fc")
	l.send(uitest.Text("maw")...)
	l.keys("enter")
	l.runs("alpha.open maw6hosto0")
}

func TestTabGoesFromOneNameToTheNext(t *testing.T) {
	t.Parallel()
	other := named("beta", "open beta")
	other.Argument = "file"
	for keys, want := range map[string]string{"tab": ":open alpha", "tab tab": ":open beta", "tab tab tab": ":open alpha", "tab tab up tab": ":open alpha"} {
		l := open(t, append(entries()[:2:2], other), "open")
		l.keys("tab " + keys) // first what all have in common
		l.see(want)
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
		list := entries()[:2]
		list[1].Choices, list[1].Files = nil, true
		l := openIn(t, folder, list, "open alpha "+tt.typed)
		for i := 0; i < len(tt.steps); i += 2 {
			l.keys(tt.steps[i])
			l.see(tt.steps[i+1])
		}
		if last := tt.steps[len(tt.steps)-1]; last == "" {
			l.runs("alpha.open deep/more.json")
		}
	}
}
