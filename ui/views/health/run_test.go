package health_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

func TestARunEndsWithItsReportChosenAndItsVerdictTold(t *testing.T) {
	s := degraded(t)
	up := s.runCheck()
	notice := uitest.Find[views.Notice](t, up)
	if notice.Level != views.Failure || !strings.Contains(notice.Text, "failed: 11 of 13 passed") {
		t.Errorf("notice %+v", notice)
	}
	s.shows("1 of 13", "✗ failed  geodeck 2026-11-20", "was ✓")
}

func TestARunCanBeLeftAlone(t *testing.T) {
	s := healthy(t)
	cmd := uitest.AnswerOnly(t, s.press("r"), uitest.Keys("enter enter")...)
	_, rest := uitest.Run(s.Model, cmd, 4)
	s.shows("● running", "executing")
	if text := told(t, s.press("r")); !strings.Contains(text, "running already") {
		t.Errorf("a second run while one goes on: %q", text)
	}
	s.Blur()
	uitest.Drain(t, s.Model, tea.Batch(rest...))
	s.shows("✓ passed  geodeck 2026-11-20")
}

func TestARunWhoseAnswerIsLostIsFoundAndNotSentAgain(t *testing.T) {
	sc := scenario(t, "healthy")
	sc.Faults = []simulator.Fault{{Path: "/admin/healthCheck/run", What: "close", Performed: true, Times: 1}}
	s := open(t, uitest.NewSite(t, sc).Site, 120, 35)
	cmd := uitest.AnswerOnly(t, s.press("r"), uitest.Keys("enter enter")...)
	_, rest := uitest.Run(s.Model, cmd, 3)
	s.shows("not known whether the site took", "Nothing is")
	uitest.Drain(t, s.Model, tea.Batch(rest...))
	s.shows("✓ passed  geodeck 2026-11-20", "1 of 13")
}

func TestARunThatIsRefusedSaysWhyAndNamesThePrivilege(t *testing.T) {
	site := uitest.NewSite(t, scenario(t, "healthy"))
	s := open(t, site.As(t, site.Server.Users()[4]), 120, 35)
	s.shows("1 of 12")
	if text := told(t, s.runCheck()); !strings.Contains(text, "Security and infrastructure") {
		t.Errorf("told %q", text)
	}
}

func TestARunWhoseSignInEndsGoesOnAfterAnotherOne(t *testing.T) {
	s := healthy(t)
	cmd := uitest.AnswerOnly(t, s.press("r"), uitest.Keys("enter enter")...)
	_, rest := uitest.Run(s.Model, cmd, 6)
	token := s.env.Site.Client.Token()
	s.env.Site.Client.SetToken(adminapi.Token{Value: "stale"})
	up, rest := uitest.Run(s.Model, tea.Batch(rest...), 30)
	ask := uitest.Find[views.SignIn](t, up)
	s.shows("● running", "sign in to see it")
	s.env.Site.Client.SetToken(token)
	uitest.Drain(t, s.Model, tea.Batch(append(rest, ask.Retry)...))
	s.shows("✓ passed  geodeck 2026-11-20")
}
