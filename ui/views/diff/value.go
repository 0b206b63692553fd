package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

const (
	leastPath = 12
	// mostBeside is the longest text of a value that is looked at to stand beside a
	// path, in bytes.
	mostBeside = 400
	// mostFlat is the longest value whose text is written on one row, in bytes.
	mostFlat = 4000
	// textIndent is what stands before the lines of a long value.
	textIndent = 8
)

// isContainer tells whether a value is an object or an array that holds something.
func isContainer(raw string) bool {
	return len(raw) > 2 && (raw[0] == '{' || raw[0] == '[')
}

// beside returns what stands beside the path of a change, and whether that is all
// there is to say.
func (t *tree) beside(c *document.Change) (text string, all bool) {
	if len(c.Old) > mostBeside || len(c.New) > mostBeside {
		return "", false
	}
	old, new := oneLine(c.Old), oneLine(c.New)
	switch {
	case c.Old == "":
		text = new
	case c.New == "":
		text = old
	default:
		text = old + t.review.inks.arrow + new
	}
	return text, ansi.StringWidth(text) <= t.valueRoom()
}

// valueRoom is what there is for values beside the path.
func (t *tree) valueRoom() int { return t.review.width - kindWidth - weightWidth - t.paths - 8 }

// oneLine returns a short value on one line.
func oneLine(raw string) string {
	if !strings.ContainsAny(raw, "\n\r\t") {
		return seen(raw)
	}
	d, err := document.Parse([]byte(raw))
	if err != nil {
		return seen(raw)
	}
	return seen(flat(d.Root()))
}

// flat writes a value without the white space it was laid out with.
func flat(n document.Node) string {
	if !isContainer(n.Raw()) {
		return n.Raw()
	}
	var parts []string
	for child := range n.Children() {
		text := flat(child)
		if key := child.RawKey(); key != "" {
			text = key + ": " + text
		}
		parts = append(parts, text)
	}
	if n.Kind() == document.Array {
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// summary returns a value on one row of its own: what it holds is counted.
func summary(raw string) string {
	if !isContainer(raw) {
		return seen(raw)
	}
	if len(raw) <= 60 && !strings.ContainsAny(raw, "\n\r\t") {
		return seen(raw)
	}
	d, err := document.Parse([]byte(raw))
	if err != nil {
		return seen(raw)
	}
	n := d.Root().Len()
	if d.Root().Kind() == document.Array {
		return "[ " + views.Plural(n, "element") + " ]"
	}
	return "{ " + views.Plural(n, "key") + " }"
}

// onRows returns the values of a change on a row each. Where both are lists or objects,
// what they hold says more than how much that is: it is written from a little before
// the place on in which they differ, where a row has no room for all of it.
func (t *tree) onRows(c *document.Change, room int) (was, now string) {
	if !isContainer(c.Old) || !isContainer(c.New) || max(len(c.Old), len(c.New)) > mostFlat {
		return summary(c.Old), summary(c.New)
	}
	was, now = oneLine(c.Old), oneLine(c.New)
	over := max(ansi.StringWidth(was), ansi.StringWidth(now)) - room
	if over <= 0 {
		return was, now
	}
	ellipsis := t.review.inks.Glyphs.Ellipsis
	if skip := min(over+1, ansi.StringWidth(sharedStart(was, now))-room/3); skip > 1 {
		was, now = ansi.TruncateLeft(was, skip, ellipsis), ansi.TruncateLeft(now, skip, ellipsis)
	}
	return was, now
}

// sharedStart is what two texts begin with both.
func sharedStart(a, b string) string {
	for i, r := range a {
		if other, _ := utf8.DecodeRuneInString(b[min(i, len(b)):]); other != r || i >= len(b) {
			return a[:i]
		}
	}
	return a
}

// lines returns a whole value in lines of at most width cells.
func lines(raw string, width int) []string {
	width = max(width, 8)
	d, err := document.Parse([]byte(raw))
	if err != nil || !isContainer(raw) {
		return wrapped(raw, width)
	}
	var all []string
	for _, line := range d.Lines() {
		text := strings.Repeat("  ", line.Depth) + lineOf(line)
		if ansi.StringWidth(text) <= width {
			all = append(all, seen(text))
			continue
		}
		all = append(all, wrapped(text, width)...)
	}
	return all
}

// lineOf writes a line of a document.
func lineOf(line document.Line) string {
	text := ""
	if key := line.Node.RawKey(); key != "" && line.Part != document.Closing {
		text = key + ": "
	}
	open, end := "{", "}"
	if line.Node.Kind() == document.Array {
		open, end = "[", "]"
	}
	switch line.Part {
	case document.Opening:
		text += open
	case document.Closing:
		text += end
	default:
		text += line.Node.Raw()
	}
	if line.Comma() {
		text += ","
	}
	return text
}

// mostAtOnce is how many bytes of a text are cleaned at once, below what the
// cleaner keeps of a line.
const mostAtOnce = 1000

// wrapped breaks a long text anywhere; nothing of it is left out.
func wrapped(text string, width int) (all []string) {
	for len(text) > 0 {
		end := min(len(text), mostAtOnce)
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		all = append(all, strings.Split(ansi.Hardwrap(seen(text[:end]), width, true), "\n")...)
		text = text[end:]
	}
	return all
}

// seen returns a JSON text on one line, with characters that nobody can see, or that
// a terminal obeys, as JSON escapes: two values that differ look different.
func seen(raw string) string {
	if strings.IndexFunc(raw, unseen) < 0 {
		return plain.Line(raw)
	}
	var b strings.Builder
	for _, r := range raw {
		switch {
		case !unseen(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return plain.Line(b.String())
}

func unseen(r rune) bool {
	if r < utf8.RuneSelf {
		return r == 0x7f
	}
	return r == utf8.RuneError || !unicode.IsGraphic(r) || unicode.IsSpace(r) || plain.Line(string(r)) != string(r)
}

func heaviestFirst(risks []document.Risk) {
	slices.SortStableFunc(risks, func(a, b document.Risk) int { return cmp.Compare(b.Severity, a.Severity) })
}
