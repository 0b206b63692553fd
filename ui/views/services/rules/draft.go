package rules

import (
	"slices"

	"geodeck/adminapi/placement"
	"geodeck/ui/views/services/edits"
)

// draft is the policy as it is edited, what it is compared with, and the steps that led
// to it.
type draft struct {
	policy, base   placement.Policy
	text, baseText []byte // their JSON
	revision       int    // changes whenever policy does
	history        edits.History[step]
	cycle          cycle
}

// begin starts with a policy; what could be undone is forgotten.
func (d *draft) begin(policy, base placement.Policy) {
	d.base, d.baseText = base, base.Bytes()
	d.history, d.cycle = edits.History[step]{Max: maxSteps}, cycle{}
	d.put(policy)
}

// steps are the changes that can be undone, of a text.
type steps struct {
	history edits.History[step]
	text    string
}

// put makes a policy the present one.
func (d *draft) put(p placement.Policy) {
	d.policy, d.text = p, p.Bytes()
	d.revision++
}

// item returns a deployment, an empty one where there is none.
func (d *draft) item(n int) placement.Item { return itemOf(d.policy, n) }

func itemOf(p placement.Policy, item int) placement.Item {
	if items := p.Items(); item >= 0 && item < len(items) {
		return items[item]
	}
	return placement.Item{}
}

// inBase finds in the base what a deployment is compared with: the one with its id, else
// the one at its place.
func (d *draft) inBase(n int) (placement.Item, bool) {
	if i, ok := d.base.Counterpart(d.policy.Items()[n], n); ok {
		return d.base.Items()[i], true
	}
	return placement.Item{}, false
}

// cycle is a word that is changed by one key after the other. Each of its words is made
// of the policy from which it began, so that coming round brings back all of it, such as
// the values of a line.
type cycle struct {
	row      rowKey
	origin   placement.Policy
	revision int
}

// nextWord returns the policy with the next word in a row that has one. Once that is the present
// policy, goOn has to be called.
func (d *draft) nextWord(key rowKey) (p placement.Policy, err error) {
	if d.cycle.row != key || d.cycle.revision != d.revision {
		d.cycle = cycle{row: key, origin: d.policy}
	}
	origin, at := d.cycle.origin, key.at
	switch key.kind {
	case lineRow: // without values where the operator takes none
		from, l := origin.Line(at), origin.Line(at)
		l.Operator = next(operatorsFor(from), d.policy.Line(at).Operator)
		if !takesValues(l.Operator) && takesValues(from.Operator) {
			l.Values = nil
		}
		p, err = origin.SetLine(at, l)
	case tolerationRow: // only NoExecute has seconds
		from, t := origin.Toleration(at), origin.Toleration(at)
		t.Effect = next(effectsFor(from), d.policy.Toleration(at).Effect)
		if t.Effect != placement.NoExecute && from.Effect == placement.NoExecute {
			t.Seconds = ""
		}
		p, err = origin.SetToleration(at, t)
	}
	return p, err
}

// goOn says that the word of the cycle is in the present policy.
func (d *draft) goOn() { d.cycle.revision = d.revision }

// next returns the word behind one, round the end.
func next[T comparable](words []T, word T) T {
	return words[(slices.Index(words, word)+1)%len(words)]
}

func takesValues(operator string) bool {
	return operator != placement.Exists && operator != placement.DoesNotExist
}

// operatorsFor are the operators that a line is offered: those of the contract, and its
// own.
func operatorsFor(l placement.Line) []string {
	words := placement.Operators()
	if l.Field {
		words = []string{placement.In, placement.NotIn}
	}
	if l.Operator == placement.Gt || l.Operator == placement.Lt {
		return append(words, placement.Gt, placement.Lt)
	}
	return withWord(words, l.Operator)
}

// effectsFor are the effects that a toleration is offered; the empty one is every effect.
func effectsFor(t placement.Toleration) []string {
	return withWord(append(placement.Effects(), ""), t.Effect)
}

// withWord adds a word that a row has, though it is not offered.
func withWord(words []string, word string) []string {
	if word == "" || slices.Contains(words, word) {
		return words
	}
	return append(words, word)
}

// maxSteps bounds the steps that can be undone: policies share their texts, but each has
// its own tables of what it holds.
const maxSteps = 1000

// step is one change that can be undone.
type step struct {
	before, after placement.Policy
	from, to      rowKey // where the cursor was
	moved         termMove
}

// termMove says which term of an affinity moved where, so that what is folded moves along:
// rows know terms by their place. The zero value is none.
type termMove struct {
	kind     placement.Kind
	item     int
	from, to int // nowhere before it was added, and after it was removed
}

const nowhere = -1

// moveOf is the move of what is at a place: only terms have something to fold.
func moveOf(at placement.Place, from, to int) termMove {
	if at.Part != placement.TermPart {
		return termMove{}
	}
	return termMove{at.Kind, at.Item, from, to}
}

// back undoes it.
func (m termMove) back() termMove {
	m.from, m.to = m.to, m.from
	return m
}

// term is the place of a term afterwards.
func (m termMove) term(n int) int {
	if n == m.from {
		return m.to
	}
	if m.from != nowhere && n > m.from {
		n--
	}
	if m.to != nowhere && n >= m.to {
		n++
	}
	return n
}
