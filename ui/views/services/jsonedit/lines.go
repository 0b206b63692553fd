package jsonedit

import (
	"slices"
	"sort"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
	"geodeck/ui/views/services/edits"
)

// lines is a document as rows of a list: what an object or array holds, and the line of
// its end, are children of the line of its beginning.
type lines struct {
	tree        *tree
	doc         *document.Document
	all         []document.Line // with those that were deleted, where they stood
	gone        gone
	differences []document.Change      // from the base
	marks       []edits.Mark           // by line
	baseValues  map[int]string         // by line: the value in the base, as it was written
	findings    []finding.Finding      // by the line that shows them, ascending
	groups      map[int]document.Group // by line: where a group begins
	starts      []int                  // those lines, ascending
}

func newLines(t *tree, d, base *document.Document) *lines {
	l := &lines{tree: t, doc: d, all: d.Lines()}
	l.compare(base)
	l.findGroups()
	return l
}

// Len is the number of lines.
func (l *lines) Len() int { return len(l.all) }

// Key is the index of a line. It changes with the document: see carried.
func (l *lines) Key(i int) int { return i }

// Depth puts the end of an object below its beginning, so that it folds with it.
func (l *lines) Depth(i int) int {
	line := &l.all[i]
	if line.Part == document.Closing {
		return line.Depth + 1
	}
	return line.Depth
}

// Matches looks at the key and at a value of one line, as they are written.
func (l *lines) Matches(i int, has func(text string) bool) bool {
	line := &l.all[i]
	switch line.Part {
	case document.Closing:
		return false
	case document.Opening:
		return has(line.Node.RawKey())
	}
	return has(line.Node.RawKey()) || has(line.Node.Raw())
}

// Version changes with each key while the line is typed into.
func (l *lines) Version(i int) uint64 {
	if l.tree.fieldAt(i) != nil {
		return l.tree.strokes
	}
	return 0
}

// byteOf is the byte at which a line begins, of a deleted value that of the line before it;
// those of the lines ascend.
func (l *lines) byteOf(i int) int {
	if nth, ok := l.gone.find(i); ok {
		return l.gone.bytes[nth]
	}
	start, end := l.all[i].Node.Span()
	if l.all[i].Part == document.Closing {
		return end - 1
	}
	return start
}

// at returns the line that begins at a byte, and false where none does.
func (l *lines) at(offset int) (int, bool) {
	return sort.Find(len(l.all), func(i int) int { return offset - l.byteOf(i) })
}

// of returns the line on which a value of this document begins.
func (l *lines) of(n document.Node) int {
	i, _ := l.at(startOf(n))
	return i
}

// near returns the line of a path or, where it is not there, of the nearest value
// around it.
func (l *lines) near(path document.Path) (line int, found bool) {
	for found = true; ; found = false {
		if n, ok := l.doc.Find(path); ok {
			return l.of(n), found
		}
		path = path.Parent()
	}
}

// carried returns which of the next lines shows what a line of these did, where a
// splice has made the next document of this one.
func (l *lines) carried(line int, next *lines, s splice) (int, bool) {
	if line < 0 {
		return 0, false
	}
	if l.deleted(line) {
		if now, ok := next.gone.byPath[l.all[line].Node.Path()]; ok {
			return now, true
		}
	} else if offset, ok := s.carry(l.byteOf(line)); ok {
		if now, ok := next.at(offset); ok {
			return now, true
		}
	}
	n, ok := next.doc.Find(l.all[line].Node.Path())
	if !ok {
		return 0, false
	}
	now := next.of(n)
	if l.all[line].Part == document.Closing {
		now = next.all[now].Pair
	}
	return now, true
}

// carriedFolds returns which of the next lines are folded, where these are.
func (l *lines) carriedFolds(folded map[int]bool, next *lines, s splice) map[int]bool {
	carried := make(map[int]bool, len(folded))
	for line, on := range folded {
		if now, ok := l.carried(line, next, s); ok && on {
			carried[now] = true
		}
	}
	return carried
}

// compare marks what differs from the base.
func (l *lines) compare(base *document.Document) {
	if base != l.doc {
		l.differences = document.Diff(base, l.doc)
		l.insertGone(base, l.differences)
	}
	l.marks, l.baseValues = make([]edits.Mark, len(l.all)), map[int]string{}
	for _, c := range l.differences {
		line, found := l.near(c.Path)
		if was, ok := base.Find(c.Path); ok && !found {
			if now, still := l.doc.Counterpart(was); still {
				line, found = l.of(now), true
			}
		}
		row, stands := l.gone.byPath[c.Path]
		switch {
		case c.Kind == document.Removed && stands:
			l.mark(row, row, edits.Gone)
		case c.Kind == document.Removed || !found:
			l.mark(line, line, edits.Holds)
		case c.Kind == document.Added:
			l.mark(line, l.all[line].Pair, edits.Added)
		default:
			l.mark(line, l.all[line].Pair, edits.Altered)
			l.baseValues[line] = c.Old
		}
	}
}

func (l *lines) mark(from, to int, m edits.Mark) {
	for i := from; i <= to; i++ {
		l.marks[i] = max(l.marks[i], m)
	}
}

// notable reports whether a line differs from the base, or breaks a rule.
func (l *lines) notable(i int) bool { return l.marks[i] != edits.Same || len(l.found(i, i)) > 0 }

// shownMark is the mark of a line, and of what it hides where it is folded.
func (l *lines) shownMark(i int, folded bool) edits.Mark {
	m := l.marks[i]
	if folded && m == edits.Same && slices.Max(l.marks[i:l.all[i].Pair+1]) > edits.Same {
		return edits.Holds
	}
	return m
}

// findGroups finds where a key of the outermost object is of another group than the
// one before it.
func (l *lines) findGroups() {
	l.groups = map[int]document.Group{}
	if l.doc.Root().Kind() != document.Object {
		return
	}
	var before document.Group
	for child := range l.doc.Root().Children() {
		key, _ := child.Key()
		if group := document.GroupOf(document.Whole.Key(key)); group != before {
			line := l.of(child)
			l.groups[line] = group
			l.starts = append(l.starts, line)
			before = group
		}
	}
}

// placed finds the lines that show findings.
func (l *lines) placed(all []finding.Finding) []finding.Finding {
	placed := slices.Clone(all)
	for i, f := range all {
		path := document.Path(f.At.Path)
		line, ok := l.gone.byPath[path]
		if !ok {
			line, _ = l.near(path)
		}
		placed[i].At.Line, placed[i].Text = line, plain.Line(f.Text)
	}
	slices.SortStableFunc(placed, func(a, b finding.Finding) int { return a.At.Line - b.At.Line })
	return placed
}

// found returns the findings of the lines from one to another.
func (l *lines) found(from, to int) []finding.Finding {
	byLine := func(f finding.Finding, line int) int { return f.At.Line - line }
	first, _ := slices.BinarySearchFunc(l.findings, from, byLine)
	end, _ := slices.BinarySearchFunc(l.findings, to+1, byLine)
	return l.findings[first:end]
}

// wrong returns the lines with findings, ascending.
func (l *lines) wrong() []int {
	wrong := make([]int, len(l.findings))
	for i, f := range l.findings {
		wrong[i] = f.At.Line
	}
	return slices.Compact(wrong)
}

// changed returns the lines on which a difference from the base begins, ascending.
func (l *lines) changed() (changed []int) {
	for i, m := range l.marks {
		if m != edits.Same && (i == 0 || l.marks[i-1] != m || l.baseValues[i] != "" || m == edits.Gone) {
			changed = append(changed, i)
		}
	}
	return changed
}

// startOf is the byte at which a value begins.
func startOf(n document.Node) int {
	start, _ := n.Span()
	return start
}

// gone are the rows of values that the document has no more: each stands where it stood in
// the base, until the edit is sent.
type gone struct {
	rows   []int                 // ascending
	bytes  []int                 // by row: where the value before it begins or ends
	byPath map[document.Path]int // the rows
}

// lost is a value of the base that has no place in the document.
type lost struct {
	line  int // of the document that it stands behind
	depth int
	node  document.Node
}

// find returns which of the rows of deleted values a row is, and false for any other.
func (g *gone) find(row int) (nth int, ok bool) {
	return slices.BinarySearch(g.rows, row)
}

// deleted reports whether a row shows a value that was deleted.
func (l *lines) deleted(row int) bool { return l.all[row].Node.Document() != l.doc }

// insertGone puts the deleted values among the lines. A long document with none of them
// costs nothing.
func (l *lines) insertGone(base *document.Document, changes []document.Change) {
	all := l.findLost(base, changes)
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b lost) int { return a.line - b.line })
	merged, moved := make([]document.Line, 0, len(l.all)+len(all)), make([]int, len(l.all))
	g := gone{byPath: make(map[document.Path]int, len(all))}
	for i, line := range l.all {
		moved[i] = len(merged)
		merged = append(merged, line)
		for ; len(all) > 0 && all[0].line == i; all = all[1:] {
			row := len(merged)
			g.rows, g.bytes = append(g.rows, row), append(g.bytes, l.byteOf(i))
			g.byPath[all[0].node.Path()] = row
			merged = append(merged, document.Line{Node: all[0].node, Depth: all[0].depth, Pair: row})
		}
	}
	for _, at := range moved {
		merged[at].Pair = moved[merged[at].Pair]
	}
	l.all, l.gone = merged, g
}

// findLost finds where deleted values stood: behind the sibling before them, or at the
// beginning of what held them.
func (l *lines) findLost(base *document.Document, changes []document.Change) (all []lost) {
	siblings := map[document.Node][]document.Node{}
	behind := map[document.Node]int{}
	for _, c := range changes {
		if c.Kind != document.Removed {
			continue
		}
		n, ok := base.Find(c.Path)
		if !ok || !n.Parent().Valid() {
			continue
		}
		parent := n.Parent()
		holder, ok := l.doc.Counterpart(parent)
		if !ok {
			continue
		}
		if siblings[parent] == nil {
			for child := range parent.Children() {
				siblings[parent] = append(siblings[parent], child)
			}
		}
		top := l.of(holder)
		line := top
		for i := n.Index() - 1; i >= 0; i-- {
			before := siblings[parent][i]
			if at, ok := behind[before]; ok {
				line = at
				break
			}
			if now, ok := l.doc.Counterpart(before); ok && now.Parent() == holder {
				line = l.all[l.of(now)].Pair
				break
			}
		}
		behind[n] = line
		all = append(all, lost{line, l.all[top].Depth + 1, n})
	}
	return all
}
