package widget_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"
	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/complete"
)

// give sends keys to a dialog and returns what it sent upward.
func give(t *testing.T, d views.Dialog, keys ...tea.KeyMsg) []tea.Msg {
	t.Helper()
	var up []tea.Msg
	for _, key := range keys {
		up = append(up, uitest.Drain(t, d, d.Update(key))...)
	}
	return up
}

type agreed struct{}

func confirm() *widget.Confirm {
	c := widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Then: views.Send(agreed{})})
	c.SetSize(60, 10)
	return c
}

func TestOnlyTheYesKeyAgrees(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"enter", "space", "Y", "tab", "x", "ctrl+c"} {
		if up := give(t, confirm(), uitest.Key(key)); len(up) != 1 || uitest.Find[views.Notice](t, up).Text != "Answer y or n first." {
			t.Errorf("%s answered: %v", key, up)
		}
	}
	if up := give(t, confirm(), uitest.Paste("y")); slices.ContainsFunc(up, func(msg tea.Msg) bool { _, shut := msg.(views.Shut); return shut }) {
		t.Errorf("a paste answered: %v", up)
	}
	for _, key := range []string{"n", "esc"} {
		if shut := uitest.Find[views.Shut](t, give(t, confirm(), uitest.Key(key))); shut.Then != nil {
			t.Errorf("%s agreed", key)
		}
	}
	shut := uitest.Find[views.Shut](t, give(t, confirm(), uitest.Key("y")))
	if shut.ID != "q" || shut.Then == nil || shut.Then() != (agreed{}) {
		t.Errorf("y sent %v", shut)
	}
}

func TestWhereAWordIsAskedForOnlyTypingItAgrees(t *testing.T) {
	t.Parallel()
	word := func() *widget.Confirm {
		c := widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Word: "none", Then: views.Send(agreed{})})
		c.SetSize(60, 10)
		return c
	}
	for name, keys := range map[string][]tea.KeyMsg{
		"y": uitest.Keys("y enter"), "enter": uitest.Keys("enter"), "a paste": {uitest.Paste("none"), uitest.Key("enter")},
		"a paste with its enter": {uitest.Paste("none\r"), uitest.Key("enter")}, "a part of one": {uitest.Key("n"), uitest.Paste("one"), uitest.Key("enter")},
		"an enter behind text": append(uitest.Text("none"), uitest.Key("\r")), "a part": uitest.Keys("n o n enter"), "more": uitest.Keys("n o n e s enter"),
	} {
		c := word()
		if up := give(t, c, keys...); len(up) > 0 {
			t.Errorf("%s answered: %v", name, up)
		}
		fits(t, c, 60, 10)
	}
	if shut := uitest.Find[views.Shut](t, give(t, word(), uitest.Keys("n esc")...)); shut.Then != nil {
		t.Error("esc agreed")
	}
	shut := uitest.Find[views.Shut](t, give(t, word(), uitest.Keys("x backspace no n e enter")...))
	if shut.Then == nil || shut.Then() != (agreed{}) {
		t.Errorf("the word sent %v", shut)
	}
}

func TestDeletingAheadOfTheLastCharacterKeepsTheProgram(t *testing.T) {
	t.Parallel()
	text := "x"
	prompt := widget.NewPrompt(uitest.Theme(), widget.PromptOptions{ID: "q", Title: "Path", Value: text})
	form := widget.NewForm(uitest.Theme(), widget.FormOptions{ID: "f", Build: func() *huh.Form {
		return huh.NewForm(huh.NewGroup(huh.NewInput().Title("Path").Value(&text)))
	}})
	for _, d := range []views.Dialog{prompt, form} {
		d.SetSize(60, 10)
		uitest.Drain(t, d, d.Init())
		give(t, d, uitest.Key("left"), tea.KeyMsg{Type: tea.KeyDelete, Alt: true}, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("d"), Alt: true})
		if !strings.Contains(d.View(), "x") {
			t.Errorf("the text is gone\n%s", d.View())
		}
	}
}

func TestLettersReadTogetherAreTextEvenIfTheySpellAKey(t *testing.T) {
	t.Parallel()
	typed := uitest.Keys("x up esc e enter")
	typed[1] = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("up")}
	typed[2] = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("esc")}
	c := widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Word: "xupesce", Then: views.Send(agreed{})})
	c.SetSize(60, 10)
	if shut := uitest.Find[views.Shut](t, give(t, c, typed...)); shut.Then == nil {
		t.Error("the word as it was typed answered no")
	}
	c = widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Word: "none", Then: views.Send(agreed{})})
	c.SetSize(60, 10)
	if up := give(t, c, append(uitest.Keys("n o n e"), tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("enter")})...); len(up) > 0 {
		t.Errorf("an unmarked paste answered: %v", up)
	}
}

func TestAFormThatStartsSomethingIsSentByAnEnterThatComesAlone(t *testing.T) {
	t.Parallel()
	name, sent := "", 0
	f := widget.NewForm(uitest.Theme(), widget.FormOptions{ID: "f", Starts: true,
		Build:  func() *huh.Form { return huh.NewForm(huh.NewGroup(huh.NewInput().Title("Name").Value(&name))) },
		Submit: func() tea.Cmd { sent++; return nil },
	})
	f.SetSize(60, 10)
	uitest.Drain(t, f, f.Init())
	if !f.GuardsPaste() {
		t.Fatal("the field does not get text that comes together in one go")
	}
	give(t, f, uitest.Key("ab\r"), uitest.Key("c\rd\r"), uitest.Paste("e"))
	if sent > 0 || !strings.Contains(f.View(), "ab") {
		t.Errorf("it was sent %d times\n%s", sent, f.View())
	}
	give(t, f, uitest.Key("enter"))
	if sent != 1 || !strings.HasPrefix(name, "abc") || !strings.HasSuffix(name, "de") {
		t.Errorf("%q was sent %d times", name, sent)
	}
}

// fits fails where a dialog draws more than it was given.
func fits(t *testing.T, d views.Dialog, width, height int) {
	t.Helper()
	lines := strings.Split(d.View(), "\n")
	if len(lines) > height {
		t.Errorf("%d lines instead of at most %d", len(lines), height)
	}
	for _, line := range lines {
		if got := ansi.StringWidth(line); got > width {
			t.Errorf("%d cells instead of at most %d: %q", got, width, line)
		}
	}
}

func TestMessageShowsForeignTextCleanedAndWhole(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "line %d of the answer, long enough that it has to be broken somewhere\x1b[31m\n", i)
	}
	m := widget.NewMessage(uitest.Theme(), "m", "The answer", text.String())
	m.SetSize(40, 10)
	fits(t, m, 40, 10)
	uitest.Harmless(t, m.View())
	if !strings.Contains(m.View(), "lines 1 to 8 of") || !strings.Contains(m.View(), "line 0 of") {
		t.Errorf("the start is not shown\n%s", m.View())
	}
	give(t, m, uitest.Key("page.end"))
	if !strings.Contains(m.View(), "line 39 of") {
		t.Errorf("the end is not shown\n%s", m.View())
	}
	m.SetSize(200, 60)
	fits(t, m, 200, 60)
	if !strings.Contains(m.View(), "line 0 of") {
		t.Errorf("a text that fits is not shown whole\n%s", m.View())
	}
	uitest.Find[views.Shut](t, give(t, m, uitest.Key("esc")))
}

func TestMessageScrolls(t *testing.T) {
	t.Parallel()
	m := widget.NewMessage(uitest.Theme(), "m", "Page", strings.Join(strings.Split("abcdefghijklmnopqrst", ""), "\n"))
	m.SetSize(20, 7)
	for _, step := range []struct{ key, first string }{
		{"down", "b"}, {"j", "c"}, {"up", "b"}, {"k", "a"}, {"k", "a"}, {"pgdown", "e"}, {"ctrl+d", "i"}, {"pgup", "e"},
		{"end", "p"}, {"down", "p"}, {"home", "a"},
	} {
		give(t, m, uitest.Key(step.key))
		if got := strings.Split(uitest.Seen(m), "\n")[2]; got != step.first {
			t.Errorf("after %s the first line is %q, want %q", step.key, got, step.first)
		}
	}
}

func TestPromptTakesOnlyWhatPassesItsCheck(t *testing.T) {
	t.Parallel()
	called := 0
	o := widget.PromptOptions{
		ID: "p", Title: "Save as", Note: "In this folder.", Value: "a",
		Check: func(s string) error {
			if !strings.HasSuffix(s, ".json") {
				return errors.New("the name has to end in .json")
			}
			return nil
		},
		Then: func(s string) tea.Cmd { called++; return views.Send(views.Copy{Text: s}) },
	}
	p := widget.NewPrompt(uitest.Theme(), o)
	p.SetSize(60, 10)
	if up := give(t, p, uitest.Key("enter")); len(up) > 0 || !strings.Contains(p.View(), "has to end in .json") {
		t.Errorf("sent %v\n%s", up, p.View())
	}
	give(t, p, uitest.Text(".js")...)
	give(t, p, uitest.Paste("on\n"))
	fits(t, p, 60, 10)
	shut := uitest.Find[views.Shut](t, give(t, p, uitest.Key("enter")))
	if got := shut.Then().(views.Copy).Text; got != "a.json" {
		t.Errorf("sent %q", got)
	}
	if again := give(t, p, uitest.Key("enter"), uitest.Key("esc")); len(again) > 0 || called != 1 {
		t.Errorf("answered %d times, and then %+v", called, again)
	}
	p = widget.NewPrompt(uitest.Theme(), o)
	if shut := uitest.Find[views.Shut](t, give(t, p, uitest.Key("esc"))); shut.Then != nil || called != 1 {
		t.Error("esc accepted")
	}
}

func TestAQuestionAndItsAnswersStayOnALowScreen(t *testing.T) {
	t.Parallel()
	consequence := "It begins here. " + strings.Repeat("Something more becomes of the pods of this service. ", 12) + "And here is the end."
	for _, word := range []string{"", "none"} {
		for height := 5; height < 30; height++ {
			c := widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Send it?", Consequence: consequence, Yes: "send", Word: word})
			c.SetSize(56, height)
			answer := "y send"
			if word != "" {
				answer = "Type none and enter to send: no"
				give(t, c, uitest.Text("no")...)
			}
			for _, key := range append([]string{"x", "pgdown", "up"}, slices.Repeat([]string{"down"}, 20)...) {
				fits(t, c, 56, height)
				if view := c.View(); !strings.Contains(view, "Send it?") || !strings.Contains(view, answer) {
					t.Fatalf("%d lines do not show the question and %q:\n%s", height, answer, view)
				}
				if key != "x" {
					if up := give(t, c, uitest.Key(key)); len(up) > 0 {
						t.Fatalf("%s answered", key)
					}
				}
			}
			if height > 6 && !strings.Contains(c.View(), "the end.") {
				t.Errorf("%d lines never show the end:\n%s", height, c.View())
			}
		}
	}
}

func TestALongWrongWordKeepsItsEndInSight(t *testing.T) {
	t.Parallel()
	c := widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Send it?", Yes: "send", Word: "none"})
	c.SetSize(56, 9)
	give(t, c, uitest.Text(strings.Repeat("x", 60)+"none")...)
	fits(t, c, 56, 9)
	if !strings.Contains(c.View(), "xnone") {
		t.Errorf("the end of what is typed is not shown:\n%s", c.View())
	}
}

func TestTheCursorOfALongListOfChoicesStaysOnALowScreen(t *testing.T) {
	t.Parallel()
	chosen := 0
	f := widget.NewForm(uitest.Theme(), widget.FormOptions{
		ID: "f", Title: "Preset", Note: "Replaces what is there by now, for the part that the cursor is on; nothing is sent.",
		Build: func() *huh.Form {
			var choices []string
			for i := range 7 {
				choices = append(choices, fmt.Sprintf("choice %d:%s", i, strings.Repeat(" and more words", 1+i*3%8)))
			}
			return huh.NewForm(huh.NewGroup(widget.NewChoice("Which", choices, &chosen)))
		},
	})
	f.SetSize(56, 9)
	uitest.Drain(t, f, f.Init())
	for _, key := range strings.Fields("down down down down down down down up up up up g up up up") {
		give(t, f, uitest.Key(key))
		fits(t, f, 56, 9)
		if !strings.Contains(uitest.Seen(f), fmt.Sprintf("› choice %d", chosen)) {
			t.Fatalf("choice %d is not on the screen after %s:\n%s", chosen, key, f.View())
		}
	}
	f.SetSize(56, 30)
	f.SetSize(56, 9)
	give(t, f, uitest.Key("down"), uitest.Key("down"))
	if !strings.Contains(uitest.Seen(f), fmt.Sprintf("› choice %d", chosen)) {
		t.Errorf("choice %d is not on the screen:\n%s", chosen, f.View())
	}
}

func TestAPromptCompletesFromWords(t *testing.T) {
	t.Parallel()
	names := []views.Choice{{Text: "Utilities/Geometry\x1b[31m"}}
	for i := range 9 {
		names = append(names, views.Choice{Text: "City_" + strconv.Itoa(i)})
	}
	prompt := func() *widget.Prompt {
		p := widget.NewPrompt(uitest.Theme(), widget.PromptOptions{
			ID: "p", Title: "Which?", Complete: complete.Words(func() []views.Choice { return names }),
			Then: func(s string) tea.Cmd { return views.Send(views.Copy{Text: s}) },
		})
		p.SetSize(60, 14)
		return p
	}
	p := prompt()
	fits(t, p, 60, 14)
	uitest.Harmless(t, p.View())
	give(t, p, uitest.Text("city")...)
	if shown := p.View(); strings.Contains(shown, "Utilities") || !strings.Contains(shown, "City_5") || !strings.Contains(shown, "and 3 more") {
		t.Errorf("it shows\n%s", shown)
	}
	for keys, want := range map[string]string{
		"_ 4 tab": "City_4", "C tab 4 tab": "City_4", "C tab tab tab": "City_1", "C i t y _ 1 tab tab": "City_1",
		"c i t y tab": "City_0", "down down down": "City_1", "down up up": "City_7", "x tab": "x",
	} {
		p := prompt()
		give(t, p, uitest.Keys(keys)...)
		shut := uitest.Find[views.Shut](t, give(t, p, uitest.Key("enter")))
		if got := shut.Then().(views.Copy).Text; got != want {
			t.Errorf("%s sent %q, not %q", keys, got, want)
		}
	}
}

func TestAPromptCompletesAPath(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"licence.json", "licence-old.json", "deep/er/list.json", "deep/more.json"} {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	prompt := func() *widget.Prompt {
		p := widget.NewPrompt(uitest.Theme(), widget.PromptOptions{ID: "p", Title: "File", Complete: complete.Files(folder, "json"),
			Then: func(s string) tea.Cmd { return views.Send(views.Copy{Text: s}) }})
		p.SetSize(60, 14)
		return p
	}
	for _, tt := range []struct{ keys, line, shows string }{
		{"l i tab", "licence", "licence-old.json"},
		{"l i tab tab", "licence-old.json", "licence.json"},
		{"l i tab tab tab", "licence.json", "licence-old.json"},
		{"d tab", "deep/", ""},
		{"d tab tab", "deep/", "more.json"},
		{"d tab tab tab", "deep/er/", "more.json"},
		{"d tab m tab", "deep/more.json", ""},
		{"down down enter", "licence-old.json", ""},
		{"down enter", "deep/", "er/"},
		{"down enter down enter", "deep/more.json", ""},
		{"z tab", "z", "no match"},
	} {
		p := prompt()
		up := give(t, p, uitest.Keys(tt.keys)...)
		if len(up) > 0 {
			if got := uitest.Find[views.Shut](t, up).Then().(views.Copy).Text; got != tt.line {
				t.Errorf("%s sent %q", tt.keys, got)
			}
		} else if shown := uitest.Seen(p); !strings.Contains(shown, " "+tt.line+"\n") && !strings.Contains(shown, " "+tt.line+" ") || !strings.Contains(shown, tt.shows) {
			t.Errorf("%s shows\n%s", tt.keys, shown)
		}
	}
	p := prompt()
	give(t, p, uitest.Text("l")...)
	late := p.Update(uitest.Key("tab"))() // what was typed meanwhile counts
	give(t, p, uitest.Text("x")...)
	p.Update(late)
	if shown := uitest.Seen(p); strings.Contains(shown, "licence") {
		t.Errorf("a late answer is shown\n%s", shown)
	}
}

func TestAFormCompletesItsFields(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(folder, "deep"), 0o700), os.WriteFile(filepath.Join(folder, "deep", "licence.json"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	words := views.Choices([]string{"pool", "pool-b", "zone"})
	for keys, want := range map[string][3]string{
		"z tab tab d tab tab tab x":        {"zone", "deep/licence.json", "x"},
		"down down enter d e tab":          {"pool-b", "deep/", ""},
		"down tab down enter down enter x": {"pool", "deep/licence.json", "x"},
		"n e w tab o t h e r tab":          {"new", "other", ""}, // no file: the focus stays
		"n e w tab n o n e enter z":        {"new", "none", "z"},
	} {
		var got [3]string
		f := widget.NewForm(uitest.Theme(), widget.FormOptions{ID: "f", Title: "Form", Action: "apply", Build: func() *huh.Form {
			return huh.NewForm(huh.NewGroup(
				widget.NewCompleted(uitest.Theme(), huh.NewInput().Title("Word"), &got[0], complete.Words(func() []views.Choice { return words })),
				widget.NewCompleted(uitest.Theme(), huh.NewInput().Title("File"), &got[1], complete.Files(folder, "json")),
				huh.NewInput().Title("Rest").Value(&got[2])))
		}})
		f.SetSize(60, 16)
		uitest.Drain(t, f, f.Init())
		if shown := uitest.Seen(f); !strings.Contains(shown, "pool-b") {
			t.Errorf("the words are not shown\n%s", shown)
		}
		for _, key := range uitest.Keys(keys) {
			give(t, f, key)
			fits(t, f, 60, 16)
		}
		if got != want {
			t.Errorf("%s fills in %q, not %q", keys, got, want)
		}
	}
}

func TestTheWordToTypeAndWhatIsTypedAreSeenWholeHoweverLongTheyAre(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"none", "SampleWorldCities.MapServer", "Hosted/" + strings.Repeat("long_", 9), strings.Repeat("n", 253)} {
		c := widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "allow another one", Word: word, Then: views.Send(agreed{})})
		c.SetSize(66, 19)
		give(t, c, uitest.Text(word)...)
		fits(t, c, 66, 19)
		view := strings.ReplaceAll(c.View(), "\n", "")
		end := word[max(0, len(word)-60):]
		if strings.Count(view, end) < 2 || !strings.Contains(view, word) || len(word) <= 60 && strings.Contains(view, "…") {
			t.Errorf("%q draws\n%s", word, c.View())
		}
		if shut := uitest.Find[views.Shut](t, give(t, c, uitest.Key("enter"))); shut.Then == nil {
			t.Errorf("%q as it was typed answered no", word)
		}
	}
}

// What a question is about is read whole in a narrow terminal, such as a new path.
func TestALongLineOfAQuestionIsWrapped(t *testing.T) {
	t.Parallel()
	line := "  connection.path /data/maps/Cities/City.gdb → /data/maps/Other/" + strings.Repeat("x", 30) + "/City.gdb"
	c := widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Send it?", Lines: []string{line}, Yes: "send"})
	c.SetSize(60, 12)
	shown := strings.Join(strings.Fields(ansi.Strip(c.View())), "")
	if !strings.Contains(shown, strings.ReplaceAll(line, " ", "")) {
		t.Errorf("it is cut:\n%s", c.View())
	}
}
