package ui

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

// helpSection is a part of the help that can be folded.
type helpSection struct {
	title    string
	commands []views.Command
	dim      bool // cannot be done now
	grouped  bool // has the titles of the groups of its commands
}

// helpKey names a line of the help: line 0 is the title of its section.
type helpKey struct{ section, line int }

// helpRows are the lines of the help: titles of sections, and below each its commands.
// A sentence that is wrapped has several rows, which a filter finds together.
type helpRows []helpRow

type helpRow struct {
	key    helpKey
	text   string   // as it is drawn
	folded string   // and where it hides its lines
	finds  []string // what a filter looks at
}

// Len is the number of lines.
func (h helpRows) Len() int { return len(h) }

// Key names a line.
func (h helpRows) Key(i int) helpKey { return h[i].key }

// Depth is 0 for titles.
func (h helpRows) Depth(i int) int { return min(h[i].key.line, 1) }

// Version never changes.
func (h helpRows) Version(int) uint64 { return 0 }

// Matches reports whether keys, name or sentence match.
func (h helpRows) Matches(i int, has func(string) bool) bool {
	return slices.ContainsFunc(h[i].finds, has)
}

// Draw draws the line.
func (h helpRows) Draw(i int, look rows.Look) string {
	if look.Folded {
		return h[i].folded
	}
	return h[i].text
}

// The columns of help: keys, then names where there is room, then a sentence.
const (
	helpKeys     = 13 // of keys at most, which longer ones exceed
	helpNames    = 24
	helpTwoFrom  = 106 // cells from which entries are in two columns
	helpNameFrom = 90  // cells of an entry from which its name has a column
	helpGap      = 2
	helpIndent   = 2
	helpCursor   = 2
)

// rows lays out the sections: in two columns where there is room. What a filter finds is one
// column with whole sentences.
func (h *help) rows() helpRows {
	l := helpLayout{theme: h.theme, width: h.width - helpCursor - helpIndent, whole: h.whole}
	columns := 1
	if h.width >= helpTwoFrom && !l.whole {
		columns = 2
		l.width = (l.width - helpGap) / 2
	}
	var list helpRows
	for _, section := range h.sections {
		for i := range section.commands {
			if keys := ansi.StringWidth(l.labels(&section.commands[i])); !section.grouped && keys < helpKeys {
				l.keys = max(l.keys, keys+1)
			}
		}
	}
	for i, section := range h.sections {
		if section.grouped {
			l.keys = helpKeys
		}
		list = append(list, l.title(section, i))
		for n, line := range l.section(section, columns, i < len(h.sections)-1) {
			line.key = helpKey{i, n + 1}
			list = append(list, line)
		}
	}
	return list
}

// title draws the title of a section, and how much is in it where that is hidden.
func (l *helpLayout) title(section helpSection, i int) helpRow {
	t := l.theme
	return helpRow{key: helpKey{section: i}, finds: []string{section.title},
		text:   t.Muted.Render(t.Glyphs.Open) + " " + t.Heading.Render(section.title),
		folded: t.Muted.Render(t.Glyphs.Folded) + " " + t.Heading.Render(section.title) + t.Muted.Render("  "+strconv.Itoa(len(section.commands))),
	}
}

// helpLayout draws entries of a width.
type helpLayout struct {
	theme *theme.Theme
	width int
	keys  int  // cells of their column
	whole bool // sentences are not cut
}

// section draws the entries of a section, and an empty line behind all but the last one.
func (l *helpLayout) section(section helpSection, columns int, gap bool) helpRows {
	var list helpRows
	groups := []Group{{Commands: section.commands}}
	if section.grouped {
		groups = grouped("", section.commands)
	}
	for _, group := range groups {
		if group.Title != "" {
			list = append(list, helpRow{text: "  " + l.theme.Muted.Render(group.Title), finds: []string{group.Title}})
		}
		entries := make([]helpRows, len(group.Commands))
		for i, c := range group.Commands {
			entries[i] = l.entry(c, section.dim, group.Title)
		}
		list = append(list, l.columns(entries, columns)...)
	}
	if gap {
		list = append(list, helpRow{})
	}
	return list
}

// columns puts entries side by side, the first half of their lines at the left.
func (l *helpLayout) columns(entries []helpRows, columns int) helpRows {
	left, right := slices.Concat(entries...), helpRows(nil)
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
			text = views.Fit(text, l.width, "") + strings.Repeat(" ", helpGap) + right[i].text
			left[i].finds = append(left[i].finds, right[i].finds...)
		}
		left[i].text = strings.Repeat(" ", helpIndent) + text
	}
	return left
}

// entry draws a command: its keys, its name where there is room or no key, and what it does.
func (l *helpLayout) entry(c views.Command, dim bool, group string) helpRows {
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
	switch named := l.width >= helpNameFrom || l.whole; {
	case named:
		head, room = head+cells(t.Muted, name, helpNames), room+helpNames+1
	case keys == "":
		head, room = cells(t.Key, name, helpNames), helpNames+1
	}
	text := t.Plain
	if dim {
		text, head = t.Muted, t.Muted.Render(ansi.Strip(head))
	}
	var list helpRows
	for _, line := range l.sentence(c.Help, max(l.width-room, 10)) {
		list = append(list, helpRow{text: head + text.Render(line), finds: []string{group, keys, name, c.Help}})
		head = strings.Repeat(" ", room)
	}
	return list
}

// labels returns the keys of a command as they are shown.
func (l *helpLayout) labels(c *views.Command) string {
	labels := make([]string, len(c.Keys()))
	for i, key := range c.Keys() {
		labels[i] = views.KeyLabel(key, l.theme.Options().ASCII)
	}
	return strings.Join(labels, " ")
}

// sentence returns a sentence in lines of a width: as much of it as fits one line and is a
// sentence, or all of it.
func (l *helpLayout) sentence(text string, width int) []string {
	if !l.whole {
		text = clause(text, width)
	}
	return views.Wrap(text, width)
}

// clause returns as much of a sentence as fits a width and is a sentence; all of it where
// nothing does.
func clause(text string, width int) string {
	if ansi.StringWidth(text) <= width {
		return text
	}
	for end := len(text) - 1; end > 0; end-- {
		if strings.ContainsRune(";.:", rune(text[end])) && text[end+1:] != "" && text[end+1] == ' ' && ansi.StringWidth(text[:end])+1 <= width && (text[end] != ':' || !onlyWhen(text[:end])) {
			return text[:end] + "."
		}
	}
	return text
}

// onlyWhen reports whether a text ends in when something can be done, and not what: "After a
// change" of "After a change: run a health check".
func onlyWhen(text string) bool {
	last := strings.TrimSpace(text[strings.LastIndexAny(text, ";.")+1:])
	word, _, _ := strings.Cut(strings.ToLower(last), " ")
	return slices.Contains([]string{"after", "at", "in", "on", "when", "where", "while"}, word)
}
