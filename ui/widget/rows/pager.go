package rows

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/views"
)

// Pager scrolls lines that are only read. The viewport of bubbles draws the same, but allocates
// 80 KB for a frame, twice what a key may cost, where this takes 14, and half of the time. It
// measures every line that it is given: 0.2 seconds for 100,000 of them.
type Pager struct {
	lines         []string
	top           int
	width, height int
	ellipsis      string
	blurred       bool
}

// NewPager returns an empty pager; ellipsis ends lines that do not fit.
func NewPager(ellipsis string) *Pager { return &Pager{ellipsis: ellipsis} }

// Set shows other lines, which may hold styles, from the same place where it still
// exists.
func (p *Pager) Set(lines []string) {
	p.lines = lines
	p.clamp()
}

// SetSize gives the pager its cells.
func (p *Pager) SetSize(width, height int) {
	p.width, p.height = width, height
	p.clamp()
}

// SetFocused says whether keys scroll this pager: of several things on a screen, one has
// the cursor.
func (p *Pager) SetFocused(on bool) { p.blurred = !on }

// Home goes back to the first line.
func (p *Pager) Home() { p.top = 0 }

// Moves are the rows that scroll.
func (p *Pager) Moves() []views.Command {
	return movesBy(func(id string, to func(at, n, page int) int) {
		p.top = to(p.top, len(p.lines), p.height)
		if id == Bottom {
			p.top = len(p.lines)
		}
		p.clamp()
	})
}

// MovesOver is Moves of lines that are laid out when a key comes.
func (p *Pager) MovesOver(lines func() []string) []views.Command {
	return views.Around(p.Moves(), func(_ views.Command, run func() tea.Cmd) tea.Cmd {
		p.Set(lines())
		return run()
	})
}

// Position says which lines are shown where not all are: "1-20 of 44".
func (p *Pager) Position() string {
	if len(p.lines) <= p.height || p.height < 1 {
		return ""
	}
	return fmt.Sprintf("%d-%d of %d", p.top+1, min(p.top+p.height, len(p.lines)), len(p.lines))
}

// View draws exactly the size that SetSize gave.
func (p *Pager) View() string {
	if p.width <= 0 || p.height <= 0 {
		return ""
	}
	var b strings.Builder
	b.Grow(p.height * (p.width + 16))
	if !p.blurred {
		b.WriteString(theme.CursorMark)
	}
	for i := range p.height {
		if i > 0 {
			b.WriteByte('\n')
		}
		if at := p.top + i; at < len(p.lines) {
			views.WriteFit(&b, p.lines[at], p.width, p.ellipsis)
		} else {
			views.WriteFit(&b, "", p.width, "")
		}
	}
	return b.String()
}

func (p *Pager) clamp() { p.top = max(0, min(p.top, len(p.lines)-max(1, p.height))) }

// indent is the width of the cursor's marker: text in place of rows is aligned with
// theirs.
var indent = strings.Repeat(" ", markerWidth)

// Beside draws a text with a note at the right end of a line of width cells; a
// note without room is left out.
func (k *Inks) Beside(text, note string, width int) string {
	room := width - ansi.StringWidth(text) - ansi.StringWidth(note)
	if note == "" || room < 2 {
		return text
	}
	return text + strings.Repeat(" ", room) + k.Muted.On(note)
}

// Divider separates two panes, with space around it.
func (k *Inks) Divider() string { return " " + k.Rule.On(k.Glyphs.Divider) + " " }

// Columns joins the lines of two panes of one height.
func (k *Inks) Columns(left, right []string) []string {
	divider := k.Divider()
	for i := range left {
		left[i] += divider + right[i]
	}
	return left
}

// Headed draws lines of a head, and a body below them that is as wide and fills the lines that are left,
// as height lines of exactly width cells.
func (k *Inks) Headed(width, height int, body string, head ...string) string {
	var b strings.Builder
	b.Grow(len(body) + len(head)*2*width)
	for i, line := range head[:min(len(head), max(0, height))] {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(k.Fit(line, width))
	}
	if height > len(head) {
		if len(head) > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(body)
	}
	return b.String()
}

// Abreast draws panes of height lines beside each other, with dividers between them and a cell left
// free at both ends. Empty panes are left out.
func (k *Inks) Abreast(height int, panes ...string) string { return k.abreast(" ", height, panes) }

// Panes draws panes of as many lines as the first one beside each other, with dividers between them.
// Empty ones are left out.
func (k *Inks) Panes(panes ...string) string {
	return k.abreast("", strings.Count(panes[0], "\n")+1, panes)
}

func (k *Inks) abreast(margin string, height int, panes []string) string {
	rest, size := make([]string, 0, 4), 0
	for _, pane := range panes {
		if pane != "" {
			rest = append(rest, pane)
			size += len(pane)
		}
	}
	divider := k.Divider()
	var b strings.Builder
	b.Grow(size + height*(2+len(rest)*len(divider)))
	for y := range height {
		if y > 0 {
			b.WriteByte('\n')
		}
		before := margin
		for i, pane := range rest {
			line, below, _ := strings.Cut(pane, "\n")
			rest[i] = below
			b.WriteString(before)
			b.WriteString(line)
			before = divider
		}
		b.WriteString(margin)
	}
	return b.String()
}

// Sentences draws sentences in place of rows, in exactly the size of a list.
func (k *Inks) Sentences(sentences []string, width, height int) string {
	var lines []string
	for _, s := range sentences {
		for _, line := range views.Wrap(s, width-markerWidth-1) {
			lines = append(lines, indent+k.Muted.On(line))
		}
	}
	return k.Block(lines, width, height)
}

// Page collects the lines of a text that is read, for a [Pager] or as they are.
type Page struct {
	Inks  *Inks
	Width int
	Names int // the column of names before values; zero for the usual one
	Lines []string
}

// Block returns the page as height lines of exactly its width.
func (p *Page) Block(height int) []string {
	return strings.Split(p.Inks.Block(p.Lines, p.Width, height), "\n")
}

// Line adds a line, which may hold styles.
func (p *Page) Line(s string) { p.Lines = append(p.Lines, s) }

// Gap adds an empty line.
func (p *Page) Gap() { p.Line("") }

// Text adds foreign text, cleaned and wrapped.
func (p *Page) Text(ink Ink, s string) { p.Indented(ink, "", s) }

// Indented adds foreign text after a margin on each line.
func (p *Page) Indented(ink Ink, margin, s string) {
	if s == "" {
		return
	}
	for _, line := range views.Wrap(s, p.Width-ansi.StringWidth(margin)) {
		p.Line(margin + ink.On(line))
	}
}

// usualNames is the column of names before values.
const usualNames = 15

// Fact adds a named value, where there is one.
func (p *Page) Fact(name, value string) {
	if value != "" {
		p.Member(name, value)
	}
}

// Facts adds named values, where there are any: pairs are names, each with its value behind it.
func (p *Page) Facts(pairs ...string) {
	for pair := range slices.Chunk(pairs, 2) {
		p.Fact(pair[0], pair[1])
	}
}

// Member adds a named value, also an empty one. A long name gets its own line, and so does that of
// a value with a word that is whole on lines of its own only.
func (p *Page) Member(name, value string) {
	column := cmp.Or(p.Names, usualNames)
	name = plain.Clip(name, max(1, p.Width))
	label := p.Inks.Label.On(views.Fit(name, column, ""))
	word := 0
	for w := range strings.FieldsSeq(plain.Clip(value, plain.MaxLine)) {
		word = max(word, ansi.StringWidth(w))
	}
	if word > p.Width-column && word <= p.Width-2 {
		p.Line(p.Inks.Label.On(name))
		p.Indented(Ink{}, "  ", value)
		return
	}
	blank := strings.Repeat(" ", column)
	if ansi.StringWidth(name) >= column {
		p.Line(p.Inks.Label.On(name))
		label = blank
	}
	for _, line := range views.Wrap(value, p.Width-column) {
		p.Line(label + line)
		label = blank
	}
}

// Signed adds a text with a glyph before its first line; the other lines are indented.
func (p *Page) Signed(glyph string, ink Ink, text string) {
	lead := ink.On(glyph) + " "
	for _, line := range views.Wrap(text, p.Width-2) {
		p.Line(lead + line)
		lead = "  "
	}
}

// Status adds a text behind the glyph of a status, as [Page.Signed] does.
func (p *Page) Status(s Status, text string) {
	glyph, ink := p.Inks.Mark(s)
	p.Signed(glyph, ink, text)
}

// Heading adds a heading with an empty line above it.
func (p *Page) Heading(text string) {
	if len(p.Lines) > 0 {
		p.Gap()
	}
	p.Line(p.Inks.Heading.On(plain.Clip(text, p.Width)))
}

// Focus puts the cursor of the terminal on a line.
func (p *Page) Focus(line int) { p.Lines[line] = theme.CursorMark + p.Lines[line] }

// Key adds a key and what it does.
func (p *Page) Key(key, does string) { p.Line(p.Inks.Key.On(key) + " " + does) }
