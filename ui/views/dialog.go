package views

import tea "github.com/charmbracelet/bubbletea"

// Dialog is something that takes all keys until it is answered. The root draws
// it in place of the view and keeps the frame around it.
type Dialog interface {
	// ID names the dialog; a second one of the same id replaces the first.
	ID() string
	// Init returns the first commands. The size has been set before.
	Init() tea.Cmd
	// Update takes keys, pastes, replies of the dialog's scope, and messages of
	// the widgets inside. It closes by returning [Shut].
	Update(tea.Msg) tea.Cmd
	// View draws the dialog in at most the size given; the root places it.
	View() string
	// SetSize gives the most cells that the dialog may take.
	SetSize(width, height int)
	// Hints are the keys of the dialog for the footer.
	Hints() []Command
	// Replies is what its replies are addressed to; nil where it asks nothing.
	Replies() *Scope
}
