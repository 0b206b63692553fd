package rules

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/services/edits"
	"geodeck/ui/widget/rows"
)

// inks are the looks of the builder.
type inks struct{ rows.Inks }

func newInks(t *theme.Theme) inks { return inks{rows.NewInks(t)} }

// anyEffect is shown for an empty effect.
const anyEffect = "any effect"

// line is a row as it is drawn.
type line struct{ edits.Line }

// column puts a clean text into a column, or what is shown for an empty one, and two cells behind it.
func (l *line) column(k *inks, ink rows.Ink, text, empty string, width int) {
	if text == "" {
		text, ink = empty, k.Muted
	}
	l.Put(ink, k.Fit(text, width))
	l.Put(k.Plain, "  ")
}

// Draw draws one row. The list cuts what is too long.
func (t *table) Draw(i int, look rows.Look) string {
	var l line
	k, key := &t.tree.inks, t.rows[i].key
	end := i + 1
	if look.Folded {
		end = t.rows[i].end
	}
	sign, ink := " ", k.Plain
	if f, found := t.worst(i, end); found {
		sign, ink = k.Weight(f.Strength)
	}
	l.Put(ink, sign)
	t.shownMark(i, look.Folded).Draw(&l.Line, &k.Inks)
	l.Put(k.Plain, strings.Repeat("  ", t.rows[i].depth))
	switch {
	case look.Folded:
		l.Put(k.Muted, k.Glyphs.Folded+" ")
	case look.Parent:
		l.Put(k.Muted, k.Glyphs.Open+" ")
	case key.kind == newTermRow || key.kind != lineRow && key.kind != tolerationRow && key.kind != newRow: // those of a table need no room for a fold
		l.Put(k.Plain, "  ")
	}
	if e := t.tree.entry; e != nil && e.row() == key {
		t.drawEntry(&l, e, look.Width)
		return l.String()
	}
	t.drawKind(&l, key, look)
	f, found := t.worst(i, i+1)
	if room := look.Width - l.Cells - 2; found && room >= minRemark {
		_, ink := k.Weight(f.Strength)
		l.Put(ink, "  "+k.clean(f.Text, room))
	}
	return l.String()
}

func (t *table) drawKind(l *line, key rowKey, look rows.Look) {
	k := &t.tree.inks
	item := &t.items[key.at.Item]
	switch key.kind {
	case itemRow:
		t.drawItem(l, item, look.Width)
	case affinityRow:
		t.drawAffinity(l, key.at)
	case termRow:
		t.drawTerm(l, key, look)
	case newTermRow:
		l.Put(k.Muted, t.termName(key.at)+" (new)")
	case lineRow:
		t.drawLine(l, t.line(key), look)
	case tolerationsRow:
		l.Put(k.Heading, "Tolerations")
		if len(item.Tolerations) == 0 && !t.tree.entry.addsTo(key.at.Item, placement.None) {
			l.Put(k.Muted, "  none "+k.Glyphs.Dot+" a add")
		}
	case tolerationRow:
		t.drawToleration(l, item.Tolerations[key.at.Toleration], look)
	case unknownRow:
		l.Put(k.Muted, "unknown keys, kept: "+strings.Join(item.UnknownKeys, ", "))
	}
}

// drawItem draws type, id and note of a deployment. What the note says matters more
// than all of the id.
func (t *table) drawItem(l *line, item *placement.Item, width int) {
	k := &t.tree.inks
	note, _, _ := strings.Cut(t.tree.notes[item.DeploymentID], ":")
	l.Put(k.Heading, cmp.Or(k.clean(item.DeploymentType, 40), "Rules"))
	if room := width - l.Cells - ansi.StringWidth(note) - 4; item.DeploymentID != "" {
		l.Put(k.Plain, "  "+k.clean(cmp.Or(t.tree.names[item.DeploymentID], item.DeploymentID), max(minColumn, min(60, room))))
	}
	if note != "" {
		l.Put(k.Warn, "  "+note)
	}
}

// drawAffinity draws the row above the terms that are required, or preferred.
func (t *table) drawAffinity(l *line, at placement.Place) {
	k, a := &t.tree.inks, t.items[at.Item].Affinity(at.Kind)
	l.Put(k.Heading, plain.Capital(at.Name()))
	text := "any of these"
	switch {
	case t.tree.entry.addsTo(at.Item, at.Kind):
	case !a.Present:
		text = "none " + k.Glyphs.Dot + " a add"
	case len(a.Terms) == 0:
		text = "no term " + k.Glyphs.Dot + " a add"
	case at.Kind == placement.Preferred:
		text = "tried first"
	}
	if a.Shape == placement.WeightedList {
		text += "  weighted list"
	}
	l.Put(k.Muted, "  "+text)
}

// termName names a term among the others.
func (t *table) termName(at placement.Place) string {
	name := "term " + strconv.Itoa(at.Term+1)
	if at.Term > 0 {
		return "or " + name
	}
	return name
}

// drawTerm draws the name of a term, and what it hides where it is folded.
func (t *table) drawTerm(l *line, key rowKey, look rows.Look) {
	k, term := &t.tree.inks, t.tree.draft.policy.Term(key.at)
	l.Put(k.Label, t.termName(key.at))
	if t.items[key.at.Item].Affinity(key.at.Kind).Shape == placement.WeightedList {
		l.Put(k.Plain, "  weight "+strconv.Itoa(term.Weight))
	}
	switch {
	case len(term.Lines) == 0:
		l.Put(k.Muted, "  no line "+k.Glyphs.Dot+" a add")
	case look.Folded:
		text := placement.LineText(term.Lines[0])
		if more := len(term.Lines) - 1; more > 0 {
			text += " and " + plain.Plural(more, "line") + " more"
		}
		l.Put(k.Plain, "  "+text)
	}
}

// minRemark is the room that a finding needs beside its row, in cells.
const minRemark = 24

// clean returns a foreign text in at most a number of cells.
func (k *inks) clean(text string, cells int) string {
	cells = max(1, cells)
	text = plain.Clip(text, min(plain.MaxLine, cells+1))
	return ansi.Truncate(text, cells, k.Glyphs.Ellipsis)
}

// ending is clean that keeps the end of a text: keys of labels differ at their end.
func (k *inks) ending(text string, cells int) string {
	return plain.End(plain.Clip(text, plain.MaxLine), cells, k.Glyphs.Ellipsis)
}

// middle is clean that keeps both ends of a text: names of nodes differ at either.
func (k *inks) middle(text string, cells int) string {
	text = plain.Clip(text, plain.MaxLine)
	if width, head := ansi.StringWidth(text), (cells-1)/2; width > cells && head > 0 {
		return ansi.Truncate(text, head, "") + plain.End(text, cells-head, k.Glyphs.Ellipsis)
	}
	return text
}

// noMatch says below the line of a filter that it leaves nothing to see.
func (k *inks) noMatch(list, what string, width, height int) string {
	head, _, _ := strings.Cut(list, "\n")
	text := []string{"No " + what + views.Keys(" matches; {key:filter.clear} clears the filter.")}
	if height < 2 || head == "" {
		return k.Sentences(text, width, height)
	}
	return k.Headed(width, height, k.Sentences(text, width, height-1), head)
}

// columns are how many cells the widest texts of a policy take.
type columns struct {
	lineKey, operator, values             int // of lines
	tolerationKey, value, effect, seconds int // of tolerations
}

// The columns of words that are known, in cells.
const (
	operatorWidth   = len(placement.DoesNotExist)
	tolerationWidth = len(placement.Exists) + 1 // "(Equal)"
	effectWidth     = len(placement.PreferNoSchedule)
	secondsWidth    = 14
	minColumn       = 8
	minValues       = 16 // what values keep beside a long key
	maxMeasured     = 120
)

// measure finds the widths of the columns.
func (t *table) measure() {
	c := &t.cols
	*c = columns{
		lineKey: minColumn, operator: len(placement.Exists), values: minColumn,
		tolerationKey: minColumn, value: minColumn / 2, effect: len(anyEffect),
	}
	for i := range t.rows {
		switch key := t.rows[i].key; key.kind {
		case lineRow:
			l := t.line(key)
			c.lineKey = max(c.lineKey, widthOf(keyText(l)))
			c.operator = max(c.operator, min(operatorWidth, widthOf(l.Operator)))
			if c.values < minValues {
				c.values = max(c.values, widthOf(strings.Join(l.Values, ", ")))
			}
		case tolerationRow:
			o := t.items[key.at.Item].Tolerations[key.at.Toleration]
			c.tolerationKey = max(c.tolerationKey, widthOf(o.Key))
			c.value = max(c.value, widthOf(o.Value))
			c.effect = max(c.effect, min(effectWidth, widthOf(o.Effect)))
			if o.Seconds != "" {
				c.seconds = max(c.seconds, min(secondsWidth, widthOf(o.Seconds)+len(" s")))
			}
		}
	}
}

// keyText is the key of a line, with the sign of those that look at no label.
func keyText(l placement.Line) string {
	if l.Field {
		return "field " + l.Key
	}
	return l.Key
}

func widthOf(text string) int { return ansi.StringWidth(plain.Clip(text, maxMeasured)) }

// lineKeyWidth is the column of keys in what is left of a row, of which values keep
// a part.
func (c columns) lineKeyWidth(room int) int {
	return max(minColumn, min(c.lineKey, room-c.operator-4-min(c.values, minValues)))
}

// tolerationWidths are the columns of key and value in what is left of a row.
func (c columns) tolerationWidths(room int) (key, value int) {
	room -= tolerationWidth + c.effect + 6
	if c.seconds > 0 {
		room -= c.seconds + 2
	}
	key = max(minColumn, min(c.tolerationKey, room*3/5))
	return key, max(minColumn/2, min(c.value, room-key))
}

// drawLine draws key, operator and values of a line.
func (t *table) drawLine(l *line, of placement.Line, look rows.Look) {
	k := &t.tree.inks
	width := t.cols.lineKeyWidth(look.Width - l.Cells)
	l.column(k, k.Plain, k.ending(keyText(of), width), "(no key)", width)
	l.column(k, k.Accent, k.clean(of.Operator, t.cols.operator), "(none)", t.cols.operator)
	values := strings.Join(of.Values, ", ")
	if len(of.Values) > 0 && strings.TrimSpace(values) == "" {
		values = `""`
	}
	l.Put(k.Plain, k.clean(values, max(1, look.Width-l.Cells)))
}

// drawToleration draws key, operator, value, effect and seconds of a toleration.
func (t *table) drawToleration(l *line, o placement.Toleration, look rows.Look) {
	k := &t.tree.inks
	keyWidth, valueWidth := t.cols.tolerationWidths(look.Width - l.Cells)
	l.column(k, k.Plain, k.ending(cmp.Or(o.Key, "any key"), keyWidth), "", keyWidth)
	l.column(k, k.Accent, k.clean(o.Operator, tolerationWidth), "(Equal)", tolerationWidth)
	l.column(k, k.Plain, k.clean(o.Value, valueWidth), "", valueWidth)
	effect := k.clean(cmp.Or(o.Effect, anyEffect), t.cols.effect)
	if o.Seconds == "" {
		l.Put(k.Plain, effect)
		return
	}
	l.column(k, k.Plain, effect, "", t.cols.effect)
	l.Put(k.Plain, k.clean(o.Seconds+" s", secondsWidth))
}
