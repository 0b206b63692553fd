// Package widget is the dialogs of the dashboard: a question ([Confirm]), a line to fill in
// ([Prompt]), a form of huh ([Form]), and text to be read ([Message]). Packages below it are
// what views show: rows (lists and trees), jsonview (a JSON value), diff (a change).
//
// Start at [Confirm]: all dialogs are made alike, opened by [views.Open], and close by
// returning [views.Shut]. The rows of their commands methods are their keys and their hints.
package widget

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// Commands are the keys of every form and of every page of text, for help.
func Commands() []views.Command {
	return append((&Form{}).commands(tea.KeyMsg{}), (&Message{}).commands()...)
}
