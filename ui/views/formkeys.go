package views

import tea "github.com/charmbracelet/bubbletea"

// heldKeys are typed while the form goes from one field to the next. The form
// moves by messages, which come after keys that were read together with the
// enter: without waiting, the start of a password lands in the visible field
// before it.
type heldKeys struct {
	waiting bool
	turn    int // counts the waits
	pending int // how many chains of commands of this wait still run
	keys    []tea.KeyMsg
}

// settled follows the last message that a command of the form led to.
type settled struct {
	form *Form
	turn int
}

// follow waits for the messages of one more command.
func (f *Form) follow(cmd tea.Cmd) tea.Cmd {
	f.held.pending++
	return tea.Sequence(cmd, Send(settled{form: f, turn: f.held.turn}))
}

func (f *Form) settle(s settled) tea.Cmd {
	if s.form != f || s.turn != f.held.turn || !f.held.waiting {
		return nil
	}
	if f.held.pending--; f.held.pending > 0 {
		return nil
	}
	return f.release()
}

// release gives the held keys to the form, up to the next one that moves it.
func (f *Form) release() tea.Cmd {
	keys := f.held.keys
	f.held = heldKeys{turn: f.held.turn + 1}
	var cmds []tea.Cmd
	for _, key := range keys {
		cmds = append(cmds, f.key(key))
	}
	return tea.Batch(cmds...)
}
