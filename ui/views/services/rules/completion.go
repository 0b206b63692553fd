package rules

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/placement"
)

// offers are the words that complete what is typed.
type offers struct {
	words  []placement.Word
	chosen int // among the words, -1 for none
}

// complete finds what the field in focus is offered.
func (b *Builder) complete() {
	e := b.entry
	f := e.field()
	e.offers = offers{chosen: -1}
	if f.words != nil {
		return
	}
	_, typed := f.fragment()
	all := b.offered(e)
	if f.list {
		if have := f.values(); len(have) > 0 {
			all = slices.DeleteFunc(slices.Clone(all), func(w placement.Word) bool {
				return w.Text != typed && slices.Contains(have, w.Text)
			})
		}
	}
	e.offers.words = matching(all, typed)
}

// offered are the words that the nodes have for the field in focus.
func (b *Builder) offered(e *entry) []placement.Word {
	toleration := e.at.Part == placement.TolerationPart
	field := !toleration && e.focus <= valueField && len(e.fields) > 1 && b.looksAtFields(e)
	switch name := e.field().name; {
	case name == "key" && toleration:
		return b.known.taintKeys()
	case name == "value":
		return b.known.taintValues(e.fields[keyField].text())
	case name == "key" && field:
		return []placement.Word{{Text: "metadata.name", Nodes: len(b.nodes)}}
	case name == "values" && field:
		return b.known.names()
	case name == "key":
		return b.known.labelKeys()
	case name == "values":
		return b.known.labelValues(e.fields[keyField].text())
	}
	return nil
}

// looksAtFields tells whether a line is one of matchFields.
func (b *Builder) looksAtFields(e *entry) bool {
	return !e.adding && e.at.Part == placement.LinePart && lineAt(b.policy, e.at).Field
}

// move goes through the words, and tells whether the key does that.
func (o *offers) move(key tea.KeyMsg) bool {
	switch {
	case len(o.words) == 0:
		return false
	case key.Type == tea.KeyDown:
		o.chosen = min(o.chosen+1, len(o.words)-1)
	case key.Type == tea.KeyUp:
		o.chosen = max(o.chosen-1, -1)
	default:
		return false
	}
	return true
}

// takeChosen puts the chosen word into the field in focus, and tells whether one is
// chosen.
func (b *Builder) takeChosen() bool {
	e := b.entry
	if e.offers.chosen < 0 {
		return false
	}
	e.field().take(e.offers.words[e.offers.chosen].Text)
	e.offers.chosen = -1
	if e.adding && e.at.Part == placement.TolerationPart && e.focus == keyField {
		b.fillFromTaint()
	}
	return true
}

// takeFirst takes the chosen word, else the first one once something is typed.
func (b *Builder) takeFirst() bool {
	o := &b.entry.offers
	if _, typed := b.entry.field().fragment(); o.chosen < 0 && len(o.words) > 0 && typed != "" {
		o.chosen = 0
	}
	return b.takeChosen()
}

// fillFromTaint gives a new toleration value and effect of the taint with its key,
// where all taints with that key agree and nothing was typed there.
func (b *Builder) fillFromTaint() {
	e := b.entry
	value, effect := &e.fields[valueField], &e.fields[effectField]
	var found []placement.Taint
	for _, t := range b.known.allTaints() {
		if t.Key == e.fields[keyField].text() {
			found = append(found, t.Taint)
		}
	}
	if len(found) == 0 {
		return
	}
	same := func(of func(placement.Taint) string) bool {
		return !slices.ContainsFunc(found, func(t placement.Taint) bool { return of(t) != of(found[0]) })
	}
	if !value.changed() && same(func(t placement.Taint) string { return t.Value }) {
		value.set(found[0].Value)
	}
	if !effect.changed() && slices.Contains(effect.words, found[0].Effect) && same(func(t placement.Taint) string { return t.Effect }) {
		effect.set(found[0].Effect)
	}
}
