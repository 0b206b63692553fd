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

// takeChosen puts the chosen word into a field, and tells whether one is chosen.
func (o *offers) takeChosen(f *field) bool {
	if o.chosen < 0 {
		return false
	}
	f.take(o.words[o.chosen].Text)
	o.chosen = -1
	return true
}

// takeFirst takes the chosen word, else the first one once something is typed.
func (o *offers) takeFirst(f *field) bool {
	if _, typed := f.fragment(); o.chosen < 0 && len(o.words) > 0 && typed != "" {
		o.chosen = 0
	}
	return o.takeChosen(f)
}
