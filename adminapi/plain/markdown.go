package plain

import "strings"

// Markdown returns [Line] of text as Markdown that shows it as it is: no markup, no
// HTML, no links, not even those that trackers make of bare addresses, and fit for
// a cell of a table.
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

// escaped reports whether the byte at i needs a backslash. Inside a word an
// underscore means nothing, and names are full of them.
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

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}
