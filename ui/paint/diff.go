package paint

import (
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// screen is what the terminal shows, as far as we know.
type screen struct {
	width, height int
	lines         []line   // nil where nothing is known
	x, y          int      // the cursor; x is unknown where its place is not sure
	style         uv.Style // of what is written next
	shown         visibility
	out           strings.Builder
}

// visibility is whether the cursor is seen.
type visibility int8

const (
	unsure visibility = iota
	hidden
	visible_
)

// forget makes the next frame draw everything.
func (s *screen) forget() { s.lines, s.shown = nil, unsure }

// cursor returns the bytes that put the cursor on a cell, or hide it.
func (s *screen) cursor(x, y int, focused bool) string {
	s.out.Reset()
	switch {
	case !focused && s.shown != hidden:
		s.out.WriteString(ansi.HideCursor)
		s.shown = hidden
	case focused:
		s.moveTo(x, y)
		if s.shown != visible_ {
			s.out.WriteString(ansi.ShowCursor)
			s.shown = visible_
		}
	}
	return s.out.String()
}

// unknown is a column that stays below 0 whatever is written behind it.
const unknown = -1 << 30

// maxGap is how many cells that stay as they are get written again, because moving over them
// takes as many bytes.
const maxGap = 4

// frame returns the bytes that turn what is shown into the lines of text.
func (s *screen) frame(text string, width, height int) string {
	s.out.Reset()
	if s.lines == nil || s.width != width || s.height != height {
		s.clear(width, height)
	}
	var style uv.Style
	rest, more := text, true
	for y := range s.lines {
		var wanted string
		if more {
			wanted, rest, more = strings.Cut(rest, "\n")
			wanted = strings.TrimSuffix(wanted, "\r")
		}
		old := s.lines[y]
		if old.text != wanted || old.start != style {
			s.lines[y] = readLine(wanted, style, width)
			s.write(y, old.cells, s.lines[y].cells)
		}
		style = s.lines[y].end
	}
	s.setStyle(uv.Style{})
	return s.out.String()
}

// clear begins with an empty screen.
func (s *screen) clear(width, height int) {
	s.width, s.height = width, height
	s.lines = make([]line, height)
	for y := range s.lines {
		s.lines[y] = readLine("", uv.Style{}, width)
	}
	s.out.WriteString(ansi.ResetStyle + ansi.EraseEntireScreen)
	s.x, s.style = unknown, uv.Style{}
}

// write writes the cells of line y that differ. The rest of a line is erased where that takes
// fewer bytes.
func (s *screen) write(y int, old, wanted []uv.Cell) {
	end := len(wanted) // behind it all is blank
	for end > 0 && wanted[end-1] == uv.EmptyCell {
		end--
	}
	used := len(old)
	for used > 0 && old[used-1] == uv.EmptyCell {
		used--
	}
	erase := used-end > len(ansi.EraseLineRight)
	if !erase {
		end = max(end, used)
	}
	for x := 0; x < end; {
		if same(&old[x], &wanted[x]) {
			x++
			continue
		}
		for x > 0 && (old[x].Width == 0 || wanted[x].Width == 0) {
			x--
		}
		stop := differenceEnd(old[:end], wanted[:end], x)
		s.moveTo(x, y)
		for _, c := range wanted[x:stop] {
			s.put(&c)
		}
		x = stop
	}
	if erase {
		s.moveTo(end, y)
		s.setStyle(uv.Style{})
		s.out.WriteString(ansi.EraseLineRight)
	}
}

// differenceEnd returns where the cells from x on are the same again, for longer than maxGap.
// It lies between characters of both lines.
func differenceEnd(old, wanted []uv.Cell, x int) int {
	stop := x + 1
	for i := x + 1; i < len(wanted) && i-stop <= maxGap; i++ {
		if !same(&old[i], &wanted[i]) {
			stop = i + 1
		}
	}
	for stop < len(wanted) && (old[stop].Width == 0 || wanted[stop].Width == 0) {
		stop++
	}
	return stop
}

func same(a, b *uv.Cell) bool {
	return a.Width == b.Width && a.Content == b.Content && a.Style.Equal(&b.Style)
}

// put writes a cell at the cursor. After anything but ASCII the cursor's place is not sure:
// terminals do not agree on all widths. Nor is it after the last column.
func (s *screen) put(c *uv.Cell) {
	if c.Width == 0 {
		return // the second half of the cell before
	}
	s.setStyle(c.Style)
	s.out.WriteString(c.Content)
	if s.x += c.Width; len(c.Content) > 1 || s.x >= s.width {
		s.x = unknown
	}
}

func (s *screen) setStyle(style uv.Style) {
	if style.Equal(&s.style) {
		return
	}
	change := style.Diff(&s.style)
	if style.IsZero() {
		change = ansi.ResetStyle
	}
	s.out.WriteString(change)
	s.style = style
}

// moveTo moves the cursor, with as few bytes as are sure to be understood.
func (s *screen) moveTo(x, y int) {
	if s.x == x && s.y == y {
		return
	}
	move := ansi.CursorPosition(x+1, y+1)
	if s.x >= 0 && s.y == y && x > s.x {
		if forward := "\x1b[" + count(x-s.x) + "C"; len(forward) < len(move) {
			move = forward
		}
	}
	s.out.WriteString(move)
	s.x, s.y = x, y
}

// count is a parameter of a sequence: 1 is left out.
func count(n int) string {
	if n == 1 {
		return ""
	}
	return strconv.Itoa(n)
}
