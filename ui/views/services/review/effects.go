package review

import (
	"fmt"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/widget/rows"
)

// effects says in words what a plan does to pods, and to the services in them.
type effects struct {
	plan.Plan
	inks  *rows.Inks
	facts *Facts
}

func (m *Model) effects() effects { return effects{m.Plan, m.Inks, m.facts} }

// noNodesSeen says that rules were not compared with nodes.
const noNodesSeen = "No node list: placement was not checked."

// aboutService says of one of several services what the single review says above its changes; in
// the review of one its path is empty.
func (d effects) aboutService(path string, width int) []string {
	p, most := &rows.Page{Inks: d.inks, Width: width}, 1
	if !d.Several {
		most = plan.MaxMoves
	}
	for _, e := range d.Edits {
		if e.Service.Path() == path || path == "" {
			d.writeMoves(p, e, most, 1)
		}
	}
	return p.Lines
}

// heaviestFirst are the moves of a plan, those first whose pods no node takes.
func heaviestFirst(of editing.Plan) (moves []editing.Move) {
	for _, none := range []bool{true, false} {
		for _, move := range of.Moves {
			if move.None() == none {
				moves = append(moves, move)
			}
		}
	}
	return moves
}

// writeMoves writes of most deployments of an edit, each sentence in so many lines.
func (d effects) writeMoves(p *rows.Page, e batching.PlannedEdit, most, lines int) {
	k, moves := d.inks, heaviestFirst(e.Plan)
	for _, move := range moves[:min(len(moves), most)] {
		glyph, ink := k.Glyphs.Running, k.Running
		switch {
		case move.To.Makeable:
			glyph, ink = k.Weight(finding.Caution)
		case move.None():
			glyph, ink = k.Glyphs.Alert, k.Fail
		}
		name := move.After.DeploymentType
		if one, known := d.facts.Deployments.Of(move.After.DeploymentID); known {
			name = plain.Clip(one.Name, 60)
		}
		p.Signed(glyph, ink, adminapi.DeploymentName(name, move.After.DeploymentID)+": "+plan.NodesMove(move, k.Glyphs.Arrow))
		if shared := d.facts.Deployments.SharedRules(move.After.DeploymentID, e.Service.Path()); shared != "" {
			p.Indented(k.Warn, "  ", "Shared: "+shared+".")
		} else if d.unknownShare(move) {
			p.Indented(k.Unknown, "  ", "It is unknown whether other services share these pods.")
		}
		writeCut(p, "  before  ", e.Before(move), lines)
		writeCut(p, "  after   ", placement.Sentence(move.After), lines)
	}
	if n := len(moves) - most; n > 0 {
		p.Line(k.Muted.On("  and " + plain.Plural(n, "more deployment")))
	}
}

// unknownShare reports whether the site did not say who runs in the pods of a deployment.
func (d effects) unknownShare(move editing.Move) bool {
	_, known := d.facts.Deployments.Of(move.After.DeploymentID)
	return !known && move.After.DeploymentID != ""
}

// changeOf says in short what a plan changes in one of several services: how many nodes took its
// pods and take them then, whether others move too, and the first change.
func (d effects) changeOf(e batching.PlannedEdit) string {
	text := editing.ChangeSummary(e.Plan.Changes, e.Plan.Words)
	moves := heaviestFirst(e.Plan)
	if len(moves) == 0 {
		return text
	}
	effect := plan.NodesMove(moves[0], editing.Arrow)
	if moves[0].To.Total == 0 && moves[0].Never == "" {
		effect = "placement was not checked"
	}
	if slices.ContainsFunc(moves, func(move editing.Move) bool {
		return d.facts.Deployments.SharedRules(move.After.DeploymentID, e.Service.Path()) != ""
	}) {
		effect += ", shared"
	}
	return effect + ", " + text
}

// sawNodes reports whether the rules were compared with nodes.
func (d effects) sawNodes() bool { return len(d.First().Nodes) > 0 }

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

// sharedBy says who else is in the pods that an edit likely restarts, empty where nobody is known to be.
func (d effects) sharedBy(e batching.PlannedEdit) string {
	restarts := func(r finding.Finding) bool { return r.ID == document.RestartLikely }
	if !slices.ContainsFunc(e.Plan.Risks, restarts) {
		return ""
	}
	return d.facts.Sharing(e.Service.Path())
}

// sharedText says of the edits that likely restart pods who else is in them, and how often they may
// restart; empty where nobody is known to be in them.
func (d effects) sharedText() string {
	var paths []string
	for _, e := range d.ToSend() {
		if d.sharedBy(e) != "" {
			paths = append(paths, e.Service.Path())
		}
	}
	if len(paths) == 0 {
		return ""
	}
	text, most, others := "", 1, true
	if d.Several {
		most, others = d.facts.Together(paths)
	}
	if most > 1 {
		text = fmt.Sprintf("%d of these services share pods, which restart up to %[1]d times. ", most)
	}
	if others {
		text += "Other services share these pods and restart too."
	}
	return strings.TrimSpace(text)
}

// podsConsequence says what happens to the pods.
func (d effects) podsConsequence() string {
	moves, shared := 0, false
	for _, e := range d.ToSend() {
		moves += len(e.Plan.Moves)
		shared = shared || slices.ContainsFunc(e.Plan.Moves, func(move editing.Move) bool {
			return d.facts.Deployments.SharedRules(move.After.DeploymentID, e.Service.Path()) != ""
		})
	}
	text := "The pods of " + plain.Plural(moves, "deployment") + " are replaced."
	if shared {
		text += " Other services run in them too."
	}
	switch homeless := d.Unschedulable(); {
	case len(homeless) > 0:
		text += " No node takes those of " + plain.Line(plain.Listed(homeless, plan.MaxLines, ", ", " and ")) + ": they stay Pending, and the service may not answer."
	case !d.sawNodes():
		text += " " + noNodesSeen
	}
	return text
}
