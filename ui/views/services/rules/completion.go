package rules

import (
	"slices"

	"geodeck/adminapi/placement"
)

// offers are the words that complete what is typed.
type offers struct {
	words  []placement.Word
	chosen int // among the words, -1 for none
}

// complete finds what the field in focus is offered.
func (e *entry) complete() {
	f := e.field()
	e.offers = offers{chosen: -1}
	if f.words != nil {
		return
	}
	_, typed := f.fragment()
	all := e.offered()
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
func (e *entry) offered() []placement.Word {
	c := &e.cluster
	ofFields := e.at.Part == placement.LinePart && !e.adding && e.focus <= valueField && e.draft.policy.Line(e.at).Field
	switch name := e.field().name; {
	case name == "key" && e.ofToleration():
		return c.taintKeys()
	case name == "value":
		return c.taintValues(e.fields[keyField].text())
	case name == "key" && ofFields:
		return []placement.Word{{Text: "metadata.name", Nodes: len(c.nodes)}}
	case name == "values" && ofFields:
		return c.names()
	case name == "key":
		return c.labelKeys()
	case name == "values":
		return c.labelValues(e.fields[keyField].text())
	}
	return nil
}

// takeChosen puts the chosen word into the field in focus, and reports whether one is
// chosen.
func (e *entry) takeChosen() bool {
	if e.offers.chosen < 0 {
		return false
	}
	e.field().take(e.offers.words[e.offers.chosen].Text)
	e.offers.chosen = -1
	if e.adding && e.ofToleration() && e.focus == keyField {
		e.fillFromTaint()
	}
	return true
}

// takeFirst takes the chosen word, else the first one once something is typed.
func (e *entry) takeFirst() bool {
	o := &e.offers
	if _, typed := e.field().fragment(); o.chosen < 0 && len(o.words) > 0 && typed != "" {
		o.chosen = 0
	}
	return e.takeChosen()
}

// fillFromTaint gives a new toleration value and effect of the taint with its key,
// where all taints with that key agree and nothing was typed there.
func (e *entry) fillFromTaint() {
	value, effect := &e.fields[valueField], &e.fields[effectField]
	var found []placement.Taint
	for _, t := range e.cluster.allTaints() {
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
