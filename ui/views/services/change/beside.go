package change

import (
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
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
func (f *Flow) beside() int {
	if f.Width < besideFrom || f.step != reviewing || f.showsRequests {
		return 0
	}
	return besideWidth + dividing
}

// drawBeside says what the row under the cursor is about, what sending does, who changed the
// service last, and the request that goes out.
func (f *Flow) drawBeside(height int) []string {
	p, k := &rows.Page{Inks: f.inks, Width: besideWidth}, f.inks
	service, path := f.review.Described()
	for i, e := range f.toSend() {
		if f.several && e.Service.Path() != service {
			continue
		}
		if path == document.Whole && len(e.Plan.Changes) > 0 { // on a heading
			path = e.Plan.Changes[0].Path
		}
		if e.Part == operation.Definition && f.DescribeField != nil {
			p.Text(k.Strong, path.String())
			f.DescribeField(p, e.Edited, path)
			p.Gap()
		}
		if f.several && len(e.Plan.Moves) > 0 {
			f.writeMoves(p, e, maxMoves, 2)
			p.Gap()
		}
		p.Text(k.Strong, "When you send")
		p.Text(k.Plain, f.consequence())
		f.writeLastEdit(p)
		if f.requests != nil && i < len(f.requests.lines) {
			f.requests.write(p, i, height)
		}
		break
	}
	if len(p.Lines) > height {
		p.Lines = append(p.Lines[:max(0, height-1)], k.Muted.On("and more: v shows the whole request"))
	}
	return strings.Split(views.Block(p.Lines, besideWidth, height, k.Glyphs.Ellipsis), "\n")
}

// writeLastEdit says who edited the one service last, as far as that is kept on this machine.
func (f *Flow) writeLastEdit(p *rows.Page) {
	if f.several || !f.pastKnown {
		return
	}
	p.Gap()
	if len(f.past) == 0 {
		p.Fact("Last edit", "none kept on this machine")
		return
	}
	p.Fact("Last edit", f.Env.Times.Minute(f.past[0].Saved)+byWhom(f.past[0].Who))
	p.Fact("", plain.Clip(arrows(f.inks, f.past[0].Summary()), 200))
}
