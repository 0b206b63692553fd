package secrets

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"geodeck/adminapi/plain"
)

// A server may repeat a secret in capitals, with escapes of HTML, of a URL or of JSON, or
// with invisible characters in between. Texts are therefore compared as their readers see
// them, with the position of each character.

// character is a character of a text, without its case.
type character struct {
	r           rune  // a space for white space of any kind
	from, to    int32 // its bytes in the text
	afterHidden bool  // follows something invisible
}

func folded(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A'
	case r >= flagA && r <= flagZ: // plain writes them as letters
		return r + 'a' - flagA
	case r < utf8.RuneSelf:
		return r
	case unicode.IsSpace(r):
		return ' '
	}
	return unicode.ToLower(unicode.ToUpper(r)) // Kelvin and the long s are letters too
}

const flagA, flagZ = 0x1f1e6, 0x1f1ff // regional indicators

// isVisible reports whether a character can be one of a secret. U+FFFD replaces a broken
// one.
func isVisible(r rune) bool {
	return r != utf8.RuneError && (plain.IsPrintable(r) || r >= flagA && r <= flagZ)
}

// eachRune calls see with the characters of a text, without invisible ones and marks. Of
// an escape sequence it leaves out only the first character.
func eachRune(text string, see func(character)) {
	apart := false
	for i, r := range text {
		if !isVisible(r) {
			apart = true
			continue
		}
		see(character{folded(r), int32(i), int32(i + utf8.RuneLen(r)), apart})
		apart = false
	}
}

// eachDisplayed calls see with the characters of a text that a terminal shows: it leaves
// out whole escape sequences.
func eachDisplayed(text string, see func(character)) {
	apart := false
	plain.Walk(text, func(from, to int, left []byte) {
		unseen := true // until one of its characters is seen
		for _, r := range string(left) {
			if isVisible(r) {
				see(character{folded(r), int32(from), int32(to), apart})
				apart, unseen = false, false
			}
		}
		apart = unseen
	})
}

// hasSequences reports whether a text may contain escape sequences.
func hasSequences(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r == 0x1b || r >= 0x80 && r < 0xa0 || r == utf8.RuneError })
}

// unescaped decodes one layer of escapes of all kinds, appends the result to out, and
// reports whether there were any.
func unescaped(in, out []character) (_ []character, changed bool) {
	apart := false
	for i := 0; i < len(in); {
		c := in[i]
		decoded, size := escapeAt(in[i:])
		if size == 0 {
			c.afterHidden = c.afterHidden || apart
			out, apart = append(out, c), false
			i++
			continue
		}
		changed, apart = true, apart || c.afterHidden
		for _, r := range decoded {
			if !isVisible(r) {
				apart = true
				continue
			}
			out = append(out, character{folded(r), c.from, in[i+size-1].to, apart})
			apart = false
		}
		apart = apart || decoded == ""
		i += size
	}
	return out, changed
}

// escapeAt decodes the escape at the beginning of a text. size is its length in characters,
// 0 if there is none.
func escapeAt(in []character) (decoded string, size int) {
	switch in[0].r {
	case '%':
		return percentAt(in)
	case '&':
		return entityAt(in)
	case '\\':
		return backslashAt(in)
	case '+':
		return " ", 1 // of a form
	}
	return "", 0
}

// percentAt decodes several bytes in a row, which may be one character.
func percentAt(in []character) (string, int) {
	var bytes []byte
	size := 0
	for len(in) >= size+3 && in[size].r == '%' {
		b, ok := hexadecimal(in[size+1 : size+3])
		if !ok {
			break
		}
		bytes = append(bytes, byte(b))
		size += 3
	}
	return string(bytes), size
}

const maxEntity = 32 // characters between & and ;

func entityAt(in []character) (string, int) {
	size := 1
	for size < len(in) && size <= maxEntity && (isWordRune(in[size].r) || size == 1 && in[size].r == '#') {
		size++
	}
	closed := size < len(in) && in[size].r == ';'
	if closed {
		size++
	}
	runes := make([]rune, 0, size)
	for _, c := range in[:size] {
		runes = append(runes, c.r)
	}
	// Names are compared without their case, as the whole text is.
	written := string(runes)
	if text := html.UnescapeString(written); text != written && (closed || in[1].r == '#') {
		return text, size
	}
	for _, short := range []string{"amp", "lt", "gt", "quot"} { // that are read without a semicolon too
		if strings.HasPrefix(written[1:], short) {
			return html.UnescapeString("&" + short + ";"), 1 + len(short)
		}
	}
	return "", 0
}

func backslashAt(in []character) (string, int) {
	if len(in) < 2 {
		return "", 0
	}
	switch r := in[1].r; r {
	case '"', '\'', '\\', '/':
		return string(r), 2
	case 'b', 'f', 'n', 'r', 't', 'v', 'a', '0':
		return "", 2
	case 'x':
		return codePointAt(in, 2)
	case 'u':
		return codePointAt(in, 4)
	}
	return "", 0
}

// codePointAt decodes a backslash, a letter and a number of hexadecimal digits, or two of
// them that are a surrogate pair.
func codePointAt(in []character, digits int) (string, int) {
	size := 2 + digits
	if len(in) < size {
		return "", 0
	}
	r, ok := hexadecimal(in[2:size])
	if !ok {
		return "", 0
	}
	if utf16.IsSurrogate(r) && len(in) >= 2*size && in[size].r == '\\' && in[size+1].r == in[1].r {
		if low, ok := hexadecimal(in[size+2 : 2*size]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return string(pair), 2 * size
			}
		}
	}
	return string(r), size
}

func hexadecimal(in []character) (n rune, ok bool) {
	for _, c := range in {
		switch r := c.r; {
		case r >= '0' && r <= '9':
			n = n<<4 | (r - '0')
		case r >= 'a' && r <= 'f':
			n = n<<4 | (r - 'a' + 10)
		default:
			return 0, false
		}
	}
	return n, true
}

// isWordRune reports whether a rune belongs to a word.
func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
