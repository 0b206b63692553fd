package before

import "slices"

// Conflict is a place that two people changed in different ways. An empty text
// means that the version has no such value.
type Conflict struct {
	Path               Path
	Base, Mine, Theirs string // as written
}

// Merge brings what changed from base to mine into theirs: objects by key,
// extensions and deployments by name, any other array as one value. The document is theirs
// byte for byte but for those changes. Where both changed the same place in
// different ways there is no document, only the conflicts; one of the whole
// document stands for versions that together are too large, or too far apart.
func Merge(base, mine, theirs *Document) (*Document, []Conflict) {
	m := merger{}
	m.values(Whole, three{base.Root(), mine.Root(), theirs.Root()})
	if len(m.conflicts) > 0 {
		return nil, m.conflicts
	}
	if merged, ok := m.on(theirs); ok {
		return merged, nil
	}
	m.conflict(Whole, three{base.Root(), mine.Root(), theirs.Root()})
	return nil, m.conflicts
}

// mergeWork is how many bytes may be gone through to add and remove keys, a few
// seconds: every one of them takes a new document.
const mergeWork = 1 << 29

// on makes all edits. It returns false where the two versions together are
// beyond the bounds of a document, or of what can be merged.
func (m *merger) on(theirs *Document) (*Document, bool) {
	merged, err := theirs.setAll(m.sets)
	if len(m.edits)*len(theirs.text) > mergeWork {
		return nil, false
	}
	for _, edit := range m.edits {
		if err != nil {
			break
		}
		merged, err = edit.on(merged)
	}
	return merged, err == nil
}

// three is one place in the three versions; an invalid node is none.
type three struct{ base, mine, theirs Node }

// merger collects what has to be done to theirs.
type merger struct {
	sets      []Change
	edits     []mergeEdit
	conflicts []Conflict
}

// mergeEdit adds mine to theirs, or removes what mine has no longer.
type mergeEdit struct {
	path Path
	from three
}

func (m *merger) conflict(path Path, v three) {
	m.conflicts = append(m.conflicts, Conflict{path, rawOf(v.base), rawOf(v.mine), rawOf(v.theirs)})
}

func rawOf(n Node) string {
	if !n.Valid() {
		return ""
	}
	return n.Raw()
}

func alike(a, b Node) bool {
	if !a.Valid() || !b.Valid() {
		return a.Valid() == b.Valid()
	}
	return compare(a, b) == same
}

func (m *merger) values(path Path, v three) {
	switch {
	case alike(v.base, v.mine), alike(v.mine, v.theirs):
	case v.all(Object):
		m.objects(path, v)
	case v.all(Array) && m.named(path, v):
	case !alike(v.base, v.theirs):
		m.conflict(path, v)
	case v.mine.Valid() && v.theirs.Valid():
		m.sets = append(m.sets, Change{Path: path, New: v.mine.Subtree()})
	default:
		m.edits = append(m.edits, mergeEdit{path, v})
	}
}

func (v three) all(kind Kind) bool {
	return v.base.Kind() == kind && v.mine.Kind() == kind && v.theirs.Kind() == kind
}

func (m *merger) objects(path Path, v three) {
	for child := range v.base.Children() {
		key, _ := child.Key()
		m.values(path.Key(key), three{child, child.sibling(v.mine), child.sibling(v.theirs)})
	}
	for child := range v.mine.Children() {
		if key, _ := child.Key(); !child.sibling(v.base).Valid() {
			m.values(path.Key(key), three{Node{}, child, child.sibling(v.theirs)})
		}
	}
}

// named merges lists by the names of their elements; it returns false where that cannot be done, or
// where mine has brought them into another order.
func (m *merger) named(path Path, v three) bool {
	base, okBase := v.base.byName()
	mine, okMine := v.mine.byName()
	theirs, okTheirs := v.theirs.byName()
	if !okBase || !okMine || !okTheirs || !slices.Equal(order(v.base, mine), order(v.mine, base)) {
		return false
	}
	for child := range v.base.Children() {
		name, _ := child.name()
		m.values(path.Named(name), three{child, mine[name], theirs[name]})
	}
	for child := range v.mine.Children() {
		if name, _ := child.name(); !base[name].Valid() {
			m.values(path.Named(name), three{Node{}, child, theirs[name]})
		}
	}
	return true
}

// on makes the edit.
func (e mergeEdit) on(d *Document) (*Document, error) {
	if !e.from.mine.Valid() {
		return d.Remove(e.path)
	}
	return d.add(e.path, e.from.mine.Subtree(), d.placeOf(e.from.mine, e.path.Parent()))
}

// placeOf returns where a value of another version belongs: after the nearest of
// the siblings before it that this document has too.
func (d *Document) placeOf(n Node, parent Path) int {
	place := 0
	for sibling := range n.Parent().Children() {
		if sibling == n {
			break
		}
		if here, ok := d.Find(parent.toChild(sibling)); ok {
			place = here.Index() + 1
		}
	}
	return place
}
