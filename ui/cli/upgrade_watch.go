package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/cli/output"
	"geodeck/ui/paint"
)

func (u upgradeCommands) watchCommand() *cobra.Command {
	w := upgradeWatch{upgradeCommands: u}
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Watch the running upgrade to its end",
		Long: `Watch the running upgrade to its end, whoever started it.

Messages are printed as they arrive; --from-start prints the earlier ones too. A watch
that was cut off resumes where it ended. With -o jsonl each message is a line as the API
sends it, with code, message and when. The state is a line with state, at the start of
each watch and at each change; the time that is left is a line with estimate, every ten
minutes. Everything is saved in a transcript (geodeck upgrade
transcripts).

The watch continues while the API does not answer, which is normal while the API itself
is upgraded, and while the site refuses the token. --token-file is read again each time;
without it the watch ends once the site has refused for 10 minutes. A slow reader of the
output stops nothing: up to 64 MiB wait, in order.

Exit codes: 0 the upgrade succeeded; 1 it failed, led to another version than was confirmed
on this machine, or none is running; 3 sign-in needed; 5 no answer at all; 6 it ended,
outcome unknown; 7 it was still running when --timeout was over.`,
		Example: `  geodeck upgrade watch --timeout 6h
  geodeck upgrade watch --from-start -o jsonl
  geodeck upgrade start pat_12082025_6805 --confirm 11.5.0.6805 && geodeck upgrade watch`,
		Args: cobra.NoArgs,
		RunE: runs(w.run),
	}
	cmd.Flags().BoolVar(&w.fromStart, "from-start", false, "print the earlier messages too")
	u.alarms.register(cmd)
	return cmd
}

// upgradeWatch is the command "geodeck upgrade watch", and a poller that prints what it
// reads.
type upgradeWatch struct {
	upgradeCommands
	fromStart bool // flag

	site    operation.Site
	watch   *watching.Watch
	before  watching.Snapshot
	resumes bool      // an unfinished watch
	printed bool      // a first snapshot was
	told    time.Time // when an estimate was printed, by the server's clock
}

func (w *upgradeWatch) run(ctx context.Context) error {
	if _, err := w.alarms.chosen(); err != nil {
		return err
	}
	var err error
	if w.site, err = w.session.site(ctx); err != nil {
		return err
	}
	if w.site.Memory.Journal, err = w.session.journal(); err != nil {
		w.out.Note(withAdvice("warning: no transcript is saved: ", err))
	}
	w.out.AllowPausedReaders()
	w.begin(ctx)
	_, err = polling.Wait(ctx, w.session.clock(), w, nil)
	return w.timeUp(err)
}

// begin watches the upgrade that was sent from here, and resumes an unfinished watch:
// messages since then are printed.
func (w *upgradeWatch) begin(ctx context.Context) {
	w.watch = watching.NewWatch(w.site, nil)
	switch run, err := w.site.LastSent(ctx); {
	case ctx.Err() != nil:
		w.wait.noteEarlier(err)
	case err != nil && adminapi.IsTransient(err):
		w.wait.reportUnreachable(adminapi.Job{}, err, "retrying")
	case run != nil:
		w.watch = watching.NewWatch(w.site, run)
	}
	if unfinished, found, _ := w.site.Memory.Unfinished(); found {
		w.watch.Resume(unfinished.ID)
		w.resumes = true
	}
}

// Next polls once and prints what is new.
func (w *upgradeWatch) Next(ctx context.Context) (polling.Step[watching.Snapshot], error) {
	step, err := w.watch.Next(ctx)
	switch {
	case ctx.Err() != nil:
		w.wait.noteEarlier(err)
		return step, ctx.Err()
	case err != nil && !w.printed:
		return step, w.withTranscript(err)
	case err != nil:
		w.wait.reportUnreachable(adminapi.Job{}, err, "retrying")
		return step, nil
	}
	if err := w.print(ctx, step.Value); err != nil {
		return step, err
	}
	if w.refusedForGood(step.Value) {
		return step, w.withTranscript(step.Value.Refused)
	}
	return step, w.judge(step.Value)
}

// print prints what is new in a snapshot.
func (w *upgradeWatch) print(ctx context.Context, r watching.Snapshot) error {
	w.reportTrouble(r)
	w.wait.upgrade = w.wait.upgrade || r.Seen && !r.Ended
	if alarm, due := watching.AlarmOf(w.site, w.before, r); due {
		w.alarms.call(ctx, alarm)
	}
	if r.TranscriptErr != nil && w.before.TranscriptErr == nil {
		w.out.Note(withAdvice("warning: the transcript cannot be saved: ", r.TranscriptErr))
	}
	first, before := !w.printed && r.Unreachable == nil && r.Refused == nil, w.before
	w.before = r
	if r.Unreachable != nil || r.Refused != nil {
		return nil
	}
	w.printed = true
	if err := w.printMessages(r, first); err != nil {
		return err
	}
	if s := r.Status; first || s.State != before.Status.State || s.Code != before.Status.Code {
		if err := w.printState(r); err != nil {
			return err
		}
	}
	return w.printEstimate(r)
}

// estimatePause is how often the time that is left is printed.
const estimatePause = 10 * time.Minute

// estimateLine is the time that is left in JSON.
type estimateLine struct {
	Estimate estimateJSON    `json:"estimate"`
	When     adminapi.Millis `json:"when"`
}

func (w *upgradeWatch) printEstimate(r watching.Snapshot) error {
	at := r.ServerAt()
	left := estimateOf(r)
	if left == nil || at.Sub(w.told).Abs() < estimatePause {
		return nil
	}
	w.told = at
	if w.out.JSON() {
		return w.out.PrintEvent(estimateLine{*left, adminapi.MillisOf(at)})
	}
	return w.out.PrintRows([][]output.Cell{w.out.Renderer().Row(output.FormatTime(at), "left", left.Text+" ("+left.Basis+")")})
}

// reportTrouble says once why nothing new is known.
func (w *upgradeWatch) reportTrouble(r watching.Snapshot) {
	meanwhile := "retrying"
	if r.Seen {
		meanwhile = "it restarts during an upgrade, " + meanwhile
	}
	switch {
	case r.Refused != nil:
		w.wait.reportRefused(r.Refused)
	case r.Doubt != watching.NoDoubt && w.before.Doubt != r.Doubt:
		w.out.Note("not confirmed yet: " + r.DoubtText())
		fallthrough
	default:
		w.wait.reportUnreachable(adminapi.Job{}, r.Unreachable, meanwhile)
	}
}

// patience is how long a watch goes on while the site refuses the token and there is no
// source of another one.
const patience = 10 * time.Minute

// refusedForGood reports whether the site will not accept the token any more.
func (w *upgradeWatch) refusedForGood(r watching.Snapshot) bool {
	return r.Refused != nil && !w.session.renews() && w.session.clock().Now().Sub(r.RefusedSince) >= patience
}

// printMessages prints new messages. The first snapshot has none that are new, except
// with --from-start or when a watch is resumed.
func (w *upgradeWatch) printMessages(r watching.Snapshot, first bool) error {
	messages := r.Added
	if first && !w.resumes || first && w.fromStart {
		messages = nil
		for i := r.Log.Run(); w.fromStart && i < r.Log.Len(); i++ {
			messages = append(messages, r.Log.At(i))
		}
	}
	if w.out.JSON() {
		for _, m := range messages {
			if err := w.out.PrintEvent(m.UpgradeMessage); err != nil {
				return err
			}
		}
		return nil
	}
	return w.out.PrintRows(each(messages, func(m progress.Message) []output.Cell {
		return messageRow(w.out.Renderer(), m.UpgradeMessage)
	}))
}

func messageRow(l *output.Renderer, m adminapi.UpgradeMessage) []output.Cell {
	return l.Row(output.FormatTime(m.When.Time()), m.Code, progress.LineOf(m))
}

// stateLine is a change of the state in JSON. It never has a message.
type stateLine struct {
	State string          `json:"state"`
	Code  int             `json:"code"`
	When  adminapi.Millis `json:"when"` // by the server's clock, as that of a message
}

func (w *upgradeWatch) printState(r watching.Snapshot) error {
	if w.out.JSON() {
		return w.out.PrintEvent(stateLine{r.Status.State, r.Status.Code, adminapi.MillisOf(r.ServerAt())})
	}
	l := w.out.Renderer()
	row := l.Row(output.FormatTime(r.ServerAt()), upgradeState(l, r.Meaning), "")
	if r.Ended || r.NothingRuns { // since when is not known
		row = []output.Cell{row[1], {Text: "asked at " + row[0].Text}}
	}
	if r.Meaning == progress.StateUnknown {
		row[2] = output.Cell{Text: cmp.Or(plain.Line(r.Status.State), "no state") + ": neither running nor ended by this state; still watching"}
	}
	return w.out.PrintRows([][]output.Cell{row})
}

// judge is the error that the command ends with, nil if it goes on or the upgrade succeeded.
func (w *upgradeWatch) judge(r watching.Snapshot) error {
	if r.Ended {
		w.wait.upgrade = false
	}
	switch {
	case r.Ended && r.Meaning == progress.StateSucceeded:
		if r.MessagesMissing {
			w.out.Note("the installed version shows success; the site reports no end")
		}
		if r.Confirmed != "" {
			return &failure{code: exitFailed, kind: string(watching.AlarmElsewhere), err: errors.New(r.Elsewhere()), advice: "Compare what is installed: {command:upgrade history}"}
		}
	case r.Undecided:
		return &failure{code: exitUnknown, kind: kindUnknown, advice: "See what is installed: {command:upgrade history}, {command:upgrade available}",
			err: fmt.Errorf("how the %s ended is unknown: %s, and the installed version does not show it", r.Progress.Kind.Noun(), r.DoubtText())}
	case r.Ended:
		return notPassed(adviceFailed,
			"the "+r.Progress.Kind.Noun()+" has failed"+joined(", and stopped in ", r.Progress.StoppedIn()))
	case r.NothingRuns && r.Unreachable == nil:
		return &failure{code: exitFailed, kind: "nothing runs", advice: "Past upgrades: {command:upgrade history}",
			err: fmt.Errorf("no upgrade runs; the site says: %s", r.Meaning)}
	}
	return nil
}

// withTranscript adds to an error how the watch can be resumed.
func (w *upgradeWatch) withTranscript(err error) error {
	f := *w.exit.explain(err)
	if errors.Is(err, adminapi.KindSignIn) || errors.Is(err, adminapi.KindPrivilege) {
		f.code = exitSignIn // whatever the site calls it
	}
	if w.before.Transcript != "" {
		f.advice = "Sign in again and resume: {command:upgrade watch}\nThe transcript is saved: {command:upgrade transcripts}"
	}
	return &f
}

// timeUp says what is known when the time is up: that a sign-in is needed, or that the
// state is neither running nor an end.
func (w *upgradeWatch) timeUp(err error) error {
	if w.before.Refused != nil && w.exit.timedOut() {
		return w.withTranscript(w.before.Refused)
	}
	if !w.printed || w.before.Meaning != progress.StateUnknown || !w.exit.timedOut() {
		return err
	}
	return &failure{code: exitGoingOn, kind: "going on", advice: "Resume with: {command:upgrade watch}",
		err: fmt.Errorf("no end within %s; the site says %q, neither running nor an end%s",
			adminapi.FormatDuration(w.exit.timeout), plain.Clip(w.before.Status.State, 60), w.wait.lastCause())}
}

var statusOfState = map[progress.State]output.Status{
	progress.StateIdle: output.Idle, progress.StateRunning: output.Running, progress.StateSucceeded: output.Good, progress.StateFailed: output.Bad,
}

func upgradeState(l *output.Renderer, s progress.State) output.Cell {
	return l.StatusCell(statusOfState[s], s.String())
}

// Names of the environment for alarms.
const (
	envAlarms = "GEODECK_ALARMS"
	envHook   = "GEODECK_HOOK"
)

// The kinds of alarms of a terminal.
const (
	alarmBell   = "bell"
	alarmNotify = "notify"
	alarmNone   = "none"
)

// alarms call the user when an upgrade ends, fails or stalls.
type alarms struct {
	shared
	flags alarmFlags
}

// alarmFlags are what --alarms and --hook were given.
type alarmFlags struct{ kinds, hook string }

func (a *alarms) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.flags.kinds, "alarms", "", "what to do when an upgrade ends, fails or stalls: bell, notify (OSC 9), both or none (or "+envAlarms+"; default both)")
	cmd.Flags().StringVar(&a.flags.hook, "hook", "", "program to run when an upgrade ends, fails or stalls; its standard input is the alarm as JSON (or "+envHook+")")
}

// alarmCalls are the calls that were chosen.
type alarmCalls struct {
	Bell, Notify bool
	Hook         *watching.Hook // nil for none
}

// chosen returns the calls that flags, else the environment, else config.yaml name.
func (a *alarms) chosen() (c alarmCalls, err error) {
	s, err := a.session.settings()
	if err != nil {
		return c, err
	}
	return a.of(s)
}

// of returns the calls for a site with these settings.
func (a *alarms) of(s settings) (c alarmCalls, err error) {
	c, err = alarmKinds(cmp.Or(a.flags.kinds, a.session.env(envAlarms), s.alarms.value, alarmBell+","+alarmNotify))
	if err != nil {
		return c, err
	}
	if hook := cmp.Or(a.flags.hook, a.session.env(envHook), s.hook.value); hook != "" {
		c.Hook = &watching.Hook{Program: hook}
		if err := c.Hook.Check(); err != nil {
			return c, badInput("", err)
		}
	}
	return c, nil
}

// alarmKinds reads the kinds that --alarms takes.
func alarmKinds(kinds string) (c alarmCalls, err error) {
	for _, kind := range strings.Split(kinds, ",") {
		switch strings.TrimSpace(kind) {
		case alarmBell:
			c.Bell = true
		case alarmNotify:
			c.Notify = true
		case alarmNone:
		default:
			return c, badInputf("--alarms takes %s, %s, %s, not %s", alarmBell, alarmNotify, alarmNone, strings.TrimSpace(kind))
		}
	}
	return c, nil
}

// call calls the user. A call that fails is a warning; the watch goes on.
func (a *alarms) call(ctx context.Context, alarm watching.Alarm) {
	a.out.Note(alarm.Text)
	calls, err := a.chosen()
	if err != nil || alarm.Known { // the watch has refused such flags
		return
	}
	if _, ok := output.Terminal(a.out.Err); ok && !a.out.Plain {
		a.ring(calls, alarm.Text)
	}
	if calls.Hook == nil {
		return
	}
	if err := calls.Hook.Run(ctx, alarm); err != nil {
		a.out.Note("warning: " + err.Error())
	}
}

// ring calls the user by the terminal, without waiting long for one that is busy.
func (a *alarms) ring(calls alarmCalls, text string) {
	screen := paint.NewTerminal(output.Underlying(a.out.Err).(*os.File), a.session.env)
	rung := make(chan struct{})
	go func() {
		defer close(rung)
		if calls.Bell {
			_ = screen.Bell()
		}
		if calls.Notify && !a.out.Dumb() {
			_ = screen.Notify(text)
		}
	}()
	patience := time.NewTimer(output.FlushLimit)
	defer patience.Stop()
	select {
	case <-rung:
	case <-patience.C:
	}
}
