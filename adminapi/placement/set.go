package placement

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/document"
)

// ClearAffinity removes the required and the preferred affinity of an item.
func (p Policy) ClearAffinity(item int) (Policy, error) {
	if !p.holds(AtItem(item)) {
		return p, errNoPart
	}
	for _, kind := range []Kind{Required, Preferred} {
		if at := AtAffinity(item, kind); p.holds(at) {
			cleared, err := p.Remove(at)
			if err != nil {
				return p, err
			}
			p = cleared
		}
	}
	return p, nil
}

// SetLine changes what differs in key, operator and values of a line. Whether a
// line is one of matchFields cannot be changed.
func (p Policy) SetLine(at Place, l Line) (Policy, error) {
	n, err := p.element(at)
	if err != nil || at.Part != LinePart {
		return p, errNoPart
	}
	if n.Kind() != document.Object {
		return p.put(lineJSON(l), n.Path())
	}
	old := p.Line(at)
	var changes []document.Change
	if old.Key != l.Key {
		changes = append(changes, p.member(n, keyKey, document.Quote(l.Key)))
	}
	if old.Operator != l.Operator {
		changes = append(changes, p.member(n, keyOperator, document.Quote(l.Operator)))
	}
	if !slices.Equal(old.Values, l.Values) {
		changes = append(changes, p.member(n, keyValues, document.QuoteList(l.Values)))
	}
	return p.edited(p.doc.Apply(changes))
}

// SetToleration changes what differs in a toleration; a field that became empty
// is removed.
func (p Policy) SetToleration(at Place, t Toleration) (Policy, error) {
	n, err := p.element(at)
	if err != nil || at.Part != TolerationPart {
		return p, errNoPart
	}
	if n.Kind() != document.Object {
		return p.put(tolerationJSON(t), n.Path())
	}
	var changes []document.Change
	before, after := tolerationFields(p.Toleration(at)), tolerationFields(t)
	for i, field := range after {
		switch old := child(n, field.key); {
		case field == before[i]:
		case field.raw != "":
			changes = append(changes, p.member(n, field.key, field.raw))
		case old.Valid():
			changes = append(changes, document.Change{Path: old.Path(), Kind: document.Removed})
		}
	}
	return p.edited(p.doc.Apply(changes))
}

// SetWeight changes the weight of a term of a weighted list.
func (p Policy) SetWeight(at Place, weight int) (Policy, error) {
	if at.Part != TermPart || !p.holds(at) {
		return p, errNoPart
	}
	affinity := p.items[at.Item].Affinity(at.Kind)
	if affinity.Shape != WeightedList {
		return p, errors.New("terms in this form have no weight")
	}
	if affinity.Terms[at.Term].Weight == weight {
		return p, nil
	}
	return p.put(strconv.Itoa(weight), p.termsPath(at.Item, at.Kind).Index(at.Term).Key(keyWeight))
}

// object returns the JSON of an object with these keys and values, in pairs.
func object(pairs ...string) string {
	var out strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		out.WriteString(string("{,"[min(i, 1)]) + document.Quote(pairs[i]) + ":" + pairs[i+1])
	}
	if len(pairs) == 0 {
		return "{}"
	}
	return out.String() + "}"
}

func list(elements []string) string { return "[" + strings.Join(elements, ",") + "]" }

func termJSON(t Term) string {
	var expressions, fields []string
	for _, l := range t.Lines {
		if l.Field {
			fields = append(fields, lineJSON(l))
		} else {
			expressions = append(expressions, lineJSON(l))
		}
	}
	var pairs []string
	if len(expressions) > 0 || len(fields) == 0 {
		pairs = append(pairs, keyExpressions, list(expressions))
	}
	if len(fields) > 0 {
		pairs = append(pairs, keyFields, list(fields))
	}
	return object(pairs...)
}

// lineJSON has a list of values always, as the contract shows it.
func lineJSON(l Line) string {
	return object(keyKey, document.Quote(l.Key), keyOperator, document.Quote(l.Operator),
		keyValues, document.QuoteList(l.Values))
}

func tolerationJSON(t Toleration) string {
	var pairs []string
	for _, field := range tolerationFields(t) {
		if field.raw != "" {
			pairs = append(pairs, field.key, field.raw)
		}
	}
	return object(pairs...)
}

// field is a member of a toleration; it has no raw where it is left out.
type field struct{ key, raw string }

func tolerationFields(t Toleration) (fields [5]field) {
	for i, f := range []field{{keyEffect, t.Effect}, {keyKey, t.Key}, {keyOperator, t.Operator}, {keyValue, t.Value}} {
		if f.raw != "" {
			f.raw = document.Quote(f.raw)
		}
		fields[i] = f
	}
	fields[4] = field{keySeconds, t.Seconds}
	if t.Seconds != "" && !isWhole(t.Seconds) {
		fields[4].raw = document.Quote(t.Seconds) // a bare word is no JSON; Check reports a text
	}
	return fields
}

// isWhole reports whether a text is a whole number as JSON writes it.
func isWhole(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == text
}
