package before

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"geodeck/adminapi/plain"
)

// SyntaxError is a text that is no document, with the place as an editor counts
// it: lines and columns from 1, columns in characters.
type SyntaxError struct {
	Line, Column int
	Offset       int    // in bytes, from 0
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
	tooDeep  = "more than 200 objects and lists within each other"
)

// syntaxError returns the fault that was noted.
func (s *scanner) syntaxError() *SyntaxError {
	e := &SyntaxError{Offset: s.fault, Message: s.message}
	e.Line, e.Column = s.doc.Position(s.fault)
	if len(s.doc.nodes) > 0 {
		e.Path = Node{s.doc, s.reading}.Path()
	}
	return e
}

// noComma explains what stands where a comma or the end should.
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

// noKey explains what stands where a key should.
func (s *scanner) noKey() bool {
	if s.text[s.at] == ',' {
		return s.fail(s.at, "a comma too many")
	}
	return s.unexpected("a key in double quotes")
}

// noValue explains what stands where a value should.
func (s *scanner) noValue() bool {
	switch s.peek() {
	case 0:
		if s.at == len(s.text) {
			return s.fail(s.at, "the text ends where a value should stand")
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
		return s.fail(s.at, "texts and keys stand in double quotes, not in single ones")
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
	return "a character that cannot be shown"
}

// shown returns text in quotes, clean and short, for a message.
func shown(text string) string { return `"` + plain.Clip(text, 60) + `"` }
