package editor

import tea "github.com/charmbracelet/bubbletea"

// EditDirectly opens the document in $EDITOR once it was read, and after that the review of
// what was changed. A draft that is found is decided about first.
func (t *Tab) EditDirectly() { t.direct = true }

// openDirectly opens $EDITOR where that was wanted at once.
func (t *Tab) openDirectly() tea.Cmd {
	if !t.direct || !t.Editing() {
		t.direct = false
		return nil
	}
	return t.openOutside()
}
