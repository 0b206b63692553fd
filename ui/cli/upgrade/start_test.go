package upgrade

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

// TestAnUpgradeThatAFullDiskKeepsFromBeingSent: nothing was sent, and room is made on that disk, not on one of the site.
func TestAnUpgradeThatAFullDiskKeepsFromBeingSent(t *testing.T) {
	x := command.NewExits(t.Context())
	command.NewEnv(nil, output.New(nil, nil, nil, t.Context), session.New(session.Options{}), x)
	for _, errno := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		full := fmt.Errorf("there is no space left: %w", errno)
		for _, err := range []error{
			&adminapi.Error{Kind: adminapi.KindNotRecorded, Err: full, Message: "it cannot be recorded (there is no space left), so nothing was sent"},
		} {
			f, _ := errors.AsType[*exit.Failure](notSent(x, operation.Result{Err: err}))
			if said := f.Error() + " " + f.Advice; f.Code != exit.Refused || !strings.Contains(strings.ToLower(said), "nothing was sent") ||
				!strings.Contains(said, "Make room on that disk, or name another folder with --state-dir") || strings.Contains(said, "read-only mode") {
				t.Errorf("exit code %d: it says %q", f.Code, said)
			}
		}
	}
}

func TestWhatWasNotSentCanBeTriedAgainUnlessItWasRefused(t *testing.T) {
	x := command.NewExits(t.Context())
	command.NewEnv(nil, output.New(nil, nil, nil, t.Context), session.New(session.Options{}), x)
	for code, all := range map[int][]error{
		exit.Refused: {
			&operation.UploadError{Name: "licence.json"}, // the site took it, and did not complete it
			&operation.UploadError{Name: "licence.json", Err: &adminapi.Error{Kind: adminapi.KindInvalid, Status: 400}},
			fmt.Errorf("%w: it removes more", operation.ErrRollbackChanged),
			operation.ErrRollbackUnsure,
		},
		exit.Unreachable: {
			&operation.UploadError{Name: "licence.json", Err: &adminapi.Error{Kind: adminapi.KindUnreachable}},
			&adminapi.Error{Kind: adminapi.KindUnreachable},
		},
	} {
		for _, err := range all {
			f, _ := errors.AsType[*exit.Failure](notSent(x, operation.Result{Err: err}))
			if f.Code != code {
				t.Errorf("%v: exit code %d, not %d", err, f.Code, code)
			}
		}
	}
}
