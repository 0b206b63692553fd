package upgrade_test

import (
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"

	tea "github.com/charmbracelet/bubbletea"
)

func TestGoingBackLosesNothing(t *testing.T) {
	t.Parallel()
	s := recorded(t, "healthy")
	s.toSettings(true)
	s.Type("licence.json")
	s.Press("esc")
	s.Shows("Pre-flight", "[x]")
	s.Press("esc")
	s.Shows("Offered")
	s.Press("enter")
	s.Hides("[ ]")
	s.Press("rows.top enter")
	s.Shows("licence.json")
}

func TestAnswersSurviveACrash(t *testing.T) {
	t.Parallel()
	s := recorded(t, "healthy")
	s.toSettings(true)
	s.Type("licence.json")
	s.Shows("Draft saved")
	s.leavesWith("")
	again := s.restarted()
	again.Press("rows.bottom")
	notices(t, again.Press("enter"), "restored")
	again.clear()
	again.Shows("licence.json", "Restored from the draft of 2026-11-20")
}

func TestWithoutAJournalLeavingAsksForWhatWouldBeLost(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.toSettings(true)
	s.Shows("Drafts are not saved")
	s.Type("x")
	s.leavesWith("12.0.0.7286")
}

// typeAndLeave types into the settings and leaves them within the pause after which a
// draft is saved. It returns the command that saves it.
func (s *screen) typeAndLeave(text string) tea.Cmd {
	s.t.Helper()
	for _, key := range uitest.Text(text) {
		_ = s.Update(key)
	}
	return s.Update(uitest.Key("esc"))
}

func TestAnswersAreKeptAtOnceWhenTheSettingsAreLeft(t *testing.T) {
	t.Parallel()
	s := recorded(t, "healthy")
	s.toSettings(true)
	uitest.Drain(t, s.Model, s.typeAndLeave("licence.json"))
	again := s.restarted()
	again.choose(true)
	again.Press("rows.top")
	for range 11 {
		if strings.Contains(again.Line("› "), "Licence") {
			break
		}
		again.Press("down")
	}
	again.Shows("blocking", "2026-11-20") // one word: the path before it wraps anywhere
	again.Press("enter")
	again.Shows("licence.json", "Restored from the draft")
}

func TestSettingsThatAreLeftWhileTheirDraftIsSavedAreNotLost(t *testing.T) {
	t.Parallel()
	s := recorded(t, "healthy")
	s.toSettings(true)
	saving := s.typeAndLeave("licence.json")
	s.Press("esc")
	s.Shows("Offered")
	uitest.Drain(t, s.Model, saving)
	s.leavesWith("")
}

// besideOn is the site in another program of somebody else, on the same machine.
func besideOn(t *testing.T, site operation.Site, folder, user string) operation.Site {
	t.Helper()
	j, err := journal.Open(folder, "https://gis.example.org/ctx", journal.WithClock(site.Clock), journal.WithProgram(journal.Program{User: user, Host: "adm1", PID: 4711}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	site.Memory.Journal = j
	return site
}

func TestTwoDashboardsKeepTheirAnswersBesideEachOther(t *testing.T) {
	t.Parallel()
	site := siteOf(t, "healthy")
	folder := filepath.Join(t.TempDir(), "state")
	a, b := open(t, besideOn(t, site, folder, "alice"), 120, 35), open(t, besideOn(t, site, folder, "bob"), 120, 35)
	a.toSettings(true)
	uitest.Drain(t, a.Model, a.typeAndLeave("of-a.json"))

	b.Press("rows.bottom")
	notices(t, b.Press("enter"), "alice on adm1 (process 4711) has been filling in the same update since")
	b.clear()
	b.Shows("of-a.json", "Copied from the draft of alice on adm1")
	uitest.Drain(t, b.Model, b.typeAndLeave("-and-of-b.json"))
	for text, s := range map[string]*screen{"of-a.json ": a, "of-a.json-and-of-b.json": b} {
		again := s.restarted()
		again.toSettings(true)
		again.Shows(text, "Restored from the draft")
	}
}
