package before

import "slices"

// ChangeKind says what happened to a value.
type ChangeKind uint8

// The kinds of changes. Rewritten is the same value written in another way: 1.0
// for 1, or a character for its escape. Moved is a new order of extensions; the
// order of an object's keys has no meaning.
const (
	Added ChangeKind = iota + 1
	Removed
	Changed
	Rewritten
	Moved
)

// String returns the kind as one word, such as "added".
func (k ChangeKind) String() string {
	names := [...]string{"unknown", "added", "removed", "changed", "rewritten", "moved"}
	if int(k) >= len(names) {
		k = 0
	}
	return names[k]
}

// Change is one difference between two documents.
type Change struct {
	Path Path
	Kind ChangeKind
	Old  string // as it was written; empty where Added
	New  string // as it is written; empty where Removed
	At   int    // of what was Added: its place among its siblings, from 0
}

// Diff returns what is different by meaning, in the order of before, then of
// what was added. Objects are compared by their keys, extensions and deployments
// by their names where each has one of its own, any other array is one value.
// White space and the order of keys do not count. Old and New of Moved are the
// names as a JSON list.
func Diff(before, after *Document) []Change {
	var d differences
	d.values(Whole, before.Root(), after.Root())
	return d
}

type differences []Change

func (d *differences) add(path Path, kind ChangeKind, old, new string) {
	*d = append(*d, Change{Path: path, Kind: kind, Old: old, New: new})
}

func (d *differences) added(path Path, n Node) {
	*d = append(*d, Change{Path: path, Kind: Added, New: n.Raw(), At: n.Index()})
}

func (d *differences) values(path Path, a, b Node) {
	if a.Kind() == Object && b.Kind() == Object {
		d.objects(path, a, b)
		return
	}
	if a.isNamedList() && b.isNamedList() && d.named(path, a, b) {
		return
	}
	switch compare(a, b) {
	case rewritten:
		d.add(path, Rewritten, a.Raw(), b.Raw())
	case different:
		d.add(path, Changed, a.Raw(), b.Raw())
	}
}

func (d *differences) objects(path Path, a, b Node) {
	if a.Raw() == b.Raw() {
		return
	}
	for child := range a.Children() {
		key, _ := child.Key()
		if other := child.sibling(b); other.Valid() {
			d.values(path.Key(key), child, other)
		} else {
			d.add(path.Key(key), Removed, child.Raw(), "")
		}
	}
	for child := range b.Children() {
		if !child.sibling(a).Valid() {
			key, _ := child.Key()
			d.added(path.Key(key), child)
		}
	}
}

// named compares lists by the names of their elements; it returns false where that cannot be done.
func (d *differences) named(path Path, a, b Node) bool {
	namedA, okA := a.byName()
	namedB, okB := b.byName()
	if !okA || !okB {
		return false
	}
	for child := range a.Children() {
		name, _ := child.name()
		if other, ok := namedB[name]; ok {
			d.values(path.Named(name), child, other)
		} else {
			d.add(path.Named(name), Removed, child.Raw(), "")
		}
	}
	for child := range b.Children() {
		if name, _ := child.name(); !namedA[name].Valid() {
			d.added(path.Named(name), child)
		}
	}
	if old, new := order(a, namedB), order(b, namedA); !slices.Equal(old, new) {
		d.add(path, Moved, quotedList(old), quotedList(new))
	}
	return true
}

// order returns the names of elements that others have too.
func order(list Node, others map[string]Node) []string {
	var names []string
	for child := range list.Children() {
		if name, _ := child.name(); others[name].Valid() {
			names = append(names, name)
		}
	}
	return names
}

func quotedList(texts []string) string {
	out := []byte{'['}
	for i, text := range texts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, Quote(text)...)
	}
	return string(append(out, ']'))
}
