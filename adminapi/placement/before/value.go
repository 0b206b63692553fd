package before

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// value is a JSON value that never changes. What was read keeps its text; an
// object or list that an edit has rebuilt has none, and is laid out anew around
// the texts of what is in it.
type value struct {
	kind    jsontext.Kind
	raw     string   // as it was written; "" for what was rebuilt
	members []member // of an object or a list
}

// member is a value in an object, or without a name in a list.
type member struct {
	name, rawName string
	value         *value
}

func textValue(text string) *value {
	raw, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\ufffd"))
	return &value{kind: '"', raw: string(raw)}
}

func numberValue(raw string) *value { return &value{kind: '0', raw: raw} }

func listValue(elements ...*value) *value {
	v := &value{kind: '['}
	for _, e := range elements {
		v.members = append(v.members, member{value: e})
	}
	return v
}

func textsValue(texts []string) *value {
	v := listValue()
	for _, text := range texts {
		v.members = append(v.members, member{value: textValue(text)})
	}
	return v
}

func objectValue() *value { return &value{kind: '{'} }

// is tells whether there is a value of that kind; a nil value is none.
func (v *value) is(kind jsontext.Kind) bool { return v != nil && v.kind == kind }

// missing tells whether there is nothing, or null, which Kubernetes takes for nothing.
func (v *value) missing() bool { return v == nil || v.kind == 'n' }

// get returns a member of an object, nil where there is none.
func (v *value) get(name string) *value {
	if !v.is('{') {
		return nil
	}
	for i := range v.members {
		if v.members[i].name == name {
			return v.members[i].value
		}
	}
	return nil
}

// text returns the content of a string, and of anything else what was written.
func (v *value) text() string {
	if v.kind != '"' {
		return v.raw
	}
	if strings.IndexByte(v.raw, '\\') < 0 {
		return v.raw[1 : len(v.raw)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, v.raw)
	return string(text)
}

// with returns an object in which a member has another value; a new one goes to
// the end.
func (v *value) with(name string, to *value) *value {
	w := &value{kind: '{', members: slices.Clone(v.members)}
	for i := range w.members {
		if w.members[i].name == name {
			w.members[i].value = to
			return w
		}
	}
	w.members = append(w.members, member{name: name, rawName: textValue(name).raw, value: to})
	return w
}

// without returns an object without a member.
func (v *value) without(name string) *value {
	at := slices.IndexFunc(v.members, func(m member) bool { return m.name == name })
	if at < 0 {
		return v
	}
	return &value{kind: '{', members: slices.Delete(slices.Clone(v.members), at, at+1)}
}

// renamed returns an object in which a member has another name and place stays.
func (v *value) renamed(from, to string, content *value) *value {
	w := &value{kind: '{', members: slices.Clone(v.members)}
	for i := range w.members {
		if w.members[i].name == from {
			w.members[i] = member{name: to, rawName: textValue(to).raw, value: content}
		}
	}
	return w
}

// inserted returns a list with one more element.
func (v *value) inserted(at int, element *value) *value {
	return &value{kind: '[', members: slices.Insert(slices.Clone(v.members), at, member{value: element})}
}

// removed returns a list without an element.
func (v *value) removed(at int) *value {
	return &value{kind: '[', members: slices.Delete(slices.Clone(v.members), at, at+1)}
}

// replaced returns a list with another element at a place.
func (v *value) replaced(at int, element *value) *value {
	w := &value{kind: '[', members: slices.Clone(v.members)}
	w.members[at].value = element
	return w
}

// loose returns the value without its layout, to be laid out where it goes.
func (v *value) loose() *value {
	if v.kind != '{' && v.kind != '[' {
		return v
	}
	w := &value{kind: v.kind, members: slices.Clone(v.members)}
	for i := range w.members {
		w.members[i].value = w.members[i].value.loose()
	}
	return w
}

// step is a way into a value: a name, or where that is "" an index.
type step struct {
	name  string
	index int
}

func name(name string) step { return step{name: name} }
func index(i int) step      { return step{index: i} }

// at returns the value at the end of a way, nil where it does not exist.
func (v *value) at(steps ...step) *value {
	for _, s := range steps {
		switch {
		case s.name != "":
			v = v.get(s.name)
		case v.is('[') && s.index >= 0 && s.index < len(v.members):
			v = v.members[s.index].value
		default:
			return nil
		}
	}
	return v
}

// changed returns the value with another one at the end of a way that exists up
// to its last step; objects on the way that are missing are made.
func (v *value) changed(to *value, steps ...step) *value {
	if len(steps) == 0 {
		return to
	}
	s := steps[0]
	inner := v.at(s)
	if s.name == "" {
		return v.replaced(s.index, inner.changed(to, steps[1:]...))
	}
	if v.missing() {
		v = objectValue()
	}
	return v.with(s.name, inner.changed(to, steps[1:]...))
}
