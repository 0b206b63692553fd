package upgrade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

func (u commands) watchCommand() *cobra.Command {
	w := watch{commands: u}
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Watch the running upgrade to its end",
		Long: `Watch the running upgrade to its end, whoever started it.

Messages are printed as they arrive; --from-start prints the earlier ones too. A watch
that was cut off resumes where it ended. With -o jsonl each message is a line with code,
message, when, and raw, as the API sends it. The state is a line with state, at the start of
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
		RunE: command.Runs(w.run),
	}
	cmd.Flags().BoolVar(&w.fromStart, "from-start", false, "print the earlier messages too")
	u.alarms.Register(cmd)
	return cmd
}

// watch is the command "geodeck upgrade watch", and a poller that prints what it
// reads.
type watch struct {
	commands
	fromStart bool // flag

	site    operation.Site
	watch   *watching.Watch
	before  watching.Snapshot
	resumes bool      // an unfinished watch
	printed bool      // a first snapshot was
	told    time.Time // when an estimate was printed, by the server's clock
}

func (w *watch) run(ctx context.Context) error {
	if _, err := w.alarms.Chosen(); err != nil {
		return err
	}
	var err error
	if w.site, err = w.Session.Site(ctx); err != nil {
		return err
	}
	if w.site.Memory.Journal, err = w.Session.Journal(); err != nil {
		w.Out.Note(command.WithAdvice("warning: no transcript is saved: ", err))
	}
	w.Out.AllowPausedReaders()
	w.begin(ctx)
	_, err = polling.Wait(ctx, w.Session.Clock(), w, nil)
	return w.timeUp(err)
}

// begin watches the upgrade that was sent from here, and resumes an unfinished watch:
// messages since then are printed.
func (w *watch) begin(ctx context.Context) {
	w.watch = watching.NewWatch(w.site, nil)
	switch run, err := w.site.LastSent(ctx); {
	case ctx.Err() != nil:
		w.Wait.NoteEarlier(err)
	case err != nil && adminapi.IsTransient(err):
		w.Wait.ReportUnreachable(adminapi.Job{}, err, "retrying")
	case run != nil:
		w.watch = watching.NewWatch(w.site, run)
	}
	if unfinished, found, _ := w.site.Memory.Unfinished(); found {
		w.watch.Resume(unfinished.ID)
		w.resumes = true
	}
}

// Next polls once and prints what is new.
func (w *watch) Next(ctx context.Context) (polling.Step[watching.Snapshot], error) {
	step, err := w.watch.Next(ctx)
	switch {
	case ctx.Err() != nil:
		w.Wait.NoteEarlier(err)
		return step, ctx.Err()
	case err != nil && !w.printed:
		return step, w.withTranscript(err)
	case err != nil:
		w.Wait.ReportUnreachable(adminapi.Job{}, err, "retrying")
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
func (w *watch) print(ctx context.Context, r watching.Snapshot) error {
	w.reportTrouble(r)
	w.Wait.Upgrade = w.Wait.Upgrade || r.Seen && !r.Ended
	if alarm, due := watching.AlarmOf(w.site, w.before, r); due {
		w.alarms.Call(ctx, alarm)
		if stalled := stallOf(r); stalled != nil && alarm.Kind == watching.AlarmStalled {
			for _, line := range stalled.Lines("") {
				w.Out.Note(line)
			}
		}
	}
	if r.TranscriptErr != nil && w.before.TranscriptErr == nil {
		w.Out.Note(command.WithAdvice("warning: the transcript cannot be saved: ", r.TranscriptErr))
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
	Estimate estimateJSON `json:"estimate"`
	When     *time.Time   `json:"when"`
}

func (w *watch) printEstimate(r watching.Snapshot) error {
	at := r.ServerAt()
	left := estimateOf(r)
	if left == nil || at.Sub(w.told).Abs() < estimatePause {
		return nil
	}
	w.told = at
	if w.Out.JSON() {
		return w.Out.PrintEvent(estimateLine{*left, adminapi.Moment(at)})
	}
	return w.Out.PrintRows([][]output.Cell{w.Out.Renderer().Row(output.FormatTime(at), "left",
		left.Text+" ("+left.Basis+")")})
}

// reportTrouble says once why nothing new is known.
func (w *watch) reportTrouble(r watching.Snapshot) {
	meanwhile := "retrying"
	if r.Seen {
		meanwhile = "it restarts during an upgrade, " + meanwhile
	}
	switch {
	case r.Refused != nil:
		w.Wait.ReportRefused(r.Refused)
	case r.Doubt != watching.NoDoubt && w.before.Doubt != r.Doubt:
		w.Out.Note("not confirmed yet: " + r.DoubtText())
		fallthrough
	default:
		w.Wait.ReportUnreachable(adminapi.Job{}, r.Unreachable, meanwhile)
	}
}

// patience is how long a watch goes on while the site refuses the token and there is no
// source of another one.
const patience = 10 * time.Minute

// refusedForGood reports whether the site will not accept the token any more.
func (w *watch) refusedForGood(r watching.Snapshot) bool {
	return r.Refused != nil && !w.Session.Renews() && w.Session.Clock().Now().Sub(r.RefusedSince) >= patience
}

// printMessages prints new messages. The first snapshot has none that are new, except
// with --from-start or when a watch is resumed.
func (w *watch) printMessages(r watching.Snapshot, first bool) error {
	messages := r.Added
	if first && !w.resumes || first && w.fromStart {
		messages = nil
		if w.fromStart {
			messages = r.Log.OfRun()
		}
	}
	if w.Out.JSON() {
		for _, m := range messages {
			if err := w.Out.PrintEvent(lineOf(m)); err != nil {
				return err
			}
		}
		return nil
	}
	return w.Out.PrintRows(lists.Each(messages, func(m progress.Message) []output.Cell {
		return messageRow(w.Out.Renderer(), m.UpgradeMessage)
	}))
}

// messageJSON is a message of an upgrade.
type messageJSON struct {
	Code    int        `json:"code"`
	Message string     `json:"message"`
	When    *time.Time `json:"when"` // by the server's clock
}

func messageOf(m adminapi.UpgradeMessage) messageJSON {
	return messageJSON{m.Code, m.Message, m.When.Moment()}
}

// messageLine is a message in a row of its own.
type messageLine struct {
	messageJSON
	Raw jsontext.Value `json:"raw"` // as the server wrote it
}

func lineOf(m progress.Message) messageLine {
	return messageLine{messageOf(m.UpgradeMessage), output.Raw(m.UpgradeMessage)}
}

func messageRow(l *output.Renderer, m adminapi.UpgradeMessage) []output.Cell {
	return l.Row(output.FormatTime(m.When.Time()), m.Code, progress.LineOf(m))
}

// stateLine is a change of the state in JSON. It never has a message.
type stateLine struct {
	State string     `json:"state"`
	Code  int        `json:"code"`
	When  *time.Time `json:"when"` // by the server's clock, as that of a message
}

func stateOf(r watching.Snapshot) stateLine {
	return stateLine{r.Status.State, r.Status.Code, adminapi.Moment(r.ServerAt())}
}

func (w *watch) printState(r watching.Snapshot) error {
	if w.Out.JSON() {
		return w.Out.PrintEvent(stateOf(r))
	}
	l := w.Out.Renderer()
	row := l.Row(output.FormatTime(r.ServerAt()), stateCell(l, r.Meaning), "")
	if r.Ended || r.NothingRuns { // since when is not known
		row = []output.Cell{row[1], {Text: "asked at " + row[0].Text}}
	}
	if r.Meaning == progress.StateUnknown {
		row[2] = output.Cell{Text: cmp.Or(plain.Line(r.Status.State), "no state") +
			": neither running nor ended by this state; still watching"}
	}
	return w.Out.PrintRows([][]output.Cell{row})
}

// judge is the error that the command ends with, nil if it goes on or the upgrade succeeded.
func (w *watch) judge(r watching.Snapshot) error {
	if r.Ended {
		w.Wait.Upgrade = false
	}
	switch {
	case r.Ended && r.Meaning == progress.StateSucceeded:
		if r.MessagesMissing {
			w.Out.Note("the installed version shows success; the site reports no end")
		}
		if r.Confirmed != "" {
			return &exit.Failure{Code: exit.Failed, Kind: string(watching.AlarmElsewhere), Err: errors.New(r.Elsewhere()),
				Advice: "Compare what is installed: {command:upgrade history}"}
		}
	case r.Undecided:
		return exit.New(exit.Unknown, "See what is installed: {command:upgrade history}, {command:upgrade available}",
			fmt.Errorf("how the %s ended is unknown: %s, and the installed version does not show it",
				r.Progress.Kind.Noun(), r.DoubtText()))
	case r.Ended:
		return exit.NotPassed(adviceFailed,
			"the "+r.Progress.Kind.Noun()+" has failed"+plain.Joined(", and stopped in ", r.Progress.StoppedIn()))
	case r.NothingRuns && r.Unreachable == nil:
		return &exit.Failure{Code: exit.Failed, Kind: "nothing runs", Advice: "Past upgrades: {command:upgrade history}",
			Err: fmt.Errorf("no upgrade runs; the site says: %s", r.Meaning)}
	}
	return nil
}

// withTranscript adds to an error how the watch can be resumed.
func (w *watch) withTranscript(err error) error {
	f := *w.Exit.Explain(err)
	if errors.Is(err, adminapi.KindSignIn) || errors.Is(err, adminapi.KindPrivilege) {
		f.Code = exit.SignIn // whatever the site calls it
	}
	if w.before.Transcript != "" {
		f.Advice = "Sign in again and resume: {command:upgrade watch}\nThe transcript is saved: {command:upgrade transcripts}"
	}
	return &f
}

// timeUp says what is known when the time is up: that a sign-in is needed, or that the
// state is neither running nor an end.
func (w *watch) timeUp(err error) error {
	if w.before.Refused != nil && w.Exit.TimedOut() {
		return w.withTranscript(w.before.Refused)
	}
	if !w.printed || w.before.Meaning != progress.StateUnknown || !w.Exit.TimedOut() {
		return err
	}
	return exit.New(exit.GoingOn, "Resume with: {command:upgrade watch}",
		fmt.Errorf("no end within %s; the site says %q, neither running nor an end%s",
			adminapi.FormatDuration(w.Exit.Timeout), plain.Clip(w.before.Status.State, 60), w.Wait.LastCause()))
}
