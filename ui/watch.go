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

// watch is the chain of the one watch of the site's upgrade: a poll, a pause,
// the next poll, whatever view is shown. One request is under way at most.
// What was read is in the Env, for everybody.
type watch struct {
	part
	site    *siteStatus
	alarms  *alarms
	chain   *operation.UpgradeWatch
	polling bool
	offered adminapi.Millis // begin of the run that was offered to be watched
	asked   bool            // whether one was offered
	cutOff  cutOff          // what an earlier program was watching
}

// take is the end of one reading.
type watched struct {
	operation.Step[operation.UpgradeSnapshot]
	err error
}

// watchDue says that the pause is over.
type watchDue struct{}

// begin starts the chain. One that goes on is kept, unless it has not
// seen an upgrade yet and one was accepted just now or is to be resumed. Where a
// watch was cut off the chain goes on with that.
func (w *watch) begin(asked views.WatchUpgrade) tea.Cmd {
	if w.env.Offline {
		return views.Tell(views.Warning, "there is no site to watch: geodeck runs offline")
	}
	w.shell.shutDialog(offerID)
	if news := asked.Run != nil || asked.Resume != ""; w.env.Upgrade.On && (!news || w.env.Upgrade.Reading.Seen) {
		return w.now()
	}
	w.chain, w.polling = w.env.Site.WatchUpgrade(asked.Run), false
	if id := cmp.Or(asked.Resume, w.cutOff.id); asked.Run == nil && id != "" {
		w.chain.Resume(id)
	}
	w.cutOff = cutOff{read: w.cutOff.read}
	w.env.Upgrade = views.Watched{On: true, Started: asked.Run != nil}
	return w.poll()
}

// now polls without waiting for the end of the pause.
func (w *watch) now() tea.Cmd {
	if !w.env.Upgrade.On || w.polling {
		return nil
	}
	return w.poll()
}

// poll reads once. The chain belongs to the request until it has ended.
func (w *watch) poll() tea.Cmd {
	chain := w.chain
	w.polling, w.env.Upgrade.Next = true, time.Time{}
	return w.scope.Do("watch", func(ctx context.Context) tea.Msg {
		step, err := chain.Next(ctx)
		return watched{step, err}
	})
}

// take keeps what was read, and goes on unless that was the end.
func (w *watch) take(got watched) tea.Cmd {
	w.polling = false
	reading := got.Value
	was, before := w.env.Upgrade.Refused(), w.env.Upgrade.Reading
	w.env.Upgrade.Reading, w.env.Upgrade.Err = reading, got.err
	w.env.Upgrade.Stall = w.stall()
	w.env.Times.Origin, w.env.Times.Ahead = reading.Progress.Began.Time(), reading.Ahead
	if got.err == nil && reading.Away == nil {
		w.site.overview.Upgrade, w.site.overview.Run = reading.Status, reading.Progress.Run
	}
	alarm := w.alarms.judge(before, reading)
	var next tea.Cmd
	switch {
	case errors.Is(got.err, adminapi.KindSignIn):
		next = w.askSignIn(got.err, was, got.Wait)
		if !errors.Is(was, adminapi.KindSignIn) && reading.Seen {
			alarm = w.alarms.call(w.env.Site.SignInAlarm(reading, w.env.Clock.Now()))
		}
	case got.err != nil:
		next = tea.Batch(w.sayRefused(got.err, was), w.pollLater(got.Wait))
	case reading.Refused != nil:
		next = w.askSignIn(reading.Refused, was, got.Wait)
	case reading.Ended:
		next = w.ended(reading)
	case reading.NothingRuns && reading.Away == nil:
		w.env.Upgrade.On = false
		next = w.findCutOff()
	default:
		next = w.pollLater(got.Wait)
	}
	return tea.Batch(next, alarm)
}

// stall is how long the run has been silent, where that is too long.
func (w *watch) stall() *progress.Stall {
	if s, stalls := w.env.Site.StallOf(w.env.Upgrade.Reading); stalls {
		return &s
	}
	return nil
}

func (w *watch) pollLater(wait time.Duration) tea.Cmd {
	w.env.Upgrade.Next = w.env.Clock.Now().Add(wait)
	return w.scope.After(w.env.Clock, wait, "watch", func(context.Context) tea.Msg { return watchDue{} })
}

// askSignIn asks for a sign-in, once, while the watch tries on with the token that
// it has: a site that restarts may refuse it for a moment. Who signed out on purpose is
// not asked; signing in goes on.
func (w *watch) askSignIn(err, was error, wait time.Duration) tea.Cmd {
	if !w.env.Site.Client.Token().Known() {
		return nil
	}
	next := w.pollLater(wait)
	switch {
	case errors.Is(was, adminapi.KindSignIn):
	case errors.Is(err, adminapi.KindSignIn):
		return tea.Batch(next, w.shell.askSignIn(views.SignIn{Reason: "The watch of the upgrade tries on. Sign in if this lasts: " + err.Error()}))
	default:
		return tea.Batch(next, w.sayRefused(err, was))
	}
	return next
}

// sayRefused says a refusal once, not at every attempt.
func (w *watch) sayRefused(err, was error) tea.Cmd {
	if was != nil && was.Error() == err.Error() {
		return nil
	}
	return w.shell.notify(views.Notice{Level: views.Failure, Text: err.Error(), Err: err})
}

// ended says so once and reads the site: its version may be another one.
func (w *watch) ended(r operation.UpgradeSnapshot) tea.Cmd {
	w.env.Upgrade.On = false
	run := r.Progress.Run
	took := ""
	if d := run.Last.Time().Sub(run.Began.Time()); d > 0 {
		took = " after " + adminapi.FormatElapsed(d)
	}
	what := "the " + r.Progress.Kind.Noun()
	notice := views.Notice{Level: views.Success, Text: what + " has succeeded" + took}
	if r.MessagesMissing {
		notice.Text = what + " has succeeded by the installed version; messages of its end are missing"
	}
	if r.Meaning == progress.StateFailed {
		notice = views.Notice{Level: views.Failure, Text: what + " has failed" + took + "; its messages tell more"}
	}
	return tea.Batch(w.shell.notify(notice), w.shell.fetchSite())
}

// watched takes a reading and tells every view.
func (m *Model) watched(got watched) tea.Cmd {
	cmds := []tea.Cmd{m.watch.take(got)}
	for _, v := range m.router.watchers() {
		cmds = append(cmds, v.Watched(m.env.Upgrade))
	}
	return tea.Batch(cmds...)
}
