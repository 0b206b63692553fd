package health_test

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestAllPagesOfReportsAreShown(t *testing.T) {
	t.Parallel()
	sc := uitest.Scenario(t, "healthy")
	many := 250
	sc.Reports = &many
	s := open(t, uitest.NewSite(t, sc).Site, 80, 19)
	s.Shows("1 of 250")
	s.Press("rows.bottom")
	s.Shows("250 of 250")
}

// A6: what others run shows while the list is on the screen, and ages count by themselves.
func TestTheListIsReadAgainWhileItIsShown(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	s := open(t, site.Site, 120, 35)
	s.env.Times.Next()
	s.env.Times.Next()
	s.Shows("1 of 12", "2 days ago")
	run, _ := site.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: []string{"BSHC-001"}, Name: "by a colleague"})
	for done := false; !done; {
		step, err := run.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		done = step.Done
		site.Steps.Advance(30 * time.Second)
	}
	uitest.Drain(t, s.Model, s.Model.Update(views.Freshen))
	s.Hides("by a colleague")
	site.Steps.Advance(2 * time.Minute)
	uitest.Drain(t, s.Model, s.Model.Update(views.Freshen))
	s.Shows("2 of 13", "by a colleague")
	site.Steps.Advance(24 * time.Hour)
	s.Shows("3 days ago")
}

// A19: where a filter leaves no report, none is shown beside it.
func TestAFilterWithoutAMatchShowsNoReport(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 120} {
		s := open(t, siteOf(t, "healthy"), width, 35)
		s.Shows("13 of 13 passed")
		s.Press("rows.filter")
		uitest.Press(t, s.Model, uitest.Text("zzz")...)
		s.Rest()
		s.Shows("No report matches.")
		s.Hides("13 of 13 passed", "Slowest tests", "Basic health checks")
		s.Press("esc")
		s.Rest()
		s.Shows("13 of 13 passed", "1 of 12")
	}
}

func TestAReportIsFetchedOnceTheCursorHasRested(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	before := s.View()
	var cmds []tea.Cmd
	for range 3 {
		cmds = append(cmds, s.Do("rows.down", ""))
	}
	if first := strings.SplitN(before, "\n", 2)[0]; !strings.Contains(s.Draw(), first[50:]) {
		t.Error("the tree changed while the cursor was moving")
	}
	uitest.Drain(t, s.Model, tea.Batch(cmds...))
	s.Rest()
	s.Shows("after-update-11.5.0.6745")
}

func TestAnUnreachableSiteKeepsItsDataAndIsRefreshedAutomatically(t *testing.T) {
	t.Parallel()
	sc := uitest.Scenario(t, "healthy")
	sc.Faults = []simulator.Fault{{Path: "/admin/healthCheck/reports/query", What: "html", After: 1, Times: 12}}
	s := open(t, uitest.NewSite(t, sc).Site, 120, 35)
	_, rest := uitest.Run(s.Model, s.Do("health.refresh", ""), 2)
	away := s.Status().Unreachable
	if away == nil || away.Since.IsZero() || !away.Next.After(away.Since) || away.Err == nil {
		t.Fatalf("away %+v", away)
	}
	s.Shows("1 of 12", "scheduled-")
	uitest.Drain(t, s.Model, tea.Batch(rest...))
	if s.Status().Unreachable != nil {
		t.Error("still away")
	}
}

func TestAFetchIsRetriedAfterASignIn(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	signIn := s.signOut()
	ask := uitest.Find[views.SignIn](t, s.Press("health.refresh"))
	s.Shows("1 of 12")
	signIn()
	uitest.Drain(t, s.Model, ask.Retry)
	if s.Status().Busy != "" {
		t.Errorf("still %s", s.Status().Busy)
	}
}

func TestAMarkIsShownUntilItIsRemoved(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	if up := s.Press("space"); len(up) > 0 {
		t.Errorf("a notice outlives the mark: %v", up)
	}
	s.Shows("◆ 1 marked: C compares", "2 of 12")
	s.Press("up space")
	s.Hides("marked", "◆")
	s.Press("space health.compare")
	s.Press("esc")
	s.Hides("marked", "◆")
}

func TestTimesFollowTheChosenMode(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.env.Times.Next()
	s.Shows("11-18 12:05Z")
	s.env.Times.Next()
	s.Shows("2 days ago", "22 days ago")
	s.env.Times.Now = func() time.Time { return uitest.Start.Add(100 * 24 * time.Hour) }
	s.Shows("102 days ago")
}

func TestDeletingAReportIsConfirmedFirst(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	up := s.Press("down down down health.delete")
	dialog := uitest.Find[views.Open](t, up).Dialog
	dialog.SetSize(78, 16)
	if text := dialog.View(); !strings.Contains(text, "Type after-update-11.5.0.6745 and enter to delete it:") {
		t.Errorf("one key deletes: %s", text)
	}
	if text := dialog.View(); !strings.Contains(text, "The platform made this report") {
		t.Errorf("a system-made report is deleted without a word: %s", text)
	}
	up = uitest.Answer(t, s.Model, up, typedWord("after-update-11.5.0.6745")...)
	if text := uitest.NoticeText(t, up); !strings.Contains(text, "Deleted after-update-11.5.0.6745") {
		t.Errorf("told %q", text)
	}
	s.Shows("of 11")
	s.Press("health.refresh")
	s.Shows("of 11")
}

func TestADeletionThatDidNotEndWellIsToldWithItsOutcome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault simulator.Fault
		want  adminapi.Outcome
	}{
		{simulator.Fault{What: "close"}, adminapi.OutcomeUnknown},
		{simulator.Fault{What: "close", Performed: true}, adminapi.OutcomeDone}, // the list says so
		{simulator.Fault{What: "status", Status: 500}, adminapi.OutcomeRefused}, // the list says so 30 s later
		{simulator.Fault{What: "status", Status: 403}, adminapi.OutcomeRefused},
	} {
		c.fault.Path, c.fault.Method = "admin/healthCheck/reports/*/delete", "POST"
		s := open(t, uitest.NewSite(t, uitest.Scenario(t, "healthy", c.fault)).Site, 80, 24)
		var told views.Notice
		for _, msg := range uitest.Answer(t, s.Model, s.Press("health.delete"), typedWord("scheduled-20261118-1205")...) {
			if notice, is := msg.(views.Notice); is {
				told = notice
			}
		}
		done := c.want == adminapi.OutcomeDone && told.Level == views.Success
		if !done && (told.Result.Outcome != c.want || told.Result.Err == nil) || !strings.Contains(told.Text, "scheduled-20261118-1205") {
			t.Errorf("%+v: %+v", c.fault, told)
		}
	}
}

func TestADeletionIsConfirmedAgainAfterASignIn(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.Shows("1 of 12")
	signIn := s.signOut()
	ask := uitest.Find[views.SignIn](t, uitest.Answer(t, s.Model, s.Press("health.delete"), typedWord("scheduled-20261118-1205")...))
	if ask.Undone != "The report scheduled-20261118-1205 was not deleted." {
		t.Errorf("not done is said to be %q", ask.Undone)
	}
	signIn()
	up := uitest.Drain(t, s.Model, ask.Retry)
	s.Press("health.refresh")
	s.Shows("1 of 12")
	question := uitest.Find[views.Open](t, up)
	if !question.Unrequested {
		t.Error("keys on their way could answer the question")
	}
	uitest.Answer(t, s.Model, up, typedWord("scheduled-20261118-1205")...)
	s.Shows("1 of 11")
}

// typedWord are the keys of a word and enter.
func typedWord(word string) []tea.KeyMsg {
	return append(uitest.Text(word), uitest.Key("enter"))
}
