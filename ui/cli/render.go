package cli

import (
	"bufio"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"golang.org/x/term"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/theme/background"
)

const (
	gap       = 2 // spaces between two columns
	leastCell = 8 // a column is never cut below this
)

// look is how text for people is drawn: with colours and glyphs within the
// width of a terminal, or as plain words of any length into a pipe.
type look struct {
	theme   *theme.Theme
	colours bool
	glyphs  bool
	width   int // cells of the terminal, 0 for any
}

// look settles the looks of the output once.
func (o *output) look() *look {
	if o.drawn != nil {
		return o.drawn
	}
	o.drawn = &look{theme: o.theme()}
	o.drawn.colours = o.drawn.theme.Options().Renderer.ColorProfile() != termenv.Ascii
	if fd, ok := terminal(o.out); ok {
		o.drawn.glyphs = !o.plain
		if width, _, err := term.GetSize(fd); err == nil {
			o.drawn.width = width
		}
	}
	return o.drawn
}

// theme makes the theme for whatever stands at the end of the output.
func (o *output) theme() *theme.Theme {
	light := o.background == "light" || o.background == "auto" && !background.Dark(o.env("COLORFGBG"))
	renderer := lipgloss.NewRenderer(below(o.out))
	renderer.SetHasDarkBackground(!light)
	colourless := o.plain || o.noColor || o.env(envNoColor) != ""
	if _, ok := terminal(o.out); !ok || colourless {
		renderer.SetColorProfile(termenv.Ascii)
	}
	ascii := o.ascii || o.plain || theme.WantsASCII(o.env)
	return theme.New(theme.Options{Renderer: renderer, Light: light, ASCII: ascii})
}

// dumb reports whether the terminal obeys no escape sequences.
func (o *output) dumb() bool { return o.env("TERM") == "dumb" }

// terminal returns the descriptor of a stream that is a terminal.
func terminal(end any) (fd int, ok bool) {
	if s, ok := end.(*stream); ok {
		end = s.out
	}
	file, isFile := end.(*os.File)
	if !isFile {
		return 0, false
	}
	fd = int(file.Fd())
	return fd, term.IsTerminal(fd)
}

// cell is one field of a table.
type cell struct {
	text  string // cleaned when it is drawn
	style lipgloss.Style
}

// words makes a row of cells without a style.
func (l *look) words(texts ...string) []cell {
	row := make([]cell, len(texts))
	for i, text := range texts {
		row[i] = cell{text: text, style: l.theme.Plain}
	}
	return row
}

// fact makes a row of a label and what it labels.
func (l *look) fact(label string, value cell) []cell {
	return []cell{{text: label, style: l.theme.Label}, value}
}

// facts makes a row for each pair of a label and a text.
func (l *look) facts(pairs ...string) (rows [][]cell) {
	for i := 0; i < len(pairs); i += 2 {
		rows = append(rows, l.fact(pairs[i], cell{text: pairs[i+1], style: l.theme.Plain}))
	}
	return rows
}

// sign is the meaning of a word in a cell; it has a glyph and a colour.
type sign int

const (
	unknown sign = iota
	good
	bad
	warned
	running
	skipped
	idle    // nothing to say of it, with a glyph
	plainly // nothing to say of it
)

// signed makes a cell of a word behind its glyph, where glyphs are drawn.
func (l *look) signed(s sign, word string) cell {
	t := l.theme
	g := t.Glyphs
	glyph, style := g.Unknown, t.Unknown
	switch s {
	case good:
		glyph, style = g.Pass, t.OK
	case bad:
		glyph, style = g.Fail, t.Fail
	case warned:
		glyph, style = g.Warn, t.Warn
	case running:
		glyph, style = g.Running, t.Running
	case skipped:
		glyph, style = g.Skipped, t.Muted
	case idle:
		glyph, style = g.Skipped, t.Plain
	case plainly:
		glyph, style = " ", t.Plain
	}
	if l.glyphs {
		word = glyph + " " + word
	}
	return cell{text: word, style: style}
}

var signOfVerdict = map[health.Verdict]sign{
	health.Passed: good, health.Failed: bad, health.Warning: warned, health.Running: running, health.Skipped: skipped,
}

// verdict is a cell with a verdict: glyph and word, or the word alone.
func (l *look) verdict(v health.Verdict) cell { return l.signed(signOfVerdict[v], v.String()) }

// moment writes a date and time, a dash for none.
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// took writes how long something took, a dash where that is not known.
func took(start, end adminapi.Millis) string {
	span, ok := adminapi.Span(start, end)
	if !ok {
		return "-"
	}
	return adminapi.Took(span)
}

// printTable prints rows under their headings, aligned.
func (o *output) printTable(headings []string, rows [][]cell) error {
	l := o.look()
	head := make([]cell, len(headings))
	for i, text := range headings {
		head[i] = cell{text: text, style: l.theme.Label}
	}
	return o.printRows(append([][]cell{head}, rows...))
}

// printRows prints rows, aligned.
func (o *output) printRows(rows [][]cell) error {
	l := o.look()
	for _, row := range rows {
		for i := range row {
			row[i].text = plain.Line(row[i].text)
		}
	}
	widths := l.widths(rows)
	out := bufio.NewWriter(o.out)
	for _, row := range rows {
		if _, err := out.WriteString(l.line(row, widths) + "\n"); err != nil {
			return err
		}
	}
	return out.Flush()
}

// widths gives every column what its longest cell needs; where the terminal is
// too narrow, the widest columns give way.
func (l *look) widths(rows [][]cell) []int {
	var widths []int
	for _, row := range rows {
		for len(widths) < len(row) {
			widths = append(widths, 0)
		}
		for i, c := range row {
			widths[i] = max(widths[i], ansi.StringWidth(c.text))
		}
	}
	if l.width == 0 {
		return widths
	}
	for {
		total, widest := gap*(len(widths)-1), 0
		for i, w := range widths {
			total += w
			if w > widths[widest] {
				widest = i
			}
		}
		if total <= l.width || widths[widest] <= leastCell {
			return widths
		}
		widths[widest] = max(leastCell, widths[widest]-(total-l.width))
	}
}

func (l *look) line(row []cell, widths []int) string {
	var b strings.Builder
	for i, c := range row {
		text := ansi.Truncate(c.text, widths[i], l.theme.Glyphs.Ellipsis)
		if i == len(row)-1 {
			text = strings.TrimRight(text, " ")
		} else {
			text += strings.Repeat(" ", widths[i]-ansi.StringWidth(text))
		}
		if l.colours {
			text = c.style.Render(text)
		}
		b.WriteString(text)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", gap))
		}
	}
	return strings.TrimRight(b.String(), " ")
}
