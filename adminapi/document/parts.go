package document

// parts returns the changes that a change of a whole object or list means for
// what it holds.
func parts(c Change) []Change {
	old, new := rawNode(c.Old), rawNode(c.New)
	var changes differences
	for child := range old.elements() {
		path := c.Path.toChild(child)
		if other, ok := counterpart(child, new); ok {
			changes.values(path, child, other)
		} else {
			changes.add(path, Removed, child.Raw(), "")
		}
	}
	for child := range new.elements() {
		if _, ok := counterpart(child, old); !ok {
			changes.added(c.Path.toChild(child), child)
		}
	}
	return changes
}

// rawNode reads a value that is known to be valid; the empty text is none.
func rawNode(raw string) Node {
	d, err := parse(raw)
	if err != nil {
		return Node{}
	}
	return d.Root()
}

// counterpart returns what stands at the same place in another version of the
// object or list around n.
func counterpart(n, other Node) (Node, bool) {
	if key, ok := n.Key(); ok {
		return other.Child(key)
	}
	if other.Kind() != Array {
		return Node{}, false
	}
	name, named := n.typeName()
	for child := range other.Children() {
		its, ok := child.typeName()
		if named && ok && its == name || !named && child.Index() == n.Index() {
			return child, true
		}
	}
	return Node{}, false
}
