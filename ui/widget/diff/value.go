package diff

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
)

const (
	minPath = 12
	// maxBeside is the longest text of a value that is looked at to stand beside a
	// path, in bytes.
	maxBeside = 400
	// maxFlat is the longest value whose text is written on one row, in bytes.
	maxFlat = 4000
	// textIndent is what stands before the lines of a long value.
	textIndent = 8
)

// beside returns what stands beside the path of a change, and whether that is all
// there is to say.
func (t *tree) beside(c *document.Change) (text string, all bool) {
	if len(c.Old) > maxBeside || len(c.New) > maxBeside {
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
		return document.Visible(raw)
	}
	d, err := document.Parse([]byte(raw))
	if err != nil {
		return document.Visible(raw)
	}
	return document.Visible(d.Root().OneLine())
}

// summary returns a value on one row of its own: what it holds is counted.
func summary(raw string) string {
	if !document.IsContainer(raw) {
		return document.Visible(raw)
	}
	if len(raw) <= 60 && !strings.ContainsAny(raw, "\n\r\t") {
		return document.Visible(raw)
	}
	d, err := document.Parse([]byte(raw))
	if err != nil {
		return document.Visible(raw)
	}
	n := d.Root().Len()
	if d.Root().Kind() == document.Array {
		return "[ " + plain.Plural(n, "element") + " ]"
	}
	return "{ " + plain.Plural(n, "key") + " }"
}

// onRows returns the values of a change on a row each. Where both are lists or objects,
// what they hold says more than how much that is: it is written from a little before
// the place on in which they differ, where a row has no room for all of it.
func (t *tree) onRows(c *document.Change, room int) (was, now string) {
	if !document.IsContainer(c.Old) || !document.IsContainer(c.New) || max(len(c.Old), len(c.New)) > maxFlat {
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
