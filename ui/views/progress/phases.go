package progress

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// stretch is where a phase begins in the log.
type stretch struct {
	phase string
	at    int // index of its first message
}

// stretches returns the phases of the newest run that have messages, in the order
// in which they begin.
func (l *log) stretches() []stretch {
	var found []stretch
	seen := map[string]bool{}
	for i := l.run; i < l.Len() && len(found) < len(progress.Phases); i++ {
		if code, known := progress.CodeOf(l.At(i).Code); known && !seen[code.Phase] {
			seen[code.Phase] = true
			found = append(found, stretch{code.Phase, i})
		}
	}
	return found
}

// jumpPhase goes to the first message of the next phase, or with false of the one
// before the cursor.
func (m *Model) jumpPhase(forward bool) {
	at, ok := m.list.Selected()
	if !ok {
		return
	}
	all := m.log.stretches()
	if !forward {
		slices.Reverse(all)
	}
	for _, s := range all {
		if forward && s.at > at || !forward && s.at < at {
			m.goTo(s.at)
			return
		}
	}
}

// goTo shows a message, or the next one that the filter lets through.
func (m *Model) goTo(i int) {
	m.summary = false
	m.list.Near(i)
	m.setPaused(!m.list.Last())
}

// choosePhase offers the phases that have messages.
func (m *Model) choosePhase() tea.Cmd {
	all := m.log.stretches()
	if len(all) == 0 {
		return views.Tell(views.Info, "No message tells of a phase yet.")
	}
	at := all[len(all)-1].at
	return views.Send(views.Open{Dialog: views.NewForm(m.env.Theme, views.FormOptions{
		ID: "progress.phase", Title: "Go to a phase", Note: "To its first message. The keys [ and ] go from phase to phase.",
		Build: func() *huh.Form {
			var options []huh.Option[int]
			for _, s := range all {
				options = append(options, huh.NewOption(m.stretchLine(s), s.at))
			}
			return huh.NewForm(huh.NewGroup(huh.NewSelect[int]().Title("Phase").Options(options...).Value(&at)))
		},
		Submit: func() tea.Cmd {
			m.goTo(at)
			return nil
		},
	})})
}

// stretchLine tells of a phase in a line of the choice.
func (m *Model) stretchLine(s stretch) string {
	for _, phase := range m.reading.Progress.Phases {
		if phase.Name == s.phase {
			glyph, _ := m.inks.phase(phase.State)
			spent := m.reading.Progress.SpentBy(phase.Name, m.now())
			return glyph + " " + phase.Name + "  " + coarse(spent) + ", " + plain.Plural(phase.Messages, "message")
		}
	}
	return s.phase
}
