package terminal

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Grid is a terminal that understands only what a painter may write: any other byte is a
// fault of the painter. It takes characters for as wide as a test wants.
type Grid struct {
	Fault string // the first; empty for none
	X, Y  int    // the cursor

	runeWidth func(rune) int
	knows     func(width, height int) bool // whether the painter takes that for the size

	width, height int
	cells         []gridCell
	changed       []bool // lines, since [Grid.Differs]
	style         gridStyle
	modes         map[string]bool // those that are not as a terminal has them at first
	rest          string
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

// NewGrid returns a terminal of a size in cells. It takes it for a fault where the cursor is moved out of the screen, and the
// painter knows its size.
func NewGrid(width, height int, knows func(width, height int) bool, runeWidth func(rune) int) *Grid {
	g := &Grid{knows: knows, runeWidth: runeWidth, modes: map[string]bool{}}
	g.Resize(width, height)
	return g
}

// Resize gives it another size in cells.
func (g *Grid) Resize(width, height int) {
	cells := make([]gridCell, width*height)
	for i := range cells {
		cells[i].text = " "
		if x, y := i%width, i/width; x < g.width && y < g.height {
			cells[i] = g.cells[y*g.width+x]
		}
	}
	g.width, g.height, g.cells = width, height, cells
	g.X, g.Y = min(g.X, width-1), min(g.Y, height-1)
	g.changed = slices.Repeat([]bool{true}, height)
}

// Paint takes whole frames.
func (g *Grid) Paint(frames string) {
	g.write(frames)
	if g.rest != "" || g.modes["2026"] {
		g.failed("a frame ends with %q, synchronized: %t", g.rest, g.modes["2026"])
	}
}

// Cut takes what has arrived of a frame.
func (g *Grid) Cut(part string) {
	g.write(part)
	if g.rest != "" && g.rest[0] != '\x1b' {
		g.put(utf8.RuneError)
	}
	g.rest = ""
	delete(g.modes, "2026")
}

// Line takes the text of a line of a frame as it is, in place of what it shows there.
func (g *Grid) Line(y int, text string) {
	g.X, g.Y, g.style = 0, y, gridStyle{}
	g.erase(y*g.width, (y+1)*g.width)
	g.write(text)
}

// modeSet is a mode that a terminal has at first, or has not.
var modeSet = regexp.MustCompile("\x1b\\[\\?(\\d+)([hl])")

// Other takes what another than the painter writes.
func (g *Grid) Other(sequence string) {
	for _, set := range modeSet.FindAllStringSubmatch(sequence, -1) {
		g.set(set[1], set[2] == "h")
	}
	switch sequence {
	case "\x1b[2J":
		g.erase(0, len(g.cells))
	case "\x1b[H":
		g.X, g.Y = 0, 0
	case "\r":
		g.X = 0
	case "\x1b[2K":
		g.erase(g.Y*g.width, (g.Y+1)*g.width)
	}
}

// set switches a mode on or off. A terminal has a cursor, and wraps lines.
func (g *Grid) set(mode string, on bool) {
	if first := mode == "25" || mode == "7"; on == first {
		delete(g.modes, mode)
		return
	}
	g.modes[mode] = true
}

// Modes are those that are not as a terminal has them at first: 1049 is the alternate screen, 25 a cursor that is hidden, 7 lines
// that do not wrap, 2004 pastes that are marked.
func (g *Grid) Modes() []string { return slices.Sorted(maps.Keys(g.modes)) }

// Overwrite fills the screen, as another program does.
func (g *Grid) Overwrite() {
	for i := range g.cells {
		g.cells[i] = gridCell{text: "Z"}
	}
	g.changed = slices.Repeat([]bool{true}, g.height)
}

// Differs names the first line of those that have changed since the last call, of either, that is not as another
// terminal of the same size has it; empty for none.
func (g *Grid) Differs(want *Grid) string {
	for y := range g.height {
		if !g.changed[y] && !want.changed[y] {
			continue
		}
		g.changed[y], want.changed[y] = false, false
		if got, want := g.cells[y*g.width:][:g.width], want.cells[y*g.width:][:g.width]; !slices.Equal(got, want) {
			return fmt.Sprintf("line %d of the terminal is\n%s\ninstead of\n%s", y+1, written(got), written(want))
		}
	}
	return ""
}

func (g *Grid) failed(format string, args ...any) {
	if g.Fault == "" {
		g.Fault = fmt.Sprintf(format, args...)
	}
}

func (g *Grid) write(s string) {
	for s = g.rest + s; s != ""; {
		n := 0
		switch r, size := utf8.DecodeRuneInString(s); {
		case r == '\x1b':
			n = g.sequence(s)
		case r == '\r':
			g.X, n = 0, size
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
func (g *Grid) sequence(s string) (size int) {
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
			g.set("25", s[end] == 'h')
		case "?2026":
			g.set("2026", s[end] == 'h')
		case "4", "?6", "?7": // never on here
			known = s[end] == 'l'
			if parameters == "?7" {
				g.set("7", false)
			}
		default:
			known = false
		}
	case 'r':
		known = known && parameters == ""
		g.X, g.Y = 0, 0
	case 'J':
		known = known && parameters == "2"
		g.erase(0, len(g.cells))
	case 'K':
		known = known && parameters == ""
		g.erase(g.Y*g.width+g.X, (g.Y+1)*g.width)
	case 'H':
		row, column, _ := strings.Cut(parameters, ";")
		known = known && g.moveTo(number(column)-1, number(row)-1)
	case 'C':
		known = known && g.moveTo(g.X+number(parameters), g.Y)
	case 'm':
		known = known && g.sgr(parameters)
	default:
		known = false
	}
	if !known {
		g.failed("%q is written at %d,%d of %dx%d", s[:end+1], g.X, g.Y, g.width, g.height)
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
func (g *Grid) moveTo(x, y int) bool {
	inside := x >= 0 && y >= 0 && x < g.width && y < g.height
	g.X, g.Y = max(0, min(x, g.width-1)), max(0, min(y, g.height-1))
	return inside || !g.knows(g.width, g.height)
}

// erase fills cells with the background in force, as terminals do.
func (g *Grid) erase(from, to int) {
	if from%g.width > 0 && g.cells[from].text == "" {
		g.cells[from-1].text = " "
	}
	for i := from; i < to; i++ {
		g.changed[i/g.width] = true
		g.cells[i] = gridCell{text: " ", style: gridStyle{bg: g.style.bg}}
	}
}

// put writes a character at the cursor; lines do not wrap. What takes no room joins the
// cell before; what does not fit is dropped.
func (g *Grid) put(r rune) {
	row := g.cells[g.Y*g.width : (g.Y+1)*g.width]
	g.changed[g.Y] = true
	width := g.runeWidth(r)
	switch {
	case width == 0:
		if g.X > 0 {
			row[g.X-1].text += string(r)
		}
		return
	case g.X+width > g.width:
		return
	}
	if row[g.X].text == "" { // the half of a wide character that stays is blank
		row[g.X-1].text = " "
	}
	if end := g.X + width; end < g.width && row[end].text == "" {
		row[end].text = " "
	}
	row[g.X] = gridCell{string(r), g.style}
	for i := 1; i < width; i++ {
		row[g.X+i] = gridCell{"", g.style}
	}
	g.X = min(g.X+width, g.width-1)
}

// sgr sets the style, and reports whether it knows all parameters.
func (g *Grid) sgr(parameters string) bool {
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

// Screen returns everything that can be seen.
func (g *Grid) Screen() string {
	var b strings.Builder
	for y := range g.height {
		b.WriteString("\n" + written(g.cells[y*g.width:][:g.width]))
	}
	if !g.modes["25"] {
		fmt.Fprintf(&b, "\ncursor at %d,%d", g.X, g.Y)
	}
	return b.String()
}

// written writes cells down, with their styles.
func written(cells []gridCell) string {
	var b strings.Builder
	var style gridStyle
	for _, c := range cells {
		if c.style != style {
			style = c.style
			fmt.Fprintf(&b, "<%v>", style)
		}
		b.WriteString(c.text)
		b.WriteByte(0)
	}
	return b.String()
}
