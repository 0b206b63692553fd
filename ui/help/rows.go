package help

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// section is a part of the help that can be folded.
type section struct {
	title    string
	commands []views.Command
	dim      bool // cannot be done now
	grouped  bool // has the titles of the groups of its commands
}

// place names a line of the help: line 0 is the title of its section.
type place struct{ section, line int }

// lines are the lines of the help: titles of sections, and below each its commands.
// A sentence that is wrapped has several rows, which a filter finds together.
type lines []line

type line struct {
	key    place
	text   string   // as it is drawn
	folded string   // and where it hides its lines
	finds  []string // what a filter looks at
}

// Len is the number of lines.
func (h lines) Len() int { return len(h) }

// Key names a line.
func (h lines) Key(i int) place { return h[i].key }

// Depth is 0 for titles.
func (h lines) Depth(i int) int { return min(h[i].key.line, 1) }

// Version never changes.
func (h lines) Version(int) uint64 { return 0 }

// Matches reports whether keys, name or sentence match.
func (h lines) Matches(i int, has func(string) bool) bool {
	return slices.ContainsFunc(h[i].finds, has)
}

// Draw draws the line.
func (h lines) Draw(i int, look rows.Look) string {
	if look.Folded {
		return h[i].folded
	}
	return h[i].text
}

// The columns of help: keys, then names where there is room, then a sentence.
const (
	keyCells    = 13 // of keys at most, which longer ones exceed
	nameCells   = 24
	twoFrom     = 106 // cells from which entries are in two columns
	nameFrom    = 90  // cells of an entry from which its name has a column
	gapCells    = 2
	indent      = 2
	cursorCells = 2
)

// rows lays out the sections: in two columns where there is room. What a filter finds is one
// column with whole sentences.
func (h *Dialog) rows() lines {
	l := layout{theme: h.theme, width: h.Width - cursorCells - indent, whole: h.whole}
	columns := 1
	if h.Width >= twoFrom && !l.whole {
		columns = 2
		l.width = (l.width - gapCells) / 2
	}
	var list lines
	for _, section := range h.sections {
		for i := range section.commands {
			if keys := ansi.StringWidth(l.labels(&section.commands[i])); !section.grouped && keys < keyCells {
				l.keys = max(l.keys, keys+1)
			}
		}
	}
	for i, section := range h.sections {
		if section.grouped {
			l.keys = keyCells
		}
		list = append(list, l.title(section, i))
		for n, line := range l.section(section, columns, i < len(h.sections)-1) {
			line.key = place{i, n + 1}
			list = append(list, line)
		}
	}
	return list
}

// title draws the title of a section, and how much is in it where that is hidden.
func (l *layout) title(section section, i int) line {
	t := l.theme
	return line{key: place{section: i}, finds: []string{section.title},
		text:   t.Muted.Render(t.Glyphs.Open) + " " + t.Heading.Render(section.title),
		folded: t.Muted.Render(t.Glyphs.Folded) + " " + t.Heading.Render(section.title) + t.Muted.Render("  "+strconv.Itoa(len(section.commands))),
	}
}

// layout draws entries of a width.
type layout struct {
	theme *theme.Theme
	width int
	keys  int  // cells of their column
	whole bool // sentences are not cut
}

// section draws the entries of a section, and an empty line behind all but the last one.
func (l *layout) section(section section, columns int, gap bool) lines {
	var list lines
	groups := []Group{{Commands: section.commands}}
	if section.grouped {
		groups = Grouped("", section.commands)
	}
	for _, group := range groups {
		if group.Title != "" {
			list = append(list, line{text: "  " + l.theme.Muted.Render(group.Title), finds: []string{group.Title}})
		}
		entries := make([]lines, len(group.Commands))
		for i, c := range group.Commands {
			entries[i] = l.entry(c, section.dim, group.Title)
		}
		list = append(list, l.columns(entries, columns)...)
	}
	if gap {
		list = append(list, line{})
	}
	return list
}

// columns puts entries side by side, the first half of their lines at the left.
func (l *layout) columns(entries []lines, columns int) lines {
	left, right := slices.Concat(entries...), lines(nil)
	if columns == 2 {
		n, at := len(left), 0
		left = nil
		for ; 2*len(left) < n; at++ {
			left = append(left, entries[at]...)
		}
		right = slices.Concat(entries[at:]...)
	}
	for i := range left {
		text := left[i].text
		if i < len(right) {
			text = views.Fit(text, l.width, "") + strings.Repeat(" ", gapCells) + right[i].text
			left[i].finds = append(left[i].finds, right[i].finds...)
		}
		left[i].text = strings.Repeat(" ", indent) + text
	}
	return left
}

// entry draws a command: its keys, its name where there is room or no key, and what it does.
func (l *layout) entry(c views.Command, dim bool, group string) lines {
	t := l.theme
	keys, name := l.labels(&c), ""
	if c.Name != "" {
		name = ":" + c.Name
	}
	if c.Argument != "" {
		name += " <" + c.Argument + ">"
	}
	cells := func(style lipgloss.Style, text string, width int) string {
		return style.Render(views.Fit(text, width, t.Glyphs.Ellipsis)) + " "
	}
	wide := max(l.keys, ansi.StringWidth(keys))
	head, room := cells(t.Key, keys, wide), wide+1
	switch named := l.width >= nameFrom || l.whole; {
	case named:
		head, room = head+cells(t.Muted, name, nameCells), room+nameCells+1
	case keys == "":
		head, room = cells(t.Key, name, nameCells), nameCells+1
	}
	text := t.Plain
	if dim {
		text, head = t.Muted, t.Muted.Render(ansi.Strip(head))
	}
	var list lines
	for _, words := range l.sentence(c.Help, max(l.width-room, 10)) {
		list = append(list, line{text: head + text.Render(words), finds: []string{group, keys, name, c.Help}})
		head = strings.Repeat(" ", room)
	}
	return list
}

// labels returns the keys of a command as they are shown.
func (l *layout) labels(c *views.Command) string {
	labels := make([]string, len(c.Keys()))
	for i, key := range c.Keys() {
		labels[i] = views.KeyLabel(key, l.theme.Options().ASCII)
	}
	return strings.Join(labels, " ")
}

// sentence returns a sentence in lines of a width: as much of it as fits one line and is a
// sentence, or all of it.
func (l *layout) sentence(text string, width int) []string {
	if !l.whole {
		text = views.Clause(text, width)
	}
	return views.Wrap(text, width)
}
