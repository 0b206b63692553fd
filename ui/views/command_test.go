package views_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// table is a view that has rows and nothing else.
type table []views.Command

func (t table) Commands() []views.Command { return t }

// says returns the text of the notice that a command yields, empty for none.
func says(cmd tea.Cmd) string {
	if cmd == nil {
		return ""
	}
	told, _ := cmd().(views.Notice)
	return told.Text
}

func TestARowThatCannotBeUsedSaysWhy(t *testing.T) {
	t.Parallel()
	ran := ""
	row := func(name, whyNot string, shown bool) views.Command {
		return views.Command{
			ID: "list.open", Name: name, Key: "o", Word: "open",
			Shown:   func() bool { return shown },
			Enabled: func() string { return whyNot },
			With:    func(argument string) tea.Cmd { ran += name + " " + argument; return nil },
		}
	}
	for _, c := range []struct {
		name                string
		rows                table
		key, keySays        string
		invoked, invokeSays string
	}{
		{"nothing", nil, "", "", "", ""},
		{"one that cannot", table{row("first", "Why first.", true)}, "", "Why first.", "", "Why first."},
		{"two that cannot", table{row("first", "Why first.", true), row("second", "Why second.", true)}, "", "Why first.", "", "Why first."},
		{"the second can", table{row("first", "Why first.", true), row("second", "", true)}, "second ", "", "second b", ""},
		{"not on the screen", table{row("first", "", false)}, "", "", "first b", ""},
		{"neither shown nor possible", table{row("first", "Why first.", false)}, "", "", "", "Why first."},
		{"shown and refused beside one that is not shown", table{row("first", "", false), row("second", "Why second.", true)}, "", "Why second.", "", "Why second."},
		{"only for what is shown", views.Guarded(table{row("first", "", false)}), "", "", "", `"first" is not possible right now.`},
		{"only for what is shown, and refused", views.Guarded(table{row("first", "Why first.", false)}), "", "", "", `"first" is not possible right now.`},
		{"of another part of the screen", views.When(func() bool { return false }, table{row("first", "", true)}), "", "", "first b", ""},
	} {
		ran = ""
		cmd, _, answered := uitest.PressKey(c.rows, "o")
		if said := says(cmd); ran != c.key || said != c.keySays || answered != (c.key != "" || c.keySays != "") {
			t.Errorf("%s: the key ran %q and said %q", c.name, ran, said)
		}
		ran = ""
		if said := says(views.Invoke(c.rows, "list.open", "b")); ran != c.invoked || said != c.invokeSays {
			t.Errorf("%s: its id ran %q and said %q", c.name, ran, said)
		}
		views.Invoke(c.rows, "list.shut", "")
	}
}

func TestTheFooterHasTheRowsOfItsListThatCanBeUsed(t *testing.T) {
	t.Parallel()
	at := ""
	rows := views.When(func() bool { return at != "hidden" }, []views.Command{
		{ID: "open", Key: "enter o", Word: "open", Enabled: views.Only(func() bool { return at == "row" }, "Choose a row.")},
		{ID: "sort", Key: "s", Word: "sort", Hint: views.HintIf(func() bool { return at == "row" }, "sort rows")},
		{ID: "up", Key: "up k", Word: "move"},
		{ID: "down", Key: "down j", Word: "move"},
		{ID: "turn", Key: "left right", Word: "turn"},
		{ID: "named", Word: "by name"},
		{ID: "silent", Key: "x"},
		{ID: "back", Key: "esc", Word: "clear", Shown: func() bool { return at == "row" }},
		{ID: "back", Key: "esc", Word: "back"},
	})
	order := []string{"up", "down", "back", "turn", "open", "silent", "named", "none", "sort"}
	for want, now := range map[string]string{
		"↑↓ move, esc clear, ←→ turn, enter open, s sort rows": "row",
		"↑↓ move, esc back, ←→ turn":                           "",
		"":                                                     "hidden",
	} {
		at = now
		var texts []string
		for _, h := range views.Footer(rows, order...) {
			texts = append(texts, h.Label(false)+" "+h.Text)
		}
		if got := strings.Join(texts, ", "); got != want {
			t.Errorf("at %q the footer is %q, not %q", now, got, want)
		}
	}
}

func TestWhileTextIsTypedOnlyASingleKeyIsACommand(t *testing.T) {
	t.Parallel()
	rows := []views.Command{
		{ID: "leave", Key: "esc y up"},
		{ID: "mark", Key: "m", Enabled: func() string { return "Nothing to mark." }},
	}
	for _, c := range []struct {
		key   tea.KeyMsg
		found bool
		text  string
	}{
		{tea.KeyMsg{Type: tea.KeyEsc}, true, ""},
		{tea.KeyMsg{Type: tea.KeyUp, Alt: true}, true, ""}, // esc and up, joined by a slow line
		{tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("y")}, true, "y"},
		{tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("y"), Alt: true}, false, ""},
		{tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("y"), Paste: true}, false, "y"},
		{tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("esc")}, false, "esc"},
		{tea.KeyMsg{Type: tea.KeySpace, Runes: []rune(" ")}, false, " "},
		{tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("m")}, false, "m"}, // a row that cannot be used leaves it
		{tea.KeyMsg{Type: tea.KeyF5}, false, ""},
	} {
		if _, found := views.Typed(rows, c.key); found != c.found || views.TextOf(c.key) != c.text {
			t.Errorf("%+v is a command: %t, and types %q", c.key, found, views.TextOf(c.key))
		}
	}
}
