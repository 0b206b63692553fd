package placement

import "geodeck/adminapi/document"

// Part says what a [Place] points at.
type Part uint8

// The parts of a policy.
const (
	ItemPart Part = iota
	TermPart
	LinePart
	TolerationPart
)

// Place points at a part of a policy; indices count from 0. Places can be compared.
type Place struct {
	Part       Part
	Item       int
	Kind       Kind // Required or Preferred, of a term and a line
	Term, Line int
	Toleration int
}

// AtItem points at a deployment.
func AtItem(item int) Place { return Place{Part: ItemPart, Item: item} }

// AtTerm points at a term of the required or preferred affinity.
func AtTerm(item int, kind Kind, term int) Place {
	return Place{Part: TermPart, Item: item, Kind: kind, Term: term}
}

// AtLine points at a line of a term.
func AtLine(item int, kind Kind, term, line int) Place {
	return Place{Part: LinePart, Item: item, Kind: kind, Term: term, Line: line}
}

// AtToleration points at a toleration.
func AtToleration(item, toleration int) Place {
	return Place{Part: TolerationPart, Item: item, Toleration: toleration}
}

// beside points at another element of the list that the place is in.
func (at Place) beside(by int) Place {
	switch at.Part {
	case TermPart:
		at.Term += by
	case LinePart:
		at.Line += by
	case TolerationPart:
		at.Toleration += by
	}
	return at
}

// affinitySteps is the way to the required or preferred affinity of an item.
func (p Policy) affinitySteps(item int, kind Kind) []step {
	return append(p.itemSteps(item), name(keyAffinity), name(kind.key()))
}

// termsSteps is the way to the list of terms.
func (p Policy) termsSteps(item int, kind Kind) []step {
	steps := p.affinitySteps(item, kind)
	if p.items[item].Affinity(kind).Shape == WeightedList {
		return steps
	}
	return append(steps, name(keyTerms))
}

// selectorSteps is the way to the lines of a term, past its weight.
func (p Policy) selectorSteps(at Place) []step {
	steps := append(p.termsSteps(at.Item, at.Kind), index(at.Term))
	if p.items[at.Item].Affinity(at.Kind).Shape == WeightedList {
		steps = append(steps, name(keyPreference))
	}
	return steps
}

// listSteps is the way to the list that a place is in, and its index there. Lines
// that look at labels come before those of matchFields.
func (p Policy) listSteps(at Place) ([]step, int) {
	switch at.Part {
	case TermPart:
		return p.termsSteps(at.Item, at.Kind), at.Term
	case TolerationPart:
		return append(p.itemSteps(at.Item), name(keyTolerations)), at.Toleration
	}
	selector := p.selectorSteps(at)
	expressions := 0
	if list := p.at(append(selector, name(keyExpressions))...); list.Kind() == document.Array {
		expressions = list.Len()
	}
	if at.Line >= expressions {
		return append(selector, name(keyFields)), at.Line - expressions
	}
	return append(selector, name(keyExpressions)), at.Line
}

// holds tells whether the policy has the part that a place points at.
func (p Policy) holds(at Place) bool {
	if at.Item < 0 || at.Item >= len(p.items) {
		return false
	}
	i := p.items[at.Item]
	switch at.Part {
	case ItemPart:
		return true
	case TolerationPart:
		return at.Toleration >= 0 && at.Toleration < len(i.Tolerations)
	}
	terms := i.Affinity(at.Kind).Terms
	if at.Kind != Required && at.Kind != Preferred || at.Term < 0 || at.Term >= len(terms) {
		return false
	}
	return at.Part == TermPart || at.Line >= 0 && at.Line < len(terms[at.Term].Lines)
}
