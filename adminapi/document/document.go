// Package document holds the JSON of a service's definition exactly as it was
// written, and changes only the bytes that an edit is about: numbers, order,
// escapes and white space stay. It compares versions, finds removed keys, merges
// three versions, names the risks of a change, and knows what the fields mean. It is pure: no I/O, no clock.
//
// Start at [Parse]; a [Document] never changes, every edit returns a new one.
// Raw text, keys and values are the server's: they are cleaned by package plain
// before a person sees them. A [Path] is clean as it is.
package document

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// What a document may have at most. A definition of a service has a few hundred
// lines.
const (
	MaxSize  = 4 << 20 // bytes
	MaxDepth = 200     // objects and arrays within each other
)

// Document is one JSON value with its exact bytes. It never changes and may be
// read by several goroutines. The zero Document is not usable: see [Parse].
type Document struct {
	text  string
	nodes []node // the root first, then in the order of the text

	mutex sync.Mutex
	large map[Node]map[string]Node // keys of the objects that have many, made at the first lookup

	once  sync.Once
	named map[string]Node // elements of named lists by name; an invalid node for a name that several have
}

// Bytes returns a copy of the text, byte for byte as it was parsed.
func (d *Document) Bytes() []byte { return []byte(d.text) }

// Text returns the text as Bytes does, without a copy.
func (d *Document) Text() string { return d.text }

// Root returns the outermost value.
func (d *Document) Root() Node { return Node{d, 0} }

// Find returns the value at a path, and false where the document has none.
func (d *Document) Find(path Path) (Node, bool) {
	n := d.Root()
	steps, err := readSteps(string(path))
	for _, step := range steps {
		var ok bool
		if n, ok = n.step(step); !ok {
			return Node{}, false
		}
	}
	return n, err == nil
}

func (n Node) step(s Step) (Node, bool) {
	switch s.Kind {
	case ByKey:
		return n.Child(s.Key)
	case ByName:
		if !n.isNamedList() {
			return Node{}, false
		}
		// The name has to be unique.
		found := n.doc.namedElements()[s.Name]
		return found, found.Valid() && found.Parent() == n
	}
	if n.Kind() != Array || s.Index < 0 || s.Index >= n.Len() {
		return Node{}, false
	}
	return n.nth(s.Index), true
}

// keysOf returns the values of a large object by their keys.
func (d *Document) keysOf(object Node) map[string]Node {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if keys, ok := d.large[object]; ok {
		return keys
	}
	keys := make(map[string]Node, object.Len())
	for child := range object.Children() {
		key, _ := child.Key()
		keys[key] = child
	}
	if d.large == nil {
		d.large = map[Node]map[string]Node{}
	}
	d.large[object] = keys
	return keys
}

// At returns the innermost value that covers a byte offset; a key, its colon and
// the white space before them belong to the value that holds them.
func (d *Document) At(offset int) Node {
	n := d.Root()
	for child := n.First(); child.Valid(); {
		if start, end := child.Span(); start <= offset && offset < end {
			n, child = child, child.First()
		} else {
			child = child.Next()
		}
	}
	return n
}

// Position returns the line and the column of a byte offset, both from 1, in
// characters, as an editor counts them.
func (d *Document) Position(offset int) (line, column int) {
	before := d.text[:min(max(offset, 0), len(d.text))]
	lineStart := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[lineStart:])
}

// Part says which part of a value a line shows.
type Part uint8

// The parts: a value that needs one line only, or the two ends of an object or
// array that holds something.
const (
	WholeValue Part = iota
	Opening
	Closing
)

// Line is one line of a document set out for reading, whatever its own layout.
type Line struct {
	Node  Node // the value
	Part  Part
	Depth int // of indentation; the root has 0
	Pair  int // index of the line with the other end; its own for WholeValue
}

// Comma reports whether a comma follows what the line shows.
func (l Line) Comma() bool { return l.Part != Opening && l.Node.Next().Valid() }

// Lines returns the document set out for reading: one line for each plain or
// empty value, two for the ends of any other. Each call makes new
// lines, in a fraction of the time that [Parse] takes.
func (d *Document) Lines() []Line {
	count := len(d.nodes)
	for i := range d.nodes {
		if d.nodes[i].len > 0 {
			count++
		}
	}
	lines := make([]Line, 0, count)
	return d.Root().lines(lines, 0)
}

func (n Node) lines(lines []Line, depth int) []Line {
	here := len(lines)
	lines = append(lines, Line{Node: n, Depth: depth, Pair: here})
	if n.at().len == 0 {
		return lines
	}
	for child := n.First(); child.Valid(); child = child.Next() {
		lines = child.lines(lines, depth+1)
	}
	lines[here].Part, lines[here].Pair = Opening, len(lines)
	return append(lines, Line{Node: n, Part: Closing, Depth: depth, Pair: here})
}
