package rules

import (
	"slices"

	"geodeck/adminapi/placement"
	"geodeck/ui/views/services/edits"
	"geodeck/ui/widget/rows"
)

// rowKind says what a row shows.
type rowKind uint8

const (
	itemRow        rowKind = iota // the header of a deployment
	affinityRow                   // which kind of affinity there is
	listRow                       // above the terms of one kind
	termRow                       // above the lines of a term
	lineRow                       // a line of a term
	tolerationsRow                // above the tolerations
	tolerationRow                 // one of them
	unknownRow                    // what of the deployment stays as it is
	newTermRow                    // a term that is typed and not in the policy yet
	newRow                        // a line or a toleration that is typed
)

// rowKey tells rows apart, also from one revision of a policy to the next.
type rowKey struct {
	kind rowKind
	at   placement.Place
}

func keyOfItem(item int) rowKey        { return rowKey{itemRow, placement.AtItem(item)} }
func keyOfAffinity(item int) rowKey    { return rowKey{affinityRow, placement.AtItem(item)} }
func keyOfTolerations(item int) rowKey { return rowKey{tolerationsRow, placement.AtItem(item)} }

func keyOfList(item int, kind placement.Kind) rowKey {
	return rowKey{listRow, placement.Place{Item: item, Kind: kind}}
}

// keyOf is the row of a term, a line or a toleration.
//
//go:noinline
func keyOf(at placement.Place) rowKey {
	switch at.Part {
	case placement.TermPart:
		return rowKey{termRow, at}
	case placement.LinePart:
		return rowKey{lineRow, at}
	case placement.TolerationPart:
		return rowKey{tolerationRow, at}
	}
	return rowKey{itemRow, at}
}

// out returns the row nearest to one that may have been removed: a sibling before it, then
// its parent; false where there is none.
func (k rowKey) out() (rowKey, bool) {
	at := k.at
	switch k.kind {
	case tolerationRow:
		if at.Toleration--; at.Toleration >= 0 {
			return rowKey{tolerationRow, at}, true
		}
		return keyOfTolerations(at.Item), true
	case lineRow:
		if at.Line--; at.Line >= 0 {
			return rowKey{lineRow, at}, true
		}
		return keyOf(placement.AtTerm(at.Item, at.Kind, at.Term)), true
	case termRow:
		if at.Term--; at.Term >= 0 {
			return rowKey{termRow, at}, true
		}
		return keyOfList(at.Item, at.Kind), true
	case newTermRow, newRow:
		return keyOf(at), true
	case listRow:
		return keyOfAffinity(at.Item), true
	case itemRow:
		return keyOfItem(at.Item - 1), at.Item > 0
	}
	return keyOfItem(at.Item), true
}

// row is a row and its place among the others.
type row struct {
	key   rowKey
	depth int
	mark  edits.Mark
	end   int // the row behind its descendants
}

// table is a policy as rows of a list.
type table struct {
	tree  *tree
	items []placement.Item
	rows  []row
	cols  columns
	base  int // depth of the rows below the header of a deployment
}

func newTable(t *tree) *table {
	s := &table{tree: t, items: t.draft.policy.Items()}
	if len(s.items) > 1 {
		s.base = 1
	}
	for n := range s.items {
		s.addItem(n)
	}
	s.measure()
	s.close()
	return s
}

//go:noinline
func (t *table) add(key rowKey, depth int, m edits.Mark) {
	t.rows = append(t.rows, row{key: key, depth: depth, mark: m})
}

func (t *table) addItem(n int) {
	i := &t.items[n]
	was, there := t.tree.draft.inBase(n)
	header := edits.Same
	if !there {
		header = edits.Added
	}
	t.add(keyOfItem(n), 0, header)
	t.add(keyOfAffinity(n), t.base, markOf(i.Kind() == was.Kind()))
	for _, kind := range []placement.Kind{placement.Required, placement.Preferred} {
		adding := t.tree.entry.addsTo(n, kind)
		if i.Affinity(kind).Present || adding {
			t.addList(n, kind, i.TermsBefore(was, kind))
		}
	}
	t.addTolerations(n, was.Tolerations)
	if len(i.UnknownKeys) > 0 {
		t.add(rowKey{unknownRow, placement.AtItem(n)}, t.base, edits.Same)
	}
}

func (t *table) addList(n int, kind placement.Kind, was []placement.Term) {
	terms := t.items[n].Affinity(kind).Terms
	pairs, removed := placement.Pairs(was, terms, placement.Term.Same)
	list := edits.Same
	if removed {
		list = edits.Holds
	}
	t.add(keyOfList(n, kind), t.base+1, list)
	for k := range terms {
		t.addNew(placement.AtTerm(n, kind, k))
		t.addTerm(placement.AtTerm(n, kind, k), &terms[k], pairs[k], was)
	}
	t.addNew(placement.AtTerm(n, kind, len(terms)))
}

func (t *table) addTerm(at placement.Place, term *placement.Term, pair int, was []placement.Term) {
	before, m := placement.Term{}, edits.Added
	if pair >= 0 {
		before = was[pair]
		m = markOf(before.Weight == term.Weight)
	}
	pairs, removed := placement.Pairs(before.Lines, term.Lines, placement.Line.Same)
	if removed && m == edits.Same {
		m = edits.Holds
	}
	t.add(keyOf(at), t.base+2, m)
	for k := range term.Lines {
		line := placement.AtLine(at.Item, at.Kind, at.Term, k)
		t.addNew(line)
		t.add(keyOf(line), t.base+3, pairMark(pairs[k], func(pair int) bool { return before.Lines[pair].Same(term.Lines[k]) }))
	}
	t.addNew(placement.AtLine(at.Item, at.Kind, at.Term, len(term.Lines)))
}

func (t *table) addTolerations(n int, was []placement.Toleration) {
	all := t.items[n].Tolerations
	pairs, removed := placement.Pairs(was, all, func(a, b placement.Toleration) bool { return a == b })
	m := edits.Same
	if removed {
		m = edits.Holds
	}
	t.add(keyOfTolerations(n), t.base, m)
	for k := range all {
		t.addNew(placement.AtToleration(n, k))
		t.add(keyOf(placement.AtToleration(n, k)), t.base+1, pairMark(pairs[k], func(pair int) bool { return was[pair] == all[k] }))
	}
	t.addNew(placement.AtToleration(n, len(all)))
}

// addNew adds the row that is typed at a place, where there is one.
func (t *table) addNew(at placement.Place) {
	e := t.tree.entry
	if e == nil || !e.adding || e.at != at {
		return
	}
	switch at.Part {
	case placement.TermPart:
		t.add(rowKey{newTermRow, at}, t.base+2, edits.Added)
		t.add(rowKey{newRow, at}, t.base+3, edits.Added)
	case placement.LinePart:
		t.add(rowKey{newRow, at}, t.base+3, edits.Added)
	case placement.TolerationPart:
		t.add(rowKey{newRow, at}, t.base+1, edits.Added)
	}
}

// close finds where the descendants of each row end.
func (t *table) close() {
	var open []int
	for i := range t.rows {
		for len(open) > 0 && t.rows[open[len(open)-1]].depth >= t.rows[i].depth {
			t.rows[open[len(open)-1]].end = i
			open = open[:len(open)-1]
		}
		open = append(open, i)
	}
	for _, i := range open {
		t.rows[i].end = len(t.rows)
	}
}

func (t *table) Len() int         { return len(t.rows) }
func (t *table) Key(i int) rowKey { return t.rows[i].key }
func (t *table) Depth(i int) int  { return t.rows[i].depth }

// Version changes with each key while the row is typed into.
func (t *table) Version(i int) uint64 {
	if e := t.tree.entry; e != nil && e.row() == t.rows[i].key {
		return e.strokes
	}
	return 0
}

// Matches looks at the words of a row.
func (t *table) Matches(i int, has func(text string) bool) bool {
	key := t.rows[i].key
	item := &t.items[key.at.Item]
	switch key.kind {
	case itemRow:
		return has(item.DeploymentType) || has(item.DeploymentID)
	case lineRow:
		l := t.line(key)
		return has(l.Key) || has(l.Operator) || slices.ContainsFunc(l.Values, has)
	case tolerationRow:
		o := item.Tolerations[key.at.Toleration]
		return has(o.Key) || has(o.Operator) || has(o.Value) || has(o.Effect)
	}
	return false
}

func (t *table) line(key rowKey) placement.Line { return t.tree.draft.policy.Line(key.at) }

// worst returns the finding that weighs most among the rows from one to another.
func (t *table) worst(from, to int) (worst placement.Finding, found bool) {
	for i := from; i < to; i++ {
		for _, f := range t.tree.judged.byRow[t.rows[i].key] {
			if !found || f.Strength > worst.Strength {
				worst, found = f, true
			}
		}
	}
	return worst, found
}

var _ rows.Source[rowKey] = (*table)(nil)

func markOf(equal bool) edits.Mark {
	if equal {
		return edits.Same
	}
	return edits.Altered
}

// pairMark is the mark of an element that is paired with one of the base, or with none.
func pairMark(pair int, equal func(pair int) bool) edits.Mark {
	if pair < 0 {
		return edits.Added
	}
	return markOf(equal(pair))
}

// shownMark is the mark of a row, and of what it hides where it is folded.
func (t *table) shownMark(i int, folded bool) edits.Mark {
	m := t.rows[i].mark
	if m != edits.Same || !folded {
		return m
	}
	for _, r := range t.rows[i:t.rows[i].end] {
		if r.mark != edits.Same {
			return edits.Holds
		}
	}
	return edits.Same
}
