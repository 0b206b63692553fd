package views_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/simulator/simtest"
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

func TestAFetchThatFailsIsRepeatedAskedAboutOrTold(t *testing.T) {
	t.Parallel()
	fail := func(kind adminapi.Kind) error {
		return &adminapi.Error{Kind: kind, Operation: "read the list", Message: "no"}
	}
	for name, c := range map[string]struct {
		err   error
		read  bool // something was read before
		want  any  // what comes of it, nil for nothing
		shown bool // the view says it in its place
	}{
		"no answer":              {fail(adminapi.KindUnreachable), false, views.Retry{}, true},
		"no answer any more":     {fail(adminapi.KindUnreachable), true, views.Retry{}, true},
		"a sign-in":              {fail(adminapi.KindSignIn), true, views.SignIn{}, true},
		"a refusal at first":     {fail(adminapi.KindPrivilege), false, nil, true},
		"a refusal afterwards":   {fail(adminapi.KindPrivilege), true, views.Notice{}, true},
		"a site that is too old": {fail(adminapi.KindVersionTooOld), true, nil, true},
		"given up":               {fail(adminapi.KindCancelled), true, nil, false},
	} {
		clock := simtest.NewSteppedClock(time.Unix(0, 0))
		base := views.NewBase(&views.Env{Context: t.Context(), Clock: clock})
		f, again := views.Fetch{Loading: true}, 0
		if c.read {
			f.Updated = clock.Now()
		}
		var got any
		if cmd := base.FetchFailed(&f, c.err, "list", func() tea.Cmd { again++; return nil }); cmd != nil {
			got = cmd()
		}
		if reply, is := got.(views.Reply); is {
			if retry, is := reply.Msg.(views.Retry); is {
				retry.Do()
				got = retry
			}
		}
		_, repeated := c.want.(views.Retry)
		if reflect.TypeOf(got) != reflect.TypeOf(c.want) || (again == 1) != repeated || f.Loading != repeated || (f.NotRead() != nil) != c.shown {
			t.Errorf("%s: %T, again %d times, %+v, it says %q", name, got, again, f, f.NotRead())
		}
		if c.read && f.Updated.IsZero() {
			t.Errorf("%s: what was read is gone", name)
		}
		if waited := clock.Now().Sub(time.Unix(0, 0)) > 0; waited != repeated {
			t.Errorf("%s: it waits %v", name, waited)
		}
	}
}

// What this machine has kept is shown until the site has answered, and never in place of its answer.
func TestWhatWasKeptGivesWayToWhatTheSiteSays(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	var f views.Fetch
	if !f.TakeKept(now.Add(-time.Hour)) || !f.Kept || !f.Old(now, nil) {
		t.Errorf("kept: %+v", f)
	}
	f.Succeeded(now)
	if f.TakeKept(now.Add(time.Hour)) || f.Kept || f.Old(now.Add(time.Minute), nil) {
		t.Errorf("read: %+v", f)
	}
	for line, want := range map[*polling.Line]bool{nil: true, polling.NewLine(true): false} {
		if old := f.Old(now.Add(3*time.Minute), line); old != want {
			t.Errorf("after three minutes it is old: %v, slow %v", old, line.Slow())
		}
	}
	if f.Loading = true; f.Old(now.Add(time.Hour), nil) {
		t.Error("what is being read is read again")
	}
}
