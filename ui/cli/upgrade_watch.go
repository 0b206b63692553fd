package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// refusedPause is how long a watch waits where the site refuses to tell: a gateway
// that is half restarted does that too.
const refusedPause = 30 * time.Second

func (p *program) upgradeWatchCommand() *cobra.Command {
	var w watching
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Watch the upgrade that runs to its end",
		Long: `Watch the upgrade that runs to its end, whoever started it.

Messages are printed as they come, with --from-start all that there have been
before. A watch that was cut off goes on where it was. With -o jsonl each is a line
as the API tells it, with code, message and when; each change of the state is a line
with state. Everything is kept in a transcript (geodeck upgrade transcripts).

While the API is away, as it is when it upgrades itself, the watch goes on; also
where the site refuses the token for a while. --token-file is read again each time;
without it the watch ends when the site has refused for 10 minutes. A reader of the
output that pauses stops nothing: up to 64 MiB wait for it, in order.

Exit codes: 0 the upgrade has succeeded; 1 it has failed, or none runs; 3 sign-in
needed; 5 no answer at all; 6 it is over, and nobody knows how it ended; 7 it goes on
after --timeout.`,
		Example: `  geodeck upgrade watch --timeout 6h
  geodeck upgrade watch --from-start -o jsonl
  geodeck upgrade start pat_12082025_6805 --confirm 11.5.0.6805 && geodeck upgrade watch`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.upgradeWatch(cmd.Context(), w) },
	}
	cmd.Flags().BoolVar(&w.fromStart, "from-start", false, "print the messages that there have been before, too")
	p.alarms.register(cmd)
	return cmd
}

// watching is one watch as the command tells it.
type watching struct {
	*program
	site      operation.Site
	fromStart bool
	steps     progressLines
	before    operation.UpgradeReading
	resumes   bool // a watch that was cut off
	told      bool // a first reading was printed
}

func (p *program) upgradeWatch(ctx context.Context, w watching) error {
	if _, err := p.alarmWays(); err != nil {
		return err
	}
	site, err := p.connect()
	if err != nil {
		return err
	}
	if site.Journal, err = p.book.open(); err != nil {
		p.note(withAdvice("warning: no transcript is kept: ", err))
	}
	p.goOn()
	w.program, w.site, w.steps = p, site, progressLines{program: p}
	return w.timeUp(ctx, w.follow(ctx, w.begin(ctx)))
}

// begin is the watch of what was sent from here, and goes on with one that was cut
// off: what came meanwhile is printed then.
func (w *watching) begin(ctx context.Context) *operation.UpgradeWatch {
	watch := w.site.WatchUpgrade(nil)
	if run, err := w.site.LastSent(ctx); err == nil && run != nil {
		watch = w.site.WatchUpgrade(run)
	}
	if unfinished, found, _ := w.site.Unfinished(); found {
		watch.Resume(unfinished.ID)
		w.resumes = true
	}
	return watch
}

// follow reads until the upgrade has ended.
func (w *watching) follow(ctx context.Context, watch *operation.UpgradeWatch) error {
	for {
		reading, wait, err := watch.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && !w.told:
			return w.kept(err)
		case err != nil:
			w.steps.away(adminapi.Job{}, err, "it is asked again")
			wait = refusedPause
		default:
			if err := w.tell(ctx, reading); err != nil {
				return err
			}
			if w.refusedForGood(reading) {
				return w.kept(reading.Refused)
			}
		}
		if done, err := w.judge(reading); done {
			return err
		}
		if err := w.Clock.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// tell prints what a reading has brought.
func (w *watching) tell(ctx context.Context, r operation.UpgradeReading) error {
	w.sayAway(r)
	w.watching = w.watching || r.Seen && !r.Ended
	if alarm, due := w.site.AlarmOf(w.before, r, w.Clock.Now()); due {
		w.alarm(ctx, alarm)
	}
	unkept := r.Unkept != nil && w.before.Unkept == nil
	if unkept {
		w.note(withAdvice("warning: the transcript cannot be kept: ", r.Unkept))
	}
	first, before := !w.told && r.Away == nil && r.Refused == nil, w.before
	w.before = r
	if r.Away != nil || r.Refused != nil {
		return nil
	}
	w.told = true
	if err := w.printMessages(r, first); err != nil {
		return err
	}
	if s := r.Status; first || s.State != before.Status.State || s.Code != before.Status.Code {
		return w.printState(r)
	}
	return nil
}

// sayAway says once why nothing new is heard.
func (w *watching) sayAway(r operation.UpgradeReading) {
	switch {
	case r.Refused != nil:
		w.steps.refused(r.Refused)
	case r.Odd != operation.NotOdd && w.before.Odd != r.Odd:
		w.note("not taken at its word yet: " + r.Doubt())
		fallthrough
	default:
		w.steps.away(adminapi.Job{}, r.Away, "it restarts during an upgrade, and is asked again")
	}
}

// patience is how long a watch goes on while the site refuses the token and nothing
// brings another one.
const patience = 10 * time.Minute

// refusedForGood tells whether it is in vain to go on.
func (w *watching) refusedForGood(r operation.UpgradeReading) bool {
	return r.Refused != nil && w.flags.tokenFile == "" && w.Clock.Now().Sub(r.RefusedSince) >= patience
}

// printMessages prints what is new; of the first reading only what was asked for.
func (w *watching) printMessages(r operation.UpgradeReading, first bool) error {
	messages := r.Added
	if first && !w.resumes || first && w.fromStart {
		messages = nil
		for i := r.Log.Run(); w.fromStart && i < r.Log.Len(); i++ {
			messages = append(messages, r.Log.At(i))
		}
	}
	if w.json() {
		for _, m := range messages {
			if err := w.printEvent(m.UpgradeMessage); err != nil {
				return err
			}
		}
		return nil
	}
	return w.printRows(messageRows(w.appearance(), messages))
}

func messageRows(l *look, messages []progress.Message) [][]cell {
	rows := make([][]cell, len(messages))
	for i, m := range messages {
		rows[i] = l.words(moment(m.When.Time()), strconv.Itoa(m.Code), m.Message)
	}
	return rows
}

// stateLine is a change of the state in JSON. It never has a message.
type stateLine struct {
	State string          `json:"state"`
	Code  int             `json:"code"`
	When  adminapi.Millis `json:"when"` // by this machine's clock
}

func (w *watching) printState(r operation.UpgradeReading) error {
	if w.json() {
		return w.printEvent(stateLine{r.Status.State, r.Status.Code, adminapi.MillisOf(r.At)})
	}
	l := w.appearance()
	row := l.words(moment(r.At), "", "")
	row[1] = l.reading(r.Meaning)
	if r.Meaning == progress.StateUnknown {
		row[2] = cell{text: cmp.Or(plain.Line(r.Status.State), "no state") + ": neither running nor ended as far as this word tells; it is watched on"}
	}
	return w.printRows([][]cell{row})
}

// judge tells whether there is nothing to wait for any more, and what that means.
func (w *watching) judge(r operation.UpgradeReading) (done bool, err error) {
	switch {
	case r.Ended && r.Meaning == progress.StateSucceeded:
		w.watching = false
		if r.MessagesMissing {
			w.note("it has succeeded by the installed version; the site tells no message of its end")
		}
		return true, nil
	case r.Undecided:
		return true, &failure{code: exitUnknown, kind: "outcome unknown", advice: "See what is installed: geodeck upgrade history, geodeck upgrade available",
			err: fmt.Errorf("nobody knows how the %s ended: %s, and what is installed does not tell either", r.Progress.Kind.Noun(), r.Doubt())}
	case r.Ended:
		w.watching = false
		return true, &failure{code: exitFailed, kind: "failed", advice: adviceFailed,
			err: errors.New("the " + r.Progress.Kind.Noun() + " has failed" + behind(", and stopped in ", r.Progress.StoppedIn()))}
	case w.told && r.Away == nil && (!r.Seen || r.Meaning == progress.StateIdle) && (r.Meaning == progress.StateIdle || r.Meaning == progress.StateSucceeded || r.Meaning == progress.StateFailed):
		return true, &failure{code: exitFailed, kind: "nothing runs", advice: "What was: geodeck upgrade history",
			err: fmt.Errorf("no upgrade runs; the site says: %s", r.Meaning)}
	}
	return false, nil
}

// kept adds to an error where the watch can be taken up again.
func (w *watching) kept(err error) error {
	f := *w.explain(err)
	if errors.Is(err, adminapi.KindSignIn) || errors.Is(err, adminapi.KindPrivilege) {
		f.code = exitSignIn // whatever the site calls it
	}
	if w.before.Transcript != "" {
		f.advice = "Sign in again and go on: geodeck upgrade watch. What was seen is kept: geodeck upgrade transcripts"
	}
	return &f
}
