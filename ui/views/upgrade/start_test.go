package upgrade_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestAPatchOfTheNewStyleIsStarted(t *testing.T) {
	t.Parallel()
	s := recorded(t, "healthy")
	s.toSettings(false)
	s.Shows("From           11.5.0.6745", "To             11.5.0.6805 (", "While it runs", "Nothing has been sent yet.", "versionManifestFile", "file, 0 bytes")
	s.Press("upgrade.request") // which is not folded where it fits
	s.Hides("versionManifestFile")
	s.Press("enter")
	s.Type("11.5.0.6805")
	started(t, s.Press("enter"))
	s.sent("POST upgrade", 1)
	s.Shows("An upgrade is running")
	records, err := s.env.Site.Memory.Journal.Actions(1)
	if err != nil || len(records) != 1 || len(records[0].Accepted) == 0 || records[0].Accepted[0].Finding == "" {
		t.Errorf("the record does not say what was accepted: %+v, %v", records, err)
	}
}

func TestAReleaseOfTheNewStyleIsStartedWithItsLicence(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"healthy", "old"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := recorded(t, name)
			version := map[string]string{"healthy": "12.0.0", "old": "11.0.0"}[name]
			path := s.licence(version)
			s.toSettings(true)
			s.Shows("Licence file *")
			s.Type(path)
			s.Shows("licence.json, ")
			s.Press("ctrl+s")
			s.Shows("Request  POST /geodeck/admin/system/upgrades/upgrade", "licence.json (", "The latest "+version[:4]+" patch is installed too", "Nothing has been sent yet.")
			s.Press("upgrade.request rows.bottom")
			s.Shows("licenseUpload", `"(its upload id is filled in automatically)"`, "[secret]")
			s.sent("POST upload", 0)
			s.Press("enter")
			s.Type(version)
			started(t, s.Press("enter"))
			s.sent("POST upload", 1)
			s.sent("POST upgrade", 1)
		})
	}
}

func TestAnUpgradeOfTheOldStyleIsStarted(t *testing.T) {
	t.Parallel()
	s := recorded(t, "oldest")
	path := s.licence("10.9.1")
	s.toSettings(true)
	s.Shows("Install the latest patch too")
	s.Type(path)
	s.Press("enter right right ctrl+s")
	s.Shows("licenseFile", "updateToLatestPatch")
	s.Hides("userInputs")
	s.Press("enter")
	s.Type("10.9.1")
	started(t, s.Press("enter"))
	s.sent("POST upload", 0)
	s.sent("POST upgrade", 1)
}

func TestADoubleConfirmOrAHeldEnterStartsAnUpgradeOnce(t *testing.T) {
	t.Parallel()
	s := recorded(t, "healthy")
	s.patchReview()
	s.Press("enter")
	s.Type("11.5.0.6805")
	checks, again := s.wire.Sent("POST getUpgradeSettings"), s.wire.Sent("GET upgrades")
	var cmds []tea.Cmd
	for range 5 {
		cmds = append(cmds, s.Update(uitest.Key("enter")), s.Do("upgrade.confirm", ""), s.Do("upgrade.enter", ""))
	}
	started(t, uitest.Drain(t, s.Model, tea.Batch(cmds...)))
	s.sent("POST getUpgradeSettings", checks+1)
	s.sent("GET upgrades", again+3) // as one start reads it, with the checks before
	s.sent("POST upgrade", 1)
}

func TestWhatIsSentIsSeenFromOtherViewsWithTheKeysThatWork(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.patchReview()
	if s.Hooks().Working() != "" {
		t.Errorf("before it is sent: %s", s.Hooks().Working())
	}
	_ = s.confirmed("11.5.0.6805")
	if s.Hooks().Working() != "sending the upgrade" {
		t.Errorf("while it is sent: %q", s.Hooks().Working())
	}
	if hints := hinted(s); hints != "" {
		t.Errorf("the footer offers %s", hints)
	}
	s.env.Clock.(interface{ Advance(time.Duration) }).Advance(12 * time.Second)
	s.Shows("12 s", "Sent once, never retried.")
}

func TestTheOutcomeOfALostAnswerIsFoundWithoutSendingAgain(t *testing.T) {
	t.Parallel()
	for _, loss := range []string{"before-headers", "after-headers", "mid-body", "502"} {
		t.Run(loss, func(t *testing.T) {
			t.Parallel()
			s := recorded(t, "answer-lost-"+loss)
			s.patchReview()
			started(t, s.confirm("11.5.0.6805"))
			s.sent("POST upgrade", 1)
		})
	}
}

func TestAnUpgradeThatBeginsWithoutAnAnswerIsSeenInTheLogOfTheSite(t *testing.T) {
	t.Parallel()
	s := recorded(t, "answer-lost-silent")
	s.patchReview()
	answer := s.unanswered("11.5.0.6805")
	if s.Hides("No answer yet"); s.Update(views.Freshen) != nil {
		t.Error("it is looked for at once")
	}
	s.env.Clock.(interface{ Advance(time.Duration) }).Advance(30 * time.Second)
	s.Shows("No answer yet. Do not start it again.", "The site's log is read for it.")
	var up []tea.Msg
	for looks := 0; len(up) == 0; looks++ { // until the site has begun
		if looks == 1_000 {
			t.Fatal("it is not seen")
		}
		look := s.Update(views.Freshen)
		if s.Update(views.Freshen) != nil { // it would end the one under way, which a slow site never answers then
			t.Fatal("it is looked for again before the look is answered")
		}
		up = uitest.Drain(t, s.Model, look)
	}
	started(t, up)
	notices(t, up, "The site's log shows the upgrade")
	if s.Hooks().Working() != "sending the upgrade" {
		t.Errorf("the request is open, but the view says %q", s.Hooks().Working())
	}
	s.leavesWith("outcome is not known")
	s.Scope.Close() // which ends the request without an answer
	<-answer
	s.sent("POST upgrade", 1)
}

// unanswered starts with the version, and returns what the answer comes from, once it is sent.
func (s *screen) unanswered(version string) <-chan tea.Msg {
	s.t.Helper()
	cmds, ok := s.confirmed(version)().(tea.BatchMsg)
	if !ok || len(cmds) != 2 {
		s.t.Fatalf("sending makes %v", cmds)
	}
	answer := make(chan tea.Msg, 1)
	go func() { answer <- cmds[0]() }()
	for listen := cmds[1]; !strings.Contains(s.Draw(), "Sending the upgrade"); {
		_, rest := uitest.Run(s.Model, listen, 1)
		listen = tea.Batch(rest...)
	}
	return answer
}

// The answer hangs, a colleague's upgrade starts, and then ours is refused.
func TestAnUpgradeThatBeginsWhileTheAnswerHangsMayBeAnothers(t *testing.T) {
	t.Parallel()
	for version, taken := range map[string]bool{"11.5.0.6805": true, "12.0.0": false} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			site := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
			site.Recorded = true
			counted, wire := site.Counted(t)
			sent, release := make(chan struct{}), make(chan struct{})
			wire.Before = func(r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
					close(sent)
					<-release
				}
			}
			s := open(t, counted, 120, 35)
			if s.wire = wire; taken {
				s.patchReview()
			} else {
				s.releaseReview()
			}
			ask := operation.UpgradeRequest{Target: adminapi.Update{ID: "pat_12082025_6805"}, ManifestPath: "/mine.json"}
			if _, err := s.env.Site.Memory.SaveUpgradeDraft(ask); err != nil {
				t.Fatal(err)
			}
			answer := s.unanswered(version)
			<-sent
			colleague := &screen{t: t, env: uitest.Env(t, site.Site, uitest.Theme())}
			colleague.startElsewhere() // the patch
			s.env.Clock.(interface{ Advance(time.Duration) }).Advance(30 * time.Second)
			up := uitest.Drain(t, s.Model, s.Update(views.Freshen))
			if taken {
				started(t, up)
				notices(t, up, "or another like it")
			} else if len(up) > 0 {
				t.Errorf("the upgrade to another version was taken for ours: %v", up)
			}
			draft, from, err := s.env.Site.Memory.LoadUpgradeDraft(ask.Target.ID)
			if err != nil || from == nil || draft.ManifestPath != "/mine.json" {
				t.Errorf("the answers are gone before it is known whose the upgrade is: %+v, %v", draft, err)
			}
			close(release)
			late := <-answer
			up = uitest.Drain(t, s.Model, func() tea.Msg { return late })
			if !taken {
				s.Shows("The site refused it:")
				return
			}
			notices(t, up, "The site refused your upgrade: ")
			notices(t, up, "Someone else started the one that runs.")
			s.leavesWith("")
			s.sent("POST upgrade", 1)
		})
	}
}

func TestAnUpgradeThatNeverArrivedIsPolledForWithoutSendingAgain(t *testing.T) {
	t.Parallel()
	s := recorded(t, "answer-lost-not-performed")
	s.patchReview()
	_, rest := uitest.Run(s.Model, s.confirmed("11.5.0.6805"), 12)
	s.Shows("the outcome is unknown", "Nothing is sent again")
	s.leavesWith("not known")
	_, rest = uitest.Run(s.Model, tea.Batch(rest...), 120)
	s.Shows("No upgrade was seen to start")
	if len(rest) == 0 {
		t.Error("it is not looked for any more")
	}
	s.sent("POST upgrade", 1)
	up, _ := uitest.Run(s.Model, s.Do("upgrade.back", ""), 4)
	uitest.Run(s.Model, uitest.AnswerOnly(t, up, uitest.Key("y")), 20)
	s.Shows("Offered")
	s.leavesWith("")
}

func TestAnUpgradeSentRightBeforeOursIsNotTakenForOurs(t *testing.T) {
	t.Parallel()
	s := recorded(t, "elses-upgrade-now")
	s.patchReview()
	up := s.confirm("11.5.0.6805")
	if slices.ContainsFunc(up, func(msg tea.Msg) bool { _, leads := msg.(views.Navigate); return leads }) {
		t.Error("it was taken for ours")
	}
	s.Shows("upgrade")
	s.sent("POST upgrade", 1)
}

func TestAnUpgradeOfAnotherUserIsWatched(t *testing.T) {
	t.Parallel()
	s := recorded(t, "healthy")
	s.releaseReview()
	s.startElsewhere()
	s.confirm("12.0.0")
	s.Shows("Nothing was sent", "already running", "enter watch")
	s.sent("POST upgrade", 1)
	leadsTo(t, s.Press("enter"), "progress")
}

func TestWhatCouldNotBeStartedLeadsBack(t *testing.T) {
	t.Parallel()
	for scenario, c := range map[string]struct {
		shows    []string
		uploads  int
		upgrades int
		key      string // that leads to the review again
	}{
		"wrong-licence":      {[]string{"The site refused it:", "icense", "Next  Get a licence file for the target version.", "licence.json"}, 1, 1, "ctrl+s"},
		"refused-settings":   {[]string{"The site's settings have changed", "Nothing was sent", "licence.json"}, 0, 0, ""},
		"upload-refused":     {[]string{"its licence could not be uploaded", "Nothing was sent. From now on the", "goes with the request."}, 1, 0, "ctrl+s"},
		"upload-uncommitted": {[]string{"the site took licence.json, but did not complete", "Nothing was sent. From now on the licence goes with the request."}, 1, 0, "ctrl+s"},
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			s := recorded(t, scenario)
			s.releaseReview()
			up := s.confirm("12.0.0")
			s.Shows(c.shows...)
			if scenario == "wrong-licence" { // its key is text in the field of the licence
				s.Asks(up, "What now", "The licence file is for another version.")
			}
			s.sent("POST upload", c.uploads)
			s.sent("POST upgrade", c.upgrades)
			if c.key != "" {
				s.Press(c.key)
				s.Shows("Request  POST")
			}
		})
	}
}
