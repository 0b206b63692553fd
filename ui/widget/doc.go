// Package widget is the dialogs of the dashboard: a question ([Confirm]), a line to fill in
// ([Prompt]), a form of huh ([Form]), and text to be read ([Message]). Packages below it are
// what views show: rows (lists and trees), complete (candidates for a line), jsonview (a JSON
// value), diff (a change).
//
// Start at [Confirm]: all dialogs are made alike, opened by [views.Open], and close by
// returning [views.Shut]. The rows of their commands methods are their keys and their hints.
package widget

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/widget/complete"
)

// Base is the base of a dialog that starts nothing and sends no requests of its own: embed it.
type Base struct {
	id      string
	Answers views.Hooks // to what the root asks of the dialog
}

// NewBase returns the base of a dialog.
func NewBase(id string) Base { return Base{id: id} }

// ID names the dialog.
func (b *Base) ID() string { return b.id }

// Init has nothing to start.
func (*Base) Init() tea.Cmd { return nil }

// Shut closes the dialog.
func (b *Base) Shut() tea.Cmd { return b.ShutThen(nil) }

// ShutThen closes the dialog, and then runs a command, which may be nil.
func (b *Base) ShutThen(then tea.Cmd) tea.Cmd {
	return views.Send(views.Shut{ID: b.id, Then: then})
}

// Replies is nil: no reply is addressed to the dialog.
func (*Base) Replies() *views.Scope { return nil }

// Hooks has what the root asks of the dialog.
func (b *Base) Hooks() *views.Hooks { return &b.Answers }

// Commands are the keys of all dialogs, for help.
func Commands() []views.Command {
	word := &Confirm{question: Question{Word: "word", Copy: &views.Copies{}}}
	return views.Distinct(slices.Concat((&Form{}).commands(tea.KeyMsg{}), (&Message{}).commands(), (&Confirm{}).commands(),
		word.commands(), word.typed.commands(), (&Prompt{line: complete.Files("")}).commands()))
}
