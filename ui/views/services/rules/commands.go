package rules

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

const (
	rulesGroup = "Rules"
	panelGroup = "Beside the rules"
)

// commandRows are the rows of the table, made once: it is searched at every key and frame.
type commandRows struct {
	edit, add, history, change, copied []views.Command
	jumps                              []views.Command // to what is of note
	panel, open                        []views.Command
	moves, filters, folds              []views.Command // of the rules
	contents                           [panelCount][]views.Command
}

// Commands lists every row of the builder in the order of their use: in a panel its own first.
func (b *Builder) Commands() []views.Command {
	r := &b.rows
	edit, panel, open := b.rules.editRow(r.edit), r.panel, r.open
	var all []views.Command
	switch {
	case b.inside:
		hint, _ := b.panels.shown().enter()
		open = []views.Command{open[0].On(hint, "enter")}
		var fit []views.Command
		add := r.add
		if b.panels.kind == nodesPanel {
			hint, _ := b.panels.nodes.fit()
			fit, add = []views.Command{add[1].On(hint, "a")}, views.Concat(add[:1], add[2:])
		}
		panel = []views.Command{panel[0], panel[1].Hinted("back to the rules")}
		all = views.Concat(open, fit, panel, r.copied, r.history, r.contents[b.panels.kind], edit, add, r.change, r.jumps, r.moves, r.filters, r.folds)
	case b.rules.tree.hidden(): // nothing matches: what is hidden is not changed
		all = views.Concat(r.filters, r.history, panel, edit, r.add, r.change, r.jumps, r.copied, open, r.moves, r.folds)
	default:
		all = views.Concat(edit, b.rules.deleteHint(r.add), r.history, panel, r.change, r.jumps, r.copied, open, r.moves, r.filters, r.folds)
	}
	switch e := b.entry(); {
	case e != nil:
		all = append(all, e.commands(tea.KeyMsg{})...)
	case b.CapturesText():
		all = append(all, rows.TypingCommands()...)
	}
	return all
}

// makeRows makes the table.
func (b *Builder) makeRows() commandRows {
	r, t := b.rules, b.rules.tree
	own := func(list ...views.Command) []views.Command { return b.fresh(list) }
	onRule := func(list ...views.Command) []views.Command { return b.fresh(views.When(b.onRules, list)) }
	made := commandRows{
		edit: onRule(views.Command{ID: "rules.edit", Binding: views.Key("edit", "e", "enter"), Name: "edit the rule", Group: rulesGroup, Run: b.ofRules(r.edit),
			Help: "Edit the row: tab next column, enter apply, esc cancel. The nodes complete keys and values."}),
		add: onRule(b.addRows()...),
		history: own([]views.Command{
			{ID: "rules.undo", Binding: views.Key("undo", "u"), Name: "undo", Group: rulesGroup, Enabled: b.draft.history.Undoable, Run: views.Call(r.undo),
				Help: "Undo the last change."},
			{ID: "rules.redo", Binding: views.Key("", "ctrl+r"), Name: "redo", Group: rulesGroup, Enabled: b.draft.history.Redoable, Run: views.Call(r.redo),
				Help: "Redo the change that was undone."},
		}...),
		change: onRule(b.changeRows()...),
		jumps:  onRule(b.jumpRows()...),
		copied: own(views.Command{ID: "rules.copy", Binding: views.Key("", "y"), Name: "copy what is under the cursor", Group: rulesGroup, Run: views.Do(b.copy),
			Enabled: func() bool { return b.inside || b.onRules() },
			Help:    "Copy the rule, node name, finding, JSON or kubectl line."}),
		panel: own([]views.Command{
			{ID: "rules.panel", Binding: views.Key("panel", "p"), Name: "next panel", Group: panelGroup, Run: views.Call(b.panels.next),
				Help: "Show the next panel: the nodes, the checks, the JSON, the advice."},
			{ID: "rules.focus", Binding: views.Key(""), Name: "into the panel or back", Group: panelGroup, Run: views.Call(func() { b.inside = !b.inside }),
				Help: "Go into the panel (also right), or back to the rules (left)."},
		}...),
		open: own(views.Command{ID: "rules.open", Binding: views.Key("open"), Name: "open in the panel", Group: panelGroup,
			Enabled: func() bool { _, enter := b.panels.shown().enter(); return b.inside && enter != nil },
			Run: views.Call(func() {
				if _, enter := b.panels.shown().enter(); enter != nil {
					enter()
				}
			}),
			Help: "In the panel: open a node, or go to the rule of a finding."}),
		moves:   onRule(t.list.Moves()...),
		filters: own(views.When(func() bool { return !b.inside && !b.empty() }, t.list.Filters())...),
		folds:   onRule(b.foldRows()...),
	}
	made.add[1] = b.fresh([]views.Command{b.addRow(made.add[1], func() bool { return b.onRules() && !b.onKind(unknownRow)() }, b.ofRules(r.add))})[0]
	for kind, panel := range b.panels.all {
		made.contents[kind] = own(views.When(func() bool { return b.inside }, panel.rows())...)
	}
	return made
}

// onRules reports whether keys are about the rules, and not about the panel beside them.
func (b *Builder) onRules() bool { return !b.inside && b.rules.tree.list.Len() > 0 }

// onKind makes what reports whether the cursor is on a row of one of these kinds.
func (b *Builder) onKind(kinds ...rowKind) func() bool {
	return func() bool { return slices.Contains(kinds, b.rules.tree.cursor().kind) }
}

// ofRules makes the handler of an edit of the rules, which may come from within a panel, too.
func (b *Builder) ofRules(edit func()) func(string) tea.Cmd {
	return views.Call(func() {
		if b.inside = false; b.rules.tree.hidden() {
			b.note = "No rule matches the filter; hidden rules are not changed."
			return
		}
		edit()
	})
}

// addRows change the word under the cursor, and add and delete rules.
func (b *Builder) addRows() []views.Command {
	r, edit, of := b.rules, b.ofRules, b.onKind
	return []views.Command{
		{ID: "rules.turn", Binding: views.Key("next word", " "), Name: "next word", Group: rulesGroup, Enabled: of(affinityRow, lineRow, tolerationRow), Run: edit(r.nextWord),
			Help: "Switch to the next kind of affinity, operator or effect."},
		{ID: "rules.add", Binding: views.Key("add", "a"), Name: "add a rule", Group: rulesGroup, Enabled: func() bool { return !of(unknownRow)() }, Run: edit(r.add),
			Help: "Add a line, a toleration or a first term. On a node: tolerate its taint; on a label: require it."},
		{ID: "rules.add-term", Binding: views.Key("add a term", "A"), Name: "add a term", Group: rulesGroup, Run: edit(r.addTerm),
			Help: "Add a term with a line: one matching term is enough."},
		{ID: "rules.delete", Binding: views.Key("delete", "d"), Name: "delete the rule", Group: rulesGroup, Run: edit(r.remove),
			Help: "Delete the term, line or toleration under the cursor."},
	}
}

// changeRows change a rule as a whole.
func (b *Builder) changeRows() []views.Command {
	r, edit := b.rules, b.ofRules
	return []views.Command{
		{ID: "rules.duplicate", Binding: views.Key("", "c"), Name: "duplicate the rule", Group: rulesGroup, Run: edit(r.duplicate),
			Help: "Duplicate the term, line or toleration, with its unknown keys."},
		{ID: "rules.move-up", Binding: views.Key("", "K", "alt+up"), Name: "move the rule up", Group: rulesGroup, Run: edit(func() { r.move(-1) }),
			Help: "Move the term, line or toleration up one place."},
		{ID: "rules.move-down", Binding: views.Key("", "J", "alt+down"), Name: "move the rule down", Group: rulesGroup, Run: edit(func() { r.move(1) }),
			Help: "Move the term, line or toleration down one place."},
		{ID: "rules.weight", Binding: views.Key(""), Name: "set the weight", Group: rulesGroup, Run: edit(r.editWeight),
			Help: "Set the weight of a preferred term, from 1 to 100."},
	}
}

// jumpRows go to what is of note among the rules.
func (b *Builder) jumpRows() []views.Command {
	r, t := b.rules, b.rules.tree
	return []views.Command{
		{ID: "rules.next-finding", Binding: views.Key("", "n"), Name: "next finding", Group: rulesGroup, Run: views.Call(func() { r.jump(1, t.hasFinding, "finding") }),
			Help: "Go to the next rule with a finding."},
		{ID: "rules.previous-finding", Binding: views.Key("", "N"), Name: "previous finding", Group: rulesGroup, Run: views.Call(func() { r.jump(-1, t.hasFinding, "finding") }),
			Help: "Go to the previous rule with a finding."},
		{ID: "rules.next-change", Binding: views.Key("", "}"), Name: "next changed rule", Group: rulesGroup, Run: views.Call(func() { r.jump(1, t.isChanged, "change") }),
			Help: "Go to the next rule that differs from the site's."},
		{ID: "rules.previous-change", Binding: views.Key("", "{"), Name: "previous changed rule", Group: rulesGroup, Run: views.Call(func() { r.jump(-1, t.isChanged, "change") }),
			Help: "Go to the previous rule that differs from the site's."},
	}
}

// foldRows fold the rules, and lead from an unfolded one into the panel.
func (b *Builder) foldRows() []views.Command {
	t := b.rules.tree
	folds := t.list.Folds()
	for i, row := range folds {
		switch row.ID {
		case rows.Toggle:
			folds[i] = row.On("", "z") // space has another meaning here
			folds[i].Run = views.Call(t.toggle)
		case rows.Unfold:
			folds[i].Run = views.Call(func() {
				if b.inside = !t.list.Folded(); !b.inside {
					t.unfold()
					return
				}
				t.list.Rest() // the panel is about the row that it was entered from
			})
		}
	}
	return folds
}

// addRow adds a rule; in the panel of the nodes, what makes the rules fit one.
func (b *Builder) addRow(row views.Command, onRule func() bool, add func(string) tea.Cmd) views.Command {
	onNodes := func() bool { return b.inside && b.panels.kind == nodesPanel }
	row.Enabled = func() bool {
		_, fit := b.panels.nodes.fit()
		return onNodes() && fit != nil || onRule()
	}
	row.Run = func(argument string) tea.Cmd {
		if _, fit := b.panels.nodes.fit(); onNodes() && fit != nil {
			fit()
			return nil
		}
		return add(argument)
	}
	return row
}

// fresh returns the rows with what surrounds each of them: the last note is cleared first,
// and the cells are divided anew. While something is typed they do nothing.
func (b *Builder) fresh(list []views.Command) []views.Command {
	for i, row := range list {
		list[i].Run = func(argument string) tea.Cmd {
			if b.entry() != nil {
				return nil
			}
			defer b.arrange()
			b.note = ""
			if !row.Browses {
				b.rules.tree.list.Rest()
			}
			return row.Run(argument)
		}
	}
	return views.When(func() bool { return !b.CapturesText() }, list)
}

// copy copies what the cursor is on.
func (b *Builder) copy() tea.Cmd {
	text, what := b.rules.copied()
	if b.inside {
		text, what = b.panels.shown().copied()
	}
	if text == "" {
		b.note = "Nothing to copy here."
		return nil
	}
	return views.Send(views.Copy{Text: text, What: what})
}

// editRow says what enter does with the row under the cursor; where that is to fold,
// enter is the key to name: e means to edit.
func (r *rulesPane) editRow(row []views.Command) []views.Command {
	key, t := r.tree.cursor(), r.tree
	hint, keys := "", []string{"e", "enter"}
	switch {
	case t.list.Len() == 0, key.kind == lineRow, key.kind == tolerationRow:
		return row
	case key.kind == termRow && t.weighted():
		hint = "weight"
	case !t.list.Leaf():
		hint, keys = "fold", []string{"enter", "e"}
		if t.list.Folded() {
			hint = "unfold"
		}
	case key.kind == affinityRow:
		hint = "next word"
	case key.kind == listRow, key.kind == termRow, key.kind == tolerationsRow:
		hint = "add"
	}
	return []views.Command{row[0].On(hint, keys...)}
}

// deleteHint leaves the last row out of the footer where there is nothing to delete: it
// says why.
func (r *rulesPane) deleteHint(list []views.Command) []views.Command {
	if _, ok := r.tree.element(); ok {
		return list
	}
	last := len(list) - 1
	return append(slices.Clone(list[:last]), list[last].Quiet())
}
