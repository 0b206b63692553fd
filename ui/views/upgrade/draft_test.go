package upgrade_test

import (
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
)

func TestGoingBackLosesNothing(t *testing.T) {
	t.Parallel()
	site, _ := counted(t, "healthy")
	s := open(t, site, 120, 35)
	s.choose(true)
	s.clear()
	s.Type("licence.json")
	s.Press("esc")
	s.Shows("Pre-flight", "[x]")
	s.Press("esc")
	s.Shows("Offered")
	s.Press("u")
	s.Hides("[ ]")
	s.Press("n")
	s.Shows("licence.json")
}

func TestAnswersSurviveACrash(t *testing.T) {
	t.Parallel()
	site, _ := counted(t, "healthy")
	s := open(t, site, 120, 35)
	s.choose(true)
	s.clear()
	s.Type("licence.json")
	s.Shows("Kept as a draft")
	if q := s.Leave(); q != "" {
		t.Errorf("leaving asks %q", q)
	}
	again := open(t, site, 120, 35)
	again.Press("G")
	if text := uitest.NoticeText(t, again.Press("u")); !strings.Contains(text, "restored") {
		t.Errorf("told %q", text)
	}
	again.clear()
	again.Shows("licence.json", "Restored from the draft of 2026-11-20")
}

func TestWithoutAJournalLeavingAsksForWhatWouldBeLost(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "healthy"), 120, 35)
	s.choose(true)
	s.clear()
	s.Shows("Drafts are not kept")
	s.Type("x")
	if q := s.Leave(); !strings.Contains(q, "12.0.0.7286") {
		t.Errorf("leaving asks %q", q)
	}
}

func TestAnswersAreKeptAtOnceWhenTheSettingsAreLeft(t *testing.T) {
	t.Parallel()
	site, _ := counted(t, "healthy")
	s := open(t, site, 120, 35)
	s.choose(true)
	s.clear()
	for _, key := range uitest.Text("licence.json") {
		_ = s.Update(key) // the pause that would keep it never ends
	}
	uitest.Drain(t, s.Model, s.Update(uitest.Key("esc")))
	again := open(t, site, 120, 35)
	again.choose(true)
	again.Press("g")
	for range 11 {
		if strings.Contains(again.Line("› "), "Licence") {
			break
		}
		again.Press("down")
	}
	again.Shows("blocking", "your draft of 2026-11-20")
	again.Press("n")
	again.Shows("licence.json", "Restored from the draft")
}

func TestSettingsThatAreLeftWhileTheirDraftIsSavedAreNotAskedFor(t *testing.T) {
	t.Parallel()
	site, _ := counted(t, "healthy")
	s := open(t, site, 120, 35)
	s.choose(true)
	s.clear()
	for _, key := range uitest.Text("licence.json") {
		_ = s.Update(key) // the pause that would keep it never ends
	}
	saving := s.Update(uitest.Key("esc"))
	s.Press("esc")
	s.Shows("Offered")
	uitest.Drain(t, s.Model, saving)
	if q := s.Leave(); q != "" {
		t.Errorf("leaving asks %q", q)
	}
}

// besideOn is the site in another program of somebody else, on the same machine.
func besideOn(t *testing.T, site operation.Site, folder, user string) operation.Site {
	t.Helper()
	j, err := journal.Open(folder, "https://gis.example.org/ctx", journal.WithClock(site.Clock), journal.WithProgram(journal.Program{User: user, Host: "adm1", PID: 4711}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	site.Journal = j
	return site
}

// licence fills in the path of the licence, and keeps it at once.
func (s *screen) licence(path string) {
	s.t.Helper()
	for _, key := range uitest.Text(path) {
		_ = s.Update(key) // the pause that would keep it never ends
	}
	uitest.Drain(s.t, s.Model, s.Update(uitest.Key("esc")))
}

func TestTheAnswersOfTwoDashboardsAreKeptBesideEachOtherAndSaid(t *testing.T) {
	t.Parallel()
	site, _ := counted(t, "healthy")
	folder := filepath.Join(t.TempDir(), "state")
	of := func(user string) *screen {
		s := open(t, besideOn(t, site, folder, user), 120, 35)
		return s
	}
	a, b := of("alice"), of("bob")
	a.choose(true)
	a.clear()
	a.licence("of-a.json")

	b.Press("G")
	if told := uitest.NoticeText(t, b.Press("u")); !strings.Contains(told, "alice on adm1 (process 4711) fills in the same update since") {
		t.Errorf("b is told %q", told)
	}
	b.clear()
	b.Shows("of-a.json", "Copied from the draft of alice on adm1")
	b.licence("-and-of-b.json")
	for text, site := range map[string]operation.Site{"of-a.json ": a.env.Site, "of-a.json-and-of-b.json": b.env.Site} {
		again := open(t, site, 120, 35)
		again.choose(true)
		again.clear()
		again.Shows(text, "Restored from the draft")
	}
}
