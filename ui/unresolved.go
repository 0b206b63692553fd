package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// unresolvedID names the question about a write whose outcome is not known.
const unresolvedID = "unresolved"

// The end of an edit that an earlier program sent is looked for again after a pause, for as long as its job may
// last.
const (
	unseenPause = 30 * time.Second
	unseenFor   = time.Hour
)

// unresolved checks writes of this machine whose outcome is unknown.
type unresolved struct {
	part
	checked bool
	asked   bool // the user waits for an answer: a check of our own may take the place of the one that was asked for
}

// checkOnce checks once at the start: the program before may have ended between sending
// and the answer.
func (u *unresolved) checkOnce() tea.Cmd {
	if u.checked || u.env.Offline || u.env.Site.Memory.Journal == nil {
		return nil
	}
	u.checked = true
	return u.list(atStart)
}

// requested checks at the user's request.
func (u *unresolved) requested() tea.Cmd {
	if u.env.Offline || u.env.Site.Memory.Journal == nil {
		return views.Tell(views.Warning, "no requests are recorded here")
	}
	return u.check(true)
}

// ended checks again what the open question or list is about: a view has found an outcome.
func (u *unresolved) ended() tea.Cmd {
	if u.shows(unresolvedID) {
		return u.check(false)
	}
	return u.renew()
}

func (u *unresolved) check(byUser bool) tea.Cmd {
	site := u.env.Site
	u.asked = u.asked || byUser
	return u.scope.Work("unresolved", func(ctx context.Context) func() tea.Cmd {
		all, err := site.ResolveWrites(ctx)
		now := site.Clock.Now()
		goesOn := false
		for _, r := range site.Memory.UnseenEnds(now) {
			_, edits := operation.EditedBy(r) // of a program that has ended
			goesOn = goesOn || edits && now.Sub(r.Time) < unseenFor
		}
		return func() tea.Cmd {
			var again tea.Cmd
			if goesOn {
				again = u.scope.Later(u.env.Clock, site.Line.Pause(unseenPause), "unseen end", func() tea.Cmd { return u.check(false) })
			}
			asked := u.asked
			u.asked = false
			return tea.Batch(u.handle(all, err, asked), u.tell(views.RecordChanged), again)
		}
	})
}

// handle shows which writes have an outcome now, and opens the newest without one. A user who requested
// it is notified even if there is none.
func (u *unresolved) handle(all []operation.EarlierWrite, err error, byUser bool) tea.Cmd {
	var cmds []tea.Cmd
	var open *operation.UnresolvedError
	var found []string
	level := views.Success
	for _, e := range all {
		switch unresolved := e.Unresolved(); {
		case unresolved == nil:
			if !e.Done() {
				level = views.Warning
			}
			found = append(found, "the earlier request to "+requestOf(e.Record.Operation, e.Record.Subject)+" is "+e.Text())
		case open == nil:
			open = unresolved
		}
	}
	if len(found) > 0 { // in one notice: the next takes the place of the one before
		cmds = append(cmds, u.tell(views.Notice{Level: level, Text: strings.Join(found, "; ")}), u.renew())
	}
	switch {
	case errors.Is(err, adminapi.KindSignIn):
		u.checked = false // checked again after a sign-in
	case err != nil:
		cmds = append(cmds, u.tell(views.Failed("the record of requests cannot be read: "+err.Error(), err)))
	case open != nil && !byUser && u.shows(unfinishedID): // which has it
	case open != nil:
		cmds = append(cmds, u.show(open, !byUser))
	default:
		_ = u.tell(closeDialog{unresolvedID}) // what it asks about is known by now
		switch awaited := u.env.Site.Memory.AwaitedWrites(); {
		case !byUser || len(all) > 0:
		case len(awaited) > 0:
			cmds = append(cmds, views.Tell(views.Info, "The answer to "+requestOf(awaited[0].Operation, awaited[0].Subject)+", sent "+u.env.Times.Clock(awaited[0].Time)+", is awaited."))
		default:
			cmds = append(cmds, views.Tell(views.Info, "no unresolved requests"))
		}
	}
	return tea.Batch(cmds...)
}

// requestOf names a write, such as "start the upgrade (12.0.0.7286)".
func requestOf(operation, subject string) string {
	return plain.Line(operation) + " (" + plain.Line(subject) + ")"
}

// show shows a write with an unknown outcome. Once it is old enough the user may allow
// the next one by typing what it was about.
func (u *unresolved) show(e *operation.UnresolvedError, unrequested bool) tea.Cmd {
	_ = u.tell(closeDialog{unresolvedID})
	r, now, site := e.Record, u.env.Clock.Now(), u.env.Site
	q := widget.Question{
		ID: unresolvedID, Text: "Outcome unknown: " + requestOf(r.Operation, r.Subject), No: "close",
		Consequence: "The request was sent at " + u.env.Times.Here(r.Time) + " by " + plain.Line(r.By) + ".",
	}
	if r.Damaged() { // there is neither a time nor a user to tell
		q.Text = "The record of this machine is damaged: " + plain.Line(r.Subject)
		q.Consequence = u.env.Commands("The damaged line may be a change with an unknown outcome. See {command:log --verify} for more.")
	} else if e.Found != "" {
		q.Consequence += " " + views.Sentence(e.Found)
	}
	q.Consequence += " No other " + changeOf(r.Target, r.Subject) + " is sent until this is known."
	if e.Wait > 0 {
		q.Consequence += " From " + u.env.Times.Here(now.Add(e.Wait)) + " on you may allow another one."
		q.Yes, q.Then = "look for it", u.check(true)
		return u.confirm(q, unrequested)
	}
	q.Consequence += " Check the site first; :unresolved requests looks for it. If you allow another one, both may take effect."
	q.Word, q.Yes, q.Then = plain.Line(r.Subject), "allow another one", u.scope.Write(func(ctx context.Context) tea.Msg {
		err := site.AllowNextWrite(ctx, r.Target, r.Subject)
		return views.Retry{Do: func() tea.Cmd { return tea.Batch(allowed(err), u.tell(views.RecordChanged)) }}
	})
	if service, err := adminapi.ParseServicePath(r.Subject); err == nil && adminapi.TargetService(service) == r.Target {
		q.Word = plain.Line(service.Name) // as a stop asks for it
	}
	return u.confirm(q, unrequested)
}

// changeOf names what waits for a write in a sentence.
func changeOf(target, subject string) string {
	switch {
	case target == operation.AnyTarget:
		return "change"
	case target == adminapi.TargetSite:
		return "upgrade, rollback or manifest"
	case strings.HasPrefix(target, "service "):
		return "change of " + plain.Line(subject)
	}
	return "health check of that name"
}

func allowed(err error) tea.Cmd {
	if err != nil {
		return views.TellError(err)
	}
	return views.Tell(views.Success, "another request may be sent; this sent nothing")
}
