package upgrade

import (
	"errors"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

func (m *Model) drawRun() []string {
	r := m.flow.run
	p := m.newPage(m.body().width)
	switch {
	case r.search != nil:
		m.writeSearch(p)
	case r.sending:
		m.writeSending(p)
	default:
		m.writeNotSent(p)
	}
	return p.Lines
}

// writeSending shows the steps, the present one with its progress.
func (m *Model) writeSending(p *page) {
	k, r := p.Inks, m.flow.run
	p.Text(k.Heading, "Starting")
	p.Gap()
	for i, s := range r.steps {
		if i < len(r.steps)-1 {
			p.Signed(k.Glyphs.Pass, k.OK, stepText(s))
			continue
		}
		p.Signed(k.Glyphs.Running, k.Running, stepText(s))
		if s.Step == operation.StepUpload && s.Total > 0 {
			p.Line("  " + m.bar(s.Sent, s.Total))
		}
	}
	if len(r.steps) == 0 {
		p.Signed(k.Glyphs.Running, k.Running, "Preparing")
	}
	p.Gap()
	p.Text(k.Muted, "It is sent once, whatever happens to the answer.")
}

func stepText(s operation.UpgradeProgress) string {
	text := string(s.Step)
	if s.File != "" {
		text += " " + s.File
	}
	if s.Step == operation.StepUpload && s.Total > 0 {
		text += ", " + sizeOf(s.Sent) + " of " + sizeOf(s.Total)
	}
	return strings.ToUpper(text[:1]) + plain.Line(text[1:])
}

func (m *Model) bar(part, whole int64) string {
	width := min(40, m.body().width-4)
	full := int(int64(width) * min(part, whole) / whole)
	return m.inks.Accent.On(strings.Repeat(m.inks.Glyphs.BarOn, full)) + m.inks.Muted.On(strings.Repeat(m.inks.Glyphs.BarOff, width-full))
}

// writeNotSent says that nothing left this machine, and what can be done.
func (m *Model) writeNotSent(p *page) {
	k, r := p.Inks, m.flow.run
	p.Signed(k.Glyphs.Fail, k.Fail, "Nothing was sent")
	p.Gap()
	if r.err != nil {
		p.Text(rows.Ink{}, views.Sentence(r.err.Error()))
		p.Gap()
	}
	switch {
	case errors.Is(r.err, operation.ErrUpgradeRuns):
		p.Line(k.Key.On("w") + " watches the upgrade that runs")
	case errors.Is(r.err, operation.ErrBusyHere):
		p.Text(rows.Ink{}, "Try again when that has ended.")
		p.Gap()
	default:
		p.Text(rows.Ink{}, "It is safe to try again: nothing was begun at the site.")
		p.Gap()
	}
	p.Line(k.Key.On("esc") + " goes back to the review")
}

// writeSearch says what is known of an upgrade whose answer was lost.
func (m *Model) writeSearch(p *page) {
	k, r := p.Inks, m.flow.run
	switch r.search.finding {
	case operation.FindingForeign:
		p.Signed(k.Glyphs.Warn, k.Warn, "Another upgrade runs, which was not started here")
		p.Gap()
		p.Text(rows.Ink{}, "No answer came to the one that was sent from here, and the site now runs one that began before it. Nothing is sent again.")
		p.Gap()
		p.Line(k.Key.On("w") + " watches the upgrade that runs")
		p.Line(k.Key.On("esc") + " goes back")
		return
	case operation.FindingNone:
		p.Signed(k.Glyphs.Unknown, k.Unknown, "No upgrade was seen to start")
		p.Gap()
		likely := "very likely the request never arrived. "
		if operation.Answered(r.err) {
			likely = "very likely it was never begun. "
		}
		p.Text(rows.Ink{}, m.whyUnknown()+", and the site reports no new upgrade since: "+likely+
			"A slow site can still begin, so it is looked at from time to time. Nothing is sent again by itself.")
	default:
		p.Signed(k.Glyphs.Unknown, k.Unknown, m.whyUnknown()+": it is not known whether the upgrade was started")
		p.Gap()
		p.Text(rows.Ink{}, "The site is asked what it runs until that is known. Nothing is sent again.")
	}
	p.Gap()
	m.writeLooks(p)
}

// whyUnknown says why it is not known what became of the post.
func (m *Model) whyUnknown() string {
	if operation.Answered(m.flow.run.err) {
		return "The site answered with an error"
	}
	return "No answer came"
}

// writeLooks says when the site was and will be asked.
func (m *Model) writeLooks(p *page) {
	k, r := p.Inks, m.flow.run
	s, times := r.search, m.env.Times
	if r.err != nil {
		p.Fact("What happened", views.Sentence(r.err.Error()))
	}
	p.Fact("Sent", times.Clock(r.began))
	if !s.looked.IsZero() {
		p.Fact("Looked", times.Clock(s.looked)+", the site says "+said(s.status))
	}
	now := m.env.Clock.Now()
	switch {
	case s.err != nil:
		p.Fact("Next look", "none by itself: "+views.Sentence(s.err.Error())+" R looks again.")
	case s.next.After(now):
		p.Fact("Next look", "in "+adminapi.Took(s.next.Sub(now)))
	default:
		p.Fact("Next look", "now")
	}
	p.Gap()
	p.Line(k.Key.On("R") + " looks now")
	if s.finding == operation.FindingNone {
		p.Line(k.Key.On("esc") + " stops looking; look at the site, then u leads to the review, all kept")
		return
	}
	p.Line(k.Key.On("esc") + " stops looking, after a question")
}

// said quotes the state that the site reports.
func said(s adminapi.UpgradeStatus) string {
	if s.State == "" {
		return "nothing"
	}
	return `"` + plain.Clip(s.State, 40) + `"`
}
