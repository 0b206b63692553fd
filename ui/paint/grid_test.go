package paint

import (
	"fmt"
	"strings"

	"geodeck/ui/uitest/terminal"
)

// grid is a [terminal.Grid] behind a painter of a test.
type grid struct{ *terminal.Grid }

// newGrid returns a terminal; believed is what the painter takes for its size.
func newGrid(width, height int, believed *frame, runeWidth func(rune) int) *grid {
	return &grid{terminal.NewGrid(width, height, func(width, height int) bool { return width == believed.width && height == believed.height }, runeWidth)}
}

func (g *grid) paint(frame string)       { g.Paint(frame) }
func (g *grid) cut(part string)          { g.Cut(part) }
func (g *grid) resize(width, height int) { g.Resize(width, height) }
func (g *grid) screen() string           { return g.Screen() }

func (g *grid) other(sequence string) {
	if sequence == foreign {
		g.Overwrite()
		return
	}
	g.Other(sequence)
}

func writeCursor(b *strings.Builder, visible bool, x, y int) {
	if visible {
		fmt.Fprintf(b, "\ncursor at %d,%d", x, y)
	}
}
