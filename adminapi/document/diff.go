package document

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/lists"
	"geodeck/adminapi/secrets"
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
	return [...]string{"unknown", "added", "removed", "changed", "rewritten", "moved"}[k]
}

// Change is one difference between two documents.
type Change struct {
	Path Path
	Kind ChangeKind
	Old  string // as it was written; empty where Added
	New  string // as it is written; empty where Removed
	At   int    // of what was Added: its place among its siblings, from 0
	// Secret says that it is the value of an object that names a secret beside it, which the
	// path does not tell.
	Secret bool
}

// Diff returns what is different by meaning, in the order of before, then of
// what was added. Objects are compared by their keys, extensions and deployments
// by their names where these are unique, or by their places where some only lost their names; any other array is one value.
// White space and the order of keys do not count. Old and New of Moved are the
// names as a JSON list.
func Diff(before, after *Document) []Change {
	var d differences
	d.values(Whole, before.Root(), after.Root())
	return d
}

type differences []Change

func (d *differences) add(path Path, kind ChangeKind, old, new Node) {
	*d = append(*d, Change{Path: path, Kind: kind, Old: rawOf(old), New: rawOf(new), Secret: old.isNamedSecret() || new.isNamedSecret()})
}

// isNamedSecret reports whether the node is, or stands in, the value of an object that names
// a secret. An invalid node is none.
func (n Node) isNamedSecret() bool {
	for n.Valid() {
		parent := n.Parent()
		if key, _ := n.Key(); secrets.HoldsValue(key) && parent.namesSecret() {
			return true
		}
		n = parent
	}
	return false
}

func (n Node) namesSecret() bool {
	for child := range n.Children() {
		if key, _ := child.Key(); secrets.TellsName(key) && child.Kind() == String && secrets.IsMember(child.Text()) {
			return true
		}
	}
	return false
}

func (d *differences) values(path Path, a, b Node) {
	named := areNamedLists(a, b)
	if named || a.Kind() == Object && b.Kind() == Object {
		for x, y := range members(a, b) {
			switch {
			case !y.Valid():
				d.add(path.toChild(x), Removed, x, y)
			case !x.Valid():
				d.add(path.toChild(y), Added, x, y)
				(*d)[len(*d)-1].At = y.Index()
			case x.Raw() != y.Raw():
				d.values(path.toChild(x), x, y)
			}
		}
		if !named {
			return
		}
		if old, new := order(a, b), order(b, a); !slices.Equal(old, new) {
			*d = append(*d, Change{Path: path, Kind: Moved, Old: QuoteList(old), New: QuoteList(new)})
		}
		return
	}
	if losesNames(a, b) {
		for x, y := a.First(), b.First(); x.Valid(); x, y = x.Next(), y.Next() {
			at, from := path.toChild(x), len(*d)
			d.values(at, x, y)
			name := at.Key(nameKey(path))
			if i := slices.IndexFunc((*d)[from:], func(c Change) bool { return c.Path == name }); i >= 0 { // last: the paths of the others have it
				lost := (*d)[from+i]
				*d = append(slices.Delete(*d, from+i, from+i+1), lost)
			}
		}
		return
	}
	switch compare(a, b) {
	case rewritten:
		d.add(path, Rewritten, a, b)
	case different:
		d.add(path, Changed, a, b)
	}
}

// members returns the children of two objects, or lists of named elements, in pairs of the
// same key or name: those of a in their order, then what only b has. A node is invalid
// where one of them has no such child; a and b may be invalid too.
func members(a, b Node) iter.Seq2[Node, Node] {
	return func(yield func(Node, Node) bool) {
		var next Node // of b: most documents have the same order, and need no search
		if b.Valid() {
			next = b.First()
		}
		pairs := 0
		for x := range a.elements() {
			y := next
			if !y.Valid() || x.RawKey() == "" || x.RawKey() != y.RawKey() {
				y = x.sibling(b)
			}
			if y.Valid() {
				next = y.Next()
				pairs++
			}
			if !yield(x, y) {
				return
			}
		}
		if b.Valid() && pairs == b.Len() {
			return
		}
		for y := range b.elements() {
			if !y.sibling(a).Valid() && !yield(Node{}, y) {
				return
			}
		}
	}
}

// areNamedLists reports whether all are lists whose elements have unique names.
func areNamedLists(lists ...Node) bool {
	for _, list := range lists {
		if !list.Valid() || !list.isNamedList() {
			return false
		}
		for element := range list.Children() {
			if _, ok := element.uniqueName(); !ok {
				return false
			}
		}
	}
	return true
}

// losesNames reports whether b has the named elements of a in their order, but some without
// their names: those are compared by their place.
func losesNames(a, b Node) bool {
	if !a.Valid() || !b.Valid() || a.Len() != b.Len() || !b.isNamedList() || !areNamedLists(a) { // the quick ones first
		return false
	}
	for x, y := a.First(), b.First(); x.Valid(); x, y = x.Next(), y.Next() {
		was, _ := x.name()
		if now, named := y.Child(nameKey(y.Parent().Path())); y.Kind() != Object || named && now.Raw() != Quote(was) {
			return false
		}
	}
	return true
}

// Counterpart finds the value of d in the place of one of another version: an element that has
// lost its name is where it was.
func (d *Document) Counterpart(n Node) (Node, bool) {
	found, ok := d.Find(n.Path())
	if ok || !n.Parent().Valid() {
		return found, ok
	}
	parent, ok := d.Counterpart(n.Parent())
	switch {
	case !ok:
		return Node{}, false
	case losesNames(n.Parent(), parent):
		found = parent.nth(n.Index())
	default:
		found = n.sibling(parent)
	}
	return found, found.Valid()
}

// order returns the names of the elements that another list has too.
func order(list, other Node) []string {
	var names []string
	for child := range list.Children() {
		if name, _ := child.name(); child.sibling(other).Valid() {
			names = append(names, name)
		}
	}
	return names
}

// QuoteList returns texts as a JSON list of strings, see [Quote].
func QuoteList(texts []string) string {
	return "[" + strings.Join(lists.Each(texts, Quote), ",") + "]"
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
	case kind >= Object && a.Len() != b.Len():
		return different
	case kind == Object:
		result := same
		for x, y := range members(a, b) {
			if !y.Valid() {
				return different
			}
			if result = min(result, compare(x, y)); result == different {
				break
			}
		}
		return result
	case kind == Array:
		result := same
		for x, y := a.First(), b.First(); x.Valid() && result > different; x, y = x.Next(), y.Next() {
			result = min(result, compare(x, y))
		}
		return result
	case kind == String && a.Text() == b.Text(), kind == Number && numberOf(rawA) == numberOf(rawB):
		return rewritten
	}
	return different
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
	case kind == Number:
		v := numberOf(n.Raw())
		out = append(strconv.AppendBool(out, v.negative), v.digits...)
		return strconv.AppendInt(append(out, 'e'), int64(v.exponent), 10)
	case kind == String:
		return strconv.AppendQuote(out, n.Text())
	}
	return append(out, n.Raw()...)
}

// removals are the keys of a value that another one no longer has, in the order of the first. Of a value
// that was removed as a whole only the outermost path is named; elements of arrays count as keys where
// their number has shrunk.
type removals []Path

// values looks for what a had and b has not. An invalid b has nothing.
func (r *removals) values(path Path, a, b Node) {
	switch {
	case b.Valid() && a.Raw() == b.Raw():
	case a.Kind() == Object || areNamedLists(a, b):
		for x, y := range members(a, b) {
			if x.Valid() {
				r.child(path.toChild(x), x, y)
			}
		}
	case a.Kind() == Array:
		r.arrays(path, a, b)
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

// arrays pairs each element with one that is equal as it is written, then by
// meaning, the rest in their order; what has no partner was removed.
func (r *removals) arrays(path Path, a, b Node) {
	if b.Kind() != Array {
		b = Node{}
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

// elements returns the children of a node that may be invalid.
func (n Node) elements() iter.Seq[Node] {
	if !n.Valid() {
		return func(func(Node) bool) {}
	}
	return n.Children()
}
