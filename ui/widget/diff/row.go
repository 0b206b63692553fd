package diff

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
	"geodeck/ui/widget/rows"
)

// The columns of a row, in cells.
const (
	foldWidth   = 2
	kindWidth   = 11 // "= rewritten"
	weightWidth = 9  // "! caution"
	stateWidth  = 12 // "v accepted"
)

// inks are what rows are drawn with.
type inks struct {
	rows.Inks
	arrow string // between an old and a new value
}

// kind is the sign and the colour of a change.
func (k *inks) kind(c document.ChangeKind) (glyph string, ink rows.Ink) {
	switch c {
	case document.Added:
		return "+", k.OK
	case document.Removed:
		return "-", k.Fail
	case document.Rewritten:
		return "=", k.Muted
	case document.Moved:
		return k.Glyphs.Arrow, k.Accent
	}
	return "~", k.Accent
}

// Draw draws a row.
func (t *tree) Draw(i int, look rows.Look) string {
	row, k := &t.items[i], &t.review.inks
	lead, fold := "", "  "
	if t.base > 0 && row.depth > 0 {
		lead = "  "
	}
	switch {
	case look.Folded:
		fold = k.Muted.On(k.Glyphs.Folded) + " "
	case look.Parent:
		fold = k.Muted.On(k.Glyphs.Open) + " "
	}
	side := row.key.part
	if side == textRow {
		side = row.key.of
	}
	switch side {
	case oldRow:
		return lead + "  " + fold + k.Fail.On("-") + " " + k.named(row.text, look, k.Plain)
	case newRow:
		return lead + "  " + fold + k.OK.On("+") + " " + k.named(row.text, look, k.Plain)
	}
	lead += fold
	switch row.key.part {
	case serviceRow, rulesRow, opensRow, changesRow:
		return lead + t.drawHeading(row, look)
	case findingRow, openRow:
		return lead + t.drawFinding(row, look)
	case sentenceRow:
		return lead + strings.Repeat(" ", stateWidth+1) + k.named(row.text, look, k.Plain)
	}
	return lead + t.drawChange(row, look)
}

// named draws a text with what the search found.
func (k *inks) named(text string, look rows.Look, base rows.Ink) string {
	return rows.Highlight(text, look.Find, base, k.Match)
}

func (t *tree) drawHeading(row *item, look rows.Look) string {
	k, plan := &t.review.inks, t.review.plans[row.plan]
	name, note, ink := "", "", k.Muted
	switch row.key.part {
	case serviceRow:
		name = row.text
		note, ink = t.review.counts(plan)
		if onOneLine(plan) {
			note, ink = strings.ReplaceAll(plan.Summary, "→", k.Glyphs.Arrow), k.Plain
			if worst := plan.Worst(); worst >= finding.Caution {
				var glyph string
				glyph, ink = k.Weight(worst)
				note = glyph + " " + note
			}
		}
	case rulesRow:
		name, note = "Rules", "nothing can be sent while one blocks"
		if !finding.Blocked(plan.Findings) {
			note = "none blocks"
		}
	case opensRow:
		name, note = "Findings", "all accepted"
		if left := t.review.Left(); len(left) > 0 {
			note = finding.Count(left) + " to accept"
		}
	case changesRow:
		name, note = "Changes", document.CountKinds(plan.Changes)
	}
	// Both ends of a name tell services apart, and what changes there is in sight beside it.
	name = plain.ClipMiddle(name, max(look.Width/2, look.Width-foldWidth-4-ansi.StringWidth(note)), k.Glyphs.Ellipsis)
	return k.named(name, look, k.Heading) + "  " + ink.On(note)
}

// drawFinding draws sign, word, path and sentence of a finding.
func (t *tree) drawFinding(row *item, look rows.Look) string {
	k := &t.review.inks
	glyph, ink := k.Weight(row.finding.Strength)
	state := glyph + " " + row.finding.Word()
	switch {
	case row.finding.Blocks():
		state, ink = k.Glyphs.Fail+" blocks", k.Fail
	case t.review.accepted.Has(*row.finding):
		state, ink = k.Glyphs.Pass+" accepted", k.OK
	}
	room := look.Width - foldWidth - stateWidth - 1
	if row.key.part == openRow { // what it is says more than where
		room -= ansi.StringWidth(row.text) + 4
	}
	path := k.named(plain.End(row.finding.At.Words(), max(8, room), k.Glyphs.Ellipsis), look, k.Strong)
	if row.beside {
		path += "  " + row.text
	}
	return ink.On(k.Fit(state, stateWidth)) + " " + path
}

// drawChange draws kind, weight, path, values and labels of a change.
func (t *tree) drawChange(row *item, look rows.Look) string {
	k := &t.review.inks
	glyph, ink := k.kind(row.change.Kind)
	line := ink.On(k.Fit(glyph+" "+row.change.Kind.String(), kindWidth)) + " " + k.heaviest(row.risks) + " "
	if row.key.part == wordRow && row.wrapped {
		return strings.Repeat(" ", kindWidth+weightWidth+2) + k.named(row.words, look, k.Strong)
	}
	rest := look.Width - 2*t.base - foldWidth - kindWidth - weightWidth - 2
	if row.words != "" {
		words := ansi.Truncate(row.words, max(8, rest), k.Glyphs.Ellipsis)
		return line + k.named(words, look, k.Strong) + "  " + k.besidePath(row, rest-2-ansi.StringWidth(words))
	}
	path := plain.End(row.change.Path.String(), t.paths, k.Glyphs.Ellipsis) // its last key says the most
	line += k.named(path, look, k.Strong)
	if rest -= 2 + ansi.StringWidth(path); row.beside || len(row.risks) > 0 {
		column := max(0, t.paths-ansi.StringWidth(path))
		if least := rest - row.leastBeside(); least >= 0 { // the reason says more than a straight column
			column = min(column, least)
		}
		line += strings.Repeat(" ", column+2) + k.besidePath(row, rest-column)
	}
	return line
}

// leastBeside are the cells of the values beside a path, with the label of the heaviest risk.
func (row *item) leastBeside() (cells int) {
	if row.beside {
		cells = ansi.StringWidth(row.text) + 2
	}
	if len(row.risks) > 0 {
		cells += ansi.StringWidth(row.risks[0].ID)
	}
	return cells
}

// besidePath draws the values, and the labels of the risks where there is room.
func (k *inks) besidePath(row *item, room int) string {
	text, used := "", 0
	if row.beside {
		text, used = k.values(row.change.Kind, row.text), ansi.StringWidth(row.text)
	}
	for _, risk := range row.risks {
		gap := 2
		if used == 0 {
			gap = 0
		}
		_, ink := k.Weight(risk.Strength)
		width := ansi.StringWidth(risk.ID)
		if used+gap+width > room {
			break
		}
		text += strings.Repeat(" ", gap) + ink.On(risk.ID)
		used += gap + width
	}
	return text
}

// values draws the values beside a path; what was removed is muted.
func (k *inks) values(kind document.ChangeKind, text string) string {
	if kind == document.Removed {
		return k.Muted.On(text)
	}
	if old, new, both := strings.Cut(text, k.arrow); both && kind != document.Added {
		return k.Muted.On(old+k.arrow) + k.Plain.On(new)
	}
	return k.Plain.On(text)
}

// heaviest draws the strength of the first risk, in weightWidth cells.
func (k *inks) heaviest(risks []finding.Finding) string {
	if len(risks) == 0 {
		return strings.Repeat(" ", weightWidth)
	}
	glyph, ink := k.Weight(risks[0].Strength)
	return ink.On(k.Fit(glyph+" "+risks[0].Strength.String(), weightWidth))
}

const (
	minPath = 12
	// maxBeside is the longest text of a value that is looked at to stand beside a
	// path, in bytes.
	maxBeside = 400
	// maxFlat is the longest value whose text is written on one row, in bytes.
	maxFlat = 4000
	// textIndent is the indentation of the lines of a long value, in cells.
	textIndent = 8
)

// beside returns the text next to the path of a change, and whether that is all
// there is to say.
func (t *tree) beside(c *document.Change) (text string, all bool) {
	if len(c.Old) > maxBeside || len(c.New) > maxBeside {
		return "", false
	}
	old, new := document.Compact(c.Old), document.Compact(c.New)
	switch {
	case c.Old == "":
		text = new
	case c.New == "":
		text = old
	default:
		text = old + t.review.inks.arrow + new
	}
	return text, ansi.StringWidth(text) <= t.review.width-kindWidth-weightWidth-t.paths-8
}

// summary returns a value on one row of its own: what it holds is counted.
func summary(raw string) string {
	if !document.IsContainer(raw) || len(raw) <= 60 && !strings.ContainsAny(raw, "\n\r\t") {
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
	was, now = document.Compact(c.Old), document.Compact(c.New)
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
