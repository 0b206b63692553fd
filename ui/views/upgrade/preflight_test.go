package upgrade_test

import (
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/polling"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestWarningsAreAcknowledgedOneByOneAndBlockersStop(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.choose(false)
	s.Shows("2 cautions to accept", "› [ ] ! caution   Health")
	for range 3 { // enter never consents
		up := s.Press("enter")
		notices(t, up, "2 cautions to accept first")
		if notice := uitest.Find[views.Notice](t, up); notice.Level != views.Info {
			t.Error("the notice stays after its cause has gone")
		}
	}
	s.Press("space")
	s.Shows("1 caution to accept", "› [ ] ! caution   Upgrade pods") // which is the next
	s.Press("upgrade.check-again")
	s.Shows("1 caution to accept")
	s.Press("rows.top")
	if hints := hinted(s); !strings.HasPrefix(hints, "move · withdraw · ") {
		t.Errorf("the footer says %q", hints)
	}
	notices(t, s.Press("space"), "Health is no longer accepted.")
	s.Shows("2 cautions to accept")
	notices(t, s.Press("rows.bottom space"), "asks for nothing.")

	s = show(t, "old") // which shows neither health nor placement
	s.choose(false)
	s.Shows("2 cautions to accept")

	s = show(t, "required-patch-first")
	s.choose(true)
	s.Shows("1 check blocks this upgrade.", "✗ blocking  Required updates")
	s.Press("space")
	s.Shows("1 check blocks this upgrade.")
	if hints := hinted(s); strings.Contains(hints, "go on") {
		t.Errorf("the footer says %q", hints)
	}
	s.Press("rows.top")
	if hints := hinted(s); !strings.Contains(hints, "required update") {
		t.Errorf("the footer says %q", hints)
	}
	s.Press("enter") // to the update that is required
	s.Shows("Offered", "› 11.5.0.6820")
}

// hinted are the hints of the footer.
func hinted(s *screen) string {
	var hints []string
	for _, hint := range views.Footer(s.Commands(), s.Footer()...) {
		hints = append(hints, hint.Text)
	}
	return strings.Join(hints, " · ")
}

func TestInReadOnlyModeTheFooterOffersWhatTheSiteTakes(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.choose(false)
	if hints := hinted(s); !strings.Contains(hints, "go on") || !strings.Contains(hints, "health check") {
		t.Errorf("the footer says %q", hints)
	}
	s.goesReadOnly()
	s.Press("upgrade.check-again")
	s.Shows("to accept", "Read-only mode   On")
	if hints := hinted(s); !strings.Contains(hints, "go on") || strings.Contains(hints, "health check") {
		t.Errorf("the footer says %q", hints)
	}
}

func TestWhatIsSaidOfACheckFollowsAtRest(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.choose(false)
	before := s.Line("Found ")
	uitest.PressKey(s, "down")
	if now := s.Line("Found "); now != before {
		t.Errorf("while the cursor moves %q becomes %q", before, now)
	}
	s.Rest()
	if s.Line("Found ") == before {
		t.Errorf("at rest it is still %q", before)
	}
}

func TestOnlyAWarningThatWasToBeReadIsAcknowledged(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.choose(false)
	s.Hurry("space") // the first is shown with its text
	s.Shows("1 caution to accept")
	s.Tells(s.Hurry("space"), "Read the caution, then press the key again.") // the next is not read yet
	s.Hurry("rows.bottom upgrade.next-open")
	s.Tells(s.Hurry("space"), "Read the caution, then press the key again.")
	s.Hurry("rows.bottom enter") // which moves there
	s.Shows("1 caution to accept", "› [ ]")
	s.Rest()
	s.Hurry("space")
	s.Hides("to accept")
}

// Whichever way somebody comes back, and also where a health check ends while the pre-flight
// is shown, the checks are of the site as it is.
func TestTheChecksAreRepeatedOnTheWayBackAndWhenAHealthCheckEnds(t *testing.T) {
	t.Parallel()
	s := recorded(t, "healthy")
	s.choose(false)
	if to := uitest.Find[views.Navigate](t, s.Press("upgrade.health")); to.View != "health" || to.Command != "health.run" {
		t.Errorf("leads to %+v", to)
	}
	for n, told := range []views.Event{views.Shown, views.HealthEnded} {
		before := s.wire.Sent("GET mode")
		uitest.Drain(t, s.Model, s.Update(told))
		if s.wire.Sent("GET mode") == before {
			t.Errorf("%d: the facts were not read again", n)
		}
	}
}

func TestTheChecksOfAReviewAreRepeatedToo(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.patchReview()
	s.goesReadOnly()
	uitest.Drain(t, s.Model, s.Update(views.Shown))
	s.Shows("1 caution to accept")
	s.Press("enter")
	s.Shows("[ ] Read-only mode: On")
}

func TestAnUpgradeThatBeganMeanwhileStopsThePreflight(t *testing.T) {
	t.Parallel()
	s := show(t, "elses-upgrade-soon")
	s.Press("enter")
	s.Press("upgrade.check-again")
	s.Shows("1 check blocks this upgrade.", "An upgrade is running.")
	leadsTo(t, s.Press("rows.top enter"), "progress")
}

func TestNothingBelowUpgradesIsReadAfterAnUpgradeHasBegun(t *testing.T) {
	t.Parallel()
	s := recorded(t, "healthy")
	s.startElsewhere()
	settings, config := s.wire.Sent("POST getUpgradeSettings"), s.wire.Sent("GET config")
	s.Press("enter")
	s.Shows("1 check blocks this upgrade.", "An upgrade is running.")
	if s.wire.Sent("POST getUpgradeSettings") != settings || s.wire.Sent("GET config") != config {
		t.Error("resources below Upgrades were asked while an upgrade runs")
	}
}

// A failed report takes more than a space, and the review shows it for what it is.
func TestAFailedHealthReportIsAcceptedByItsWord(t *testing.T) {
	t.Parallel()
	scenario := uitest.Scenario(t, "degraded")
	s := open(t, uitest.NewSite(t, scenario).Site, 120, 35)
	checks, result := s.env.Site.StartHealthRun(t.Context(), adminapi.HealthRun{Name: "before", SuiteIDs: []string{"BSHC-001"}})
	if !result.Done() {
		t.Fatal(result.Err)
	}
	if _, err := polling.Wait(t.Context(), s.env.Clock, checks, nil); err != nil {
		t.Fatal(err)
	}
	s.choose(false)
	s.Shows("› [ ] ✗ danger    Health", `The last report failed, 1 of 13 tests: before.`)
	up := s.Press("space")
	s.Shows("1 danger and 1 caution to accept")
	question := uitest.Find[views.Open](t, up).Dialog
	question.SetSize(76, 16)
	if text := question.View(); !strings.Contains(text, "Type failed-health and enter to accept it:") {
		t.Errorf("it asks\n%s", text)
	}
	for _, r := range "failed-health" {
		question.Update(uitest.Key(string(r)))
	}
	shut := uitest.Find[views.Shut](t, uitest.Drain(t, s.Model, question.Update(uitest.Key("enter"))))
	uitest.Drain(t, s.Model, shut.Then)
	s.Shows("[x] ✗ danger    Health", "1 caution to accept")
	s.Rest()
	s.Press("space")
	s.Press("enter")
	s.Shows(`✗ Health: The last report failed, 1 of 13 tests: before.`)
	s.Resize(80, 20)
	s.Shows(`✗ Health: The last report failed, 1 of 13 tests: before.`)
}

func TestAProgramThatOnlyReadsSaysSoBeforeAnythingIsTyped(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	client, err := adminapi.New(adminapi.Config{Base: site.Client.Base().String(), Insecure: true, ReadOnly: true, Clock: site.Clock})
	if err != nil {
		t.Fatal(err)
	}
	client.Session.SetToken(site.Client.Session.Token())
	site.Site.Client = client
	s := open(t, site.Site, 120, 35)
	s.choose(false)
	s.Shows("1 check blocks this upgrade.", "› ", "✗ blocking  Read-only mode", "geodeck was started with --read-only.", "Start it without --read-only.")
	s.Press("enter")
	s.Shows("✗ blocking  Read-only mode")
}

func TestALockedSiteBlocksNoUpgradeAndIsUnlockedBeforeTheVersionIsTyped(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	client, err := adminapi.New(adminapi.Config{Base: site.Client.Base().String(), Locked: true, Clock: site.Clock})
	if err != nil {
		t.Fatal(err)
	}
	client.Session.SetToken(site.Client.Session.Token())
	site.Site.Client = client
	s := open(t, site.Site, 120, 35)
	s.choose(false)
	s.Shows("○ note", "This site asks for its name before its first change.")
	s.clear()
	ask := uitest.Find[views.Unlock](t, s.Press("enter"))
	if s.CapturesText() {
		t.Error("the version is typed before the site is unlocked")
	}
	client.Unlock()
	uitest.Drain(t, s.Model, ask.Then)
	if !s.CapturesText() {
		t.Errorf("nothing goes on:\n%s", s.Draw())
	}
}

func TestABadHealthReportIsAcknowledgedAgainAfterAnotherRun(t *testing.T) {
	t.Parallel()
	s := show(t, "degraded")
	s.choose(false)
	for range 12 { // one by one
		s.Press("space")
		if !strings.Contains(s.Draw(), "to accept") {
			break
		}
	}
	s.Hides("to accept")
	uitest.Drain(t, s.Model, s.Update(views.HealthEnded))
	s.Shows("1 caution to accept", "[ ] ! caution   Health")
}

func TestALargeTerminalListsTheContainersThatChange(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "healthy"), 200, 55)
	s.choose(true)
	s.Shows("This upgrade", "Containers named here", "WEB_PROXY", "no checksum", "and 4 more")
	s.clear()
	s.Shows("Licence file", "This upgrade", "REGISTRY_MIRROR", "Read-only      While it runs; how long is unknown.")
	s.Hides(" more")
	uitest.Pure(t, s.Model)
}

// What was accepted is not nothing.
func TestTheHeadOfThePreflightSaysWhatWasAccepted(t *testing.T) {
	t.Parallel()
	s := show(t, "no-backup")
	s.choose(false)
	s.Press("down")
	s.Update(views.Rested)
	s.Shows("A patch may fail and not roll back. Then only a backup restores the site.")
	s.Press("up")
	s.clear()
	s.Press("esc")
	s.Shows("! 3 cautions accepted; nothing else is in the way.")
	s.Hides("Nothing blocks")
}
