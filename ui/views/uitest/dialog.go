package uitest

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// Answer gives keys to a dialog that a view opened, until it is shut, and then
// runs in the view what the dialog asks for. It returns what was sent upward.
func Answer(t testing.TB, view views.View, up []tea.Msg, keys ...tea.KeyMsg) []tea.Msg {
	t.Helper()
	return Drain(t, view, AnswerOnly(t, up, keys...))
}

// AnswerOnly is Answer without running what the dialog asks for.
func AnswerOnly(t testing.TB, up []tea.Msg, keys ...tea.KeyMsg) tea.Cmd {
	t.Helper()
	dialog := Find[views.Open](t, up).Dialog
	dialog.SetSize(78, 16)
	sent := Drain(t, dialog, dialog.Init())
	for _, key := range keys {
		sent = append(sent, Drain(t, dialog, dialog.Update(key))...)
	}
	for _, msg := range sent {
		if shut, ok := msg.(views.Shut); ok {
			return shut.Then
		}
	}
	t.Fatalf("the dialog is still open:\n%s", dialog.View())
	return nil
}
