package placement

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

// EditError is an edit that cannot be made. The policy is as it was.
type EditError struct {
	At      Place
	Message string // plain words, clean
}

// Error returns the message.
func (e *EditError) Error() string { return e.Message }

// The edits below return a new policy, and an [*EditError] where the place does
// not exist. What they do not touch keeps its bytes, unknown keys included.

// SetAffinity gives an item the kind of affinity. From required to preferred and
// back the terms go along: preferred ones then have the shape of the contract,
// without weights. None takes the terms away; Both adds the kind that is missing,
// without terms. The same kind again leaves the policy as it is.
func (p Policy) SetAffinity(item int, kind Kind) (Policy, error) { panic("contract only") }

// AddTerm puts a term at a place; one past the last is allowed. An affinity that
// is missing is made. In a weighted list a weight of 0 becomes 1.
func (p Policy) AddTerm(at Place, t Term) (Policy, error) { panic("contract only") }

// AddLine puts a line at a place; one past the last is allowed. Lines of
// matchFields stay behind the others.
func (p Policy) AddLine(at Place, l Line) (Policy, error) { panic("contract only") }

// AddToleration puts a toleration at a place; one past the last is allowed.
func (p Policy) AddToleration(at Place, t Toleration) (Policy, error) { panic("contract only") }

// SetLine changes what differs in key, operator and values of a line. Whether a
// line is one of matchFields cannot be changed.
func (p Policy) SetLine(at Place, l Line) (Policy, error) { panic("contract only") }

// SetToleration changes what differs in a toleration; a field that became empty
// is taken away.
func (p Policy) SetToleration(at Place, t Toleration) (Policy, error) { panic("contract only") }

// SetWeight changes the weight of a term of a weighted list.
func (p Policy) SetWeight(at Place, weight int) (Policy, error) { panic("contract only") }

// Remove takes a term, a line or a toleration away. A term stays when its last
// line goes.
func (p Policy) Remove(at Place) (Policy, error) { panic("contract only") }

// Copy puts a copy of a term, a line or a toleration behind it, unknown keys
// included.
func (p Policy) Copy(at Place) (Policy, error) { panic("contract only") }

// Move moves a term, a line or a toleration down by a number of places, or up by
// a negative one, as far as there is room. It returns where it is now.
func (p Policy) Move(at Place, by int) (Policy, Place, error) { panic("contract only") }

// CopyRules gives an item the affinity and the tolerations of another item, often
// of another policy, unknown keys included. Its deployment stays its own.
func (p Policy) CopyRules(item int, from Policy, fromItem int) (Policy, error) {
	panic("contract only")
}
