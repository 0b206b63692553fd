package upgrade_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

// confirmed types the version in the review and returns the command that sends.
func (s *screen) confirmed(version string) tea.Cmd {
	s.t.Helper()
	s.Press("enter")
	s.Write(version)
	return s.Update(uitest.Key("enter"))
}

// releaseReviewed leads to the review of the release, with its licence.
func releaseReviewed(t testing.TB, s *screen) {
	t.Helper()
	path := licence(t, s.env.Folder, "12.0.0")
	s.choose(true)
	s.clear()
	s.Write(path)
	s.Press("ctrl+s")
	s.Shows("A dry run ends here")
}

func TestALostAnswerIsFoundByReadingAndNeverSentAgain(t *testing.T) {
	for _, how := range []string{"before-headers", "after-headers", "mid-body", "502"} {
		t.Run(how, func(t *testing.T) {
			site, wire := counted(t, "answer-lost-"+how)
			s := open(t, site, 120, 35)
			reviewed(t, s)
			started(t, uitest.Drain(t, s.Model, s.confirmed("11.5.0.6805")))
			if n := wire.Sent("POST upgrade"); n != 1 {
				t.Errorf("sent %d times", n)
			}
		})
	}
}

func TestAnUpgradeThatNeverArrivedIsLookedForWithoutSendingAgain(t *testing.T) {
	site, wire := counted(t, "answer-lost-not-performed")
	s := open(t, site, 120, 35)
	reviewed(t, s)
	_, rest := uitest.Run(s.Model, s.confirmed("11.5.0.6805"), 12)
	s.Shows("not known whether the upgrade was started", "Nothing is sent again")
	if q := s.Leave(); !strings.Contains(q, "not known") {
		t.Errorf("leaving asks %q", q)
	}
	_, rest = uitest.Run(s.Model, tea.Batch(rest...), 120)
	s.Shows("No upgrade was seen to start")
	if len(rest) == 0 {
		t.Error("it is not looked for any more")
	}
	if n := wire.Sent("POST upgrade"); n != 1 {
		t.Errorf("sent %d times", n)
	}
	up, _ := uitest.Run(s.Model, s.Do("upgrade.back", ""), 4)
	uitest.Run(s.Model, uitest.AnswerOnly(t, up, uitest.Key("y")), 20)
	s.Shows("Offered")
	if q := s.Leave(); q != "" {
		t.Errorf("leaving still asks %q", q)
	}
}

func TestSomebodyElsesUpgradeIsWatchedInsteadOfJoined(t *testing.T) {
	site, wire := counted(t, "healthy")
	s := open(t, site, 120, 35)
	releaseReviewed(t, s)
	offer, err := site.Offers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ask := operation.UpgradeAsk{Target: offer.Chain.Entries[0].Update}
	if ask.Settings, err = site.UpgradeSettings(t.Context(), ask.Target); err != nil {
		t.Fatal(err)
	}
	if _, outcome, err := site.StartUpgrade(t.Context(), ask, nil); outcome != adminapi.OutcomeDone {
		t.Fatal(err)
	}
	uitest.Drain(t, s.Model, s.confirmed("12.0.0"))
	s.Shows("Nothing was sent", "started by somebody else", "w watches")
	if n := wire.Sent("POST upgrade"); n != 1 {
		t.Errorf("sent %d times, once by somebody else", n)
	}
	if to := uitest.Find[views.Navigate](t, s.Press("w")); to.View != "progress" {
		t.Errorf("w leads to %q", to.View)
	}
}

func TestARefusalLeadsBackToTheFormWithTheSitesWords(t *testing.T) {
	site, wire := counted(t, "wrong-licence")
	s := open(t, site, 120, 35)
	releaseReviewed(t, s)
	uitest.Drain(t, s.Model, s.confirmed("12.0.0"))
	s.Shows("The site refused it:", "icense", "licence.json")
	if n := wire.Sent("POST upgrade"); n != 1 {
		t.Errorf("sent %d times", n)
	}
	s.Press("ctrl+s")
	s.Shows("The request: POST")
}

func TestOtherSettingsThanReviewedLeadBackToTheFormWithTheAnswers(t *testing.T) {
	site, wire := counted(t, "refused-settings")
	s := open(t, site, 120, 35)
	releaseReviewed(t, s)
	uitest.Drain(t, s.Model, s.confirmed("12.0.0"))
	s.Shows("The site asks for other settings than before", "Nothing was sent", "licence.json")
	if wire.Sent("POST upgrade")+wire.Sent("POST upload") != 0 {
		t.Error("something was sent")
	}
}

func TestAnUploadThatIsRefusedSaysThatNothingWasSent(t *testing.T) {
	for _, name := range []string{"upload-refused", "upload-uncommitted"} {
		t.Run(name, func(t *testing.T) {
			site, wire := counted(t, name)
			s := open(t, site, 120, 35)
			releaseReviewed(t, s)
			uitest.Drain(t, s.Model, s.confirmed("12.0.0"))
			s.Shows("Nothing was sent", "safe to try again")
			if n := wire.Sent("POST upgrade"); n != 0 {
				t.Errorf("sent %d times", n)
			}
			s.Press("esc")
			s.Shows("The request: POST")
		})
	}
}

func TestWarningsAreAcknowledgedOneByOneAndBlockersStop(t *testing.T) {
	s := open(t, siteOf(t, "healthy"), 120, 35)
	s.choose(false)
	s.Shows("2 warnings to acknowledge")
	if text := uitest.Told(t, s.Press("n")); !strings.Contains(text, "2 warnings left") {
		t.Errorf("told %q", text)
	}
	s.Press("enter enter enter")
	s.Shows("1 warning to acknowledge")
	s.Press("r")
	s.Shows("1 warning to acknowledge")

	s = open(t, siteOf(t, "required-patch-first"), 120, 35)
	s.Press("G u")
	s.Shows("Something stops this upgrade", "✗ blocking", "What to do")
	s.Press("space enter n")
	s.Shows("Something stops this upgrade")
}

func TestAHealthCheckIsRunFromHereAndReadOnTheWayBack(t *testing.T) {
	site, wire := counted(t, "healthy")
	s := open(t, site, 120, 35)
	s.choose(false)
	if to := uitest.Find[views.Navigate](t, s.Press("c")); to.View != "health" || to.Command != "health.run" {
		t.Errorf("leads to %+v", to)
	}
	before := wire.Sent("GET mode")
	uitest.Drain(t, s.Model, s.Focus())
	if wire.Sent("GET mode") == before {
		t.Error("the facts were not read again")
	}
}

func TestTheRequestIsSavedAndCopiedWithoutSecrets(t *testing.T) {
	s := open(t, siteOf(t, "healthy"), 120, 35)
	releaseReviewed(t, s)
	if text := uitest.Told(t, s.Press("w")); !strings.Contains(text, "upgrade-12.0.0.7286-request.txt") {
		t.Errorf("told %q", text)
	}
	path := filepath.Join(s.env.Folder, "upgrade-12.0.0.7286-request.txt")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, _ := os.Stat(path)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v", info.Mode())
	}
	copied := uitest.Find[views.Copy](t, s.Press("y")).Text
	content, _ := os.ReadFile(filepath.Join(s.env.Folder, "licence.json"))
	for _, out := range []string{string(text), copied} {
		if !strings.Contains(out, "userInputs") || strings.Contains(out, s.env.Site.Client.Token().Value.Reveal()) || strings.Contains(out, string(content)) {
			t.Errorf("the request reads\n%s", out)
		}
	}
}

func TestALicenceThatCannotBeUsedIsFoundHereFirst(t *testing.T) {
	for what, say := range map[string]string{"folder": "is a folder", "text": "JSON", "missing": "there is no file", "large": "MiB"} {
		t.Run(what, func(t *testing.T) {
			s := open(t, siteOf(t, "healthy"), 120, 35)
			path := filepath.Join(s.env.Folder, "licence.json")
			switch what {
			case "folder":
				_ = os.Mkdir(path, 0o700)
			case "text":
				_ = os.WriteFile(path, []byte("SECRET-0815 is no JSON"), 0o600)
			case "large":
				_ = os.WriteFile(path, nil, 0o600)
				_ = os.Truncate(path, 200<<20)
			}
			s.choose(true)
			s.clear()
			s.Write("licence.json")
			s.Press("ctrl+s")
			s.Hides("The request", "SECRET")
			if v := strings.ToLower(s.Draw()); !strings.Contains(v, strings.ToLower(say)) {
				t.Errorf("it does not say %q:\n%s", say, v)
			}
		})
	}
}

func TestAnUpgradeThatBeganMeanwhileStopsThePreflight(t *testing.T) {
	s := open(t, siteOf(t, "elses-upgrade-soon"), 120, 35)
	s.Press("u")
	s.Press("r")
	s.Shows("Something stops this upgrade", "An upgrade is running.")
	if to := uitest.Find[views.Navigate](t, s.Press("w")); to.View != "progress" {
		t.Errorf("w leads to %q", to.View)
	}
}

func TestWhatIsBelowUpgradesIsNotAskedOfASiteThatHasBegunOneSinceTheListWasRead(t *testing.T) {
	site, wire := counted(t, "healthy")
	s := open(t, site, 120, 35)
	offer, err := site.Offers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ask := operation.UpgradeAsk{Target: offer.Chain.Entries[0].Update}
	if ask.Settings, err = site.UpgradeSettings(t.Context(), ask.Target); err != nil {
		t.Fatal(err)
	}
	if _, outcome, err := site.StartUpgrade(t.Context(), ask, nil); outcome != adminapi.OutcomeDone {
		t.Fatal(err)
	}
	settings, config := wire.Sent("POST getUpgradeSettings"), wire.Sent("GET config")
	s.Press("u")
	s.Shows("Something stops this upgrade", "An upgrade is running.")
	if wire.Sent("POST getUpgradeSettings") != settings || wire.Sent("GET config") != config {
		t.Error("resources below Upgrades were asked while an upgrade runs")
	}
}

func TestAHealthReportThatIsNotGoodIsAcknowledgedAnewAfterAnotherRun(t *testing.T) {
	s := open(t, siteOf(t, "degraded"), 120, 35)
	s.choose(false)
	for range 12 { // one by one
		s.Press("n space")
		if !strings.Contains(s.Draw(), "to acknowledge") {
			break
		}
	}
	s.Hides("to acknowledge")
	s.Press("c")
	uitest.Drain(t, s.Model, s.Focus())
	s.Shows("1 warning to acknowledge", "The site is healthy")
}
