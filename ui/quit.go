package ui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/keyboard"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// quitID names the question before quitting.
const quitID = "quit"

// quitConfirmed says that the user wants to quit, whatever is open.
type quitConfirmed struct{}

// quitting is the question before the program ends.
type quitting struct {
	part
	questions func() []string // of views, before they are closed
	// What the open question tells: what is lost, and more than that.
	told, more string
}

// warnings is what the user should know before the program ends, one sentence a line.
func (q *quitting) warnings() string {
	warnings := q.questions()
	if w := &q.env.Upgrade; w.On && w.Snapshot.Meaning == progress.StateRunning {
		warnings = append(warnings, w.Snapshot.Progress.Kind.One()+" is being watched. It continues at the site; "+q.env.Commands(afterQuit(w.Snapshot)))
	}
	return strings.Join(warnings, "\n")
}

// question returns the dialog, which tells more than what is lost.
func (q *quitting) question(more string) views.Dialog {
	q.told, q.more = q.warnings(), more
	return widget.NewConfirm(q.env.Theme, widget.Question{
		ID: quitID, Text: "Quit geodeck?", Consequence: strings.Trim(q.told+"\n"+more, "\n"),
		Yes: "quit", No: "stay", Then: views.Send(quitConfirmed{}),
	})
}

// askToQuit quits, and asks first where something would be lost.
func (m *Model) askToQuit() tea.Cmd {
	if m.quitting.warnings() != "" {
		return m.askQuit("")
	}
	return m.quit()
}

// afterQuit says how to follow the upgrade later.
func afterQuit(r watching.Snapshot) string {
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
	switch top := m.screen.dialogs.topID(); {
	case top == quitID:
		return m.quit()
	case top != "" && !m.screen.layout.tooSmall():
		return m.askQuit("Anything unfinished here is discarded.")
	case m.screen.router.active().CapturesText() && !m.screen.layout.tooSmall():
		return m.askQuit("What you type here may not be kept.")
	}
	return m.askToQuit()
}

// askQuit opens the question at once, whatever is busy.
func (m *Model) askQuit(more string) tea.Cmd {
	m.notices.leave() // it may have said how to quit
	return m.screen.dialogs.push(m.quitting.question(more))
}

// askQuitAgain makes the question anew where what it told has ended meanwhile.
func (m *Model) askQuitAgain() tea.Cmd {
	if m.screen.dialogs.topID() != quitID || m.quitting.warnings() == m.quitting.told {
		return nil
	}
	return m.askQuit(m.quitting.more)
}

// quit ends what is under way, then the program.
func (m *Model) quit() tea.Cmd {
	m.screen.router.close()
	m.Close()
	return tea.Quit
}
