package rules

import (
	"errors"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// reason says in plain words why an edit was not made.
func reason(err error) string {
	var edit *placement.EditError
	if errors.As(err, &edit) {
		return capital(edit.Message)
	}
	return capital(plain.Line(err.Error()))
}

// apply makes an edit the present policy, or says why it is none.
func (b *Builder) apply(p placement.Policy, err error, to rowKey, s shift) bool {
	if err != nil {
		b.note = reason(err)
		return false
	}
	return b.changeTerms(p, to, s)
}

// element is the term, line or toleration under the cursor.
func (b *Builder) element() (placement.Place, bool) {
	key := b.cursor()
	return key.at, key.part == termRow || key.part == lineRow || key.part == tolerationRow
}

// remove takes what is under the cursor away.
func (b *Builder) remove() {
	at, ok := b.element()
	if !ok {
		b.note = b.whyKept()
		return
	}
	gone := b.textOf(keyOf(at))
	p, err := b.policy.Remove(at)
	if b.apply(p, err, keyOf(at), shiftOf(at, at.Term, nowhere)) {
		b.note = "Gone: " + gone + ". u brings it back."
	}
}

// whyKept says why the row under the cursor cannot be deleted.
func (b *Builder) whyKept() string {
	switch b.cursor().part {
	case affinityRow, listRow:
		return "An affinity is taken away with space: go on to none."
	case itemRow:
		return "A deployment stays in its policy."
	}
	return "Only a term, a line or a toleration can be deleted."
}

// duplicate puts a copy behind what is under the cursor, and goes there.
func (b *Builder) duplicate() {
	at, ok := b.element()
	if !ok {
		b.note = "Only a term, a line or a toleration can be duplicated."
		return
	}
	p, err := b.policy.Copy(at)
	if b.apply(p, err, keyOf(beside(at, 1)), shiftOf(at, nowhere, at.Term+1)) {
		b.note = "Duplicated: " + b.textOf(b.cursor())
	}
}

// beside points at another element of the list that a place is in.
func beside(at placement.Place, by int) placement.Place {
	switch at.Part {
	case placement.TermPart:
		at.Term += by
	case placement.LinePart:
		at.Line += by
	case placement.TolerationPart:
		at.Toleration += by
	}
	return at
}

// move moves what is under the cursor among its siblings.
func (b *Builder) move(by int) {
	at, ok := b.element()
	if !ok {
		b.note = "Only a term, a line or a toleration can be moved."
		return
	}
	p, now, err := b.policy.Move(at, by)
	if err == nil && now == at {
		b.note = "It cannot go further."
		return
	}
	b.apply(p, err, keyOf(now), shiftOf(at, at.Term, now.Term))
}

// add begins a new row: a line below the one under the cursor, or what suits the row.
func (b *Builder) add() {
	key := b.cursor()
	switch key.part {
	case tolerationsRow:
		b.beginNew(placement.AtToleration(key.at.Item, len(b.item().Tolerations)))
	case tolerationRow:
		b.beginNew(beside(key.at, 1))
	case lineRow:
		b.beginNew(beside(key.at, 1))
	case termRow:
		b.beginNew(placement.AtLine(key.at.Item, key.at.Kind, key.at.Term, len(b.tree.term(key).Lines)))
	case keptRow:
		b.note = "What is kept as it is can be changed as JSON only."
	default:
		b.addToFirst(b.kindHere())
	}
}

// addToFirst begins a line of the first term, or a term with a line where there is none.
func (b *Builder) addToFirst(kind placement.Kind) {
	if len(b.policy.Items()) == 0 {
		b.note = "This policy has no deployment to make rules for."
		return
	}
	terms := b.item().Affinity(kind).Terms
	if len(terms) == 0 {
		b.beginNew(placement.AtTerm(b.Item(), kind, 0))
		return
	}
	b.beginNew(placement.AtLine(b.Item(), kind, 0, len(terms[0].Lines)))
}

// addTerm begins a term with a line, below the one under the cursor or at the end.
func (b *Builder) addTerm() {
	if len(b.policy.Items()) == 0 {
		b.note = "This policy has no deployment to make rules for."
		return
	}
	key, kind := b.cursor(), b.kindHere()
	term := len(b.item().Affinity(kind).Terms)
	if key.part == termRow || key.part == lineRow {
		term = key.at.Term + 1
	}
	b.beginNew(placement.AtTerm(key.at.Item, kind, term))
}

// kindHere is the affinity that a new term belongs to.
func (b *Builder) kindHere() placement.Kind {
	if kind := b.cursor().kind(); kind != placement.None {
		return kind
	}
	if b.item().Kind() == placement.Preferred {
		return placement.Preferred
	}
	return placement.Required
}
