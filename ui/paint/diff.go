package paint

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/theme"
)

// screen is what the terminal shows, as far as is known.
type screen struct {
	width, height int
	lines         []line // nil while nothing is known
	x, y          int    // the cursor; x is unknown where its place is not sure
	style         style
	cursor        visibility
	background    theme.Background
	out           strings.Builder
}

// visibility is whether the cursor of the terminal can be seen.
type visibility int8

const (
	unsure visibility = iota
	hidden
	visibleCursor
)

// unknown is a column that stays below 0 whatever is written behind it.
const unknown = -1 << 30

// maxGap is how many cells that stay as they are get written again between others: moving
// over them takes as many bytes.
const maxGap = 4

// forget makes the next frame draw everything.
func (s *screen) forget() { s.lines, s.cursor = nil, unsure }

// recolour gives the next frame the colours of a background. Only the cells are written that
// change with it.
func (s *screen) recolour(b theme.Background) {
	if b == s.background {
		return
	}
	s.background = b
	for y := range s.lines {
		s.lines[y].text = "\n" // which is no line of a frame
	}
}

// frame returns the bytes that turn what is shown into the lines of text, with the cursor
// on the last mark for it.
func (s *screen) frame(text string, width, height int) string {
	s.out.Reset()
	if s.lines == nil || s.width != width || s.height != height {
		s.clear(width, height)
	}
	var start style
	column, row := -1, 0
	rest, more := text, true
	for y := range s.lines {
		var wanted string
		if more {
			wanted, rest, more = strings.Cut(rest, "\n")
			wanted = strings.TrimSuffix(wanted, "\r")
		}
		if old := s.lines[y]; old.text != wanted || old.start != start {
			wanted = strings.Clone(wanted) // else all of text is kept for a line of it
			s.lines[y] = readLine(s.background.Recolour(wanted), start, width)
			s.lines[y].text = wanted
			s.write(y, old.cells, s.lines[y].cells)
		}
		if s.lines[y].cursor >= 0 {
			column, row = s.lines[y].cursor, y
		}
		start = s.lines[y].end
	}
	s.setStyle(style{})
	s.place(column, row)
	return s.out.String()
}

// usualModes undoes what another program may have left: margins, their origin, insertion,
// wrapping, other characters. It begins with a byte that ends a character cut in half.
const usualModes = "\r" + "\x1b[?6l\x1b[r\x1b[4l" + ansi.ResetModeAutoWrap + "\x0f\x1b(B"

// clear begins with an empty screen, and with a control character: of a write that failed, tmux
// may still keep half a character, for the next one to complete.
func (s *screen) clear(width, height int) {
	s.width, s.height = width, height
	s.lines = slices.Repeat([]line{readLine("", style{}, width)}, height)
	s.out.WriteString(usualModes + ansi.ResetStyle + ansi.EraseEntireScreen)
	s.x, s.style = unknown, style{}
}

// place puts the cursor on a cell, or hides it below column 0.
func (s *screen) place(column, row int) {
	switch {
	case column < 0 && s.cursor != hidden:
		s.out.WriteString(ansi.HideCursor)
		s.cursor = hidden
	case column >= 0:
		s.moveTo(column, row)
		if s.cursor != visibleCursor {
			s.out.WriteString(ansi.ShowCursor)
			s.cursor = visibleCursor
		}
	}
}

// write writes the cells of line y that differ. From before the first cell on whose width
// terminals may not agree on, a line that differs is written as a whole: what stands behind
// that cell may stand elsewhere, and it may itself have joined the cell before.
func (s *screen) write(y int, old, wanted []cell) {
	agreed := 0
	for agreed < len(wanted) && old[agreed].sure() && wanted[agreed].sure() {
		agreed++
	}
	end := inked(wanted)
	if agreed == len(wanted) {
		s.writeSure(y, old, wanted, end)
		return
	}
	agreed = max(0, agreed-1)
	s.writeSure(y, old[:agreed], wanted[:agreed], min(end, agreed))
	for x := agreed; x < len(wanted); x++ {
		if old[x] != wanted[x] {
			s.moveTo(agreed, y)
			s.erase()
			s.put(wanted[agreed:max(agreed, end)])
			return
		}
	}
}

// inked is the number of cells up to the last one that is not blank.
func inked(cells []cell) int {
	end := len(cells)
	for end > 0 && cells[end-1] == blank {
		end--
	}
	return end
}

// writeSure writes the cells that differ, all of which are sure. From end on the cells are
// blank; they are erased where that takes fewer bytes.
func (s *screen) writeSure(y int, old, wanted []cell, end int) {
	used := inked(old)
	erase := len(old) == s.width && used-end > len(ansi.EraseLineRight)
	if !erase {
		end = max(end, used)
	}
	for x := 0; x < end; {
		if old[x] == wanted[x] {
			x++
			continue
		}
		stop := x + 1
		for i := stop; i < end && i-stop <= maxGap; i++ {
			if old[i] != wanted[i] {
				stop = i + 1
			}
		}
		s.moveTo(x, y)
		s.put(wanted[x:stop])
		x = stop
	}
	if erase {
		s.moveTo(end, y)
		s.erase()
	}
}

// erase clears the line from the cursor on.
func (s *screen) erase() {
	s.setStyle(style{})
	s.out.WriteString(ansi.EraseLineRight)
}

// put writes cells at the cursor. After anything but ASCII the place of the cursor is not sure.
func (s *screen) put(cells []cell) {
	for i := range cells {
		c := &cells[i]
		if c.width == 0 {
			continue // the second half of the cell before
		}
		s.setStyle(c.style)
		s.out.WriteString(c.content)
		if s.x += int(c.width); len(c.content) > 1 {
			s.x = unknown
		}
	}
}

func (s *screen) setStyle(wanted style) {
	if wanted == s.style {
		return
	}
	s.out.WriteString(wanted.change(s.style))
	s.style = wanted
}

// moveTo moves the cursor, with the fewest bytes that every terminal understands.
func (s *screen) moveTo(x, y int) {
	if s.x == x && s.y == y {
		return
	}
	move := ansi.CursorPosition(x+1, y+1)
	if s.x >= 0 && s.y == y && x > s.x {
		if forward := ansi.CursorForward(x - s.x); len(forward) < len(move) {
			move = forward
		}
	}
	s.out.WriteString(move)
	s.x, s.y = x, y
}
