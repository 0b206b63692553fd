package result

import (
	"errors"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/sending"
	"geodeck/ui/widget/rows"
	"geodeck/ui/widget/whatnow"
)

// written writes the outcome of the change, and what can be done next.
func (m *Model) written() []string {
	p := m.Page()
	m.writeResult(p)
	if m.followed.Followed() {
		p.Lines = p.Lines[:len(p.Lines)-1] // no gap before it
		p.Text(m.Inks.Muted, "You can leave: the list follows the service.")
		p.Gap()
	}
	if !m.Searching() {
		m.writeNext(p)
	}
	return p.Lines
}

// copy copies the outcome, for a ticket.
func (m *Model) copy() tea.Cmd {
	p := m.Page()
	m.writeResult(p)
	text := m.Env.Origin() + m.Plan.Title() + " of " + plain.Line(m.Plan.About()) + "\n" + strings.Join(m.Plan.Lines(editing.Arrow), "\n") + "\n\n" + ansi.Strip(strings.Join(p.Lines, "\n"))
	return views.Send(views.Copy{Text: text, What: "result"})
}

// writeResult writes the outcome.
func (m *Model) writeResult(p *rows.Page) {
	if m.Plan.Several {
		m.writeOutcomes(p)
		if m.CanContinue() {
			p.Text(m.Inks.Plain, "Left: "+plain.Plural(len(m.Left()), "service")+". They stay marked in the list.")
		}
		p.Gap()
	}
	switch {
	case m.Search != nil:
		m.Search.Write(p, m.writeAnswer)
	case m.Plan.Several && m.Last().Down():
		p.Status(rows.StatusFailed, "Stopped: "+plain.Line(m.Last().Service.Path())+" does not answer after its edit.")
		p.Indented(m.Inks.Plain, "  ", "Its History tab restores the old definition. The others were not sent.")
	case m.Plan.Several && m.Last().Done():
		p.Text(m.Inks.Plain, "The change was sent to "+plain.Plural(len(m.Results), "service")+". History restores the old versions.")
	default:
		m.writeEnding(p, m.Last())
	}
	m.followed.Write(p)
	p.Gap()
}

// maxNamed is how many services that ended alike are named.
const maxNamed = 4

// writeOutcomes lists the outcome of each of several: first of those that were sent, then of
// those that were to be.
func (m *Model) writeOutcomes(p *rows.Page) {
	k := m.Inks
	line := func(glyph, word string, ink rows.Ink, services ...editing.Target) {
		if len(services) > maxNamed {
			p.Line(ink.On(glyph+" "+k.Fit(word, 22)) + " " + plain.Plural(len(services), "service"))
			return
		}
		for _, e := range services {
			p.Line(ink.On(glyph+" "+k.Fit(word, 22)) + " " + plain.ClipMiddle(e.Service.Path(), max(8, p.Width-25), k.Glyphs.Ellipsis))
		}
	}
	for _, r := range m.Results {
		tone, word := m.brief(r)
		glyph, ink := k.Tone(tone)
		line(glyph, word, ink, r.Target)
	}
	for _, e := range m.Plan.ToSend()[len(m.Results):] {
		line(k.Glyphs.Skipped, "not sent", k.Muted, e.Target)
	}
	var refused, sent, shared, unchanged []editing.Target
	for _, e := range m.Plan.Edits {
		switch {
		case e.Refused != nil:
			refused = append(refused, e.Target)
		case e.Sent != nil:
			sent = append(sent, e.Target)
		case e.With != "":
			shared = append(shared, e.Target)
		case e.Unchanged():
			unchanged = append(unchanged, e.Target)
		}
	}
	line(k.Glyphs.Warn, "cannot take it", k.Warn, refused...)
	line(k.Glyphs.Skipped, "sent before", k.Muted, sent...)
	line(k.Glyphs.Skipped, "shares its pods", k.Muted, shared...)
	line(k.Glyphs.Skipped, "has this already", k.Muted, unchanged...)
}

// writeEnding writes how an edit ended, and what follows from that.
func (m *Model) writeEnding(p *rows.Page, r sending.Result) {
	k := m.Inks
	glyph, ink := k.Tone(r.Tone())
	if r.Done() {
		glyph, ink, _ = m.followed.Answer(k)
	}
	p.Signed(glyph, ink, r.Headline())
	notKept, isNotKept := errors.AsType[*editing.NotStoredError](r.Err)
	drift, isDrift := errors.AsType[*editing.DriftError](r.Err)
	earlier, isEarlier := errors.AsType[*operation.UnresolvedError](r.Err)
	switch {
	case r.Done():
		m.writeAnswer(p)
		if r.Applied.ReadBackErr != nil {
			p.Status(rows.StatusWarning, "The site accepted the change, but could not be read back. Whether it kept everything is unknown. "+views.Sentence(r.Applied.ReadBackErr.Error()))
		} else {
			all := m.Plan.Lines(k.Glyphs.Arrow)
			if len(all) != 1 {
				all = append([]string{""}, all...)
			}
			p.Text(k.Plain, "Read back: the site has everything that was sent: "+strings.TrimSpace(all[0]))
			for _, line := range all[1:] {
				p.Indented(k.Plain, "  ", strings.TrimSpace(line))
			}
		}
		m.writeTrace(p, r)
	case isNotKept:
		m.writeAnswer(p)
		p.Heading("Sent, compared with the site now")
		sending.WriteChanges(p, notKept.Changes)
		m.writeTrace(p, r)
		p.Gap()
		text := "Your change is complete; the site changed the rest."
		if notKept.Left {
			text = "What the site left out stays in the editor as your change."
		}
		p.Text(k.Muted, text+" History restores the old "+r.Part.String()+".")
	case isDrift:
		p.Heading("Changed at the site")
		sending.WriteChanges(p, drift.Changes)
	case r.Touched():
		m.writeFailed(p, r)
	case isEarlier:
		sending.WriteWhy(p, errors.New("the outcome of an earlier request is unknown. It was sent at "+m.Env.Times.Clock(earlier.Record.Time)+" by "+plain.Line(earlier.Record.By)))
		if earlier.Found != "" {
			p.Text(k.Plain, views.Sentence(earlier.Found))
		}
	default:
		sending.WriteWhy(p, r.Err)
		if errors.As(r.Err, new(*operation.EarlierJobError)) {
			p.Text(k.Plain, "Your change is saved. Once that job has ended, review it and send it again.")
		}
	}
}

// writeAnswer says whether the service answers, where it is followed.
func (m *Model) writeAnswer(p *rows.Page) {
	if _, ink, answer := m.followed.Answer(m.Inks); answer != "" {
		p.Indented(ink, "  ", answer)
	}
}

// writeTrace writes where the old version is kept, and which job replaced it.
func (m *Model) writeTrace(p *rows.Page, r sending.Result) {
	p.Gap()
	sending.WriteBackup(p, m.Env.Times, r)
	if job := r.Applied.Job; job.ID != "" {
		p.Fact("Job", plain.Line(job.ID)+", "+strings.ToLower(plain.Line(job.Status)))
		p.Fact("Request", plain.Line(job.RequestID))
		if !job.UpdatedTime.IsZero() {
			p.Fact("Job updated", m.Env.Times.Site().Moment(job.UpdatedTime.Time()))
		}
	}
}

func (m *Model) writeFailed(p *rows.Page, r sending.Result) {
	k, text := m.Inks, views.Sentence(r.Applied.Stored.Text(r.Part))
	why := r.Err
	if job, is := errors.AsType[*operation.JobError](why); is && len(job.Job.Reasons()) > 0 { // its ids stand below
		why = errors.New("it ended as " + plain.Line(job.Job.Status) + ": " + plain.Line(strings.Join(job.Job.Reasons(), "; ")))
	}
	sending.WriteWhy(p, why)
	p.Gap()
	switch r.Applied.Stored {
	case operation.StoredUnread:
		p.Status(rows.StatusUnknown, text)
	case operation.StoredOld:
		p.Text(k.Plain, text)
	default:
		p.Status(rows.StatusWarning, text+" The History tab restores the old one.")
	}
	m.writeTrace(p, r)
}

// writeNext writes what can be done now, and where esc leads.
func (m *Model) writeNext(p *rows.Page) {
	switch m.next() {
	case nextHealth:
		p.Key("r", "  run a health check")
	case nextEarlier:
		p.Key("R", "  look for it")
	}
	if m.WentWrong() {
		p.Key(whatnow.Key, "  what now")
	}
	if m.CanContinue() {
		p.Key("M", "  continue with "+plain.Plural(len(m.Left()), "service")+" (review first)")
	}
	tab, changed := m.host.Origin(m.Last().Target)
	if m.Plan.Several || tab == "" {
		p.Key("esc", "back to the list")
		return
	}
	where := "back to " + tab
	if changed {
		where += "; your change is saved"
	}
	if m.followed.Over() {
		p.Key("R", "  refresh the pods")
	}
	p.Key("esc", where)
}
