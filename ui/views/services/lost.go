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
	edit   operation.Edit
	job    string // that edits the service for us; empty where it is not known
	since  time.Time
	looked time.Time // the last look that came back
	next   time.Time // of the next look; zero where somebody has to ask
	found  operation.FoundEdit
	away   views.Fetch // of the looks
}

// How long and how often it is looked by itself for a change that does not show: a
// slow site can still begin.
const (
	lookFor   = 30 * time.Second
	lookEvery = 5 * time.Second
)

// settled tells whether looking on would tell nothing else.
func (l *lost) settled() bool {
	return l.found.Finding == operation.EditArrived || l.found.Finding == operation.EditPartly || l.found.Finding == operation.EditRefused ||
		l.found.Finding == operation.EditNotArrived && l.next.IsZero()
}

// find looks once after a while: one request at a time.
func (m *Model) find(wait time.Duration) tea.Cmd {
	l := m.way.lost
	l.next = m.env.Clock.Now().Add(wait)
	site, lost := m.env.Site, operation.LostEdit{Edit: l.edit, Job: l.job, Err: m.way.last().Err, Since: l.since}
	return m.scope.After(m.env.Clock, wait, "find", func(ctx context.Context) tea.Msg {
		found, err := site.FindEdit(ctx, lost)
		return foundOut{found, err}
	})
}

// foundOut is one look.
type foundOut struct {
	found operation.FoundEdit
	err   error
}

func (r foundOut) apply(m *Model) tea.Cmd {
	if m.way == nil || m.way.lost == nil {
		return nil
	}
	l, now := m.way.lost, m.env.Clock.Now()
	defer m.place()
	if r.err != nil {
		return m.lookFailed(r.err)
	}
	l.away.Succeeded(now)
	l.looked, l.found, l.next = now, r.found, time.Time{}
	switch r.found.Finding {
	case operation.EditGoesOn:
		l.job = r.found.Job.ID
	case operation.EditArrived:
		return tea.Batch(m.settle(l.edit, r.found.Now, endDone), m.followPods())
	case operation.EditPartly:
		return tea.Batch(m.settle(l.edit, r.found.Now, endNotKept), m.followPods())
	case operation.EditRefused:
		return nil
	case operation.EditNotArrived:
		if r.found.Job.Ended() || now.Sub(l.since) >= lookFor {
			return nil
		}
	}
	return m.find(lookEvery)
}

func (m *Model) lookFailed(err error) tea.Cmd {
	l := m.way.lost
	l.next = time.Time{}
	if wait := l.away.Failed(m.env.Clock.Now(), err); wait > 0 {
		return m.find(wait)
	}
	if errors.Is(err, adminapi.KindSignIn) {
		return m.scope.RetryAfterSignIn(err, "find", m.lookAgain)
	}
	return nil
}

// lookAgain looks at once.
func (m *Model) lookAgain() tea.Cmd {
	if m.way == nil || m.way.lost == nil {
		return nil
	}
	return m.find(0)
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
	case l.away.Err != nil:
		p.Fact("Next look", "none by itself: "+sentence(l.away.Err))
	case l.next.After(now):
		p.Fact("Next look", "in "+adminapi.Took(l.next.Sub(now)))
	case l.next.IsZero():
		p.Fact("Next look", "none by itself")
	default:
		p.Fact("Next look", "now")
	}
	if l.away.Away != nil {
		p.Fact("The site", l.away.Away.What()+": "+sentence(l.away.Away.Err))
	}
	p.Gap()
	p.Key("R", "  looks now")
	if !l.settled() {
		p.Key("esc", "stops looking, after a question")
	}
}
