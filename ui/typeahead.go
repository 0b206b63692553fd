package ui

import (
	"reflect"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/keyboard"
	"geodeck/ui/views"
)

// typedAhead is the rest of a burst, behind a key of it that was pressed.
type typedAhead keyboard.Burst

// leadLimit is how long keys wait at most for what the key before them leads to. Dialogs and
// views open and close by messages that are there at once; a request takes longer, and no key
// waits for one.
const leadLimit = 100 * time.Millisecond

// lead is what a key leads to: commands, their messages, and the commands of those.
type lead struct {
	turn    int // counts the keys that were followed
	running int // commands whose messages are not in yet
}

// led is a message that a key led to; nil where a command had none.
type led struct {
	turn int
	msg  tea.Msg
}

// lead has the keys behind a key wait for what its command leads to.
func (m *Model) lead(cmd tea.Cmd) tea.Cmd {
	limit := m.scope.Later(m.pace, leadLimit, "lead", func() tea.Cmd { m.keys.lead.end(m.scope); return nil })
	return views.Batch(m.keys.lead.follow(cmd), limit)
}

// follow waits for the message of one more command.
func (l *lead) follow(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	l.running++
	turn := l.turn
	return func() tea.Msg { return led{turn, cmd()} }
}

// end lets the keys go on. Messages that still come are handled, but not followed.
func (l *lead) end(scope *views.Scope) {
	l.turn, l.running = l.turn+1, 0
	scope.Forget("lead")
}

var teaPkg = reflect.TypeFor[tea.KeyMsg]().PkgPath()

// led handles a message, and follows what it leads to.
func (m *Model) led(by led) tea.Cmd {
	l := &m.keys.lead
	follow := func(cmd tea.Cmd) tea.Cmd { return cmd }
	if by.turn == l.turn {
		follow = l.follow
	}
	var cmd tea.Cmd
	switch msg := by.msg.(type) {
	case nil:
	case views.Notice:
		cmd = m.dispatch(msg) // the end of its time
	case tea.BatchMsg:
		cmds := make([]tea.Cmd, len(msg))
		for i, c := range msg {
			cmds[i] = follow(c)
		}
		cmd = views.Batch(cmds...)
	default:
		if reflect.TypeOf(msg).PkgPath() == teaPkg { // for Bubble Tea, such as a sequence
			cmd = views.Sequence(views.Send(msg), follow(views.Send(nil)))
		} else {
			cmd = follow(m.dispatch(msg))
		}
	}
	if by.turn == l.turn {
		if l.running--; l.running == 0 {
			l.end(m.scope)
		}
	}
	return cmd
}
