package jsonedit

import (
	"cmp"
	"slices"
	"sort"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// tree shows the lines of a document, with a cursor that goes from value to value.
type tree struct {
	inks    *inks
	list    *rows.List[int]
	lines   *lines
	base    *document.Document
	folded  map[int]bool // by line; the list changes it
	field   *field       // that is typed into in its line; nil where none is
	only    bool         // only what differs or breaks a rule is shown
	strokes uint64       // counts what changes the drawing of that line
}

// open shows the lines of another document, such as a newer one of the site. The cursor stays
// at its value, or the nearest around it, and the folds at theirs.
func (t *tree) open(l *lines, base *document.Document) {
	before, cursor, folds := t.lines, t.line(), map[int]bool{}
	if before != nil {
		s := spliceOf(before.doc.Text(), l.doc.Text())
		if len(t.folded) <= maxCarried {
			folds = before.carriedFolds(t.folded, l, s)
		}
		if now, ok := before.carried(cursor, l, s); ok {
			cursor = now
		} else if cursor >= 0 {
			cursor, _ = l.near(before.all[cursor].Node.Path())
		}
	}
	t.base, t.field = base, nil
	t.shift(l, folds, cursor, false)
}

// maxCarried is how many folds are looked for in another document before the next frame.
const maxCarried = 5_000

// shift shows the lines of an edited document with the cursor on one of them, below zero
// on any. Where it was sought nothing may hide it.
func (t *tree) shift(l *lines, folded map[int]bool, cursor int, sought bool) {
	t.lines, t.folded = l, folded
	t.list.SetFolds(folded)
	t.list.Set(l)
	switch {
	case sought:
		t.goTo(cursor)
	case cursor >= 0:
		t.list.Select(cursor)
	}
}

// showOnly shows only what differs from the base or breaks a rule, or all.
func (t *tree) showOnly(on bool) {
	if t.only = on; !on {
		t.list.SetKeep(nil)
		return
	}
	t.list.SetKeep(func(i int) bool {
		return t.lines.notable(i) || t.lines.all[i].Part == document.Closing && t.lines.notable(t.lines.all[i].Pair)
	})
}

// typeInto shows a mode that types into a line of the tree.
func (t *tree) typeInto(m mode) {
	t.strokes++
	if t.field, _ = m.(*field); t.field != nil && !t.field.inLine {
		t.field = nil
	}
}

// fieldAt returns the field that a line is typed into with, nil where it is not.
func (t *tree) fieldAt(line int) *field {
	if t.field == nil || t.field.line != line {
		return nil
	}
	return t.field
}

// line is the one under the cursor, below zero for none.
func (t *tree) line() int {
	if i, ok := t.list.Selected(); ok {
		return i
	}
	return -1
}

// node returns the value under the cursor; false where there is none, or it was deleted.
func (t *tree) node() (document.Node, bool) {
	i, ok := t.list.Selected()
	if !ok || t.lines.deleted(i) {
		return document.Node{}, false
	}
	return t.lines.all[i].Node, true
}

// quick reports whether an edit that brings so many bytes fits between two frames.
func (t *tree) quick(size int) bool {
	return len(t.lines.all) <= maxLines && size+max(len(t.lines.doc.Text()), len(t.base.Text())) <= maxBytes
}

// noValue says why no value under the cursor can be changed; empty where one can.
func (t *tree) noValue() string {
	switch i, ok := t.list.Selected(); {
	case !ok:
		return "No line matches the filter; hidden lines are not changed."
	case t.lines.deleted(i):
		return views.Keys("Deleted, not sent yet. {key:jsonedit.undo} undoes your last change.")
	}
	return ""
}

// fixed says why an edit cannot change the value under the cursor; empty where it can.
func (t *tree) fixed() string {
	n, ok := t.node()
	if !ok {
		return ""
	}
	if f, _ := document.FieldOf(n.Path()); !f.Fixed {
		return ""
	}
	if was, has := t.base.Find(n.Path()); !has || was.Raw() != n.Raw() { // what was changed can be put right
		return ""
	}
	return "Part of the service's address: an edit cannot change it."
}

// suggested is the path of the key that is suggested in place of the key under the cursor; empty for none.
func (t *tree) suggested() (key string) {
	if i := t.line(); i >= 0 {
		for _, f := range t.lines.found(i, i) {
			key = cmp.Or(key, f.Instead)
		}
	}
	return key
}

func (t *tree) suggests() bool { return t.suggested() != "" }

// copyValue copies the value under the cursor, with all it holds.
func (t *tree) copyValue() tea.Cmd {
	n, ok := t.node()
	if !ok {
		return nil
	}
	text := n.Text()
	if isHolder(n) {
		text = n.Subtree()
	}
	return views.CopyText(text, "value")
}

// path returns the path of the value under the cursor.
func (t *tree) path() document.Path {
	i, ok := t.list.Selected()
	if !ok {
		return document.Whole
	}
	return t.lines.all[i].Node.Path()
}

// goTo puts the cursor on a line, which a filter must not hide.
func (t *tree) goTo(line int) {
	if !t.list.Select(line) {
		t.list.SetFilter("")
		if !t.list.Select(line) {
			t.showOnly(false)
			t.list.Select(line)
		}
	}
}

// goToNext goes to the next of some lines, which ascend, or with -1 to the previous
// one, round the ends.
func (t *tree) goToNext(lines []int, by int) {
	at, ok := t.list.Selected()
	if !ok || len(lines) == 0 {
		return
	}
	next := sort.SearchInts(lines, at+1)
	if by < 0 {
		next = sort.SearchInts(lines, at) - 1
	}
	t.goTo(lines[(next+len(lines))%len(lines)])
}

const seekGroup = "Go to"

// rows are those that move the cursor; say takes why one of them could not, goToPath a
// path that was typed.
func (t *tree) rows(say, goToPath func(text string)) []views.Command {
	jump := func(id, key, name string, lines func() []int, by int, none, help string) views.Command {
		return views.Command{ID: "jsonedit." + id, Key: key, Name: name,
			Enabled: views.Only(func() bool { return len(lines()) > 0 }, none), Run: views.Call(func() { t.goToNext(lines(), by) }), Help: help}
	}
	groups := func() []int { return t.lines.starts }
	wrong := func() []int { return t.lines.wrong() }
	changed := func() []int { return t.lines.changed() }
	unsearched := func() bool { return t.list.Search() == "" } // n and N are its own
	var noGroup, noFinding, noChange = "This document has no groups.", views.Keys("No rule is broken; {key:jsonedit.next-change} goes to the next change."), "Nothing is changed."
	all := slices.Concat([]views.Command{
		jump("next-group", "]", "next group", groups, 1, noGroup, "Go to the next group of fields."),
		jump("previous-group", "[", "previous group", groups, -1, noGroup, "Go to the previous group of fields."),
	}, views.When(unsearched, []views.Command{
		jump("next-finding", "n", "next finding", wrong, 1, noFinding, "Go to the next line that breaks a rule."),
		jump("previous-finding", "N", "previous finding", wrong, -1, noFinding, "Go to the previous line that breaks a rule."),
	}), []views.Command{
		jump("next-change", "}", "next change", changed, 1, noChange, "Go to the next line that differs from the base."),
		jump("previous-change", "{", "previous change", changed, -1, noChange, "Go to the previous line that differs from the base."),
		{ID: "jsonedit.only", Key: "f", Name: "only what differs",
			Run: views.Call(func() {
				if t.showOnly(!t.only); t.only && t.list.Len() == 0 {
					t.showOnly(false)
					say("Nothing is changed, and no rule is broken.")
				}
			}),
			Help: "Show only what differs or breaks a rule, or all."},
		{ID: "jsonedit.go", Name: "go to path", Argument: "path", Help: "Go to a value by its path, such as extensions[WMSServer].enabled.",
			With: func(path string) tea.Cmd { goToPath(path); return nil }},
	})
	folds := t.list.Folds()
	i := slices.IndexFunc(folds, func(c views.Command) bool { return c.ID == rows.Toggle })
	open := folds[i] // space has another meaning here
	open.Key, open.Word, open.Run = "z enter", "", views.Call(t.enter)
	folds = slices.Replace(folds, i, i+1, t.either(folds[i], open)...)
	return slices.Concat(t.list.Searches(), views.Grouped(seekGroup, all), t.list.Moves(), t.list.Filters(), folds)
}

// enter folds or unfolds what is under the cursor; in the whole document it goes to the first
// value, as a fold would hide everything.
func (t *tree) enter() {
	if t.line() == 0 && !t.list.Folded() {
		t.list.Select(1)
		return
	}
	t.list.Toggle()
}

// either returns a row for a value, and one for a value that holds others: there enter
// opens and folds.
func (t *tree) either(leaf, parent views.Command) []views.Command {
	holds := func() bool {
		n, ok := t.node()
		return ok && n.Len() > 0
	}
	leaf.Shown, parent.Shown = func() bool { return !holds() }, holds
	return []views.Command{leaf, parent}
}
