package before

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// str reads a string with its quotes.
func (s *scanner) str() bool {
	start := s.at
	for s.at++; s.at < len(s.text); {
		switch b := s.text[s.at]; {
		case b == '"':
			s.at++
			return s.bad >= s.at || s.fail(s.bad, "a byte that is not UTF-8: the file is in another encoding")
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
	return s.fail(start, "the closing quote of this text is missing")
}

// control refuses a bare control character in a string.
func (s *scanner) control(start int) bool {
	switch s.text[s.at] {
	case '\n', '\r':
		return s.fail(start, "the closing quote of this text is missing on its line")
	case '\t':
		return s.fail(s.at, `a tab inside a text: write \t`)
	}
	return s.fail(s.at, "a control character inside a text")
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
		return s.fail(at, `an escape that JSON does not have: a backslash itself is written \\`)
	}
	if !utf16.IsSurrogate(r) {
		return true
	}
	if second, ok := s.unicode(); !ok || utf16.DecodeRune(r, second) == '\uFFFD' {
		return s.fail(at, "half of a character: this escape is one of a pair, and the other is missing")
	}
	return true
}

// unicode reads an escape of the form \u12ab, if one comes.
func (s *scanner) unicode() (rune, bool) {
	if s.at+6 > len(s.text) || s.text[s.at:s.at+2] != `\u` {
		return 0, false
	}
	code := 0
	for i := s.at + 2; i < s.at+6; i++ {
		digit := strings.IndexByte("0123456789abcdef", lower(s.text[i]))
		if digit < 0 {
			return 0, false
		}
		code = code<<4 | digit
	}
	s.at += 6
	return rune(code), true
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}

// number reads a number; what follows it is looked at by who asked.
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
			return s.fail(whole, "a number does not begin with 0")
		}
	}
	if s.peek() == '.' {
		if s.at++; s.digits() == 0 {
			return s.fail(s.at, "a digit is missing after the decimal point")
		}
	}
	return lower(s.peek()) != 'e' || s.exponent()
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

// word reads true, false or null.
func (s *scanner) word() bool {
	for _, word := range []string{"true", "false", "null"} {
		if strings.HasPrefix(s.text[s.at:], word) {
			s.at += len(word)
			return true
		}
	}
	return s.noValue()
}

func decimal(n int) string { return strconv.Itoa(n) }
