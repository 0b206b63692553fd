// Package plain makes text of servers fit for a terminal. All text from a server, a file
// or a node label is cleaned here before it is drawn, printed, or written into a table.
//
// Start at [Line] and [Text].
package plain

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// The limits of a text. Longer ones end in an ellipsis.
const (
	MaxLine  = 4_000   // cells of a line
	MaxLines = 10_000  // lines of a text
	MaxText  = 1 << 20 // bytes of a text, about as much as people page through
	MaxMarks = 4       // combining marks on one character
)

// Ellipsis ends a text that was cut.
const Ellipsis = "…"

// Line returns s as a single line of at most MaxLine cells: without control characters,
// escape sequences, bidirectional or zero-width marks, with spaces in place of line breaks
// and tabs, and with broken UTF-8 replaced. It returns a clean string unchanged, without
// an allocation.
func Line(s string) string {
	if isClean(s) {
		return s
	}
	c := cleaner{in: s, out: make([]byte, 0, min(len(s), MaxLine)+len(Ellipsis))}
	c.begin()
	for c.at < len(c.in) && !c.full {
		c.step()
	}
	return string(c.out)
}

// Text returns s with each of its lines as clean as [Line] makes it. Line breaks of all
// kinds become "\n", tabs become spaces up to the next fourth column. It returns at most
// MaxLines lines and MaxText bytes.
func Text(s string) string {
	if isClean(s) {
		return s
	}
	c := cleaner{in: s, lines: true, out: make([]byte, 0, min(len(s), MaxText)+len(Ellipsis))}
	c.begin()
	for c.at < len(c.in) && !c.truncated {
		c.step()
	}
	c.checkSize()
	return string(c.out)
}

// Cut returns a text as it is, cut to a number of bytes without the ellipsis that says so; of a character that is half in
// them nothing stays.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + Ellipsis
}

// Clip returns [Line] of s, cut to a number of cells including the ellipsis.
func Clip(s string, cells int) string {
	return ansi.Truncate(Line(s), max(cells, 0), Ellipsis)
}

// ClipMiddle returns [Line] of s, cut in the middle to a number of cells including the
// ellipsis: both ends of an address say where it leads.
func ClipMiddle(s string, cells int, ellipsis string) string {
	s = Line(s)
	width, keep := ansi.StringWidth(s), max(cells-ansi.StringWidth(ellipsis), 0)
	if width <= cells {
		return s
	}
	return ansi.Truncate(s, keep-keep/2, "") + ellipsis + End(s, keep/2, "")
}

// End cuts a text, which may have styles, at its beginning to a number of cells including the
// ellipsis. Of a wide character that is half in them nothing stays.
func End(s string, cells int, ellipsis string) string {
	width := ansi.StringWidth(s)
	if width <= cells {
		return s
	}
	for cut := width - cells + ansi.StringWidth(ellipsis); cut < width; cut++ {
		if tail := ansi.TruncateLeft(s, cut, ellipsis); ansi.StringWidth(tail) <= cells {
			return tail
		}
	}
	return ellipsis
}

// isClean reports whether Line has nothing to do. No character takes more cells than
// bytes, so a short string need not be measured; a long one is left to the cleaner.
func isClean(s string) bool {
	if len(s) > MaxLine {
		return false
	}
	marks := MaxMarks // a mark at the start has no character to combine with
	for i := 0; i < len(s); {
		if b := s[i]; b < utf8.RuneSelf {
			if b < ' ' || b == 0x7f {
				return false
			}
			marks = 0
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			return false
		}
		switch kindOf(r) {
		case printable:
			marks = 0
		case mark:
			marks++
		default:
			return false
		}
		if marks > MaxMarks {
			return false
		}
		i += size
	}
	return true
}

// IsPrintable reports whether [Line] leaves a character that stands alone as it is. Controls,
// marks, invisible characters and those that it replaces by others are not printable.
func IsPrintable(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r != 0x7f
	}
	return kindOf(r) == printable
}

// Walk calls see with the position of every character and escape sequence of s, and with
// what [Line] writes for it: the same, nothing, or other characters. left is valid until
// see returns. Limits on length do not apply.
func Walk(s string, see func(from, to int, left []byte)) {
	c := cleaner{in: s}
	for c.at < len(c.in) {
		from := c.at
		c.out, c.cells, c.marks = c.out[:0], 0, 0
		c.step()
		see(from, c.at, c.out)
	}
}

// Cell returns one line of text that no spreadsheet reads as a formula. Some spreadsheets
// skip white space at the beginning, and some accept the wide forms of the signs.
func Cell(text string) string {
	line := Line(text)
	start := strings.TrimSpace(line)
	for _, sign := range []string{"=", "+", "-", "@", "＝", "＋", "－", "＠"} {
		if strings.HasPrefix(start, sign) {
			return "'" + line
		}
	}
	if text != "" && strings.ContainsAny(text[:1], "\t\r\n") {
		return "'" + line
	}
	return line
}

// Markdown returns [Line] of text as Markdown that shows it literally: without markup, HTML
// or links, even those that issue trackers make of bare addresses. It fits in a cell of a
// table.
func Markdown(text string) string {
	line := strings.TrimSpace(Line(text))
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch ch := line[i]; {
		case ch == '<':
			b.WriteString("&lt;")
		case ch == '>':
			b.WriteString("&gt;")
		case ch == '&':
			b.WriteString("&amp;")
		case escaped(line, i):
			b.WriteByte('\\')
			b.WriteByte(ch)
		default:
			b.WriteByte(ch)
		}
	}
	return b.String()
}

// escaped reports whether the byte at i needs a backslash. An underscore inside a word does
// not, and names are full of them.
func escaped(line string, i int) bool {
	switch line[i] {
	case '\\', '`', '*', '[', ']', '|', '~', '#', '!', '@', '$':
		return true
	case '_':
		return i == 0 || i == len(line)-1 || !wordByte(line[i-1]) || !wordByte(line[i+1])
	case ':':
		return strings.HasPrefix(line[i:], "://")
	case '.':
		return i >= 3 && strings.EqualFold(line[i-3:i], "www")
	}
	return false
}

// Joined continues a sentence with a text, where there is one.
func Joined(joint, text string) string {
	if text == "" {
		return ""
	}
	return joint + text
}

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// EscapeJSON returns a JSON text with the characters for which escape is true written as
// JSON escapes. The value stays the same: such characters must be within strings.
func EscapeJSON(text string, escape func(rune) bool) string {
	if strings.IndexFunc(text, escape) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !escape(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// SafeJSON returns JSON with the characters that are invisible, or that a terminal obeys, as
// JSON escapes. The value stays the same. It is for files and pipes: those below DEL stand
// only between values of valid JSON, as line breaks.
func SafeJSON(raw []byte) []byte {
	if bytes.IndexFunc(raw, unsafeInJSON) < 0 {
		return raw
	}
	return []byte(EscapeJSON(string(raw), unsafeInJSON))
}

func unsafeInJSON(r rune) bool {
	return r >= 0x7f && (r <= 0x9f || r == utf8.RuneError || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Cf, r))
}

// Capital returns text with a capital.
func Capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 || first == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// ShellWord puts a word in single quotes unless a shell takes it as it is anyway. The word is
// clean, one line.
func ShellWord(text string) string {
	text = Line(text)
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Plural returns a number with its word: "1 patch", "2 patches".
func Plural(n int, word string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(word, "ch"):
		word += "es"
	default:
		word += "s"
	}
	return strconv.Itoa(n) + " " + word
}

// Bytes returns a number of bytes for people: "19 bytes", "1.5 MiB".
func Bytes(n int64) string {
	switch {
	case n < 1<<10:
		return Plural(int(n), "byte")
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// Listed joins the first texts and counts the rest.
func Listed(texts []string, limit int, between, beforeCount string) string {
	if len(texts) <= limit {
		return strings.Join(texts, between)
	}
	return strings.Join(texts[:limit], between) + beforeCount + strconv.Itoa(len(texts)-limit) + " more"
}
