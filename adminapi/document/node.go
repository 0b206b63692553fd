package document

import (
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds. The zero Kind is none.
const (
	Null Kind = iota + 1
	Bool
	Number
	String
	Object
	Array
)

// String returns the kind in plain words, such as "a number".
func (k Kind) String() string {
	return [...]string{"nothing", "null", "true or false", "a number", "a text", "an object", "a list"}[k]
}

// Node is one value of a document. The zero Node is none, see [Node.Valid].
// Nodes of one document are equal where they are the same value.
type Node struct {
	doc *Document
	id  int32
}

// node is a value in the row of all values. Offsets are in bytes, ids are places
// in the row; 0 is no child and no sibling, as the root is neither.
type node struct {
	start, end       int32
	keyStart, keyEnd int32 // with the quotes; both 0 without a key
	parent           int32 // the root's is -1
	first, next      int32
	index, len       int32
	kind             Kind
}

func (n Node) at() *node { return &n.doc.nodes[n.id] }

func (n Node) other(id int32) Node {
	if id <= 0 {
		return Node{}
	}
	return Node{n.doc, id}
}

// Valid reports whether the node is a value at all.
func (n Node) Valid() bool { return n.doc != nil }

// Document returns the document the node is of.
func (n Node) Document() *Document { return n.doc }

// Kind returns the kind of the value.
func (n Node) Kind() Kind {
	if !n.Valid() {
		return 0
	}
	return n.at().kind
}

// Raw returns the value exactly as it was written, its key left out.
func (n Node) Raw() string { return n.doc.text[n.at().start:n.at().end] }

// Text returns the content of a string, and of every other value its Raw.
func (n Node) Text() string {
	if n.Kind() != String {
		return n.Raw()
	}
	return unquote(n.Raw())
}

// unquote reads a JSON string that is known to be valid.
func unquote(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, raw)
	return string(text)
}

// Key returns the name under which an object holds the value, and false for an
// element of an array and for the root.
func (n Node) Key() (string, bool) {
	raw := n.RawKey()
	if raw == "" {
		return "", false
	}
	return unquote(raw), true
}

// RawKey returns the key as it was written, with its quotes; empty where there
// is none.
func (n Node) RawKey() string { return n.doc.text[n.at().keyStart:n.at().keyEnd] }

// Index returns the place of the value among its siblings, from 0.
func (n Node) Index() int { return int(n.at().index) }

// Len returns how many values an object or array holds directly.
func (n Node) Len() int { return int(n.at().len) }

// Parent returns the object or array that holds the value, and an invalid node
// for the root.
func (n Node) Parent() Node {
	if n.id == 0 {
		return Node{}
	}
	return Node{n.doc, n.at().parent}
}

// Children returns the values that an object or array holds directly, in
// the order of the text.
func (n Node) Children() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for child := n.First(); child.Valid(); child = child.Next() {
			if !yield(child) {
				return
			}
		}
	}
}

// First returns the first value that an object or array holds, or an invalid
// node.
func (n Node) First() Node { return n.other(n.at().first) }

// Next returns the following sibling, or an invalid node.
func (n Node) Next() Node { return n.other(n.at().next) }

// Child returns the value of a key of an object.
func (n Node) Child(key string) (Node, bool) {
	if n.Kind() != Object {
		return Node{}, false
	}
	if n.Len() > minIndexedKeys {
		child, ok := n.doc.keysOf(n)[key]
		return child, ok
	}
	for child := range n.Children() {
		if child.hasKey(key) {
			return child, true
		}
	}
	return Node{}, false
}

// minIndexedKeys is the number of keys from which on an object's are looked up in a
// map; below it a walk is faster.
const minIndexedKeys = 24

// sibling returns what another object has under the key of n, or what a list has under
// its name; an invalid node where there is none.
func (n Node) sibling(other Node) Node {
	if key, ok := n.Key(); ok {
		found, _ := other.Child(key)
		return found
	}
	if name, ok := n.name(); ok && other.Kind() == Array {
		return other.doc.namedElements()[name]
	}
	return Node{}
}

func (n Node) hasKey(key string) bool {
	raw := n.RawKey()
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1:len(raw)-1] == key
	}
	return unquote(raw) == key
}

// Span returns the bytes of the value, its key left out: from start up to, not
// including, end.
func (n Node) Span() (start, end int) { return int(n.at().start), int(n.at().end) }

// member returns where the value begins with its key.
func (n Node) member() (start, end int) {
	start, end = n.Span()
	if n.at().keyEnd > 0 {
		start = int(n.at().keyStart)
	}
	return start, end
}

// namedLists are the lists of the outermost object whose elements have a name, and
// the key that holds it: extensions in a definition, deployments in a placement
// policy.
var namedLists = []struct {
	path Path
	key  string
}{
	{extensionsPath, "typeName"},
	{"placementPolicy", "deploymentId"},
}

// nameKey returns the key that names the elements of a list; empty for any other.
func nameKey(list Path) string {
	for _, named := range namedLists {
		if list == named.path {
			return named.key
		}
	}
	return ""
}

// isNamedList reports whether n is a list whose elements are named: that of the
// outermost object.
func (n Node) isNamedList() bool {
	parent := n.Parent()
	if n.Kind() != Array || parent.Kind() != Object || parent.id != 0 {
		return false
	}
	key, _ := n.Key()
	return nameKey(Path(key)) != ""
}

// name returns the name of an element of a named list. In a document that is a list
// itself it may be any of the names.
func (n Node) name() (string, bool) {
	list := n.Parent()
	if !list.Valid() {
		return "", false
	}
	key, _ := list.Key()
	for _, named := range namedLists {
		if list.Parent().Valid() && Path(key) != named.path {
			continue
		}
		name, ok := n.Child(named.key)
		if ok && name.Kind() == String && name.at().end > 0 { // 0: it is being read
			return name.Text(), true
		}
	}
	return "", false
}

// uniqueName returns the name of an element where no other element has it.
func (n Node) uniqueName() (string, bool) {
	name, ok := n.name()
	if !ok || n.doc.namedElements()[name] != n {
		return "", false
	}
	return name, true
}

// namedElements returns the elements of the named lists by their names; a name that
// several have leads to an invalid node. In a document that is a list they are its
// elements, so that a list of extensions can be compared alone.
func (d *Document) namedElements() map[string]Node {
	d.once.Do(func() {
		d.named = map[string]Node{}
		for list := range d.listsWithNames() {
			for element := range list.Children() {
				name, ok := element.name()
				if _, twice := d.named[name]; twice {
					element = Node{}
				}
				if ok {
					d.named[name] = element
				}
			}
		}
	})
	return d.named
}

func (d *Document) listsWithNames() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if root := d.Root(); root.Kind() != Object {
			if root.Kind() == Array {
				yield(root)
			}
			return
		}
		for _, named := range namedLists {
			list, _ := d.Root().Child(string(named.path))
			if list.Kind() == Array && !yield(list) {
				return
			}
		}
	}
}
