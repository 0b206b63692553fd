package rules

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// panel is one of the four that stand beside the rules.
type panel uint8

const (
	nodesPanel panel = iota
	checksPanel
	jsonPanel
	advicePanel
	panels // their number
)

// String returns the name of the panel.
func (p panel) String() string { return [...]string{"Nodes", "Checks", "JSON", "Advice"}[p] }

// panelHelp says what can be done in each of them.
var panelHelp = [panels]string{
	"enter opens a node; / filters by name, label, taint, takes or refuses",
	"enter goes to the rule that a finding is about",
	"y copies the policy",
	"y copies what the cursor is on; nothing is run from here",
}

// panelRows name what a filter looks for in each of them.
var panelRows = [panels]string{"node", "finding", "line", "advice"}

// side is what stands beside the rules.
type side struct {
	b             *Builder
	kind          panel
	inside        bool // keys go to the panel; where there is no room for both, it is shown
	nodes         *nodeList
	checks        *textList
	advice        *textList
	json          *jsonText
	width, height int
}

func newSide(b *Builder) side {
	return side{b: b, nodes: newNodeList(b), checks: newTextList(b), advice: newTextList(b), json: newJSONText(b)}
}

// content is what a panel shows.
type content interface {
	// refresh shows what is true by now; it is cheap where that is known already.
	refresh(width int)
	setSize(width, height int)
	view() string
	rows() []views.Command
	typing() bool
	take(key tea.KeyMsg)
	filter() string
	setFilter(text string)
	position() string
}

func (s *side) content() content {
	switch s.kind {
	case checksPanel:
		return s.checks
	case jsonPanel:
		return s.json
	case advicePanel:
		return s.advice
	}
	return s.nodes
}

func (s *side) typing() bool           { return s.inside && s.content().typing() }
func (s *side) typeKey(key tea.KeyMsg) { s.content().take(key) }
func (s *side) position() string       { return s.content().position() }

// close closes the node under the cursor, and tells whether one was open.
func (s *side) close() bool { return s.kind == nodesPanel && s.nodes.close() }

func (s *side) clearFilter() bool {
	if s.content().filter() == "" {
		return false
	}
	s.content().setFilter("")
	return true
}

// setSize gives the panel its cells, and what it shows by now.
func (s *side) setSize(width, height int) {
	s.width, s.height = width, height
	s.nodes.list.SetFocused(s.inside)
	s.checks.list.SetFocused(s.inside)
	s.advice.list.SetFocused(s.inside)
	if width <= 0 {
		return
	}
	switch s.kind {
	case checksPanel:
		s.checks.set(s.b.findingTexts(), s.b.judgedVersion(), width)
	case advicePanel:
		s.advice.set(s.b.adviceTexts(), s.b.judgedVersion(), width)
	}
	s.content().refresh(width)
	s.content().setSize(width, max(0, height-len(s.head(width))))
}

// head names the panels, and says what the one that is shown is about.
func (s *side) head(width int) []string {
	k := &s.b.inks
	names := make([]string, panels)
	for p := range panels {
		name, ink := p.String(), k.Muted
		if n := len(s.b.judged.findings); p == checksPanel && n > 0 {
			name += " " + strconv.Itoa(n)
		}
		if p == s.kind {
			ink = k.Strong
			if s.inside {
				ink = k.Selected
			}
			name = k.Glyphs.Cursor + name
		} else {
			name = " " + name
		}
		names[p] = ink.On(name)
	}
	return append([]string{strings.Join(names, " ")}, s.about(width)...)
}

func (s *side) about(width int) []string {
	k := &s.b.inks
	switch {
	case s.kind == nodesPanel && len(s.b.nodes) == 0:
		_, ink, text := s.b.summary()
		return wrapped(ink, text, width, max(1, s.height-1), k)
	case s.kind == nodesPanel && s.b.height < leastSentence: // the foot has the summary
		return wrapped(k.Muted, s.b.nodesNote, width, 1, k)
	case s.kind == nodesPanel:
		return append(append(s.b.summaryLines(width), s.b.keptOut()...), wrapped(k.Muted, s.b.nodesNote, width, 2, k)...)
	case s.kind == checksPanel && len(s.b.judged.findings) == 0 && s.b.judged.revision > 0:
		return []string{k.OK.On(k.Glyphs.Pass) + " nothing is wrong"}
	}
	return nil
}

// draw draws the panel in a number of lines.
func (s *side) draw(width, height int) []string {
	head := s.head(width)
	if room := height - len(head); room > 0 {
		lines := strings.Split(s.content().view(), "\n")
		if s.content().filter() != "" && s.content().position() == "" {
			lines = s.b.noMatch(lines, panelRows[s.kind], width, room)
		}
		head = append(head, lines...)
	}
	return strings.Split(views.Block(head, width, height, s.b.inks.Glyphs.Ellipsis), "\n")
}

// turnPanel shows the next panel; where there is no room beside the rules, they are
// shown again behind the last one.
func (b *Builder) turnPanel() {
	switch s := &b.side; {
	case b.wide():
		s.kind = (s.kind + 1) % panels
	case !s.inside:
		s.inside, s.kind = true, nodesPanel
	case s.kind == panels-1:
		s.inside, s.kind = false, nodesPanel
	default:
		s.kind++
	}
}

func (b *Builder) leavePanel() { b.side.inside = false }

// openHint says what enter does there.
func (s *side) openHint() string {
	switch {
	case s.kind == checksPanel:
		return "go to the rule"
	case s.kind == nodesPanel && s.nodes.isOpen():
		return "close"
	}
	return "open"
}

// opens reports whether enter does something there.
func (s *side) opens() bool {
	switch s.kind {
	case nodesPanel:
		return s.nodes.list.Len() > 0
	case checksPanel:
		_, is := s.b.chosenFinding()
		return is
	}
	return s.kind == jsonPanel
}

// panelRows turn to the panels.
func (b *Builder) panelRows() []views.Command {
	into := "into the panel"
	if b.side.inside {
		into = "back to the rules"
	}
	return []views.Command{
		{ID: "rules.panel", Binding: views.Key("panel", "p"), Name: "next panel", Group: panelGroup, Run: do(b.turnPanel),
			Help: "Show the next panel: the nodes, the checks, the JSON, the advice."},
		{ID: "rules.focus", Binding: views.Key(into, "f"), Name: "into the panel or back", Group: panelGroup, Run: do(func() { b.side.inside = !b.side.inside }),
			Help: "Go into the panel, or back to the rules. The right arrow leads into it as well, the left one out."},
	}
}

// openRow is enter in a panel: among the rules that key edits.
func (b *Builder) openRow() []views.Command {
	var keys []string
	if b.side.inside {
		keys = []string{"enter"}
	}
	return []views.Command{{
		ID: "rules.open", Binding: views.Key(b.side.openHint(), keys...), Name: "open in the panel", Group: panelGroup,
		Enabled: func() bool { return b.side.inside && b.side.opens() }, Run: do(b.openInPanel),
		Help: "Enter in the panel opens a node with all its reasons, labels and taints, or goes to the rule that a finding is about.",
	}}
}

// openInPanel does what enter does there.
func (b *Builder) openInPanel() {
	switch s := &b.side; s.kind {
	case nodesPanel:
		s.nodes.toggle()
	case checksPanel:
		b.goToFinding()
	case jsonPanel:
		s.json.text.Do(rows.Toggle)
	}
}
