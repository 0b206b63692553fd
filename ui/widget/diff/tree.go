package diff

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// part is what a row of the review shows.
type part uint8

const (
	serviceRow part = iota
	rulesRow        // heads the findings
	findingRow
	sentenceRow // a line of what a finding says, where it does not fit beside the path
	opensRow    // heads what has to be accepted
	openRow     // one of them
	changesRow
	changeRow
	oldRow // what was there, where it does not fit beside the path
	newRow
	textRow // a line of a long value
	wordRow // a further line of a change that is said in words
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
	risks   []finding.Finding
	finding *finding.Finding
	beside  bool   // the values fit beside the path
	text    string // what the row says of itself, clean
	words   string // of a change that is said in words
	wrapped bool   // the words go on from the row before
	long    string // the value as it was written, for a filter
}

// tree is the plans as rows.
type tree struct {
	review *Review
	items  []item
	paths  int // cells of the column of paths
	base   int // depth of the rows below a service
}

// newTree lays the plans out. What is long is folded the first time it is shown.
func newTree(r *Review) *tree {
	t := &tree{review: r}
	if len(r.plans) > 1 {
		t.base = 1
	}
	for _, plan := range r.plans {
		for _, c := range plan.Changes {
			if len(plan.Words[c.Path]) == 0 {
				t.paths = max(t.paths, ansi.StringWidth(c.Path.String()))
			}
		}
	}
	t.paths = max(minPath, min(t.paths, r.width*9/20))
	for i := range r.plans {
		if t.base > 0 && i == 0 {
			t.addOpen(0)
		}
		t.addPlan(i)
	}
	return t
}

// add appends a row of a plan.
func (t *tree) add(row item) {
	row.key.service = t.review.plans[row.plan].Service
	t.items = append(t.items, row)
}

// addOpen adds what has to be accepted, of all plans.
func (t *tree) addOpen(depth int) {
	if len(t.review.open) == 0 {
		return
	}
	t.add(item{key: rowKey{part: opensRow}, depth: depth})
	for n := range t.review.open {
		o := &t.review.open[n]
		row := item{key: rowKey{part: openRow, path: document.Path(o.At.Path), nth: int32(n)}, depth: depth + 1, plan: o.plan,
			finding: &o.Finding, beside: true, text: plain.Line(o.ID), long: o.Text}
		if whole := row.text + ": " + o.Text; ansi.StringWidth(o.At.Words())+2+ansi.StringWidth(whole) <= t.findingRoom() {
			row.text = whole
		} // else it is told below
		t.add(row)
	}
}

// addPlan adds the findings of a plan, those that block first, what has to be accepted, and the changes.
func (t *tree) addPlan(i int) {
	plan := &t.review.plans[i]
	heading := func(part part) { t.add(item{key: rowKey{part: part}, depth: t.base, plan: i}) }
	if t.base > 0 {
		t.add(item{key: rowKey{part: serviceRow}, plan: i, text: plain.Line(plan.Service)})
		if onOneLine(*plan) { // one line says it
			t.foldOnce(t.items[len(t.items)-1].key)
		}
	}
	told := func(blocking bool) func(*finding.Finding) bool { // the others have to be accepted
		return func(f *finding.Finding) bool { return f.Blocks() == blocking && (t.review.asks == nil || !f.Open()) }
	}
	headed := false
	for _, is := range []func(*finding.Finding) bool{told(true), told(false)} {
		for n := range plan.Findings {
			f := &plan.Findings[n]
			if !is(f) {
				continue
			}
			if !headed {
				heading(rulesRow)
			}
			headed = true
			t.addFinding(item{key: rowKey{part: findingRow, path: document.Path(f.At.Path), nth: int32(n)}, depth: t.base + 1, plan: i, finding: f, text: plain.Line(f.Text)})
		}
	}
	if t.base == 0 {
		t.addOpen(0)
	}
	if len(plan.Changes) > 0 {
		heading(changesRow)
	}
	risks := plan.RisksByChange()
	for n := range plan.Changes {
		t.addChange(i, &plan.Changes[n], risks[plan.Changes[n].Path])
	}
}

// findingRoom are the cells for the place of a finding and its sentence.
func (t *tree) findingRoom() int { return t.review.width - textIndent - stateWidth }

// addFinding adds a finding, with its sentence below it where that does not fit beside
// the path: a sentence that is cut helps nobody.
func (t *tree) addFinding(row item) {
	room := t.findingRoom()
	row.beside = ansi.StringWidth(row.finding.At.Words())+2+ansi.StringWidth(row.text) <= room
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

func (t *tree) addChange(plan int, c *document.Change, risks []finding.Finding) {
	row := item{key: rowKey{part: changeRow, path: c.Path, nth: int32(c.Kind)}, depth: t.base + 1, plan: plan, change: c, risks: risks}
	if words := t.review.plans[plan].Words[c.Path]; len(words) > 0 {
		room := max(20, t.review.width-2*t.base-foldWidth-kindWidth-weightWidth-4)
		for _, text := range words {
			row.wrapped = false
			for _, line := range views.Wrap(strings.ReplaceAll(text, "→", t.review.inks.Glyphs.Arrow), room) {
				row.words = line
				t.add(row)
				row.key.part, row.risks, row.wrapped = wordRow, nil, true
				row.key.nth++
			}
		}
		return
	}
	row.text, row.beside = t.beside(c)
	t.add(row)
	if row.beside {
		return
	}
	was, now := t.onRows(c, t.review.width-textIndent-2)
	if c.Old != "" {
		t.addSide(row, oldRow, c.Old, was)
	}
	if c.New != "" {
		t.addSide(row, newRow, c.New, now)
	}
}

// onOneLine reports whether the row of a service says enough: nothing blocks.
func onOneLine(plan document.Review) bool {
	return plan.Summary != "" && !finding.Blocked(plan.Findings)
}

// foldOnce folds a row the first time it is shown; from then on the user decides.
func (t *tree) foldOnce(key rowKey) {
	if !t.review.foldedOnce[key] {
		t.review.foldedOnce[key], t.review.folds[key] = true, true
	}
}

// addSide adds one of the two values of a change, with its lines below it where one row
// cannot show all of it.
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
	key := t.items[len(t.items)-1].key
	t.foldOnce(key)
	for n, line := range document.ValueLines(raw, room) {
		below := row
		below.depth++
		below.key.part, below.key.of, below.key.nth = textRow, side, int32(n)
		below.text, below.long = line, line
		t.add(below)
	}
}

// Len is the number of rows.
func (t *tree) Len() int { return len(t.items) }

// Key tells rows apart.
func (t *tree) Key(i int) rowKey { return t.items[i].key }

// Depth is the place in the tree.
func (t *tree) Depth(i int) int { return t.items[i].depth }

// Version changes where something was accepted.
func (t *tree) Version(i int) uint64 {
	switch t.items[i].key.part {
	case serviceRow, opensRow, openRow:
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
	case rulesRow, opensRow, changesRow:
		return false
	case changeRow, wordRow:
		c := row.change
		return has(row.words) || has(c.Path.String()) || has(c.Kind.String()) || has(c.Old) || has(c.New) ||
			slices.ContainsFunc(row.risks, func(r finding.Finding) bool { return has(r.ID) || has(r.Strength.String()) })
	case findingRow, openRow:
		return has(row.finding.At.Words()) || has(row.text) || has(row.long) || has(row.finding.Word())
	}
	return has(row.long)
}
