package rows

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// Ink is a style rendered once: putting it on a text joins strings and measures
// nothing. For styles without padding, margins and borders.
type Ink struct{ before, after string }

// NewInk renders a style.
func NewInk(style lipgloss.Style) Ink {
	const probe = "x"
	before, after, _ := strings.Cut(style.Render(probe), probe)
	return Ink{before, after}
}

// On returns s in the style.
func (k Ink) On(s string) string {
	if s == "" {
		return ""
	}
	return k.before + s + k.after
}
