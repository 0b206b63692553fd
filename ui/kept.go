package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// notKept is why something that was seen or done is not on disk, with what it is;
// empty and nil where all is.
func (m *Model) notKept() (what string, err error) {
	if err := m.env.Upgrade.Reading.Unkept; err != nil {
		return "transcript", err
	}
	if memory := m.env.Site.Journal; memory != nil {
		return "log of changes", memory.Problem()
	}
	return "", nil
}

// sayNotKept says once that something is not kept; the header goes on saying it.
func (m *Model) sayNotKept() tea.Cmd {
	what, err := m.notKept()
	if said := m.unkept; err == nil || said {
		m.unkept = err != nil
		return nil
	}
	m.unkept = true
	return m.notify(views.Notice{Level: views.Failure, Err: err,
		Text: "the " + what + " is not complete on this machine: " + err.Error()})
}

func keptChip(m *Model) chip {
	what, err := m.notKept()
	if err == nil {
		return chip{}
	}
	return m.alert(what + " not kept")
}
