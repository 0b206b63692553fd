package rules

import (
	"bytes"
	"strings"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// rulesPane edits the rules, each edit as a step that can be undone.
type rulesPane struct {
	*state
	theme      *theme.Theme
	tree       *tree
	entryTable []views.Command // the keys of a row that is typed into
}

func newRulesPane(t *theme.Theme, s *state) *rulesPane {
	r := &rulesPane{state: s, theme: t, tree: &tree{state: s, list: rows.New[rowKey](t)}}
	r.entryTable = r.entryRows()
	return r
}

// change makes an edited policy the present one, as a step, with the cursor on a row and
// what is folded along with its term. It reports whether anything is different.
func (r *rulesPane) change(p placement.Policy, to rowKey, moved termMove) bool {
	if bytes.Equal(p.Bytes(), r.draft.text) {
		r.note = "No changes."
		return false
	}
	s := step{before: r.draft.policy, after: p, from: r.tree.cursor(), moved: moved}
	r.put(p, to, moved)
	s.to = r.tree.cursor()
	r.draft.history.Add(s, len(r.draft.text))
	return true
}

// put makes a policy the present one.
func (r *rulesPane) put(p placement.Policy, cursor rowKey, moved termMove) {
	r.draft.put(p)
	r.tree.refold(moved)
	r.tree.show()
	r.tree.goTo(cursor)
}

// apply makes an edit the present policy, or says why it is none.
func (r *rulesPane) apply(p placement.Policy, err error, to rowKey, moved termMove) bool {
	if err != nil {
		r.note = views.Sentence(err.Error())
		return false
	}
	return r.change(p, to, moved)
}

func (r *rulesPane) undo() {
	h := &r.draft.history
	s, _ := h.Undo()
	r.put(s.before, s.from, s.moved.back())
	if r.note = "Undone; nothing more to undo."; h.Undoable() {
		r.note = "Undone; " + plain.Plural(h.Done(), "earlier change") + " can be undone as well."
	}
}

func (r *rulesPane) redo() {
	h := &r.draft.history
	s, _ := h.Redo()
	r.put(s.after, s.to, s.moved)
	if r.note = "Redone; nothing more to redo."; h.Redoable() {
		r.note = views.Keys("Redone; {key:rules.redo} redoes the next change.")
	}
}

// nextWord gives the word under the cursor its next value.
func (r *rulesPane) nextWord() {
	key := r.tree.cursor()
	p, err := r.draft.nextWord(key)
	r.apply(p, err, key, termMove{})
	r.draft.goOn()
}

// undeletable says why nothing under the cursor is deleted; empty where something is.
func (r *rulesPane) undeletable() string {
	switch key := r.tree.cursor(); {
	case r.tree.onElement(), key.kind == affinityRow && r.draft.item(key.at.Item).Affinity(key.at.Kind).Present:
		return ""
	case key.kind == affinityRow:
		return "There is no " + key.at.Name() + " to delete."
	case key.kind == itemRow:
		return "A deployment cannot be deleted from its policy."
	}
	return "Delete an affinity, a term, a line or a toleration."
}

// remove deletes what is under the cursor.
func (r *rulesPane) remove() {
	cursor := r.tree.cursor().at
	removed, at := r.textOf(keyOf(cursor)), r.draft.policy.Removed(cursor)
	switch {
	case at == cursor:
	case at.Part == placement.AffinityPart:
		removed += ", and with it the " + at.Name()
	default:
		removed += ", and its term"
	}
	p, err := r.draft.policy.Remove(at)
	if r.apply(p, err, keyOf(at), moveOf(at, at.Term, nowhere)) {
		r.note = "Deleted " + removed + views.Keys(". {key:rules.undo} undoes.")
	}
}

// duplicate puts a copy behind what is under the cursor, and goes there.
func (r *rulesPane) duplicate() {
	at := r.tree.cursor().at
	p, err := r.draft.policy.Copy(at)
	if r.apply(p, err, keyOf(at.Moved(1)), moveOf(at, nowhere, at.Term+1)) {
		r.note = "Duplicated: " + r.textOf(r.tree.cursor())
	}
}

// move moves what is under the cursor among its siblings.
func (r *rulesPane) move(by int) {
	at := r.tree.cursor().at
	p, now, err := r.draft.policy.Move(at, by)
	if err == nil && now == at {
		r.note = "It cannot move further."
		return
	}
	r.apply(p, err, keyOf(now), moveOf(at, at.Term, now.Term))
}

// toOther makes a required term a preferred one, or the other way round.
func (r *rulesPane) toOther() {
	at := r.tree.cursor().at
	at = placement.AtTerm(at.Item, at.Kind, at.Term)
	p, now, err := r.draft.policy.MoveToOther(at)
	if r.apply(p, err, keyOf(now), moveOf(at, at.Term, nowhere)) {
		r.note = "Now " + now.Kind.String() + ": " + r.textOf(keyOf(now)) + views.Keys(". {key:rules.undo} undoes.")
	}
}

// uneditable says why the row under the cursor is not edited; empty where it is.
func (r *rulesPane) uneditable() string {
	if r.tree.cursor().kind == unknownRow {
		return "This part can be edited only as JSON."
	}
	return ""
}

// unopened says why enter does nothing with the row under the cursor; empty where it does something.
func (r *rulesPane) unopened() string {
	if r.tree.cursor().kind == itemRow && r.tree.list.Leaf() {
		return "The rules of this deployment are in the rows below."
	}
	return r.uneditable()
}

// edit types into the row under the cursor, or does what suits it.
func (r *rulesPane) edit() {
	key, t := r.tree.cursor(), r.tree
	switch key.kind {
	case lineRow:
		r.begin(r.lineEntry(key.at, r.draft.policy.Line(key.at)))
		return
	case tolerationRow:
		r.begin(r.tolerationEntry(key.at, r.draft.policy.Toleration(key.at)))
		return
	case termRow, affinityRow, tolerationsRow:
		switch {
		case key.kind == termRow && t.weighted():
			r.editWeight()
			return
		case t.list.Leaf():
			r.add()
			return
		}
	}
	t.toggle()
}

// unweighted says why no weight is set; empty where the cursor is in a term that has one.
func (r *rulesPane) unweighted() string {
	key, item := r.tree.cursor(), r.item()
	switch {
	case (key.kind == termRow || key.kind == lineRow) && r.tree.weighted():
		return ""
	case item.Preferred.Present && item.Preferred.Shape == placement.SelectorTerms:
		return "Preferred terms have no weights in this policy. See Advice."
	case !item.Preferred.Present:
		return "Only preferred terms have a weight; this deployment has none."
	}
	return "Only a preferred term has a weight: go to one."
}

// editWeight types the weight of the term around the cursor.
func (r *rulesPane) editWeight() {
	at := r.tree.cursor().at
	r.begin(r.weightEntry(placement.AtTerm(at.Item, at.Kind, at.Term), r.draft.policy.Term(at).Weight))
}

// add begins a new row: a line below the one under the cursor, or what suits the row.
func (r *rulesPane) add() {
	key := r.tree.cursor()
	switch key.kind {
	case tolerationsRow:
		r.beginNew(placement.AtToleration(key.at.Item, len(r.item().Tolerations)))
	case tolerationRow, lineRow:
		r.beginNew(key.at.Moved(1))
	case termRow:
		r.beginNew(placement.AtLine(key.at.Item, key.at.Kind, key.at.Term, len(r.draft.policy.Term(key.at).Lines)))
	default: // a line of the first term, or a term with a line where there is none
		kind := r.kindHere()
		at := placement.AtTerm(r.at(), kind, 0)
		if terms := r.item().Affinity(kind).Terms; len(terms) > 0 {
			at = placement.AtLine(r.at(), kind, 0, len(terms[0].Lines))
		}
		r.beginNew(at)
	}
}

// addTerm begins a term with a line, below the one under the cursor or at the end.
func (r *rulesPane) addTerm() {
	key, kind := r.tree.cursor(), r.kindHere()
	term := len(r.item().Affinity(kind).Terms)
	if key.kind == termRow || key.kind == lineRow {
		term = key.at.Term + 1
	}
	r.beginNew(placement.AtTerm(key.at.Item, kind, term))
}

// kindHere is the affinity that a new term belongs to.
func (r *rulesPane) kindHere() placement.Kind {
	if kind := r.tree.cursor().at.Kind; kind != placement.None {
		return kind
	}
	if r.item().Kind() == placement.Preferred {
		return placement.Preferred
	}
	return placement.Required
}

// beginNew begins a row that is not there yet.
func (r *rulesPane) beginNew(at placement.Place) {
	var e *entry
	if at.Part == placement.TolerationPart {
		e = r.tolerationEntry(at, placement.Toleration{Operator: placement.Equal, Effect: placement.NoSchedule})
	} else {
		e = r.lineEntry(at, placement.Line{Operator: placement.In})
	}
	e.adding = true
	r.begin(e)
}

// begin gives the keys to a row, always in its first column, and says what is misspelt or
// forbidden in it.
func (r *rulesPane) begin(e *entry) {
	e.from = r.tree.cursor()
	r.note = ""
	if !e.adding && r.judged.revision == r.draft.revision {
		for _, f := range r.judged.byRow[e.row()] {
			if f.ID == placement.Misspelt || f.Blocks() {
				e.found = f
				break
			}
		}
	}
	e.refine()
	r.tree.typeInto(e)
	r.tree.goTo(e.row())
}

// end gives the keys back to the commands.
func (r *rulesPane) end() {
	if e := r.tree.entry; e != nil {
		r.tree.typeInto(nil)
		r.tree.goTo(e.from)
	}
}

// copied returns what the cursor is on, in words, and what that is.
func (r *rulesPane) copied() (text, what string) {
	switch key := r.tree.cursor(); key.kind {
	case itemRow:
		if id := r.item().DeploymentID; id != "" {
			return plain.Line(id), "deployment id"
		}
	case termRow:
		return r.textOf(key), "term"
	case lineRow:
		return r.textOf(key), "line"
	case tolerationRow:
		return r.textOf(key), "toleration"
	case unknownRow:
		return strings.Join(r.item().UnknownKeys, "\n"), "paths"
	}
	return placement.Sentence(r.item()), "sentence"
}

// textOf is a part of the rules in short; clean.
func (r *rulesPane) textOf(key rowKey) string {
	switch key.kind {
	case affinityRow:
		return "the " + key.at.Name() + " with " + plain.Plural(len(r.draft.item(key.at.Item).Affinity(key.at.Kind).Terms), "term")
	case lineRow:
		return placement.LineText(r.draft.policy.Line(key.at))
	case tolerationRow:
		return placement.TolerationText(r.draft.policy.Toleration(key.at))
	case termRow:
		lines := r.draft.policy.Term(key.at).Lines
		texts := make([]string, len(lines))
		for i := range lines {
			texts[i] = placement.LineText(lines[i])
		}
		if len(texts) == 0 {
			return "a term without lines"
		}
		return strings.Join(texts, " and ")
	}
	return ""
}
