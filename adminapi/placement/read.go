package placement

import (
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
)

func (p Policy) readItems() []Item {
	r := itemReader{at: AtItem(0)}
	switch p.form {
	case WholePolicy:
		list := p.at(keyPolicy)
		items := make([]Item, 0, list.Len())
		for element := range list.Children() {
			r := itemReader{at: AtItem(element.Index()), base: pathOf(element)}
			r.deployment(element)
			items = append(items, r.item)
		}
		return items
	case StoreRules:
		var items []Item
		for element := range p.at(keyStores).Children() {
			r := itemReader{at: AtItem(element.Index()), base: pathOf(element)}
			r.stores(element)
			items = append(items, r.item)
		}
		return items
	case OneItem:
		r.deployment(p.doc.Root())
	default:
		r.rules(p.doc.Root())
	}
	return []Item{r.item}
}

// pathOf is the path of a value, with every element by its index.
func pathOf(n document.Node) document.Path {
	parent := n.Parent()
	if !parent.Valid() {
		return document.Whole
	}
	if key, ok := n.Key(); ok {
		return pathOf(parent).Key(key)
	}
	return pathOf(parent).Index(n.Index())
}

// itemReader reads an item and remembers what is not as expected, and where it is.
type itemReader struct {
	item Item
	base document.Path // of the item
	at   Place         // what is being read
}

func (r *itemReader) fault(v document.Node, text string) {
	r.item.faults = append(r.item.faults, findingIn(r.at, pathOf(v), finding.Block, text))
}

func (r *itemReader) wrongKind(v document.Node, want, advice string) {
	there := v.Kind().String()
	if v.Kind() == document.Bool {
		there = v.Raw()
	}
	r.fault(v, "expected "+want+", found "+there+advice)
}

// is reports whether a value is of a kind. What is missing is not, and is no fault.
func (r *itemReader) is(v document.Node, kind document.Kind) bool {
	if !isMissing(v) && v.Kind() != kind {
		r.wrongKind(v, kind.String(), "")
	}
	return v.Kind() == kind
}

// isObject reports whether an element of a list is an object; null is a fault as well.
func (r *itemReader) isObject(v document.Node) bool {
	if v.Kind() != document.Object {
		r.wrongKind(v, "an object", "")
	}
	return v.Kind() == document.Object
}

// noteUnknown notes the members of an object that have no field.
func (r *itemReader) noteUnknown(v document.Node, known ...string) {
	for member := range v.Children() {
		if key, _ := member.Key(); !slices.Contains(known, key) {
			inItem := strings.TrimPrefix(string(pathOf(member)), string(r.base))
			r.item.UnknownKeys = append(r.item.UnknownKeys, strings.TrimPrefix(inItem, "."))
		}
	}
}

// textOf returns a member of an object that must be a text; anything else is shown as it
// was written.
func (r *itemReader) textOf(v document.Node, key string) string {
	member := child(v, key)
	if isMissing(member) {
		return ""
	}
	r.is(member, document.String)
	return member.Text()
}

func (r *itemReader) deployment(v document.Node) {
	if !r.isObject(v) {
		return
	}
	r.noteUnknown(v, "deploymentType", "deploymentId", keyRules)
	r.item.DeploymentType = r.textOf(v, "deploymentType")
	r.item.DeploymentID = r.textOf(v, "deploymentId")
	r.item.path = r.base.Key(keyRules)
	r.rules(child(v, keyRules))
}

// stores reads the rules of some stores; its components stand for the type of a deployment.
func (r *itemReader) stores(v document.Node) {
	if !r.isObject(v) {
		return
	}
	r.noteUnknown(v, keyComponents, keyPolicy)
	r.item.path = r.base.Key(keyPolicy)
	if list := child(v, keyComponents); r.is(list, document.Array) {
		for component := range list.Children() {
			if r.is(component, document.String) {
				r.item.Components = append(r.item.Components, component.Text())
			}
		}
	}
	r.item.DeploymentType = strings.Join(r.item.Components, ", ")
	r.rules(child(v, keyPolicy))
}

func (r *itemReader) rules(v document.Node) {
	if !r.is(v, document.Object) {
		return
	}
	r.noteUnknown(v, keyAffinity, keyTolerations)
	r.at = AtAffinity(r.at.Item, Required)
	if affinity := child(v, keyAffinity); r.is(affinity, document.Object) {
		r.noteUnknown(affinity, Required.key(), Preferred.key())
		r.item.Required = r.affinity(child(affinity, Required.key()), Required)
		r.item.Preferred = r.affinity(child(affinity, Preferred.key()), Preferred)
	}
	tolerations := child(v, keyTolerations)
	if r.at = AtTolerations(r.at.Item); !r.is(tolerations, document.Array) {
		return
	}
	r.item.Tolerations = make([]Toleration, tolerations.Len())
	for element := range tolerations.Children() {
		r.at = AtToleration(r.at.Item, element.Index())
		r.item.Tolerations[element.Index()] = r.toleration(element)
	}
}

func (r *itemReader) toleration(v document.Node) Toleration {
	if !r.isObject(v) {
		return Toleration{Operator: "?"} // tolerates nothing
	}
	r.noteUnknown(v, keyEffect, keyKey, keyOperator, keyValue, keySeconds)
	t := Toleration{Effect: r.textOf(v, keyEffect), Key: r.textOf(v, keyKey), Operator: r.textOf(v, keyOperator), Value: r.textOf(v, keyValue)}
	if seconds := child(v, keySeconds); !isMissing(seconds) {
		r.is(seconds, document.Number)
		t.Seconds = seconds.Text()
	}
	return t
}

func (r *itemReader) affinity(v document.Node, kind Kind) Affinity {
	r.at = AtAffinity(r.at.Item, kind)
	defer func() { r.at = AtItem(r.at.Item) }()
	a, read := Affinity{Present: !isMissing(v)}, r.term
	if kind == Preferred && v.Kind() == document.Array {
		a.Shape, read = WeightedList, r.weighted
	} else if r.is(v, document.Object) {
		r.noteUnknown(v, keyTerms)
		v = child(v, keyTerms)
	} else {
		return a
	}
	if r.is(v, document.Array) {
		a.Terms = make([]Term, v.Len())
		for element := range v.Children() {
			r.at = AtTerm(r.at.Item, kind, element.Index())
			a.Terms[element.Index()] = read(element)
		}
	}
	return a
}

func (r *itemReader) weighted(v document.Node) Term {
	if !r.is(v, document.Object) {
		return Term{}
	}
	r.noteUnknown(v, keyWeight, keyPreference)
	t := r.term(child(v, keyPreference))
	if weight := child(v, keyWeight); !isMissing(weight) {
		n, err := strconv.ParseInt(weight.Text(), 10, 32)
		if r.is(weight, document.Number) && err != nil {
			r.fault(weight, "a weight must be a whole number from 1 to 100")
		}
		t.Weight = int(n)
	}
	return t
}

func (r *itemReader) term(v document.Node) (t Term) {
	if !r.is(v, document.Object) {
		return Term{}
	}
	r.noteUnknown(v, keyExpressions, keyFields)
	term := r.at
	for _, key := range []string{keyExpressions, keyFields} {
		list := child(v, key)
		if !r.is(list, document.Array) {
			continue
		}
		for element := range list.Children() {
			r.at = AtLine(term.Item, term.Kind, term.Term, len(t.Lines))
			t.Lines = append(t.Lines, r.line(element, key == keyFields))
		}
		r.at = term
	}
	return t
}

func (r *itemReader) line(v document.Node, field bool) Line {
	l := Line{Field: field}
	if !r.isObject(v) {
		return l
	}
	r.noteUnknown(v, keyKey, keyOperator, keyValues)
	l.Key, l.Operator = r.textOf(v, keyKey), r.textOf(v, keyOperator)
	values := child(v, keyValues)
	if !r.is(values, document.Array) {
		return l
	}
	l.Values = make([]string, values.Len())
	for value := range values.Children() {
		if value.Kind() != document.String {
			r.wrongKind(value, "a text", ": put it in double quotes")
		}
		l.Values[value.Index()] = value.Text()
	}
	return l
}
