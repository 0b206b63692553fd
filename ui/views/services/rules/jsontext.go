package rules

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

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
func (j *jsonText) atTop() bool {
	at := 0
	_, _ = fmt.Sscanf(j.text.Position(), "%d of", &at)
	return at <= 1
}

// view puts a dot where the cursor rests: the JSON by itself always shows it as if it
// had the keys.
func (j *jsonText) view() string {
	if j.b.side.inside {
		return j.text.View()
	}
	k := &j.b.inks
	drawn := strings.Replace("\n"+j.text.View(), "\n"+k.cursor.On(k.Glyphs.Cursor), "\n"+k.Muted.On(k.Glyphs.Dot), 1)
	return drawn[1:]
}

func (j *jsonText) setSize(width, height int) { j.text.SetSize(width, height) }
func (j *jsonText) typing() bool              { return j.text.Typing() }
func (j *jsonText) take(key tea.KeyMsg)       { j.text.Type(key) }
func (j *jsonText) filter() string            { return j.text.Filter() }
func (j *jsonText) setFilter(text string)     { j.text.SetFilter(text) }
func (j *jsonText) position() string          { return j.text.Position() }
func (j *jsonText) do(id string) bool         { return j.text.Do(id) }
