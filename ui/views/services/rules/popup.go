package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/services/edits"
	"geodeck/ui/widget"
	"geodeck/ui/widget/complete"
	"geodeck/ui/widget/rows"
)

// minTypedKey is the least column of a key that is typed into.
const minTypedKey = 24

// drawEntry draws the fields of a row that is typed into, in its columns.
func (t *table) drawEntry(l *line, e *entry, width int) {
	k, cols := &t.tree.inks, t.cols
	switch {
	case len(e.fields) == 1:
		l.Put(k.Label, t.termName(e.at)+"  weight ")
		t.drawField(l, e, 0, max(4, width-l.Cells))
	case e.ofToleration():
		for i, cells := range e.tolerationWidths(width - l.Cells) {
			if i > 0 {
				l.Put(k.Plain, "  ")
			}
			t.drawField(l, e, i, cells)
		}
	default:
		cols.lineKey, cols.operator, cols.values = max(cols.lineKey, minTypedKey), operatorWidth, minValues
		for i, cells := range []int{cols.lineKeyWidth(width - l.Cells), operatorWidth} {
			t.drawField(l, e, i, cells)
			l.Put(k.Plain, "  ")
		}
		t.drawField(l, e, valueField, max(4, width-l.Cells))
	}
}

// tolerationWidths are the columns of a toleration that is typed into: what is not in
// focus takes no more than it needs.
func (e *entry) tolerationWidths(room int) []int {
	effect := &e.fields[effectField]
	widths := []int{0, tolerationWidth, 0, ansi.StringWidth(effect.label(effect.input.Value())), len("seconds")}
	if e.focus == effectField {
		widths[effectField] = effectWidth
	}
	for _, w := range widths {
		room -= w
	}
	room -= 2 * (len(widths) - 1)
	wide, narrow := keyField, valueField
	if e.focus == valueField {
		wide, narrow = valueField, keyField
	}
	need := max(len("(none)"), ansi.StringWidth(e.fields[narrow].input.Value()))
	widths[narrow] = max(minColumn/2, min(need, room/2, minTypedKey))
	widths[wide] = max(minColumn/2, min(room-widths[narrow], max(minTypedKey, ansi.StringWidth(e.fields[wide].input.Value())+2)))
	return widths
}

// drawField draws one field in exactly a number of cells.
func (t *table) drawField(l *line, e *entry, i, cells int) {
	k, f := &t.tree.inks, &e.fields[i]
	text, ink := k.clean(f.input.Value(), cells), k.Plain
	switch {
	case f.closed != "":
		if text, ink = "("+f.closed+")", k.Muted; len(text) > cells {
			text = "(none)"
		}
	case f.words != nil:
		text = k.clean(f.label(f.input.Value()), cells)
		if i == e.focus && !e.leaving {
			ink = k.Cursor
			l.WriteString(theme.CursorMark)
		}
	case i == e.focus && !e.leaving:
		line, cursor := []rune(f.input.Value()), f.input.Position() // what is around the cursor is in sight
		text = edits.Window(&k.Inks, line, edits.Leftmost(&k.Inks, line, cursor, cells), cursor, cells)
		l.WriteString(views.Fit(text, cells, ""))
		l.Cells += cells
		return
	case text == "":
		text, ink = k.clean(f.name, cells), k.Muted
	}
	l.Put(ink, k.Fit(text, cells))
}

// popupHeight is the rows below the rules that a row which is typed into takes of the
// free ones; height is that of all.
func popupHeight(free, height int) int { return max(0, min(2+max(4, min(9, height/5+1)), free-3)) }

// popup says what fits the field in focus, or what is wrong, and what it is offered.
func (e *entry) popup(width, height int) []string {
	k := &e.inks
	lines := []string{k.Rule.On(strings.Repeat(k.Glyphs.Rule, width))}
	lines = append(lines, e.prompt(width)...)
	if e.leaving {
		return lines
	}
	return append(lines, e.drawOffers(width, height-len(lines))...)
}

// prompt is a few lines about the field in focus.
func (e *entry) prompt(width int) []string {
	k := &e.inks
	switch {
	case e.leaving:
		return []string{widget.Discard(&k.Inks, e.again)}
	case e.reason != "":
		return wrapped(k.Fail, k.Glyphs.Fail+" "+e.reason, width, 4, k)
	case e.found.Text != "":
		sign, ink := k.Weight(e.found.Strength)
		return wrapped(ink, sign+" "+views.Sentence(e.found.Text), width, 4, k)
	}
	f := e.field()
	name := plain.Capital(f.name)
	if f.words != nil { // there may be no room for all of them
		name += fmt.Sprintf(" %d of %d", f.at()+1, len(f.words))
	}
	return []string{k.Strong.On(name) + "  " + cmp.Or(f.closed, f.hint)}
}

// wrapped breaks our own text into at most so many lines.
func wrapped(ink rows.Ink, text string, width, limit int, k *inks) []string {
	lines := views.Wrap(text, width)
	if len(lines) > limit {
		lines = lines[:limit]
		lines[limit-1] = strings.TrimRight(views.Fit(lines[limit-1], max(1, width-1), ""), " ") + k.Glyphs.Ellipsis
	}
	for i := range lines {
		lines[i] = ink.On(lines[i])
	}
	return lines
}

// drawOffers draws the words that the field in focus may have, each with what it asks
// for, or those that complete its text, each with how many nodes have it.
func (e *entry) drawOffers(width, height int) (lines []string) {
	k, f := &e.inks, e.field()
	if f.words == nil {
		if e.offers.Len() == 0 && height > 0 {
			return []string{k.Muted.On("  " + e.noOffer())}
		}
		return e.offers.Lines(&k.Inks, width, height)
	}
	top := rows.Window(f.at(), len(f.words), height)
	for i := top; i < len(f.words) && len(lines) < height; i++ {
		text := views.Fit(k.clean(f.label(f.words[i]), effectWidth), effectWidth, "") + k.Muted.On("  "+f.meaning(f.words[i]))
		if i == f.at() {
			lines = append(lines, k.Selected(" ", text, width-2))
		} else {
			lines = append(lines, "  "+text)
		}
	}
	return lines
}

// noOffer says why nothing is offered.
func (e *entry) noOffer() string {
	switch f := e.field(); {
	case f.offered == nil:
		return ""
	case len(e.cluster.nodes) == 0:
		return "no node list, so no suggestions"
	default:
		return "no node has such a " + strings.TrimSuffix(f.name, "s") + "; you can still type it"
	}
}

// meaningOf says what a word of a line, or an effect, asks for.
func meaningOf(word string) string { return meanings[word] }

var meanings = map[string]string{
	placement.In:               "the label has one of the values",
	placement.NotIn:            "the label has none of them, or is missing",
	placement.Exists:           "the label exists; takes no value",
	placement.DoesNotExist:     "the label is missing; takes no value",
	placement.Gt:               "a number greater than the value",
	placement.Lt:               "a number less than the value",
	placement.NoSchedule:       "no new pods",
	placement.PreferNoSchedule: "no new pods if avoidable",
	placement.NoExecute:        "running pods are evicted too",
	"":                         "matches every effect",
}

var tolerationMeanings = map[string]string{
	placement.Equal: "the taint has this value", "": "the taint has this value",
	placement.Exists: "any value; takes none", placement.Gt: "a number greater than the value", placement.Lt: "a number less than the value",
}

// offer finds what the field in focus is offered.
func (e *entry) offer() {
	f := e.field()
	e.offers.Offer("", nil)
	if f.offered == nil {
		return
	}
	_, typed := f.fragment()
	var have []string
	if f.list {
		have = f.values()
	}
	var all []views.Choice
	words := f.offered()
	for _, w := range words {
		if w.Text == typed || !slices.Contains(have, w.Text) {
			all = append(all, views.Choice{Text: w.Text, Shown: cmp.Or(w.Text, `""`), Note: plain.Plural(w.Nodes, "node")})
		}
	}
	found := complete.Matching(all, typed, false)
	if near, ok := placement.Nearest(typed, words); ok && len(found) == 0 && !slices.Contains(have, near.Text) {
		found = []views.Choice{{Text: near.Text, Note: "did you mean this? " + plain.Plural(near.Nodes, "node")}}
	}
	e.offers.Offer(typed, found)
}

// completes reports whether tab completes the field in focus: only what was begun, or chosen. An empty column
// may be meant, and so may a word that only resembles one that is known.
func (e *entry) completes() bool {
	_, typed := e.field().fragment()
	return e.chosen() || typed != "" && e.offers.GoesOn()
}

func (e *entry) complete() {
	c, step := e.offers.Tab()
	if step == complete.Part {
		e.field().put(c.Text)
	} else {
		e.field().take(c.Text)
		e.tookWord()
	}
	e.edited()
}

func (e *entry) chosen() bool { _, ok := e.offers.Chosen(); return ok }

// tookWord fills in what follows from a word that was taken.
func (e *entry) tookWord() {
	if e.adding && e.ofToleration() && e.focus == keyField {
		e.fillFromTaint()
	}
}

// fillFromTaint gives a new toleration value and effect of the taint with its key,
// where all taints with that key agree and nothing was typed there.
func (e *entry) fillFromTaint() {
	value, effect := &e.fields[valueField], &e.fields[effectField]
	var taint placement.TaintCount
	values, effects := map[string]bool{}, map[string]bool{}
	for _, t := range e.cluster.allTaints() {
		if t.Key == e.fields[keyField].text() {
			taint, values[t.Value], effects[t.Effect] = t, true, true
		}
	}
	if !value.changed() && len(values) == 1 {
		value.set(taint.Value)
	}
	if !effect.changed() && len(effects) == 1 && slices.Contains(effect.words, taint.Effect) {
		effect.set(taint.Effect)
	}
}
