package ui

import (
	"cmp"
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// watch is the chain of the one watch of the site's upgrade: a reading, a pause,
// the next reading, whatever view is shown. One request is under way at most.
// What was read is in the Env, for everybody.
type watch struct {
	chain   *operation.UpgradeWatch
	asking  bool
	offered adminapi.Millis // begin of the run that was offered to be watched
	asked   bool            // whether one was offered
	cutOff  cutOff          // what an earlier program was watching
}

// watched is the end of one reading.
type watched struct {
	reading operation.UpgradeReading
	wait    time.Duration
	err     error
}

// watchDue says that the pause is over.
type watchDue struct{}

// refusedPause is how long to wait where the site refuses to tell: a gateway
// that is half restarted does that too, and a watch must not end of it.
const refusedPause = 30 * time.Second

// watchUpgrade starts the chain. One that goes on is kept, unless it has not
// seen an upgrade yet and one was accepted just now or is to be resumed. Where a
// watch was cut off the chain goes on with that.
func (m *Model) watchUpgrade(w views.WatchUpgrade) tea.Cmd {
	if m.env.Offline {
		return views.Tell(views.Warning, "there is no site to watch: geodeck runs offline")
	}
	m.dialogs.remove(offerID)
	if news := w.Run != nil || w.Resume != ""; m.env.Upgrade.On && (!news || m.env.Upgrade.Reading.Seen) {
		return m.watchNow()
	}
	m.watch.chain, m.watch.asking = m.env.Site.WatchUpgrade(w.Run), false
	if id := cmp.Or(w.Resume, m.watch.cutOff.id); w.Run == nil && id != "" {
		m.watch.chain.Resume(id)
	}
	m.watch.cutOff = cutOff{read: m.watch.cutOff.read}
	m.env.Upgrade = views.Watched{On: true, Started: w.Run != nil}
	return m.askUpgrade()
}

// watchNow asks without waiting for the end of the pause.
func (m *Model) watchNow() tea.Cmd {
	if !m.env.Upgrade.On || m.watch.asking {
		return nil
	}
	return m.askUpgrade()
}

// askUpgrade reads once. The chain belongs to the request until it has ended.
func (m *Model) askUpgrade() tea.Cmd {
	chain := m.watch.chain
	m.watch.asking, m.env.Upgrade.Next = true, time.Time{}
	return m.scope.Do("watch", func(ctx context.Context) tea.Msg {
		reading, wait, err := chain.Next(ctx)
		return watched{reading, wait, err}
	})
}

// watched takes a reading, tells every view, and goes on unless that was the end.
func (m *Model) watched(w watched) tea.Cmd {
	m.watch.asking = false
	was, before := m.env.Upgrade.Refused(), m.env.Upgrade.Reading
	m.env.Upgrade.Reading, m.env.Upgrade.Err = w.reading, w.err
	m.env.Upgrade.Stall = m.stall()
	m.env.Times.Origin, m.env.Times.Ahead = w.reading.Progress.Began.Time(), w.reading.Ahead
	if w.err == nil && w.reading.Away == nil {
		m.site.overview.Upgrade, m.site.overview.Run = w.reading.Status, w.reading.Progress.Run
	}
	alarm := m.judge(before, w.reading)
	var next tea.Cmd
	switch {
	case errors.Is(w.err, adminapi.KindSignIn):
		next = m.signInToWatch(w.err, was, refusedPause)
		if !errors.Is(was, adminapi.KindSignIn) && w.reading.Seen {
			alarm = m.call(m.env.Site.SignInAlarm(w.reading, m.env.Clock.Now()))
		}
	case w.err != nil:
		next = tea.Batch(m.refusedToTell(w.err, was), m.askLater(refusedPause))
	case w.reading.Refused != nil:
		next = m.signInToWatch(w.reading.Refused, was, w.wait)
	case w.reading.Ended:
		next = m.upgradeEnded(w.reading)
	case w.reading.Away == nil && w.reading.Odd == operation.NotOdd && m.nothingToWatch(w.reading):
		m.env.Upgrade.On = false
		next = m.lookForCutOff()
	default:
		next = m.askLater(w.wait)
	}
	return tea.Batch(next, alarm, m.tellWatchers())
}

// stall is how long the run has been silent, where that is too long.
func (m *Model) stall() *progress.Stall {
	if s, stalls := m.env.Site.StallOf(m.env.Upgrade.Reading); stalls {
		return &s
	}
	return nil
}

// nothingToWatch tells whether nothing runs, nor did while it was watched. What
// was accepted just now may take a moment to begin.
func (m *Model) nothingToWatch(r operation.UpgradeReading) bool {
	idle := r.Meaning == progress.StateIdle || r.Meaning == progress.StateSucceeded || r.Meaning == progress.StateFailed
	return idle && !r.Seen && !m.env.Upgrade.Started
}

func (m *Model) askLater(wait time.Duration) tea.Cmd {
	m.env.Upgrade.Next = m.env.Clock.Now().Add(wait)
	return m.scope.After(m.env.Clock, wait, "watch", func(context.Context) tea.Msg { return watchDue{} })
}

// signInToWatch asks for a sign-in, once, while the watch tries on with the token that
// it has: a site that restarts may refuse it for a moment. Who signed out on purpose is
// not asked; signing in goes on.
func (m *Model) signInToWatch(err, was error, wait time.Duration) tea.Cmd {
	if !m.env.Site.Client.Token().Known() {
		return nil
	}
	next := m.askLater(wait)
	switch {
	case errors.Is(was, adminapi.KindSignIn):
	case errors.Is(err, adminapi.KindSignIn):
		return tea.Batch(next, m.askSignIn(views.SignIn{Reason: "The watch of the upgrade tries on. Sign in if this lasts: " + err.Error()}))
	default:
		return tea.Batch(next, m.refusedToTell(err, was))
	}
	return next
}

// refusedToTell says a refusal once, not at every attempt.
func (m *Model) refusedToTell(err, was error) tea.Cmd {
	if was != nil && was.Error() == err.Error() {
		return nil
	}
	return m.notify(views.Notice{Level: views.Failure, Text: err.Error(), Err: err})
}

// upgradeEnded says so once and reads the site: its version may be another one.
func (m *Model) upgradeEnded(r operation.UpgradeReading) tea.Cmd {
	m.env.Upgrade.On = false
	run := r.Progress.Run
	took := ""
	if d := run.Last.Time().Sub(run.Began.Time()); d > 0 {
		took = " after " + adminapi.Took(d)
	}
	what := "the " + r.Progress.Kind.Noun()
	notice := views.Notice{Level: views.Success, Text: what + " has succeeded" + took}
	if r.MessagesMissing {
		notice.Text = what + " has succeeded by the installed version; messages of its end are missing"
	}
	if r.Meaning == progress.StateFailed {
		notice = views.Notice{Level: views.Failure, Text: what + " has failed" + took + "; its messages tell more"}
	}
	return tea.Batch(m.notify(notice), m.look())
}

func (m *Model) tellWatchers() tea.Cmd {
	var cmds []tea.Cmd
	for _, w := range m.router.watchers() {
		cmds = append(cmds, w.Watched(m.env.Upgrade))
	}
	return tea.Batch(cmds...)
}
