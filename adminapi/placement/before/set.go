package before

import (
	"slices"
	"strconv"
)

// SetAffinity gives an item the kind of affinity. From required to preferred and
// back the terms go along: preferred ones then have the shape of the contract,
// without weights. None takes the terms away; Both adds the kind that is missing,
// without terms. The same kind again leaves the policy as it is.
func (p Policy) SetAffinity(item int, kind Kind) (Policy, error) {
	at := AtItem(item)
	if !p.holds(at) {
		return p, noPlace(at)
	}
	now := p.items[item].Kind()
	if now == kind {
		return p, nil
	}
	steps := append(p.itemSteps(item), name(keyAffinity))
	affinity := p.root.at(steps...)
	if affinity.missing() {
		affinity = objectValue()
	}
	if !affinity.is('{') {
		return p, &EditError{at, "nodeAffinity is no object: it can be changed as JSON only"}
	}
	return p.put(at, affinityAs(affinity, now, kind), steps...)
}

// affinityAs turns a node affinity of one kind into one of another.
func affinityAs(v *value, now, kind Kind) *value {
	empty := objectValue().with(keyTerms, listValue())
	switch {
	case kind == None:
		return v.without(Required.key()).without(Preferred.key())
	case kind == Both && now != Preferred:
		v = v.with(Preferred.key(), empty)
		if now == None {
			v = v.with(Required.key(), empty)
		}
		return v
	case kind == Both:
		return v.with(Required.key(), empty)
	case now == None:
		return v.with(kind.key(), empty)
	case now == Both:
		return v.without((Required + Preferred - kind).key())
	}
	return v.without(kind.key()).renamed(now.key(), kind.key(), withoutWeights(v.get(now.key())))
}

// withoutWeights brings preferred terms into the shape of required ones.
func withoutWeights(affinity *value) *value {
	if !affinity.is('[') {
		return affinity
	}
	terms := listValue()
	for _, m := range affinity.members {
		if preference := m.value.get(keyPreference); preference != nil {
			terms.members = append(terms.members, member{value: preference.loose()})
		}
	}
	return objectValue().with(keyTerms, terms)
}

// SetLine changes what differs in key, operator and values of a line. Whether a
// line is one of matchFields cannot be changed.
func (p Policy) SetLine(at Place, l Line) (Policy, error) {
	if at.Part != LinePart || !p.holds(at) {
		return p, noPlace(at)
	}
	list, steps, i, _ := p.element(at)
	old := p.items[at.Item].Affinity(at.Kind).Terms[at.Term].Lines[at.Line]
	v := list.members[i].value
	if !v.is('{') {
		return p.put(at, lineValue(l), append(steps, index(i))...)
	}
	v = withText(v, keyKey, old.Key, l.Key)
	v = withText(v, keyOperator, old.Operator, l.Operator)
	if !slices.Equal(old.Values, l.Values) {
		v = v.with(keyValues, textsValue(l.Values))
	}
	return p.put(at, v, append(steps, index(i))...)
}

// withText changes a text only where it differs, so that its bytes stay otherwise.
func withText(v *value, key, old, text string) *value {
	if old == text {
		return v
	}
	return v.with(key, textValue(text))
}

// SetToleration changes what differs in a toleration; a field that became empty
// is taken away.
func (p Policy) SetToleration(at Place, t Toleration) (Policy, error) {
	if at.Part != TolerationPart || !p.holds(at) {
		return p, noPlace(at)
	}
	list, steps, i, _ := p.element(at)
	v, old := list.members[i].value, p.items[at.Item].Tolerations[at.Toleration]
	if !v.is('{') {
		v, old = objectValue(), Toleration{}
	}
	return p.put(at, tolerationValue(v, old, t), append(steps, index(i))...)
}

// SetWeight changes the weight of a term of a weighted list.
func (p Policy) SetWeight(at Place, weight int) (Policy, error) {
	if at.Part != TermPart || !p.holds(at) {
		return p, noPlace(at)
	}
	affinity := p.items[at.Item].Affinity(at.Kind)
	if affinity.Shape != WeightedList {
		return p, &EditError{at, "terms in this shape have no weight"}
	}
	if affinity.Terms[at.Term].Weight == weight {
		return p, nil
	}
	steps := append(p.termsSteps(at.Item, at.Kind), index(at.Term), name(keyWeight))
	return p.put(at, numberValue(strconv.Itoa(weight)), steps...)
}

func termValue(t Term) *value {
	expressions, fields := listValue(), listValue()
	for _, l := range t.Lines {
		list := expressions
		if l.Field {
			list = fields
		}
		list.members = append(list.members, member{value: lineValue(l)})
	}
	v := objectValue()
	if len(expressions.members) > 0 || len(fields.members) == 0 {
		v = v.with(keyExpressions, expressions)
	}
	if len(fields.members) > 0 {
		v = v.with(keyFields, fields)
	}
	return v
}

func weightedValue(weight int, preference *value) *value {
	return objectValue().with(keyWeight, numberValue(strconv.Itoa(weight))).with(keyPreference, preference)
}

// lineValue has a list of values always, as the contract shows it.
func lineValue(l Line) *value {
	return objectValue().with(keyKey, textValue(l.Key)).with(keyOperator, textValue(l.Operator)).
		with(keyValues, textsValue(l.Values))
}

// tolerationValue brings an object from one toleration to another.
func tolerationValue(v *value, old, to Toleration) *value {
	for _, field := range []struct{ key, old, to string }{
		{keyEffect, old.Effect, to.Effect}, {keyKey, old.Key, to.Key},
		{keyOperator, old.Operator, to.Operator}, {keyValue, old.Value, to.Value},
	} {
		switch {
		case field.old == field.to:
		case field.to == "":
			v = v.without(field.key)
		default:
			v = v.with(field.key, textValue(field.to))
		}
	}
	switch {
	case old.Seconds == to.Seconds:
	case isWhole(to.Seconds):
		v = v.with(keySeconds, numberValue(to.Seconds))
	case to.Seconds == "":
		v = v.without(keySeconds)
	default: // not to be written as a bare word: Check tells what is wrong with a text
		v = v.with(keySeconds, textValue(to.Seconds))
	}
	return v
}

// isWhole tells whether a text is a whole number as JSON writes it.
func isWhole(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == text
}
