package document

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"geodeck/adminapi/plain"
)

// SyntaxError is a text that is no document, with the place as an editor counts
// it: lines and columns from 1, columns in characters.
type SyntaxError struct {
	Line, Column int
	Path         Path   // of the value that was being read
	Message      string // plain words, clean
}

// Error returns the message with its place.
func (e *SyntaxError) Error() string {
	at := "line " + strconv.Itoa(e.Line) + ", column " + strconv.Itoa(e.Column)
	if e.Path != Whole {
		at += ", at " + e.Path.String()
	}
	return at + ": " + e.Message
}

const (
	tooLarge = "the text is too large: at most 4 MiB are read"
	tooDeep  = "more than 200 levels of objects and lists"
)

// scanner finds what is wrong with a text behind its last good token. Its
// methods read on, and return false where they have found it.
type scanner struct {
	text    string
	at      int
	offset  int
	message string
}

func (s *scanner) fail(offset int, message string) bool {
	s.offset, s.message = offset, message
	return false
}

// syntaxError returns the error of a text that could not be read.
func (r *reader) syntaxError() *SyntaxError {
	s := scanner{text: r.doc.text, at: r.at}
	reading := r.find(&s)
	e := &SyntaxError{Message: s.message}
	e.Line, e.Column = r.doc.Position(s.offset)
	if len(r.doc.nodes) > 0 {
		e.Path = Node{r.doc, reading}.Path()
	}
	return e
}

// find looks for the fault, and returns the value that was being read.
func (r *reader) find(s *scanner) (reading int32) {
	if last := int32(len(r.doc.nodes)) - 1; last >= 0 && !r.keyed && r.doc.nodes[last].kind == Number && int(r.doc.nodes[last].end) == s.at && s.digits() > 0 {
		start := int(r.doc.nodes[last].start)
		s.fail(start+strings.IndexByte(s.text[start:], '0'), "a number cannot begin with 0")
		return last
	}
	s.space()
	switch {
	case len(r.doc.nodes) == 0 && s.at == len(s.text):
		s.fail(0, "the text is empty")
		return 0
	case len(r.doc.nodes) == 0:
		return r.findInValue(s)
	case len(r.open) == 0:
		s.fail(s.at, "the document has ended, but the text continues with "+s.next())
		return 0
	}
	around := r.open[len(r.open)-1]
	parent := r.doc.nodes[around.parent]
	if !r.keyed {
		opened, closing := int(parent.start), byte(']')
		if parent.kind == Object {
			closing = '}'
		}
		if s.at == len(s.text) {
			s.fail(s.at, "the text ends before the "+string(closing)+" for the "+s.text[opened:opened+1]+" of "+s.lineOf(opened))
			return around.parent
		}
		if around.count > 0 && !s.comma(closing) {
			return around.parent
		}
		if parent.kind == Object {
			start := s.at
			if s.text[start] != '"' {
				s.noKey()
				return around.parent
			}
			if !s.str() {
				return around.parent
			}
			key := unquote(s.text[start:s.at])
			for child := range (Node{r.doc, around.parent}).Children() {
				if child.hasKey(key) {
					s.fail(start, "the key "+shown(key)+" appears twice, first on "+s.lineOf(int(child.at().keyStart)))
					return child.id
				}
			}
			r.key, r.keyed = node{keyStart: int32(start), keyEnd: int32(s.at)}, true
		}
	}
	if r.keyed {
		if s.space(); s.at == len(s.text) || s.text[s.at] != ':' {
			s.fail(s.at, "a colon is missing after the key "+shown(unquote(s.text[r.key.keyStart:r.key.keyEnd])))
			return around.parent
		}
		s.at++
		s.space()
	}
	return r.findInValue(s)
}

// findInValue looks for what is wrong with the value that comes next, and returns it.
func (r *reader) findInValue(s *scanner) int32 {
	id := r.add(s.at, 0)
	switch r.doc.nodes[id].kind {
	case Object, Array:
		s.fail(s.at, tooDeep)
	case String:
		s.str()
	case Number:
		s.number()
	default:
		s.noValue()
	}
	return id
}

func (s *scanner) space() { s.at = len(s.text) - len(strings.TrimLeft(s.text[s.at:], " \t\r\n")) }

func (s *scanner) lineOf(offset int) string {
	return "line " + strconv.Itoa(1+strings.Count(s.text[:offset], "\n"))
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

// noComma explains what was found in place of a comma or the end.
func (s *scanner) noComma(closing byte) bool {
	last := strings.TrimRight(s.text[:s.at], " \t\r\n")
	switch b := s.text[s.at]; {
	case b == '}' || b == ']':
		return s.fail(s.at, "a "+string(b)+" where a "+string(closing)+" should close")
	case b == '"' || kindOf(b) != 0:
		return s.fail(len(last), "a comma is missing before the next value")
	case b == ':':
		return s.fail(s.at, "a colon in a list, or a second one after a key")
	}
	return s.unexpected("a comma or a " + string(closing))
}

// noKey explains what was found in place of a key.
func (s *scanner) noKey() bool {
	if s.text[s.at] == ',' {
		return s.fail(s.at, "an extra comma")
	}
	return s.unexpected("a key in double quotes")
}

// noValue explains what was found in place of a value.
func (s *scanner) noValue() bool {
	switch s.peek() {
	case 0:
		if s.at == len(s.text) {
			return s.fail(s.at, "the text ends where a value is expected")
		}
	case ',', '}', ']':
		return s.fail(s.at, "a value is missing before "+s.next())
	case '+', '.':
		return s.fail(s.at, "a number begins with a digit or a minus")
	}
	return s.unexpected("a value")
}

// unexpected names what there is, and what should be there.
func (s *scanner) unexpected(wanted string) bool {
	switch s.text[s.at] {
	case '\'':
		return s.fail(s.at, "strings and keys need double quotes, not single ones")
	case '/', '#':
		return s.fail(s.at, "JSON has no comments")
	}
	return s.fail(s.at, wanted+" is missing; there is "+s.next())
}

// next names what comes next in the text: a word, or a character.
func (s *scanner) next() string {
	rest := s.text[s.at:]
	if strings.HasPrefix(rest, "\ufeff") {
		return "a byte order mark: save the file without it"
	}
	end := 0
	for end < len(rest) && end < 20 && isWordByte(rest[end]) {
		end++
	}
	if end > 0 {
		return shown(rest[:end])
	}
	r, size := utf8.DecodeRuneInString(rest)
	if text := string(r); size > 1 && r != utf8.RuneError && plain.Line(text) == text || size == 1 && ' ' < r && r < 0x7f {
		return text
	}
	return "an unprintable character"
}

// shown returns text in quotes, clean and short, for a message.
func shown(text string) string { return `"` + plain.Clip(text, 60) + `"` }

// str reads a string with its quotes.
func (s *scanner) str() bool {
	start := s.at
	for s.at++; s.at < len(s.text); {
		switch b := s.text[s.at]; {
		case b == '"':
			s.at++
			if broken := firstBroken(s.text[start:s.at]); broken >= 0 {
				return s.fail(start+broken, "a byte that is not UTF-8: the file is in another encoding")
			}
			return true
		case b == '\\':
			if !s.escape() {
				return false
			}
		case b < ' ':
			return s.control(start)
		default:
			s.at++
		}
	}
	return s.fail(start, "the closing quote of this string is missing")
}

// control refuses a bare control character in a string.
func (s *scanner) control(start int) bool {
	switch s.text[s.at] {
	case '\n', '\r':
		return s.fail(start, "the closing quote of this string is missing on its line")
	case '\t':
		return s.fail(s.at, `a tab inside a string: write \t`)
	}
	return s.fail(s.at, "a control character inside a string")
}

// escape reads one escape, or the two of a surrogate pair.
func (s *scanner) escape() bool {
	at := s.at
	if at+1 < len(s.text) && strings.IndexByte(`"\/bfnrt`, s.text[at+1]) >= 0 {
		s.at += 2
		return true
	}
	r, ok := s.unicode()
	if !ok {
		return s.fail(at, `not a JSON escape; write a backslash as \\`)
	}
	if !utf16.IsSurrogate(r) {
		return true
	}
	if second, ok := s.unicode(); !ok || utf16.DecodeRune(r, second) == '\uFFFD' {
		return s.fail(at, "half of a surrogate pair: the other escape is missing")
	}
	return true
}

// unicode reads an escape of the form \u12ab, if one comes.
func (s *scanner) unicode() (rune, bool) {
	if s.at+6 > len(s.text) || s.text[s.at:s.at+2] != `\u` {
		return 0, false
	}
	code, err := strconv.ParseUint(s.text[s.at+2:s.at+6], 16, 16)
	if err != nil {
		return 0, false
	}
	s.at += 6
	return rune(code), true
}

// number reads a number; the caller checks what follows it.
func (s *scanner) number() bool {
	if s.text[s.at] == '-' {
		s.at++
	}
	whole := s.at
	switch s.digits() {
	case 0:
		return s.fail(s.at, "a digit is missing after the minus")
	case 1:
	default:
		if s.text[whole] == '0' {
			return s.fail(whole, "a number cannot begin with 0")
		}
	}
	if s.peek() == '.' {
		if s.at++; s.digits() == 0 {
			return s.fail(s.at, "a digit is missing after the decimal point")
		}
	}
	b := s.peek()
	return b != 'e' && b != 'E' || s.exponent()
}

func (s *scanner) exponent() bool {
	s.at++
	if b := s.peek(); b == '+' || b == '-' {
		s.at++
	}
	return s.digits() > 0 || s.fail(s.at, "a digit is missing in the exponent of the number")
}

func (s *scanner) digits() int {
	start := s.at
	for b := s.peek(); '0' <= b && b <= '9'; b = s.peek() {
		s.at++
	}
	return s.at - start
}

// peek returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// firstBroken returns where a text is no UTF-8, -1 where it is.
func firstBroken(text string) int {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return i
		}
	}
	return -1
}
