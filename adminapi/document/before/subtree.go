package before

import "strings"

// longLine is the length from which on a value on one line is hard to edit.
const longLine = 60

// Subtree returns a value as text to be edited alone, as [Document.SetValue]
// takes it back: the indentation of its place is left out, line breaks are \n,
// and what stands on one long line is set out in lines where the whole document
// does. Put back unchanged it leaves the document as it was.
func (n Node) Subtree() string {
	raw := n.Raw()
	if !strings.Contains(raw, "\n") {
		if len(raw) > longLine && n.doc.onOneLine() {
			return string(n.setOut(nil, "\n"))
		}
		return raw
	}
	if strings.Count(raw, "\n") == strings.Count(raw, "\r\n") {
		raw = strings.ReplaceAll(raw, "\r\n", "\n")
	}
	return strings.ReplaceAll(raw, "\n"+n.hanging(), "\n")
}

// hanging returns the indentation that all lines of a value but its first have
// because of its place: of a value on one line that of the line, of a longer one
// nothing where not every line has it.
func (n Node) hanging() string {
	start, _ := n.Span()
	indent := n.doc.indentation(start)
	if raw := n.Raw(); strings.Count(raw, "\n") != strings.Count(raw, "\n"+indent) {
		return ""
	}
	return indent
}

// setOut appends a value set out in lines; newline ends with the indentation.
func (n Node) setOut(out []byte, newline string) []byte {
	raw := n.Raw()
	if n.Len() == 0 {
		return append(out, raw...)
	}
	out = append(out, raw[0])
	for child := range n.Children() {
		if child.Index() > 0 {
			out = append(out, ',')
		}
		out = append(append(out, newline...), "  "...)
		if key := child.RawKey(); key != "" {
			out = append(append(out, key...), ": "...)
		}
		out = child.setOut(out, newline+"  ")
	}
	return append(append(out, newline...), raw[len(raw)-1])
}
