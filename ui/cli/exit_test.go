package cli

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
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/cli/output"
)

func TestEveryKindOfErrorHasAnExitCode(t *testing.T) {
	for kind := adminapi.Kind(0); kind.String() != "unknown"; kind++ {
		if codeOfKind[kind] == exitDone {
			t.Errorf("an error of kind %q would exit as done", kind)
		}
	}
}

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
		if have := programIn(context.Background(), "").exit.explain(c.err).code; have != c.want {
			t.Errorf("%v exits with %d, want %d", c.err, have, c.want)
		}
	}
}

func TestNothingOfAnErrorIsObeyedByATerminal(t *testing.T) {
	var said strings.Builder
	p := newProgram(context.Background(), Process{Out: io.Discard, Err: &said, Env: func(string) string { return "" }})
	fail(p.out, &failure{code: exitFailed, err: errors.New("a \x1b]0;title\ab\nc"), details: []string{"d\x1b[2J"}, advice: "e\u202e\nf\r"})
	if want := "geodeck: a b c\n  d\ne\nf\n"; said.String() != want {
		t.Errorf("it says %q, want %q", said.String(), want)
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
		{"no answer yet", timeUp, "", context.Canceled, exitUnreachable},
		{"waiting for a job", timeUp, "j1", context.Canceled, exitGoingOn},
		{"interrupted while waiting", interrupted, "j1", &adminapi.Error{Kind: adminapi.KindCancelled}, exitInterrupted},
		{"refused at the very end", timeUp, "", &adminapi.Error{Kind: adminapi.KindPrivilege}, exitRefused},
		{"unknown at the very end", timeUp, "", operation.ErrOutcomeUnknown, exitUnknown},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if have := programIn(c.ctx, c.waiting).exit.explain(c.err).code; have != c.want {
				t.Errorf("exit code %d, want %d", have, c.want)
			}
		})
	}
}

func TestASearchAfterALostAnswerOutlastsTheTimeAndEndsWithAnInterruption(t *testing.T) {
	user, interrupt := context.WithCancel(context.Background())
	timeUp, end := context.WithCancelCause(user)
	end(errTimeUp)
	x := programIn(timeUp, "").exit
	x.untimed, x.timeout = user, time.Second
	if said := x.lostAnswer(context.DeadlineExceeded, 0); said != "stopped waiting after 1 s; the site may continue" {
		t.Errorf("it says %q", said)
	}
	x.wait.check = "r1"
	if f := x.explain(context.DeadlineExceeded); f.code != exitGoingOn || f.err.Error() != "not finished within 1 s; the health check continues at the site" ||
		f.advice != "Its report, when it has ended: {command:health report r1}" {
		t.Errorf("exit code %d: %v %s", f.code, f.err, f.advice)
	}
	x.wait.check = ""
	ctx := x.search()
	if ctx.Err() != nil || x.timedOut() {
		t.Error("it has ended before it began")
	}
	if code := x.explain(operation.ErrOutcomeUnknown).code; code != exitUnknown {
		t.Errorf("exit code %d", code)
	}
	interrupt()
	if f := x.unknownOutcome(operation.Result{}, ctx.Err()); f.code != exitInterrupted {
		t.Errorf("interrupted, it has the exit code %d", f.code)
	}
	x.cancel()
}

// programIn is a program in the middle of a command that waits for a job.
func programIn(ctx context.Context, job string) *program {
	p := newProgram(ctx, Process{Out: io.Discard, Err: io.Discard, Env: func(string) string { return "" }})
	p.wait.job, p.begun = job, true
	return p
}

func TestAFullDiskHasAdviceOfItsOwn(t *testing.T) {
	for _, errno := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		full := fmt.Errorf("there is no space left: %w", errno)
		unrecorded := &adminapi.Error{Kind: adminapi.KindNotRecorded, Operation: "run a health check", Err: full,
			Message: "it cannot be recorded (there is no space left), so nothing was sent"}
		backup := fmt.Errorf("the old definition could not be kept, so nothing was sent: %w", full)
		p := programIn(context.Background(), "")
		p.session.opened.value = openSite{
			Site: operation.Site{Client: &adminapi.Client{}}, journal: newLazyJournal(func() (*journal.Journal, error) { return nil, full }),
		}
		p.session.opened.known = true
		_, unopened := p.session.siteToWrite(t.Context())
		for name, err := range map[string]error{
			"a write": unrecorded, "an edit": unsent(p.exit, editing.Target{}, unrecorded), "an upgrade": notSentUpgrade(p.exit, unrecorded),
			"a backup": unsent(p.exit, editing.Target{}, backup), "a journal": unopened,
		} {
			f := p.exit.explain(err)
			if f.code != exitRefused {
				t.Errorf("%s: exit code %d", name, f.code)
			}
			if said := f.Error() + " " + f.advice; !strings.Contains(strings.ToLower(said), "nothing was sent") ||
				!strings.Contains(said, "Make room on that disk, or name another folder with --state-dir") || strings.Contains(said, "read-only mode") {
				t.Errorf("%s: it says %q", name, said)
			}
		}
	}
}

func TestAWriteThatCannotBeRecordedIsNotTheReadOnlyModeOfTheSite(t *testing.T) {
	p := programIn(context.Background(), "")
	here := p.exit.explain(&adminapi.Error{Kind: adminapi.KindNotRecorded, Err: syscall.EACCES, Message: "it cannot be recorded, so nothing was sent"})
	site := p.exit.explain(&adminapi.Error{Kind: adminapi.KindReadOnly, Method: "POST", Message: "the site is in read-only mode"})
	if strings.Contains(here.advice, "why it is read-only") || !strings.Contains(here.advice, "--state-dir") || !strings.Contains(site.advice, "why it is read-only") {
		t.Errorf("%q, %q", here.advice, site.advice)
	}
}

func TestAJournalThatAnotherProgramKeepsLockedHasAdviceOfItsOwn(t *testing.T) {
	for _, err := range []error{
		&operation.UnrecordedError{Err: context.DeadlineExceeded}, &adminapi.Error{Kind: adminapi.KindNotRecorded, Err: context.DeadlineExceeded},
	} {
		if f := programIn(t.Context(), "").exit.explain(err); f.code != exitRefused || f.kind != "not recorded" || !strings.HasPrefix(f.advice, "End the other program, or") {
			t.Errorf("%+v", f)
		}
	}
}

func TestAFullDiskUnderAnOutputIsNotThatOfTheJournal(t *testing.T) {
	out := output.New(full{}, io.Discard, func(string) string { return "" }, t.Context)
	err := out.PrintLine("x")
	if f := programIn(t.Context(), "").exit.explain(err); f.advice != "" || !strings.Contains(f.Error(), "no space left") {
		t.Errorf("%q, %q", f.Error(), f.advice)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestTheTimeThatWasGivenIsSpelledAsPeopleSayIt(t *testing.T) {
	timeUp, end := context.WithCancelCause(context.Background())
	end(errTimeUp)
	for waiting, want := range map[string]string{"": "no answer within 1 min 30 s", "j1": "not finished within 1 min 30 s; job j1"} {
		p := programIn(timeUp, waiting)
		p.exit.timeout = 90*time.Second + 400*time.Microsecond
		if f := p.exit.explain(context.Canceled); !strings.HasPrefix(f.Error(), want) {
			t.Errorf("it says %q, want %q", f.Error(), want)
		}
	}
}
