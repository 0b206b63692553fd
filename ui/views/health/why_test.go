package health_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/theme"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// Whoever opens the dashboard reads why a test failed after one key, and what to do after two.
func TestWhyATestFailedIsToldAtOnce(t *testing.T) {
	t.Parallel()
	for _, size := range uitest.Sizes {
		s := open(t, siteOf(t, "healthy"), size.Width, size.Height)
		s.Press("health.next-failed-report")
		s.Shows("6 of 12", "healthcheck_index_synced: The index", "Since ", "1 new failure")
		s.Press("enter")
		s.Shows("✗ failed  healthcheck_index_synced", "Next      It has passed since, last on 2026-11-18", "passed in 6 of the last 7 up to this one")
		if text := uitest.NoticeText(t, s.Press("health.next-failed")); text != "No other test failed." {
			t.Errorf("told %q", text)
		}
	}
}

func TestTheNextAndThePreviousFailureAreSelected(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	s.runCheck()
	s.Press("enter")
	for _, step := range []struct{ key, test string }{{"health.next-failed", "query_logs_availability"}, {"health.previous-failed", "healthcheck_objectStore"}, {"rows.bottom health.next-failed", ""}, {"health.previous-failed", "query_logs_availability"}} {
		s.Press(step.key)
		if step.test == "" {
			continue
		}
		if path := s.Status().Path; path[len(path)-1] != step.test {
			s.Press("enter")
			if path = s.Status().Path; path[len(path)-1] != step.test {
				t.Errorf("%s goes to %v", step.key, path)
			}
			s.Press("esc")
		}
	}
}

func TestGroupsOfTestsAreGoneThroughByOneKey(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "healthy"), 120, 35)
	s.Press("enter health.next-group")
	s.Shows("✓ passed  Critical")
	s.Press("health.next-group health.next-group")
	s.Shows("✓ passed  General")
	s.Press("health.previous-group health.previous-group")
	s.Shows("✓ passed  Basic health checks")
}

func TestAReportIsComparedWithTheOneBeforeByOneKey(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.Press("health.compare")
	s.Shows("Before", "check by hand 2026-11-17", "No new failures", "No test result changed.")
	s.Press("health.unchanged")
	s.Shows("healthcheck_ingress")
	s.Press("esc rows.bottom")
	if text := uitest.NoticeText(t, s.Press("health.compare")); !strings.Contains(text, "No report is older") {
		t.Errorf("told %q", text)
	}
}

func TestTheReportsOfAnUpgradeArriveByThemselves(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.Shows("1 of 12")
	made := func(name string) {
		run, result := s.env.Site.StartHealthRun(t.Context(), adminapi.HealthRun{Name: name, SuiteIDs: []string{"BSHC-001"}})
		err := result.Err
		if err != nil {
			t.Fatal(err)
		}
		if _, err := polling.Wait(t.Context(), s.env.Clock, run, nil); err != nil {
			t.Fatal(err)
		}
	}
	watched := &s.env.Upgrade
	watched.On, watched.Snapshot.At, watched.Snapshot.Progress.Meaning = true, s.env.Clock.Now(), progress.StateRunning
	made("before-update")
	uitest.Drain(t, s.Model, s.Update(views.UpgradeRead))
	s.Shows("before-update", "of 13")
	if cmd := s.Update(views.UpgradeRead); cmd != nil {
		t.Error("the list is fetched with each poll of the watch")
	}
	watched.Snapshot.Progress.Meaning, watched.Snapshot.Ended = progress.StateSucceeded, true
	_, rest := uitest.Run(s.Model, s.Update(views.UpgradeRead), 2)
	s.Shows("of 13")
	made("after-update") // ends after the upgrade
	before := s.env.Clock.Now()
	uitest.Drain(t, s.Model, tea.Batch(rest...))
	s.Shows("after-update", "of 14")
	if passed := s.env.Clock.Now().Sub(before); passed > 15*time.Minute {
		t.Errorf("the list is fetched for %s", passed)
	}
}

// oddReport writes a report of many suites, whose tests have long names and messages.
func oddReport(t *testing.T, folder string, suites int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"id":"odd","name":"` + strings.Repeat("r", 253) + `","result":"failed","state":"completed","startTime":1795183500000,"endTime":1795183600000,"suiteStatus":[`)
	for i := range suites {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"S%d","name":"%s","result":"failed","state":"completed","criticalTestStatus":[],"generalTestStatus":[{"id":"T","name":"%s","result":"fail","state":"completed","message":"%s"}]}`,
			i, strings.Repeat("s", 253), strings.Repeat("t", 253), "Why it failed: "+strings.Repeat("m", 10_000))
	}
	b.WriteString(`]}`)
	path := filepath.Join(folder, "odd.json")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLongNamesAndMessagesHideNoReason(t *testing.T) {
	t.Parallel()
	for _, size := range uitest.Sizes {
		for _, suites := range []int{0, 1, 300} {
			s := openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), size.Width, size.Height)
			s.Invoke("health.open", oddReport(t, s.env.Folder, suites))
			s.Press("esc")
			for _, keys := range []string{"", "enter", "tab"} {
				s.Press(keys)
				uitest.Fits(t, s.View(), size.Width, size.Height)
				if suites > 0 && keys != "" {
					s.Shows("Why it failed:")
				}
			}
			if suites == 0 {
				s.Press("esc esc enter")
				s.Shows("no tests")
			}
		}
	}
}

func TestVerdictsAndDurationsAreDrawnInASCII(t *testing.T) {
	t.Parallel()
	ascii := *uitest.Theme()
	ascii.Glyphs = theme.New(theme.Options{ASCII: true}).Glyphs
	s := openIn(t, uitest.Env(t, siteOf(t, "degraded"), &ascii), 80, 19)
	s.runCheck()
	s.Press("enter")
	s.Shows("++++++++x  passed in 8 of the last 9", "________#  ! 30 s, usually 0.3 s")
}
