package upgrade_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestAPatchOfTheNewStyleIsStarted(t *testing.T) {
	t.Parallel()
	site, wire := counted(t, "healthy")
	s := open(t, site, 120, 35)
	s.choose(false)
	s.clear()
	s.Shows("asks for no settings")
	s.Press("n")
	s.Shows("takes this site from 11.5.0.6745 to 11.5.0.6805", "versionManifestFile", "sent empty", "A dry run ends here")
	s.Press("enter")
	s.Type("11.5.0.6805")
	started(t, s.Press("enter"))
	if n := wire.Sent("POST upgrade"); n != 1 {
		t.Errorf("sent %d times", n)
	}
	s.Shows("An upgrade is running")
}

func TestAReleaseOfTheNewStyleIsStartedWithItsLicence(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"healthy", "old"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site, wire := counted(t, name)
			s := open(t, site, 120, 35)
			version := map[string]string{"healthy": "12.0.0", "old": "11.0.0"}[name]
			path := licence(t, s.env.Folder, version)
			s.choose(true)
			s.clear()
			s.Shows("Licence file *")
			s.Type(path)
			s.Shows("licence.json, ")
			s.Press("ctrl+s")
			s.Shows("The request: POST system/upgrades/upgrade", "First licence.json", "A dry run ends here")
			s.Press("G")
			s.Shows("licenseUpload", `"(id after upload)"`, "(hidden)")
			if wire.Sent("POST upload") != 0 {
				t.Error("something was uploaded before the confirmation")
			}
			s.Press("enter")
			s.Type(version)
			started(t, s.Press("enter"))
			if wire.Sent("POST upload") != 1 || wire.Sent("POST upgrade") != 1 {
				t.Errorf("%d uploads, %d upgrades", wire.Sent("POST upload"), wire.Sent("POST upgrade"))
			}
		})
	}
}

func TestAnUpgradeOfTheOldStyleIsStarted(t *testing.T) {
	t.Parallel()
	site, wire := counted(t, "oldest")
	s := open(t, site, 120, 35)
	path := licence(t, s.env.Folder, "10.9.1")
	s.choose(true)
	s.clear()
	s.Shows("Update to the latest patch")
	s.Type(path)
	s.Press("enter down down ctrl+s")
	s.Shows("licenseFile", "updateToLatestPatch")
	s.Hides("userInputs")
	s.Press("enter")
	s.Type("10.9.1")
	started(t, s.Press("enter"))
	if wire.Sent("POST upload") != 0 || wire.Sent("POST upgrade") != 1 {
		t.Errorf("%d uploads, %d upgrades", wire.Sent("POST upload"), wire.Sent("POST upgrade"))
	}
}

func TestAHeldEnterSendsOnce(t *testing.T) {
	t.Parallel()
	site, wire := counted(t, "healthy")
	s := open(t, site, 120, 35)
	reviewed(t, s)
	s.Press("enter")
	s.Type("11.5.0.6805")
	var cmds []tea.Cmd
	for range 5 {
		cmds = append(cmds, s.Update(uitest.Key("enter")), s.Do("upgrade.confirm", ""), s.Do("upgrade.enter", ""))
	}
	started(t, uitest.Drain(t, s.Model, tea.Batch(cmds...)))
	if n := wire.Sent("POST upgrade"); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

func TestALostAnswerIsFoundByReadingAndNeverSentAgain(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"before-headers", "after-headers", "mid-body", "502"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
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
	t.Parallel()
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

func TestAnUpgradeSentRightBeforeOursIsNotTakenForOurs(t *testing.T) {
	t.Parallel()
	site, wire := counted(t, "elses-upgrade-now")
	s := open(t, site, 120, 35)
	reviewed(t, s)
	up := uitest.Drain(t, s.Model, s.confirmed("11.5.0.6805"))
	for _, msg := range up {
		if _, ok := msg.(views.Navigate); ok {
			t.Error("it was taken for ours")
		}
	}
	s.Shows("upgrade")
	if n := wire.Sent("POST upgrade"); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

func TestSomebodyElsesUpgradeIsWatchedInsteadOfJoined(t *testing.T) {
	t.Parallel()
	site, wire := counted(t, "healthy")
	s := open(t, site, 120, 35)
	releaseReviewed(t, s)
	offer, err := site.Offers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ask := operation.UpgradeRequest{Target: offer.Chain.Entries[0].Update}
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
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
	for _, name := range []string{"upload-refused", "upload-uncommitted"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
