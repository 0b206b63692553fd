package paint

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// grid is a terminal that understands only what a painter may write: any other byte is a
// fault of the painter. It takes characters for as wide as a test wants.
type grid struct {
	runeWidth func(rune) int

	width, height int
	cells         []gridCell
	x, y          int
	style         gridStyle
	visible       bool   // the cursor
	synchronized  bool   // mode 2026
	believed      *frame // what the painter takes for the size
	rest          string
	fault         string
}

type gridCell struct {
	text  string // empty behind a wide character
	style gridStyle
}

type gridStyle struct {
	attributes     uint16 // a bit for each SGR parameter from 1 to 9, but not 4
	underline      byte
	fg, bg, stroke string // parameters of SGR
}

func newGrid(width, height int, believed *frame, runeWidth func(rune) int) *grid {
	g := &grid{believed: believed, runeWidth: runeWidth, visible: true}
	g.resize(width, height)
	return g
}

func (g *grid) resize(width, height int) {
	cells := make([]gridCell, width*height)
	for i := range cells {
		cells[i].text = " "
		if x, y := i%width, i/width; x < g.width && y < g.height {
			cells[i] = g.cells[y*g.width+x]
		}
	}
	g.width, g.height, g.cells = width, height, cells
	g.x, g.y = min(g.x, width-1), min(g.y, height-1)
}

// paint takes a whole frame.
func (g *grid) paint(frame string) {
	g.write(frame)
	if g.rest != "" || g.synchronized {
		g.failed("a frame ends with %q, synchronized: %t", g.rest, g.synchronized)
	}
}

// cut takes what has arrived of a frame.
func (g *grid) cut(part string) {
	g.write(part)
	if g.rest != "" && g.rest[0] != '\x1b' {
		g.put(utf8.RuneError)
	}
	g.rest, g.synchronized = "", false
}

// other takes what another than the painter writes.
func (g *grid) other(sequence string) {
	switch sequence {
	case "\x1b[2J":
		g.erase(0, len(g.cells))
	case "\x1b[H":
		g.x, g.y = 0, 0
	case "\r":
		g.x = 0
	case "\x1b[2K":
		g.erase(g.y*g.width, (g.y+1)*g.width)
	case "\x1b[?25h", "\x1b[?25l":
		g.visible = sequence == "\x1b[?25h"
	case foreign:
		for i := range g.cells {
			g.cells[i] = gridCell{text: "Z"}
		}
	}
}

func (g *grid) failed(format string, args ...any) {
	if g.fault == "" {
		g.fault = fmt.Sprintf(format, args...)
	}
}

func (g *grid) write(s string) {
	for s = g.rest + s; s != ""; {
		n := 0
		switch r, size := utf8.DecodeRuneInString(s); {
		case r == '\x1b':
			n = g.sequence(s)
		case r == '\r':
			g.x, n = 0, size
		case r == '\x0f': // the usual characters, of which there are no others here
			n = size
		case r == utf8.RuneError && size == 1:
			if utf8.FullRuneInString(s) {
				g.failed("%q is written", s[0])
				n = 1
			}
		default:
			if unicode.IsControl(r) {
				g.failed("%q is written", r)
			}
			g.put(r)
			n = size
		}
		if n == 0 {
			break
		}
		s = s[n:]
	}
	g.rest = s
}

// sequence takes the sequence that s begins with, and returns its size: 0 where it has no end.
func (g *grid) sequence(s string) (size int) {
	if strings.HasPrefix("\x1b(B", s[:min(len(s), 3)]) {
		return len(s[:min(len(s), 3)]) / 3 * 3
	}
	end := 1
	for end < len(s) && (s[end] == '[' || s[end] >= '0' && s[end] <= ';' || s[end] == '?') {
		end++
	}
	if end == len(s) {
		return 0
	}
	parameters, known := strings.CutPrefix(s[:end], "\x1b[")
	switch s[end] {
	case 'h', 'l':
		switch parameters {
		case "?25":
			g.visible = s[end] == 'h'
		case "?2026":
			g.synchronized = s[end] == 'h'
		case "4", "?6", "?7": // never on here
			known = s[end] == 'l'
		default:
			known = false
		}
	case 'r':
		known = known && parameters == ""
		g.x, g.y = 0, 0
	case 'J':
		known = known && parameters == "2"
		g.erase(0, len(g.cells))
	case 'K':
		known = known && parameters == ""
		g.erase(g.y*g.width+g.x, (g.y+1)*g.width)
	case 'H':
		row, column, _ := strings.Cut(parameters, ";")
		known = known && g.moveTo(number(column)-1, number(row)-1)
	case 'C':
		known = known && g.moveTo(g.x+number(parameters), g.y)
	case 'm':
		known = known && g.sgr(parameters)
	default:
		known = false
	}
	if !known {
		g.failed("%q is written at %d,%d of %dx%d", s[:end+1], g.x, g.y, g.width, g.height)
	}
	return end + 1
}

// number returns a parameter, 1 where there is none, or a negative one for what is no number.
func number(parameter string) int {
	if parameter == "" {
		return 1
	}
	n, err := strconv.Atoi(parameter)
	if err != nil {
		return -1
	}
	return max(n, 1)
}

// moveTo moves the cursor, and reports whether that is on the screen, as far as its size is known.
func (g *grid) moveTo(x, y int) bool {
	inside := x >= 0 && y >= 0 && x < g.width && y < g.height
	g.x, g.y = max(0, min(x, g.width-1)), max(0, min(y, g.height-1))
	return inside || g.width != g.believed.width || g.height != g.believed.height
}

// erase fills cells with the background in force, as terminals do.
func (g *grid) erase(from, to int) {
	if from%g.width > 0 && g.cells[from].text == "" {
		g.cells[from-1].text = " "
	}
	for i := from; i < to; i++ {
		g.cells[i] = gridCell{text: " ", style: gridStyle{bg: g.style.bg}}
	}
}

// put writes a character at the cursor; lines do not wrap. What takes no room joins the
// cell before; what does not fit is dropped.
func (g *grid) put(r rune) {
	row := g.cells[g.y*g.width : (g.y+1)*g.width]
	width := g.runeWidth(r)
	switch {
	case width == 0:
		if g.x > 0 {
			row[g.x-1].text += string(r)
		}
		return
	case g.x+width > g.width:
		return
	}
	if row[g.x].text == "" { // the half of a wide character that stays is blank
		row[g.x-1].text = " "
	}
	if end := g.x + width; end < g.width && row[end].text == "" {
		row[end].text = " "
	}
	row[g.x] = gridCell{string(r), g.style}
	for i := 1; i < width; i++ {
		row[g.x+i] = gridCell{"", g.style}
	}
	g.x = min(g.x+width, g.width-1)
}

// sgr sets the style, and reports whether it knows all parameters.
func (g *grid) sgr(parameters string) bool {
	if parameters == "" {
		g.style = gridStyle{}
	}
	for parameters != "" {
		var p string
		p, parameters, _ = strings.Cut(parameters, ";")
		if p == "38" || p == "48" || p == "58" {
			count := map[bool]int{true: 2, false: 4}[strings.HasPrefix(parameters, "5;")]
			fields := strings.SplitN(parameters, ";", count+1)
			if len(fields) < count {
				return false
			}
			color := parameters
			if parameters = ""; len(fields) > count {
				parameters = fields[count]
				color = strings.TrimSuffix(color, ";"+parameters)
			}
			switch p {
			case "38":
				g.style.fg = color
			case "48":
				g.style.bg = color
			default:
				g.style.stroke = color
			}
			continue
		}
		n, err := strconv.Atoi(strings.TrimPrefix(p, "4:"))
		switch {
		case err != nil && p != "":
			return false
		case strings.HasPrefix(p, "4:") && n <= 5:
			g.style.underline = byte(n)
		case n == 0:
			g.style = gridStyle{}
		case n == 4:
			g.style.underline = 1
		case n <= 9:
			g.style.attributes |= 1 << n
		case n == 22:
			g.style.attributes &^= 1<<1 | 1<<2
		case n == 24:
			g.style.underline = 0
		case n == 25:
			g.style.attributes &^= 1<<5 | 1<<6
		case n >= 23 && n <= 29 && n != 26:
			g.style.attributes &^= 1 << (n - 20)
		case n == 39:
			g.style.fg = ""
		case n == 49:
			g.style.bg = ""
		case n == 59:
			g.style.stroke = ""
		case n >= 30 && n <= 37, n >= 90 && n <= 97:
			g.style.fg = p
		case n >= 40 && n <= 47, n >= 100 && n <= 107:
			g.style.bg = p
		default:
			return false
		}
	}
	return true
}

// screen returns everything that can be seen.
func (g *grid) screen() string {
	var b strings.Builder
	var style gridStyle
	for i, c := range g.cells {
		if i%g.width == 0 {
			b.WriteByte('\n')
		}
		if c.style != style {
			style = c.style
			fmt.Fprintf(&b, "<%v>", style)
		}
		b.WriteString(c.text)
		b.WriteByte(0)
	}
	writeCursor(&b, g.visible, g.x, g.y)
	return b.String()
}

func writeCursor(b *strings.Builder, visible bool, x, y int) {
	if visible {
		fmt.Fprintf(b, "\ncursor at %d,%d", x, y)
	}
}
