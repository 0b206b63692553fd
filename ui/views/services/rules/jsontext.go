package rules

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/jsonview"
	"geodeck/ui/views/rows"
)

// jsonText is the policy as JSON. An edit leads to the line that it changed first.
type jsonText struct {
	*state
	host     host
	text     *jsonview.View
	lines    []string
	revision int
}

func newJSONText(t *theme.Theme, s *state, h host) *jsonText {
	return &jsonText{state: s, host: h, text: jsonview.New(t)}
}

func (j *jsonText) refresh(int) {
	if j.revision == j.draft.revision {
		return
	}
	value := j.draft.text
	before, lines := j.lines, jsonview.Lines(value)
	j.lines, j.revision = lines, j.draft.revision
	j.text.Set(value)
	if len(before) == 0 {
		return
	}
	for i := 0; i < len(lines) && i < len(before) && lines[i] == before[i]; i++ {
		j.text.Do(rows.Down)
	}
}

func (j *jsonText) enter() (hint string, do func()) {
	return "open", func() { j.text.Do(rows.Toggle) }
}

func (j *jsonText) copied() (text, what string) { return string(j.draft.text), "policy" }
func (j *jsonText) setFocused(on bool)          { j.text.SetFocused(on) }
func (j *jsonText) view() string                { return j.text.View() }

func (j *jsonText) setSize(width, height int) { j.text.SetSize(width, height) }
func (j *jsonText) typing() bool              { return j.text.Typing() }
func (j *jsonText) take(key tea.KeyMsg)       { j.text.Type(key) }
func (j *jsonText) filter() string            { return j.text.Filter() }
func (j *jsonText) setFilter(text string)     { j.text.SetFilter(text) }
func (j *jsonText) position() string          { return j.text.Position() }

// rows are those of the JSON; from its first line the left arrow leads out.
func (j *jsonText) rows() []views.Command {
	list := j.text.Commands()
	for i, row := range list {
		switch row.ID {
		case rows.Toggle:
			list[i] = row.On("", "z")
		case rows.Fold:
			list[i].Run = func(argument string) tea.Cmd {
				if j.text.Line() == 0 {
					j.host.leavePanel()
					return nil
				}
				return row.Run(argument)
			}
		}
	}
	return list
}
