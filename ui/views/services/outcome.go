package services

import (
	"errors"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// ending is how an edit ended, as far as its own answer tells.
type ending int

const (
	endNotSent ending = iota
	endDone
	endNotKept // accepted, and not kept whole
	endDrift   // it was changed meanwhile; nothing was sent
	endRefused
	endFailed // the job
	endLost   // it is not known whether it arrived
	endUnseen // accepted, but its end was not seen
)

func endingOf(r operation.AppliedEdit) ending {
	_, notKept := errors.AsType[*operation.NotKeptError](r.Err)
	_, drift := errors.AsType[*operation.DriftError](r.Err)
	switch {
	case drift:
		return endDrift
	case notKept:
		return endNotKept
	case errors.Is(r.Err, operation.ErrJobBroken):
		return endFailed
	case r.Outcome == adminapi.OutcomeDone && r.Err == nil:
		return endDone
	case r.Outcome == adminapi.OutcomeDone:
		return endUnseen
	case r.Outcome == adminapi.OutcomeRefused:
		return endRefused
	case r.Outcome == adminapi.OutcomeUnknown:
		return endLost
	}
	return endNotSent
}

var cmdHealth = views.Command{ID: "services.health", Binding: views.Key("health check", "h"), Name: "run health check now", Help: "After a change: run a health check; esc leads back.", Group: wayGroup}

func (m *Model) runHealthCheck() tea.Cmd {
	return views.Send(views.Navigate{View: "health", Command: "health.run"})
}

// last is the edit that the sending ended with.
func (w *way) last() operation.AppliedEdit { return w.results[len(w.results)-1] }

func (w *way) endedCommands() []views.Command {
	end := endingOf(w.last())
	switch {
	case w.lost != nil && w.lost.found.Finding != operation.EditArrived && w.lost.found.Finding != operation.EditRefused:
		return []views.Command{cmdLook, quiet(cmdHealth)}
	case end == endDrift && !w.many && len(w.conflict) == 0:
		return []views.Command{cmdMerge}
	case end == endDone || end == endNotKept || end == endFailed || w.lost != nil || len(w.results) > 1:
		return []views.Command{cmdHealth}
	}
	return nil
}

// writeEnded says what became of the change, and what can be done next.
func (m *Model) writeEnded(p *rows.Page) {
	w := m.way
	if w.many {
		m.writeOutcomes(p)
	}
	switch {
	case w.lost != nil:
		m.writeLost(p)
	case w.many && endingOf(w.last()) == endDone:
		p.Text(m.inks.Plain, "The change was sent to "+plain.Plural(len(w.results), "service")+". The tab History of each restores what it had before.")
	default:
		m.writeEnding(p, w.last())
	}
	if w.canGoOn() {
		m.writeLeft(p)
	}
	w.pods.Write(p)
	if w.pods.Followed() {
		p.Text(m.inks.Muted, "Going back stops nothing: o on the tab Placement shows the pods again.")
	}
	p.Gap()
	if w.lost == nil || w.lost.settled() {
		m.writeNext(p)
	}
}

// writeOutcomes lists what became of each of several.
func (m *Model) writeOutcomes(p *rows.Page) {
	k, w := &m.inks, m.way
	done := map[string]operation.AppliedEdit{}
	for _, r := range w.results {
		done[r.Service.Path()] = r
	}
	for _, e := range w.edits {
		path := plain.Line(e.Service.Path())
		r, tried := done[e.Service.Path()]
		switch {
		case tried:
			glyph, word, ink := m.outcomeWord(r)
			p.Line(ink.On(glyph+" "+k.Fit(word, 22)) + " " + path)
		case e.Refused != nil:
			p.Line(k.Warn.On(k.Glyphs.Warn+" "+k.Fit("cannot take it", 22)) + " " + path)
		case e.Unchanged():
			p.Line(k.Muted.On(k.Glyphs.Skipped+" "+k.Fit("has it already", 22)) + " " + path)
		default:
			p.Line(k.Muted.On(k.Glyphs.Skipped+" "+k.Fit("not sent", 22)) + " " + path)
		}
	}
	p.Gap()
}

// outcomeWord says in a few words how one edit ended.
func (m *Model) outcomeWord(r operation.AppliedEdit) (glyph, word string, ink rows.Ink) {
	k := &m.inks
	if m.way.lost != nil && sameService(m.way.lost.edit.Service, r.Service) {
		switch m.way.lost.found.Finding {
		case operation.EditArrived:
			return k.Glyphs.Pass, "done", k.OK
		case operation.EditRefused:
			return k.Glyphs.Fail, "refused", k.Fail
		}
		return k.Glyphs.Unknown, "not known", k.Unknown
	}
	switch endingOf(r) {
	case endDone:
		if r.Applied.Unread != nil {
			return k.Glyphs.Warn, "done, not read back", k.Warn
		}
		return k.Glyphs.Pass, "done", k.OK
	case endNotKept:
		return k.Glyphs.Warn, "accepted, not kept", k.Warn
	case endDrift:
		return k.Glyphs.Warn, "changed meanwhile", k.Warn
	case endRefused:
		return k.Glyphs.Fail, "refused", k.Fail
	case endFailed:
		return k.Glyphs.Fail, "job failed", k.Fail
	case endLost, endUnseen:
		return k.Glyphs.Unknown, "not known", k.Unknown
	}
	return k.Glyphs.Fail, "not sent", k.Fail
}

func (m *Model) writeEnding(p *rows.Page, r operation.AppliedEdit) {
	k, what := &m.inks, plain.Line(r.Target.String())
	switch endingOf(r) {
	case endDone:
		p.Signed(k.Glyphs.Pass, k.OK, "The site has the new "+what)
		p.Gap()
		if r.Applied.Unread != nil {
			p.Signed(k.Glyphs.Warn, k.Warn, "It accepted the change, but could not be read afterwards: whether it has kept all of it is not known. "+sentence(r.Applied.Unread))
		} else {
			p.Text(k.Plain, "It was read back: all that was sent is there.")
		}
		m.writeTrace(p, r)
	case endNotKept:
		m.writeNotKept(p, r)
	case endDrift:
		m.writeDrift(p, r)
	case endRefused:
		p.Signed(k.Glyphs.Fail, k.Fail, "The site refused the "+what+"; nothing is changed")
		m.writeWhy(p, r.Err)
	case endFailed:
		m.writeFailed(p, r)
	default:
		p.Signed(k.Glyphs.Fail, k.Fail, "Nothing was sent")
		m.writeWhy(p, r.Err)
	}
}

func (m *Model) writeWhy(p *rows.Page, err error) {
	if err != nil {
		p.Gap()
		p.Text(m.inks.Plain, sentence(err))
	}
}

// writeTrace says where the old one is, and which job did it.
func (m *Model) writeTrace(p *rows.Page, r operation.AppliedEdit) {
	p.Gap()
	if r.Applied.Backup.ID != "" {
		p.Fact("Kept before", m.env.Times.Moment(r.Applied.Backup.Saved)+", "+strconv.Itoa(r.Applied.Backup.Bytes)+" bytes: the tab History restores it")
	}
	if r.Applied.Job.ID != "" {
		p.Fact("Job", plain.Line(r.Applied.Job.ID)+", "+lower(plain.Line(r.Applied.Job.Status)))
	}
}

func (m *Model) writeNotKept(p *rows.Page, r operation.AppliedEdit) {
	k := &m.inks
	p.Signed(k.Glyphs.Warn, k.Warn, "The site accepted the "+plain.Line(r.Target.String())+", but did not keep all of it")
	if e, ok := errors.AsType[*operation.NotKeptError](r.Err); ok {
		p.Heading("From what was sent to what is there")
		m.writeChanges(p, e.Changes)
	}
	m.writeTrace(p, r)
	p.Gap()
	p.Text(k.Muted, "What the site left out stays in the editor as your change. The tab History restores the "+r.Part.String()+" from before.")
}

func (m *Model) writeFailed(p *rows.Page, r operation.AppliedEdit) {
	k := &m.inks
	p.Signed(k.Glyphs.Fail, k.Fail, "The job that should replace the "+plain.Line(r.Target.String())+" did not complete")
	m.writeWhy(p, r.Err)
	p.Gap()
	edit := m.way.editOf(r.Target)
	switch now := r.Applied.Now; {
	case now == nil:
		p.Signed(k.Glyphs.Unknown, k.Unknown, "What the site has now could not be read.")
	case len(document.Diff(edit.Base, now)) == 0:
		p.Text(k.Plain, "The site has the "+r.Part.String()+" from before: nothing of the change is there.")
	case len(document.Diff(edit.Edited, now)) == 0:
		p.Signed(k.Glyphs.Warn, k.Warn, "All the same the site has the new "+r.Part.String()+" now. The tab History restores the one from before.")
	default:
		p.Signed(k.Glyphs.Warn, k.Warn, "The site has neither the "+r.Part.String()+" from before nor the new one. The tab History restores the one from before.")
	}
	m.writeTrace(p, r)
}

// mostChanges bounds the changes that a page lists.
const mostChanges = 40

// writeChanges lists changes in short: the path, and from what to what.
func (m *Model) writeChanges(p *rows.Page, changes []document.Change) {
	k := &m.inks
	for _, c := range changes[:min(len(changes), mostChanges)] {
		p.Line("  " + k.Strong.On(plain.Clip(string(c.Path), max(8, p.Width-14))) + "  " + k.Muted.On(c.Kind.String()))
		m.writeValue(p, "- ", c.Old)
		m.writeValue(p, "+ ", c.New)
	}
	if n := len(changes) - mostChanges; n > 0 {
		p.Line("  " + k.Muted.On("and "+strconv.Itoa(n)+" more"))
	}
}

func (m *Model) writeValue(p *rows.Page, sign, raw string) {
	if raw != "" {
		p.Line("    " + m.inks.Muted.On(sign) + plain.Clip(raw, max(8, p.Width-8)))
	}
}

// writeNext says what can be done now.
func (m *Model) writeNext(p *rows.Page) {
	for _, c := range m.way.endedCommands() {
		if c.Hint() == "" {
			continue
		}
		switch c.ID {
		case cmdHealth.ID:
			p.Key("h", "  runs a health check: does the site still do well?")
		case cmdMerge.ID:
			p.Signed("m", m.inks.Key, "  brings your change onto what the site has now, for another review; overwrites nothing")
		}
	}
	if m.way.canGoOn() {
		p.Key("M", "  goes on with "+plain.Plural(len(m.way.left()), "service")+": plans again, for another review")
	}
	m.writeBack(p)
}

// writeBack says where esc leads.
func (m *Model) writeBack(p *rows.Page) {
	w := m.way
	if w.many || m.open == nil {
		p.Key("esc", "goes back to the list")
		return
	}
	where := "goes back to the tab " + m.open.section().title()
	if e := m.editedOf(w.last().Target); e != nil && e.changed() {
		where += "; your change is kept"
	}
	if w.pods.Over() {
		p.Key("o", "  asks for the pods again")
	}
	p.Key("esc", where)
}
