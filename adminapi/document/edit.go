package document

import (
	"github.com/go-json-experiment/json/jsontext"
)

// EditError is an edit that cannot be made. The document is as it was.
type EditError struct {
	Path    Path
	Message string // plain words, clean
}

// Error returns the message with the path.
func (e *EditError) Error() string { return e.Path.String() + ": " + e.Message }

// The edits below return a new document and touch no byte but those of the
// value, key or member they are about. A new value is given as JSON text: broken
// text is refused with a [*SyntaxError] whose lines are those of the given text,
// anything else that cannot be done with an [*EditError].
//
// A value on one line is taken as it was written. The lines of a longer one are
// indented for their new place, and get the line breaks of the document; in a
// document that stands on one line it is put on one line too.

// SetValue replaces the value at a path. A value that differs from the old one
// in white space only leaves the document as it is.
func (d *Document) SetValue(path Path, raw string) (*Document, error) {
	return d.setAll([]Change{{Path: path, New: raw}})
}

// given finds the place of an edit and reads its value.
func (d *Document) given(path Path, raw string) (place, value Node, err error) {
	place, ok := d.Find(path)
	if !ok {
		return Node{}, Node{}, &EditError{path, "there is no such value"}
	}
	valueDoc, err := parse(raw)
	if err != nil {
		if e, ok := err.(*SyntaxError); ok {
			e.Path = path + e.Path.below(path)
		}
		return Node{}, Node{}, err
	}
	return place, valueDoc.Root(), nil
}

// below returns p as it is appended to an outer path.
func (p Path) below(outer Path) Path {
	if p == Whole || outer == Whole || p[0] == '[' {
		return p
	}
	return "." + p
}

// splice puts a text in the place of some bytes.
func (d *Document) splice(path Path, start, end int, with string) (*Document, error) {
	if edited := d.replaced(start, end, with); edited != nil {
		return edited, nil
	}
	edited, err := parse(d.text[:start] + with + d.text[end:])
	if e, ok := err.(*SyntaxError); ok {
		return nil, &EditError{path, e.Message}
	}
	return edited, err
}

// Rename gives a key of an object another name; its place and its value stay.
func (d *Document) Rename(path Path, key string) (*Document, error) {
	n, ok := d.Find(path)
	if !ok {
		return nil, &EditError{path, "there is no such value"}
	}
	old, ok := n.Key()
	if !ok {
		return nil, &EditError{path, "only a key of an object has a name"}
	}
	if old == key {
		return d, nil
	}
	if _, taken := n.Parent().Child(key); taken {
		return nil, &EditError{path, "the object has a key " + shown(key) + " already"}
	}
	return d.splice(path, int(n.at().keyStart), int(n.at().keyEnd), Quote(key))
}

// Remove takes a key with its value, or an element, out of what holds it.
func (d *Document) Remove(path Path) (*Document, error) {
	n, ok := d.Find(path)
	if !ok {
		return nil, &EditError{path, "there is no such value"}
	}
	parent := n.Parent()
	if !parent.Valid() {
		return nil, &EditError{path, "the whole document cannot be removed"}
	}
	start, end := n.member()
	switch next := n.Next(); {
	case parent.Len() == 1: // nothing is left: no white space either
		start, end = parent.Span()
		start, end = start+1, end-1
	case n.Index() > 0:
		_, start = parent.nth(n.Index() - 1).Span()
	default:
		end, _ = next.member()
	}
	return d.splice(path, start, end, "")
}

// Move moves a value among its siblings: by places down, or up where by is
// below 0, at most to the end of the row.
func (d *Document) Move(path Path, by int) (*Document, error) {
	n, ok := d.Find(path)
	if !ok {
		return nil, &EditError{path, "there is no such value"}
	}
	parent := n.Parent()
	if !parent.Valid() {
		return nil, &EditError{path, "the whole document has no siblings"}
	}
	from := n.Index()
	to := from + max(-from, min(by, parent.Len()-1-from))
	if from == to {
		return d, nil
	}
	slots := make([]Node, 0, parent.Len())
	for child := range parent.Children() {
		slots = append(slots, child)
	}
	slots = slots[min(from, to) : max(from, to)+1]
	start, _ := slots[0].member()
	_, end := slots[len(slots)-1].member()
	return d.splice(path, start, end, rotated(slots, from < to))
}

// rotated returns the text of siblings with the first as the last, or the last
// as the first. What stands between two places stays.
func rotated(slots []Node, down bool) string {
	text, count := slots[0].doc.text, len(slots)
	shift := 1
	if !down {
		shift = count - 1
	}
	var out []byte
	for i, slot := range slots {
		if i > 0 {
			_, gap := slots[i-1].member()
			start, _ := slot.member()
			out = append(out, text[gap:start]...)
		}
		start, end := slots[(i+shift)%count].member()
		out = append(out, text[start:end]...)
	}
	return string(out)
}

// nth returns a child by its index.
func (n Node) nth(index int) Node {
	child := n.First()
	for range index {
		child = child.Next()
	}
	return child
}

// Quote returns text as a JSON string. Broken UTF-8 becomes the replacement
// character.
func Quote(text string) string {
	raw, _ := jsontext.AppendQuote(nil, text)
	return string(raw)
}
