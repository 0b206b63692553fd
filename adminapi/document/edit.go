package document

import (
	"slices"
	"strings"

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
// document on one line it is put on one line too.

// SetValue replaces the value at a path. A value that differs from the old one
// in white space only leaves the document as it is.
func (d *Document) SetValue(path Path, raw string) (*Document, error) {
	return d.setAll([]Change{{Path: path, New: raw}})
}

// target finds the node of an edit and parses its new value.
func (d *Document) target(path Path, raw string) (place, value Node, err error) {
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

// Splice puts a text in the place of some bytes. The error of a result that is no
// document is a [*SyntaxError].
func (d *Document) Splice(start, end int, with string) (*Document, error) {
	if edited := d.replaced(start, end, with); edited != nil {
		return edited, nil
	}
	return parse(d.text[:start] + with + d.text[end:])
}

// splice is Splice for an edit of the value at a path.
func (d *Document) splice(path Path, start, end int, with string) (*Document, error) {
	edited, err := d.Splice(start, end, with)
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
		return nil, &EditError{path, "only a key of an object can be renamed"}
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
	n, parent, err := d.inParent(path, "the whole document cannot be removed; go to a key")
	if err != nil {
		return nil, err
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

// inParent finds a value and what holds it; whole is why the whole document will not do.
func (d *Document) inParent(path Path, whole string) (n, parent Node, err error) {
	n, ok := d.Find(path)
	if !ok {
		return n, n, &EditError{path, "there is no such value"}
	}
	if parent = n.Parent(); !parent.Valid() {
		return n, n, &EditError{path, whole}
	}
	return n, parent, nil
}

// Move moves a value among its siblings: by places down, or up where by is
// below 0, at most to the end of the row.
func (d *Document) Move(path Path, by int) (*Document, error) {
	n, parent, err := d.inParent(path, "the whole document has no siblings")
	if err != nil {
		return nil, err
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
// as the first. The text between two places stays.
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

// Add adds a key to the object at parent, as its at-th from 0; an at below 0 or
// beyond the end adds at the end.
func (d *Document) Add(parent Path, key, raw string, at int) (*Document, error) {
	n, value, err := d.target(parent, raw)
	if err != nil {
		return nil, err
	}
	if n.Kind() != Object {
		return nil, &EditError{parent, "only an object can hold a key"}
	}
	if _, taken := n.Child(key); taken {
		return nil, &EditError{parent.Key(key), "the object already has this key"}
	}
	return n.insert(parent, Quote(key)+n.colon(), value, at)
}

// Insert adds an element to the array at parent; at is as with [Document.Add].
func (d *Document) Insert(parent Path, raw string, at int) (*Document, error) {
	n, value, err := d.target(parent, raw)
	if err != nil {
		return nil, err
	}
	if n.Kind() != Array {
		return nil, &EditError{parent, "only a list can hold an element"}
	}
	return n.insert(parent, "", value, at)
}

// insert puts a new child in; key comes with its colon.
func (n Node) insert(path Path, key string, value Node, at int) (*Document, error) {
	count := n.Len()
	if at < 0 || at > count {
		at = count
	}
	if count == 0 {
		return n.insertFirst(path, key, value)
	}
	gap := n.gap(at)
	item := key + n.doc.fit(value, n.indentAfter(gap))
	if at == count {
		_, end := n.nth(count - 1).Span()
		return n.doc.splice(path, end, end, gap+item)
	}
	start, _ := n.nth(at).member()
	return n.doc.splice(path, start, start, item+gap)
}

// insertFirst puts a child into an empty object or array: on its own line where the
// document is set out in lines there.
func (n Node) insertFirst(path Path, key string, value Node) (*Document, error) {
	start, end := n.Span()
	start, end = start+1, end-1
	d := n.doc
	if !n.onItsOwnLine() && !strings.Contains(d.text[start:end], "\n") {
		return d.splice(path, start, end, key+d.fit(value, d.indentation(start)))
	}
	outer := d.indentation(start)
	inner := outer + n.unit()
	return d.splice(path, start, end, d.newline()+inner+key+d.fit(value, inner)+d.newline()+outer)
}

// gap returns what separates a new child at a place from its neighbour, a comma
// with the white space of the siblings.
func (n Node) gap(at int) string {
	text, first := n.doc.text, n.First()
	if n.Len() > 1 {
		before := n.nth(min(max(at-1, 0), n.Len()-2))
		_, end := before.Span()
		start, _ := before.Next().member()
		return text[end:start]
	}
	start, _ := n.Span()
	child, _ := first.member()
	if lead := text[start+1 : child]; strings.Contains(lead, "\n") {
		return "," + lead
	}
	return n.doc.comma()
}

// indentAfter returns the indentation of what follows a gap.
func (n Node) indentAfter(gap string) string {
	if at := strings.LastIndexByte(gap, '\n'); at >= 0 {
		return leadingSpace(gap[at+1:])
	}
	start, _ := n.Span()
	return n.doc.indentation(start)
}

// colon returns the colon as the neighbours write it.
func (n Node) colon() string {
	if first := n.First(); first.Valid() {
		return first.colonAfterKey()
	}
	return n.doc.colon()
}

func (n Node) colonAfterKey() string {
	colon := n.doc.text[n.at().keyEnd:n.at().start]
	if strings.Contains(colon, "\n") {
		return ": "
	}
	return colon
}

// Apply makes changes as [Diff] returns them. What is added gets the place it
// had, or the last one where there are fewer.
func (d *Document) Apply(changes []Change) (*Document, error) {
	replaces := func(c Change) bool { return c.Kind == Changed || c.Kind == Rewritten }
	d, err := d.setAll(slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return !replaces(c) }))
	for _, c := range changes {
		switch {
		case err != nil:
			return nil, err
		case replaces(c):
		case c.Kind == Added:
			d, err = d.add(c.Path, c.New, c.At)
		case c.Kind == Moved:
			d, err = d.reorder(c.Path, c.New)
		default:
			d, err = d.Remove(c.Path)
		}
	}
	return d, err
}

// setAll is SetValue for values of which none lies within another, in the time
// of one.
func (d *Document) setAll(changes []Change) (*Document, error) {
	type piece struct {
		start, end int
		text       string
	}
	var pieces []piece
	for _, c := range changes {
		n, value, err := d.target(c.Path, c.New)
		if err != nil {
			return nil, err
		}
		if start, end := n.Span(); n.OneLine() != value.OneLine() {
			pieces = append(pieces, piece{start, end, d.fit(value, n.hanging())})
		}
	}
	if len(pieces) == 0 {
		return d, nil
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return a.start - b.start })
	var out strings.Builder
	first, last := pieces[0].start, pieces[0].start
	for _, p := range pieces {
		out.WriteString(d.text[last:p.start])
		out.WriteString(p.text)
		last = p.end
	}
	return d.splice(changes[0].Path, first, last, out.String())
}

// add adds the value of a path that is not there yet.
func (d *Document) add(path Path, raw string, at int) (*Document, error) {
	last, _ := path.Last()
	if last.Kind == ByKey {
		return d.Add(path.Parent(), last.Key, raw, at)
	}
	return d.Insert(path.Parent(), raw, at)
}

// reorder brings a named list into the order of a list of names; those that
// the list does not name keep their places among them.
func (d *Document) reorder(path Path, list string) (*Document, error) {
	wanted, err := parse(list)
	if err != nil {
		return nil, &EditError{path, "the order is not a list"}
	}
	var names []string
	for name := range wanted.Root().Children() {
		names = append(names, name.Text())
	}
	for k := range names {
		if d, err = d.moveName(path, names, k); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// moveName moves the k-th name to the present place of the k-th of all the names.
func (d *Document) moveName(path Path, names []string, k int) (*Document, error) {
	list, ok := d.Find(path)
	if !ok {
		return nil, &EditError{path, "there is no such value"}
	}
	seen, place, current := 0, -1, -1
	for child := range list.Children() {
		name, _ := child.name()
		if !slices.Contains(names, name) {
			continue
		}
		if seen == k {
			place = child.Index()
		}
		if name == names[k] {
			current = child.Index()
		}
		seen++
	}
	if current < 0 || place < 0 {
		return nil, &EditError{path.Named(names[k]), "there is no such value"}
	}
	return d.Move(path.Named(names[k]), place-current)
}
