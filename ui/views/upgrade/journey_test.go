package upgrade_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

// choose goes from the picker to the pre-flight of the last offer, or the first.
func (s *screen) choose(last bool) {
	s.t.Helper()
	if last {
		s.Press("G")
	}
	s.Press("u")
	s.Shows("Pre-flight")
}

// clear acknowledges every warning, one by one, and goes on.
func (s *screen) clear() []tea.Msg {
	s.t.Helper()
	for range 12 {
		if !strings.Contains(s.Draw(), "to acknowledge") {
			break
		}
		s.Press("g")
		for range 11 {
			if strings.Contains(s.Line("› "), "[ ]") {
				s.Press("space")
			}
			s.Press("down")
		}
	}
	return s.Press("n")
}

// started tells that a start led to the watch.
func started(t testing.TB, up []tea.Msg) {
	t.Helper()
	if watch := uitest.Find[views.WatchUpgrade](t, up); watch.Run == nil {
		t.Error("the watch takes the end of this upgrade for history")
	}
	if to := uitest.Find[views.Navigate](t, up); to.View != "progress" {
		t.Errorf("it leads to %q", to.View)
	}
}

func TestAPatchOfTheNewStyleIsStarted(t *testing.T) {
	site, wire := counted(t, "healthy")
	s := open(t, site, 120, 35)
	s.choose(false)
	s.clear()
	s.Shows("asks for no settings")
	s.Press("n")
	s.Shows("takes this site from 11.5.0.6745 to 11.5.0.6805", "versionManifestFile", "sent empty", "A dry run ends here")
	s.Press("enter")
	s.Write("11.5.0.6805")
	started(t, s.Press("enter"))
	if n := wire.Sent("POST upgrade"); n != 1 {
		t.Errorf("sent %d times", n)
	}
	s.Shows("An upgrade is running")
}

func TestAReleaseOfTheNewStyleIsStartedWithItsLicence(t *testing.T) {
	for _, name := range []string{"healthy", "old"} {
		t.Run(name, func(t *testing.T) {
			site, wire := counted(t, name)
			s := open(t, site, 120, 35)
			version := map[string]string{"healthy": "12.0.0", "old": "11.0.0"}[name]
			path := licence(t, s.env.Folder, version)
			s.choose(true)
			s.clear()
			s.Shows("Licence file *")
			s.Write(path)
			s.Shows("licence.json, ")
			s.Press("ctrl+s")
			s.Shows("The request: POST system/upgrades/upgrade", "First licence.json", "A dry run ends here")
			s.Press("G")
			s.Shows("licenseUpload", `"(id after upload)"`, "(hidden)")
			if wire.Sent("POST upload") != 0 {
				t.Error("something was uploaded before the confirmation")
			}
			s.Press("enter")
			s.Write(version)
			started(t, s.Press("enter"))
			if wire.Sent("POST upload") != 1 || wire.Sent("POST upgrade") != 1 {
				t.Errorf("%d uploads, %d upgrades", wire.Sent("POST upload"), wire.Sent("POST upgrade"))
			}
		})
	}
}

func TestAnUpgradeOfTheOldStyleIsStarted(t *testing.T) {
	site, wire := counted(t, "oldest")
	s := open(t, site, 120, 35)
	path := licence(t, s.env.Folder, "10.9.1")
	s.choose(true)
	s.clear()
	s.Shows("Update to the latest patch")
	s.Write(path)
	s.Press("enter down down ctrl+s")
	s.Shows("licenseFile", "updateToLatestPatch")
	s.Hides("userInputs")
	s.Press("enter")
	s.Write("10.9.1")
	started(t, s.Press("enter"))
	if wire.Sent("POST upload") != 0 || wire.Sent("POST upgrade") != 1 {
		t.Errorf("%d uploads, %d upgrades", wire.Sent("POST upload"), wire.Sent("POST upgrade"))
	}
}

// reviewed leads to the review of the first patch.
func reviewed(t testing.TB, s *screen) {
	t.Helper()
	s.choose(false)
	s.clear()
	s.Press("n")
	s.Shows("The request: POST system/upgrades/upgrade")
}

func TestAHeldEnterSendsOnce(t *testing.T) {
	site, wire := counted(t, "healthy")
	s := open(t, site, 120, 35)
	reviewed(t, s)
	s.Press("enter")
	s.Write("11.5.0.6805")
	var cmds []tea.Cmd
	for range 5 {
		cmds = append(cmds, s.Update(uitest.Key("enter")), s.Do("upgrade.confirm", ""), s.Do("upgrade.enter", ""))
	}
	started(t, uitest.Drain(t, s.Model, tea.Batch(cmds...)))
	if n := wire.Sent("POST upgrade"); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

func TestPastedTextStartsNothing(t *testing.T) {
	site, wire := counted(t, "healthy")
	s := open(t, site, 120, 35)
	reviewed(t, s)
	s.Press("enter")
	burst := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("11.5.0.6805")}
	for _, key := range []tea.KeyMsg{uitest.Paste("11.5.0.6805\n"), burst} {
		uitest.Press(t, s.Model, key, uitest.Key("enter"))
		s.Shows("The request")
	}
	s.Write("11.5.0")
	s.Press("enter")
	s.Shows("11.5.0.6805 only")
	if n := wire.Sent("POST upgrade"); n != 0 {
		t.Errorf("sent %d times", n)
	}
}

func TestGoingBackLosesNothing(t *testing.T) {
	site, _ := counted(t, "healthy")
	s := open(t, site, 120, 35)
	s.choose(true)
	s.clear()
	s.Write("licence.json")
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
	site, _ := counted(t, "healthy")
	s := open(t, site, 120, 35)
	s.choose(true)
	s.clear()
	s.Write("licence.json")
	s.Shows("Kept as a draft")
	if q := s.Leave(); q != "" {
		t.Errorf("leaving asks %q", q)
	}
	again := open(t, site, 120, 35)
	again.Press("G")
	if text := uitest.Told(t, again.Press("u")); !strings.Contains(text, "restored") {
		t.Errorf("told %q", text)
	}
	again.clear()
	again.Shows("licence.json", "Restored from the draft of 2026-11-20")
}

func TestWithoutAJournalLeavingAsksForWhatWouldBeLost(t *testing.T) {
	s := open(t, siteOf(t, "healthy"), 120, 35)
	s.choose(true)
	s.clear()
	s.Shows("Drafts are not kept")
	s.Write("x")
	if q := s.Leave(); !strings.Contains(q, "12.0.0.7286") {
		t.Errorf("leaving asks %q", q)
	}
}
