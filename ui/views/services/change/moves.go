package change

import (
	"strconv"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
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
func (f *Flow) movesPreface() []string {
	k, moves, p := f.inks, f.reviewed().Moves, f.page()
	if len(moves) == 0 {
		return nil
	}
	lines := 2
	if f.Height < tallFrom && len(moves) > 1 || f.Height < lowFrom {
		lines = 1
	}
	most := max(1, min(len(moves), maxMoves, f.Height/movesShare))
	for _, move := range moves[:min(len(moves), most)] {
		glyph, ink := k.Glyphs.Running, k.Running
		if move.None() {
			glyph, ink = k.Glyphs.Alert, k.Fail
		}
		name := move.After.DeploymentType
		if one, known := f.deployments.Of(move.After.DeploymentID); known {
			name = plain.Clip(one.Name, 60)
		}
		p.Signed(glyph, ink, adminapi.DeploymentName(name, move.After.DeploymentID)+": "+nodesMove(move, k.Glyphs.Arrow))
		if shared := f.sharedRules(move); shared != "" {
			p.Indented(k.Warn, "  ", "Shared: "+shared+".")
		}
		before := "(the site does not have this deployment)"
		if move.Before != nil {
			before = placement.Sentence(*move.Before)
		}
		writeCut(p, "  before  ", before, lines)
		writeCut(p, "  after   ", placement.Sentence(move.After), lines)
	}
	if n := len(moves) - most; n > 0 {
		p.Line(k.Muted.On("  and " + strconv.Itoa(n) + " more deployments"))
	}
	if !f.sawNodes() {
		p.Signed(k.Glyphs.Unknown, k.Unknown, noNodesSeen)
	}
	p.Gap()
	return p.Lines
}

// sharedRules says which other services move together with the one whose rules are edited.
func (f *Flow) sharedRules(move operation.Move) string {
	return f.deployments.SharedRules(move.After.DeploymentID, f.target().Service.Path())
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
func nodesMove(move operation.Move, arrow string) string {
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
