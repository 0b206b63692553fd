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

// Base is the id of a dialog that starts nothing and sends no requests of its own: embed it.
type Base string

// ID names the dialog.
func (b Base) ID() string { return string(b) }

// Init has nothing to start.
func (Base) Init() tea.Cmd { return nil }

// Shut closes the dialog.
func (b Base) Shut() tea.Cmd { return b.ShutThen(nil) }

// ShutThen closes the dialog, and then runs a command, which may be nil.
func (b Base) ShutThen(then tea.Cmd) tea.Cmd {
	return views.Send(views.Shut{ID: string(b), Then: then})
}

// Replies is nil: no reply is addressed to the dialog.
func (Base) Replies() *views.Scope { return nil }

// Hooks has nothing of what only some dialogs have.
func (Base) Hooks() *views.Hooks { return &none }

var none views.Hooks

// Commands are the keys of all dialogs, for help.
func Commands() []views.Command {
	word := &Confirm{question: Question{Word: "word", Copy: &views.Copies{}}}
	return views.Distinct(slices.Concat((&Form{}).commands(tea.KeyMsg{}), (&Message{}).commands(), (&Confirm{}).commands(),
		word.commands(), word.typed.commands(), (&Prompt{line: complete.Files("")}).commands()))
}
