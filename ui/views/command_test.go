package views_test

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// table is a view that has rows and nothing else.
type table []views.Command

func (t table) Commands() []views.Command { return t }

func TestARowThatCannotBeUsedAnswersNoKeyButItsName(t *testing.T) {
	t.Parallel()
	ran := ""
	row := func(name string, enabled bool) views.Command {
		return views.Command{
			ID: "list.open", Binding: views.Key("open", "o"),
			Enabled: func() bool { return enabled },
			Run:     func(argument string) tea.Cmd { ran = name + " " + argument; return nil },
		}
	}
	barred := table{row("first", false), row("second", false)}
	if _, _, ok := views.Press(barred, "o"); ok || ran != "" {
		t.Errorf("the key ran %q", ran)
	}
	if views.Invoke(barred, "list.open", "a"); ran != "first a" {
		t.Errorf("by its name %q ran: nobody says why nothing happens", ran)
	}
	usable := table{row("first", false), row("second", true)}
	if views.Invoke(usable, "list.open", "b"); ran != "second b" {
		t.Errorf("by its name %q ran instead of the row that can be used", ran)
	}
	if _, _, ok := views.Press(usable, "o"); !ok || ran != "second " {
		t.Errorf("the key ran %q", ran)
	}
	if views.Invoke(usable, "list.shut", ""); ran != "second " {
		t.Errorf("a name that nobody has ran %q", ran)
	}
}

func TestARowThatCannotBeUsedSaysSoAndDoesNothing(t *testing.T) {
	t.Parallel()
	usable, ran := false, 0
	rows := views.Guarded([]views.Command{{
		ID: "a", Name: "do it", Enabled: func() bool { return usable }, Run: views.Do(func() tea.Cmd { ran++; return nil }),
	}})
	if told, _ := rows[0].Run("")().(views.Notice); told.Text != `"do it" is not possible right now.` || ran != 0 {
		t.Errorf("told %q, ran %d times", told.Text, ran)
	}
	usable = true
	if rows[0].Run(""); ran != 1 {
		t.Errorf("ran %d times", ran)
	}
}

func TestWhileTextIsTypedOnlyASingleKeyIsACommand(t *testing.T) {
	t.Parallel()
	rows := []views.Command{{ID: "leave", Binding: views.Key("", "esc", "y", "up")}}
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
		{tea.KeyMsg{Type: tea.KeyF5}, false, ""},
	} {
		if _, found := views.Typed(rows, c.key); found != c.found || views.TextOf(c.key) != c.text {
			t.Errorf("%+v is a command: %t, and types %q", c.key, found, views.TextOf(c.key))
		}
	}
}
