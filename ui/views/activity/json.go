package activity

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/jsonview"
)

// jsonScreen shows what was written of a job or a record, instead of everything else.
type jsonScreen struct {
	child
	open  bool
	title string
	view  *jsonview.View
}

func newJSONScreen(c child) jsonScreen { return jsonScreen{child: c, view: jsonview.New(c.Env.Theme)} }

// jsonReady is a value that has been read and laid out.
type jsonReady struct {
	title string
	view  *jsonview.View
	err   error
}

// show reads a value, lays it out, and then shows it.
func (j *jsonScreen) show(title string, read func(context.Context) ([]byte, error)) tea.Cmd {
	look := j.Env.Theme
	return j.Scope.Do("json", func(ctx context.Context) tea.Msg {
		value, err := read(ctx)
		v := jsonview.New(look)
		v.Set(value)
		return jsonReady{title: title, view: v, err: err}
	})
}

// Update shows what was laid out.
func (j *jsonScreen) Update(r jsonReady) tea.Cmd {
	if r.err != nil {
		return views.TellError(r.err)
	}
	j.open, j.title = true, r.title
	j.view.Replace(r.view)
	return nil
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
	head := j.inks.Beside(indent+j.inks.Accent.On(plain.Capital(plain.Clip(j.title, 60))), j.view.Position(), j.Width)
	return j.inks.Headed(j.Width, j.Height, j.view.View(), head, "")
}
