package rules

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/placement"
	"geodeck/ui/views"
	"geodeck/ui/views/services/edits"
	"geodeck/ui/widget/rows"
)

const (
	rulesGroup = "Rules"
	panelGroup = "Beside the rules"
)

// Commands lists every row of the builder, and the keys of a row that is typed into for the footer.
func (b *Builder) Commands() []views.Command { return b.table }

// The rows of the footer, those of the tab and of the view around the builder in their places.
var (
	rulesFooter = []string{rows.Up, rows.Down, "services.write", "services.take-over", "rules.edit", "rules.add", "rules.delete", "rules.undo",
		"rules.turn", "rules.add-term", "rules.panel", "services.next-section", "services.nodes", "services.presets", "services.difference", "services.editor", "services.discard", "services.read-again",
		rows.Filter, "services.back", "services.explain"}
	panelFooter = []string{rows.Up, rows.Down, "services.write", "services.take-over", "rules.open", "rules.add", "rules.panel", "services.next-section", "rules.undo",
		"services.nodes", "services.presets", "services.difference", "services.editor", "services.discard", "services.read-again", rows.Filter, "services.back", "services.explain"}
	hiddenFooter = []string{"services.write", "services.take-over", rows.Filter, "rules.undo", "rules.panel", "services.next-section",
		"services.nodes", "services.presets", "services.difference", "services.editor", "services.discard", "services.read-again", "services.back", "services.explain"}
	entryFooter = []string{"row.choose", "row.choose-down", "row.discard", "row.stay", "row.take", "row.leave", "row.complete"}
)

// Footer lists the rows of the footer: in a panel its own first.
func (b *Builder) Footer() []string {
	switch {
	case b.entry() != nil:
		return entryFooter
	case b.inside:
		return panelFooter
	case b.tree.hidden():
		return hiddenFooter
	}
	return rulesFooter
}

// makeTable makes all rows, once: those of the panel first, then those of the rules.
func (b *Builder) makeTable() []views.Command {
	r, t := b.rules, b.tree
	inside := func() bool { return b.inside }
	list := slices.Concat(views.When(inside, b.panelRows()), b.ruleRows(), b.draft.history.Rows("rules", r.undo, r.redo), []views.Command{
		{ID: "rules.panel", Key: "p", Word: "panel", Name: "next panel", Group: panelGroup, Run: views.Call(b.panels.next),
			Help: "Show the next panel: the nodes, the checks, the JSON, the advice."},
		{ID: "rules.focus", Name: "into the panel or back", Group: panelGroup, Run: views.Call(func() { b.inside = !b.inside }),
			Help: "Go into the panel (also right), or back to the rules (left)."},
		{ID: "rules.copy", Key: "y", Name: "copy what is under the cursor", Run: b.copy,
			Enabled: func() string {
				if b.inside {
					return ""
				}
				return b.noRules()
			},
			Help: "Copy the rule, node name, finding, JSON or kubectl line."},
	}, views.When(b.onRules, slices.Concat(b.jumpRows(), t.list.Moves())),
		views.When(func() bool { return !b.inside && !b.empty() }, t.list.Filters()), views.When(b.onRules, b.foldRows()))
	return slices.Concat(b.fresh(views.Grouped(rulesGroup, list)), views.Unlisted(r.entryTable))
}

// onRules reports whether keys are about the rules, and not about the panel beside them.
func (b *Builder) onRules() bool { return !b.inside && b.tree.list.Len() > 0 }

// noRules says why there is no rule to be changed; empty where there is one.
func (b *Builder) noRules() string {
	switch {
	case b.empty():
		return "This policy has no deployment, so no rules can be made."
	case b.tree.hidden():
		return "No rule matches the filter; hidden rules are not changed."
	}
	return ""
}

// panelRows are those of the panel that keys go to.
func (b *Builder) panelRows() []views.Command {
	onNodes := func() bool { return b.panels.kind == nodesPanel }
	// suits makes a row that does what suits the place of the cursor, as of returns it with its hint.
	suits := func(row views.Command, of func() (hint string, do func()), none string) views.Command {
		row.Hint = func() string { hint, _ := of(); return hint }
		row.Enabled = views.Only(func() bool { _, do := of(); return do != nil }, none)
		row.Run = views.Call(func() { _, do := of(); do() })
		return row
	}
	list := []views.Command{
		suits(views.Command{ID: "rules.open", Key: "enter", Name: "open in the panel", Group: panelGroup,
			Help: "In the panel: open a node, or go to the rule of a finding."},
			func() (string, func()) { return b.panels.shown().enter() }, "Nothing to open here."),
		suits(views.Command{ID: "rules.add", Key: "a", Name: "add a rule", Shown: onNodes,
			Help: "Add a line, a toleration or a first term. On a node: tolerate its taint; on a label: require it."},
			b.panels.nodes.fit, "Go to a tainted node or to a label."),
	}
	for kind, panel := range b.panels.all {
		list = append(list, views.When(func() bool { return b.panels.kind == panelKind(kind) }, panel.rows())...)
	}
	return list
}

// ruleRows change the rule under the cursor, and add and delete rules. By their names they may come
// from within a panel, too.
func (b *Builder) ruleRows() []views.Command {
	r, t := b.rules, b.tree
	edit := views.Command{ID: "rules.edit", Key: "e enter", Hint: r.editHint, Name: "edit the rule",
		Shown: func() bool { return !r.folds() }, Enabled: r.unopened, Run: views.Call(r.edit),
		Help: "Edit the row: tab next column, enter apply, esc cancel. The nodes complete keys and values."}
	fold := edit // enter is the key to name: e means to edit
	fold.Key, fold.Word, fold.Shown = "enter e", "", r.folds
	fold.Hint = func() string {
		if t.list.Folded() {
			return "unfold"
		}
		return "fold"
	}
	turns := func() bool {
		kind := t.cursor().kind
		return kind == lineRow || kind == tolerationRow
	}
	unmovable := views.Only(t.onElement, "Only a term, a line or a toleration can be moved.")
	list := []views.Command{
		edit, fold,
		{ID: "rules.turn", Key: "space", Word: "next word", Name: "next word", Run: views.Call(r.nextWord),
			Enabled: views.Only(turns, "Nothing to switch in this row."),
			Help:    "Switch to the next operator or effect."},
		{ID: "rules.add", Key: "a", Word: "add", Name: "add a rule", Enabled: r.uneditable, Run: views.Call(r.add),
			Help: "Add a line, a toleration or a first term. On a node: tolerate its taint; on a label: require it."},
		{ID: "rules.add-term", Key: "A", Word: "add a term", Name: "add a term", Run: views.Call(r.addTerm),
			Help: "Add a term with a line: one matching term is enough."},
		{ID: "rules.delete", Key: "d", Word: "delete", Name: "delete the rule", Enabled: r.undeletable, Run: views.Call(r.remove),
			Help: "Delete the affinity, term, line or toleration under the cursor."},
		{ID: "rules.other-affinity", Key: "o", Name: "move the term to the other affinity", Run: views.Call(r.toOther),
			Enabled: views.Only(func() bool { return t.onElement() && t.cursor().at.Kind != placement.None }, "Only a term can be moved: go to one."),
			Help:    "Make a required term preferred, or the other way round. Its lines stay."},
		{ID: "rules.duplicate", Key: "c", Name: "duplicate the rule", Run: views.Call(r.duplicate),
			Enabled: views.Only(t.onElement, "Only a term, a line or a toleration can be duplicated."),
			Help:    "Duplicate the term, line or toleration, with its unknown keys."},
		{ID: "rules.move-up", Key: "K alt+up", Name: "move the rule up", Enabled: unmovable, Run: views.Call(func() { r.move(-1) }),
			Help: "Move the term, line or toleration up one place."},
		{ID: "rules.move-down", Key: "J alt+down", Name: "move the rule down", Enabled: unmovable, Run: views.Call(func() { r.move(1) }),
			Help: "Move the term, line or toleration down one place."},
		{ID: "rules.weight", Name: "set the weight", Enabled: r.unweighted, Run: views.Call(r.editWeight),
			Help: "Set the weight of a preferred term, from 1 to 100."},
	}
	return views.When(func() bool { return !b.inside }, edits.Unless(b.noRules, views.Around(list, func(_ views.Command, run func() tea.Cmd) tea.Cmd {
		b.inside = false
		return run()
	})))
}

// jumpRows go to what is of note among the rules.
func (b *Builder) jumpRows() []views.Command {
	r, t := b.rules, b.tree
	jump := func(id, key, name string, by int, is func(int) bool, what, help string) views.Command {
		return views.Command{ID: "rules." + id, Key: key, Name: name, Run: views.Call(func() { r.jump(by, is, what) }), Help: help}
	}
	return []views.Command{
		jump("next-finding", "n", "next finding", 1, t.hasFinding, "finding", "Go to the next rule with a finding."),
		jump("previous-finding", "N", "previous finding", -1, t.hasFinding, "finding", "Go to the previous rule with a finding."),
		jump("next-change", "}", "next changed rule", 1, t.isChanged, "change", "Go to the next rule that differs from the site's."),
		jump("previous-change", "{", "previous changed rule", -1, t.isChanged, "change", "Go to the previous rule that differs from the site's."),
	}
}

// foldRows fold the rules, and lead from an unfolded one into the panel.
func (b *Builder) foldRows() []views.Command {
	t := b.tree
	folds := t.list.Folds()
	for i, row := range folds {
		switch row.ID {
		case rows.Toggle:
			folds[i].Run = views.Call(t.toggle)
		case rows.Unfold:
			folds[i].Run = views.Call(func() {
				if b.inside = !t.list.Folded(); b.inside {
					t.list.Rest() // the panel is about the row that it was entered from
					return
				}
				t.list.Unfold()
				t.list.ShowOpened()
			})
		}
	}
	return folds
}

// fresh returns the rows with what surrounds each of them: the last note is cleared first,
// and the cells are divided anew. While something is typed they do nothing.
func (b *Builder) fresh(list []views.Command) []views.Command {
	return views.When(func() bool { return !b.CapturesText() }, views.Around(list, func(row views.Command, run func() tea.Cmd) tea.Cmd {
		if b.entry() != nil {
			return nil
		}
		defer b.arrange()
		b.note = ""
		if !row.Browses {
			b.tree.list.Rest()
		}
		return run()
	}))
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
	return views.CopyText(text, what)
}

// folds reports whether enter folds the row under the cursor, or unfolds it.
func (r *rulesPane) folds() bool {
	kind := r.tree.cursor().kind
	return kind != lineRow && kind != tolerationRow && !(kind == termRow && r.tree.weighted()) && !r.tree.list.Leaf()
}

// editHint says what enter does with a row that it does not fold.
func (r *rulesPane) editHint() string {
	switch kind := r.tree.cursor().kind; {
	case kind == lineRow, kind == tolerationRow:
		return "edit"
	case kind == termRow && r.tree.weighted():
		return "weight"
	case kind == affinityRow, kind == termRow, kind == tolerationsRow:
		return "add"
	}
	return ""
}
