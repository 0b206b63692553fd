package review

import (
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/widget/rows"
)

const (
	// movesShare are the lines of the view for each deployment that is told of above a review: it needs room
	// as well.
	movesShare = 9
	// The heights from which sentences have two lines: those of several deployments, and
	// of one.
	tallFrom = 30
	lowFrom  = 16
	// noNodesSeen says that rules were not compared with nodes.
	noNodesSeen = "No node list: placement was not checked."
)

// movesPreface says above the review of rules of each deployment whose rules change what
// they were and become, and how many nodes take its pods.
func (m *Model) movesPreface() []string {
	moves := len(m.plan.First().Plan.Moves)
	if moves == 0 {
		return nil
	}
	lines := 2
	if m.whole() < tallFrom && moves > 1 || m.whole() < lowFrom {
		lines = 1
	}
	p := m.page()
	m.writeMoves(p, m.plan.Edits[0], max(1, min(plan.MaxMoves, m.whole()/movesShare)), lines)
	if !m.sawNodes() {
		p.Signed(m.inks.Glyphs.Unknown, m.inks.Unknown, noNodesSeen)
	}
	p.Gap()
	return p.Lines
}

// aboutService says of one of several services what the single review says above its changes; in
// the review of one its path is empty.
func (m *Model) aboutService(path string, width int) []string {
	p, most := &rows.Page{Inks: m.inks, Width: width}, 1
	if !m.plan.Several {
		most = plan.MaxMoves
	}
	for _, e := range m.plan.Edits {
		if e.Service.Path() == path || path == "" {
			m.writeMoves(p, e, most, 1)
		}
	}
	return p.Lines
}

// heaviestFirst are the moves of a plan, those first whose pods no node takes.
func heaviestFirst(plan operation.EditPlan) []operation.Move {
	moves := slices.Clone(plan.Moves)
	slices.SortStableFunc(moves, func(a, b operation.Move) int {
		switch {
		case a.None() == b.None():
			return 0
		case a.None():
			return -1
		}
		return 1
	})
	return moves
}

// writeMoves writes of most deployments of an edit, each sentence in so many lines.
func (m *Model) writeMoves(p *rows.Page, e operation.PlannedEdit, most, lines int) {
	k, moves := m.inks, heaviestFirst(e.Plan)
	for _, move := range moves[:min(len(moves), most)] {
		glyph, ink := k.Glyphs.Running, k.Running
		if move.None() {
			glyph, ink = k.Glyphs.Alert, k.Fail
		}
		name := move.After.DeploymentType
		if one, known := m.deployments.Of(move.After.DeploymentID); known {
			name = plain.Clip(one.Name, 60)
		}
		p.Signed(glyph, ink, adminapi.DeploymentName(name, move.After.DeploymentID)+": "+plan.NodesMove(move, k.Glyphs.Arrow))
		if shared := m.deployments.SharedRules(move.After.DeploymentID, e.Service.Path()); shared != "" {
			p.Indented(k.Warn, "  ", "Shared: "+shared+".")
		} else if m.unknownShare(move) {
			p.Indented(k.Unknown, "  ", "It is unknown whether other services share these pods.")
		}
		before := "(the site does not have this deployment)"
		if move.Before != nil {
			before = placement.Sentence(*move.Before)
		}
		writeCut(p, "  before  ", before, lines)
		writeCut(p, "  after   ", placement.Sentence(move.After), lines)
	}
	if n := len(moves) - most; n > 0 {
		p.Line(k.Muted.On("  and " + plain.Plural(n, "more deployment")))
	}
}

// unknownShare reports whether the site did not say who runs in the pods of a deployment.
func (m *Model) unknownShare(move operation.Move) bool {
	_, known := m.deployments.Of(move.After.DeploymentID)
	return !known && move.After.DeploymentID != ""
}

// changeOf says in short what a plan changes in one of several services: how many nodes took its
// pods and take them then, whether others move too, and the first change.
func (m *Model) changeOf(e operation.PlannedEdit) string {
	text := operation.ChangeSummary(e.Plan.Changes, e.Plan.Words)
	moves := heaviestFirst(e.Plan)
	if len(moves) == 0 {
		return text
	}
	effect := plan.NodesMove(moves[0], operation.Arrow)
	if moves[0].To.Total == 0 && moves[0].Never == "" {
		effect = "placement was not checked"
	}
	if slices.ContainsFunc(moves, func(move operation.Move) bool {
		return m.deployments.SharedRules(move.After.DeploymentID, e.Service.Path()) != ""
	}) {
		effect += ", shared"
	}
	return effect + ", " + text
}

// sawNodes reports whether the rules were compared with nodes.
func (m *Model) sawNodes() bool { return len(m.plan.First().Nodes) > 0 }

// writeCut writes a text beside its name, at most so many lines of it.
func writeCut(p *rows.Page, name, text string, most int) {
	part := &rows.Page{Inks: p.Inks, Width: p.Width}
	part.Indented(p.Inks.Plain, "          ", text)
	for i, line := range part.Lines[:min(len(part.Lines), most)] {
		if i == 0 {
			line = p.Inks.Label.On(name) + line[len(name):]
		}
		if i == most-1 && len(part.Lines) > most {
			line += p.Inks.Glyphs.Ellipsis
		}
		p.Line(line)
	}
}
