package output

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"golang.org/x/term"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/theme/background"
)

const (
	Gap     = 2 // spaces between two columns
	minCell = 8 // a column is never cut below this
)

// Renderer draws text for people: with colours and glyphs within the width of a terminal,
// or as plain words of any length into a pipe.
type Renderer struct {
	Theme   *theme.Theme
	colours bool
	glyphs  bool
	Width   int // cells of the terminal, 0 for any
}

// Renderer returns the renderer of the output.
func (o *Output) Renderer() *Renderer {
	if o.renderer != nil {
		return o.renderer
	}
	o.renderer = &Renderer{Theme: o.Theme()}
	o.renderer.colours = o.renderer.Theme.Options().Renderer.ColorProfile() != termenv.Ascii
	if fd, ok := Terminal(o.Out); ok {
		o.renderer.glyphs = !o.Plain
		if width, _, err := term.GetSize(fd); err == nil {
			o.renderer.Width = width
		}
	}
	return o.renderer
}

// Shade is how bright the background is, as the flag or the environment says. The Linux
// console is black.
func (o *Output) Shade() theme.Background {
	said := o.env("COLORFGBG")
	switch {
	case o.Background == "light", o.Background == "auto" && !background.Dark(said):
		return theme.Light
	case o.Background == "auto" && !background.Known(said) && o.env("TERM") != "linux":
		return theme.Unknown
	}
	return theme.Dark
}

// Theme makes the theme for the terminal or pipe of the output.
func (o *Output) Theme() *theme.Theme { return o.ThemeFor(o.Shade()) }

// ThemeFor makes the theme for a background.
func (o *Output) ThemeFor(shade theme.Background) *theme.Theme {
	renderer := lipgloss.NewRenderer(Underlying(o.Out))
	renderer.SetHasDarkBackground(shade != theme.Light)
	colourless := o.Plain || o.noColor || o.env(envNoColor) != ""
	if _, ok := Terminal(o.Out); !ok || colourless {
		renderer.SetColorProfile(termenv.Ascii)
	}
	ascii := o.ascii || o.Plain || theme.WantsASCII(o.env)
	return theme.New(theme.Options{Renderer: renderer, Background: shade, ASCII: ascii, Monochrome: renderer.ColorProfile() == termenv.Ascii})
}

// Dumb reports whether the terminal obeys no escape sequences.
func (o *Output) Dumb() bool { return o.env("TERM") == "dumb" }

// Terminal returns the descriptor of a stream that is a terminal.
func Terminal(end any) (fd int, ok bool) {
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

// Cell is one field of a table.
type Cell struct {
	Text   string // cleaned when it is drawn
	Style  lipgloss.Style
	Middle bool // what does not fit is left out of its middle
}

// Row makes a row of cells. What is no [Cell] is a text without a style, a number in digits.
func (l *Renderer) Row(fields ...any) []Cell {
	row := make([]Cell, len(fields))
	for i, field := range fields {
		cell, made := field.(Cell)
		if !made {
			cell = Cell{Text: fmt.Sprint(field), Style: l.Theme.Plain}
		}
		row[i] = cell
	}
	return row
}

// Field makes a row of a label and its values, as [Renderer.Row] does.
func (l *Renderer) Field(label any, values ...any) []Cell {
	row := l.Row(append([]any{label}, values...)...)
	row[0].Style = l.Theme.Label
	return row
}

// Fields makes a row for each pair of a label and a value.
func (l *Renderer) Fields(pairs ...any) (rows [][]Cell) {
	for pair := range slices.Chunk(pairs, 2) {
		rows = append(rows, l.Field(pair[0], pair[1]))
	}
	return rows
}

// Given makes the rows of those fields whose text is not empty.
func (l *Renderer) Given(pairs ...any) [][]Cell {
	return slices.DeleteFunc(l.Fields(pairs...), func(row []Cell) bool { return row[1].Text == "" })
}

// Status is the meaning of a word in a cell; it has a glyph and a colour.
type Status int

// The statuses.
const (
	Unknown Status = iota
	Good
	Bad
	Warned
	Running
	Skipped
	Idle // neither good nor bad, with a glyph
	Bare // neither good nor bad, without one
)

// StatusCell makes a cell of a word after its glyph, if glyphs are drawn.
func (l *Renderer) StatusCell(s Status, word string) Cell {
	t := l.Theme
	g := t.Glyphs
	glyph, style := g.Unknown, t.Unknown
	switch s {
	case Good:
		glyph, style = g.Pass, t.OK
	case Bad:
		glyph, style = g.Fail, t.Fail
	case Warned:
		glyph, style = g.Warn, t.Warn
	case Running:
		glyph, style = g.Running, t.Running
	case Skipped:
		glyph, style = g.Skipped, t.Muted
	case Idle:
		glyph, style = g.Skipped, t.Plain
	case Bare:
		glyph, style = " ", t.Plain
	}
	if l.glyphs {
		word = glyph + " " + word
	}
	return Cell{Text: word, Style: style}
}

// Arrow is drawn between an old and a new value.
func (l *Renderer) Arrow() string {
	if l.glyphs {
		return l.Theme.Glyphs.Arrow
	}
	return "->"
}

// FormatTime writes a date and time in UTC, a dash for none.
func FormatTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// FormatDuration writes how long something took, a dash if that is not known.
func FormatDuration(start, end adminapi.Millis) string {
	span, ok := adminapi.Span(start, end)
	if !ok {
		return "-"
	}
	return adminapi.FormatElapsed(span)
}

// PrintAll prints a list: its elements as JSON, or a table with a row for each.
func PrintAll[T any](o *Output, list []T, headings []string, row func(l *Renderer, one T) []Cell) error {
	if o.JSON() {
		return PrintList(o, list)
	}
	return PrintEach(o, list, headings, row)
}

// PrintEach prints a table with a row for each of a list. Cells beyond the headings are left out.
func PrintEach[T any](o *Output, list []T, headings []string, row func(l *Renderer, one T) []Cell) error {
	return o.PrintTable(headings, lists.Each(list, func(one T) []Cell { return row(o.Renderer(), one)[:len(headings)] }))
}

// PrintTable prints rows under their headings, aligned.
func (o *Output) PrintTable(headings []string, rows [][]Cell) error {
	l := o.Renderer()
	head := lists.Each(headings, func(text string) Cell { return Cell{Text: text, Style: l.Theme.Label} })
	return o.PrintRows(append([][]Cell{head}, rows...))
}

// PrintRows prints rows, aligned.
func (o *Output) PrintRows(rows [][]Cell) error {
	l := o.Renderer()
	for _, row := range rows {
		for i := range row {
			row[i].Text = plain.Line(row[i].Text)
		}
	}
	widths := l.widths(rows)
	out := bufio.NewWriter(o.Out)
	for _, row := range rows {
		if _, err := out.WriteString(l.Line(row, widths) + "\n"); err != nil {
			return err
		}
	}
	return out.Flush()
}

// widths gives every column what its longest cell needs. On a narrow terminal the widest
// columns are cut.
func (l *Renderer) widths(rows [][]Cell) []int {
	var widths []int
	for _, row := range rows {
		for len(widths) < len(row) {
			widths = append(widths, 0)
		}
		for i, c := range row {
			widths[i] = max(widths[i], ansi.StringWidth(c.Text))
		}
	}
	if l.Width == 0 {
		return widths
	}
	for {
		total, widest := Gap*(len(widths)-1), 0
		for i, w := range widths {
			total += w
			if w > widths[widest] {
				widest = i
			}
		}
		if total <= l.Width || widths[widest] <= minCell {
			return widths
		}
		widths[widest] = max(minCell, widths[widest]-(total-l.Width))
	}
}

// minWrapped is the least room that a text is wrapped into.
const minWrapped = 30

// Wrapped returns a text in the lines that it takes right of a margin on the terminal. A word
// stays whole, such as a path, and into a pipe so does the text.
func (l *Renderer) Wrapped(text string, margin int) []string {
	text = plain.Line(text)
	if l.Width == 0 {
		return []string{text}
	}
	return strings.Split(ansi.Wordwrap(text, max(l.Width-margin, minWrapped), ""), "\n")
}

// Line draws a row of cells in columns of those widths.
func (l *Renderer) Line(row []Cell, widths []int) string {
	var b strings.Builder
	for i, c := range row {
		text := ansi.Truncate(c.Text, widths[i], l.Theme.Glyphs.Ellipsis)
		if c.Middle {
			text = plain.ClipMiddle(c.Text, widths[i], l.Theme.Glyphs.Ellipsis)
		}
		if i == len(row)-1 {
			text = strings.TrimRight(text, " ")
		} else {
			text += strings.Repeat(" ", widths[i]-ansi.StringWidth(text))
		}
		if l.colours {
			text = c.Style.Render(text)
		}
		b.WriteString(text)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", Gap))
		}
	}
	return strings.TrimRight(b.String(), " ")
}
