package progress

import (
	"context"
	"io"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// evidenceMade is what was gathered of a run.
type evidenceMade struct {
	name   string
	absent []string
	write  func(io.Writer) error
	err    error
}

// gather collects the evidence of the run that is shown.
func (m *Model) gather() tea.Cmd {
	site, id := m.env.Site, m.reading.Transcript
	if m.reading.Unkept != nil {
		id = "" // the site tells more of it
	}
	collect := m.scope.Do("evidence", func(ctx context.Context) tea.Msg {
		e, err := site.GatherEvidence(ctx, id)
		return evidenceMade{e.Name, e.Absent, e.Write, err}
	})
	return tea.Batch(views.Tell(views.Info, "Gathering the evidence of this run"+m.inks.Glyphs.Ellipsis), collect)
}

// apply asks for the file, and says what will not be in it.
func (e evidenceMade) apply(m *Model) tea.Cmd {
	if e.err != nil {
		return failure("The evidence could not be gathered", e.err)
	}
	note := "One zip: summary, messages, phases, settings with secrets masked, health, checksums."
	for _, absent := range e.absent {
		note += "\n" + m.inks.Glyphs.Warn + " " + plain.Line(absent)
	}
	return m.askPath("Write the evidence to", note, e.name, func(path string) tea.Cmd {
		return m.write(path, func(w io.Writer, _ string) error { return e.write(w) })
	})
}
