package document

import (
	"iter"
	"slices"
	"strings"
)

// Apply makes changes as [Diff] returns them. What is added gets the place it
// had, or the last one where there are fewer.
func (d *Document) Apply(changes []Change) (*Document, error) {
	d, err := d.setAll(slices.Collect(only(changes, true)))
	for c := range only(changes, false) {
		if err != nil {
			break
		}
		d, err = d.apply(c)
	}
	return d, err
}

// only goes through the changes that give a value that is there another one, or
// through all the others.
func only(changes []Change, sets bool) iter.Seq[Change] {
	return func(yield func(Change) bool) {
		for _, c := range changes {
			if sets == (c.Kind == Changed || c.Kind == Rewritten) && !yield(c) {
				return
			}
		}
	}
}

func (d *Document) apply(c Change) (*Document, error) {
	switch c.Kind {
	case Added:
		return d.add(c.Path, c.New, c.At)
	case Moved:
		return d.reorder(c.Path, c.New)
	}
	return d.Remove(c.Path)
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
		n, value, err := d.given(c.Path, c.New)
		if err != nil {
			return nil, err
		}
		if start, end := n.Span(); !sameTokens(n.Raw(), value.Raw()) {
			pieces = append(pieces, piece{start, end, d.fit(value, n.hanging())})
		}
	}
	if len(pieces) == 0 {
		return d, nil
	}
	slices.SortFunc(pieces, func(a, b piece) int { return a.start - b.start })
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
		return nil, &EditError{path, "the order is no list"}
	}
	var names []string
	for name := range wanted.Root().Children() {
		names = append(names, name.Text())
	}
	for k := range names {
		if d, err = d.bring(path, names, k); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// bring moves the k-th name to where the k-th of all the names stands now.
func (d *Document) bring(path Path, names []string, k int) (*Document, error) {
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
