package before

import "strings"

// layout is how a text sets its objects and lists out: what an edit rebuilds
// follows it.
type layout struct {
	newline      string // "" for a text on one line
	unit         string // of indentation
	comma, colon string
}

func layoutOf(text string) layout {
	l := layout{comma: ",", colon: ":"}
	if strings.Contains(text, `": `) {
		l.colon = ": "
	}
	at := strings.IndexByte(text, '\n')
	if at < 0 {
		if l.colon == ": " {
			l.comma = ", "
		}
		return l
	}
	l.newline = "\n"
	if at > 0 && text[at-1] == '\r' {
		l.newline = "\r\n"
	}
	rest := text[at+1:]
	l.unit = rest[:len(rest)-len(strings.TrimLeft(rest, " \t"))]
	if l.unit == "" {
		l.unit = "  "
	}
	return l
}

// write appends a value as it was written, or laid out where it was rebuilt.
func (l layout) write(out []byte, v *value, depth int) []byte {
	if v.raw != "" {
		return append(out, v.raw...)
	}
	closing := byte(v.kind) + 2 // in ASCII both closing brackets stand two behind
	out = append(out, byte(v.kind))
	for i, m := range v.members {
		if i > 0 {
			out = append(out, l.comma...)
		}
		out = l.breakLine(out, depth+1)
		if v.kind == '{' {
			out = append(append(out, m.rawName...), l.colon...)
		}
		out = l.write(out, m.value, depth+1)
	}
	if len(v.members) > 0 {
		out = l.breakLine(out, depth)
	}
	return append(out, closing)
}

func (l layout) breakLine(out []byte, depth int) []byte {
	if l.newline == "" {
		return out
	}
	out = append(out, l.newline...)
	for range depth {
		out = append(out, l.unit...)
	}
	return out
}
