package change

import (
	"slices"
	"strconv"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/widget/rows"
)

const (
	// maxMoves bounds the deployments that are told of above a review, and movesShare the
	// lines of the view for each: the review needs room as well.
	maxMoves   = 3
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
func (d *pages) movesPreface() []string {
	moves := len(d.reviewed().Moves)
	if moves == 0 {
		return nil
	}
	lines := 2
	if d.Height < tallFrom && moves > 1 || d.Height < lowFrom {
		lines = 1
	}
	p := d.page()
	d.writeMoves(p, d.edits[0], max(1, min(maxMoves, d.Height/movesShare)), lines)
	if !d.sawNodes() {
		p.Signed(d.inks.Glyphs.Unknown, d.inks.Unknown, noNodesSeen)
	}
	p.Gap()
	return p.Lines
}

// aboutService says of one of several services what the single review says above its changes; in
// the review of one its path is empty.
func (d *pages) aboutService(path string, width int) []string {
	p, most := &rows.Page{Inks: d.inks, Width: width}, 1
	if !d.several {
		most = maxMoves
	}
	for _, e := range d.edits {
		if e.Service.Path() == path || path == "" {
			d.writeMoves(p, e, most, 1)
		}
	}
	return p.Lines
}

// heaviestFirst are the moves of a plan, those first whose pods no node takes.
func heaviestFirst(plan editing.Plan) []editing.Move {
	moves := slices.Clone(plan.Moves)
	slices.SortStableFunc(moves, func(a, b editing.Move) int {
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
func (d *pages) writeMoves(p *rows.Page, e batching.PlannedEdit, most, lines int) {
	k, moves := d.inks, heaviestFirst(e.Plan)
	for _, move := range moves[:min(len(moves), most)] {
		glyph, ink := k.Glyphs.Running, k.Running
		if move.None() {
			glyph, ink = k.Glyphs.Alert, k.Fail
		}
		name := move.After.DeploymentType
		if one, known := d.deployments.Of(move.After.DeploymentID); known {
			name = plain.Clip(one.Name, 60)
		}
		p.Signed(glyph, ink, adminapi.DeploymentName(name, move.After.DeploymentID)+": "+nodesMove(move, k.Glyphs.Arrow))
		if shared := d.deployments.SharedRules(move.After.DeploymentID, e.Service.Path()); shared != "" {
			p.Indented(k.Warn, "  ", "Shared: "+shared+".")
		} else if d.unknownShare(move) {
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
func (d *pages) unknownShare(move editing.Move) bool {
	_, known := d.deployments.Of(move.After.DeploymentID)
	return !known && move.After.DeploymentID != ""
}

// changeOf says in short what a plan changes in one of several services: how many nodes took its
// pods and take them then, whether others move too, and the first change.
func (d *pages) changeOf(e batching.PlannedEdit) string {
	text := editing.ChangeSummary(e.Plan.Changes, e.Plan.Words)
	moves := heaviestFirst(e.Plan)
	if len(moves) == 0 {
		return text
	}
	effect := nodesMove(moves[0], editing.Arrow)
	if moves[0].To.Total == 0 && moves[0].Never == "" {
		effect = "placement was not checked"
	}
	if slices.ContainsFunc(moves, func(m editing.Move) bool {
		return d.deployments.SharedRules(m.After.DeploymentID, e.Service.Path()) != ""
	}) {
		effect += ", shared"
	}
	return effect + ", " + text
}

// sawNodes reports whether the rules were compared with nodes.
func (s *state) sawNodes() bool { return len(s.edits) > 0 && len(s.edits[0].Nodes) > 0 }

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

// nodesMove says how many nodes took the pods and take them then.
func nodesMove(move editing.Move, arrow string) string {
	total := move.To.Total
	switch {
	case total == 0 && move.Never != "":
		return "no node can match the rules"
	case total == 0:
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
	from := "none"
	if move.From.Taking > 0 {
		from = strconv.Itoa(move.From.Taking)
	}
	return from + " " + arrow + " " + to
}
