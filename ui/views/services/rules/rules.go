// Package rules is the widget that builds the rules which place pods: the affinity and
// the tolerations of each deployment of a policy, and beside them, live, which nodes
// take the pods and why, the rules in plain words, what is wrong with them, and their
// JSON. Every edit can be undone; what it does not know of a policy stays.
//
// It does no I/O. Start at [Builder]: it divides the screen between the rules (edit.go,
// with their tree and the row that is typed into), the panels beside them (panel.go) and
// the lines below (status.go), which share a state (judgement.go).
package rules

import (
	"bytes"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/placement"
	"geodeck/theme"
	"geodeck/ui/views"
)

// Builder is the widget.
type Builder struct {
	*state
	rules  *rulesPane
	tree   *tree // of the rules
	panels *panels
	cache  sentence        // of the deployment under the cursor
	table  []views.Command // all rows

	// seeking says that the cursor goes to the first row with a finding, once that is known,
	// unless it has left its row meanwhile.
	seeking  bool
	soughtAt rowKey

	width, height int
}

// New returns a builder of an empty policy.
func New(t *theme.Theme) *Builder {
	b := &Builder{state: &state{inks: newInks(t)}}
	b.at = func() int {
		if i, ok := b.tree.list.Rested(); ok {
			return b.tree.table.rows[i].key.at.Item
		}
		return b.Item()
	}
	b.rules = newRulesPane(t, b.state)
	b.tree = b.rules.tree
	b.panels = newPanels(t, b.state, b.tree.goTo)
	b.panels.nodes.change = func(edit func(placement.Policy) (placement.Policy, error), done string) {
		p, err := edit(b.draft.policy)
		if b.rules.apply(p, err, b.tree.cursor(), termMove{}) {
			b.note = done
		}
	}
	b.Set(placement.Policy{}, placement.Policy{})
	b.table = b.makeTable()
	return b
}

// Set begins to edit a policy; base is what the site has, against which it is shown
// what is changed. What could be undone is forgotten. The cursor stays where it can.
func (b *Builder) Set(edited, base placement.Policy) {
	b.note = ""
	b.draft.begin(edited, base)
	b.tree.open()
	b.arrange()
}

// Policy returns the policy as it is edited.
func (b *Builder) Policy() placement.Policy { return b.draft.policy }

// Base returns what it is compared with.
func (b *Builder) Base() placement.Policy { return b.draft.base }

// Changed reports whether the policy differs from the base, byte for byte.
func (b *Builder) Changed() bool { return !bytes.Equal(b.draft.text, b.draft.baseText) }

// Revision counts the edits: it changes whenever Policy does.
func (b *Builder) Revision() int { return b.draft.revision }

// Replace takes over an edit that was made outside, such as a preset; it can be
// undone. A row that is typed into is discarded.
func (b *Builder) Replace(p placement.Policy) {
	b.tree.list.Rest()
	b.rules.end()
	b.rules.change(p, b.tree.cursor(), termMove{})
	b.arrange()
}

// Steps returns what can be undone, for a builder that opens the same rules later.
func (b *Builder) Steps() any { return steps{b.draft.history, string(b.draft.text)} }

// Recall has steps undone here too, where they are those of the same rules.
func (b *Builder) Recall(of any) {
	if s, ok := of.(steps); ok && s.text == string(b.draft.text) {
		b.draft.history = s.history
	}
}

// Path leads to what is under the cursor.
func (b *Builder) Path() document.Path { return b.draft.policy.PathOf(b.tree.cursor().at) }

// GoTo puts the cursor on the innermost row that a path lies in.
func (b *Builder) GoTo(path document.Path) tea.Cmd {
	to, within := b.tree.cursor(), document.Whole
	for _, row := range b.tree.table.rows {
		if of := b.draft.policy.PathOf(row.key.at); path.Within(of) && len(of) > len(within) {
			to, within = row.key, of
		}
	}
	b.inside = false
	b.tree.goTo(to)
	b.arrange()
	return nil
}

// Item returns the index of the deployment under the cursor.
func (b *Builder) Item() int { return b.tree.cursor().at.Item }

// Rested shows what the row under the cursor, and its deployment, lead to.
func (b *Builder) Rested() {
	b.tree.list.Rest()
	b.panels.nodes.list.Rest()
	b.arrange()
}

// SetNodes gives the nodes of the cluster. note says where they are from and how old
// they are; where there are none, what to do to get them. It is one sentence, clean.
// The same slice as before is not judged anew: only its note changes.
func (b *Builder) SetNodes(nodes []placement.Node, note string) {
	before := b.cluster.note
	others := b.cluster.set(nodes, note)
	if others && b.entry() != nil {
		b.entry().offer()
	}
	if others || note != before {
		b.arrange()
	}
}

// ShowNode puts the cursor on a node in the panel of nodes, once that has it.
func (b *Builder) ShowNode(name string) {
	b.panels.kind, b.inside = nodesPanel, true
	b.panels.nodes.want(name)
	b.arrange()
}

// ShowFault puts the cursor on the first row with a finding, once the rules are judged with nodes.
func (b *Builder) ShowFault() {
	b.seeking, b.soughtAt, b.inside = true, b.tree.cursor(), false
	b.seek()
	b.arrange()
}

// seek goes to the row that is looked for.
func (b *Builder) seek() {
	found := b.judged.findings
	i := slices.IndexFunc(found, func(f placement.Finding) bool {
		return f.Strength >= finding.Caution && f.In.Part != placement.ItemPart
	})
	if b.seeking && i >= 0 && b.entry() == nil && b.tree.cursor() == b.soughtAt {
		b.tree.goTo(keyOf(found[i].In))
	}
	b.seeking = b.seeking && i < 0 && b.judged.cluster == 0
}

// Describe takes the names of deployments, each with its id, and notes: what a person should know of
// one, such as that other services share it; both by the id, and clean. A row shows the part of a note
// before a colon, the lines below the rules all of it.
func (b *Builder) Describe(names, notes map[string]string) {
	b.tree.names, b.tree.notes = names, notes
	b.tree.list.Redraw()
}

// Judge shows a judgement. Until it comes the one before is shown, marked as old.
func (b *Builder) Judge(j Judgement) {
	if b.judge(j) {
		b.tree.list.Redraw()
		b.seek()
		b.arrange()
	}
}

// CapturesText reports whether typed keys are text.
func (b *Builder) CapturesText() bool {
	return b.entry() != nil || b.Filtering()
}

// Filtering reports whether a filter or a search is being typed.
func (b *Builder) Filtering() bool {
	return b.entry() == nil && (b.tree.list.Typing() || b.inside && b.panels.shown().Typing())
}

// GuardsPaste reports whether a question is asked: a burst of keys may then be a paste of a
// terminal that marks none, and comes best as one message.
func (b *Builder) GuardsPaste() bool { return b.entry() != nil && b.entry().leaving }

// Unsaved reports whether something is typed that is not in the policy yet.
func (b *Builder) Unsaved() bool { return b.entry() != nil && b.entry().changed() }

// entry is the row that is typed into; nil where none is.
func (b *Builder) entry() *entry { return b.tree.entry }

// Update takes keys while CapturesText.
func (b *Builder) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
	case b.entry() != nil:
		b.rules.key(key)
	case b.tree.list.Typing():
		b.tree.list.Type(key)
	default:
		b.panels.shown().Type(key)
	}
	b.arrange()
	return nil
}

// Back goes one step out inside the builder: out of a panel, a filter, a question;
// false where there is none.
func (b *Builder) Back() bool {
	defer b.arrange()
	list := b.tree.list
	switch {
	case b.entry() != nil:
		b.rules.leave()
	case b.inside && b.panels.back():
	case b.inside:
		b.inside = false
	case list.Filter() != "":
		list.SetFilter("")
	default:
		return false
	}
	return true
}

const (
	minWide      = 98  // cells from which on a panel stands beside the rules: a terminal of 100, less its margins
	minThree     = 170 // from which on the nodes and another panel do
	minAll       = 36  // rows from which on all four panels do
	minBoth      = 20  // rows from which on the rules stay above the nodes that the keys are about
	minStacked   = 10  // rows from which on a panel stands below the rules, where there is no room beside them
	dividerWidth = 3
)

// split is how the cells above the status are divided: the rules, and the panels that are
// shown.
type split struct {
	width, height int // of the rules
	panels        []placed
}

// divide divides a number of rows. The rules keep at least half of the width.
func (b *Builder) divide(height int) split {
	panel := placed{kind: b.panels.kind, width: b.width, height: height}
	switch {
	case b.width >= minThree:
		panel.width = b.width * 3 / 10
		nodes, width := panel, b.width-2*(panel.width+dividerWidth)
		if nodes.kind = nodesPanel; height >= minAll {
			checks, json := height/4, height*2/5
			return split{width, height, []placed{nodes,
				{checksPanel, panel.width, checks, false}, {jsonPanel, panel.width, json, true}, {advicePanel, panel.width, height - checks - json - 2, true},
			}}
		}
		if panel.kind == nodesPanel {
			panel.kind = checksPanel
		}
		return split{width, height, []placed{nodes, panel}}
	case b.width >= minWide:
		panel.width = b.width * 9 / 20
		return split{b.width - panel.width - dividerWidth, height, []placed{panel}}
	case b.inside && (panel.kind != nodesPanel || height < minBoth || b.entry() != nil): // it needs the room
		return split{0, height, []placed{panel}}
	case b.entry() == nil && height >= minStacked:
		most := height * 3 / 5
		if b.inside {
			most = height / 3
		}
		rules := min(b.tree.list.Len()+1, most)
		panel.height -= rules + 1
		panel.below = true
		return split{b.width, rules, []placed{panel}}
	}
	return split{b.width, height, nil}
}

// SetSize gives the builder its cells.
func (b *Builder) SetSize(width, height int) {
	b.width, b.height = max(0, width), max(0, height)
	b.arrange()
}

// arrange divides the cells between the rules, the panels and the lines below.
func (b *Builder) arrange() {
	s := b.divide(max(0, b.height-len(b.status())))
	b.tree.list.SetFocused(!b.inside && (b.entry() == nil || !b.entry().leaving))
	b.tree.list.SetSize(s.width, b.listHeight(s.height))
	cut := ""
	if s := b.sentence(); s.cut {
		cut = s.text
	}
	b.panels.arrange(s.panels, cut, b.inside && b.entry() == nil)
}

// listHeight is what the rules take: while one is typed into no more than they need,
// so that the help is near.
func (b *Builder) listHeight(free int) int {
	if b.entry() == nil {
		return free
	}
	list := b.tree.list
	need := list.Len()
	if list.Filtering() {
		need++
	}
	return min(need, free-popupHeight(free, b.height))
}

// View draws exactly the size that SetSize gave.
func (b *Builder) View() string {
	if b.width <= 0 || b.height <= 0 {
		return ""
	}
	status := b.status()
	s := b.divide(max(0, b.height-len(status)))
	panes := make([]string, 0, 3)
	if s.width > 0 && s.height > 0 {
		panes = append(panes, b.drawRules(s.width, s.height))
	}
	for _, p := range s.panels {
		switch last := len(panes) - 1; {
		case p.below:
			panes[last] += "\n" + b.rule(p.width) + "\n" + b.panels.draw(p)
		case p.height > 0:
			panes = append(panes, b.panels.draw(p))
		}
	}
	text := b.inks.Panes(panes...)
	var all strings.Builder
	all.Grow(len(text) + len(status)*2*b.width)
	all.WriteString(text)
	for _, line := range status {
		if all.Len() > 0 {
			all.WriteByte('\n')
		}
		views.WriteFit(&all, line, b.width, b.inks.Glyphs.Ellipsis)
	}
	return all.String()
}

// rule is a line between two parts.
func (b *Builder) rule(width int) string {
	return b.inks.Rule.On(strings.Repeat(b.inks.Glyphs.Rule, width))
}

// drawRules draws the rules, and below them what helps while a row is typed into.
func (b *Builder) drawRules(width, height int) string {
	k, t := &b.inks, b.tree
	block := func(lines []string, height int) string { return k.Block(lines, width, height) }
	if t.table.Len() == 0 {
		return block(wrapped(k.Muted, b.noRules(), width, height, k), height)
	}
	var list string
	listed := b.listHeight(height)
	if listed > 0 {
		list = t.list.View()
	}
	switch rest := height - max(0, listed); {
	case t.hidden():
		return k.noMatch(list, "rule", width, height)
	case rest > 0:
		var popup []string
		if e := b.entry(); e != nil {
			popup = e.popup(width, popupHeight(height, b.height))
		}
		if list != "" {
			list += "\n"
		}
		list += block(popup, rest)
	}
	return list
}

// Note says where the cursor is, for the line above; may be empty.
func (b *Builder) Note() string {
	t := b.tree
	var facts []string
	switch {
	case b.empty():
	case b.inside:
		facts = []string{b.panels.kind.String(), b.panels.shown().Position()}
	default:
		facts = []string{"", t.list.Position()}
		if row := t.cursor(); row.kind == lineRow || row.kind == tolerationRow || row.kind == newRow { // others say so themselves
			facts[0] = row.at.Name()
		}
	}
	facts = slices.DeleteFunc(facts, func(fact string) bool { return fact == "" })
	return strings.Join(facts, " "+b.inks.Glyphs.Dot+" ")
}
