package rules

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget/jsonview"
	"geodeck/ui/widget/rows"
)

// panelKind is one of the four panels beside the rules.
type panelKind uint8

const (
	nodesPanel panelKind = iota
	checksPanel
	jsonPanel
	advicePanel
	panelCount
)

// String returns the name of the panel.
func (p panelKind) String() string { return [...]string{"Nodes", "Checks", "JSON", "Advice"}[p] }

// panelHelp says what can be done in each of them.
var panelHelp = [panelCount]string{
	"enter opens a node; / filters by name, label, taint, takes or refuses",
	"enter goes to the rule that a finding is about",
	"y copies the policy",
	"y copies what the cursor is on; nothing is run from here",
}

// panelRows name what a filter looks for in each of them.
var panelRows = [panelCount]string{"node", "finding", "line", "advice"}

// panels are shown beside the rules, one at a time.
type panels struct {
	*state
	kind  panelKind
	all   [panelCount]panel
	nodes *nodeList
	goTo  func(rowKey) // puts the cursor of the rules on a row

	width, height int
	short         bool   // the lines below have the summary and no more
	cut           string // the sentence about the rules, where there is no room for all of it below them
}

// panel is one of the four.
type panel struct {
	listView
	content
}

// listView is the list or the JSON on the screen.
type listView interface {
	SetSize(width, height int)
	SetFocused(on bool)
	View() string
	Typing() bool
	Type(key tea.KeyMsg)
	Filter() string
	SetFilter(text string)
	Position() string
}

// content is what it shows.
type content interface {
	// refresh shows what is true by now; it is cheap where nothing has changed.
	refresh(width int)
	rows() []views.Command
	// enter returns what enter does there, and says so; nil for nothing.
	enter() (hint string, do func())
	// copied returns what the cursor is on, and what that is.
	copied() (text, what string)
}

func newPanels(t *theme.Theme, s *state, goTo func(rowKey)) *panels {
	p := &panels{state: s, goTo: goTo, nodes: newNodeList(t, s)}
	checks := &textList{state: s, list: rows.New[textKey](t), version: p.textVersion, make: p.findingTexts}
	advice := &textList{state: s, list: rows.New[textKey](t), version: p.textVersion, make: p.adviceTexts}
	json := &jsonText{state: s, text: jsonview.New(t)}
	p.all = [panelCount]panel{
		nodesPanel: {p.nodes.list, p.nodes}, checksPanel: {checks.list, checks}, jsonPanel: {json.text, json}, advicePanel: {advice.list, advice},
	}
	return p
}

func (p *panels) shown() panel { return p.all[p.kind] }

// next shows the next panel; where there is no room beside the rules, they are shown
// again behind the last one.
func (p *panels) next(beside bool) {
	switch {
	case beside:
		p.kind = (p.kind + 1) % panelCount
	case !p.inside:
		p.inside, p.kind = true, nodesPanel
	case p.kind == panelCount-1:
		p.inside, p.kind = false, nodesPanel
	default:
		p.kind++
	}
}

// back goes one step out inside the panel: it closes a node, or clears the filter.
func (p *panels) back() bool {
	switch {
	case p.kind == nodesPanel && p.nodes.close():
	case p.shown().Filter() != "":
		p.shown().SetFilter("")
	default:
		return false
	}
	return true
}

// arrange gives the panel its cells, and what it shows by now.
func (p *panels) arrange(width, height int, short bool, cut string) {
	p.width, p.height, p.short, p.cut = width, height, short, cut
	for _, panel := range p.all {
		panel.SetFocused(p.inside)
	}
	if width > 0 {
		p.shown().refresh(width)
		p.shown().SetSize(width, max(0, height-len(p.head(width))))
	}
}

// head names the panels, and says what the one that is shown is about.
func (p *panels) head(width int) []string {
	k := &p.inks
	names := make([]string, panelCount)
	for kind := range panelCount {
		name, ink := kind.String(), k.Muted
		if n := len(p.judged.findings); kind == checksPanel && n > 0 {
			name += " " + strconv.Itoa(n)
		}
		if kind == p.kind {
			ink = k.Strong
			if p.inside {
				ink = k.Accent
			}
			name = k.Glyphs.Cursor + name
		} else {
			name = " " + name
		}
		names[kind] = ink.On(name)
	}
	return append([]string{strings.Join(names, " ")}, p.about(width)...)
}

func (p *panels) about(width int) []string {
	k := &p.inks
	switch {
	case p.kind == nodesPanel && len(p.cluster.nodes) == 0:
		_, ink, text := p.summary()
		return wrapped(ink, text, width, max(1, p.height-1), k)
	case p.kind == nodesPanel && p.short:
		return wrapped(k.Muted, p.cluster.note, width, 1, k)
	case p.kind == nodesPanel:
		return slices.Concat(p.summaryLines(width), p.excluded(), wrapped(k.Muted, p.cluster.note, width, 2, k))
	case p.kind == checksPanel && len(p.judged.findings) == 0 && p.judged.revision > 0:
		return []string{k.OK.On(k.Glyphs.Pass) + " nothing is wrong"}
	}
	return nil
}

// draw draws the panel in a number of lines.
func (p *panels) draw(width, height int) []string {
	head := p.head(width)
	if room := height - len(head); room > 0 {
		lines := strings.Split(p.shown().View(), "\n")
		if p.shown().Filter() != "" && p.shown().Position() == "" {
			lines = p.inks.noMatch(lines, panelRows[p.kind], width, room)
		}
		head = append(head, lines...)
	}
	return strings.Split(views.Block(head, width, height, p.inks.Glyphs.Ellipsis), "\n")
}

// arrows are the rows of a tree that lead out of a panel, and open what it shows.
func arrows(left, right func()) (list []views.Command) {
	for _, row := range new(rows.List[int]).Folds() {
		switch {
		case row.ID == rows.Fold:
			row.Run = views.Call(left)
		case row.ID == rows.Unfold && right != nil:
			row.Run = views.Call(right)
		default:
			continue
		}
		list = append(list, row)
	}
	return list
}

// jsonText is the policy as JSON. An edit leads to the line that it changed first.
type jsonText struct {
	*state
	text     *jsonview.View
	lines    []string
	revision int
}

func (j *jsonText) refresh(int) {
	if j.revision == j.draft.revision {
		return
	}
	before, lines := j.lines, jsonview.Lines(j.draft.text)
	j.lines, j.revision = lines, j.draft.revision
	if slices.Equal(lines, before) {
		return
	}
	j.text.Set(j.draft.text)
	for i := 0; i < len(lines) && i < len(before) && lines[i] == before[i]; i++ {
		j.text.GoDown()
	}
}

func (j *jsonText) enter() (hint string, do func()) { return "open", j.text.Toggle }
func (j *jsonText) copied() (text, what string)     { return string(j.draft.text), "policy" }

// rows are those of the JSON; from its first line the left arrow leads out.
func (j *jsonText) rows() []views.Command {
	list := j.text.Commands()
	for i, row := range list {
		switch row.ID {
		case rows.Toggle:
			list[i] = row.On("", "z")
		case rows.Fold:
			list[i].Run = func(argument string) tea.Cmd {
				if j.text.Line() == 0 {
					j.inside = false
					return nil
				}
				return row.Run(argument)
			}
		}
	}
	return list
}
