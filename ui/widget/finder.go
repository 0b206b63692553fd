package widget

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// Finder is a dialog with a list that a filter narrows: the help, and the sites to go to.
type Finder[K comparable] struct {
	Base
	Inks          rows.Inks
	Table         []views.Command // the keys while no filter is typed
	List          *rows.List[K]
	Width, Height int
}

// NewFinder returns the dialog, without rows.
func NewFinder[K comparable](id string, t *theme.Theme) Finder[K] {
	return Finder[K]{Base: NewBase(id), Inks: rows.NewInks(t), List: rows.New[K](t)}
}

// SetSize takes the cells of the dialog.
func (f *Finder[K]) SetSize(width, height int) { f.Width, f.Height = width, height }

// Heading draws the title, and where in the list the user is.
func (f *Finder[K]) Heading(title string) string {
	return f.Inks.Beside(f.Inks.Heading.On(title), f.List.Position(), f.Width)
}

// Press takes a key as text of the filter, or as one of the table: pasted text is none.
func (f *Finder[K]) Press(key tea.KeyMsg) tea.Cmd {
	if f.List.Typing() {
		f.List.Type(Pasted(key))
	} else if row, ok := views.Pressed(f.Table, key.String()); ok {
		return row.Do("")
	}
	return nil
}
