package jsonview

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// Screen shows a value instead of everything else of a view, below its title.
type Screen struct {
	*View
	Open  bool
	title string
	base  views.Base
}

// NewScreen returns a screen that is not open; base reads and lays out what it will show.
func NewScreen(base views.Base) Screen { return Screen{View: New(base.Env.Theme), base: base} }

// Show reads a value, lays it out, which takes time if it is large, and then shows it.
func (s *Screen) Show(title string, read func(context.Context) ([]byte, error)) tea.Cmd {
	look := s.base.Env.Theme
	return s.base.Scope.Work("json", func(ctx context.Context) func() tea.Cmd {
		value, err := read(ctx)
		v := New(look)
		v.Set(value)
		return func() tea.Cmd {
			if err != nil {
				return views.TellError(err)
			}
			s.Open, s.title = true, title
			s.Replace(v)
			return nil
		}
	})
}

// screenHead is the lines of the heading.
const screenHead = 2

// SetSize gives the screen its cells, those of the heading included.
func (s *Screen) SetSize(width, height int) { s.View.SetSize(width, max(0, height-screenHead)) }

// Draw draws the screen: above the value its title, with where in the value the cursor is.
func (s *Screen) Draw() string {
	k, at := &s.inks, s.Position()
	head := "  " + k.Accent.On(k.Fit(plain.Line(s.title), s.width-len(at)-3)) + " " + k.Muted.On(at)
	return k.Headed(s.width, s.height+screenHead, s.View.View(), head, "")
}

// Back clears the filter, then closes the screen; it reports whether that was open.
func (s *Screen) Back() bool {
	switch {
	case !s.Open:
		return false
	case s.Filter() != "":
		s.SetFilter("")
	default:
		s.Open = false
	}
	return true
}
