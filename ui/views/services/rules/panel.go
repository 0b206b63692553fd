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

// panelKind is one of the four panels that stand beside the rules.
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

// host is what the panels ask of the builder around them.
type host interface {
	// leavePanel gives the keys back to the rules.
	leavePanel()
	// goTo puts the cursor of the rules on a row.
	goTo(key rowKey)
}

// panels stand beside the rules, one at a time: the nodes, the checks, the JSON, the
// advice.
type panels struct {
	*state
	host     host
	kind     panelKind
	inside   bool // keys go to the panel; where there is no room for both, it is shown
	contents [panelCount]content
	nodes    *nodeList
	checks   *textList
	advice   *textList

	width, height int
	short         bool   // the lines below have the summary and no more
	cut           string // the sentence about the rules, where there is no room for all of it below them
}

// content is what a panel shows.
type content interface {
	// refresh shows what is true by now; it is cheap where that is known already.
	refresh(width int)
	setSize(width, height int)
	setFocused(on bool)
	view() string
	rows() []views.Command
	// enter returns what enter does there, and says so; nil for nothing.
	enter() (hint string, do func())
	// copied returns what the cursor is on, and what that is.
	copied() (text, what string)
	typing() bool
	take(key tea.KeyMsg)
	filter() string
	setFilter(text string)
	position() string
}

func newPanels(t *theme.Theme, s *state, h host) *panels {
	p := &panels{state: s, host: h, nodes: newNodeList(t, s, h), checks: newTextList(t, s, h), advice: newTextList(t, s, h)}
	p.contents = [panelCount]content{nodesPanel: p.nodes, checksPanel: p.checks, jsonPanel: newJSONText(t, s, h), advicePanel: p.advice}
	p.checks.make, p.advice.make = p.findingTexts, p.adviceTexts
	return p
}

func (p *panels) content() content { return p.contents[p.kind] }
func (p *panels) typing() bool     { return p.inside && p.content().typing() }

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
	case p.content().filter() != "":
		p.content().setFilter("")
	default:
		return false
	}
	return true
}

// arrange gives the panel its cells, and what it shows by now.
func (p *panels) arrange(width, height int, short bool, cut string) {
	p.width, p.height, p.short, p.cut = width, height, short, cut
	for _, c := range p.contents {
		c.setFocused(p.inside)
	}
	if width > 0 {
		p.content().refresh(width)
		p.content().setSize(width, max(0, height-len(p.head(width))))
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
				ink = k.Selected
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
		lines := strings.Split(p.content().view(), "\n")
		if p.content().filter() != "" && p.content().position() == "" {
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
			row.Run = do(left)
		case row.ID == rows.Unfold && right != nil:
			row.Run = do(right)
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
	host     host
	text     *jsonview.View
	lines    []string
	revision int
}

func newJSONText(t *theme.Theme, s *state, h host) *jsonText {
	return &jsonText{state: s, host: h, text: jsonview.New(t)}
}

func (j *jsonText) refresh(int) {
	if j.revision == j.draft.revision {
		return
	}
	value := j.draft.text
	before, lines := j.lines, jsonview.Lines(value)
	j.lines, j.revision = lines, j.draft.revision
	j.text.Set(value)
	if len(before) == 0 {
		return
	}
	for i := 0; i < len(lines) && i < len(before) && lines[i] == before[i]; i++ {
		j.text.GoDown()
	}
}

func (j *jsonText) enter() (hint string, do func()) {
	return "open", j.text.Toggle
}

func (j *jsonText) copied() (text, what string) { return string(j.draft.text), "policy" }
func (j *jsonText) setFocused(on bool)          { j.text.SetFocused(on) }
func (j *jsonText) view() string                { return j.text.View() }

func (j *jsonText) setSize(width, height int) { j.text.SetSize(width, height) }
func (j *jsonText) typing() bool              { return j.text.Typing() }
func (j *jsonText) take(key tea.KeyMsg)       { j.text.Type(key) }
func (j *jsonText) filter() string            { return j.text.Filter() }
func (j *jsonText) setFilter(text string)     { j.text.SetFilter(text) }
func (j *jsonText) position() string          { return j.text.Position() }

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
					j.host.leavePanel()
					return nil
				}
				return row.Run(argument)
			}
		}
	}
	return list
}
