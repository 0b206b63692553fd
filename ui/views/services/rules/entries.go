package rules

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/placement"
)

// The fields of a line, of a toleration.
const (
	keyField = iota
	operatorField
	valueField // the values of a line
	effectField
	secondsField
)

// edit types into the row under the cursor, or does what suits it.
func (b *Builder) edit() {
	key := b.cursor()
	switch key.part {
	case lineRow:
		b.begin(b.lineEntry(key.at, b.tree.line(key)))
	case tolerationRow:
		b.begin(b.tolerationEntry(key.at, b.item().Tolerations[key.at.Toleration]))
	case affinityRow:
		if b.item().Kind() == placement.None {
			b.turn()
			return
		}
		b.toggle()
	case termRow, listRow, tolerationsRow:
		switch {
		case key.part == termRow && b.weighted():
			b.weigh()
		case b.list.Leaf():
			b.add()
		default:
			b.toggle()
		}
	case keptRow:
		b.note = "What is kept as it is can be changed as JSON only."
	default:
		b.toggle()
	}
}

// beginNew begins a row that is not there yet.
func (b *Builder) beginNew(at placement.Place) {
	var e *entry
	if at.Part == placement.TolerationPart {
		e = b.tolerationEntry(at, placement.Toleration{Operator: placement.Equal, Effect: placement.NoSchedule})
	} else {
		e = b.lineEntry(at, placement.Line{Operator: placement.In})
	}
	e.adding = true
	b.begin(e)
}

// lineEntry types into a line.
func (b *Builder) lineEntry(at placement.Place, l placement.Line) *entry {
	t := b.theme
	values := newField(t, "values", strings.Join(l.Values, ", "))
	values.list = true
	return &entry{
		at: at, fields: []field{newField(t, "key", l.Key), newPick(t, "operator", l.Operator, operatorsFor(l)), values},
		make: func(b *Builder, e *entry) (placement.Policy, placement.Place, error) { return b.makeLine(e, l) },
	}
}

func (b *Builder) makeLine(e *entry, old placement.Line) (placement.Policy, placement.Place, error) {
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
		p, err := b.policy.SetLine(e.at, l)
		return p, e.at, err
	case e.at.Part == placement.TermPart:
		p, err := b.policy.AddTerm(e.at, placement.Term{Lines: []placement.Line{l}})
		return p, placement.AtLine(e.at.Item, e.at.Kind, e.at.Term, 0), err
	}
	p, err := b.policy.AddLine(e.at, l)
	return p, b.landed(e.at), err
}

// landed is where a new line stands: lines of matchFields stay behind it.
func (b *Builder) landed(at placement.Place) placement.Place {
	lines := b.policy.Items()[at.Item].Affinity(at.Kind).Terms[at.Term].Lines
	if first := slices.IndexFunc(lines, func(l placement.Line) bool { return l.Field }); first >= 0 {
		at.Line = min(at.Line, first)
	}
	return at
}

// tolerationEntry types into a toleration.
func (b *Builder) tolerationEntry(at placement.Place, o placement.Toleration) *entry {
	t := b.theme
	operators := withWord(placement.TolerationOperators(), o.Operator)
	if o.Operator == "" {
		operators = []string{"", placement.Exists}
	}
	operator := newPick(t, "operator", o.Operator, operators)
	operator.shown = func(string) string { return "(Equal)" }
	effect := newPick(t, "effect", o.Effect, effectsFor(o))
	effect.shown = func(string) string { return anyEffect }
	return &entry{
		at: at, fields: []field{newField(t, "key", o.Key), operator, newField(t, "value", o.Value), effect, newField(t, "seconds", o.Seconds)},
		make: func(b *Builder, e *entry) (placement.Policy, placement.Place, error) {
			made := placement.Toleration{
				Key: e.openText(keyField), Operator: e.openText(operatorField), Value: e.openText(valueField),
				Effect: e.openText(effectField), Seconds: e.openText(secondsField),
			}
			if e.adding {
				p, err := b.policy.AddToleration(at, made)
				return p, at, err
			}
			p, err := b.policy.SetToleration(at, made)
			return p, at, err
		},
	}
}

// openText is the text of a field, none of one that is closed.
func (e *entry) openText(i int) string {
	if e.fields[i].closed != "" {
		return ""
	}
	return e.fields[i].text()
}

// whyUnweighted says why there is no weight to type.
func (b *Builder) whyUnweighted() string {
	switch i := b.item(); {
	case i.Preferred.Present && i.Preferred.Shape == placement.SelectorTerms:
		return "This policy has no weights: the site's own form of a preferred affinity is one without. Advice says more."
	case !i.Preferred.Present:
		return "Only the terms of a preferred affinity can have a weight; this deployment has none."
	}
	return "Only a preferred term has a weight: go to one."
}

// weigh types the weight of the term around the cursor.
func (b *Builder) weigh() {
	key := b.cursor()
	if key.part != termRow && key.part != lineRow || !b.weighted() {
		b.note = b.whyUnweighted()
		return
	}
	at := placement.AtTerm(key.at.Item, key.at.Kind, key.at.Term)
	weight := b.tree.term(key).Weight
	b.begin(&entry{
		at: at, fields: []field{newField(b.theme, "weight", strconv.Itoa(weight))},
		make: func(b *Builder, e *entry) (placement.Policy, placement.Place, error) {
			n, err := strconv.Atoi(strings.TrimSpace(e.fields[0].input.Value()))
			if err != nil || n < 1 || n > 100 {
				return b.policy, at, errors.New("a weight is a whole number from 1 to 100")
			}
			p, err := b.policy.SetWeight(at, n)
			return p, at, err
		},
	})
}

// refine closes the fields that the others leave no room for, and finds what the
// field in focus is offered.
func (b *Builder) refine() {
	e := b.entry
	if len(e.fields) > valueField {
		e.fields[valueField].closed = ""
		if operator := e.fields[operatorField].text(); !takesValues(operator) {
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
	b.complete()
}
