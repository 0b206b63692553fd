package views

import tea "github.com/charmbracelet/bubbletea"

// heldKeys are typed while the form goes from one field to the next. The form
// moves by messages, which come after keys that were read together with the
// enter: without waiting, the start of a password lands in the visible field
// before it.
type heldKeys struct {
	waiting bool
	turn    int
	keys    []tea.KeyMsg
}

// settled follows everything that a key set off in a form.
type settled struct {
	form *Form
	turn int
}

func (f *Form) settle(s settled) tea.Cmd {
	if s.form != f || s.turn != f.held.turn || !f.held.waiting {
		return nil
	}
	return f.release()
}

// release gives the held keys to the form, up to the next one that moves it.
func (f *Form) release() tea.Cmd {
	keys := f.held.keys
	f.held.waiting, f.held.keys = false, nil
	var cmds []tea.Cmd
	for _, key := range keys {
		cmds = append(cmds, f.key(key))
	}
	return tea.Batch(cmds...)
}
