package ui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// quitID names the question before quitting.
const quitID = "quit"

// leave says that the user wants to quit, whatever is open.
type leave struct{}

// askToQuit quits, or asks where a view would lose something.
func (m *Model) askToQuit() tea.Cmd {
	if questions := m.leaving(); len(questions) > 0 {
		return m.askQuit(strings.Join(questions, "\n"))
	}
	return m.quit()
}

// leaving is what the user should know before the program ends.
func (m *Model) leaving() []string {
	questions := m.router.leave()
	if m.env.Upgrade.On && m.env.Upgrade.Reading.Meaning == progress.StateRunning {
		questions = append(questions, "An upgrade is being watched. It goes on at the site; "+m.afterQuit())
	}
	return questions
}

// afterQuit is how the user hears of the upgrade again.
func (m *Model) afterQuit() string {
	if r := m.env.Upgrade.Reading; r.Transcript != "" && r.Unkept == nil {
		return "its messages so far are kept, and the next start offers to watch on."
	}
	return "geodeck upgrade status tells of it."
}

// interrupt answers ctrl+c wherever the user is: the second press quits without
// a word.
func (m *Model) interrupt() tea.Cmd {
	top := m.dialogs.top()
	switch {
	case top != nil && top.ID() == quitID:
		return m.quit()
	case top != nil && !m.layout.tooSmall():
		return m.askQuit(strings.Join(append(m.leaving(), "What is open here is closed without being done."), "\n"))
	}
	return m.askToQuit()
}

func (m *Model) askQuit(consequence string) tea.Cmd {
	return m.open(widget.NewConfirm(m.env.Theme, widget.Question{
		ID: quitID, Text: "Quit geodeck?", Consequence: consequence,
		Yes: "quit", No: "stay", Then: views.Send(leave{}),
	}), false)
}

// quit ends what is under way, then the program.
func (m *Model) quit() tea.Cmd {
	m.router.close()
	m.Close()
	return tea.Quit
}
