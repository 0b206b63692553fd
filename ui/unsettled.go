package ui

import (
	"context"
	"errors"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// unsettledID names the question about a write whose outcome is not known.
const unsettledID = "unsettled"

// earlierRead is what is known of the writes of this machine without an outcome.
type earlierRead struct {
	all   []operation.Earlier
	err   error
	asked bool // by the user, who wants to hear that there is none
}

// letGo is the end of letting the next write go.
type letGo struct{ err error }

// openEarlier looks for writes of which nobody knows what became, once at the start: a
// program may have ended between sending and the answer.
func (m *Model) openEarlier() tea.Cmd {
	if m.earlier || m.env.Offline || m.env.Site.Journal == nil {
		return nil
	}
	m.earlier = true
	return m.readEarlier(false)
}

func (m *Model) earlierAsked(string) tea.Cmd {
	if m.env.Offline || m.env.Site.Journal == nil {
		return views.Tell(views.Warning, "nothing is recorded here that could be open")
	}
	return m.readEarlier(true)
}

func (m *Model) readEarlier(asked bool) tea.Cmd {
	site := m.env.Site
	return m.scope.Do("earlier", func(ctx context.Context) tea.Msg {
		all, err := site.SettleAll(ctx)
		return earlierRead{all, err, asked}
	})
}

// tookEarlier says what is settled by now, and opens the newest that is not.
func (m *Model) tookEarlier(r earlierRead) tea.Cmd {
	var cmds []tea.Cmd
	var open *operation.UnsettledError
	for _, e := range r.all {
		switch unsettled := e.Unsettled(); {
		case unsettled == nil:
			cmds = append(cmds, m.notify(settledNotice(e)))
		case open == nil:
			open = unsettled
		}
	}
	switch {
	case errors.Is(r.err, adminapi.KindSignIn):
		m.earlier = false // once somebody has signed in
	case r.err != nil:
		cmds = append(cmds, m.notify(views.Notice{Level: views.Failure, Text: "what was sent from here cannot be read: " + r.err.Error(), Err: r.err}))
	case open != nil:
		cmds = append(cmds, m.openUnsettled(open, !r.asked))
	case r.asked && len(r.all) == 0:
		cmds = append(cmds, views.Tell(views.Info, "no earlier request is in the way"))
	}
	return tea.Batch(cmds...)
}

// settledNotice says what has become known of an earlier write.
func settledNotice(e operation.Earlier) views.Notice {
	level := views.Success
	if e.Outcome != adminapi.OutcomeDone {
		level = views.Warning
	}
	return views.Notice{Level: level, Text: "the earlier request to " + requestOf(e.Record.Operation, e.Record.Subject) + " is " + e.Outcome.String() + ": " + e.How}
}

// requestOf names a write, such as "start the upgrade (12.0.0.7286)".
func requestOf(operation, subject string) string {
	return plain.Line(operation) + " (" + plain.Line(subject) + ")"
}

// openUnsettled shows a write of which nobody knows what became. Once it is old enough a
// person may let the next one go, by typing what it was about.
func (m *Model) openUnsettled(e *operation.UnsettledError, unasked bool) tea.Cmd {
	m.dialogs.remove(unsettledID)
	r, now := e.Record, m.env.Clock.Now()
	q := views.Question{
		ID: unsettledID, Text: "Unknown outcome: " + requestOf(r.Operation, r.Subject), No: "close",
		Consequence: "The request was sent at " + m.env.Times.Here(r.Time) + " by " + plain.Line(r.By) + ".",
	}
	if e.Found != "" {
		q.Consequence += " " + views.Sentence(e.Found)
	}
	q.Consequence += " No other " + changeOf(r.Target, r.Subject) + " is sent until this is known."
	if e.Wait > 0 {
		q.Consequence += " From " + m.env.Times.Here(now.Add(e.Wait)) + " on you may allow another one."
		q.Yes, q.Then = "look again", m.readEarlier(true)
		return m.open(views.NewConfirm(m.env.Theme, q), unasked)
	}
	q.Consequence += " Look at the site first; :unsettled requests looks again. If you allow another one, both may take effect."
	q.Word, q.Yes, q.Then = plain.Line(r.Subject), "allow another one", m.letNextGo(r.Target, r.Subject)
	return m.open(views.NewConfirm(m.env.Theme, q), unasked)
}

// changeOf names what waits for a write in a sentence.
func changeOf(target, subject string) string {
	switch {
	case target == adminapi.TargetSite:
		return "upgrade, rollback or manifest"
	case strings.HasPrefix(target, "service "):
		return "change of " + plain.Line(subject)
	}
	return "health check of that name"
}

func (m *Model) letNextGo(target, typed string) tea.Cmd {
	site := m.env.Site
	return m.scope.Do("let go", func(ctx context.Context) tea.Msg { return letGo{site.Allow(ctx, target, typed)} })
}

func (m *Model) gone(l letGo) tea.Cmd {
	if l.err != nil {
		return m.notify(views.Notice{Level: views.Failure, Text: l.err.Error(), Err: l.err})
	}
	return m.notify(views.Notice{Level: views.Success, Text: "another request may be sent; nothing was sent yet"})
}
