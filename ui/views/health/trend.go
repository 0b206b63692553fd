package health

import (
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// trend shows how long a test took in the stored runs, the newest first.
func (p *page) trend(s *detailSource) {
	points := s.points
	if len(points) < 2 {
		return
	}
	points = points[max(0, len(points)-historyDepth):]
	p.Gap()
	p.Line(p.inks.Heading.On("Last "+plain.Plural(len(points), "run")) + "  " + p.inks.Muted.On("how long this test took"))
	longest := time.Duration(0)
	for _, point := range points {
		longest = max(longest, point.Took)
	}
	for i := len(points) - 1; i >= 0; i-- {
		p.point(points[i], longest)
	}
}

// mostBar is the longest bar in cells.
const mostBar = 24

// point writes one run: when, verdict, duration, and a thin bar to compare.
func (p *page) point(point health.Point, longest time.Duration) {
	when := views.Fit(p.times.Minute(point.When.Time()), 17, "")
	if !point.Known {
		p.Line(p.inks.Muted.On(when + " " + p.inks.Glyphs.Dot + " " + right("-", tookWidth)))
		return
	}
	bar := ""
	if room := p.Width - 17 - 3 - tookWidth - 2; room > 4 && longest > 0 {
		cells := int(int64(min(room, mostBar)) * int64(point.Took) / int64(longest))
		bar = "  " + p.inks.Accent.On(strings.Repeat(p.inks.Glyphs.Rule, cells))
	}
	p.Line(p.inks.Muted.On(when) + " " + p.inks.sign(point.Verdict) + " " + inColumn(adminapi.Took(point.Took)) + bar)
}
