package rules

import (
	"slices"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// turning is a word that is changed by one key after the other. Each of its words is
// made of the policy from which it began, so that coming round brings back all of it:
// the terms of an affinity, the values of a line.
type turning struct {
	row      rowKey
	origin   placement.Policy
	revision int
}

// turn gives the word under the cursor its next value.
func (b *Builder) turn() {
	key := b.cursor()
	if b.turning.row != key || b.turning.revision != b.revision {
		b.turning = turning{row: key, origin: b.policy}
	}
	var p placement.Policy
	var err error
	switch {
	case len(b.policy.Items()) == 0:
		return
	case key.part == affinityRow:
		kind := next(b.kindsOf(key.at.Item), b.item().Kind())
		p, err = b.turning.origin.SetAffinity(key.at.Item, kind)
	case key.part == lineRow:
		p, err = b.turnLine(key.at)
	case key.part == tolerationRow:
		p, err = b.turnToleration(key.at)
	default:
		b.note = "There is no word to change in this row."
		return
	}
	terms := len(b.item().Required.Terms) + len(b.item().Preferred.Terms)
	if b.apply(p, err, key, shift{}) && key.part == affinityRow && b.item().Kind() == placement.None && terms > 0 {
		b.note = "The affinity is gone with " + plain.Plural(terms, "term") + "; going on with space brings it back, and so does u."
	}
	b.turning.revision = b.revision
}

// next returns the word behind one, round the end.
func next[T comparable](words []T, word T) T {
	return words[(slices.Index(words, word)+1)%len(words)]
}

// kindsOf are the kinds of affinity that a deployment is offered, in their order: both
// at once only where it has or had both.
func (b *Builder) kindsOf(item int) []placement.Kind {
	kinds := []placement.Kind{placement.Required, placement.Preferred, placement.None}
	was, _ := b.baseItem(item)
	turned := b.turning.row == keyOfAffinity(item) && b.turning.revision == b.revision &&
		itemOf(b.turning.origin, item).Kind() == placement.Both
	if b.policy.Items()[item].Kind() == placement.Both || was.Kind() == placement.Both || turned {
		kinds = append(kinds, placement.Both)
	}
	return kinds
}

// turnLine gives a line the next operator, without values where it takes none.
func (b *Builder) turnLine(at placement.Place) (placement.Policy, error) {
	from := lineAt(b.turning.origin, at)
	l := from
	l.Operator = next(operatorsFor(from), lineAt(b.policy, at).Operator)
	if !takesValues(l.Operator) && takesValues(from.Operator) {
		l.Values = nil
	}
	return b.turning.origin.SetLine(at, l)
}

func lineAt(p placement.Policy, at placement.Place) placement.Line {
	return p.Items()[at.Item].Affinity(at.Kind).Terms[at.Term].Lines[at.Line]
}

func takesValues(operator string) bool {
	return operator != placement.Exists && operator != placement.DoesNotExist
}

// operatorsFor are the operators that a line is offered: those of the contract, and
// what it has already.
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

// withWord adds a word that a row has, though nobody offers it.
func withWord(words []string, word string) []string {
	if word == "" || slices.Contains(words, word) {
		return words
	}
	return append(words, word)
}

// turnToleration gives a toleration the next effect; only NoExecute has seconds.
func (b *Builder) turnToleration(at placement.Place) (placement.Policy, error) {
	from := b.turning.origin.Items()[at.Item].Tolerations[at.Toleration]
	o := from
	o.Effect = next(effectsFor(from), b.policy.Items()[at.Item].Tolerations[at.Toleration].Effect)
	if o.Effect != placement.NoExecute && from.Effect == placement.NoExecute {
		o.Seconds = ""
	}
	return b.turning.origin.SetToleration(at, o)
}

// effectsFor are the effects that a toleration is offered; the empty one is every effect.
func effectsFor(o placement.Toleration) []string {
	return withWord(append(placement.Effects(), ""), o.Effect)
}
