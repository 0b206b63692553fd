package rules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/plain"
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
	"/ filters by name, label, taint, takes, tainted or refuses",
	views.Keys("{key:rules.open} goes to the rule"),
	views.Keys("{key:rules.copy} copies the policy"),
	views.Keys("{key:rules.copy} copies a line; geodeck runs none of them"),
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

	cache [panelCount]struct {
		head views.Drawn[headVersion, string]
		note views.Drawn[noteVersion, string]
	}

	shows []placed
	cut   string // the sentence about the rules, where there is no room for all of it below them
}

// placed is a panel that is shown, and its cells.
type placed struct {
	kind          panelKind
	width, height int
	below         bool // it is in the column of the one before, behind a line
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
	Len() int
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

// next shows the next panel; where there is no room for it beside or below the rules, one
// in their place.
func (p *panels) next() {
	if len(p.shows) == 0 {
		p.inside = true
		return
	}
	p.kind = (p.kind + 1) % panelCount
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

// arrange gives the panels their cells, and what they show by now; focused says that keys go to them.
func (p *panels) arrange(shows []placed, cut string, focused bool) {
	p.shows, p.cut = shows, cut
	for kind, panel := range p.all {
		panel.SetFocused(focused && panelKind(kind) == p.kind)
	}
	for _, s := range shows {
		if s.kind == nodesPanel {
			p.nodes.room = s.height
		}
		p.all[s.kind].refresh(s.width)
		p.all[s.kind].SetSize(s.width, max(0, s.height-1-len(p.about(s))))
	}
}

// headVersion names what the names of the panels are made of.
type headVersion struct {
	kind             panelKind
	inside           bool
	shown, wrongRows int
}

// head names the panels. Where the nodes have a place of their own, it is not among the others; where
// all have one, each names itself.
func (p *panels) head(s placed) string {
	wrong := len(p.judged.findings)
	return p.cache[s.kind].head.For(headVersion{p.kind, p.inside, len(p.shows), wrong}, func() string {
		k, names := &p.inks, ""
		for kind := range panelCount {
			if len(p.shows) > 1 && (kind == nodesPanel) != (s.kind == nodesPanel) || len(p.shows) > 2 && kind != s.kind {
				continue
			}
			name, ink := kind.String(), k.Strong
			if kind == checksPanel && wrong > 0 {
				name += " " + strconv.Itoa(wrong)
			}
			if p.inside {
				ink = k.Accent
			}
			if kind == s.kind && kind != p.kind {
				names += " " + k.Strong.On(name) + " "
				continue
			}
			names += k.Tab(name, kind == p.kind, ink)
		}
		return names
	})
}

// about says below the names what a panel is about.
func (p *panels) about(s placed) []string {
	k, none := &p.inks, len(p.cluster.nodes) == 0
	switch {
	case s.kind == nodesPanel && none:
		return p.note(s, cmp.Or(p.cluster.note, "No node list: placement was not checked."), max(1, s.height-1))
	case s.kind == nodesPanel && s.height >= minSentence:
		return p.note(s, p.cluster.note, 2)
	case s.kind == checksPanel && len(p.judged.findings) == 0 && p.judged.revision > 0:
		if none {
			return p.note(s, k.Glyphs.Unknown+views.Keys(" Rules are well formed. Not checked against nodes: press {key:services.nodes} to load them."), max(1, s.height-1))
		}
		return []string{k.OK.On(k.Glyphs.Pass) + " Nothing is wrong"}
	}
	return nil
}

// noteVersion names what a note below the names is made of.
type noteVersion struct {
	text         string
	width, limit int
}

// note returns a muted text in lines.
func (p *panels) note(s placed, text string, limit int) []string {
	return strings.Split(p.cache[s.kind].note.For(noteVersion{text, s.width, limit}, func() string {
		return strings.Join(wrapped(p.inks.Muted, text, s.width, limit, &p.inks), "\n")
	}), "\n")
}

// draw draws a panel in its cells.
func (p *panels) draw(s placed) string {
	head := append(append(make([]string, 0, 8), p.head(s)), p.about(s)...)
	room := s.height - len(head)
	if room <= 0 {
		return p.inks.Block(head, s.width, s.height)
	}
	panel := p.all[s.kind]
	if more := panel.Len() - room; more > 0 && !p.inside {
		text := plain.Plural(more, "more line")
		if s.kind == p.kind {
			text += ", right opens"
		}
		head[0] = p.inks.Beside(head[0], p.inks.Muted.On(text), s.width)
	}
	body := panel.View()
	if panel.Filter() != "" && panel.Position() == "" {
		body = p.inks.noMatch(body, panelRows[s.kind], s.width, room)
	}
	return p.inks.Headed(s.width, s.height, body, head...)
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
	return views.Around(j.text.Commands(), func(row views.Command, run func() tea.Cmd) tea.Cmd {
		if row.ID == rows.Fold && j.text.Line() == 0 {
			j.inside = false
			return nil
		}
		return run()
	})
}
