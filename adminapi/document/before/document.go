package before

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
	large map[Node]map[string]Node // keys of the objects that have many, once they were asked for

	once  sync.Once
	named map[string]Node // elements of named lists by name; an invalid node for a name that several have
}

// Parse reads a JSON text. It refuses what no site can take or what would be
// read in two ways: broken JSON, a key that an object has twice, broken UTF-8,
// half a surrogate pair, more than MaxSize or MaxDepth. The error is a
// [*SyntaxError].
func Parse(data []byte) (*Document, error) {
	if len(data) > MaxSize {
		return nil, &SyntaxError{Line: 1, Column: 1, Message: tooLarge}
	}
	return parse(string(data))
}

func parse(text string) (*Document, error) {
	s := newScanner(text)
	if !s.document() {
		return nil, s.syntaxError()
	}
	return s.doc, nil
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
	for _, step := range path.Steps() {
		var ok bool
		if n, ok = n.step(step); !ok {
			return Node{}, false
		}
	}
	return n, path == Whole || path.valid()
}

func (n Node) step(s Step) (Node, bool) {
	switch s.Kind {
	case ByKey:
		return n.Child(s.Key)
	case ByName:
		return n.element(s.Name)
	}
	if n.Kind() == Array {
		for child := range n.Children() {
			if child.Index() == s.Index {
				return child, true
			}
		}
	}
	return Node{}, false
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
	for {
		inner, found := n.covering(offset)
		if !found {
			return n
		}
		n = inner
	}
}

func (n Node) covering(offset int) (Node, bool) {
	for child := range n.Children() {
		if start, end := child.Span(); start <= offset && offset < end {
			return child, true
		}
	}
	return Node{}, false
}

// Position returns the line and the column of a byte offset, both from 1, in
// characters, as an editor counts them.
func (d *Document) Position(offset int) (line, column int) {
	before := d.text[:min(max(offset, 0), len(d.text))]
	lineStart := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[lineStart:])
}
