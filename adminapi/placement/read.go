package placement

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
)

func (p Policy) readItems() []Item {
	switch p.form {
	case WholePolicy:
		list := child(p.doc.Root(), "placementPolicy")
		items := make([]Item, 0, list.Len())
		for element := range list.Children() {
			i := element.Index()
			r := itemReader{at: AtItem(i), steps: []step{name("placementPolicy"), index(i)}}
			items = append(items, r.deployment(element))
		}
		return items
	case OneItem:
		r := itemReader{at: AtItem(0)}
		return []Item{r.deployment(p.doc.Root())}
	}
	r := itemReader{at: AtItem(0)}
	r.rules(p.doc.Root())
	return []Item{r.item}
}

func inBrackets(i int) string { return "[" + strconv.Itoa(i) + "]" }

// itemReader reads an item and remembers what is not as expected, and where it is.
type itemReader struct {
	item  Item
	at    Place
	steps []step // from the outermost value
	base  int    // so many of them lead to the item
}

// within reads something one step further in.
func (r *itemReader) within(s step, read func()) {
	r.steps = append(r.steps, s)
	read()
	r.steps = r.steps[:len(r.steps)-1]
}

func (r *itemReader) fault(text string) {
	r.item.faults = append(r.item.faults, fault{r.at, pathOf(r.steps), text})
}

// pathOf writes steps for people.
func pathOf(steps []step) string {
	var out strings.Builder
	for i, s := range steps {
		switch {
		case s.name == "":
			out.WriteString(inBrackets(s.index))
		case i > 0 && s.name[0] != '[':
			out.WriteString("." + s.name)
		default:
			out.WriteString(s.name)
		}
	}
	return out.String()
}

// expect reports whether a value is of a kind; nothing is not, and is no fault.
func (r *itemReader) expect(v document.Node, kind document.Kind) bool {
	if isMissing(v) || v.Kind() == kind {
		return v.Kind() == kind
	}
	r.fault(kind.String() + " should stand here, there is " + kindText(v))
	return false
}

func kindText(v document.Node) string {
	if v.Kind() == document.Bool {
		return v.Raw()
	}
	return v.Kind().String()
}

// noteUnknown notes the members of an object that have no field.
func (r *itemReader) noteUnknown(v document.Node, known ...string) {
	for member := range v.Children() {
		if key, _ := member.Key(); !slices.Contains(known, key) {
			r.within(name(cmp.Or(plain.Clip(key, 60), `""`)), func() {
				r.item.UnknownKeys = append(r.item.UnknownKeys, pathOf(r.steps[r.base:]))
			})
		}
	}
}

func (r *itemReader) deployment(v document.Node) Item {
	r.base = len(r.steps)
	if !r.expect(v, document.Object) {
		if v.Kind() == document.Null {
			r.fault("an object should stand here, there is null")
		}
		return r.item
	}
	r.noteUnknown(v, "deploymentType", "deploymentId", "podPlacementPolicy")
	r.item.DeploymentType = r.textOf(v, "deploymentType")
	r.item.DeploymentID = r.textOf(v, "deploymentId")
	r.within(name("podPlacementPolicy"), func() { r.rules(child(v, "podPlacementPolicy")) })
	return r.item
}

func (r *itemReader) rules(v document.Node) {
	r.item.path = pathOf(r.steps)
	if !r.expect(v, document.Object) {
		return
	}
	r.noteUnknown(v, keyAffinity, keyTolerations)
	r.within(name(keyAffinity), func() { r.affinities(child(v, keyAffinity)) })
	r.within(name(keyTolerations), func() { r.item.Tolerations = r.tolerations(child(v, keyTolerations)) })
}

// textOf returns a member that must be a text; anything else is shown as it was
// written.
func (r *itemReader) textOf(v document.Node, key string) (text string) {
	member := child(v, key)
	if isMissing(member) {
		return ""
	}
	r.within(name(key), func() { r.expect(member, document.String) })
	return member.Text()
}

func (r *itemReader) tolerations(v document.Node) []Toleration {
	if !r.expect(v, document.Array) {
		return nil
	}
	tolerations := make([]Toleration, v.Len())
	for element := range v.Children() {
		i := element.Index()
		r.at = AtToleration(r.at.Item, i)
		r.within(index(i), func() { tolerations[i] = r.toleration(element) })
	}
	r.at = AtItem(r.at.Item)
	return tolerations
}

func (r *itemReader) toleration(v document.Node) Toleration {
	if v.Kind() != document.Object {
		r.fault("an object should stand here, there is " + kindText(v))
		return Toleration{Operator: "?"} // tolerates nothing
	}
	r.noteUnknown(v, keyEffect, keyKey, keyOperator, keyValue, keySeconds)
	t := Toleration{
		Effect: r.textOf(v, keyEffect), Key: r.textOf(v, keyKey),
		Operator: r.textOf(v, keyOperator), Value: r.textOf(v, keyValue),
	}
	if seconds := child(v, keySeconds); !isMissing(seconds) {
		r.within(name(keySeconds), func() { r.expect(seconds, document.Number) })
		t.Seconds = seconds.Text()
	}
	return t
}

func (r *itemReader) affinities(v document.Node) {
	if !r.expect(v, document.Object) {
		return
	}
	r.noteUnknown(v, Required.key(), Preferred.key())
	r.within(name(Required.key()), func() { r.item.Required = r.affinity(child(v, Required.key()), Required) })
	r.within(name(Preferred.key()), func() { r.item.Preferred = r.affinity(child(v, Preferred.key()), Preferred) })
	r.at = AtItem(r.at.Item)
}

func (r *itemReader) affinity(v document.Node, kind Kind) Affinity {
	if isMissing(v) {
		return Affinity{}
	}
	a := Affinity{Present: true}
	if kind == Preferred && v.Kind() == document.Array {
		a.Shape = WeightedList
		a.Terms = r.terms(v, kind, r.weighted)
		return a
	}
	if r.expect(v, document.Object) {
		r.noteUnknown(v, keyTerms)
		r.within(name(keyTerms), func() { a.Terms = r.terms(child(v, keyTerms), kind, r.term) })
	}
	return a
}

func (r *itemReader) terms(v document.Node, kind Kind, read func(document.Node) Term) []Term {
	if !r.expect(v, document.Array) {
		return nil
	}
	terms := make([]Term, v.Len())
	for element := range v.Children() {
		i := element.Index()
		r.at = AtTerm(r.at.Item, kind, i)
		r.within(index(i), func() { terms[i] = read(element) })
	}
	r.at = AtItem(r.at.Item)
	return terms
}

func (r *itemReader) weighted(v document.Node) (t Term) {
	if !r.expect(v, document.Object) {
		return Term{}
	}
	r.noteUnknown(v, keyWeight, keyPreference)
	r.within(name(keyPreference), func() { t = r.term(child(v, keyPreference)) })
	if weight := child(v, keyWeight); !isMissing(weight) {
		r.within(name(keyWeight), func() {
			n, err := strconv.ParseInt(weight.Text(), 10, 32)
			if r.expect(weight, document.Number) && err != nil {
				r.fault("a weight is a whole number from 1 to 100")
			}
			t.Weight = int(n)
		})
	}
	return t
}

func (r *itemReader) term(v document.Node) (t Term) {
	if !r.expect(v, document.Object) {
		return Term{}
	}
	r.noteUnknown(v, keyExpressions, keyFields)
	term := r.at
	for _, key := range []string{keyExpressions, keyFields} {
		list := child(v, key)
		r.within(name(key), func() {
			if !r.expect(list, document.Array) {
				return
			}
			for element := range list.Children() {
				r.at = AtLine(term.Item, term.Kind, term.Term, len(t.Lines))
				r.within(index(element.Index()), func() { t.Lines = append(t.Lines, r.line(element, key == keyFields)) })
			}
			r.at = term
		})
	}
	return t
}

func (r *itemReader) line(v document.Node, field bool) Line {
	l := Line{Field: field}
	if v.Kind() != document.Object {
		r.fault("an object should stand here, there is " + kindText(v))
		return l
	}
	r.noteUnknown(v, keyKey, keyOperator, keyValues)
	l.Key, l.Operator = r.textOf(v, keyKey), r.textOf(v, keyOperator)
	r.within(name(keyValues), func() { l.Values = r.values(child(v, keyValues)) })
	return l
}

func (r *itemReader) values(v document.Node) []string {
	if !r.expect(v, document.Array) {
		return nil
	}
	values := make([]string, v.Len())
	for element := range v.Children() {
		i := element.Index()
		if element.Kind() != document.String {
			r.within(index(i), func() {
				r.fault("a text should stand here, there is " + kindText(element) + ": put it in double quotes")
			})
		}
		values[i] = element.Text()
	}
	return values
}
