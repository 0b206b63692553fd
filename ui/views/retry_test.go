package views_test

import (
	"context"
	"errors"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

func TestWhatNeededASignInIsAskedForOnceAfterIt(t *testing.T) {
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
	for _, retry := range []tea.Cmd{first.Retry, second.Retry} {
		if reply, _ := retry().(views.Reply); s.Current(reply) {
			again, _ := reply.Msg.(views.Retry)
			again.Ask()
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}
