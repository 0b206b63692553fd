package before

import "strings"

// Add adds a key to the object at parent, as its at-th from 0; an at below 0 or
// beyond the end adds at the end.
func (d *Document) Add(parent Path, key, raw string, at int) (*Document, error) {
	n, value, err := d.given(parent, raw)
	if err != nil {
		return nil, err
	}
	if n.Kind() != Object {
		return nil, &EditError{parent, "only an object takes a key"}
	}
	if _, taken := n.Child(key); taken {
		return nil, &EditError{parent.Key(key), "the object has this key already"}
	}
	return n.insert(parent, Quote(key)+n.colon(), value, at)
}

// Insert adds an element to the array at parent; at is as with [Document.Add].
func (d *Document) Insert(parent Path, raw string, at int) (*Document, error) {
	n, value, err := d.given(parent, raw)
	if err != nil {
		return nil, err
	}
	if n.Kind() != Array {
		return nil, &EditError{parent, "only a list takes an element"}
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

// insertFirst puts a child into an empty object or array: on lines of its own
// where its neighbourhood is set out in lines.
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
		return first.itsColon()
	}
	return n.doc.colon()
}

func (n Node) itsColon() string {
	colon := n.doc.text[n.at().keyEnd:n.at().start]
	if strings.Contains(colon, "\n") {
		return ": "
	}
	return colon
}
