package change

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// outcomeSearch is the search for the outcome of a change whose answer was lost, or whose
// end was not seen. It only reads.
type outcomeSearch struct {
	edit    editing.Edit
	sent    operation.Result // of the request
	differs bool             // the site has something else than was edited
	poll    *views.Poll[operation.Resolution]
	last    time.Time // when the site was read last
	next    time.Time // when it is read next; zero where the user has to ask for it
	found   operation.Resolution
	away    *views.Unreachable
	problem error // why it is not read any more by itself
	asked   bool  // the user looks for it: the answer is told
}

// result is how the change ended, as far as the search has shown.
func (l *outcomeSearch) result() operation.Result { return l.sent.Found(l.found, nil) }

// arrived reports whether the site has what was sent.
func (l *outcomeSearch) arrived() bool { return l != nil && l.result().Done() }

// partly reports whether the site has neither what it had nor what was sent.
func (l *outcomeSearch) partly() bool {
	return l.found.Shows == operation.ShowsOther || l.differs && l.broken()
}

// broken reports whether the site took the change and did not complete it, or not keep all of it.
func (l *outcomeSearch) broken() bool { r := l.result(); return r.Touched() && !r.Done() }

// unchanged reports whether the site still has what was edited, and nothing edits it.
func (l *outcomeSearch) unchanged() bool {
	return l != nil && !l.differs && (l.found.Shows == operation.ShowsUnchanged || l.broken())
}

// settled reports whether the search is over.
func (l *outcomeSearch) settled() bool {
	return l.result().Known() || l.partly() || l.unchanged() && l.next.IsZero()
}

// Read returns what the site had when the flow read it last after it sent the change, and when; nil
// where it did not.
func (s *state) Read() (now *document.Document, at time.Time) {
	if s.search != nil && s.search.last.After(s.seen) {
		return s.search.found.Now, s.search.last
	}
	return s.site, s.seen
}

// searching reports whether the outcome of the change is still searched for.
func (s *state) searching() bool { return s.step != idle && s.search != nil && !s.search.settled() }

// searchOutcome begins to search for the outcome of an edit.
func (f *Flow) searchOutcome(edit editing.Edit, search *operation.Search, sent operation.Result) tea.Cmd {
	f.search = &outcomeSearch{edit: edit, sent: sent}
	f.search.poll = views.NewPoll(f.Scope, f.Env.Clock, "find", search, func(step polling.Step[operation.Resolution], err error) tea.Msg {
		now := step.Value.Now
		return searched{step, now != nil && len(document.Diff(edit.Base, now)) > 0, err}
	})
	return f.searchNow()
}

// searched is one step of the search.
type searched struct {
	step    polling.Step[operation.Resolution]
	differs bool // the site has something else than was edited
	err     error
}

func (f *Flow) searched(r searched) tea.Cmd {
	if f.step == idle || f.search == nil {
		return nil
	}
	l, now := f.search, f.Env.Clock.Now()
	l.poll.Received()
	defer f.lay()
	l.next, l.problem = time.Time{}, r.err
	switch {
	case errors.Is(r.err, adminapi.KindSignIn):
		l.away = nil
		return f.Scope.RetryAfterSignIn(r.err, "find", f.searchNow)
	case r.err != nil:
		l.away = nil
		return nil
	case r.step.Unreachable != nil:
		l.away = views.StillUnreachable(l.away, now, r.step.Wait, r.step.Unreachable)
		return f.searchAfter(r.step.Wait)
	}
	l.away, l.last, l.found, l.differs = nil, now, r.step.Value, r.differs
	if l.arrived() || l.partly() {
		s := Settled{Edit: l.edit, Done: l.arrived(), Touched: true}
		if r.differs {
			s.Now = l.found.Now
		}
		return tea.Batch(f.host.Settled(s), f.host.Ended(), f.follow(), f.tellFound())
	}
	if r.step.Done {
		return tea.Batch(f.host.Ended(), f.tellFound(), f.tellChecked())
	}
	return tea.Batch(f.searchAfter(r.step.Wait), f.tellChecked())
}

// tellChecked answers the key that looks for the outcome, where that is as it was.
func (f *Flow) tellChecked() tea.Cmd {
	l := f.search
	if !l.asked || !l.unchanged() {
		return nil
	}
	l.asked = false
	text := "no job edits it."
	if l.found.Job.ID != "" {
		text = "job " + plain.Line(l.found.Job.ID) + " " + strings.ToLower(plain.Line(l.found.Job.Status)) + "."
	}
	return views.Tell(views.Info, "Checked "+f.Env.Times.Clock(l.last)+": still the old "+l.edit.Part.String()+", "+text)
}

// notArrived reports whether the change did not arrive, as far as is known.
func (s *state) notArrived() bool {
	return s.step == ended && !s.several && s.search.unchanged()
}

// sendAgain reviews the change again, once it may be sent; sending it is asked for by name.
func (f *Flow) sendAgain() tea.Cmd {
	before, from := f.state, f.heldUntil()
	switch {
	case !from.IsZero():
		return views.Tell(views.Warning, "Not before "+f.Env.Times.Clock(from)+"; "+views.Seconds(from.Sub(f.Env.Clock.Now()))+" left.")
	case !f.search.settled():
		return f.Wait()
	}
	cmd := f.Start(before.search.edit, before.title)
	f.restored = before.restored
	f.site, f.seen = before.Read()
	return cmd
}

// tellFound says what was found where the page was left.
func (f *Flow) tellFound() tea.Cmd {
	if !f.away {
		return nil
	}
	return f.tellOutcome()
}

func (f *Flow) searchAfter(wait time.Duration) tea.Cmd {
	f.search.next = f.Env.Clock.Now().Add(wait)
	return f.search.poll.After(wait)
}

// searchNow reads at once.
func (f *Flow) searchNow() tea.Cmd {
	if f.step == idle || f.search == nil {
		return nil
	}
	f.search.next = f.Env.Clock.Now()
	return f.search.poll.Now()
}

// searchStopped says that stopping the search was confirmed.
type searchStopped struct{}

// askStopSearch asks before the search is stopped.
func (f *Flow) askStopSearch() tea.Cmd {
	stop := f.Scope.Do("stop waiting", func(context.Context) tea.Msg { return searchStopped{} })
	return views.Send(views.Open{Dialog: widget.NewConfirm(f.Env.Theme, widget.Question{
		ID: "services.leave", Text: "Stop waiting for the outcome?",
		Consequence: "Whether the site accepted the change is unknown. Nothing is sent again; a refresh may show it.",
		Yes:         "stop waiting", No: "keep waiting", Then: stop,
	})})
}

// writeSearch writes what is known of a change whose answer was lost.
func (d *pages) writeSearch(p *rows.Page) {
	k, l := d.inks, d.search
	what, part := plain.Line(l.edit.Target.String()), l.edit.Part.String()
	switch job := l.found.Job; {
	case l.arrived():
		p.Signed(k.Glyphs.Pass, k.OK, "The site has the new "+what+": only the answer was lost")
		d.writeAnswer(p)
	case l.result().Refused():
		p.Signed(k.Glyphs.Fail, k.Fail, "The site refused the "+what+"; it is unchanged")
		writeWhy(p, d.last().Err)
		return
	case l.partly():
		p.Signed(k.Glyphs.Warn, k.Warn, "The site has neither the old "+part+" nor what was sent")
		if job.Failed() {
			p.Text(k.Plain, "Job "+plain.Line(job.ID)+" ended as "+plain.Line(job.Status)+".")
		}
		p.Heading("Sent, compared with the site now")
		writeChanges(p, l.found.Changes)
		p.Gap()
		p.Text(k.Plain, "The site kept only a part, or someone else edited it. The rest stays in the editor as your change.")
	case l.found.Shows == operation.ShowsRunning:
		p.Signed(k.Glyphs.Running, k.Running, "The answer was lost. Job "+plain.Line(job.ID)+" is still running.")
		p.Gap()
		p.Text(k.Plain, "Polling it until it ends. Nothing is sent again.")
	case l.unchanged():
		if job.Ended() {
			p.Signed(k.Glyphs.Fail, k.Fail, "The site still has the old "+part+". Job "+plain.Line(job.ID)+" ended as "+plain.Line(job.Status))
			for _, reason := range job.Reasons() {
				p.Text(k.Plain, plain.Line(reason))
			}
			p.Gap()
			p.Text(k.Plain, "Your change is saved. To send it again, review and confirm it.")
			break
		}
		p.Signed(k.Glyphs.Unknown, k.Unknown, "No answer came, and the site still has the old "+part)
		p.Gap()
		again := views.Keys("To send it again, press {key:services.again}.")
		if from := d.heldUntil(); !from.IsZero() {
			again = "From " + d.Env.Times.Clock(from) + views.Keys(" on you can send it again: press {key:services.again}.")
		}
		p.Text(k.Plain, "No job edits the service: very likely the change never arrived. The draft is saved. "+again)
	default:
		p.Signed(k.Glyphs.Unknown, k.Unknown, d.last().Headline())
		p.Gap()
		p.Text(k.Plain, "The "+part+" and the jobs are polled until that is known. Nothing is sent again.")
	}
	p.Gap()
	d.writeSearchTimes(p)
}

// cause is an error without what could not be done: the page says what became of that.
func cause(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*adminapi.Error](err); ok {
		text = strings.Replace(text, "cannot "+e.Operation+": ", "", 1)
	}
	return text
}

// sentAt is when the change was sent, as recorded; else when sending it began.
func (d *pages) sentAt() time.Time {
	if d.UnknownSince != nil {
		if since := d.UnknownSince(d.search.edit.Service.Path()); !since.IsZero() {
			return since
		}
	}
	return d.began
}

// heldUntil is from when the change may be sent again, zero where it may be by now.
func (d *pages) heldUntil() (from time.Time) {
	if from = operation.EditOverride(d.sentAt()); !d.Env.Clock.Now().Before(from) || d.search.found.Job.Ended() {
		return time.Time{}
	}
	return from
}

// writeSearchTimes writes when the site was read and will be read next.
func (d *pages) writeSearchTimes(p *rows.Page) {
	l, times := d.search, d.Env.Times
	if err := d.last().Err; err != nil {
		p.Fact("What happened", views.Sentence(cause(err)))
	}
	if l.arrived() || l.partly() {
		d.writeBackup(p, d.last())
	}
	name := "Change"
	for _, line := range d.changeLines() {
		if line = strings.TrimSpace(line); line != "" {
			p.Member(name, line)
			name = ""
		}
	}
	p.Fact("Sent", times.Clock(d.sentAt()))
	if !l.last.IsZero() {
		p.Fact("Checked", times.Clock(l.last))
	}
	now := d.Env.Clock.Now()
	switch {
	case l.arrived() || l.partly():
		return
	case l.problem != nil:
		p.Fact("Next refresh", "only with R: "+views.Sentence(l.problem.Error()))
	case l.next.Sub(now) >= time.Second:
		p.Fact("Next refresh", "in "+views.Seconds(l.next.Sub(now)))
	case l.next.IsZero(): // the key says it
	default:
		p.Fact("Next refresh", "now")
	}
	if away := l.away; away != nil {
		p.Fact("The site", away.What()+": "+views.Sentence(away.Err.Error()))
	}
	p.Gap()
	p.Key("R", "  look for it")
	if !l.settled() {
		p.Key("esc", "stop waiting (asks first)")
	}
}
