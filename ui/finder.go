package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// finder is a dialog with a list that a filter narrows: the help, and the sites to go to.
type finder[K comparable] struct {
	widget.Base
	inks          rows.Inks
	table         []views.Command // the keys while no filter is typed
	list          *rows.List[K]
	width, height int
}

func newFinder[K comparable](id widget.Base, t *theme.Theme) finder[K] {
	return finder[K]{Base: id, inks: rows.NewInks(t), list: rows.New[K](t)}
}

// SetSize takes the cells of the dialog.
func (f *finder[K]) SetSize(width, height int) { f.width, f.height = width, height }

// heading draws the title, and where in the list the user is.
func (f *finder[K]) heading(title string) string {
	return f.inks.Beside(f.inks.Heading.On(title), f.list.Position(), f.width)
}

// press takes a key as text of the filter, or as one of the table: pasted text is none.
func (f *finder[K]) press(key tea.KeyMsg) tea.Cmd {
	if f.list.Typing() {
		f.list.Type(widget.Pasted(key))
	} else if row, ok := views.Pressed(f.table, key.String()); ok {
		return row.Run("")
	}
	return nil
}
