package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

func TestExitCodesKeepTheirMeaning(t *testing.T) {
	cases := []struct {
		err  error
		want int
	}{
		{&adminapi.Error{Kind: adminapi.KindServer}, 1},
		{&operation.JobError{}, 1},
		{errors.New("disk full"), 1},
		{&adminapi.Error{Kind: adminapi.KindInvalid}, 2},
		{&adminapi.Error{Kind: adminapi.KindNotFound}, 2},
		{&adminapi.Error{Kind: adminapi.KindSignIn}, 3},
		{&adminapi.Error{Kind: adminapi.KindPrivilege}, 4},
		{&adminapi.Error{Kind: adminapi.KindReadOnly}, 4},
		{&adminapi.Error{Kind: adminapi.KindBusy}, 4},
		{&adminapi.Error{Kind: adminapi.KindVersionTooOld}, 4},
		{&adminapi.Error{Kind: adminapi.KindNotRecorded}, 4},
		{&adminapi.Error{Kind: adminapi.KindLocked}, 4},
		{&adminapi.Error{Kind: adminapi.KindUnreachable}, 5},
		{&adminapi.Error{Kind: adminapi.KindNotJSON}, 5},
		{fmt.Errorf("%w: no run was found", operation.ErrOutcomeUnknown), 6},
		{&operation.RunningError{}, 4},
		{&adminapi.Error{Kind: adminapi.KindCancelled}, 130},
	}
	for _, c := range cases {
		if have := envIn(context.Background(), "").Exit.Explain(c.err).Code; have != c.want {
			t.Errorf("%v exits with %d, want %d", c.err, have, c.want)
		}
	}
}

func TestTheEndOfTheTimeSaysWhatGoesOn(t *testing.T) {
	interrupted, interrupt := context.WithCancel(context.Background())
	interrupt()
	timeUp, end := context.WithCancelCause(context.Background())
	end(errTimeUp)
	cases := []struct {
		name    string
		ctx     context.Context
		waiting string
		err     error
		want    int
	}{
		{"no answer yet", timeUp, "", context.Canceled, exit.Unreachable},
		{"waiting for a job", timeUp, "j1", context.Canceled, exit.GoingOn},
		{"interrupted while waiting", interrupted, "j1", &adminapi.Error{Kind: adminapi.KindCancelled}, exit.Interrupted},
		{"refused at the very end", timeUp, "", &adminapi.Error{Kind: adminapi.KindPrivilege}, exit.Refused},
		{"unknown at the very end", timeUp, "", operation.ErrOutcomeUnknown, exit.Unknown},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if have := envIn(c.ctx, c.waiting).Exit.Explain(c.err).Code; have != c.want {
				t.Errorf("exit code %d, want %d", have, c.want)
			}
		})
	}
}

func TestASearchAfterALostAnswerOutlastsTheTimeAndEndsWithAnInterruption(t *testing.T) {
	user, interrupt := context.WithCancel(context.Background())
	timeUp, end := context.WithCancelCause(user)
	end(errTimeUp)
	x := envIn(timeUp, "").Exit
	x.untimed, x.Timeout = user, time.Second
	if said := x.LostAnswer(context.DeadlineExceeded, 0); said != "stopped waiting after 1 s; the site may continue" {
		t.Errorf("it says %q", said)
	}
	x.Wait.Check = "r1"
	if f := x.Explain(context.DeadlineExceeded); f.Code != exit.GoingOn || f.Err.Error() != "not finished within 1 s; the health check continues at the site" ||
		f.Advice != "Its report, when it has ended: {command:health report r1}" {
		t.Errorf("exit code %d: %v %s", f.Code, f.Err, f.Advice)
	}
	x.Wait.Check = ""
	ctx := x.Search()
	if ctx.Err() != nil || x.TimedOut() {
		t.Error("it has ended before it began")
	}
	if code := x.Explain(operation.ErrOutcomeUnknown).Code; code != exit.Unknown {
		t.Errorf("exit code %d", code)
	}
	interrupt()
	if f := x.UnknownOutcome(operation.Result{}, ctx.Err()); f.Code != exit.Interrupted {
		t.Errorf("interrupted, it has the exit code %d", f.Code)
	}
	x.cancel()
}

func TestAWriteThatCannotBeRecordedIsNotTheReadOnlyModeOfTheSite(t *testing.T) {
	p := envIn(context.Background(), "")
	here := p.Exit.Explain(&adminapi.Error{Kind: adminapi.KindNotRecorded, Err: syscall.EACCES, Message: "it cannot be recorded, so nothing was sent"})
	site := p.Exit.Explain(&adminapi.Error{Kind: adminapi.KindReadOnly, Method: "POST", Message: "the site is in read-only mode"})
	if strings.Contains(here.Advice, "why it is read-only") || !strings.Contains(here.Advice, "--state-dir") || !strings.Contains(site.Advice, "why it is read-only") {
		t.Errorf("%q, %q", here.Advice, site.Advice)
	}
}

func TestAJournalThatAnotherProgramKeepsLockedHasAdviceOfItsOwn(t *testing.T) {
	for _, err := range []error{
		&operation.UnrecordedError{Err: context.DeadlineExceeded}, &adminapi.Error{Kind: adminapi.KindNotRecorded, Err: context.DeadlineExceeded},
	} {
		if f := envIn(t.Context(), "").Exit.Explain(err); f.Code != exit.Refused || f.Kind != "not recorded" || !strings.HasPrefix(f.Advice, "End the other program, or") {
			t.Errorf("%+v", f)
		}
	}
}

func TestAFullDiskUnderAnOutputIsNotThatOfTheJournal(t *testing.T) {
	out := output.New(full{}, io.Discard, func(string) string { return "" }, t.Context)
	err := out.PrintLine("x")
	if f := envIn(t.Context(), "").Exit.Explain(err); f.Advice != "" || !strings.Contains(f.Error(), "no space left") {
		t.Errorf("%q, %q", f.Error(), f.Advice)
	}
}

func TestTheTimeThatWasGivenIsSpelledAsPeopleSayIt(t *testing.T) {
	timeUp, end := context.WithCancelCause(context.Background())
	end(errTimeUp)
	for waiting, want := range map[string]string{"": "no answer within 1 min 30 s", "j1": "not finished within 1 min 30 s; job j1"} {
		p := envIn(timeUp, waiting)
		p.Exit.Timeout = 90*time.Second + 400*time.Microsecond
		if f := p.Exit.Explain(context.Canceled); !strings.HasPrefix(f.Error(), want) {
			t.Errorf("it says %q, want %q", f.Error(), want)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// envIn is what a command works with that waits for a job.
func envIn(ctx context.Context, job string) Env {
	env := func(string) string { return "" }
	of := session.New(session.Options{Flags: &session.Flags{}, Env: env, Clock: adminapi.SystemClock{}})
	exits := NewExits(ctx)
	e := NewEnv(strings.NewReader(""), output.New(io.Discard, io.Discard, env, exits.During), of, exits)
	e.Wait.Job = job
	return e
}

func TestAFullDiskHasAdviceOfItsOwn(t *testing.T) {
	for _, errno := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		full := fmt.Errorf("there is no space left: %w", errno)
		for name, err := range map[string]error{
			"a write": &adminapi.Error{Kind: adminapi.KindNotRecorded, Operation: "run a health check", Err: full,
				Message: "it cannot be recorded (there is no space left), so nothing was sent"},
			"a journal": &operation.UnrecordedError{Err: full},
		} {
			f := envIn(t.Context(), "").Exit.Explain(err)
			if f.Code != exit.Refused {
				t.Errorf("%s: exit code %d", name, f.Code)
			}
			if said := f.Error() + " " + f.Advice; !strings.Contains(strings.ToLower(said), "nothing was sent") ||
				!strings.Contains(said, "Make room on that disk, or name another folder with --state-dir") || strings.Contains(said, "read-only mode") {
				t.Errorf("%s: it says %q", name, said)
			}
		}
	}
}
