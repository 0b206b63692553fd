package before

import "iter"

// namedLists are the lists of the outermost object whose elements have a name, and
// the key that holds it: extensions in a definition, deployments in a placement
// policy.
var namedLists = []struct {
	path Path
	key  string
}{
	{extensionsPath, "typeName"},
	{"placementPolicy", "deploymentId"},
}

// nameKey returns the key that names the elements of a list; empty for any other.
func nameKey(list Path) string {
	for _, named := range namedLists {
		if list == named.path {
			return named.key
		}
	}
	return ""
}

// isNamedList tells whether n is a list whose elements are named: that of the
// outermost object.
func (n Node) isNamedList() bool {
	parent := n.Parent()
	if n.Kind() != Array || parent.Kind() != Object || parent.id != 0 {
		return false
	}
	key, _ := n.Key()
	return nameKey(Path(key)) != ""
}

// name returns the name of an element of a named list. In a document that is a list
// itself it may be any of the names.
func (n Node) name() (string, bool) {
	list := n.Parent()
	if !list.Valid() {
		return "", false
	}
	key, _ := list.Key()
	for _, named := range namedLists {
		if list.Parent().Valid() && Path(key) != named.path {
			continue
		}
		name, ok := n.Child(named.key)
		if ok && name.Kind() == String && name.at().end > 0 { // 0: it is being read
			return name.Text(), true
		}
	}
	return "", false
}

// uniqueName returns the name of an element where no other element has it.
func (n Node) uniqueName() (string, bool) {
	name, ok := n.name()
	if !ok || n.doc.namedElements()[name] != n {
		return "", false
	}
	return name, true
}

// element returns the element of a named list with a name of its own.
func (n Node) element(name string) (Node, bool) {
	if !n.isNamedList() {
		return Node{}, false
	}
	found := n.doc.namedElements()[name]
	return found, found.Valid() && found.Parent() == n
}

// namedElements returns the elements of the named lists by their names; a name that
// several have stands with an invalid node. In a document that is a list they are
// its elements: so a list of extensions can be looked at by itself.
func (d *Document) namedElements() map[string]Node {
	d.once.Do(func() {
		d.named = map[string]Node{}
		for list := range d.listsWithNames() {
			for element := range list.Children() {
				name, ok := element.name()
				if _, twice := d.named[name]; twice {
					element = Node{}
				}
				if ok {
					d.named[name] = element
				}
			}
		}
	})
	return d.named
}

func (d *Document) listsWithNames() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if root := d.Root(); root.Kind() != Object {
			if root.Kind() == Array {
				yield(root)
			}
			return
		}
		for _, named := range namedLists {
			list, _ := d.Root().Child(string(named.path))
			if list.Kind() == Array && !yield(list) {
				return
			}
		}
	}
}

// byName returns the elements of a named list by their names, and false where some
// element has none of its own.
func (n Node) byName() (map[string]Node, bool) {
	if !n.isNamedList() {
		return nil, false
	}
	named := n.doc.namedElements()
	for element := range n.Children() {
		if name, ok := element.name(); !ok || named[name] != element {
			return nil, false
		}
	}
	return named, true
}
