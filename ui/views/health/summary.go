package health

import (
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// summary is the pane below the list: what to know of the report under the cursor, the most
// important first, as far as there is room.
type summary struct {
	child
	tree  *testTree
	cache views.Drawn[frame[summed], string]
}

// summed is what there is to tell of a report that was read.
type summed struct {
	shown   *analysis
	changes *changes
}

// View draws the lines that fit.
func (s *summary) View() string {
	t := s.tree
	if t.shown == nil || t.err != nil || t.showsRun() {
		return s.draw()
	}
	return s.cache.For(frameOf(&s.child, summed{t.shown, t.changes}), s.draw)
}

func (s *summary) draw() string {
	p := s.page(s.Width - len(indent))
	switch t := s.tree; {
	case t.showsRun():
		for _, fact := range t.run.progress(s.Env.Clock.Now()) {
			p.Text(rows.Ink{}, fact)
		}
		if t.shown != nil {
			s.failures(p)
			break
		}
		for _, text := range t.run.text() {
			p.Text(s.inks.Muted, text)
		}
	case t.err != nil:
		p.Text(s.inks.Fail, views.Sentence(t.err.Error()))
	case t.shown == nil && t.loading:
		p.Text(s.inks.Muted, "Reading the report"+s.inks.Glyphs.Ellipsis)
	case t.shown != nil:
		s.write(p)
	}
	for i, line := range p.Lines {
		p.Lines[i] = indent + line
	}
	return s.inks.Block(p.Lines, s.Width, s.Height)
}

// write tells why tests failed, what changed since the report before, and which tests took
// longest.
func (s *summary) write(p *page) {
	t, room := s.tree, s.Height
	if len(t.shown.worst) == 0 {
		p.Line(s.inks.signed(t.shown.verdict) + "  " + s.inks.Muted.On(passedOf(t.shown.count)))
	}
	s.failures(p)
	if c := t.changes; c != nil {
		s.gap(p)
		before := "Since " + p.times.Day(c.before.report.StartTime.Time(), dayLayout) + "  "
		p.Line(s.inks.Muted.On(before) + s.inks.parts(c.parts, p.Width-len(before)))
		for i := range c.worst {
			if len(p.Lines) >= room-1 || s.Height < detailFrom/2 {
				break
			}
			d := &c.worst[i]
			p.Line(s.inks.change(d) + " " + views.NameOf(d.Name, ""))
		}
	}
	s.slowest(p)
}

// failures tells of the tests that did not pass why.
func (s *summary) failures(p *page) {
	for _, e := range s.tree.shown.worst {
		if len(p.Lines) >= s.Height-2 {
			p.Line(s.inks.Muted.On(views.Keys("More tests did not pass: press {key:health.enter}.")))
			break
		}
		text := plain.Clip(views.NameOf(e.Test.Name, e.Test.ID), p.Width-2)
		if reason := health.ReasonLine(*e.Test); reason != "" {
			text += ": " + reason
		}
		p.Status(verdictStatus[e.Verdict], plain.Clip(text, s.Width*s.Height))
	}
}

// slowest lists the tests that took longest, with bars.
func (s *summary) slowest(p *page) {
	slowest := s.tree.shown.slowest
	if s.Height-len(p.Lines) < 4 || len(slowest) == 0 {
		return
	}
	s.gap(p)
	p.Line(s.inks.Heading.On("Slowest tests"))
	p.Lines = append(p.Lines, s.inks.bars(slowest[:max(0, min(len(slowest), s.Height-len(p.Lines)))], p.Width)...)
}

// bars draws tests with how long they took, of which the first took longest.
func (k *inks) bars(tests []health.Entry, width int) []string {
	var lines []string
	name, longest := clamp(width-tookWidth-2, 8, maxName), time.Duration(0)
	for _, e := range tests {
		took, _ := adminapi.Span(e.Test.StartTime, e.Test.EndTime)
		longest = max(longest, took, time.Second) // what takes no time has no bar
		line := k.Fit(views.NameOf(e.Test.Name, e.Test.ID), name) + inColumn(adminapi.FormatElapsed(took))
		if room := min(width-name-tookWidth-1, maxBar); room > 3 {
			line += " " + k.Accent.On(strings.Repeat(k.Glyphs.BarOn, int(int64(room)*int64(took)/int64(longest))))
		}
		lines = append(lines, line)
	}
	return lines
}

// gap leaves a line free where there is room.
func (s *summary) gap(p *page) {
	if s.Height >= 8 {
		p.Gap()
	}
}
