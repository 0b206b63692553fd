package services

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// lost is a change whose answer did not come, or whose end was not seen, and how it
// is found out what became of it. That only reads.
type lost struct {
	edit    operation.Edit
	job     string // that edits the service for us; empty where it is not known
	poll    *views.Poll[operation.FoundEdit]
	looked  time.Time // the last look that came back
	next    time.Time // of the next look; zero where somebody has to ask
	found   operation.FoundEdit
	away    *views.Away
	problem error // why it is not looked any more, where that does not help by itself
}

// settled tells whether looking on would tell nothing else.
func (l *lost) settled() bool {
	return l.found.Finding == operation.EditArrived || l.found.Finding == operation.EditPartly || l.found.Finding == operation.EditRefused ||
		l.found.Finding == operation.EditNotArrived && l.next.IsZero()
}

// findLost begins to look what became of an edit.
func (m *Model) findLost(edit operation.Edit, job string, err error) tea.Cmd {
	search := m.env.Site.SearchEdit(operation.LostEdit{Edit: edit, Job: job, Err: err, Since: m.env.Clock.Now()})
	m.way.lost = &lost{edit: edit, job: job}
	m.way.lost.poll = views.NewPoll(m.scope, m.env.Clock, "find", search, func(step operation.Step[operation.FoundEdit], err error) tea.Msg {
		return foundOut{step, err}
	})
	return m.lookAgain()
}

// foundOut is one look.
type foundOut struct {
	step operation.Step[operation.FoundEdit]
	err  error
}

func (r foundOut) apply(m *Model) tea.Cmd {
	if m.way == nil || m.way.lost == nil {
		return nil
	}
	l, now := m.way.lost, m.env.Clock.Now()
	l.poll.Took()
	defer m.place()
	l.next, l.problem = time.Time{}, r.err
	switch {
	case errors.Is(r.err, adminapi.KindSignIn):
		l.away = nil
		return m.scope.RetryAfterSignIn(r.err, "find", m.lookAgain)
	case r.err != nil:
		l.away = nil
		return nil
	case r.step.Away != nil:
		l.away = views.StillAway(l.away, now, r.step.Wait, r.step.Away)
		return m.lookAfter(r.step.Wait)
	}
	l.away, l.looked, l.found = nil, now, r.step.Value
	switch l.found.Finding {
	case operation.EditArrived:
		return tea.Batch(m.settle(l.edit, l.found.Now, endDone), m.followPods())
	case operation.EditPartly:
		return tea.Batch(m.settle(l.edit, l.found.Now, endNotKept), m.followPods())
	}
	if r.step.Done {
		return nil
	}
	return m.lookAfter(r.step.Wait)
}

func (m *Model) lookAfter(wait time.Duration) tea.Cmd {
	l := m.way.lost
	l.next = m.env.Clock.Now().Add(wait)
	return l.poll.After(wait)
}

// lookAgain looks at once.
func (m *Model) lookAgain() tea.Cmd {
	if m.way == nil || m.way.lost == nil {
		return nil
	}
	m.way.lost.next = m.env.Clock.Now()
	return m.way.lost.poll.Now()
}

// stopLooking says that the user goes without knowing.
type stopLooking struct{}

func (stopLooking) apply(m *Model) tea.Cmd {
	if m.way == nil || m.way.lost == nil {
		return nil
	}
	return m.leaveWay()
}

// askStopLooking asks before it is not looked for any more.
func (m *Model) askStopLooking() tea.Cmd {
	stop := m.scope.Do("stop looking", func(context.Context) tea.Msg { return stopLooking{} })
	return views.Send(views.Open{Dialog: views.NewConfirm(m.env.Theme, views.Question{
		ID: "services.leave", Text: "Stop looking?",
		Consequence: "It is not known whether the site took the change. Nothing is sent again; reading it again shows it if it did.",
		Yes:         "stop looking", No: "keep looking", Then: stop,
	})})
}

// writeLost says what is known of a change whose answer was lost.
func (m *Model) writeLost(p *rows.Page) {
	k, l := &m.inks, m.way.lost
	what, part := plain.Line(l.edit.Target.String()), l.edit.Part.String()
	switch l.found.Finding {
	case operation.EditArrived:
		p.Signed(k.Glyphs.Pass, k.OK, "The site has the new "+what+": only the answer was lost")
	case operation.EditRefused:
		p.Signed(k.Glyphs.Fail, k.Fail, "The site refused the "+what+"; nothing is changed")
		m.writeWhy(p, m.way.last().Err)
		return
	case operation.EditPartly:
		p.Signed(k.Glyphs.Warn, k.Warn, "The site has neither the "+part+" from before nor the one that was sent")
		p.Heading("From what was sent to what is there")
		m.writeChanges(p, l.found.Changes)
		p.Gap()
		p.Text(k.Plain, "It kept a part, or somebody else has edited it meanwhile. What is not there stays in the editor as your change.")
	case operation.EditGoesOn:
		p.Signed(k.Glyphs.Running, k.Running, "Its end was not seen, but job "+plain.Line(l.found.Job.ID)+" edits the service at present")
		p.Gap()
		p.Text(k.Plain, "It is looked at until it ends. Nothing is sent again.")
	case operation.EditNotArrived:
		if l.found.Job.Ended() {
			m.writeJobEnd(p)
			break
		}
		p.Signed(k.Glyphs.Unknown, k.Unknown, "No answer came, and the site still has the "+part+" from before")
		p.Gap()
		p.Text(k.Plain, "No job edits the service: very likely the change never arrived. The draft is kept. It can be sent again two minutes after the first time.")
	default:
		switch {
		case operation.Answered(m.way.last().Err):
			p.Signed(k.Glyphs.Unknown, k.Unknown, "The site answered with an error: it is not known whether it took the "+what)
		case l.job != "":
			p.Signed(k.Glyphs.Unknown, k.Unknown, "The site took the "+what+" as job "+plain.Line(l.job)+", but its end was not seen")
		default:
			p.Signed(k.Glyphs.Unknown, k.Unknown, "No answer came: it is not known whether the site took the "+what)
		}
		p.Gap()
		p.Text(k.Plain, "The "+part+" and the jobs are read until that is known. Nothing is sent again.")
	}
	p.Gap()
	m.writeLooks(p)
}

// writeJobEnd says how the job ended after which the site has what it had before.
func (m *Model) writeJobEnd(p *rows.Page) {
	k, job := &m.inks, m.way.lost.found.Job
	p.Signed(k.Glyphs.Fail, k.Fail, "The site still has the "+m.way.lost.edit.Part.String()+" from before, and job "+plain.Line(job.ID)+" has ended as "+plain.Line(job.Status))
	for _, reason := range job.Reasons() {
		p.Text(k.Plain, plain.Line(reason))
	}
	p.Gap()
	p.Text(k.Plain, "The change is kept here, and sent again only when you review and confirm it again.")
}

// writeLooks says when the site was and will be asked.
func (m *Model) writeLooks(p *rows.Page) {
	w, l, times := m.way, m.way.lost, m.env.Times
	if err := w.last().Err; err != nil {
		p.Fact("What happened", sentence(err))
	}
	p.Fact("Sent", times.Clock(w.began))
	if !l.looked.IsZero() {
		p.Fact("Looked", times.Clock(l.looked))
	}
	now := m.env.Clock.Now()
	switch {
	case l.found.Finding == operation.EditArrived || l.found.Finding == operation.EditPartly:
		return
	case l.problem != nil:
		p.Fact("Next look", "none by itself: "+sentence(l.problem))
	case l.next.After(now):
		p.Fact("Next look", "in "+adminapi.Took(l.next.Sub(now)))
	case l.next.IsZero():
		p.Fact("Next look", "none by itself")
	default:
		p.Fact("Next look", "now")
	}
	if l.away != nil {
		p.Fact("The site", l.away.What()+": "+sentence(l.away.Err))
	}
	p.Gap()
	p.Key("R", "  looks now")
	if !l.settled() {
		p.Key("esc", "stops looking, after a question")
	}
}
