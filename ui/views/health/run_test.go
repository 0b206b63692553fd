package health_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestARunEndsWithItsReportSelectedAndItsVerdictShown(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	up := s.runCheck()
	notice := uitest.Find[views.Notice](t, up)
	if notice.Level != views.Failure || notice.Text != "Health check failed: 1 of 13 tests." {
		t.Errorf("notice %+v", notice)
	}
	s.Shows("1 of 13", "✗ failed  geodeck 2026-11-20", "No answer from")
}

func TestARunContinuesInTheBackground(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	rest := s.startRun(4)
	s.Shows("● running", "executing")
	for _, key := range []string{"health.run", "v", "x"} {
		if hint := s.hint(key); hint != "" {
			t.Errorf("the footer offers %s, which has nothing to act on", hint)
		}
	}
	if text := uitest.NoticeText(t, s.Press("health.run")); !strings.Contains(text, "running already") {
		t.Errorf("a second run while one goes on: %q", text)
	}
	s.Tells(s.Press("health.explain"), "The health check is running.")
	s.Tells(s.Press("enter health.next-failed"), "No test is known yet.")
	uitest.Drain(t, s.Model, tea.Batch(rest...))
	s.Shows("✓ passed  geodeck 2026-11-20")
}

func TestARunShowsHowManyTestsAreDone(t *testing.T) {
	t.Parallel()
	s := open(t, telling(t, "degraded"), 120, 35)
	before := s.Status().Updated
	s.startRun(9)
	s.Press("enter")
	s.Shows("2 of 13 done", "2 of 2 done", "0 of 11 done")
	s.Hides(" passed")
	if !s.Status().Updated.After(before) {
		t.Error("the time of reading is that of the list")
	}
}

func TestARunWhoseAnswerIsLostIsFoundAndNotSentAgain(t *testing.T) {
	t.Parallel()
	sc := uitest.Scenario(t, "healthy")
	sc.Faults = []simulator.Fault{{Path: "/admin/healthCheck/run", What: "close", Performed: true, Times: 1}}
	s := open(t, uitest.NewSite(t, sc).Site, 120, 35)
	rest := s.startRun(1)
	s.Shows("The answer was lost", "Nothing is sent again", "? unknown  geodeck 2026-11-20")
	s.Hides("running  geodeck")
	uitest.Drain(t, s.Model, tea.Batch(rest...))
	s.Shows("✓ passed  geodeck 2026-11-20", "1 of 13")
}

func TestARunThatTheSiteAnsweredWithAnErrorAndNeverBeganIsToldAsRefused(t *testing.T) {
	t.Parallel()
	sc := uitest.Scenario(t, "healthy", simulator.Fault{Path: "/admin/healthCheck/run", What: "status", Status: 500, Times: 1})
	s := open(t, uitest.NewSite(t, sc).Site, 120, 35)
	notice := uitest.Find[views.Notice](t, s.runCheck())
	if notice.Result.Outcome != adminapi.OutcomeRefused || !strings.HasPrefix(notice.Text, "The site refused to run the health check: ") {
		t.Errorf("notice %+v", notice)
	}
}

func TestARunWhoseSearchIsRefusedIsNotToldAsDone(t *testing.T) {
	t.Parallel()
	sc := uitest.Scenario(t, "healthy", simulator.Fault{Path: "/admin/healthCheck/run", What: "close", Times: 1},
		simulator.Fault{Path: "/admin/jobs", What: "status", Status: 404})
	s := open(t, uitest.NewSite(t, sc).Site, 120, 35)
	notice := uitest.Find[views.Notice](t, s.runCheck())
	if notice.Result.Outcome != adminapi.OutcomeUnknown || !strings.HasPrefix(notice.Text, "It is not known whether the site accepted the request to run the health check: ") {
		t.Errorf("notice %+v", notice)
	}
}

func TestARunThatIsRefusedSaysWhyAndNamesThePrivilege(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	s := open(t, site.As(t, site.Server.Users()[3]), 120, 35)
	s.Shows("1 of 12")
	if text := uitest.NoticeText(t, s.runCheck()); !strings.Contains(text, "Security and infrastructure") {
		t.Errorf("told %q", text)
	}
}

func TestARunContinuesAfterANewSignIn(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	rest := s.startRun(6)
	signIn := s.signOut()
	up, rest := uitest.Run(s.Model, tea.Batch(rest...), 30)
	ask := uitest.Find[views.SignIn](t, up)
	s.Shows("● running", "sign in to see it")
	signIn()
	uitest.Drain(t, s.Model, tea.Batch(append(rest, ask.Retry)...))
	s.Shows("✓ passed  geodeck 2026-11-20")
}

func TestTheFormOfARunOpensAgainAfterASignIn(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	up := s.Press("health.run")
	signIn := s.signOut()
	up = uitest.Answer(t, s.Model, up, uitest.Keys("enter ! enter")...)
	ask := uitest.Find[views.SignIn](t, up)
	if !strings.Contains(ask.Undone, "was not started") {
		t.Errorf("the sign-in does not say that nothing was started: %q", ask.Undone)
	}
	signIn()
	up = uitest.Drain(t, s.Model, ask.Retry)
	s.Hides("running")
	uitest.Answer(t, s.Model, up, uitest.Keys("enter enter")...)
	s.Press("health.refresh")
	s.Shows("1 of 13", "✓ passed  geodeck 2026-11-20 15:05:00!")
}

func TestARunIsPolledByOneCommandAtATime(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	rest := s.startRun(6)
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

func TestLeavingWarnsWhileARunIsNotConfirmed(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	if s.Hooks().Leave() != "" {
		t.Errorf("asks %q though nothing goes on", s.Hooks().Leave())
	}
	cmd := uitest.AnswerOnly(t, s.Press("health.run"), uitest.Keys("enter enter")...)
	if !strings.Contains(s.Hooks().Leave(), "not known yet") {
		t.Errorf("asks %q while the run is being sent", s.Hooks().Leave())
	}
	_, rest := uitest.Run(s.Model, cmd, 6)
	if !strings.Contains(s.Hooks().Leave(), "continues at the site") {
		t.Errorf("asks %q though the run goes on at the site", s.Hooks().Leave())
	}
	uitest.Drain(t, s.Model, tea.Batch(rest...))
}

func TestTheFormOfARunKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	leave := func(keys ...string) string {
		dialog := uitest.Find[views.Open](t, s.Press("health.run")).Dialog
		dialog.SetSize(78, 16)
		uitest.Drain(t, dialog, dialog.Init())
		for _, key := range keys {
			uitest.Drain(t, dialog, dialog.Update(uitest.Key(key)))
		}
		shown := dialog.View()
		uitest.Drain(t, dialog, dialog.Update(uitest.Key("esc")))
		return shown
	}
	first := leave("enter", "X")
	if !strings.Contains(first, "15:05:00X") {
		t.Fatalf("not typed:\n%s", first)
	}
	if again := leave(); !strings.Contains(again, "15:05:00X") {
		t.Errorf("forgotten:\n%s", again)
	}
	s.runCheck()
	s.Shows("15:05:00X")
	if next := leave(); strings.Contains(next, "X") {
		t.Errorf("a name that was used is offered again:\n%s", next)
	}
}

func TestARefusedFormSaysWhatIsWrongWithAName(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	dialog := uitest.Find[views.Open](t, s.Press("health.run")).Dialog
	dialog.SetSize(78, 16)
	uitest.Drain(t, dialog, dialog.Init())
	for _, key := range uitest.Keys("enter ctrl+u enter") {
		for _, msg := range uitest.Drain(t, dialog, dialog.Update(key)) {
			if shut, ok := msg.(views.Shut); ok {
				t.Fatalf("sent without a name: %+v", shut)
			}
		}
	}
	if !strings.Contains(dialog.View(), "name") {
		t.Errorf("no reason:\n%s", dialog.View())
	}
}

func TestASiteInReadOnlyModeMayRefuseACheckAndDecides(t *testing.T) {
	t.Parallel()
	scenario := uitest.Scenario(t, "healthy")
	scenario.ReadOnly = true
	s := open(t, uitest.NewSite(t, scenario).Site, 120, 35)
	dialog := uitest.Find[views.Open](t, s.Press("health.run")).Dialog
	dialog.SetSize(78, 16)
	uitest.Drain(t, dialog, dialog.Init())
	if shown := dialog.View(); !strings.Contains(shown, "The site is read-only: it may refuse this.") {
		t.Errorf("it shows\n%s", shown)
	}
}

func TestARunThatTakesLongerThanLastTimeSaysSoAndHasNoBar(t *testing.T) {
	t.Parallel()
	s := open(t, uitest.NewSite(t, uitest.Scenario(t, "degraded")).Site, 120, 35)
	begun := s.env.Clock.Now()
	rest := s.startRun(4)
	s.Shows("last time 21 s", "█")
	for s.env.Clock.Now().Sub(begun) < 25*time.Second && len(rest) > 0 {
		_, rest = uitest.Run(s.Model, tea.Batch(rest...), 1)
	}
	s.Shows("longer than last time (21 s)")
	s.Hides("█░")
}

// A check that the site refuses leaves nothing to show: the list stays, and the notice begins
// with the reason.
func TestARefusedRunStaysInTheList(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "healthy"), 80, 24)
	form := s.Press("health.run")
	client := s.env.Site.Client
	answer, err := http.PostForm(client.Base().String()+"/mode/update", url.Values{"isReadOnly": {"true"}, "f": {"json"}, "token": {string(client.Session.Token().Value)}})
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if text := uitest.NoticeText(t, s.Answer(form, "enter enter")); !strings.HasPrefix(text, "The site refused to run the health check: ") {
		t.Errorf("it says %q", text)
	}
	s.Shows("Reports", "1 of 12")
}
