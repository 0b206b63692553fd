package views_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/ui/views"
)

func TestASiteThatIsAwayIsAskedAgainAfterGrowingPauses(t *testing.T) {
	t.Parallel()
	var a views.Fetch
	now := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	silent := &adminapi.Error{Kind: adminapi.KindUnreachable}
	for _, want := range []time.Duration{2, 4, 8, 16, 30, 30} {
		if wait := a.Failed(now, nil, silent); wait != want*time.Second || !a.Loading || a.Unreachable == nil {
			t.Fatalf("%s is waited, %+v", wait, a)
		}
	}
	if !a.Unreachable.Since.Equal(now) || !a.Unreachable.Next.Equal(now.Add(30*time.Second)) {
		t.Errorf("away %+v", a.Unreachable)
	}
	a.Succeeded(now)
	if a.Unreachable != nil || a.Loading || !a.Updated.Equal(now) {
		t.Errorf("after an answer %+v", a)
	}
	if wait := a.Failed(now, nil, silent); wait != 2*time.Second || !a.Updated.Equal(now) {
		t.Errorf("anew %s is waited, %+v", wait, a)
	}
}

func TestWhatNobodyButTheUserCanHelpIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	var a views.Fetch
	for _, kind := range []adminapi.Kind{adminapi.KindSignIn, adminapi.KindPrivilege, adminapi.KindVersionTooOld, adminapi.KindNotFound} {
		a.Loading = true
		err := &adminapi.Error{Kind: kind}
		if wait := a.Failed(time.Time{}, nil, err); wait != 0 || a.Loading || !errors.Is(a.Err, kind) {
			t.Errorf("%s: %s is waited, %+v", kind, wait, a)
		}
	}
}

func TestWhatNeededASignInIsAskedForOnceAfterIt(t *testing.T) {
	t.Parallel()
	s := views.NewScope(context.Background())
	asked := 0
	ask := func() tea.Cmd { asked++; return nil }
	signIn := func() views.SignIn {
		msg, _ := s.RetryAfterSignIn(errors.New("the token has ended"), "list", ask)().(views.SignIn)
		return msg
	}
	first, second := signIn(), signIn()
	if first.Reason != "the token has ended" || asked != 0 {
		t.Fatalf("%+v, asked %d times before", first, asked)
	}
	expired := &adminapi.Error{Kind: adminapi.KindSignIn, Code: 498, Message: "Invalid token."}
	if ask, _ := s.RetryAfterSignIn(expired, "tree", ask)().(views.SignIn); ask.Reason != "Session expired. Sign in to continue." {
		t.Errorf("%q", ask.Reason)
	}
	unsent := fmt.Errorf("the rules were not sent: %w", expired)
	if ask, _ := s.RetryAfterSignIn(unsent, "send", ask)().(views.SignIn); ask.Reason != "Session expired. Sign in to continue." || ask.Undone != "The rules were not sent." {
		t.Errorf("%+v", ask)
	}
	for _, retry := range []tea.Cmd{first.Retry, second.Retry} {
		if reply, _ := retry().(views.Reply); s.Current(reply) {
			again, _ := reply.Msg.(views.Retry)
			again.Do()
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}
