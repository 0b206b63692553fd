package jsonview

import (
	"strings"

	"geodeck/theme"
	"geodeck/ui/views/rows"
)

// inks are the colours of a line.
type inks struct{ rows.Inks }

func newInks(t *theme.Theme) inks { return inks{rows.NewInks(t)} }

// paint colours one line of indented JSON. It knows no more than a line: where
// it cannot follow, the rest stays as it is.
func (k *inks) paint(line string) string {
	var b strings.Builder
	b.Grow(len(line) + 64)
	for len(line) > 0 {
		n := token(line)
		b.WriteString(k.ink(line, n).On(line[:n]))
		line = line[n:]
	}
	return b.String()
}

// ink chooses the colour of the first n bytes of line.
func (k *inks) ink(line string, n int) rows.Ink {
	switch c := line[0]; {
	case c == '"' && strings.HasPrefix(line[n:], ":"):
		return k.JSONKey
	case c == '"':
		return k.JSONString
	case c == '-' || '0' <= c && c <= '9':
		return k.JSONNumber
	case 'a' <= c && c <= 'z':
		return k.JSONWord
	}
	return rows.Ink{}
}

// token returns the length of the first token of line: a string with its
// quotes, a run of letters and digits, or a run of anything else.
func token(line string) int {
	if line[0] == '"' {
		return stringEnd(line)
	}
	wordy := isWordy(line[0])
	n := 1
	for n < len(line) && line[n] != '"' && isWordy(line[n]) == wordy {
		n++
	}
	return n
}

func stringEnd(line string) int {
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(line)
}

func isWordy(c byte) bool {
	return c == '-' || c == '+' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
