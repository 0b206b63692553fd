package document

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

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

// similarity is how two values compare.
type similarity uint8

const (
	different similarity = iota
	rewritten            // the same value, but a number or text is written in another way
	same                 // but for white space and the order of keys
)

// compare compares two values by meaning, arrays element by element.
func compare(a, b Node) similarity {
	rawA, rawB := a.Raw(), b.Raw()
	switch kind := a.Kind(); {
	case kind != b.Kind():
		return different
	case rawA == rawB:
		return same
	case kind == Object:
		return compareObjects(a, b)
	case kind == Array:
		return compareArrays(a, b)
	case kind == String && a.Text() == b.Text(), kind == Number && numberOf(rawA) == numberOf(rawB):
		return rewritten
	}
	return different
}

func compareObjects(a, b Node) similarity {
	if a.Len() != b.Len() {
		return different
	}
	result := same
	for child := range a.Children() {
		other := child.sibling(b)
		if !other.Valid() {
			return different
		}
		if result = min(result, compare(child, other)); result == different {
			return different
		}
	}
	return result
}

func compareArrays(a, b Node) similarity {
	if a.Len() != b.Len() {
		return different
	}
	result := same
	for x, y := a.First(), b.First(); x.Valid(); x, y = x.Next(), y.Next() {
		if result = min(result, compare(x, y)); result == different {
			return different
		}
	}
	return result
}

// number is a number by its value: its digits without zeros at either end, and
// the power of ten of the last one. What is beyond any arithmetic is its text.
type number struct {
	digits   string
	exponent int
	negative bool
}

func numberOf(raw string) number {
	text, negative := strings.CutPrefix(raw, "-")
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	exponent := 0
	if power != "" {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil || exponent > 1<<40 || exponent < -1<<40 {
			return number{digits: raw}
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return number{}
	}
	return number{trimmed, exponent + len(digits) - len(trimmed), negative}
}

// equality says when two numbers or texts count as equal.
type equality uint8

const (
	byValue equality = iota // 1 is 1.0
	byText                  // it is not
)

// canonical appends a text that is equal for values that are equal, in whatever
// order their keys are.
func (n Node) canonical(out []byte, by equality) []byte {
	switch n.Kind() {
	case Object:
		members := make([]string, 0, n.Len())
		for child := range n.Children() {
			key, _ := child.Key()
			members = append(members, string(child.canonical(strconv.AppendQuote(nil, key), by)))
		}
		slices.Sort(members)
		return append(append(append(out, '{'), strings.Join(members, ",")...), '}')
	case Array:
		out = append(out, '[')
		for child := range n.Children() {
			out = append(child.canonical(out, by), ',')
		}
		return append(out, ']')
	}
	return n.scalar(out, by)
}

func (n Node) scalar(out []byte, by equality) []byte {
	switch kind := n.Kind(); {
	case by == byText:
		return append(out, n.Raw()...)
	case kind == Number:
		v := numberOf(n.Raw())
		out = append(strconv.AppendBool(out, v.negative), v.digits...)
		return strconv.AppendInt(append(out, 'e'), int64(v.exponent), 10)
	case kind == String:
		return strconv.AppendQuote(out, n.Text())
	}
	return append(out, n.Raw()...)
}

// RemovedKeys returns the keys of base that edited no longer has, in the order of base.
// Of a value that was removed as a whole only the outermost path is named; elements
// of arrays count as keys where their number has shrunk.
func RemovedKeys(base, edited *Document) []Path {
	var l removals
	l.values(Whole, base.Root(), edited.Root())
	return l
}

type removals []Path

// values looks for what a had and b has not. An invalid b has nothing.
func (r *removals) values(path Path, a, b Node) {
	switch a.Kind() {
	case Object:
		r.objects(path, a, b)
	case Array:
		if !r.named(path, a, b) {
			r.arrays(path, a, b)
		}
	}
}

func (r *removals) objects(path Path, a, b Node) {
	if b.Valid() && a.Raw() == b.Raw() {
		return
	}
	for child := range a.Children() {
		key, _ := child.Key()
		r.child(path.Key(key), child, child.sibling(b))
	}
}

// child looks at a child of a, and at what b has in its place.
func (r *removals) child(path Path, child, other Node) {
	if other.Valid() {
		r.values(path, child, other)
	} else {
		*r = append(*r, path)
	}
}

// named looks at lists by the names of their elements; it returns false where that cannot be done.
func (r *removals) named(path Path, a, b Node) bool {
	namedB, ok := b.byName()
	if !ok {
		return false
	}
	if _, ok := a.byName(); !ok {
		return false
	}
	for child := range a.Children() {
		name, _ := child.name()
		r.child(path.Named(name), child, namedB[name])
	}
	return true
}

// arrays pairs each element with one that is equal as it is written, then by
// meaning, the rest in their order; what has no partner was removed.
func (r *removals) arrays(path Path, a, b Node) {
	if b.Kind() != Array {
		b = Node{}
	} else if a.Raw() == b.Raw() {
		return
	}
	changed, rest := unpaired(slices.Collect(a.elements()), slices.Collect(b.elements()), byText)
	changed, rest = unpaired(changed, rest, byValue)
	for i, child := range changed {
		var other Node
		if i < len(rest) {
			other = rest[i]
		}
		r.child(path.toChild(child), child, other)
	}
}

// unpaired returns the values of two lists that have no equal in the other one.
func unpaired(a, b []Node, by equality) (ofA, ofB []Node) {
	texts := make([]string, len(b))
	equal, paired := map[string]int{}, map[string]int{}
	for i, n := range b {
		texts[i] = string(n.canonical(nil, by))
		equal[texts[i]]++
	}
	for _, n := range a {
		if text := string(n.canonical(nil, by)); equal[text] > 0 {
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
