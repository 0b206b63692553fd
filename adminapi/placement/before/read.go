package before

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/plain"

	"github.com/go-json-experiment/json/jsontext"
)

func (p Policy) readItems() []Item {
	switch p.form {
	case WholePolicy:
		list := p.root.get("placementPolicy")
		items := make([]Item, len(list.members))
		for i, m := range list.members {
			r := itemReader{at: AtItem(i), path: "placementPolicy" + inBrackets(i)}
			items[i] = r.deployment(m.value)
		}
		return items
	case OneItem:
		r := itemReader{at: AtItem(0)}
		return []Item{r.deployment(p.root)}
	}
	r := itemReader{at: AtItem(0)}
	r.rules(p.root)
	return []Item{r.item}
}

func inBrackets(i int) string { return "[" + strconv.Itoa(i) + "]" }

// itemReader reads an item and remembers what is not as expected, and where it is.
type itemReader struct {
	item Item
	at   Place
	path string
	base int // length of the path of the item
}

// below reads something one step further in.
func (r *itemReader) below(step string, read func()) {
	old := r.path
	if r.path != "" && step[0] != '[' {
		r.path += "."
	}
	r.path += step
	read()
	r.path = old
}

func (r *itemReader) fault(text string) {
	r.item.faults = append(r.item.faults, fault{r.at, r.path, text})
}

// expect tells whether a value is of a kind; nothing is not, and is no fault.
func (r *itemReader) expect(v *value, kind jsontext.Kind) bool {
	if v.missing() || v.kind == kind {
		return v.is(kind)
	}
	r.fault(kindWords[kind] + " should stand here, there is " + kindWords[v.kind])
	return false
}

var kindWords = map[jsontext.Kind]string{
	'{': "an object", '[': "a list", '"': "a text", '0': "a number", 't': "true", 'f': "false", 'n': "null",
}

// keep notes the members of an object that have no field.
func (r *itemReader) keep(v *value, known ...string) {
	for _, m := range v.members {
		if !slices.Contains(known, m.name) {
			r.below(cmp.Or(plain.Clip(m.name, 60), `""`), func() {
				r.item.Kept = append(r.item.Kept, strings.TrimPrefix(r.path[r.base:], "."))
			})
		}
	}
}

func (r *itemReader) deployment(v *value) Item {
	r.base = len(r.path)
	if !r.expect(v, '{') {
		if v.is('n') {
			r.fault("an object should stand here, there is null")
		}
		return r.item
	}
	r.keep(v, "deploymentType", "deploymentId", "podPlacementPolicy")
	r.item.DeploymentType = r.textOf(v, "deploymentType")
	r.item.DeploymentID = r.textOf(v, "deploymentId")
	r.below("podPlacementPolicy", func() { r.rules(v.get("podPlacementPolicy")) })
	return r.item
}

func (r *itemReader) rules(v *value) {
	r.item.path = r.path
	if !r.expect(v, '{') {
		return
	}
	r.keep(v, keyAffinity, keyTolerations)
	r.below(keyAffinity, func() { r.affinities(v.get(keyAffinity)) })
	r.below(keyTolerations, func() { r.item.Tolerations = r.tolerations(v.get(keyTolerations)) })
}

// textOf returns a member that must be a text; anything else is shown as it was
// written.
func (r *itemReader) textOf(v *value, key string) (text string) {
	member := v.get(key)
	if member.missing() {
		return ""
	}
	r.below(key, func() { r.expect(member, '"') })
	return member.text()
}

func (r *itemReader) tolerations(v *value) []Toleration {
	if !r.expect(v, '[') {
		return nil
	}
	tolerations := make([]Toleration, len(v.members))
	for i, m := range v.members {
		r.at = AtToleration(r.at.Item, i)
		r.below(inBrackets(i), func() { tolerations[i] = r.toleration(m.value) })
	}
	r.at = AtItem(r.at.Item)
	return tolerations
}

func (r *itemReader) toleration(v *value) Toleration {
	if !v.is('{') {
		r.fault("an object should stand here, there is " + kindWords[v.kind])
		return Toleration{Operator: "?"} // tolerates nothing
	}
	r.keep(v, keyEffect, keyKey, keyOperator, keyValue, keySeconds)
	t := Toleration{
		Effect: r.textOf(v, keyEffect), Key: r.textOf(v, keyKey),
		Operator: r.textOf(v, keyOperator), Value: r.textOf(v, keyValue),
	}
	if seconds := v.get(keySeconds); !seconds.missing() {
		r.below(keySeconds, func() { r.expect(seconds, '0') })
		t.Seconds = seconds.text()
	}
	return t
}
