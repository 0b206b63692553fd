package document

import "strings"

// onOneLine reports whether the document holds something and has no line breaks.
func (d *Document) onOneLine() bool {
	return d.Root().Len() > 0 && !strings.Contains(d.Root().Raw(), "\n")
}

// newline returns the line break of the document, that of its first line.
func (d *Document) newline() string {
	if at := strings.IndexByte(d.text, '\n'); at > 0 && d.text[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// indentation returns the white space at the beginning of the line of an offset.
func (d *Document) indentation(offset int) string {
	return leadingSpace(d.text[strings.LastIndexByte(d.text[:offset], '\n')+1 : offset])
}

func leadingSpace(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, " \t"))]
}

// onItsOwnLine reports whether a value within the document begins a line.
func (n Node) onItsOwnLine() bool {
	start, _ := n.member()
	line := strings.LastIndexByte(n.doc.text[:start], '\n') + 1
	return n.id != 0 && line > 0 && strings.TrimLeft(n.doc.text[line:start], " \t") == ""
}

// unit returns by how much a child is indented from n: as n itself is from what
// holds it, else as the first child of the document, else two spaces.
func (n Node) unit() string {
	start, _ := n.Span()
	if parent := n.Parent(); parent.Valid() {
		outer, _ := parent.Span()
		if unit, ok := strings.CutPrefix(n.doc.indentation(start), n.doc.indentation(outer)); ok && unit != "" {
			return unit
		}
	}
	if first := n.doc.Root().First(); first.Valid() && first.onItsOwnLine() {
		start, _ := first.member()
		if unit := n.doc.indentation(start); unit != "" {
			return unit
		}
	}
	return "  "
}

// comma returns how the document separates two values on one line.
func (d *Document) comma() string {
	for i := range d.nodes {
		n := Node{d, int32(i)}
		if next := n.Next(); next.Valid() {
			start, _ := next.member()
			if gap := d.text[n.at().end:start]; !strings.Contains(gap, "\n") {
				return gap
			}
		}
	}
	if strings.HasSuffix(d.colon(), " ") {
		return ", "
	}
	return ","
}

// colon returns how the document separates a key from its value.
func (d *Document) colon() string {
	for i := range d.nodes {
		if d.nodes[i].keyEnd > 0 {
			return Node{d, int32(i)}.colonAfterKey()
		}
	}
	return ": "
}

// fit returns a value of another text in the layout of this document, its lines with an
// indentation.
func (d *Document) fit(value Node, indent string) string {
	raw := value.Raw()
	switch {
	case !strings.Contains(raw, "\n"):
		return raw
	case d.onOneLine():
		return string(value.layOut(nil, d.comma(), d.colon(), ""))
	}
	raw = strings.ReplaceAll(raw, "\r\n", "\n")
	return strings.ReplaceAll(raw, "\n", d.newline()+indent)
}

// OneLine returns the value on one line, whatever its own layout.
func (n Node) OneLine() string { return string(n.layOut(nil, ", ", ": ", "")) }

// layOut appends a value: on one line where newline is empty, else in lines, whose break
// and indentation newline is.
func (n Node) layOut(out []byte, comma, colon, newline string) []byte {
	raw := n.Raw()
	if n.Len() == 0 && (n.Kind() < Object || newline != "") {
		return append(out, raw...)
	}
	inner := newline
	if newline != "" {
		inner += "  "
	}
	out = append(out, raw[0])
	for child := range n.Children() {
		if child.Index() > 0 {
			out = append(out, comma...)
		}
		out = append(out, inner...)
		if key := child.RawKey(); key != "" {
			out = append(append(out, key...), colon...)
		}
		out = child.layOut(out, comma, colon, inner)
	}
	return append(append(out, newline...), raw[len(raw)-1])
}

// maxLineLength is the length from which on a value on one line is hard to edit.
const maxLineLength = 60

// Subtree returns a value as text to be edited alone, as [Document.SetValue]
// takes it back: the indentation of its place is left out, line breaks are \n,
// and one long line is broken into lines where the whole document is on one line. Put
// back unchanged it leaves the document as it was.
func (n Node) Subtree() string {
	raw := n.Raw()
	if !strings.Contains(raw, "\n") {
		if len(raw) > maxLineLength && n.doc.onOneLine() {
			return string(n.layOut(nil, ",", ": ", "\n"))
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
