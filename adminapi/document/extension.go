package document

// isExtensions tells whether n is the array whose elements are named by their
// typeName: that of the outermost object.
func (n Node) isExtensions() bool {
	parent := n.Parent()
	return n.Kind() == Array && parent.Kind() == Object && parent.id == 0 && n.hasKey(string(extensionsPath))
}

// typeName returns the typeName of an element of extensions.
func (n Node) typeName() (string, bool) {
	name, ok := n.Child("typeName")
	if !ok || name.Kind() != String || name.at().end == 0 { // 0: it was being read
		return "", false
	}
	return name.Text(), true
}

// uniqueTypeName returns the typeName of an element of extensions where no
// other element has it.
func (n Node) uniqueTypeName() (string, bool) {
	name, ok := n.typeName()
	if !ok || n.doc.extensions()[name] != n {
		return "", false
	}
	return name, true
}

// extension returns the element of extensions with a typeName of its own.
func (n Node) extension(name string) (Node, bool) {
	if !n.isExtensions() {
		return Node{}, false
	}
	found := n.doc.extensions()[name]
	return found, found.Valid()
}

// extensions returns the extensions of the document by their typeName; a name
// that several have stands with an invalid node. In a document that is a list
// they are its elements: so a list of extensions can be looked at by itself.
func (d *Document) extensions() map[string]Node {
	d.once.Do(func() {
		list := d.Root()
		if list.Kind() == Object {
			list, _ = list.Child(string(extensionsPath))
		}
		d.named = map[string]Node{}
		if list.Kind() != Array {
			return
		}
		for element := range list.Children() {
			name, ok := element.typeName()
			if _, twice := d.named[name]; twice {
				element = Node{}
			}
			if ok {
				d.named[name] = element
			}
		}
	})
	return d.named
}

// byTypeName returns the elements of extensions by their typeName, and false
// where some element has none of its own.
func (n Node) byTypeName() (map[string]Node, bool) {
	if !n.isExtensions() {
		return nil, false
	}
	named := n.doc.extensions()
	for element := range n.Children() {
		if name, ok := element.typeName(); !ok || named[name] != element {
			return nil, false
		}
	}
	return named, true
}
