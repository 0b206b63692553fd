package rules

import (
	"slices"

	"geodeck/adminapi/placement"
	"geodeck/ui/views/services/edits"
	"geodeck/ui/widget/rows"
)

// tree shows the rules, with a cursor that goes from row to row.
type tree struct {
	*state
	list   *rows.List[rowKey]
	table  *table
	folded map[rowKey]bool
	notes  map[string]string // of deployments, by their id
	names  map[string]string // with the id, by it
	entry  *entry            // the row that is typed into; nil where none is
}

// open shows a policy with nothing folded.
func (t *tree) open() {
	t.entry = nil
	t.folded = map[rowKey]bool{}
	t.list.SetFolds(t.folded)
	t.show()
}

// show makes the rows of the policy.
func (t *tree) show() {
	t.table = newTable(t)
	t.list.Set(t.table)
}

// typeInto shows a row that is typed into, or with nil that none is.
func (t *tree) typeInto(e *entry) {
	adding := e != nil && e.adding || t.entry != nil && t.entry.adding
	t.entry = e
	t.list.Redraw()
	if adding {
		t.show()
	}
}

// cursor returns the row under the cursor; the first deployment where there is none.
func (t *tree) cursor() rowKey {
	key, ok := t.list.Key()
	if !ok {
		return keyOf(placement.AtItem(0))
	}
	return key
}

// onElement reports whether the cursor is on a term, a line or a toleration.
func (t *tree) onElement() bool {
	kind := t.cursor().kind
	return kind == termRow || kind == lineRow || kind == tolerationRow
}

// weighted reports whether the cursor is in a list with weights.
func (t *tree) weighted() bool {
	kind := t.cursor().at.Kind
	return kind != placement.None && t.draft.item(t.cursor().at.Item).Affinity(kind).Shape == placement.WeightedList
}

// hidden reports whether a filter hides every row.
func (t *tree) hidden() bool { return t.list.Filter() != "" && t.list.Len() == 0 }

// goTo puts the cursor on a row, or, where there is none, on the nearest around it; a
// filter must not hide it.
func (t *tree) goTo(key rowKey) {
	for ok := true; ok; key, ok = key.out() {
		i := slices.IndexFunc(t.table.rows, func(r row) bool { return r.key == key })
		if i < 0 {
			continue
		}
		if !t.list.Select(key) {
			t.list.SetFilter("")
			t.list.Select(key)
		}
		return
	}
}

// hasFinding reports whether something is wrong with a row.
func (t *tree) hasFinding(i int) bool { return len(t.judged.byRow[t.table.rows[i].key]) > 0 }

// isChanged reports whether a row differs from what the site has.
func (t *tree) isChanged(i int) bool { return t.table.rows[i].mark != edits.Same }

// jump puts the cursor on the next row that is of note, round the ends, and says where there
// is none.
func (r *rulesPane) jump(by int, is func(i int) bool, what string) {
	t := r.tree
	n, cursor := len(t.table.rows), t.cursor()
	from := max(0, slices.IndexFunc(t.table.rows, func(r row) bool { return r.key == cursor }))
	for step := 1; step <= n; step++ {
		if i := (from + by*step + n*step) % n; is(i) {
			t.goTo(t.table.rows[i].key)
			return
		}
	}
	r.note = "No " + what + "."
}

// refold moves what is folded along with its terms. It is shown with the next rows.
func (t *tree) refold(m termMove) {
	if m.kind == placement.None {
		return
	}
	var moved []rowKey
	for key := range t.folded {
		if key.kind != termRow || key.at.Item != m.item || key.at.Kind != m.kind {
			continue
		}
		delete(t.folded, key)
		if key.at.Term = m.term(key.at.Term); key.at.Term != nowhere {
			moved = append(moved, key)
		}
	}
	for _, key := range moved {
		t.folded[key] = true
	}
}

// toggle folds or opens the row under the cursor, with what it opens in sight.
func (t *tree) toggle() {
	t.list.Toggle()
	t.list.ShowOpened()
}
