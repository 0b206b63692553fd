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
	s.Shows("1 of 13", "✗ failed  geodeck 2026-11-20", "was ✓")
}

func TestARunCanBeLeftAlone(t *testing.T) {
	s := healthy(t)
	cmd := uitest.AnswerOnly(t, s.Press("r"), uitest.Keys("enter enter")...)
	_, rest := uitest.Run(s.Model, cmd, 4)
	s.Shows("● running", "executing")
	if text := uitest.Told(t, s.Press("r")); !strings.Contains(text, "running already") {
		t.Errorf("a second run while one goes on: %q", text)
	}
	s.Blur()
	uitest.Drain(t, s.Model, tea.Batch(rest...))
	s.Shows("✓ passed  geodeck 2026-11-20")
}

func TestARunWhoseAnswerIsLostIsFoundAndNotSentAgain(t *testing.T) {
	sc := uitest.Scenario(t, "healthy")
	sc.Faults = []simulator.Fault{{Path: "/admin/healthCheck/run", What: "close", Performed: true, Times: 1}}
	s := open(t, uitest.NewSite(t, sc).Site, 120, 35)
	cmd := uitest.AnswerOnly(t, s.Press("r"), uitest.Keys("enter enter")...)
	_, rest := uitest.Run(s.Model, cmd, 3)
	s.Shows("not known whether the site took", "Nothing is")
	uitest.Drain(t, s.Model, tea.Batch(rest...))
	s.Shows("✓ passed  geodeck 2026-11-20", "1 of 13")
}

func TestARunThatIsRefusedSaysWhyAndNamesThePrivilege(t *testing.T) {
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	s := open(t, site.As(t, site.Server.Users()[4]), 120, 35)
	s.Shows("1 of 12")
	if text := uitest.Told(t, s.runCheck()); !strings.Contains(text, "Security and infrastructure") {
		t.Errorf("told %q", text)
	}
}

func TestARunWhoseSignInEndsGoesOnAfterAnotherOne(t *testing.T) {
	s := healthy(t)
	cmd := uitest.AnswerOnly(t, s.Press("r"), uitest.Keys("enter enter")...)
	_, rest := uitest.Run(s.Model, cmd, 6)
	token := s.env.Site.Client.Token()
	s.env.Site.Client.SetToken(adminapi.Token{Value: "stale"})
	up, rest := uitest.Run(s.Model, tea.Batch(rest...), 30)
	ask := uitest.Find[views.SignIn](t, up)
	s.Shows("● running", "sign in to see it")
	s.env.Site.Client.SetToken(token)
	uitest.Drain(t, s.Model, tea.Batch(append(rest, ask.Retry)...))
	s.Shows("✓ passed  geodeck 2026-11-20")
}
