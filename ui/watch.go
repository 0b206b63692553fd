package ui

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// watch polls the site's upgrade, whatever view is shown: a poll, a pause, the next
// poll. One request is under way at most. The result is in the Env, for all views.
type watch struct {
	part
	alarms     alarms
	chain      *views.Poll[watching.Snapshot]
	offeredRun adminapi.Millis // begin of the run that was offered to be watched
	hasOffered bool            // whether one was offered
	// offersRunning says that the question is about an upgrade that ran when it was asked.
	offersRunning bool
	unfinished    unfinishedWatch // what an earlier program was watching
}

// watchStep is the end of one poll.
type watchStep struct {
	polling.Step[watching.Snapshot]
	err error
}

// begin starts to watch. A watch that is under way goes on, unless it has not seen an
// upgrade yet and one was just accepted or is resumed. An unfinished watch is
// continued.
func (w *watch) begin(request views.WatchUpgrade) tea.Cmd {
	if w.env.Offline {
		return views.Tell(views.Warning, "no site to watch: geodeck runs offline")
	}
	_ = w.tell(closeDialog{offerID})
	if news := request.Run != nil || request.Resume != ""; w.env.Upgrade.On && (!news || w.env.Upgrade.Snapshot.Seen) {
		return w.now()
	}
	upgrade := watching.NewWatch(w.env.Site, request.Run)
	if id := cmp.Or(request.Resume, w.unfinished.id); request.Run == nil && id != "" {
		upgrade.Resume(id)
	}
	w.chain = views.NewPoll(w.scope, w.env.Clock, "watch", upgrade, func(step polling.Step[watching.Snapshot], err error) tea.Msg {
		step.Value.Added = nil // the log has them
		return watchStep{step, err}
	})
	w.unfinished = unfinishedWatch{read: w.unfinished.read}
	_ = w.tell(watchBegun{})
	w.env.Upgrade = views.Watched{On: true, Started: request.Run != nil}
	return w.now()
}

// now polls at once, without waiting for the end of the pause.
func (w *watch) now() tea.Cmd {
	if !w.env.Upgrade.On {
		return nil
	}
	w.env.Upgrade.Next = time.Time{}
	return w.chain.Now()
}

// handle keeps the result of a poll, and schedules the next one unless that was the end. Asked says
// that the user is asked to sign in already.
func (w *watch) handle(step watchStep, asked bool) tea.Cmd {
	w.chain.Received()
	snapshot := step.Value
	was, before := w.env.Upgrade.Refused(), w.env.Upgrade.Snapshot
	w.env.Upgrade.Snapshot, w.env.Upgrade.Err = snapshot, step.err
	w.env.Times.Origin = snapshot.Progress.Began.Time()
	ran := w.env.State.Runs()
	w.env.State.Watched(snapshot, step.err)
	w.env.Upgrade.Stall = w.env.State.Upgrade.Value.Stall
	alarm := w.alarms.raise(before, snapshot)
	var release tea.Cmd
	if snapshot.Log.Len()-before.Log.Len() >= manyMessages {
		release = releaseMemory
	}
	var next tea.Cmd
	switch {
	case errors.Is(step.err, adminapi.KindSignIn):
		next = w.askSignIn(step.err, was, step.Wait, asked)
		if !errors.Is(was, adminapi.KindSignIn) && snapshot.Seen {
			alarm = w.alarms.call(watching.SignInAlarm(w.env.Site, snapshot))
		}
	case step.err != nil:
		next = tea.Batch(w.notifyRefused(step.err, was), w.pollLater(step.Wait))
	case snapshot.Refused != nil:
		next = w.askSignIn(snapshot.Refused, was, step.Wait, asked)
	case snapshot.Ended:
		next = w.ended(snapshot)
	case snapshot.NothingRuns && snapshot.Unreachable == nil:
		w.env.Upgrade.On = false
		if ran || !w.unfinished.read && w.env.Site.Memory.Journal != nil {
			next = w.tell(fetchSite{}) // the version may have changed, or another watch is unfinished
		}
	default:
		next = w.pollLater(step.Wait)
	}
	return tea.Batch(next, alarm, release)
}

// manyMessages is how many messages at once, of an answer or a transcript, are worth a
// collection of garbage.
const manyMessages = 10_000

// releaseMemory returns memory to the system after a long log was read, which takes three
// times the memory of keeping it. The collector alone would do so after two minutes. From
// then on less garbage may accumulate, as the percentage is of a large heap.
func releaseMemory() tea.Msg {
	debug.SetGCPercent(garbagePercent / 3)
	debug.FreeOSMemory()
	return nil
}

func (w *watch) pollLater(wait time.Duration) tea.Cmd {
	w.env.Upgrade.Next = w.env.Clock.Now().Add(wait)
	return w.scope.Later(w.env.Clock, wait, "watch", w.now)
}

// askSignIn says, once, that a sign-in is needed, while the watch retries with the token that
// it has: a site that restarts may refuse it for a moment. A form would hide the upgrade that
// is seen, so it is shown only where none is. A user who has signed out is not told; signing
// in continues the watch.
func (w *watch) askSignIn(err, was error, wait time.Duration, asked bool) tea.Cmd {
	if !w.token().Known() {
		return nil
	}
	next := w.pollLater(wait)
	switch {
	case errors.Is(was, adminapi.KindSignIn) && asked:
	case errors.Is(err, adminapi.KindSignIn) && w.env.Upgrade.Snapshot.Seen:
		_ = w.tell(sessionExpired{})
	case errors.Is(err, adminapi.KindSignIn):
		return tea.Batch(next, w.tell(views.SignIn{Reason: "Still trying to watch the upgrade. Sign in if this lasts."}))
	default:
		return tea.Batch(next, w.notifyRefused(err, was))
	}
	return next
}

// notifyRefused shows a refusal once, not at every attempt.
func (w *watch) notifyRefused(err, was error) tea.Cmd {
	if was != nil && was.Error() == err.Error() {
		return nil
	}
	return w.tell(views.Failed(err.Error(), err))
}

// ended shows how the upgrade ended and fetches the site, whose version may have changed.
func (w *watch) ended(r watching.Snapshot) tea.Cmd {
	w.env.Upgrade.On = false
	run := r.Progress.Run
	took, since, end := " after ", "", run.Last
	if by := r.Progress.FailedBy; by > end {
		took, since, end = "; noticed ", " in", by
	}
	if d := end.Time().Sub(run.Began.Time()); d > 0 {
		took += adminapi.FormatElapsed(d) + since
	} else {
		took = ""
	}
	what := "the " + r.Progress.Kind.Noun()
	notice := views.Notice{Level: views.Success, Text: what + " has succeeded" + took}
	if r.MessagesMissing {
		notice.Text = what + " has succeeded: the new version is installed; its last messages are missing"
	}
	if r.Meaning == progress.StateFailed {
		notice = views.Notice{Level: views.Failure, Text: what + " failed" + took + views.Keys("; {key:progress.explain} says what to do")}
	}
	return tea.Batch(w.tell(notice), w.tell(fetchSite{}))
}

// watchStep handles a poll and passes its result to every view.
func (m *Model) watchStep(step watchStep) tea.Cmd {
	handled := m.watch.handle(step, m.session.waits || !m.session.begun)
	return tea.Batch(handled, m.screen.router.tell(views.UpgradeRead), m.screen.router.tell(views.StateChanged))
}

// alarms alert a user who is not looking at the screen.
type alarms struct {
	part
	bell bool
	osc  bool // notifies through the terminal
	hook bool
}

// alarmWords are the arguments of the command for alarms.
var alarmWords = []string{"on", "off", "bell on", "bell off", "notify on", "notify off"}

// silent reports whether no alarm would reach a user who is not looking at the screen.
func (a *alarms) silent() bool { return !a.bell && !a.osc && !a.runsHook() }

func (a *alarms) runsHook() bool { return a.hook && a.options.Alarms.Hook != nil }

// switchTo switches alarms on or off by words, and shows which are on.
func (a *alarms) switchTo(words string) tea.Cmd {
	words = strings.Join(strings.Fields(words), " ")
	switch on := strings.HasSuffix(words, "on"); words {
	case "":
	case "on", "off":
		a.bell, a.osc, a.hook = on, on, on
	case "bell on", "bell off":
		a.bell = on
	case "notify on", "notify off":
		a.osc = on
	default:
		return views.Tell(views.Warning, "alarms take "+strings.Join(alarmWords, ", ")+"; nothing was changed")
	}
	return views.Tell(views.Info, a.String())
}

// String says what is on.
func (a *alarms) String() string {
	if a.silent() {
		return "alarms are off: upgrades that end or stall show only here"
	}
	var calls []string
	if a.bell {
		calls = append(calls, "the bell")
	}
	if a.osc {
		calls = append(calls, "a notification of the terminal")
	}
	if a.runsHook() {
		calls = append(calls, "the hook "+plain.Line(a.options.Alarms.Hook.Program))
	}
	return "alarms are on: " + strings.Join(calls, ", ")
}

// raise alerts the user where a new snapshot calls for it. The end of an upgrade has its
// own notice.
func (a *alarms) raise(before, snapshot watching.Snapshot) tea.Cmd {
	alarm, loud := watching.AlarmOf(a.env.Site, before, snapshot)
	if !loud {
		return nil
	}
	var calls []tea.Cmd
	if !alarm.Known {
		calls = append(calls, a.call(alarm))
	}
	switch alarm.Kind {
	case watching.AlarmElsewhere:
		calls = append(calls, a.tell(views.Notice{Level: views.Failure, Text: alarm.Text + views.Keys("; {key:progress.explain} says what to do")}))
	case watching.AlarmStalled, watching.AlarmUnknown:
		calls = append(calls, a.tell(views.Notice{Level: views.Warning, Text: alarm.Text}))
	}
	return tea.Batch(calls...)
}

// call alerts the user by every alarm that is on.
func (a *alarms) call(alarm watching.Alarm) tea.Cmd {
	return tea.Batch(a.ring(alarm.Text), a.startHook(alarm))
}

// ring alerts through the terminal. Errors are ignored: a closed terminal has no user.
func (a *alarms) ring(text string) tea.Cmd {
	terminal, bell, osc := a.options.Terminal, a.bell, a.osc
	if terminal == nil || !bell && !osc {
		return nil
	}
	return func() tea.Msg {
		if osc {
			_ = terminal.Notify(text)
		}
		if bell {
			_ = terminal.Bell()
		}
		return nil
	}
}

func (a *alarms) startHook(alarm watching.Alarm) tea.Cmd {
	if !a.runsHook() {
		return nil
	}
	hook := *a.options.Alarms.Hook
	return a.scope.Write(func(ctx context.Context) tea.Msg {
		if err := hook.Run(ctx, alarm); err != nil {
			return views.Failed(err.Error(), err)
		}
		return nil
	})
}
