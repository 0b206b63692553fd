package document

import "iter"

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
func (k Kind) String() string { panic("contract only") }

// Node is one value of a document. The zero Node is none, see [Node.Valid].
// Nodes of one document are equal where they are the same value.
type Node struct {
	doc *Document
	id  int32
}

type node struct{}

// Valid tells whether the node is a value at all.
func (n Node) Valid() bool { return n.doc != nil }

// Document returns the document the node is of.
func (n Node) Document() *Document { return n.doc }

// Kind returns the kind of the value.
func (n Node) Kind() Kind { panic("contract only") }

// Raw returns the value exactly as it was written, its key left out.
func (n Node) Raw() string { panic("contract only") }

// Text returns the content of a string, and of every other value its Raw.
func (n Node) Text() string { panic("contract only") }

// Key returns the name under which an object holds the value, and false for an
// element of an array and for the root.
func (n Node) Key() (string, bool) { panic("contract only") }

// RawKey returns the key as it was written, with its quotes; empty where there
// is none.
func (n Node) RawKey() string { panic("contract only") }

// Index returns the place of the value among its siblings, from 0.
func (n Node) Index() int { panic("contract only") }

// Len returns how many values an object or array holds directly.
func (n Node) Len() int { panic("contract only") }

// Parent returns the object or array that holds the value, and an invalid node
// for the root.
func (n Node) Parent() Node { panic("contract only") }

// Children goes through the values that an object or array holds directly, in
// the order of the text.
func (n Node) Children() iter.Seq[Node] { panic("contract only") }

// Next returns the following sibling, or an invalid node.
func (n Node) Next() Node { panic("contract only") }

// Child returns the value of a key of an object.
func (n Node) Child(key string) (Node, bool) { panic("contract only") }

// Path returns the place of the value in its document.
func (n Node) Path() Path { panic("contract only") }

// Span returns the bytes of the value, its key left out: from start up to, not
// including, end.
func (n Node) Span() (start, end int) { panic("contract only") }

// LineSpan returns the first and the last line of the value in the document's
// own text, from 1, its key included.
func (n Node) LineSpan() (first, last int) { panic("contract only") }
