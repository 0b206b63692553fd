package before

import (
	"iter"
	"slices"
)

// Lost returns the keys of base that edited no longer has, in the order of base.
// Of a value that is gone as a whole only the outermost path is named; elements
// of arrays count as keys where their number has shrunk.
func Lost(base, edited *Document) []Path {
	var l losses
	l.values(Whole, base.Root(), edited.Root())
	return l
}

type losses []Path

// values looks for what a had and b has not. An invalid b has nothing.
func (l *losses) values(path Path, a, b Node) {
	switch a.Kind() {
	case Object:
		l.objects(path, a, b)
	case Array:
		if !l.named(path, a, b) {
			l.arrays(path, a, b)
		}
	}
}

func (l *losses) objects(path Path, a, b Node) {
	if b.Valid() && a.Raw() == b.Raw() {
		return
	}
	for child := range a.Children() {
		key, _ := child.Key()
		l.child(path.Key(key), child, child.sibling(b))
	}
}

// child looks at a child of a, and at what b has in its place.
func (l *losses) child(path Path, child, other Node) {
	if other.Valid() {
		l.values(path, child, other)
	} else {
		*l = append(*l, path)
	}
}

// named looks at lists by the names of their elements; it returns false where that cannot be done.
func (l *losses) named(path Path, a, b Node) bool {
	namedB, ok := b.byName()
	if !ok {
		return false
	}
	if _, ok := a.byName(); !ok {
		return false
	}
	for child := range a.Children() {
		name, _ := child.name()
		l.child(path.Named(name), child, namedB[name])
	}
	return true
}

// arrays pairs each element with one that is equal as it is written, then by
// meaning, the rest in their order; what has no partner is lost.
func (l *losses) arrays(path Path, a, b Node) {
	if b.Kind() != Array {
		b = Node{}
	} else if a.Raw() == b.Raw() {
		return
	}
	changed, rest := unpaired(slices.Collect(a.elements()), slices.Collect(b.elements()), asWritten)
	changed, rest = unpaired(changed, rest, asMeant)
	for i, child := range changed {
		var other Node
		if i < len(rest) {
			other = rest[i]
		}
		l.child(path.toChild(child), child, other)
	}
}

// unpaired returns the values of two lists that have no equal in the other one.
func unpaired(a, b []Node, way writing) (ofA, ofB []Node) {
	texts := make([]string, len(b))
	equal, paired := map[string]int{}, map[string]int{}
	for i, n := range b {
		texts[i] = string(n.canonical(nil, way))
		equal[texts[i]]++
	}
	for _, n := range a {
		if text := string(n.canonical(nil, way)); equal[text] > 0 {
			equal[text]--
			paired[text]++
		} else {
			ofA = append(ofA, n)
		}
	}
	for i, n := range b {
		if paired[texts[i]] > 0 {
			paired[texts[i]]--
		} else {
			ofB = append(ofB, n)
		}
	}
	return ofA, ofB
}

// elements goes through the children of a node that may be none.
func (n Node) elements() iter.Seq[Node] {
	if !n.Valid() {
		return func(func(Node) bool) {}
	}
	return n.Children()
}
