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
		s.press("G")
	}
	s.press("u")
	s.shows("Pre-flight")
}

// clear acknowledges every warning, one by one, and goes on.
func (s *screen) clear() []tea.Msg {
	s.t.Helper()
	for range 12 {
		if !strings.Contains(s.view(), "to acknowledge") {
			break
		}
		s.press("g")
		for range 11 {
			if strings.Contains(s.line("› "), "[ ]") {
				s.press("space")
			}
			s.press("down")
		}
	}
	return s.press("n")
}

// line returns the first line with a text.
func (s *screen) line(text string) string {
	for _, line := range strings.Split(s.view(), "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
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
	s.shows("asks for no settings")
	s.press("n")
	s.shows("takes this site from 11.5.0.6745 to 11.5.0.6805", "versionManifestFile", "sent empty", "A dry run ends here")
	s.press("enter")
	s.write("11.5.0.6805")
	started(t, s.press("enter"))
	if n := wire.sent("POST upgrade"); n != 1 {
		t.Errorf("sent %d times", n)
	}
	s.shows("An upgrade is running")
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
			s.shows("Licence file *")
			s.write(path)
			s.shows("licence.json, ")
			s.press("ctrl+s")
			s.shows("The request: POST system/upgrades/upgrade", "First licence.json", "A dry run ends here")
			s.press("G")
			s.shows("licenseUpload", `"(id after upload)"`, "(hidden)")
			if wire.sent("POST upload") != 0 {
				t.Error("something was uploaded before the confirmation")
			}
			s.press("enter")
			s.write(version)
			started(t, s.press("enter"))
			if wire.sent("POST upload") != 1 || wire.sent("POST upgrade") != 1 {
				t.Errorf("%d uploads, %d upgrades", wire.sent("POST upload"), wire.sent("POST upgrade"))
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
	s.shows("Update to the latest patch")
	s.write(path)
	s.press("enter down down ctrl+s")
	s.shows("licenseFile", "updateToLatestPatch")
	s.hides("userInputs")
	s.press("enter")
	s.write("10.9.1")
	started(t, s.press("enter"))
	if wire.sent("POST upload") != 0 || wire.sent("POST upgrade") != 1 {
		t.Errorf("%d uploads, %d upgrades", wire.sent("POST upload"), wire.sent("POST upgrade"))
	}
}

// reviewed leads to the review of the first patch.
func reviewed(t testing.TB, s *screen) {
	t.Helper()
	s.choose(false)
	s.clear()
	s.press("n")
	s.shows("The request: POST system/upgrades/upgrade")
}

func TestAHeldEnterSendsOnce(t *testing.T) {
	site, wire := counted(t, "healthy")
	s := open(t, site, 120, 35)
	reviewed(t, s)
	s.press("enter")
	s.write("11.5.0.6805")
	var cmds []tea.Cmd
	for range 5 {
		cmds = append(cmds, s.Update(uitest.Key("enter")), s.Do("upgrade.confirm", ""), s.Do("upgrade.enter", ""))
	}
	started(t, uitest.Drain(t, s.Model, tea.Batch(cmds...)))
	if n := wire.sent("POST upgrade"); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

func TestPastedTextStartsNothing(t *testing.T) {
	site, wire := counted(t, "healthy")
	s := open(t, site, 120, 35)
	reviewed(t, s)
	s.press("enter")
	burst := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("11.5.0.6805")}
	for _, key := range []tea.KeyMsg{uitest.Paste("11.5.0.6805\n"), burst} {
		uitest.Press(t, s.Model, key, uitest.Key("enter"))
		s.shows("The request")
	}
	s.write("11.5.0")
	s.press("enter")
	s.shows("11.5.0.6805 only")
	if n := wire.sent("POST upgrade"); n != 0 {
		t.Errorf("sent %d times", n)
	}
}

func TestGoingBackLosesNothing(t *testing.T) {
	site, _ := counted(t, "healthy")
	s := open(t, site, 120, 35)
	s.choose(true)
	s.clear()
	s.write("licence.json")
	s.press("esc")
	s.shows("Pre-flight", "[x]")
	s.press("esc")
	s.shows("Offered")
	s.press("u")
	s.hides("[ ]")
	s.press("n")
	s.shows("licence.json")
}

func TestAnswersSurviveACrash(t *testing.T) {
	site, _ := counted(t, "healthy")
	s := open(t, site, 120, 35)
	s.choose(true)
	s.clear()
	s.write("licence.json")
	s.shows("Kept as a draft")
	if q := s.Leave(); q != "" {
		t.Errorf("leaving asks %q", q)
	}
	again := open(t, site, 120, 35)
	again.press("G")
	if text := told(t, again.press("u")); !strings.Contains(text, "restored") {
		t.Errorf("told %q", text)
	}
	again.clear()
	again.shows("licence.json", "Restored from the draft of 2026-11-20")
}

func TestWithoutAJournalLeavingAsksForWhatWouldBeLost(t *testing.T) {
	s := open(t, siteOf(t, "healthy"), 120, 35)
	s.choose(true)
	s.clear()
	s.shows("Drafts are not kept")
	s.write("x")
	if q := s.Leave(); !strings.Contains(q, "12.0.0.7286") {
		t.Errorf("leaving asks %q", q)
	}
}
