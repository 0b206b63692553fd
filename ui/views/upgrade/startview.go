package upgrade

import (
	"errors"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
	"geodeck/ui/widget/whatnow"
)

// View draws the progress of the start, or its outcome.
func (s *start) View() string {
	p := &rows.Page{Inks: s.inks, Width: max(1, s.Width)}
	switch {
	case s.lost != nil:
		s.writeLost(p)
	case s.sending:
		s.writeSending(p)
	default:
		s.writeNotSent(p)
	}
	p.Focus(0)
	return s.inks.Block(p.Lines, s.Width, s.Height)
}

// writeSending writes the steps, the current one with its progress.
func (s *start) writeSending(p *rows.Page) {
	k := p.Inks
	p.Line(k.Beside(k.Heading.On(yesNo(s.change.ask.Rollback != nil, "Rolling back to ", "Starting ")+s.change.title()), views.Seconds(s.Env.Clock.Now().Sub(s.began)), p.Width))
	p.Gap()
	for i, step := range s.steps {
		text := string(step.Step)
		uploading := step.Step == operation.StepUpload && step.Total > 0
		if step.Step == operation.StepSend {
			text = "sending the " + s.change.kind().Noun()
		}
		if step.File != "" {
			text += " " + step.File
		}
		if uploading {
			text += ", " + plain.Bytes(step.Sent) + " of " + plain.Bytes(step.Total)
		}
		text = plain.Capital(plain.Line(text))
		if i < len(s.steps)-1 {
			p.Status(rows.StatusPassed, text)
			continue
		}
		p.Status(rows.StatusRunning, text)
		if uploading {
			width := min(40, p.Width-4)
			p.Line("  " + k.Bar(width, int(int64(width)*step.Sent/step.Total)))
		}
	}
	if len(s.steps) == 0 {
		p.Status(rows.StatusRunning, "Preparing")
	}
	p.Gap()
	if s.late() {
		p.Status(rows.StatusWarning, "No answer yet. Do not start it again.")
		p.Text(rows.Ink{}, "The site's log is read for it. Progress opens once it is there.")
		p.Gap()
	}
	p.Text(k.Muted, "Sent once, never retried. You can use other views meanwhile.")
}

// writeNotSent says that nothing was sent, and what can be done.
func (s *start) writeNotSent(p *rows.Page) {
	title := "Nothing was sent"
	upload, isUpload := errors.AsType[*operation.UploadError](s.result.Err)
	why := ""
	switch {
	case isUpload:
		title, why = plain.Capital(upload.NotStarted()), upload.Why()
	case s.result.Err != nil:
		why = s.result.Err.Error()
	}
	p.Status(rows.StatusFailed, title)
	p.Gap()
	if why != "" {
		p.Text(rows.Ink{}, views.Sentence(why))
		p.Gap()
	}
	advice := "You can safely try again. Nothing has begun at the site."
	switch {
	case errors.Is(s.result.Err, operation.ErrBusyHere):
		advice = "Try again when that has ended."
	case isUpload && upload.Refused():
		advice = operation.Advice(s.result.Err)
	case isUpload && errors.Is(upload, adminapi.KindReadOnly):
		x := explain.Write(incident.WriteFactsOf(s.result, whatnow.Around(s.Env)))
		advice = strings.Join(append(append([]string{x.Cause.Sentence}, x.Avoid...), x.Next.Text), " ")
	}
	if errors.Is(s.result.Err, operation.ErrUpgradeRuns) {
		p.Key("enter", "watch the running upgrade")
	} else {
		p.Text(rows.Ink{}, advice)
		p.Gap()
	}
	p.Key(whatnow.Key, "what now")
	p.Key("esc", "back to the review")
}

// nothing reports whether nothing was seen to begin in the time that a site takes.
func (l *lostAnswer) nothing() bool {
	return l.over && !progress.Runs(l.found.Status) && l.found.Shows == operation.ShowsUnchanged
}

// writeLost writes what is known of an upgrade whose answer was lost.
func (s *start) writeLost(p *rows.Page) {
	l, noun := s.lost, s.change.kind().Noun()
	why, likely, yours := "No answer came", "The request probably never arrived.", "Yours got no answer"
	if adminapi.IsAnswer(s.result.Err) {
		why, likely, yours = "The site answered with an error", "It probably never began.", "The site answered yours with an error"
	}
	switch {
	case !s.searching():
		p.Status(rows.StatusWarning, "Another upgrade is running")
		p.Gap()
		p.Text(rows.Ink{}, yours+". This one began before it. Nothing is sent again.")
		p.Gap()
		p.Key("enter", "watch the running upgrade")
		p.Key("esc", "back")
		return
	case l.nothing():
		p.Status(rows.StatusUnknown, "No "+noun+" was seen to start")
		p.Gap()
		p.Text(rows.Ink{}, why+", and the site reports no new "+noun+". "+likely)
		p.Text(rows.Ink{}, "A slow site may still start it. Nothing is sent again.")
	default:
		p.Status(rows.StatusUnknown, why+": the outcome is unknown")
		p.Gap()
		if progress.Runs(l.found.Status) {
			p.Text(rows.Ink{}, "An upgrade is running. It may be yours or someone else's.")
		}
		p.Text(rows.Ink{}, "The site is read until that is known. Nothing is sent again.")
	}
	p.Gap()
	if s.result.Err != nil {
		p.Fact("Answer", views.Sentence(s.result.Err.Error()))
	}
	p.Fact("Sent", s.Env.Times.Clock(s.began))
	if !l.polled.IsZero() {
		state := "nothing"
		if l.found.Status.State != "" {
			state = `"` + plain.Clip(l.found.Status.State, 40) + `"`
		}
		p.Fact("Updated", s.Env.Times.Clock(l.polled)+", the site says "+state)
	}
	now := s.Env.Clock.Now()
	switch {
	case l.err != nil:
		p.Fact("Next refresh", "none: "+views.Sentence(l.err.Error())+views.Keys(" Press {key:upgrade.look-again}."))
	case l.next.After(now):
		p.Fact("Next refresh", "in "+views.Seconds(l.next.Sub(now)))
	default:
		p.Fact("Next refresh", "now")
	}
	p.Gap()
	p.Key("R", "look for it now")
	p.Key(whatnow.Key, "what now")
	if l.nothing() {
		p.Key("esc", "stop waiting, check the site, then start again from the list")
		return
	}
	p.Key("esc", "stop waiting")
}
