package rules

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/views/jsonview"
	"geodeck/ui/views/rows"
)

// jsonText is the policy as JSON. An edit leads to the line that it changed first.
type jsonText struct {
	b        *Builder
	text     *jsonview.View
	lines    []string
	revision int
}

func newJSONText(b *Builder) *jsonText {
	return &jsonText{b: b, text: jsonview.New(b.theme)}
}

func (j *jsonText) refresh(int) {
	j.text.SetFocused(j.b.side.inside)
	if j.revision == j.b.revision {
		return
	}
	value := j.b.text
	before, lines := j.lines, jsonview.Lines(value)
	j.lines, j.revision = lines, j.b.revision
	j.text.Set(value)
	if len(before) == 0 {
		return
	}
	for i := 0; i < len(lines) && i < len(before) && lines[i] == before[i]; i++ {
		j.text.Do(rows.Down)
	}
}

// atTop tells whether the cursor is on the first line, where nothing is left to fold.
func (j *jsonText) atTop() bool { return j.text.Line() == 0 }

func (j *jsonText) view() string { return j.text.View() }

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
				if j.atTop() {
					j.b.leavePanel()
					return nil
				}
				return row.Run(argument)
			}
		}
	}
	return list
}
