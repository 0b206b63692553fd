package views

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/pattern"
	"geodeck/adminapi/plain"
)

// Fit returns s in exactly width cells: cut with an ellipsis, or padded with
// spaces. s may hold styles.
func Fit(s string, width int, ellipsis string) string {
	s, short := cut(s, width, ellipsis)
	return s + strings.Repeat(" ", short)
}

// WriteFit writes what [Fit] returns.
func WriteFit(b *strings.Builder, s string, width int, ellipsis string) {
	s, short := cut(s, width, ellipsis)
	b.WriteString(s)
	for range short {
		b.WriteByte(' ')
	}
}

// cut returns s in at most width cells, and how many of these stay empty.
func cut(s string, width int, ellipsis string) (text string, short int) {
	if width <= 0 {
		return "", 0
	}
	have := ansi.StringWidth(s)
	if have > width {
		s = ansi.Truncate(s, width, ellipsis)
		have = ansi.StringWidth(s)
	}
	return s, max(0, width-have)
}

// Block returns lines as exactly height lines of exactly width cells.
func Block(lines []string, width, height int, ellipsis string) string {
	size := height * (width + 1)
	for _, line := range lines[:min(len(lines), max(0, height))] {
		size += max(0, len(line)-width) // what styles take
	}
	var b strings.Builder
	b.Grow(max(0, size))
	for i := range height {
		if i > 0 {
			b.WriteByte('\n')
		}
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		WriteFit(&b, line, width, ellipsis)
	}
	return b.String()
}

// Drawn keeps what was drawn last, by a key of all that it depends on. A field of one is called cache.
type Drawn[K comparable, V any] struct {
	key   K
	drawn V
	made  bool
}

// For returns what draw returns for a key; where the key is the one before, without calling it.
func (d *Drawn[K, V]) For(key K, draw func() V) V {
	if !d.made || d.key != key {
		*d = Drawn[K, V]{key, draw(), true}
	}
	return d.drawn
}

// maxLines bounds what one text takes of a screen; its JSON has it whole.
const maxLines = 200

// Wrap cleans a text and breaks it at words into lines of at most width cells.
func Wrap(text string, width int) []string {
	text, width = plain.Text(text), max(1, width)
	lines := wrapAt(text, width)
	for narrower := width - 1; narrower >= width-maxHyphens && narrower > 0 && anyWider(lines, width); narrower-- {
		lines = wrapAt(text, narrower)
	}
	if anyWider(lines, width) {
		lines = strings.Split(ansi.Hardwrap(strings.Join(lines, "\n"), width, true), "\n")
	}
	return lines[:min(len(lines), maxLines)]
}

// maxHyphens is how many cells of hyphens the library may leave beyond the width; wider
// lines are broken anywhere.
const maxHyphens = 2

func wrapAt(text string, width int) []string {
	// The library breaks after every hyphen: options and names of deployments are kept whole.
	text = option().ReplaceAllStringFunc(text, func(word string) string { return strings.ReplaceAll(word, "-", unbroken) })
	text = duration().ReplaceAllString(text, "$1"+unbrokenSpace+"$2")
	lines := strings.Split(ansi.Wrap(text, width, " "), "\n")
	for i, line := range lines {
		lines[i] = restored.Replace(strings.TrimRight(line, " "))
	}
	return lines
}

// option is an option of a command in a text, such as -o or --nodes-command, the name of a deployment, or a day.
var option = pattern.New(`(?m)(^|[ (])-\S+|\barcgis-[a-z0-9-]+|\b\d{4}-\d\d-\d\d\b`)

// duration is a number with its unit, such as 1 h: it stays on one line.
var duration = pattern.New(`(\d) (s|min|h|days?)\b`)

// unbroken replaces a hyphen that a line must not be broken after, and unbrokenSpace such a
// space: characters that clean text never has, as wide as these.
const unbroken, unbrokenSpace = "\ufdd0", "\ufdd1"

var restored = strings.NewReplacer(unbroken, "-", unbrokenSpace, " ")

func anyWider(lines []string, width int) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return ansi.StringWidth(line) > width })
}

// NameOf returns what to call something that may have no name; clean.
func NameOf(name, id string) string {
	if name = plain.Line(name); name != "" {
		return name
	}
	if id = plain.Line(id); id != "" {
		return id
	}
	return "(no name)"
}

// Sentence returns a text as one line with a capital, and a full stop unless it asks; clean.
func Sentence(text string) string {
	text = plain.Line(text)
	if text == "" {
		return ""
	}
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
		text += "."
	}
	return plain.Capital(text)
}

// Clause returns as much of a sentence as fits a width and is a sentence; all of it where
// nothing does.
func Clause(text string, width int) string {
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
