package before

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
)

// IsContainer reports whether a value is an object or an array that holds something, as it is
// written.
func IsContainer(raw string) bool {
	return len(raw) > 2 && (raw[0] == '{' || raw[0] == '[')
}

// ValueLines returns a whole value in lines of at most width cells.
func ValueLines(raw string, width int) []string {
	width = max(width, 8)
	d, err := Parse([]byte(raw))
	if err != nil || !IsContainer(raw) {
		return wrapped(raw, width)
	}
	var all []string
	for _, line := range d.Lines() {
		text := strings.Repeat("  ", line.Depth) + lineOf(line)
		if ansi.StringWidth(text) <= width {
			all = append(all, Visible(text))
			continue
		}
		all = append(all, wrapped(text, width)...)
	}
	return all
}

// lineOf writes a line of a document.
func lineOf(line Line) string {
	text := ""
	if key := line.Node.RawKey(); key != "" && line.Part != Closing {
		text = key + ": "
	}
	open, end := "{", "}"
	if line.Node.Kind() == Array {
		open, end = "[", "]"
	}
	switch line.Part {
	case Opening:
		text += open
	case Closing:
		text += end
	default:
		text += line.Node.Raw()
	}
	if line.Comma() {
		text += ","
	}
	return text
}

// maxAtOnce is how many bytes of a text are cleaned at once, below what the
// cleaner keeps of a line.
const maxAtOnce = 1000

// wrapped breaks a long text anywhere; nothing of it is left out.
func wrapped(text string, width int) (all []string) {
	for len(text) > 0 {
		end := min(len(text), maxAtOnce)
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		all = append(all, strings.Split(ansi.Hardwrap(Visible(text[:end]), width, true), "\n")...)
		text = text[end:]
	}
	return all
}

// Visible returns a JSON text on one line, with characters that nobody can see, or that
// a terminal obeys, as JSON escapes: two values that differ look different.
func Visible(raw string) string {
	if strings.IndexFunc(raw, unseen) < 0 {
		return plain.Line(raw)
	}
	var b strings.Builder
	for _, r := range raw {
		switch {
		case !unseen(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return plain.Line(b.String())
}

func unseen(r rune) bool {
	if r < utf8.RuneSelf {
		return r == 0x7f
	}
	return r == utf8.RuneError || !unicode.IsGraphic(r) || unicode.IsSpace(r) || plain.Line(string(r)) != string(r)
}
