package health_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

// signOut spoils the token and returns what puts it right again.
func (s *screen) signOut() (signIn func()) {
	client := s.env.Site.Client
	token := client.Token()
	client.SetToken(adminapi.Token{Value: "stale"})
	return func() { client.SetToken(token) }
}

func TestADeletionThatNeededASignInIsAskedForAnewAndNotSentByItself(t *testing.T) {
	s := healthy(t)
	s.Shows("1 of 12")
	signIn := s.signOut()
	ask := uitest.Find[views.SignIn](t, uitest.Answer(t, s.Model, s.Press("D"), uitest.Keys("y")...))
	signIn()
	up := uitest.Drain(t, s.Model, ask.Retry)
	s.Press("R")
	s.Shows("1 of 12")
	question := uitest.Find[views.Open](t, up)
	if !question.Unasked {
		t.Error("keys on their way could answer the question")
	}
	uitest.Answer(t, s.Model, up, uitest.Keys("y")...)
	s.Shows("1 of 11")
}

func TestARunThatNeededASignInComesBackAsItsForm(t *testing.T) {
	s := healthy(t)
	up := s.Press("r")
	signIn := s.signOut()
	up = uitest.Answer(t, s.Model, up, uitest.Keys("enter ! enter")...)
	ask := uitest.Find[views.SignIn](t, up)
	if !strings.Contains(ask.Reason, "was not started") {
		t.Errorf("the sign-in does not say that nothing was started: %q", ask.Reason)
	}
	signIn()
	up = uitest.Drain(t, s.Model, ask.Retry)
	s.Hides("running")
	uitest.Answer(t, s.Model, up, uitest.Keys("enter enter")...)
	s.Press("R")
	s.Shows("1 of 13", "✓ passed  geodeck 2026-11-20 15:05:00!")
}

func TestARunThatWaitsForASignInIsReadByOneCommandAtATime(t *testing.T) {
	s := healthy(t)
	cmd := uitest.AnswerOnly(t, s.Press("r"), uitest.Keys("enter enter")...)
	_, rest := uitest.Run(s.Model, cmd, 6)
	signIn := s.signOut()
	up, _ := uitest.Run(s.Model, tea.Batch(rest...), 30)
	first := uitest.Find[views.SignIn](t, up)
	s.Shows("sign in to see it")
	up, _ = uitest.Run(s.Model, s.Do("health.refresh", ""), 30)
	signIn()
	if _, rest := uitest.Run(s.Model, first.Retry, 1); len(rest) > 0 {
		t.Error("the run is read for a question that was replaced by another one")
	}
	var retries []tea.Cmd
	for _, msg := range up {
		if ask, ok := msg.(views.SignIn); ok {
			retries = append(retries, ask.Retry)
		}
	}
	rest = retries
	for strings.Contains(s.Draw(), "sign in to see it") {
		_, rest = uitest.Run(s.Model, tea.Batch(rest...), 2) // the batch, and one command of it
	}
	s.Shows("● running")
	if _, two := s.Do("health.refresh", "")().(tea.BatchMsg); two {
		t.Error("besides the list, the run is read a second time while it is read")
	}
	uitest.Drain(t, s.Model, tea.Batch(rest...))
	s.Shows("✓ passed  geodeck 2026-11-20")
}

func TestLeavingWarnsWhileItIsNotKnownWhetherARunWasTaken(t *testing.T) {
	s := healthy(t)
	if s.Leave() != "" {
		t.Errorf("asks %q though nothing goes on", s.Leave())
	}
	cmd := uitest.AnswerOnly(t, s.Press("r"), uitest.Keys("enter enter")...)
	if !strings.Contains(s.Leave(), "not known yet") {
		t.Errorf("asks %q while the run is being sent", s.Leave())
	}
	_, rest := uitest.Run(s.Model, cmd, 6)
	if !strings.Contains(s.Leave(), "goes on at the site") {
		t.Errorf("asks %q though the run goes on at the site", s.Leave())
	}
	uitest.Drain(t, s.Model, tea.Batch(rest...))
}

func TestATreeIsSortedAndJSONLaidOutWhileKeysGoOn(t *testing.T) {
	s := degraded(t)
	s.Press("enter")
	for _, id := range []string{"health.order", "health.json"} {
		before := s.Draw()
		cmd := s.Do(id, "")
		if s.Draw() != before {
			t.Errorf("%s was done while keys wait", id)
		}
		uitest.Drain(t, s.Model, cmd)
		if s.Draw() == before {
			t.Errorf("%s came to nothing", id)
		}
	}
}

func TestTheOrderChosenLastIsShownHoweverFastItWasChosen(t *testing.T) {
	s := degraded(t)
	s.Press("enter")
	worstFirst := s.Draw()
	slow := []tea.Cmd{s.Do("health.order", ""), s.Do("health.order", "")}
	slow = append(slow, s.Do("health.order", ""))
	uitest.Drain(t, s.Model, tea.Batch(slow...))
	if v := s.Draw(); v != worstFirst {
		t.Errorf("an order that nobody wants any more is shown:\n%s", v)
	}
}
