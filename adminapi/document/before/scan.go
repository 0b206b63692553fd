package before

import (
	"strings"
	"unicode/utf8"
)

// manyKeys is the number of keys from which on an object's are looked up in a
// map; below it a walk is faster.
const manyKeys = 24

// scanner reads a text once into the row of its values. Each of its methods
// tells whether it went well; where it did not, the fault is noted.
type scanner struct {
	doc   *Document
	text  string
	at    int
	depth int
	bad   int // offset of the first broken UTF-8, or beyond the text

	message string // of the fault
	fault   int    // its offset
	reading int32  // the value that was being read
}

func newScanner(text string) *scanner {
	s := &scanner{text: text, bad: len(text) + 1, doc: &Document{text: text}}
	s.doc.nodes = make([]node, 0, len(text)/32+8)
	if !utf8.ValidString(text) {
		s.bad = firstBroken(text)
	}
	return s
}

func firstBroken(text string) int {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
	}
	return len(text) + 1
}

func (s *scanner) fail(offset int, message string) bool {
	s.fault, s.message = offset, message
	return false
}

func (s *scanner) document() bool {
	if len(s.text) > MaxSize {
		return s.fail(0, tooLarge)
	}
	s.space()
	if s.at == len(s.text) {
		return s.fail(0, "the text is empty")
	}
	if !s.value(node{parent: -1}) {
		return false
	}
	s.space()
	if s.at < len(s.text) {
		s.reading = 0
		return s.fail(s.at, "the document has ended, but the text goes on with "+s.next())
	}
	return true
}

func (s *scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\n', '\r', '\t':
			s.at++
		default:
			return
		}
	}
}

// value reads a value; n has its key and parent.
func (s *scanner) value(n node) bool {
	id := int32(len(s.doc.nodes))
	s.reading = id
	n.start = int32(s.at)
	if s.at < len(s.text) {
		n.kind = kindOf(s.text[s.at])
	}
	s.doc.nodes = append(s.doc.nodes, n)
	if !s.body(id, n.kind) {
		return false
	}
	s.doc.nodes[id].end = int32(s.at)
	return true
}

func (s *scanner) body(id int32, k Kind) bool {
	switch k {
	case Object:
		return s.nested(id, '}', s.member)
	case Array:
		return s.nested(id, ']', s.element)
	case String:
		return s.str()
	case Number:
		return s.number()
	case Bool, Null:
		return s.word()
	}
	return s.noValue()
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

// nested reads an object or array up to its closing bracket.
func (s *scanner) nested(id int32, closing byte, item func(*family) bool) bool {
	opened := s.at
	if s.depth++; s.depth > MaxDepth {
		return s.fail(s.at, tooDeep)
	}
	s.at++
	f := family{parent: id}
	for s.space(); s.at < len(s.text) && s.text[s.at] != closing; s.space() {
		if f.count > 0 && !s.comma(closing) {
			return false
		}
		if !item(&f) {
			return false
		}
		s.reading = id
	}
	if s.at == len(s.text) {
		return s.fail(s.at, "the text ends before the "+string(closing)+" for the "+s.text[opened:opened+1]+" of "+s.lineOf(opened))
	}
	s.at++
	s.depth--
	s.doc.nodes[id].len = f.count
	return true
}

// family is the values of one object or array while they are read.
type family struct {
	parent, last int32
	count        int32
	seen         map[string]int32 // keys, once there are many
}

// join returns a new value as the next of its family.
func (s *scanner) join(f *family) node {
	id := int32(len(s.doc.nodes))
	if f.count == 0 {
		s.doc.nodes[f.parent].first = id
	} else {
		s.doc.nodes[f.last].next = id
	}
	f.last = id
	f.count++
	return node{parent: f.parent, index: f.count - 1}
}

func (s *scanner) element(f *family) bool { return s.value(s.join(f)) }

func (s *scanner) member(f *family) bool {
	start := s.at
	if s.text[start] != '"' {
		return s.noKey()
	}
	if !s.str() {
		return false
	}
	n := node{keyStart: int32(start), keyEnd: int32(s.at)}
	if first, twice := s.taken(f, n); twice {
		s.reading = first
		return s.fail(start, "the key "+shown(unquote(s.text[start:s.at]))+" is there twice, first on "+s.lineOf(int(s.doc.nodes[first].keyStart)))
	}
	s.space()
	if s.at == len(s.text) || s.text[s.at] != ':' {
		return s.fail(s.at, "a colon is missing after the key "+shown(unquote(s.text[start:n.keyEnd])))
	}
	s.at++
	s.space()
	joined := s.join(f)
	joined.keyStart, joined.keyEnd = n.keyStart, n.keyEnd
	return s.value(joined)
}

// taken tells whether the family has the key of n already, and which it is.
func (s *scanner) taken(f *family, n node) (int32, bool) {
	key := unquote(s.text[n.keyStart:n.keyEnd])
	if f.count < manyKeys {
		for id := s.doc.nodes[f.parent].first; id > 0; id = s.doc.nodes[id].next {
			if (Node{s.doc, id}).hasKey(key) {
				return id, true
			}
		}
		return 0, false
	}
	if f.seen == nil {
		f.seen = make(map[string]int32, 4*manyKeys)
		for id := s.doc.nodes[f.parent].first; id > 0; id = s.doc.nodes[id].next {
			f.seen[unquote(Node{s.doc, id}.RawKey())] = id
		}
	}
	id, twice := f.seen[key]
	f.seen[key] = int32(len(s.doc.nodes))
	return id, twice
}

// comma reads what separates two values.
func (s *scanner) comma(closing byte) bool {
	if s.text[s.at] != ',' {
		return s.noComma(closing)
	}
	at := s.at
	s.at++
	if s.space(); s.at < len(s.text) && s.text[s.at] == closing {
		return s.fail(at, "a comma before "+string(closing)+": nothing follows it")
	}
	if s.at == len(s.text) {
		return s.fail(s.at, "the text ends after a comma")
	}
	return true
}

func (s *scanner) lineOf(offset int) string {
	return "line " + decimal(1+strings.Count(s.text[:offset], "\n"))
}
