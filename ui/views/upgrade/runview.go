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
	return p.lines
}

// writeSending shows the steps, the present one with its progress.
func (m *Model) writeSending(p *page) {
	k, r := p.inks, m.flow.run
	p.text(k.heading, "Starting")
	p.gap()
	for i, s := range r.steps {
		if i < len(r.steps)-1 {
			p.signed(k.glyphs.Pass, k.ok, stepText(s))
			continue
		}
		p.signed(k.glyphs.Running, k.running, stepText(s))
		if s.Step == operation.StepUpload && s.Total > 0 {
			p.line("  " + m.bar(s.Sent, s.Total))
		}
	}
	if len(r.steps) == 0 {
		p.signed(k.glyphs.Running, k.running, "Preparing")
	}
	p.gap()
	p.text(k.muted, "It is sent once, whatever happens to the answer.")
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
	return m.inks.accent.On(strings.Repeat(m.inks.glyphs.BarOn, full)) + m.inks.muted.On(strings.Repeat(m.inks.glyphs.BarOff, width-full))
}

// writeNotSent says that nothing left this machine, and what can be done.
func (m *Model) writeNotSent(p *page) {
	k, r := p.inks, m.flow.run
	p.signed(k.glyphs.Fail, k.fail, "Nothing was sent")
	p.gap()
	if r.err != nil {
		p.text(rows.Ink{}, sentence(r.err))
		p.gap()
	}
	if errors.Is(r.err, operation.ErrUpgradeRuns) {
		p.line(k.key.On("w") + " watches the upgrade that runs")
	} else {
		p.text(rows.Ink{}, "It is safe to try again: nothing was begun at the site.")
		p.gap()
	}
	p.line(k.key.On("esc") + " goes back to the review")
}

// writeSearch says what is known of an upgrade whose answer was lost.
func (m *Model) writeSearch(p *page) {
	k, r := p.inks, m.flow.run
	switch r.search.finding {
	case operation.FindingForeign:
		p.signed(k.glyphs.Warn, k.warn, "Another upgrade runs, which was not started here")
		p.gap()
		p.text(rows.Ink{}, "No answer came to the one that was sent from here, and the site now runs one that began before it. Nothing is sent again.")
		p.gap()
		p.line(k.key.On("w") + " watches the upgrade that runs")
		p.line(k.key.On("esc") + " goes back")
		return
	case operation.FindingNone:
		p.signed(k.glyphs.Unknown, k.unknown, "No upgrade was seen to start")
		p.gap()
		p.text(rows.Ink{}, "No answer came, and the site reports no new upgrade since: very likely the request never arrived. "+
			"A slow site can still begin, so it is looked at from time to time. Nothing is sent again by itself.")
	default:
		p.signed(k.glyphs.Unknown, k.unknown, "No answer came: it is not known whether the upgrade was started")
		p.gap()
		p.text(rows.Ink{}, "The site is asked what it runs until that is known. Nothing is sent again.")
	}
	p.gap()
	m.writeLooks(p)
}

// writeLooks says when the site was and will be asked.
func (m *Model) writeLooks(p *page) {
	k, r := p.inks, m.flow.run
	s, times := r.search, m.env.Times
	if r.err != nil {
		p.fact("What happened", sentence(r.err))
	}
	p.fact("Sent", times.Clock(r.began))
	if !s.looked.IsZero() {
		p.fact("Looked", times.Clock(s.looked)+", the site says "+said(s.status))
	}
	now := m.env.Clock.Now()
	switch {
	case s.err != nil:
		p.fact("Next look", "none by itself: "+sentence(s.err)+" R looks again.")
	case s.next.After(now):
		p.fact("Next look", "in "+views.Took(s.next.Sub(now)))
	default:
		p.fact("Next look", "now")
	}
	p.gap()
	p.line(k.key.On("R") + " looks now")
	if s.finding == operation.FindingNone {
		p.line(k.key.On("esc") + " stops looking; look at the site, then u leads to the review, all kept")
		return
	}
	p.line(k.key.On("esc") + " stops looking, after a question")
}

// said quotes the state that the site reports.
func said(s adminapi.UpgradeStatus) string {
	if s.State == "" {
		return "nothing"
	}
	return `"` + plain.Clip(s.State, 40) + `"`
}
