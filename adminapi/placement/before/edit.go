package before

import "slices"

// EditError is an edit that cannot be made. The policy is as it was.
type EditError struct {
	At      Place
	Message string // plain words, clean
}

// Error returns the message.
func (e *EditError) Error() string { return e.Message }

func noPlace(at Place) error { return &EditError{at, "there is no such part of the policy"} }

// The edits return a new policy, and an [*EditError] where the place does not
// exist. What they do not touch keeps its bytes, unknown keys included.

// put changes the value at the end of a way. A value of a kind that nobody expects
// is not overwritten on the way there.
func (p Policy) put(at Place, to *value, steps ...step) (Policy, error) {
	for i, s := range steps {
		v := p.root.at(steps[:i]...)
		if s.name != "" && !v.missing() && !v.is('{') {
			return p, &EditError{at, "what is there is no object: it can be changed as JSON only"}
		}
	}
	if p.root.at(steps...) == to {
		return p, nil
	}
	return p.of(p.root.changed(to, steps...)), nil
}

// insert puts an element into a list, which is made if it is missing.
func (p Policy) insert(at Place, i int, element *value, list ...step) (Policy, error) {
	old := p.root.at(list...)
	if old.missing() {
		old = listValue()
	}
	switch {
	case !old.is('['):
		return p, &EditError{at, "what is there is no list: it can be changed as JSON only"}
	case i < 0 || i > len(old.members):
		return p, noPlace(at)
	}
	return p.put(at, old.inserted(i, element), list...)
}

// AddTerm puts a term at a place; one past the last is allowed. An affinity that
// is missing is made. In a weighted list a weight of 0 becomes 1.
func (p Policy) AddTerm(at Place, t Term) (Policy, error) {
	if !p.holds(AtItem(at.Item)) || at.Kind != Required && at.Kind != Preferred {
		return p, noPlace(at)
	}
	v := termValue(t)
	if p.items[at.Item].Affinity(at.Kind).Shape == WeightedList {
		v = weightedValue(max(t.Weight, 1), v)
	}
	return p.insert(at, at.Term, v, p.termsSteps(at.Item, at.Kind)...)
}

// AddLine puts a line at a place; one past the last is allowed. Lines of
// matchFields stay behind the others.
func (p Policy) AddLine(at Place, l Line) (Policy, error) {
	if !p.holds(AtTerm(at.Item, at.Kind, at.Term)) {
		return p, noPlace(at)
	}
	lines := p.items[at.Item].Affinity(at.Kind).Terms[at.Term].Lines
	labels := len(lines)
	if first := slices.IndexFunc(lines, func(l Line) bool { return l.Field }); first >= 0 {
		labels = first
	}
	if at.Line < 0 || at.Line > len(lines) {
		return p, noPlace(at)
	}
	if l.Field {
		return p.insert(at, max(at.Line-labels, 0), lineValue(l), append(p.selectorSteps(at), name(keyFields))...)
	}
	return p.insert(at, min(at.Line, labels), lineValue(l), append(p.selectorSteps(at), name(keyExpressions))...)
}

// AddToleration puts a toleration at a place; one past the last is allowed.
func (p Policy) AddToleration(at Place, t Toleration) (Policy, error) {
	if !p.holds(AtItem(at.Item)) {
		return p, noPlace(at)
	}
	list, i := p.listSteps(AtToleration(at.Item, at.Toleration))
	return p.insert(at, i, tolerationValue(objectValue(), Toleration{}, t), list...)
}

// element finds the element that a place points at.
func (p Policy) element(at Place) (list *value, steps []step, i int, err error) {
	if at.Part == ItemPart || !p.holds(at) {
		return nil, nil, 0, noPlace(at)
	}
	steps, i = p.listSteps(at)
	return p.root.at(steps...), steps, i, nil
}

// Remove takes a term, a line or a toleration away. A term stays when its last
// line goes.
func (p Policy) Remove(at Place) (Policy, error) {
	list, steps, i, err := p.element(at)
	if err != nil {
		return p, err
	}
	return p.put(at, list.removed(i), steps...)
}

// Copy puts a copy of a term, a line or a toleration behind it, unknown keys
// included.
func (p Policy) Copy(at Place) (Policy, error) {
	list, steps, i, err := p.element(at)
	if err != nil {
		return p, err
	}
	return p.put(at, list.inserted(i+1, list.members[i].value), steps...)
}

// Move moves a term, a line or a toleration down by a number of places, or up by
// a negative one, as far as there is room. It returns where it is now.
func (p Policy) Move(at Place, by int) (Policy, Place, error) {
	list, steps, i, err := p.element(at)
	if err != nil {
		return p, at, err
	}
	to := min(max(i+by, 0), len(list.members)-1)
	if to == i {
		return p, at, nil
	}
	moved, err := p.put(at, list.removed(i).inserted(to, list.members[i].value), steps...)
	return moved, at.beside(to - i), err
}

// CopyRules gives an item the affinity and the tolerations of another item, often
// of another policy, unknown keys included. Its deployment stays its own.
func (p Policy) CopyRules(item int, from Policy, fromItem int) (Policy, error) {
	if !p.holds(AtItem(item)) || !from.holds(AtItem(fromItem)) {
		return p, noPlace(AtItem(item))
	}
	rules := from.root.at(from.itemSteps(fromItem)...)
	if rules.missing() {
		rules = objectValue()
	}
	return p.put(AtItem(item), rules.loose(), p.itemSteps(item)...)
}
