package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
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
		{&adminapi.Error{Kind: adminapi.KindUnreachable}, 5},
		{&adminapi.Error{Kind: adminapi.KindNotJSON}, 5},
		{fmt.Errorf("%w: no run was found", operation.ErrOutcomeUnknown), 6},
		{&operation.RunningError{}, 4},
		{&adminapi.Error{Kind: adminapi.KindCancelled}, 130},
	}
	for _, c := range cases {
		if have := programIn(context.Background(), "").explain(c.err).code; have != c.want {
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
		{"no answer yet", timeUp, "", context.Canceled, exitUnreachable},
		{"waiting for a job", timeUp, "j1", context.Canceled, exitGoingOn},
		{"interrupted while waiting", interrupted, "j1", &adminapi.Error{Kind: adminapi.KindCancelled}, exitInterrupted},
		{"refused at the very end", timeUp, "", &adminapi.Error{Kind: adminapi.KindPrivilege}, exitRefused},
		{"unknown at the very end", timeUp, "", operation.ErrOutcomeUnknown, exitUnknown},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if have := programIn(c.ctx, c.waiting).explain(c.err).code; have != c.want {
				t.Errorf("exit code %d, want %d", have, c.want)
			}
		})
	}
}

func TestUnseenCharactersBecomeEscapesAndKeepTheirValue(t *testing.T) {
	have := string(escapeUnseen([]byte("\"a\u009b\u202e\x7f\U000e0041é\"")))
	if want := `"a\u009b\u202e\u007f` + `\udb40\udc41é"`; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
}

// programIn is a program in the middle of a command.
func programIn(ctx context.Context, waiting string) *program {
	return &program{
		Process: Process{Out: io.Discard, Err: io.Discard, Env: func(string) string { return "" }},
		ctx:     ctx, waiting: waiting, begun: true,
	}
}
