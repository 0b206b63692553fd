package ui

import (
	"fmt"

	"geodeck/theme"
	"geodeck/ui/views"
)

// The smallest terminal in which the screens say what they have to.
const (
	minWidth  = 60
	minHeight = 15
)

// The lines of the frame around a view: two of the header, a rule, and at the
// bottom a rule, which carries notices, and the hints.
const (
	headerLines = 3
	footerLines = 2
)

// Dialogs stand a little in from the edges of the view's place.
const (
	dialogIndent = 2
	dialogTop    = 1
)

// layout is the only arithmetic on the size of the screen.
type layout struct {
	width, height int
	told          bool // also where the terminal tells of no width or no height
}

// known tells whether the terminal has told its size.
func (l layout) known() bool { return l.width > 0 && l.height > 0 }

func (l layout) tooSmall() bool { return l.width < minWidth || l.height < minHeight }

// body is what views get. It never falls below what the smallest terminal
// offers: nothing is drawn there, and no view has to think about it.
func (l layout) body() (width, height int) {
	return max(l.width, minWidth), max(l.height, minHeight) - headerLines - footerLines
}

// dialog is what dialogs get.
func (l layout) dialog() (width, height int) {
	width, height = l.body()
	return width - 2*dialogIndent, height - dialogTop
}

// tooSmallText is all there is on a terminal that shows too little.
func (l layout) tooSmallText(t *theme.Theme) string {
	text := fmt.Sprintf("too small, needs %dx%d; ctrl+c quits", minWidth, minHeight)
	return views.Block([]string{text}, l.width, l.height, t.Glyphs.Ellipsis)
}
