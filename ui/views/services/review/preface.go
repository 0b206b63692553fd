package review

import (
	"fmt"
	"slices"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/widget/rows"
)

const (
	maxAside      = 4 // services that are named above a review as not taking part, in a low terminal fewer
	maxAsideLines = 3 // lines that each of them takes: the review needs the room
)

// overwritesText says that what others changed meanwhile does not stay.
const overwritesText = "You overwrite what others changed."

// theirsPreface says after a merge what others changed at the site: it is not part of the review.
func (m *Model) theirsPreface() []string {
	p := m.page()
	list := func(ink rows.Ink, text string, changes []string) {
		if len(changes) == 0 {
			return
		}
		most := min(len(changes), max(1, m.whole()/6))
		p.Text(ink, text)
		for _, line := range changes[:most] {
			p.Line("  " + m.inks.Plain.On(plain.Clip(plan.Arrows(m.inks, line), max(8, p.Width-2))))
		}
		if more := len(changes) - most; more > 0 {
			p.Line("  " + m.inks.Muted.On("and "+plain.Plural(more, "more change")))
		}
		p.Gap()
	}
	list(m.inks.Warn, overwritesText, m.merge.Overwritten)
	list(m.inks.Label, "Others changed this; it stays as they left it", m.merge.Kept)
	return p.Lines
}

// sharedPreface says above the review of a definition who else is in the pods that restart with it.
func (m *Model) sharedPreface() []string {
	shared := m.sharedBy(m.plan.Edits[0])
	if shared == "" {
		return nil
	}
	p := m.page()
	p.Signed(m.inks.Glyphs.Warn, m.inks.Warn, "Pods shared "+shared+": they restart too.")
	p.Gap()
	return p.Lines
}

// sharedBy says who else is in the pods that an edit likely restarts, empty where nobody is known to be.
func (m *Model) sharedBy(e operation.PlannedEdit) string {
	restarts := func(r finding.Finding) bool { return r.ID == document.RestartLikely }
	if m.facts.Sharing == nil || !slices.ContainsFunc(e.Plan.Risks, restarts) {
		return ""
	}
	return m.facts.Sharing(e.Service.Path())
}

// sharedText says of the edits that likely restart pods who else is in them, and how often they may
// restart; empty where nobody is known to be in them.
func (m *Model) sharedText() string {
	var paths []string
	for _, e := range m.plan.ToSend() {
		if m.sharedBy(e) != "" {
			paths = append(paths, e.Service.Path())
		}
	}
	if len(paths) == 0 {
		return ""
	}
	text, most, others := "", 1, true
	if m.plan.Several {
		most, others = m.facts.Together(paths)
	}
	if most > 1 {
		text = fmt.Sprintf("%d of these services share pods, which restart up to %[1]d times. ", most)
	}
	if others {
		text += "Other services share these pods and restart too."
	}
	return strings.TrimSpace(text)
}

// whole is the height of the view: lines above the review have a share of it.
func (m *Model) whole() int { return m.Height + 2 }

func (m *Model) aboveReview() (lines []string) {
	k := m.inks
	if len(m.plan.Edits) == 0 {
		return nil
	}
	if !m.plan.Several {
		return slices.Concat(m.theirsPreface(), m.sharedPreface(), m.movesPreface())
	}
	if shared := m.sharedText(); shared != "" {
		p := m.page()
		p.Signed(k.Glyphs.Warn, k.Warn, shared)
		lines = p.Lines
	}
	var named, left int
	add := func(sign string, ink rows.Ink, text string) {
		if named++; named > min(maxAside, max(2, m.whole()/6)) {
			left++
			return
		}
		p := m.page()
		p.Signed(sign, ink, text)
		lines = append(lines, p.Lines[:min(len(p.Lines), maxAsideLines)]...)
	}
	with := map[string][]string{} // by the service whose pods they share
	for _, e := range m.plan.Edits {
		if e.Refused != nil {
			add(k.Glyphs.Warn, k.Warn, plain.Line(e.Service.Path())+" cannot take it: "+strings.TrimSuffix(e.Refused.Error(), "; nothing was sent"))
		} else if e.With != "" {
			with[e.With] = append(with[e.With], plain.Line(e.Service.Path()))
		}
	}
	for _, e := range m.plan.Edits {
		switch same := with[e.Service.Path()]; {
		case len(same) == 1:
			add(k.Glyphs.Skipped, k.Muted, same[0]+": same pods as "+plain.Line(e.Service.Path()))
		case len(same) > 1:
			add(k.Glyphs.Skipped, k.Muted, plain.Plural(len(same), "service")+": same pods as "+plain.Line(e.Service.Path()))
		case e.Unchanged() && e.With == "":
			add(k.Glyphs.Skipped, k.Muted, plain.Line(e.Service.Path())+" has it already")
		}
	}
	if left > 0 {
		lines = append(lines, k.Muted.On(fmt.Sprintf("  and %d more", left)))
	}
	if m.plan.First().Part == operation.Placement && !m.sawNodes() {
		lines = append(lines, k.Unknown.On(k.Glyphs.Unknown+" "+noNodesSeen))
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	return lines
}
