package terminal

import uv "github.com/charmbracelet/ultraviolet"

// Still is what a display shows at a moment.
type Still struct {
	Width, Height int
	Cells         []uv.Cell // line by line; what a wide character covers has no width
	Cursor        uv.Position
	Hidden        bool // the cursor
}

// Still returns what the display shows at present.
func (d *Display) Still() Still {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := Still{
		Width: d.screen.Width(), Height: d.screen.Height(), Cursor: d.screen.CursorPosition(), Hidden: d.hidden,
	}
	for y := range s.Height {
		for x := range s.Width {
			s.Cells = append(s.Cells, *d.screen.CellAt(x, y))
		}
	}
	return s
}

// Line returns the cells of a line, from 0.
func (s Still) Line(y int) []uv.Cell { return s.Cells[y*s.Width:][:s.Width] }
