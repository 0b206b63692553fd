package upgrade_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestOffersAreAChainThatCanBeFilteredAndSorted(t *testing.T) {
	t.Parallel()
	s := show(t, "required-patch-first")
	s.Shows("11.5.0.6805", "12.0.0.7286", "! requires 6820", "› 11.5.0.6820 2025-10-07       29  recommended")
	s.Press("upgrade.applicable")
	s.Hides("12.0.0.7286  ")
	s.Shows("applicable only")
	s.Press("esc upgrade.order")
	s.Shows("newest first")
	s.Press("rows.filter")
	s.Type("release")
	s.Press("enter")
	s.Shows("1 of 6")
	s.Hides("11.5.0.6805")
}

func TestEnterLeadsToTheUpdateThatIsRequiredFirst(t *testing.T) {
	t.Parallel()
	s := show(t, "required-patch-first")
	s.Press("rows.bottom")
	s.Shows("› 12.0.0.7286")
	notices(t, s.Press("enter"), "12.0.0.7286 requires this update first.")
	s.Shows("› 11.5.0.6820")
	s.Press("rows.filter")
	s.Type("release")
	s.Press("enter enter") // the filter hides it
	s.Shows("› 11.5.0.6820", "11.5.0.6805")
	s.Press("enter")
	s.Shows("Pre-flight", "to 11.5.0.6820", "to accept")
}

func TestWhatWasApplicableIsNotKept(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.Shows("recommended")
	s.goesReadOnly()
	s.upgrades(progress.StateRunning, progress.PatchRun)
	uitest.Refresh(s.env)
	read := s.Update(views.StateChanged)
	s.Hides("recommended") // before the site has answered
	uitest.Drain(t, s.Model, read)
	s.Hides("recommended")
	s.Shows("Read-only mode is on: the site may refuse a start.", "11.5.0.6835")
}

func TestTheDetailShowsWhatAnUpdateIncludesAndRequires(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "required-patch-first"), 200, 55)
	s.Press("rows.bottom")
	s.Shows("Requires", "pat_07102025_6820", "new licence", "Containers named here", "3 added, 44 changed, 16 without a checksum", "Skips")
}

// A19: who leaves the details finds them at their top.
func TestDetailsThatAreLeftBeginAtTheirTop(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	before := s.Draw()
	s.Press("tab rows.bottom")
	s.Hides("Builds on")
	if s.Press("esc"); s.Draw() != before {
		t.Errorf("the details stay scrolled:\n%s", s.Draw())
	}
}

func TestTheDetailIsEmptyWhereNothingMatches(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "required-patch-first"), 200, 55)
	s.Shows("Containers named here")
	s.Invoke("rows.filter", "no such update")
	s.Shows("Nothing matches")
	s.Hides("Containers named here")
}

func TestInstalledAndHistoryAreReadWhenTheyAreShown(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.Press("upgrade.next-list")
	s.Shows("Release 11.5", "A release cannot be rolled back.") // whole in the list too
	s.Hides("icence")
	s.Press("upgrade.next-list")
	s.Shows("No upgrade and no rollback is recorded.")
	s.Press("tab") // to no empty page
	s.Shows("[History]")
	if hints := hinted(s); hints != "lists · import · back" {
		t.Errorf("the footer of an empty list says %q", hints)
	}
	s.Press("esc")
	s.Shows("11.5.0.6805")
}

func TestWhileAnUpgradeRunsTheTabOffersToWatchIt(t *testing.T) {
	t.Parallel()
	s := show(t, "elses-upgrade")
	s.Shows("An upgrade is running", "11.5.0.6745 → 11.5.0.6805", "Phase          Components", "4 of 13", "since 15:00:")
	leadsTo(t, s.Press("enter"), "progress")
	s.Press("upgrade.next-list")
	s.Shows("[Installed]", "closes this list")
}

func TestTheJSONOfAnUpdateIsShownAndLeft(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.Press("upgrade.json")
	s.Shows(`"pat_04122025_6835"`)
	uitest.Pure(t, s.Model)
	s.Press("esc")
	s.Shows("Offered")
}

func TestNothingOfTheSiteReachesTheTerminalUncleaned(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "hostile"), 200, 55)
	for range 8 {
		uitest.Harmless(t, s.Draw())
		s.Press("down")
	}
	if strings.Contains(s.Draw(), "\x1b") {
		t.Error("an escape sequence is on the screen")
	}
}

func TestASiteThatDoesNotAnswerIsRetried(t *testing.T) {
	t.Parallel()
	sc := uitest.Scenario(t, "healthy")
	sc.Faults = []simulator.Fault{{Path: "admin/system/upgrades", What: "html", Status: 502, Times: 9}}
	s := unopened(t, uitest.Env(t, uitest.NewSite(t, sc).Site, uitest.Theme()), 120, 35)
	_, rest := uitest.Run(s.Model, s.Init(), 1)
	s.Shows("502")
	if s.Status().Unreachable == nil {
		t.Error("the frame does not show it")
	}
	uitest.Drain(t, s.Model, tea.Batch(rest...))
	s.Shows("11.5.0.6805")
}

func TestAFetchContinuesAfterASignIn(t *testing.T) {
	t.Parallel()
	site := siteOf(t, "healthy")
	token := site.Client.Session.Token()
	site.Client.Session.SetToken(adminapi.Token{Value: "stale"})
	s := unopened(t, uitest.Env(t, site, uitest.Theme()), 120, 35)
	ask := uitest.Find[views.SignIn](t, uitest.Drain(t, s.Model, s.Init()))
	s.Shows("Not signed in")
	site.Client.Session.SetToken(token)
	uitest.Drain(t, s.Model, ask.Retry)
	s.Shows("11.5.0.6805")

	site.Client.Session.SetToken(adminapi.Token{Value: "stale"})
	ask = uitest.Find[views.SignIn](t, s.Press("enter"))
	site.Client.Session.SetToken(token)
	uitest.Drain(t, s.Model, ask.Retry)
	s.Shows("2 cautions to accept")
}

func TestAMissingPrivilegeIsNamed(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	s := open(t, site.As(t, site.Server.Users()[3]), 120, 35)
	s.Shows("privilege")
}

func TestTheEndOfAnUpgradeReadsTheOffersAgain(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.Press("upgrade.next-list")
	s.Shows("Release 11.5")
	before := s.Status().Updated
	s.pass(time.Minute)
	s.upgrades(progress.StateRunning, progress.PatchRun)
	read := s.env.Clock.Now()
	s.Shows("Release 11.5") // as it was read before
	if at := s.Status().Updated; !at.Equal(before) {
		t.Errorf("what was read at %v is of %v", before, at)
	}
	s.Press("upgrade.previous-list")
	s.Shows("An upgrade is running")
	if at := s.Status().Updated; !at.Equal(read) {
		t.Errorf("that it runs is known at %v, not at %v", read, at)
	}
	s.env.State.Upgrade.Err = errors.New("connection refused")
	s.pass(time.Hour) // in which it may have ended
	s.Shows("An upgrade was running at 15:06:00; no answer since then.")
	s.Hides("is running")
	s.env.State.Upgrade.Value.Progress.Kind = progress.RollbackRun
	s.Shows("A rollback was running at 15:06:00; no answer since then.")
	s.upgrades(progress.StateSucceeded, progress.PatchRun)
	s.Shows("11.5.0.6805")
}

func TestAListThatIsOldIsReadAgainWhereItIsShownAgain(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	for _, reads := range []bool{false, true} {
		before := s.Status().Updated
		s.pass(time.Minute)
		uitest.Drain(t, s.Model, s.Update(views.Shown))
		if now := s.Status().Updated; now.After(before) != reads {
			t.Errorf("read at %v, then at %v", before, now)
		}
	}
}

func TestAManifestIsImportedFromAFileAfterAQuestion(t *testing.T) {
	t.Parallel()
	s := recorded(t, "empty-manifest")
	s.Shows("Nothing is offered")
	content, err := os.ReadFile(filepath.Join("testdata", "manifest_11.5.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	s.file("manifest.dat", content)
	up := uitest.Answer(t, s.Model, s.Press("upgrade.import"), append(uitest.Text("manifest.dat"), uitest.Key("enter"))...)
	s.sent("POST importManifest", 0)
	up = uitest.Answer(t, s.Model, up, uitest.Key("y"))
	notices(t, up, "Manifest imported")
	s.Hides("Nothing is offered")
}

// What a file holds is listed without an import, and the file goes along.
func TestTheUpdatesOfAManifestFileAreListedAndBegun(t *testing.T) {
	t.Parallel()
	s := recorded(t, "empty-manifest")
	s.file("manifest.dat", []byte(`{"versions": [{"id": "rel_x_9999", "name": "Next", "type": "release", "version": "12.0.0", "previousVersion": "11.5.0", `+
		`"build": "9999", "previousReleaseBuild": "6745", "newLicensesRequired": true, "containers": []}], "signature": "x"}`))
	s.Invoke("upgrade.open-manifest", "manifest.dat")
	s.Shows("12.0.0.9999", "with manifest.dat")
	s.Press("G")
	s.Press("enter")
	s.Shows("to 12.0.0.9999", "A new licence is needed, but no setting asks for it.")
	s.sent("POST importManifest", 0)
	s.Press("esc")
	s.Invoke("upgrade.open-manifest", "none.dat")
	s.Shows("with manifest.dat")
}

func TestAnImportThatMeetsAnExpiredSignInSaysSoAndIsAskedAgain(t *testing.T) {
	t.Parallel()
	s := recorded(t, "empty-manifest")
	s.file("manifest.dat", []byte(`{"versions": [{"id": "pat_x_6900", "name": "x", "type": "patch", "version": "11.5.0", "previousVersion": "11.5.0", `+
		`"build": "6900", "previousBuild": "6745", "releaseBuild": "6745", "containers": []}], "signature": "x"}`))
	up, client := s.Invoke("upgrade.import", "manifest.dat"), s.env.Site.Client
	token := client.Session.Token()
	client.Session.SetToken(adminapi.Token{Value: "stale"})
	ask := uitest.Find[views.SignIn](t, uitest.Answer(t, s.Model, up, uitest.Key("y")))
	if ask.Undone != "Nothing was imported." {
		t.Errorf("not done: %q", ask.Undone)
	}
	client.Session.SetToken(token)
	sent := s.wire.Sent("POST importManifest")
	up = uitest.Answer(t, s.Model, uitest.Drain(t, s.Model, ask.Retry), uitest.Key("y"))
	notices(t, up, "Manifest imported")
	s.sent("POST importManifest", sent+1) // after the question only
}

func TestAnImportWithoutAnAnswerIsToldAsUnknown(t *testing.T) {
	t.Parallel()
	lost := simulator.Fault{Path: "admin/system/upgrades/importManifest", Method: "POST", What: "close"}
	s := open(t, uitest.NewSite(t, uitest.Scenario(t, "empty-manifest", lost)).Site, 80, 24)
	content, err := os.ReadFile(filepath.Join("testdata", "manifest_11.5.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	s.file("manifest.dat", content)
	told := uitest.Find[views.Notice](t, uitest.Answer(t, s.Model, s.Invoke("upgrade.import", "manifest.dat"), uitest.Key("y")))
	if told.Result.Outcome != adminapi.OutcomeUnknown || !strings.HasPrefix(told.Text, "It is not known whether the site accepted the request to import the manifest") {
		t.Errorf("%+v", told)
	}
}

func TestWhatIsNoManifestIsNotSent(t *testing.T) {
	t.Parallel()
	s := recorded(t, "empty-manifest")
	s.file("x.dat", []byte("no JSON"))
	notices(t, s.Invoke("upgrade.import", "x.dat"), "Not a version manifest")
	s.sent("POST importManifest", 0)
}

func TestTheDetailFollowsTheDisplayOfTimes(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "healthy"), 200, 55)
	s.Press("rows.bottom tab")
	s.Shows("Released       2025-12-11 08:00")
	s.env.Times.Mode = views.UTCTime
	s.Resize(200, 55) // as the dashboard does then
	s.Shows("Released       2025-12-11 07:00")
	uitest.Pure(t, s.Model)
}

func TestNothingIsRecommendedAfterAFailedUpgrade(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "running-patch-fails"))
	site.Steps.Advance(2 * time.Hour)
	s := open(t, site.Site, 80, 24)
	s.Shows("› 11.5.0.6805", "! failed after 11-20 1", "! Failed after 11-20 1", "Find out why first: 4, then W.")
	s.Press("j")
	s.Shows("! The last upgrade failed.")
	s.Hides("recommended")
}

func TestAFailureThatWasWatchedIsOfWhenItWasSeen(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "running-patch-fails"))
	kept, err := journal.Open(t.TempDir(), "https://gis.example.org/ctx", journal.WithClock(site.Clock))
	if err != nil {
		t.Fatal(err)
	}
	site.Memory.Journal = kept
	watch, last := watching.NewWatch(site.Site, nil), watching.Snapshot{}
	for range 300 {
		step, err := watch.Next(t.Context())
		if last = step.Value; err != nil || last.Ended {
			break
		}
		site.Steps.Advance(time.Minute)
	}
	site.Steps.Advance(2 * time.Hour)
	s := open(t, site.Site, 80, 24)
	when := s.env.Times.Site().Short(last.Progress.FailedBy.Time())
	s.Shows("! failed, seen "+when, "! Failed, seen "+when+". Find out why first")
	facts := site.UpgradeFacts(t.Context(), operation.Offer{}, operation.RollbackRequest(upgrade.Rollback{})) // which needs no offer
	if facts.FailedBy/1000 != last.Progress.FailedBy/1000 {
		t.Errorf("failed by %v, not %v", facts.FailedBy, last.Progress.FailedBy)
	}
}

// After a release that failed between releases, other rows say what the pre-flight says of them.
func TestAFailedReleaseBlocksOtherRows(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "running-release-fails-late"))
	site.Steps.Advance(2 * time.Hour)
	s := open(t, site.Site, 120, 35)
	s.Shows("✗ blocked: only 12.0.0.7286", "! failed after 11-20 15:40")
	s.Press("rows.top")
	s.Shows("✗ Blocked: only 12.0.0.7286 can follow.")
	s.Invoke("upgrade.begin", "")
	s.Shows("Only that release can follow.")
}
