package ui

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/keyboard"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// A dialog that opens by itself swallows keys until none comes for a moment, but not
// for long: the user was typing something else.
const (
	graceQuiet = 400 * time.Millisecond
	graceLimit = 1500 * time.Millisecond
)

// dialogs is the stack of open dialogs. The top one takes all keys.
type dialogs struct {
	stack         []views.Dialog
	opened, last  time.Time // of the grace of the top dialog; zero where it has none
	width, height int
}

// top returns the dialog that takes the keys, nil where none is open.
func (d *dialogs) top() views.Dialog {
	if len(d.stack) == 0 {
		return nil
	}
	return d.stack[len(d.stack)-1]
}

// topID is the id of the top dialog, empty where none is open.
func (d *dialogs) topID() string {
	if top := d.top(); top != nil {
		return top.ID()
	}
	return ""
}

// shows reports whether the dialog of an id is open.
func (d *dialogs) shows(id string) bool { return d.find(id) >= 0 }

func (d *dialogs) find(id string) int {
	return slices.IndexFunc(d.stack, func(x views.Dialog) bool { return x.ID() == id })
}

// push opens a dialog on top, in place of one with the same id.
func (d *dialogs) push(x views.Dialog) tea.Cmd {
	d.remove(x.ID())
	d.stack = append(d.stack, x)
	d.opened, d.last = time.Time{}, time.Time{}
	x.SetSize(d.width, d.height)
	return x.Init()
}

// remove closes the dialog of that id and reports whether there was one.
func (d *dialogs) remove(id string) bool {
	i := d.find(id)
	if i < 0 {
		return false
	}
	if scope := d.stack[i].Replies(); scope != nil {
		scope.Close()
	}
	d.stack = slices.Delete(d.stack, i, i+1)
	if top := d.top(); top != nil {
		top.SetSize(d.width, d.height)
	}
	return true
}

func (d *dialogs) resize(width, height int) {
	d.width, d.height = width, height
	for _, x := range d.stack {
		x.SetSize(width, height)
	}
}

// swallows reports whether a key comes too early to be an answer to the top dialog.
func (d *dialogs) swallows(now time.Time) bool {
	if d.opened.IsZero() {
		return false
	}
	if now.Sub(d.opened) < graceLimit && now.Sub(d.last) < graceQuiet {
		d.last = now
		return true
	}
	d.opened = time.Time{}
	return false
}

// quitID names the question before quitting.
const quitID = "quit"

// quitConfirmed says that the user wants to quit, whatever is open.
type quitConfirmed struct{}

// askToQuit quits, and asks first where something would be lost.
func (m *Model) askToQuit() tea.Cmd {
	if m.quitWarnings() != "" {
		return m.askQuit("")
	}
	return m.quit()
}

// quitWarnings is what the user should know before the program ends, one sentence a line.
func (m *Model) quitWarnings() string {
	warnings := m.router.leaveQuestions()
	if m.env.Upgrade.On && m.env.Upgrade.Snapshot.Meaning == progress.StateRunning {
		warnings = append(warnings, m.env.Upgrade.Snapshot.Progress.Kind.One()+" is being watched. It continues at the site; "+m.env.Commands(afterQuit(m.env.Upgrade.Snapshot)))
	}
	return strings.Join(warnings, "\n")
}

// afterQuit says how to follow the upgrade later.
func afterQuit(r operation.UpgradeSnapshot) string {
	if r.Transcript != "" && r.TranscriptErr == nil {
		return "its messages are saved, and the next start offers to resume."
	}
	return "to see it: {command:upgrade status}"
}

// interrupt handles ctrl+c, which works everywhere: the second press quits without a
// question. Keys that are held are dropped: they answer no question that opens now.
func (m *Model) interrupt() tea.Cmd {
	m.keys.held = slices.DeleteFunc(m.keys.held, func(msg tea.Msg) bool {
		switch msg.(type) {
		case tea.KeyMsg, keyboard.Burst, typedAhead:
			return true
		}
		return false
	})
	top := m.dialogs.top()
	switch {
	case top != nil && top.ID() == quitID:
		return m.quit()
	case top != nil && !m.layout.tooSmall():
		return m.askQuit("Anything unfinished here is discarded.")
	}
	return m.askToQuit()
}

// quitting is what the question before quitting tells: what is lost, and more than that.
type quitting struct{ told, more string }

// askQuit opens the question at once, whatever is busy.
func (m *Model) askQuit(more string) tea.Cmd {
	m.notices.leave() // it may have said how to quit
	m.quitting = quitting{m.quitWarnings(), more}
	return m.dialogs.push(widget.NewConfirm(m.env.Theme, widget.Question{
		ID: quitID, Text: "Quit geodeck?", Consequence: strings.Trim(m.quitting.told+"\n"+more, "\n"),
		Yes: "quit", No: "stay", Then: views.Send(quitConfirmed{}),
	}))
}

// askQuitAgain makes the question anew where what it told has ended meanwhile.
func (m *Model) askQuitAgain() tea.Cmd {
	if top := m.dialogs.top(); top == nil || top.ID() != quitID || m.quitWarnings() == m.quitting.told {
		return nil
	}
	return m.askQuit(m.quitting.more)
}

// quit ends what is under way, then the program.
func (m *Model) quit() tea.Cmd {
	m.router.close()
	m.Close()
	return tea.Quit
}
