package rules

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/placement"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

const (
	rulesGroup = "Rules"
	panelGroup = "Beside the rules"
)

var (
	cmdEdit = views.Command{ID: "rules.edit", Binding: views.Key("edit", "e", "enter"), Name: "edit the rule", Group: rulesGroup,
		Help: "Edit the row under the cursor in its columns: tab goes to the next one, enter takes the row over, esc gives up; keys and values are completed from the nodes."}
	cmdTurn = views.Command{ID: "rules.turn", Binding: views.Key("next word", " "), Name: "next word", Group: rulesGroup,
		Help: "Take the next word: the kind of an affinity, the operator of a line, the effect of a toleration."}
	cmdAdd = views.Command{ID: "rules.add", Binding: views.Key("add", "a"), Name: "add a rule", Group: rulesGroup,
		Help: "Add a line below the cursor, or a toleration; with no term yet, a term with a line."}
	cmdAddTerm = views.Command{ID: "rules.add-term", Binding: views.Key("add a term", "A"), Name: "add a term", Group: rulesGroup,
		Help: "Add a term with a line: one matching term is enough."}
	cmdDelete = views.Command{ID: "rules.delete", Binding: views.Key("delete", "d"), Name: "delete the rule", Group: rulesGroup,
		Help: "Delete the term, line or toleration under the cursor."}
	cmdDuplicate = views.Command{ID: "rules.duplicate", Binding: views.Key("", "c"), Name: "duplicate the rule", Group: rulesGroup,
		Help: "Put a copy of the term, line or toleration below it, members included that are not known here."}
	cmdUp = views.Command{ID: "rules.move-up", Binding: views.Key("", "K", "alt+up"), Name: "move the rule up", Group: rulesGroup,
		Help: "Move the term, line or toleration before the one above it."}
	cmdDown = views.Command{ID: "rules.move-down", Binding: views.Key("", "J", "alt+down"), Name: "move the rule down", Group: rulesGroup,
		Help: "Move the term, line or toleration behind the one below it."}
	cmdWeight = views.Command{ID: "rules.weight", Binding: views.Key("", "W"), Name: "set the weight", Group: rulesGroup,
		Help: "Set the weight of a preferred term, from 1 to 100, where the policy has a list with weights."}
	cmdUndo = views.Command{ID: "rules.undo", Binding: views.Key("undo", "u"), Name: "undo", Group: rulesGroup,
		Help: "Take the last change back."}
	cmdRedo = views.Command{ID: "rules.redo", Binding: views.Key("", "ctrl+r"), Name: "redo", Group: rulesGroup,
		Help: "Make the change again that was taken back."}
	cmdCopy = views.Command{ID: "rules.copy", Binding: views.Key("", "y"), Name: "copy what the cursor is on", Group: rulesGroup,
		Help: "Copy what the cursor is on: a rule, a node's name, a finding, the JSON, a line for kubectl."}
	cmdPanel = views.Command{ID: "rules.panel", Binding: views.Key("panel", "p"), Name: "next panel", Group: panelGroup,
		Help: "Show the next panel: the nodes, the checks, the JSON, the advice."}
	cmdFocus = views.Command{ID: "rules.focus", Binding: views.Key("into the panel", "f"), Name: "into the panel or back", Group: panelGroup,
		Help: "Go into the panel, or back to the rules. The right arrow leads into it as well, the left one out."}
	cmdOpen = views.Command{ID: "rules.open", Binding: views.Key("open", "enter"), Name: "open in the panel", Group: panelGroup,
		Help: "Enter in the panel opens a node with all its reasons, labels and taints, or goes to the rule that a finding is about."}
)

// Table lists everything that can be done here, for help and README.
func Table() []views.Command {
	return slices.Concat([]views.Command{
		cmdEdit, cmdTurn, cmdAdd, cmdAddTerm, cmdDelete, cmdUndo, cmdRedo, cmdDuplicate, cmdUp, cmdDown, cmdWeight, cmdCopy,
		cmdPanel, cmdFocus, inTable(cmdOpen),
	}, rows.Moves(), rows.Filters(), folds())
}

// inTable is a command without the key that it shares with another.
func inTable(c views.Command) views.Command {
	c = c.On(c.Hint())
	return c
}

// folds are the commands of a tree; space has another meaning here.
func folds() []views.Command {
	all := rows.Folds()
	for i := range all {
		if all[i].ID == rows.Toggle {
			all[i] = all[i].On(all[i].Hint(), "z")
		}
	}
	return all
}

// Commands lists what can be done right now, the most wanted first.
func (b *Builder) Commands() []views.Command {
	switch {
	case b.CapturesText():
		return b.typingCommands()
	case b.side.inside:
		return b.panelCommands()
	case len(b.policy.Items()) == 0:
		return slices.Concat(b.historyCommands(), []views.Command{cmdPanel, cmdFocus})
	case b.list.Len() == 0: // nothing matches: what is hidden is not changed
		return slices.Concat(rows.Filters(), b.historyCommands(), []views.Command{cmdPanel, cmdFocus})
	}
	all := []views.Command{b.editCommand()}
	key := b.cursor()
	if key.part == affinityRow || key.part == lineRow || key.part == tolerationRow {
		all = append(all, cmdTurn)
	}
	if key.part != keptRow {
		all = append(all, cmdAdd)
	}
	del := cmdDelete
	if _, ok := b.element(); !ok {
		del = del.Hinted("") // it says why
	}
	all = append(all, cmdAddTerm, del)
	all = append(all, b.historyCommands()...)
	all = append(all, cmdPanel, cmdFocus, cmdDuplicate, cmdUp, cmdDown, cmdWeight)
	return slices.Concat(append(all, cmdCopy), rows.Moves(), rows.Filters(), folds())
}

// editCommand says what enter does with the row; where that is to fold, enter is the
// key to name: e means to edit.
func (b *Builder) editCommand() views.Command {
	edit := cmdEdit
	switch key := b.cursor(); {
	case key.part == lineRow || key.part == tolerationRow:
	case key.part == termRow && b.weighted():
		edit = edit.Hinted("weight")
	case !b.list.Leaf():
		edit = edit.On(b.foldHint(), "enter", "e")
	case key.part == affinityRow:
		edit = edit.Hinted("next word")
	case key.part == listRow || key.part == termRow || key.part == tolerationsRow:
		edit = edit.Hinted("add")
	default:
		edit = edit.Hinted("")
	}
	return edit
}

func (b *Builder) foldHint() string {
	if b.list.Folded() {
		return "unfold"
	}
	return "fold"
}

// weighted tells whether the cursor is in a list with weights.
func (b *Builder) weighted() bool {
	key := b.cursor()
	return key.kind() != placement.None && b.item().Affinity(key.kind()).Shape == placement.WeightedList
}

func (b *Builder) historyCommands() (all []views.Command) {
	if b.history.done > 0 {
		all = append(all, cmdUndo)
	}
	if b.history.done < len(b.history.steps) {
		all = append(all, cmdRedo)
	}
	return all
}

func (b *Builder) panelCommands() []views.Command {
	back := cmdFocus
	back = back.Hinted("back to the rules")
	all := []views.Command{cmdPanel, back, cmdCopy}
	if b.side.opens() {
		open := cmdOpen
		if b.side.kind == checksPanel {
			open = open.Hinted("go to the rule")
		}
		if s := b.side; s.kind == nodesPanel && s.nodes.isOpen() {
			open = open.Hinted("close")
		}
		all = slices.Insert(all, 0, open)
	}
	return slices.Concat(all, b.historyCommands(), rows.Moves(), rows.Filters(), folds())
}

// Do runs a command by its id and tells whether it is one of the builder's.
func (b *Builder) Do(id, argument string) (cmd tea.Cmd, known bool) {
	if b.entry != nil { // the row that is typed into comes first
		return nil, slices.ContainsFunc(Table(), func(c views.Command) bool { return c.ID == id })
	}
	defer b.arrange()
	before := b.note
	b.note = ""
	argument = strings.TrimSpace(argument)
	if id == cmdCopy.ID {
		return b.copy(), true
	}
	if b.doSide(id) || b.doEdit(id) {
		return nil, true
	}
	if b.side.inside && b.doPanel(id, argument) || !b.side.inside && b.doList(id, argument) {
		return nil, true
	}
	b.note = before
	return nil, slices.ContainsFunc(Table(), func(c views.Command) bool { return c.ID == id })
}

func (b *Builder) doSide(id string) bool {
	switch id {
	case cmdPanel.ID:
		b.turnPanel()
	case cmdFocus.ID:
		b.side.inside = !b.side.inside
	case cmdUndo.ID:
		b.undo()
	case cmdRedo.ID:
		b.redo()
	default:
		return false
	}
	return true
}

// doEdit runs a command on the row under the cursor, also from within a panel.
func (b *Builder) doEdit(id string) bool {
	act := map[string]func(){
		cmdEdit.ID: b.edit, cmdTurn.ID: b.turn, cmdAdd.ID: b.add, cmdAddTerm.ID: b.addTerm, cmdDelete.ID: b.remove, cmdDuplicate.ID: b.duplicate,
		cmdUp.ID: func() { b.move(-1) }, cmdDown.ID: func() { b.move(1) }, cmdWeight.ID: b.weigh,
	}[id]
	if act == nil {
		return false
	}
	b.leavePanel()
	act()
	return true
}

// doList runs a command of the list of rules.
func (b *Builder) doList(id, argument string) bool {
	switch {
	case id == rows.Search && argument != "":
		b.list.SetFilter(argument)
	case id == rows.Unfold && !b.list.Folded():
		b.side.inside = true
	case id == rows.Unfold || id == rows.Toggle:
		b.list.Do(id)
		b.list.ShowOpened()
	case id == rows.Find || id == rows.Next || id == rows.Previous || id == rows.Mark || id == rows.Range:
		return false
	default:
		return b.list.Do(id)
	}
	return true
}

// toggle folds or opens the row under the cursor, with what it opens in sight.
func (b *Builder) toggle() {
	b.list.Do(rows.Toggle)
	b.list.ShowOpened()
}
