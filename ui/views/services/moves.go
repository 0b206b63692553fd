package services

import (
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/views/rows"
	"geodeck/ui/views/services/cluster"
)

// mostMoves bounds the deployments that are told of above a review, and movesShare the
// lines of the view for each: the review needs room as well.
const (
	mostMoves  = 3
	movesShare = 9
)

// movesAside stands above the review of rules.
func (m *Model) movesAside() []string {
	p := m.page()
	m.writeMoves(p)
	if len(p.Lines) > 0 {
		p.Gap()
	}
	return p.Lines
}

// writeMoves says of each deployment whose rules change what they were and become, and
// how many nodes take its pods.
func (m *Model) writeMoves(p *rows.Page) {
	k, moves := &m.inks, m.way.reviewed().Moves
	lines := 2
	if m.height < tallFrom && len(moves) > 1 || m.height < lowFrom {
		lines = 1
	}
	most := max(1, min(len(moves), mostMoves, m.height/movesShare))
	for _, move := range moves[:min(len(moves), most)] {
		glyph, ink := k.Glyphs.Running, k.Running
		if move.To.None() {
			glyph, ink = k.Glyphs.Fail, k.Fail
		}
		p.Signed(glyph, ink, move.After.DeploymentType+" "+move.After.DeploymentID+": "+nodesMove(move, k.Glyphs.Arrow))
		if sharer := m.sharerOf(move); sharer != "" {
			p.Indented(k.Warn, "  ", "Shared: "+cluster.SharedRules(sharer)+".")
		}
		before := "(the site does not have this deployment)"
		if move.Before != nil {
			before = placement.Sentence(*move.Before)
		}
		m.writeMostly(p, "  before  ", before, lines)
		m.writeMostly(p, "  after   ", placement.Sentence(move.After), lines)
	}
	if n := len(moves) - most; n > 0 {
		p.Line(k.Muted.On("  and " + strconv.Itoa(n) + " more deployments"))
	}
	if len(moves) > 0 && !m.way.sawNodes() {
		p.Signed(k.Glyphs.Unknown, k.Unknown, noNodesLooked)
	}
}

// sharerOf is a service that is moved together with the one whose rules are edited.
func (m *Model) sharerOf(move operation.Move) string {
	return m.deployments.SharerOf(move, m.way.target().Service.Path())
}

// noNodesLooked says that rules were not compared with nodes.
const noNodesLooked = "No nodes are known: it was not looked whether any node takes these pods."

// The heights of the view from which sentences have two lines: those of several
// deployments, and of one.
const (
	tallFrom = 30
	lowFrom  = 16
)

// writeMostly writes a text beside its name, cut after some lines.
func (m *Model) writeMostly(p *rows.Page, name, text string, most int) {
	part := &rows.Page{Inks: &m.inks, Width: p.Width}
	part.Indented(m.inks.Plain, "          ", text)
	for i, line := range part.Lines[:min(len(part.Lines), most)] {
		if i == 0 {
			line = m.inks.Label.On(name) + line[len(name):]
		}
		if i == most-1 && len(part.Lines) > most {
			line += m.inks.Glyphs.Ellipsis
		}
		p.Line(line)
	}
}

// nodesMove says how many nodes took the pods and take them then.
func nodesMove(move operation.Move, arrow string) string {
	total := move.To.Total
	if total == 0 {
		return "its rules change"
	}
	taking := func(nodes int, word string) string {
		if nodes == 0 {
			return "none"
		}
		return strconv.Itoa(nodes) + " of " + strconv.Itoa(total) + word
	}
	to := taking(move.To.Taking, " nodes")
	switch {
	case move.Before == nil:
		return to
	case move.From.Taking == 0 && move.To.Taking == 0:
		return "none of " + plain.Plural(total, "node") + ", as before"
	case move.To.Taking == 0:
		return taking(move.From.Taking, " nodes") + " " + arrow + " " + to
	}
	return taking(move.From.Taking, "") + " " + arrow + " " + to
}

// sawNodes tells whether the rules were compared with nodes.
func (w *way) sawNodes() bool { return len(w.edits) > 0 && len(w.edits[0].Nodes) > 0 }

// planWithNodes plans a reviewed change of rules again, now that other nodes are known.
// The review stays until then: a name may just be typed into it.
func (m *Model) planWithNodes() tea.Cmd {
	w := m.way
	if w == nil || w.step != reviewing || w.target().Part != operation.Placement || w.nodes == m.nodes.Version() {
		return nil
	}
	w.anew = true
	return m.plan(w.edits[0].Edit)
}

// nodesCame takes over the nodes that were read for a plan of rules, and tells whether
// others are known by now than it was made with.
func (m *Model) nodesCame(r planned) bool {
	if len(r.edits) != 1 || r.edits[0].Part != operation.Placement {
		return false
	}
	if m.nodes.Version() == 0 && len(r.nodes.List) > 0 {
		m.nodes.Take(r.nodes)
		return false
	}
	return r.cluster != m.nodes.Version()
}
