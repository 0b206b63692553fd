package views

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// Pasted returns a paste without the line ends around it, which a copied line
// brings along and a field would take for spaces, as in a password. Other keys
// are returned as they are.
func Pasted(key tea.KeyMsg) tea.KeyMsg {
	if key.Paste {
		key.Runes = []rune(strings.Trim(string(key.Runes), "\r\n"))
	}
	return key
}
