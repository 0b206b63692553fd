package rules

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/placement"
	"geodeck/ui/views"
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
	led     outcome           // what the last key has led to
	strokes uint64            // counts what changes its drawing
	offers  complete.List     // what completes the field in focus
	guess   bool              // what is offered only resembles what is typed
	pressed tea.KeyMsg        // the key that is being taken
	// write returns the policy with the row as it was typed, and the place of the row.
	write func(e *entry, p placement.Policy) (placement.Policy, placement.Place, error)

	made   placement.Policy // what was taken over
	madeAt placement.Place
}

// The fields of a line, of a toleration.
const (
	keyField = iota
	operatorField
	valueField // the values of a line
	effectField
	secondsField
)

// outcome is what a key leads to.
type outcome int

const (
	goesOn    outcome = iota
	left              // nothing was typed
	discarded         // what was typed goes, as was confirmed
	taken             // it is in the policy that was made
)

// lineEntry types into a line.
func (r *rulesPane) lineEntry(at placement.Place, l placement.Line) *entry {
	values := newField(r.theme, "values", strings.Join(l.Values, ", "))
	values.list = true
	return &entry{
		state: r.state, at: at, fields: []field{newField(r.theme, "key", l.Key), newPick(r.theme, "operator", l.Operator, operatorsFor(l)), values},
		write: func(e *entry, p placement.Policy) (placement.Policy, placement.Place, error) {
			return e.writeLine(p, l)
		},
	}
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
	operator := newPick(r.theme, "operator", old.Operator, operators)
	operator.shown = func(string) string { return "(Equal)" }
	effect := newPick(r.theme, "effect", old.Effect, effectsFor(old))
	effect.shown = func(string) string { return anyEffect }
	return &entry{
		state: r.state, at: at,
		fields: []field{newField(r.theme, "key", old.Key), operator, newField(r.theme, "value", old.Value), effect, newField(r.theme, "seconds", old.Seconds)},
		write: func(e *entry, p placement.Policy) (placement.Policy, placement.Place, error) {
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
		},
	}
}

// weightEntry types the weight of a term.
func (r *rulesPane) weightEntry(at placement.Place, weight int) *entry {
	return &entry{
		state: r.state, at: at, fields: []field{newField(r.theme, "weight", strconv.Itoa(weight))},
		write: func(e *entry, p placement.Policy) (placement.Policy, placement.Place, error) {
			n, err := strconv.Atoi(strings.TrimSpace(e.fields[0].input.Value()))
			if err != nil || n < 1 || n > 100 {
				return p, at, errors.New("a weight must be a whole number from 1 to 100")
			}
			p, err = p.SetWeight(at, n)
			return p, at, err
		},
	}
}

// row is the row of the list that is typed into.
func (e *entry) row() rowKey {
	if e.adding {
		return rowKey{newRow, e.at}
	}
	return keyOf(e.at)
}

// addsTo reports whether a new row belongs to an affinity.
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

// key takes a key: one of the table, or text.
func (e *entry) key(key tea.KeyMsg, table []views.Command) outcome {
	e.strokes++
	e.led, e.pressed = goesOn, key
	if row, ok := views.Typed(table, key); ok {
		row.Run("")
		return e.led
	}
	if e.leaving {
		e.leaving = key.Type != tea.KeyEsc
	} else {
		e.typeText(key)
	}
	return e.led
}

const entryGroup = "A row of rules"

// entryRows makes the keys of a row that is typed into, and of the question before it is left.
func entryRows(of func() *entry) []views.Command {
	return views.Concat(views.When(func() bool { return of() != nil && !of().leaving }, typingRows(of)),
		views.When(func() bool { return of() != nil && of().leaving }, widget.DiscardRows("row", entryGroup,
			func() { of().leaving, of().led = false, discarded }, func() { of().leaving = false })))
}

// typingRows are the keys of the row that is typed into; every other key is text.
func typingRows(of func() *entry) []views.Command {
	does := func(f func(*entry)) func(string) tea.Cmd { return views.Call(func() { f(of()) }) }
	text := does(func(e *entry) { e.typeText(e.pressed) })
	completing := complete.Keys("row", entryGroup, nil, func() bool { return of().chooses() },
		func() tea.Cmd { of().tabbed(); return nil }, func(by int) tea.Cmd { of().choose(by); return nil })
	completing[0].Hint = func() string { return of().tabHint() }
	completing[0].Help += " Where nothing is left to complete, goes to the next column."
	return views.Concat([]views.Command{
		{ID: "row.take", Binding: views.Key("apply", "enter", "ctrl+s"), Group: entryGroup, Run: does((*entry).apply),
			Help: "Apply the row, or show what is wrong with it. Sends nothing."},
		{ID: "row.leave", Binding: views.Key("cancel", "esc"), Group: entryGroup, Run: does(func(e *entry) { e.led = e.leave() }),
			Help: "Cancel; asks first if you typed something."},
	}, completing, []views.Command{
		{ID: "row.back", Binding: views.Key("", "shift+tab"), Group: entryGroup, Run: does(func(e *entry) { e.step(-1) }),
			Help: "Go to the previous column."},
		{ID: "row.word", Binding: views.Key("", " "), Group: entryGroup, Shown: func() bool { return of().onWord() }, Run: does(func(e *entry) { e.choose(1) }),
			Help: "In a column of fixed words: the next word. Text goes to the next column."},
		{ID: "row.right", Binding: views.Key("", "right"), Group: entryGroup, Shown: func() bool { return of().open() && !of().onWord() }, Run: does((*entry).right),
			Help: "At the end of the text: complete, or keep the word and go to the next column."},
		{ID: "row.empty", Binding: views.Key("", textinput.DefaultKeyMap.DeleteBeforeCursor.Keys()...), Group: entryGroup, Run: text,
			Help: "Delete the text before the cursor."},
		{ID: "row.delete-word", Binding: views.Key("", textinput.DefaultKeyMap.DeleteWordBackward.Keys()...), Group: entryGroup, Run: text,
			Help: "Delete the word before the cursor."},
	})
}

// TypingCommands are the keys while a row is typed into, for help.
func TypingCommands() []views.Command { return typingRows(nil) }

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

// tabbed completes the field in focus, else goes to the next.
func (e *entry) tabbed() {
	if e.open() && e.completes() {
		e.tab()
		return
	}
	e.step(1)
}

// right moves in the text; at its end it completes, or goes to the next field.
func (e *entry) right() {
	switch f := e.field(); {
	case f.input.Position() < len([]rune(f.input.Value())):
		e.typeText(e.pressed)
	case e.completes() && !e.offers.Turning():
		e.tab()
	default:
		e.step(1)
	}
}

// apply takes the row with the word that was chosen.
func (e *entry) apply() {
	e.takeChosen()
	e.refine()
	e.led = e.take()
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

// step goes to the next field that can be typed into, round the ends.
func (e *entry) step(by int) {
	if e.offers.Turning() {
		e.tookWord()
	}
	defer e.refine()
	for range e.fields {
		e.focus = (e.focus + by + len(e.fields)) % len(e.fields)
		if e.fields[e.focus].closed == "" {
			return
		}
	}
}

// leave ends typing; where that loses something it asks first: esc may be a part of
// another key that a slow line has cut off.
func (e *entry) leave() outcome {
	e.strokes++
	switch {
	case e.leaving:
		e.leaving = false
	case e.chosen():
		e.offers.Mark(-1)
	case e.changed():
		e.leaving = true
	default:
		return left
	}
	return goesOn
}

// take makes the policy with the row, or says why there is none and goes to the field
// that is to blame.
func (e *entry) take() outcome {
	if e.refused {
		stays := ""
		if f := e.field(); f.words != nil {
			stays = ": " + f.label(f.text()) + " stays"
		}
		e.refused, e.reason = false, "What you typed is left out"+stays+views.Keys(". Press {key:row.take} again to apply the row.")
		return goesOn
	}
	p, at, err := e.write(e, e.draft.policy)
	if err != nil {
		e.reason = views.Sentence(err.Error())
		return goesOn
	}
	var before []placement.Finding
	if !e.adding {
		before = blockingAt(e.draft.policy, at)
	}
	if forbidden := placement.Introduced(blockingAt(p, at), before); len(forbidden) > 0 {
		e.blame(forbidden[0])
		e.refine()
		return goesOn
	}
	e.made, e.madeAt = p, at
	return taken
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
