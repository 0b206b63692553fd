package review

import (
	"fmt"
	"slices"
	"strings"

	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/widget/rows"
)

const (
	maxAside      = 4 // services that are named above a review as not taking part, in a low terminal fewer
	maxAsideLines = 3 // lines that each of them takes: the review needs the room
	// movesShare are the lines of the view for each deployment that is told of above a review: it needs room
	// as well.
	movesShare = 9
	// The heights from which sentences have two lines: those of several deployments, and
	// of one.
	tallFrom = 30
	lowFrom  = 16
)

// theirsPreface says after a merge what others changed at the site: it is not part of the review.
func (m *Model) theirsPreface() []string {
	p, kept := m.page(), m.merge.Kept
	if len(kept) == 0 {
		return nil
	}
	most := min(len(kept), max(1, m.whole()/6))
	p.Text(m.Inks.Label, "Others changed this; it stays as they left it")
	for _, line := range kept[:most] {
		p.Line("  " + m.Inks.Plain.On(plain.Clip(plan.Arrows(m.Inks, line), max(8, p.Width-2))))
	}
	if more := len(kept) - most; more > 0 {
		p.Line("  " + m.Inks.Muted.On("and "+plain.Plural(more, "more change")))
	}
	p.Gap()
	return p.Lines
}

// sharedLine says who else is in the pods that restart; empty where nobody is known to be in them.
func (m *Model) sharedLine() string {
	if m.Several || len(m.Edits) == 0 {
		return m.effects().sharedText()
	}
	if shared := m.effects().sharedBy(m.Edits[0]); shared != "" {
		return "Pods shared " + shared + ": they restart too."
	}
	return ""
}

// sharedPreface says it above a review.
func (m *Model) sharedPreface() []string {
	shared := m.sharedLine()
	if shared == "" {
		return nil
	}
	p := m.page()
	if p.Status(rows.StatusWarning, shared); !m.Several {
		p.Gap()
	}
	return p.Lines
}

// whole is the height of the view: lines above the review have a share of it.
func (m *Model) whole() int { return m.Height + 2 }

func (m *Model) aboveReview() (lines []string) {
	k := m.Inks
	if len(m.Edits) == 0 {
		return nil
	}
	if !m.Several {
		return slices.Concat(m.theirsPreface(), m.sharedPreface(), m.movesPreface())
	}
	lines = m.sharedPreface()
	var named, left int
	add := func(status rows.Status, text string) {
		if named++; named > min(maxAside, max(2, m.whole()/6)) {
			left++
			return
		}
		p := m.page()
		p.Status(status, text)
		lines = append(lines, p.Lines[:min(len(p.Lines), maxAsideLines)]...)
	}
	if text := batching.NotRunning(m.Edits, m.facts.State); text != "" {
		add(rows.StatusWarning, plain.Capital(text)+".")
	}
	if text := batching.SentBefore(m.Edits); text != "" {
		add(rows.StatusRunning, text+". Open it to follow.")
	}
	with := map[string][]string{} // by the service whose pods they share
	for _, e := range m.Edits {
		if e.Refused != nil {
			add(rows.StatusWarning, plain.Line(e.Service.Path())+" cannot take it: "+strings.TrimSuffix(e.Refused.Error(), "; nothing was sent"))
		} else if e.With != "" {
			with[e.With] = append(with[e.With], plain.Line(e.Service.Path()))
		}
	}
	for _, e := range m.Edits {
		switch same := with[e.Service.Path()]; {
		case len(same) > 0:
			add(rows.StatusSkipped, plain.Listed(same, 1, "", " and ")+": same pods as "+plain.Line(e.Service.Path()))
		case e.Unchanged() && e.With == "" && e.Sent == nil:
			status := rows.StatusSkipped
			if e.NotBack {
				status = rows.StatusWarning
			}
			add(status, plain.Line(e.Service.Path())+" "+e.Has())
		}
	}
	if left > 0 {
		lines = append(lines, k.Muted.On(fmt.Sprintf("  and %d more", left)))
	}
	if m.First().Part == editing.Placement && !m.effects().sawNodes() {
		lines = append(lines, k.Unknown.On(k.Glyphs.Unknown+" "+noNodesSeen))
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	return lines
}

// movesPreface says above the review of rules of each deployment whose rules change what
// they were and become, and how many nodes take its pods.
func (m *Model) movesPreface() []string {
	moves := len(m.First().Plan.Moves)
	if moves == 0 {
		return nil
	}
	lines := 2
	if m.whole() < tallFrom && moves > 1 || m.whole() < lowFrom {
		lines = 1
	}
	p := m.page()
	m.effects().writeMoves(p, m.Edits[0], max(1, min(plan.MaxMoves, m.whole()/movesShare)), lines)
	if !m.effects().sawNodes() {
		p.Status(rows.StatusUnknown, noNodesSeen)
	}
	p.Gap()
	return p.Lines
}
