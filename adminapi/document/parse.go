package document

import (
	"bytes"
	"sort"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

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
	if len(text) > MaxSize {
		return nil, &SyntaxError{Line: 1, Column: 1, Message: tooLarge}
	}
	r := reader{doc: &Document{text: text}, maxDepth: MaxDepth}
	if !r.read() {
		return nil, r.syntaxError()
	}
	return r.doc, nil
}

// reader makes the row of values of the tokens of a text.
type reader struct {
	doc      *Document
	maxDepth int
	open     []container
	at       int  // the end of the last good token
	key      node // of the member whose value comes next, with its place
	keyed    bool
}

// container is the values of one object or array while they are read.
type container struct {
	parent, last, count int32
	keys                map[string]bool // once there are many
}

// read returns false where the text is no document, with all that was good before
// that in the reader.
func (r *reader) read() bool {
	text := r.doc.text
	count := 1 + strings.Count(text, ",") + strings.Count(text, "{") + strings.Count(text, "[") // each value is the first or behind a comma
	r.doc.nodes = make([]node, 0, min(count, len(text)/8+8))
	tokens := jsontext.NewDecoder(bytes.NewBufferString(text), jsontext.AllowDuplicateNames(true)) // see has
	for {
		var start int
		kind := tokens.PeekKind()
		isName := len(r.open) > 0 && !r.keyed && r.doc.nodes[r.open[len(r.open)-1].parent].kind == Object
		switch kind {
		case jsontext.KindInvalid:
			return false
		case jsontext.KindBeginObject, jsontext.KindBeginArray:
			if isName || len(r.open) == r.maxDepth {
				return false
			}
			if _, err := tokens.ReadToken(); err != nil {
				return false
			}
			start = int(tokens.InputOffset()) - 1
			id := r.add(start, 0)
			r.open = append(r.open, container{parent: id})
		case jsontext.KindEndObject, jsontext.KindEndArray:
			if _, err := tokens.ReadToken(); err != nil {
				return false
			}
			closed := r.open[len(r.open)-1]
			r.open = r.open[:len(r.open)-1]
			n := &r.doc.nodes[closed.parent]
			n.len, n.end = closed.count, int32(tokens.InputOffset())
		default:
			raw, err := tokens.ReadValue()
			if err != nil || isName && kind != jsontext.KindString {
				return false
			}
			end := int(tokens.InputOffset())
			if isName {
				if r.has(&r.open[len(r.open)-1], text[end-len(raw):end]) {
					return false
				}
				r.key, r.keyed = node{keyStart: int32(end - len(raw)), keyEnd: int32(end)}, true
			} else {
				r.add(end-len(raw), end)
			}
		}
		r.at = int(tokens.InputOffset())
		if len(r.open) == 0 && !r.keyed {
			return strings.Trim(text[r.at:], " \t\r\n") == ""
		}
	}
}

// add appends a value as the next of its family. The end of one that is not read
// yet is 0.
func (r *reader) add(start, end int) (id int32) {
	id = int32(len(r.doc.nodes))
	n := r.key
	n.start, n.end, n.parent = int32(start), int32(end), -1
	if start < len(r.doc.text) {
		n.kind = kindOf(r.doc.text[start])
	}
	if len(r.open) > 0 {
		f := &r.open[len(r.open)-1]
		n.parent, n.index = f.parent, f.count
		if f.count == 0 {
			r.doc.nodes[f.parent].first = id
		} else {
			r.doc.nodes[f.last].next = id
		}
		f.last = id
		f.count++
	}
	r.doc.nodes = append(r.doc.nodes, n)
	r.key, r.keyed = node{}, false
	return id
}

// has reports whether an object has a key already. The keys of small objects are
// looked through, which is quicker than what the decoder does.
func (r *reader) has(f *container, raw string) bool {
	key := unquote(raw)
	if f.count < minIndexedKeys {
		for id := r.doc.nodes[f.parent].first; id > 0; id = r.doc.nodes[id].next {
			if (Node{r.doc, id}).hasKey(key) {
				return true
			}
		}
		return false
	}
	if f.keys == nil {
		f.keys = make(map[string]bool, 4*minIndexedKeys)
		for child := range (Node{r.doc, f.parent}).Children() {
			f.keys[unquote(child.RawKey())] = true
		}
	}
	twice := f.keys[key]
	f.keys[key] = true
	return twice
}

func kindOf(b byte) Kind {
	switch {
	case b == '{':
		return Object
	case b == '[':
		return Array
	case b == '"':
		return String
	case b == '-', '0' <= b && b <= '9':
		return Number
	case b == 't', b == 'f':
		return Bool
	case b == 'n':
		return Null
	}
	return 0
}

// replaced returns the document with a text in the place of some bytes. Only the
// innermost value around them is parsed again. It returns nil where that is the whole
// document, or where what it has become is no value.
func (d *Document) replaced(start, end int, with string) *Document {
	id, depth := d.around(start, end)
	grown := len(with) - (end - start)
	if id == 0 || len(d.text)+grown > MaxSize {
		return nil
	}
	old := d.nodes[id]
	part := reader{doc: &Document{text: d.text[old.start:start] + with + d.text[end:old.end]}, maxDepth: MaxDepth - depth}
	if !part.read() || part.doc.nodes[0].end != int32(len(part.doc.text)) || part.doc.nodes[0].start != 0 {
		return nil
	}
	after := sort.Search(len(d.nodes), func(i int) bool { return d.nodes[i].start >= old.end })
	fresh := part.doc.nodes
	more := int32(len(fresh) - (after - int(id)))
	result := &Document{text: d.text[:start] + with + d.text[end:], nodes: make([]node, 0, len(d.nodes)+int(more))}
	result.nodes = append(result.nodes, d.nodes[:id]...)
	for _, n := range fresh {
		n.move(old.start, id)
		result.nodes = append(result.nodes, n)
	}
	top := &result.nodes[id]
	top.keyStart, top.keyEnd, top.parent, top.index, top.next = old.keyStart, old.keyEnd, old.parent, old.index, old.next
	if top.next > 0 {
		top.next += more
	}
	for outer := old.parent; outer >= 0; outer = result.nodes[outer].parent {
		n := &result.nodes[outer]
		n.end += int32(grown)
		if n.next > 0 {
			n.next += more
		}
	}
	for _, n := range d.nodes[after:] {
		parent := n.parent
		n.move(int32(grown), more)
		if parent < id {
			n.parent = parent
		}
		result.nodes = append(result.nodes, n)
	}
	return result
}

// around returns the innermost value that holds some bytes, or consists of them, and
// how many values are around it.
func (d *Document) around(start, end int) (id int32, depth int) {
	for {
		inner := d.nodes[id].first
		for inner > 0 && int(d.nodes[inner].end) < end {
			inner = d.nodes[inner].next
		}
		if inner <= 0 {
			return id, depth
		}
		n := d.nodes[inner]
		if !(int(n.start) < start && end < int(n.end)) && !(int(n.start) == start && int(n.end) == end) {
			return id, depth
		}
		id, depth = inner, depth+1
	}
}

// move shifts a value by so many bytes and ids.
func (n *node) move(bytes, ids int32) {
	n.start += bytes
	n.end += bytes
	if n.keyEnd > 0 {
		n.keyStart += bytes
		n.keyEnd += bytes
	}
	n.parent += ids
	if n.first > 0 {
		n.first += ids
	}
	if n.next > 0 {
		n.next += ids
	}
}
