package rules

import (
	"cmp"
	"slices"

	"geodeck/adminapi/placement"
	"geodeck/ui/views/services/edits"
	"geodeck/ui/widget/rows"
)

// rowKind says what a row shows.
type rowKind uint8

const (
	itemRow        rowKind = iota // the header of a deployment
	affinityRow                   // above the terms that are required, or preferred
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

// keyOf is the row of a part of the rules.
func keyOf(at placement.Place) rowKey {
	return rowKey{[...]rowKind{
		placement.ItemPart: itemRow, placement.AffinityPart: affinityRow, placement.TermPart: termRow,
		placement.LinePart: lineRow, placement.TolerationsPart: tolerationsRow, placement.TolerationPart: tolerationRow,
	}[at.Part], at}
}

// out returns the row nearest to one that may have been removed: a sibling before it, then
// its parent; false where there is none.
func (k rowKey) out() (rowKey, bool) {
	at := k.at
	switch k.kind {
	case termRow, lineRow, tolerationRow:
		if before := at.Moved(-1); min(before.Term, before.Line, before.Toleration) >= 0 {
			return keyOf(before), true
		}
	}
	switch k.kind {
	case tolerationRow:
		return keyOf(placement.AtTolerations(at.Item)), true
	case lineRow:
		return keyOf(placement.AtTerm(at.Item, at.Kind, at.Term)), true
	case termRow:
		return keyOf(placement.AtAffinity(at.Item, at.Kind)), true
	case newTermRow, newRow:
		return keyOf(at), true
	case itemRow:
		return keyOf(placement.AtItem(at.Item - 1)), at.Item > 0
	}
	return keyOf(placement.AtItem(at.Item)), true
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
	t.add(keyOf(placement.AtItem(n)), 0, header)
	for _, kind := range []placement.Kind{placement.Required, placement.Preferred} {
		before, now := was.Affinity(kind), i.Affinity(kind)
		addAll(t, keyOf(placement.AtAffinity(n, kind)), t.base, markOf(before.Present == now.Present), before.Terms, now.Terms,
			placement.Term.Same, placement.AtTerm(n, kind, 0), t.addTerm)
	}
	addAll(t, keyOf(placement.AtTolerations(n)), t.base, edits.Same, was.Tolerations, i.Tolerations,
		func(a, b placement.Toleration) bool { return a == b }, placement.AtToleration(n, 0), nil)
	if len(i.UnknownKeys) > 0 {
		t.add(rowKey{unknownRow, placement.AtItem(n)}, t.base, edits.Same)
	}
}

// addAll adds the row above a list and those of its elements, of which the first is at a place, with
// the one that is typed among them. addOne adds an element that is paired with one of the base, nil for
// none; it may be nil where an element has a single row.
func addAll[E any](t *table, head rowKey, depth int, m edits.Mark, was, now []E, same func(a, b E) bool,
	at placement.Place, addOne func(at placement.Place, before, now *E)) {
	pairs, removed := placement.Pairs(was, now, same)
	if removed && m == edits.Same {
		m = edits.Holds
	}
	t.add(head, depth, m)
	depth++
	for i, pair := range pairs {
		t.addNew(at, depth)
		var before *E
		if pair >= 0 {
			before = &was[pair]
		}
		switch {
		case addOne != nil:
			addOne(at, before, &now[i])
		case before == nil:
			t.add(keyOf(at), depth, edits.Added)
		default:
			t.add(keyOf(at), depth, markOf(same(*before, now[i])))
		}
		at = at.Moved(1)
	}
	t.addNew(at, depth)
}

func (t *table) addTerm(at placement.Place, before, term *placement.Term) {
	var lines []placement.Line
	m := edits.Added
	if before != nil {
		lines, m = before.Lines, markOf(before.Weight == term.Weight)
	}
	addAll(t, keyOf(at), t.base+1, m, lines, term.Lines,
		placement.Line.Same, placement.AtLine(at.Item, at.Kind, at.Term, 0), nil)
}

// addNew adds the row that is typed at a place, where there is one; that of a term has a line.
func (t *table) addNew(at placement.Place, depth int) {
	if e := t.tree.entry; e == nil || !e.adding || e.at != at {
		return
	}
	if at.Part == placement.TermPart {
		t.add(rowKey{newTermRow, at}, depth, edits.Added)
		depth++
	}
	t.add(rowKey{newRow, at}, depth, edits.Added)
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

// worst returns the finding that weighs most among the rows from one to another, with the text of
// one that knows what is meant.
func (t *table) worst(from, to int) (worst placement.Finding, found bool) {
	meant := ""
	for i := from; i < to; i++ {
		for _, f := range t.tree.judged.byRow[t.rows[i].key] {
			if !found || f.Strength > worst.Strength {
				worst, found = f, true
			}
			if f.ID == placement.Misspelt {
				meant = f.Text
			}
		}
	}
	worst.Text = cmp.Or(meant, worst.Text)
	return worst, found
}

var _ rows.Source[rowKey] = (*table)(nil)

func markOf(equal bool) edits.Mark {
	if equal {
		return edits.Same
	}
	return edits.Altered
}

// shownMark is the mark of a row, and of what it hides where it is folded.
func (t *table) shownMark(i int, folded bool) edits.Mark {
	m := t.rows[i].mark
	if m != edits.Same || !folded {
		return m
	}
	if slices.ContainsFunc(t.rows[i:t.rows[i].end], func(r row) bool { return r.mark != edits.Same }) {
		return edits.Holds
	}
	return m
}
