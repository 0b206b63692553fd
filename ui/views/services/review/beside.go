package review

import (
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/widget/rows"
)

const (
	besideFrom  = 168 // cells from which on what a change does stands beside its review
	besideWidth = 68
	dividing    = 3 // cells between the two
)

// beside is how many cells stand beside the review, with what divides them; 0 in narrower
// terminals.
func (m *Model) beside() int {
	if m.Width < besideFrom || m.showsRequests {
		return 0
	}
	return besideWidth + dividing
}

// explains reports whether what a change does stands beside its review, or below its rows.
func (m *Model) explains() bool {
	return m.beside() > 0 || !m.showsRequests && !m.Several
}

// minRequest are the lines of a request that are worth their room.
const minRequest = 6

// explanation is laid out anew where what it is laid out from may have changed.
func (m *Model) explanation(width, height int) []string {
	key := m.key(width, height)
	key.service, key.path = m.diff.Described()
	return strings.Split(m.cache.beneath.For(key, func() string { return m.explained(key) }), "\n")
}

// explained says what sending does, what the row under the cursor is about, who changed the
// service last, and the request that goes out.
func (m *Model) explained(of pageKey) string {
	p, k := &rows.Page{Inks: m.Inks, Width: of.width}, m.Inks
	service, path, height := of.service, of.path, of.height
	for i, e := range m.ToSend() {
		if m.Several && e.Service.Path() != service {
			continue
		}
		if path == document.Whole && len(e.Plan.Changes) > 0 { // on a heading
			path = e.Plan.Changes[0].Path
		}
		for _, write := range []func(){
			func() {
				p.Text(k.Strong, "When you send")
				p.Text(k.Plain, m.whenSent())
			},
			func() {
				if e.Part == editing.Definition {
					p.Gap()
					p.Text(k.Strong, path.String())
					m.facts.DescribeField(p, e.Edited, path)
				}
			},
			func() {
				if m.Several && len(e.Plan.Moves) > 0 {
					p.Gap()
					m.effects().writeMoves(p, e, plan.MaxMoves, 2)
				}
			},
			func() { m.writeLastEdit(p) },
		} {
			n := len(p.Lines)
			if write(); len(p.Lines) > height { // half of it helps nobody
				p.Lines = p.Lines[:n]
			}
		}
		if m.requests != nil && i < len(m.requests.lines) && len(p.Lines)+minRequest <= height {
			m.requests.write(p, i, height)
			if len(p.Lines) > height {
				p.Lines = append(p.Lines[:height-1], k.Muted.On(views.Keys("and more: {key:services.request} shows the whole request")))
			}
		}
		break
	}
	return k.Block(p.Lines, of.width, height)
}

// writeLastEdit says who edited the one service last, as far as that is kept on this machine.
func (m *Model) writeLastEdit(p *rows.Page) {
	if m.Several || !m.pastKnown {
		return
	}
	p.Gap()
	if len(m.past) == 0 {
		p.Fact("Last edit", "none kept on this machine")
		return
	}
	p.Fact("Last edit", m.Env.Times.Minute(m.past[0].Saved)+plan.By(m.past[0].Who))
	if ended := m.past[0].Ended; ended != "" { // the site may have another version by now
		p.Fact("", views.Sentence(ended+"; you edit the version before it"))
		return
	}
	p.Fact("", plain.Clip(plan.Arrows(m.Inks, m.past[0].Summary()), 200))
}
