package rules

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/placement"
)

// entry is a row that is typed into.
type entry struct {
	at      placement.Place
	adding  bool // it is not in the policy yet
	from    rowKey
	fields  []field
	focus   int
	reason  string // why it was not taken
	leaving bool   // asked whether what was typed is dropped
	strokes uint64 // counts what changes its drawing
	offers  offers
	// make returns the policy with the row as it was typed, and where it stands then.
	make func(b *Builder, e *entry) (placement.Policy, placement.Place, error)
}

// row is the row of the list that is typed into.
func (e *entry) row() rowKey {
	if e.adding {
		return rowKey{newRow, e.at}
	}
	return keyOf(e.at)
}

// addsTo tells whether a new row belongs to an affinity.
func (e *entry) addsTo(item int, kind placement.Kind) bool {
	return e != nil && e.adding && e.at.Item == item && e.at.Kind == kind
}

func (e *entry) field() *field { return &e.fields[e.focus] }

func (e *entry) changed() bool {
	return slices.ContainsFunc(e.fields, func(f field) bool { return f.changed() })
}

// begin gives the keys to a row.
func (b *Builder) begin(e *entry) {
	e.from = b.cursor()
	b.entry, b.note = e, ""
	b.refine()
	if e.adding {
		b.show()
	}
	b.goTo(e.row())
	b.list.Redraw()
	b.arrange()
}

// endEntry gives the keys back to the commands.
func (b *Builder) endEntry() {
	e := b.entry
	if e == nil {
		return
	}
	b.entry = nil
	b.list.Redraw()
	if e.adding {
		b.show()
	}
	b.goTo(e.from)
	b.arrange()
}

// typeKey takes a key.
func (b *Builder) typeKey(key tea.KeyMsg) {
	e := b.entry
	e.strokes++
	switch {
	case e.leaving:
		b.answer(key)
	case key.Paste:
		b.typeText(key)
	case key.Type == tea.KeyEsc:
		b.leave()
	case key.Type == tea.KeyEnter || key.Type == tea.KeyCtrlS:
		b.takeChosen()
		b.refine()
		b.take()
	case key.Type == tea.KeyTab:
		if taken := b.takeChosen(); !taken || !e.field().list {
			e.step(1)
		}
		b.refine()
	case key.Type == tea.KeyShiftTab:
		e.step(-1)
		b.refine()
	default:
		b.typeText(key)
	}
}

// typeText takes a key that changes a field, or goes through what is offered.
func (b *Builder) typeText(key tea.KeyMsg) {
	e := b.entry
	f := e.field()
	var used bool
	switch {
	case f.closed != "":
		e.reason = f.closed
		return
	case f.words != nil:
		used = f.pick(key)
	case !key.Paste && e.offers.move(key):
		return
	case !key.Paste && key.Type == tea.KeyRight && f.atEnd():
		used = b.takeFirst()
	default:
		used = f.key(key)
	}
	if used {
		e.reason = ""
		b.refine()
	}
}

// step goes to the next field that can be typed into, round the ends.
func (e *entry) step(by int) {
	for range e.fields {
		e.focus = (e.focus + by + len(e.fields)) % len(e.fields)
		if e.fields[e.focus].closed == "" {
			return
		}
	}
}

// leave ends typing; where that loses something it asks first: esc may be a part of
// another key that a slow line has cut off.
func (b *Builder) leave() {
	e := b.entry
	switch {
	case e.leaving:
		e.leaving = false
	case e.offers.chosen >= 0:
		e.offers.chosen = -1
	case e.changed():
		e.leaving = true
	default:
		b.endEntry()
	}
}

// answer takes the answer to what leaving asks. A paste is none.
func (b *Builder) answer(key tea.KeyMsg) {
	if key.Paste {
		return
	}
	b.entry.leaving = false
	if key.String() == "y" {
		b.endEntry()
		b.note = "What was typed is dropped; the rules are as they were."
	}
}

// take makes the row part of the policy, or says why it cannot be and goes to the
// field that is to blame.
func (b *Builder) take() {
	e := b.entry
	p, at, err := e.make(b, e)
	if err != nil {
		e.reason = reason(err)
		return
	}
	if f, wrong := b.wrong(p, at); wrong {
		e.blame(f)
		b.refine()
		return
	}
	b.endEntry() // undo leads back to where it began
	s := shift{}
	if e.adding {
		s = shiftOf(e.at, nowhere, e.at.Term)
	}
	b.changeTerms(p, keyOf(at), s)
}

// wrong returns what forbids a row that was not forbidden before.
func (b *Builder) wrong(p placement.Policy, at placement.Place) (placement.Finding, bool) {
	var before []placement.Finding
	if !b.entry.adding {
		before = blockingAt(b.policy, at)
	}
	fresh := placement.Introduced(blockingAt(p, at), before)
	if len(fresh) == 0 {
		return placement.Finding{}, false
	}
	return fresh[0], true
}

// blockingAt returns what forbids a row, and the lines of a term.
func blockingAt(p placement.Policy, at placement.Place) []placement.Finding {
	return slices.DeleteFunc(placement.Check(p, nil), func(f placement.Finding) bool {
		return f.Severity != placement.Blocking || f.At != at
	})
}

// blame says what is wrong and goes to the field that it is about.
func (e *entry) blame(f placement.Finding) {
	e.reason = capital(f.Text)
	for i := range e.fields {
		name := e.fields[i].name
		if name == "seconds" {
			name = "tolerationSeconds"
		}
		if strings.HasSuffix(f.Path, "."+name) && e.fields[i].closed == "" {
			e.focus = i
			return
		}
	}
}
