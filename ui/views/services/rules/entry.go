package rules

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/edits"
	"geodeck/ui/widget"
	"geodeck/ui/widget/complete"
)

// entry is a row that is typed into.
type entry struct {
	*state
	at      placement.Place
	adding  bool // it is not in the policy yet
	from    rowKey
	fields  []field
	focus   int
	found   placement.Finding // what was wrong when it was opened, until it is changed
	reason  string            // why it was not taken
	refused bool              // a text was typed that no column takes: enter says so before it applies the row
	leaving bool              // it asks whether what was typed is discarded
	again   bool              // a key has not answered that
	strokes uint64            // counts what changes its drawing
	offers  complete.List     // what completes the field in focus
	pressed tea.KeyMsg        // the key that is being taken
	// write returns the policy with the row as it was typed, and the place of the row.
	write func(p placement.Policy) (placement.Policy, placement.Place, error)
}

// The fields of a line, of a toleration.
const (
	keyField = iota
	operatorField
	valueField // the values of a line
	effectField
	secondsField
)

// lineEntry types into a line.
func (r *rulesPane) lineEntry(at placement.Place, l placement.Line) *entry {
	e, c := &entry{state: r.state, at: at}, &r.cluster
	keys, known := c.labelKeys, func() []placement.Word { return c.labelValues(e.fields[keyField].text()) }
	if l.Field {
		keys, known = c.fieldNames, c.names
	}
	values := r.newField("values", strings.Join(l.Values, ", "), "separated by commas", known)
	values.list = true
	e.fields = []field{
		r.newField("key", l.Key, "of a label of the nodes", keys),
		r.newPick("operator", l.Operator, "", operatorsFor(l), meaningOf), values,
	}
	e.write = func(p placement.Policy) (placement.Policy, placement.Place, error) { return e.writeLine(p, l) }
	return e
}

func (e *entry) writeLine(p placement.Policy, old placement.Line) (placement.Policy, placement.Place, error) {
	l := placement.Line{Key: e.fields[keyField].text(), Operator: e.fields[operatorField].text(), Field: old.Field}
	switch values := &e.fields[valueField]; {
	case values.closed != "":
	case !values.changed():
		l.Values = old.Values // they may hold what a list with commas cannot
	default:
		l.Values = values.values()
	}
	switch {
	case !e.adding:
		p, err := p.SetLine(e.at, l)
		return p, e.at, err
	case e.at.Part == placement.TermPart:
		p, err := p.AddTerm(e.at, placement.Term{Lines: []placement.Line{l}})
		return p, placement.AtLine(e.at.Item, e.at.Kind, e.at.Term, 0), err
	}
	at := e.at
	lines := p.Term(at).Lines
	if first := slices.IndexFunc(lines, func(l placement.Line) bool { return l.Field }); first >= 0 {
		at.Line = min(at.Line, first) // lines of matchFields stay behind a new one
	}
	p, err := p.AddLine(e.at, l)
	return p, at, err
}

// tolerationEntry types into a toleration.
func (r *rulesPane) tolerationEntry(at placement.Place, old placement.Toleration) *entry {
	operators := withWord(placement.TolerationOperators(), old.Operator)
	if old.Operator == "" {
		operators = []string{"", placement.Exists}
	}
	e, c := &entry{state: r.state, at: at}, &r.cluster
	key := func() string { return e.fields[keyField].text() }
	e.fields = []field{
		r.newField("key", old.Key, "of the taint; Exists without a key means every taint", c.taintKeys),
		r.newPick("operator", old.Operator, "(Equal)", operators, func(word string) string { return tolerationMeanings[word] }),
		r.newField("value", old.Value, "of the taint", func() []placement.Word { return c.taintValues(key()) }),
		r.newPick("effect", old.Effect, anyEffect, effectsFor(old), func(word string) string {
			return meaningOf(word) + ", " + plain.Plural(c.taintEffects(key(), word), "such taint")
		}),
		r.newField("seconds", old.Seconds, "the pods stay after the taint comes; empty for ever", nil),
	}
	e.write = func(p placement.Policy) (placement.Policy, placement.Place, error) {
		t := placement.Toleration{
			Key: e.openText(keyField), Operator: e.openText(operatorField), Value: e.openText(valueField),
			Effect: e.openText(effectField), Seconds: e.openText(secondsField),
		}
		set := p.SetToleration
		if e.adding {
			set = p.AddToleration
		}
		p, err := set(at, t)
		return p, at, err
	}
	return e
}

// weightEntry types the weight of a term.
func (r *rulesPane) weightEntry(at placement.Place, weight int) *entry {
	e := &entry{state: r.state, at: at, fields: []field{r.newField("weight", strconv.Itoa(weight), "from 1 to 100", nil)}}
	e.write = func(p placement.Policy) (placement.Policy, placement.Place, error) {
		n, err := strconv.Atoi(strings.TrimSpace(e.fields[0].input.Value()))
		if err != nil || n < 1 || n > 100 {
			return p, at, errors.New("a weight must be a whole number from 1 to 100")
		}
		p, err = p.SetWeight(at, n)
		return p, at, err
	}
	return e
}

// row is the row of the list that is typed into.
func (e *entry) row() rowKey {
	if e.adding {
		return rowKey{newRow, e.at}
	}
	return keyOf(e.at)
}

// addsTo reports whether a new row belongs to an affinity, or with None to the tolerations.
func (e *entry) addsTo(item int, kind placement.Kind) bool {
	return e != nil && e.adding && e.at.Item == item && e.at.Kind == kind
}

// ofToleration reports whether the row is a toleration.
func (e *entry) ofToleration() bool { return e.at.Part == placement.TolerationPart }

func (e *entry) field() *field { return &e.fields[e.focus] }

// openText is the text of a field, none of one that is closed.
func (e *entry) openText(i int) string {
	if e.fields[i].closed != "" {
		return ""
	}
	return e.fields[i].text()
}

func (e *entry) changed() bool {
	return slices.ContainsFunc(e.fields, func(f field) bool { return f.changed() })
}

// key gives a key to the row that is typed into: one of the table, or text.
func (r *rulesPane) key(key tea.KeyMsg) {
	e := r.tree.entry
	e.strokes++
	e.pressed = key
	if row, ok := views.Typed(r.entryTable, key); ok {
		row.Do("")
	} else if e.leaving {
		e.leaving = key.Type != tea.KeyEsc
		e.again = e.leaving
	} else {
		e.typeText(key)
	}
}

const entryGroup = "A row of rules"

// entryRows makes the keys of a row that is typed into, and of the question before it is left.
func (r *rulesPane) entryRows() []views.Command {
	asks := func(leaving bool) func() bool {
		return func() bool { return r.tree.entry != nil && r.tree.entry.leaving == leaving }
	}
	return slices.Concat(views.When(asks(false), r.typingRows()),
		views.When(asks(true), widget.DiscardRows("row", entryGroup, r.discard, func() { r.tree.entry.leaving = false })))
}

// typingRows are the keys of the row that is typed into; every other key is text.
func (r *rulesPane) typingRows() []views.Command {
	of := func() *entry { return r.tree.entry }
	text := func() { of().typeText(of().pressed) }
	completing := complete.Keys("row", entryGroup, nil, func() bool { return of().chooses() },
		func() tea.Cmd { of().tabbed(); return nil }, func(by int) tea.Cmd { of().choose(by); return nil })
	completing[0].Hint = func() string { return of().tabHint() }
	completing[0].Help = "Completes what was begun, or takes the chosen candidate; else goes to the next column."
	return views.Grouped(entryGroup, slices.Concat([]views.Command{
		edits.Row("row.take", "apply", "Apply the row, or show what is wrong with it. Sends nothing.", r.take, "enter", "ctrl+s"),
		edits.Row("row.leave", "cancel", "Cancel; asks first if you typed something.", r.leave, "esc"),
	}, completing, []views.Command{
		edits.Row("row.back", "", "Go to the previous column.", func() { of().step(-1) }, "shift+tab"),
		{ID: "row.word", Key: "space", Shown: func() bool { return of().onWord() }, Run: views.Call(func() { of().choose(1) }),
			Help: "In a column of fixed words: the next word. Text goes to the next column."},
		{ID: "row.right", Key: "right", Shown: func() bool { return of().open() && !of().onWord() }, Run: views.Call(func() { of().right() }),
			Help: "At the end of the text: complete, or keep the word and go to the next column."},
		edits.Row("row.empty", "", "Delete the text before the cursor.", text, textinput.DefaultKeyMap.DeleteBeforeCursor.Keys()...),
		edits.Row("row.delete-word", "", "Delete the word before the cursor.", text, textinput.DefaultKeyMap.DeleteWordBackward.Keys()...),
	}))
}

// TypingCommands are the keys while a row is typed into, for help.
func TypingCommands() []views.Command { return new(rulesPane).typingRows() }

// open reports whether the field in focus takes anything.
func (e *entry) open() bool { return e.field().closed == "" }

// onWord reports whether the field in focus has one of some words.
func (e *entry) onWord() bool { return e.open() && e.field().words != nil }

// chooses reports whether the arrows choose among words.
func (e *entry) chooses() bool { return e.open() && (e.field().words != nil || e.offers.Len() > 0) }

func (e *entry) tabHint() string {
	switch {
	case e.open() && e.completes():
		return "complete"
	case len(e.fields) > 1:
		return "next field"
	}
	return ""
}

// tabbed completes the field in focus, else goes to the next, as from a word that the arrows chose.
func (e *entry) tabbed() {
	goOn := !e.open() || !e.completes()
	if !goOn {
		goOn = e.chosen() && !e.field().list
		e.complete()
	}
	if goOn {
		e.step(1)
	}
}

// right moves in the text; at its end it is as tab.
func (e *entry) right() {
	if f := e.field(); f.input.Position() < len([]rune(f.input.Value())) {
		e.typeText(e.pressed)
		return
	}
	e.tabbed()
}

// choose goes through the words that the field may have, or that it is offered.
func (e *entry) choose(by int) {
	f := e.field()
	if f.words == nil {
		e.offers.Choose(by)
		return
	}
	f.set(f.words[(f.at()+by+len(f.words))%len(f.words)])
	e.edited()
}

// typeText takes a key that changes a field. Text that is typed on a fixed word is for the column
// behind it: a value that comes too early must not turn the rule into its opposite.
func (e *entry) typeText(key tea.KeyMsg) {
	ahead := e.field().words != nil
	to := e.focus
	if ahead {
		to++
	}
	switch f := &e.fields[to]; {
	case ahead && views.TextOf(key) == "":
	case f.closed != "":
		e.refused, e.reason = true, e.refusal(to)+" Arrows choose another "+e.fields[to-1].name+"."
	default:
		e.focus = to
		if ahead && f.list {
			f.another()
		}
		if f.key(key) || ahead {
			e.edited()
		}
	}
}

// refusal says why a field takes nothing.
func (e *entry) refusal(i int) string {
	if i == secondsField {
		return "Only NoExecute takes seconds."
	}
	return e.fields[operatorField].text() + " takes no value."
}

// edited follows a change of a field.
func (e *entry) edited() {
	e.found, e.reason, e.refused = placement.Finding{}, "", false
	e.refine()
}

// step goes to the next field that can be typed into, round the ends: but from the last one not past one that
// takes nothing, whose text would be added to the first.
func (e *entry) step(by int) {
	defer e.refine()
	if to := e.focus + 1; by > 0 && to == len(e.fields)-1 && e.fields[to].closed != "" && to != secondsField {
		e.reason = e.refusal(to) + views.Keys(" {key:row.take} applies the row.")
		return
	}
	for range e.fields {
		e.focus = (e.focus + by + len(e.fields)) % len(e.fields)
		if e.fields[e.focus].closed == "" {
			return
		}
	}
}

// leave ends typing; where that loses something it asks first: esc may be a part of
// another key that a slow line has cut off.
func (r *rulesPane) leave() {
	e := r.tree.entry
	e.strokes++
	switch {
	case e.leaving:
		e.leaving = false
	case e.chosen():
		e.offers.Mark(-1)
	case e.changed():
		e.leaving, e.again = true, false
	default:
		r.end()
	}
}

// discard ends typing without what was typed, as was confirmed.
func (r *rulesPane) discard() {
	r.end()
	r.note = "Edit discarded; the rules are unchanged."
}

// take applies the row with the word that was chosen.
func (r *rulesPane) take() {
	e := r.tree.entry
	if e.chosen() {
		e.complete()
	}
	e.refine()
	p, at, ok := e.made()
	if !ok {
		return
	}
	r.end() // undo leads back to where it began
	moved := termMove{}
	if e.adding {
		moved = moveOf(e.at, nowhere, e.at.Term)
	}
	r.change(p, keyOf(at), moved)
}

// made returns the policy with the row, and the place of the row; else it says why there is none and
// goes to the field that is to blame.
func (e *entry) made() (p placement.Policy, at placement.Place, ok bool) {
	if e.refused {
		stays := ""
		if f := e.field(); f.words != nil {
			stays = ": " + f.label(f.text()) + " stays"
		}
		e.refused, e.reason = false, "What you typed is left out"+stays+views.Keys(". Press {key:row.take} again to apply the row.")
		return p, at, false
	}
	p, at, err := e.write(e.draft.policy)
	if err != nil {
		e.reason = views.Sentence(err.Error())
		return p, at, false
	}
	var before []placement.Finding
	if !e.adding {
		before = blockingAt(e.draft.policy, at)
	}
	if forbidden := placement.Introduced(blockingAt(p, at), before); len(forbidden) > 0 {
		e.blame(forbidden[0])
		e.refine()
		return p, at, false
	}
	return p, at, true
}

// blockingAt returns what forbids a row, and the lines of a term.
func blockingAt(p placement.Policy, at placement.Place) []placement.Finding {
	return slices.DeleteFunc(placement.Check(p, nil), func(f placement.Finding) bool {
		return !f.Blocks() || f.In != at
	})
}

// blame says what is wrong and goes to the field that it is about.
func (e *entry) blame(f placement.Finding) {
	e.reason = views.Sentence(f.Text)
	for i := range e.fields {
		name := e.fields[i].name
		if name == "seconds" {
			name = "tolerationSeconds"
		}
		if strings.HasSuffix(f.At.Path, "."+name) && e.fields[i].closed == "" {
			e.focus = i
			return
		}
	}
}

// refine closes the fields that the others leave no room for, and finds what the
// field in focus is offered.
func (e *entry) refine() {
	if len(e.fields) > valueField {
		e.fields[valueField].closed = ""
		if !takesValues(e.fields[operatorField].text()) {
			e.fields[valueField].closed = "takes no value"
		}
	}
	if len(e.fields) > secondsField {
		seconds := &e.fields[secondsField]
		seconds.closed = ""
		if e.fields[effectField].text() != placement.NoExecute && (seconds.input.Value() == "" || e.fields[effectField].changed()) {
			seconds.closed = "with NoExecute only"
		}
	}
	e.offer()
}
