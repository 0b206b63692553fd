package document

import "slices"

// Conflict is a place that two people changed in different ways. An empty text
// means that the version has no such value.
type Conflict struct {
	Path               Path
	Base, Mine, Theirs string // as written
	Secret             bool   // see [Change]
}

// Shown returns a value of the place as it may be shown, see [Document.Masked].
func (c Conflict) Shown(raw string) string { return maskedAt(c.Path, raw, c.Secret) }

// Resolutions are the values that places in conflict get, as they are written; an empty
// text deletes the place.
type Resolutions map[Path]string

// Merge brings what changed from base to mine into theirs: objects by key,
// extensions and deployments by name, any other array as one value. The document is theirs
// byte for byte but for those changes. Where both changed the same place in
// different ways, and no value was chosen for it, there is no document, only the conflicts; one
// of the whole document means that the versions together are too large, or too far apart.
func Merge(base, mine, theirs *Document, chosen Resolutions) (*Document, []Conflict) {
	all := versions{base.Root(), mine.Root(), theirs.Root()}
	if raw, whole := chosen[Whole]; whole {
		if merged, err := Parse([]byte(raw)); err == nil {
			return merged, nil
		}
	}
	m := merger{chosen: chosen}
	m.values(Whole, all)
	if len(m.conflicts) > 0 {
		return nil, m.conflicts
	}
	if merged, ok := m.apply(theirs); ok {
		return merged, nil
	}
	m.conflict(Whole, all)
	return nil, m.conflicts
}

// maxMergeWork is how many bytes may be copied to add and remove keys, a few
// seconds: every one of them takes a new document.
const maxMergeWork = 1 << 29

// apply makes all edits. It returns false where the two versions together are
// beyond the bounds of a document, or of what can be merged.
func (m *merger) apply(theirs *Document) (*Document, bool) {
	merged, err := theirs.setAll(m.sets)
	if len(m.edits)*len(theirs.text) > maxMergeWork {
		return nil, false
	}
	for _, edit := range m.edits {
		if err != nil {
			break
		}
		merged, err = edit.apply(merged)
	}
	return merged, err == nil
}

// versions is one place in the three versions; an invalid node is none.
type versions struct{ base, mine, theirs Node }

// merger collects the edits of theirs.
type merger struct {
	chosen    Resolutions
	sets      []Change
	edits     []mergeEdit
	conflicts []Conflict
}

// mergeEdit adds a value to theirs where mine has it, or removes what mine has no longer.
type mergeEdit struct {
	path Path
	raw  string // empty removes
	mine Node
}

// conflict notes a place that both changed, or gives it the value that was chosen.
func (m *merger) conflict(path Path, v versions) {
	raw, chosen := m.chosen[path]
	switch {
	case !chosen:
		m.conflicts = append(m.conflicts, Conflict{path, rawOf(v.base), rawOf(v.mine), rawOf(v.theirs),
			v.base.isNamedSecret() || v.mine.isNamedSecret() || v.theirs.isNamedSecret()})
	case raw == rawOf(v.theirs):
	case raw == rawOf(v.mine) && raw != "":
		m.put(path, v.mine.Subtree(), v) // without the indentation of its place
	default:
		m.put(path, raw, v)
	}
}

// put gives a place of theirs a value; none deletes it.
func (m *merger) put(path Path, raw string, v versions) {
	if raw != "" && v.theirs.Valid() {
		m.sets = append(m.sets, Change{Path: path, New: raw})
	} else {
		m.edits = append(m.edits, mergeEdit{path, raw, v.mine})
	}
}

func rawOf(n Node) string {
	if !n.Valid() {
		return ""
	}
	return n.Raw()
}

func isSame(a, b Node) bool {
	if !a.Valid() || !b.Valid() {
		return a.Valid() == b.Valid()
	}
	return compare(a, b) == same
}

func (m *merger) values(path Path, v versions) {
	switch {
	case isSame(v.base, v.mine), isSame(v.mine, v.theirs):
	case v.mergeable():
		for base, mine := range members(v.base, v.mine) {
			child := base
			if !base.Valid() {
				child = mine
			}
			m.values(path.toChild(child), versions{base, mine, child.sibling(v.theirs)})
		}
	case !isSame(v.base, v.theirs):
		m.conflict(path, v)
	case v.mine.Valid():
		m.put(path, v.mine.Subtree(), v)
	default:
		m.put(path, "", v)
	}
}

// mergeable reports whether the versions are merged by what they hold: objects by keys,
// lists by the names of their elements where mine has them in the same order.
func (v versions) mergeable() bool {
	return v.base.Kind() == Object && v.mine.Kind() == Object && v.theirs.Kind() == Object ||
		areNamedLists(v.base, v.mine, v.theirs) && slices.Equal(order(v.base, v.mine), order(v.mine, v.base))
}

// apply makes the edit.
func (e mergeEdit) apply(d *Document) (*Document, error) {
	if e.raw == "" {
		return d.Remove(e.path)
	}
	return d.add(e.path, e.raw, d.placeOf(e.mine, e.path.Parent()))
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
