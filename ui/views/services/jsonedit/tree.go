package jsonedit

import (
	"sort"

	"geodeck/adminapi/document"
)

// tree is a document as rows of a list: what an object or array holds, the line of
// its end included, stands below the line of its beginning.
type tree struct {
	editor   *Editor
	doc      *document.Document
	lines    []document.Line
	marks    []mark                 // by line
	was      map[int]string         // by line: the value in the base, as it was written
	findings []finding              // by line, ascending
	groups   map[int]document.Group // by line: where a group begins
	starts   []int                  // those lines, ascending
}

func newTree(e *Editor, d *document.Document) *tree {
	t := &tree{editor: e, doc: d, lines: d.Lines()}
	t.compare(e.base)
	t.findGroups()
	return t
}

// Len is the number of lines.
func (t *tree) Len() int { return len(t.lines) }

// Key is the index of a line. It changes with the document: see carry.
func (t *tree) Key(i int) int { return i }

// Depth puts the end of an object below its beginning, so that it folds with it.
func (t *tree) Depth(i int) int {
	line := &t.lines[i]
	if line.Part == document.Closing {
		return line.Depth + 1
	}
	return line.Depth
}

// Matches looks at the key and at a value of one line, as they are written.
func (t *tree) Matches(i int, has func(text string) bool) bool {
	line := &t.lines[i]
	switch line.Part {
	case document.Closing:
		return false
	case document.Opening:
		return has(line.Node.RawKey())
	}
	return has(line.Node.RawKey()) || has(line.Node.Raw())
}

// Version changes with each key while the line is typed into.
func (t *tree) Version(i int) uint64 {
	if t.editor.typedAt(i) {
		return t.editor.strokes
	}
	return 0
}

// place is the byte at which a line stands; places ascend.
func (t *tree) place(i int) int {
	start, end := t.lines[i].Node.Span()
	if t.lines[i].Part == document.Closing {
		return end - 1
	}
	return start
}

// lineAt returns the line that stands at a byte, and false where none begins there.
func (t *tree) lineAt(place int) (int, bool) {
	i := sort.Search(len(t.lines), func(i int) bool { return t.place(i) >= place })
	return i, i < len(t.lines) && t.place(i) == place
}

// lineOf returns the line on which a value of this document begins.
func (t *tree) lineOf(n document.Node) int {
	start, _ := n.Span()
	i, _ := t.lineAt(start)
	return i
}

// lineNear returns the line of a path or, where it is not there, of the nearest
// value around it.
func (t *tree) lineNear(path document.Path) (line int, found bool) {
	for found = true; ; found = false {
		if n, ok := t.doc.Find(path); ok {
			return t.lineOf(n), found
		}
		path = path.Parent()
	}
}

// findGroups finds where a key of the outermost object is of another group than the
// one before it.
func (t *tree) findGroups() {
	t.groups = map[int]document.Group{}
	if t.doc.Root().Kind() != document.Object {
		return
	}
	var before document.Group
	for child := range t.doc.Root().Children() {
		key, _ := child.Key()
		if group := document.GroupOf(document.Whole.Key(key)); group != before {
			line := t.lineOf(child)
			t.groups[line] = group
			t.starts = append(t.starts, line)
			before = group
		}
	}
}
