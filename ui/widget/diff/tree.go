package diff

import (
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// part is what a row of the review stands for.
type part uint8

const (
	serviceRow part = iota
	rulesRow        // heads the findings
	findingRow
	sentenceRow // a line of what a finding says, where it does not fit beside the path
	lostRow     // heads the lost keys
	keyRow      // one of them
	changesRow
	changeRow
	oldRow // what was there, where it does not fit beside the path
	newRow
	textRow // a line of a long value
)

// rowKey tells rows apart, also between one plan and the next.
type rowKey struct {
	service string
	path    document.Path
	part    part
	of      part  // of a textRow: the side it belongs to
	nth     int32 // of several of one path
}

// item is one row.
type item struct {
	key     rowKey
	depth   int
	plan    int
	change  *document.Change
	risks   []document.Risk
	finding *document.Finding
	beside  bool   // the values fit beside the path
	text    string // what the row says of itself, clean
	long    string // the value as it was written, for a filter
}

// tree is the plans as rows.
type tree struct {
	review *Review
	items  []item
	paths  int // cells of the column of paths
	base   int // depth of what stands below a service
}

// newTree lays out. What is long is folded the first time it is seen.
func newTree(r *Review) *tree {
	t := &tree{review: r}
	if len(r.plans) > 1 {
		t.base = 1
	}
	t.measure()
	for i := range r.plans {
		t.addPlan(i)
	}
	return t
}

// measure finds the width of the column of paths.
func (t *tree) measure() {
	for _, plan := range t.review.plans {
		for i := range plan.Changes {
			t.paths = max(t.paths, ansi.StringWidth(plan.Changes[i].Path.String()))
		}
	}
	t.paths = max(minPath, min(t.paths, t.review.width*9/20))
}

func (t *tree) addPlan(i int) {
	plan := &t.review.plans[i]
	if t.base > 0 {
		t.add(item{key: rowKey{part: serviceRow}, plan: i, text: plain.Line(plan.Service)})
	}
	if len(plan.Findings) > 0 {
		t.add(item{key: rowKey{part: rulesRow}, depth: t.base, plan: i})
	}
	t.addFindings(i, true)
	t.addFindings(i, false)
	if len(plan.Removed) > 0 {
		t.add(item{key: rowKey{part: lostRow}, depth: t.base, plan: i})
	}
	t.addLost(i)
	if len(plan.Changes) > 0 {
		t.add(item{key: rowKey{part: changesRow}, depth: t.base, plan: i})
	}
	t.addChanges(i)
}

// addFindings adds the findings that block, or those that do not.
func (t *tree) addFindings(plan int, blocking bool) {
	findings := t.review.plans[plan].Findings
	for n := range findings {
		f := &findings[n]
		if f.Blocking == blocking {
			t.addFinding(item{key: rowKey{part: findingRow, path: f.Path, nth: int32(n)}, depth: t.base + 1, plan: plan, finding: f, text: plain.Line(f.Text)})
		}
	}
}

// addFinding adds a finding, and what it says below it where it does not fit beside
// the path: a sentence that is cut says nothing.
func (t *tree) addFinding(row item) {
	room := t.review.width - textIndent - stateWidth
	row.beside = ansi.StringWidth(row.key.path.String())+2+ansi.StringWidth(row.text) <= room
	t.add(row)
	if row.beside {
		return
	}
	for n, line := range views.Wrap(row.text, room) {
		below := row
		below.depth++
		below.key.part, below.key.nth = sentenceRow, row.key.nth<<8+int32(n)
		below.text, below.long = line, row.text
		t.add(below)
	}
}

// add appends a row of a plan.
func (t *tree) add(row item) {
	row.key.service = t.review.plans[row.plan].Service
	t.items = append(t.items, row)
}

// addLost adds the lost keys, with their values where these are known.
func (t *tree) addLost(i int) {
	plan := &t.review.plans[i]
	if len(plan.Removed) == 0 {
		return
	}
	removed := map[document.Path]*document.Change{}
	for n := range plan.Changes {
		if c := &plan.Changes[n]; c.Kind == document.Removed {
			removed[c.Path] = c
		}
	}
	for _, path := range plan.Removed {
		row := item{key: rowKey{part: keyRow, path: path}, depth: t.base + 1, plan: i}
		if c := removed[path]; c != nil {
			row.text, row.long = summary(c.Old), c.Old
		}
		t.add(row)
	}
}

func (t *tree) addChanges(i int) {
	plan := &t.review.plans[i]
	risks := plan.RisksByChange()
	for n := range plan.Changes {
		t.addChange(i, &plan.Changes[n], risks[plan.Changes[n].Path])
	}
}

func (t *tree) addChange(plan int, c *document.Change, risks []document.Risk) {
	row := item{key: rowKey{part: changeRow, path: c.Path, nth: int32(c.Kind)}, depth: t.base + 1, plan: plan, change: c, risks: risks}
	row.text, row.beside = t.beside(c)
	t.add(row)
	if row.beside {
		return
	}
	was, now := t.onRows(c, t.review.width-textIndent-2)
	for _, side := range []struct {
		part      part
		raw, text string
	}{{oldRow, c.Old, was}, {newRow, c.New, now}} {
		if side.raw != "" {
			t.addSide(row, side.part, side.raw, side.text)
		}
	}
}

// addSide adds one of the two values of a change, with its lines where it has more
// than its own row shows.
func (t *tree) addSide(change item, side part, raw, text string) {
	row := change
	row.key.part, row.beside, row.long = side, false, raw
	row.depth++
	row.text = text
	t.add(row)
	room := t.review.width - textIndent
	if !document.IsContainer(raw) && ansi.StringWidth(row.text) <= room-2 {
		return
	}
	t.fold(row.key.with(row.plan, t))
	for n, line := range document.ValueLines(raw, room) {
		text := row
		text.depth++
		text.key.part, text.key.of, text.key.nth = textRow, side, int32(n)
		text.text, text.long = line, line
		t.add(text)
	}
}

// with returns the key as add writes it.
func (k rowKey) with(plan int, t *tree) rowKey {
	k.service = t.review.plans[plan].Service
	return k
}

// fold hides the lines of a value, unless the user has decided about them before.
func (t *tree) fold(key rowKey) {
	if !t.review.foldedOnce[key] {
		t.review.foldedOnce[key], t.review.folds[key] = true, true
	}
}

// Len is the number of rows.
func (t *tree) Len() int { return len(t.items) }

// Key tells rows apart.
func (t *tree) Key(i int) rowKey { return t.items[i].key }

// Depth is the place in the tree.
func (t *tree) Depth(i int) int { return t.items[i].depth }

// Version changes where something was confirmed or typed.
func (t *tree) Version(i int) uint64 {
	switch t.items[i].key.part {
	case serviceRow, lostRow, keyRow:
		return t.review.revision
	}
	return 0
}

// Matches looks at paths, words and values.
func (t *tree) Matches(i int, has func(string) bool) bool {
	row := &t.items[i]
	switch row.key.part {
	case serviceRow:
		return has(row.key.service)
	case rulesRow, lostRow, changesRow:
		return false
	case changeRow:
		return t.changeMatches(row, has)
	case keyRow, findingRow:
		return has(row.key.path.String()) || has(row.text)
	}
	return has(row.long)
}

func (t *tree) changeMatches(row *item, has func(string) bool) bool {
	c := row.change
	if has(c.Path.String()) || has(c.Kind.String()) || has(c.Old) || has(c.New) {
		return true
	}
	for _, risk := range row.risks {
		if has(string(risk.Label)) || has(risk.Severity.String()) {
			return true
		}
	}
	return false
}

var _ rows.Source[rowKey] = (*tree)(nil)
