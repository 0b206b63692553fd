package health

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/widget/jsonview"
)

// jsonScreen shows JSON of the site instead of everything else.
type jsonScreen struct {
	child
	open  bool
	title string
	view  *jsonview.View
}

func newJSONScreen(c child) jsonScreen { return jsonScreen{child: c, view: jsonview.New(c.Env.Theme)} }

// jsonReady is a value that has been laid out.
type jsonReady struct {
	title string
	view  *jsonview.View
}

// show lays a value out, which takes time if it is large, and then shows it.
func (j *jsonScreen) show(title string, value []byte) tea.Cmd {
	look := j.Env.Theme
	return j.Scope.Do("json", func(context.Context) tea.Msg {
		v := jsonview.New(look)
		v.Set(value)
		return jsonReady{title, v}
	})
}

// Update shows what was laid out.
func (j *jsonScreen) Update(r jsonReady) {
	j.open, j.title = true, r.title
	j.view.Replace(r.view)
}

// Commands returns the commands of the JSON.
func (j *jsonScreen) Commands() []views.Command { return j.view.Commands() }

// SetSize gives the screen its cells.
func (j *jsonScreen) SetSize(width, height int) {
	j.child.SetSize(width, height)
	j.view.SetSize(width, max(0, height-jsonHead))
}

// View draws a heading and the value.
func (j *jsonScreen) View() string {
	head := indent + j.inks.headline(j.inks.Accent, j.title, j.view.Position(), j.Width-len(indent))
	return j.inks.Headed(j.Width, j.Height, j.view.View(), head, "")
}
