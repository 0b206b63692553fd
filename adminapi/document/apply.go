package document

import "slices"

// Apply makes changes as [Diff] returns them, one after the other. What is added
// gets the place it had, or the last one where there are fewer.
func (d *Document) Apply(changes []Change) (*Document, error) {
	var err error
	for _, c := range changes {
		if d, err = d.apply(c); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *Document) apply(c Change) (*Document, error) {
	switch c.Kind {
	case Added:
		return d.add(c.Path, c.New, c.At)
	case Removed:
		return d.Remove(c.Path)
	case Moved:
		return d.reorder(c.Path, c.New)
	}
	return d.SetValue(c.Path, c.New)
}

// add adds the value of a path that is not there yet.
func (d *Document) add(path Path, raw string, at int) (*Document, error) {
	last, _ := path.Last()
	if last.Kind == ByKey {
		return d.Add(path.Parent(), last.Key, raw, at)
	}
	return d.Insert(path.Parent(), raw, at)
}

// reorder brings extensions into the order of a list of typeNames; those that
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
	extensions, ok := d.Find(path)
	if !ok {
		return nil, &EditError{path, "there is no such value"}
	}
	seen, place, current := 0, -1, -1
	for child := range extensions.Children() {
		name, _ := child.typeName()
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
		return nil, &EditError{path.TypeName(names[k]), "there is no such value"}
	}
	return d.Move(path.TypeName(names[k]), place-current)
}
