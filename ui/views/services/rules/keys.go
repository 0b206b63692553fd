package rules

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/placement"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

const (
	rulesGroup = "Rules"
	panelGroup = "Beside the rules"
)

// Commands lists every row of the builder, the most wanted first: in a panel its own.
func (b *Builder) Commands() []views.Command {
	list, history, panel, open := b.ruleRows(), b.historyRows(), b.panelRows(), b.openRow()
	copied := views.Command{ID: "rules.copy", Binding: views.Key("", "y"), Name: "copy what the cursor is on", Group: rulesGroup,
		Enabled: func() bool { return b.side.inside || b.onRules() }, Run: views.Do(b.copy),
		Help: "Copy what the cursor is on: a rule, a node's name, a finding, the JSON, a line for kubectl."}
	moves, filters, folds := b.listRows()
	var all []views.Command
	switch {
	case b.side.inside:
		all = slices.Concat(open, panel, []views.Command{copied}, history, b.side.content().rows(), list, moves, filters, folds)
	case b.list.Filter() != "" && b.list.Len() == 0: // nothing matches: what is hidden is not changed
		all = slices.Concat(filters, history, panel, list, []views.Command{copied}, open, moves, folds)
	default:
		first, rest := list[:5], list[5:]
		all = slices.Concat(first, history, panel, rest, []views.Command{copied}, open, moves, filters, folds)
	}
	return append(views.When(func() bool { return !b.CapturesText() }, b.settled(all)), b.typingRows()...)
}

// settled returns the rows with what surrounds each of them: what the last one said
// goes, and the cells are divided anew. While a row is typed into they wait for its end.
func (b *Builder) settled(list []views.Command) []views.Command {
	for i, row := range list {
		list[i].Run = func(argument string) tea.Cmd {
			if b.entry != nil {
				return nil
			}
			defer b.arrange()
			b.note = ""
			return row.Run(argument)
		}
	}
	return list
}

func do(f func()) func(string) tea.Cmd {
	return func(string) tea.Cmd {
		f()
		return nil
	}
}

// onRules reports whether keys go to the rules, and there are some to be seen.
func (b *Builder) onRules() bool { return !b.side.inside && b.list.Len() > 0 }

// ruleRows are what can be done with the rule under the cursor.
func (b *Builder) ruleRows() []views.Command {
	key := b.cursor()
	hint, keys := b.editKeys()
	deleted := "delete"
	if _, ok := b.element(); !ok {
		deleted = "" // it says why
	}
	do := func(f func()) func(string) tea.Cmd {
		return do(func() {
			if b.leavePanel(); b.list.Filter() != "" && b.list.Len() == 0 {
				b.note = "No rule matches the filter: what is hidden is not changed."
				return
			}
			f()
		})
	}
	hasWord := func() bool { return key.part == affinityRow || key.part == lineRow || key.part == tolerationRow }
	return views.When(b.onRules, []views.Command{
		{ID: "rules.edit", Binding: views.Key(hint, keys...), Name: "edit the rule", Group: rulesGroup, Run: do(b.edit),
			Help: "Edit the row under the cursor in its columns: tab goes to the next one, enter takes the row over, esc gives up; keys and values are completed from the nodes."},
		{ID: "rules.turn", Binding: views.Key("next word", " "), Name: "next word", Group: rulesGroup, Enabled: hasWord, Run: do(b.turn),
			Help: "Take the next word: the kind of an affinity, the operator of a line, the effect of a toleration."},
		{ID: "rules.add", Binding: views.Key("add", "a"), Name: "add a rule", Group: rulesGroup, Enabled: func() bool { return key.part != keptRow }, Run: do(b.add),
			Help: "Add a line below the cursor, or a toleration; with no term yet, a term with a line."},
		{ID: "rules.add-term", Binding: views.Key("add a term", "A"), Name: "add a term", Group: rulesGroup, Run: do(b.addTerm),
			Help: "Add a term with a line: one matching term is enough."},
		{ID: "rules.delete", Binding: views.Key(deleted, "d"), Name: "delete the rule", Group: rulesGroup, Run: do(b.remove),
			Help: "Delete the term, line or toleration under the cursor."},
		{ID: "rules.duplicate", Binding: views.Key("", "c"), Name: "duplicate the rule", Group: rulesGroup, Run: do(b.duplicate),
			Help: "Put a copy of the term, line or toleration below it, members included that are not known here."},
		{ID: "rules.move-up", Binding: views.Key("", "K", "alt+up"), Name: "move the rule up", Group: rulesGroup, Run: do(func() { b.move(-1) }),
			Help: "Move the term, line or toleration before the one above it."},
		{ID: "rules.move-down", Binding: views.Key("", "J", "alt+down"), Name: "move the rule down", Group: rulesGroup, Run: do(func() { b.move(1) }),
			Help: "Move the term, line or toleration behind the one below it."},
		{ID: "rules.weight", Binding: views.Key("", "W"), Name: "set the weight", Group: rulesGroup, Run: do(b.weigh),
			Help: "Set the weight of a preferred term, from 1 to 100, where the policy has a list with weights."},
	})
}

// editKeys says what enter does with the row; where that is to fold, enter is the key
// to name: e means to edit.
func (b *Builder) editKeys() (hint string, keys []string) {
	e, enter := []string{"e", "enter"}, []string{"enter", "e"}
	switch key := b.cursor(); {
	case b.tree.Len() == 0 || key.part == lineRow || key.part == tolerationRow:
		return "edit", e
	case key.part == termRow && b.weighted():
		return "weight", e
	case !b.list.Leaf() && b.list.Folded():
		return "unfold", enter
	case !b.list.Leaf():
		return "fold", enter
	case key.part == affinityRow:
		return "next word", e
	case key.part == listRow || key.part == termRow || key.part == tolerationsRow:
		return "add", e
	}
	return "", e
}

// weighted reports whether the cursor is in a list with weights.
func (b *Builder) weighted() bool {
	key := b.cursor()
	return key.kind() != placement.None && b.item().Affinity(key.kind()).Shape == placement.WeightedList
}

func (b *Builder) historyRows() []views.Command {
	return []views.Command{
		{ID: "rules.undo", Binding: views.Key("undo", "u"), Name: "undo", Group: rulesGroup, Enabled: b.history.undoable, Run: do(b.undo),
			Help: "Take the last change back."},
		{ID: "rules.redo", Binding: views.Key("", "ctrl+r"), Name: "redo", Group: rulesGroup, Enabled: b.history.redoable, Run: do(b.redo),
			Help: "Make the change again that was taken back."},
	}
}

// listRows are those of the list of rules; space has another meaning here.
func (b *Builder) listRows() (moves, filters, folds []views.Command) {
	folds = b.list.Folds()
	for i := range folds {
		switch folds[i].ID {
		case rows.Toggle:
			folds[i] = folds[i].On("", "z")
			folds[i].Run = do(b.toggle)
		case rows.Unfold:
			folds[i].Run = do(b.unfold)
		}
	}
	outside := func() bool { return !b.side.inside && len(b.policy.Items()) > 0 }
	return views.When(b.onRules, b.list.Moves()), views.When(outside, b.list.Filters()), views.When(b.onRules, folds)
}

// unfold opens the row under the cursor; from one that is open it leads into the panel.
func (b *Builder) unfold() {
	if !b.list.Folded() {
		b.side.inside = true
		return
	}
	b.list.Do(rows.Unfold)
	b.list.ShowOpened()
}

// toggle folds or opens the row under the cursor, with what it opens in sight.
func (b *Builder) toggle() {
	b.list.Do(rows.Toggle)
	b.list.ShowOpened()
}
