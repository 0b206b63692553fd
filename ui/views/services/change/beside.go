package change

import (
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

const (
	besideFrom  = 168 // cells from which on what a change does stands beside its review
	besideWidth = 68
	dividing    = 3 // cells between the two
)

// beside is how many cells stand beside the review, with what divides them; 0 in narrower
// terminals.
func (d *pages) beside() int {
	if d.Width < besideFrom || d.step != reviewing || d.showsRequests {
		return 0
	}
	return besideWidth + dividing
}

// explains reports whether what a change does stands beside its review, or below its rows.
func (d *pages) explains() bool {
	return d.beside() > 0 || d.step == reviewing && !d.showsRequests && !d.several
}

// minRequest are the lines of a request that are worth their room.
const minRequest = 6

// explanation is laid out anew where what it is laid out from may have changed.
func (d *pages) explanation(width, height int) []string {
	key := d.key(width, height)
	key.service, key.path = d.review.Described()
	return strings.Split(d.cache.beneath.For(key, func() string { return d.explained(key) }), "\n")
}

// explained says what sending does, what the row under the cursor is about, who changed the
// service last, and the request that goes out.
func (d *pages) explained(of pageKey) string {
	p, k := &rows.Page{Inks: d.inks, Width: of.width}, d.inks
	service, path, height := of.service, of.path, of.height
	for i, e := range d.toSend() {
		if d.several && e.Service.Path() != service {
			continue
		}
		if path == document.Whole && len(e.Plan.Changes) > 0 { // on a heading
			path = e.Plan.Changes[0].Path
		}
		for _, write := range []func(){
			func() {
				p.Text(k.Strong, "When you send")
				p.Text(k.Plain, d.whenSent())
			},
			func() {
				if e.Part == editing.Definition && d.DescribeField != nil {
					p.Gap()
					p.Text(k.Strong, path.String())
					d.DescribeField(p, e.Edited, path)
				}
			},
			func() {
				if d.several && len(e.Plan.Moves) > 0 {
					p.Gap()
					d.writeMoves(p, e, maxMoves, 2)
				}
			},
			func() { d.writeLastEdit(p) },
		} {
			n := len(p.Lines)
			if write(); len(p.Lines) > height { // half of it helps nobody
				p.Lines = p.Lines[:n]
			}
		}
		if d.requests != nil && i < len(d.requests.lines) && len(p.Lines)+minRequest <= height {
			d.requests.write(p, i, height)
			if len(p.Lines) > height {
				p.Lines = append(p.Lines[:height-1], k.Muted.On(views.Keys("and more: {key:services.request} shows the whole request")))
			}
		}
		break
	}
	return views.Block(p.Lines, of.width, height, k.Glyphs.Ellipsis)
}

// writeLastEdit says who edited the one service last, as far as that is kept on this machine.
func (d *pages) writeLastEdit(p *rows.Page) {
	if d.several || !d.pastKnown {
		return
	}
	p.Gap()
	if len(d.past) == 0 {
		p.Fact("Last edit", "none kept on this machine")
		return
	}
	p.Fact("Last edit", d.Env.Times.Minute(d.past[0].Saved)+byWhom(d.past[0].Who))
	p.Fact("", plain.Clip(arrows(d.inks, d.past[0].Summary()), 200))
}
