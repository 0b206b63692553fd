package rules

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/widget/rows"
)

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
	key, width := keyText(of), t.cols.lineKeyWidth(look.Width-l.Cells)
	ink := k.Plain
	if look.Selected {
		ink = k.Selected
	}
	text, textInk := shown(key, "(no key)", ink, k.Muted)
	l.column(k, textInk, k.ending(text, width), width)
	text, textInk = shown(of.Operator, "(none)", k.Accent, k.Muted)
	l.column(k, textInk, k.clean(text, t.cols.operator), t.cols.operator)
	values := strings.Join(of.Values, ", ")
	if len(of.Values) > 0 && strings.TrimSpace(values) == "" {
		values = `""`
	}
	l.Put(k.Plain, k.clean(values, max(1, look.Width-l.Cells)))
}

// shown returns a text, or what stands for an empty one.
func shown(text, empty string, ink, muted rows.Ink) (string, rows.Ink) {
	if text == "" {
		return empty, muted
	}
	return text, ink
}

// drawToleration draws key, operator, value, effect and seconds of a toleration.
func (t *table) drawToleration(l *line, o placement.Toleration, look rows.Look) {
	k := &t.tree.inks
	keyWidth, valueWidth := t.cols.tolerationWidths(look.Width - l.Cells)
	ink := k.Plain
	if look.Selected {
		ink = k.Selected
	}
	text, textInk := shown(o.Key, "any key", ink, ink)
	l.column(k, textInk, k.ending(text, keyWidth), keyWidth)
	text, textInk = shown(o.Operator, "(Equal)", k.Accent, k.Muted)
	l.column(k, textInk, k.clean(text, tolerationWidth), tolerationWidth)
	l.column(k, k.Plain, k.clean(o.Value, valueWidth), valueWidth)
	text, textInk = shown(o.Effect, anyEffect, k.Plain, k.Plain)
	if o.Seconds == "" {
		l.Put(textInk, k.clean(text, t.cols.effect))
		return
	}
	l.column(k, textInk, k.clean(text, t.cols.effect), t.cols.effect)
	l.Put(k.Plain, k.clean(o.Seconds+" s", secondsWidth))
}
