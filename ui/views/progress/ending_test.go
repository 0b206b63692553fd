package progress_test

import (
	"archive/zip"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestAWatchedSuccessShowsTheSummary(t *testing.T) {
	t.Parallel()
	s := with(t, 120, 35, running(12))
	s.Shows("Total", "1 h 06 min", "Upgrading PostgreSQL · 7 min 02 s · 1 more")
	s.Press("tab")
	s.Hides("Total")
	s.Press("tab")
	s.poll(ended())
	s.Shows("after 55 min 11 s", "10 min 10 s 12 min 00 s", "Read-only", "52 min", "Silence     longest 27 min 50 s in Plan, from 14:27",
		"before ✓ passed, 13 of 13", "after  no report yet", "Next        r run a health check")
	nav := uitest.Find[views.Navigate](t, s.Press("progress.health"))
	if nav.View != "health" || nav.Command != "health.run" {
		t.Errorf("leads to %+v", nav)
	}
	s.Press("rows.filter")
	s.Type("2012")
	s.Press("enter")
	s.Shows("1 of 24", "The site is at 12.0.0.7286.")
	s.Press("tab") // the log alone keeps its filter, which esc clears first
	s.Shows("1 of 24")
	s.Press("esc")
	s.Hides("1 of 24", "Next        r")
	s.Press("esc")
	s.Shows("Next        r")
}

func TestAUserWhoReadsIsNotDisturbedByTheEnd(t *testing.T) {
	t.Parallel()
	for _, size := range uitest.Sizes {
		s := showing(t, size.Width, size.Height, running(17))
		s.Press("up")
		s.poll(ended())
		s.Shows("✓ succeeded", "15:05:00", "7 messages since; G shows the last")
		s.Hides("paused")
	}
}

func TestAFailureLeavesItsLastMessagesOnTheScreen(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, running(11))
	s.poll(adminapi.UpgradeStatus{State: "failed", Code: 2, Messages: release(12)})
	s.Shows("failed in PostgreSQL", "Failed during: PostgreSQL upgrade (14:58:00)", "✗ PostgreSQL", "postgres-def is the primary now.",
		"Read-only since 14:27, never lifted")
}

func TestAfterAFailureTheModeOfTheSiteIsFollowed(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, running(11))
	s.poll(adminapi.UpgradeStatus{State: "failed", Code: 2, Messages: release(12)})
	mode := func(readOnly bool, age time.Duration) {
		s.env.State.Mode = adminapi.FactOf(s.env.Clock.Now().Add(-age), adminapi.Mode{ReadOnly: readOnly}, nil)
		uitest.Drain(t, s.Model, s.Update(views.StateChanged))
	}
	mode(true, 0)
	s.Shows("lift read-only mode by hand", " Read-only since 14:27, never lifted")
	s.Hides("As of")
	mode(true, 5*time.Minute)
	s.Shows("As of 15:14: Read-only since 14:27, never lifted")
	mode(false, 0)
	s.Shows("read-only since 14:27; lifted by now", "──      lifted ")
	s.Hides("never lifted", "not lifted", "lifted by n…", "by hand", "success ends read-only")
}

// The site's clock is two hours ahead: its messages are of a later time than the look that found the mode lifted.
func TestAfterAFailureTheModeIsJudgedByTheClockOfTheSite(t *testing.T) {
	t.Parallel()
	for ahead, lifted := range map[time.Duration]bool{2 * time.Hour: true, 0: false} {
		s := showing(t, 180, 50, running(11))
		s.ahead = ahead
		s.poll(adminapi.UpgradeStatus{State: "failed", Code: 2, Messages: release(12)})
		s.env.State.Mode = adminapi.FactOf(s.env.Clock.Now().Add(-2*time.Hour), adminapi.Mode{}, nil)
		s.env.State.Version = adminapi.FactOf(s.env.State.Mode.At, adminapi.Root{FullVersion: "11.5.0.6745"}, nil)
		uitest.Drain(t, s.Model, s.Update(views.StateChanged))
		if s.Shows("failed in PostgreSQL"); lifted {
			s.Shows("lifted by now", "Installed: 11.5.0.6745.")
		} else {
			s.Shows("never lifted")
			s.Hides("Installed: ") // it may be of before the run
		}
	}
}

func TestAHealthCheckThatTheSiteMayRefuseIsNoHintButPossible(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "running-release-fails"))
	s := open(t, site.Site, 80, 24)
	for range 1000 {
		if s.next().Ended {
			break
		}
		s.pass(time.Minute)
	}
	s.Shows("failed in PostgreSQL", "never lifted")
	if slices.Contains(hintsOf(s), "check health") {
		t.Error("the footer offers a check that the site may refuse")
	}
	if nav := uitest.Find[views.Navigate](t, s.Press("progress.health")); nav.Command != "health.run" {
		t.Errorf("r leads to %+v", nav)
	}
}

func TestAFailureEndsTheRunWhenItIsSeenNotAtItsLastMessage(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "running-release-fails")).Site
	kept, err := journal.Open(t.TempDir(), "https://gis.example.org/arcgis", journal.WithClock(site.Clock))
	if err != nil {
		t.Fatal(err)
	}
	site.Memory.Journal = kept
	s := open(t, site, 120, 40)
	var before, after watching.Snapshot
	for after = s.next(); !after.Ended && s.env.Upgrade.On; after = s.next() {
		before = after
		s.pass(time.Minute)
	}
	p, seen := after.Progress, adminapi.MillisOf(after.ServerAt())
	if p.FailedBy != seen || p.Last >= seen {
		t.Fatalf("failed by %v, seen at %v, last message %v", p.FailedBy, seen, p.Last)
	}
	if was, is := before.Progress.SpentBy(p.Current, adminapi.MillisOf(before.ServerAt())), p.SpentBy(p.Current, seen); is <= was {
		t.Errorf("%s took %v, and %v after the failure", p.Current, was, is)
	}
	took := "noticed " + views.Seconds(seen.Time().Sub(p.Began.Time())) + " in"
	s.Shows(took, "never lifted", "  not lifted")
	s.pass(time.Hour)
	s.Shows(took)
	s.watch = watching.NewWatch(site, nil) // as refreshed, or begun anew
	if again := s.next(); again.Ended || again.Progress.FailedBy/1000 != seen/1000 {
		t.Errorf("watched again: failed by %v, not %v", again.Progress.FailedBy, seen)
	}
	s.Shows(took)
	s.pass(time.Second)
	site.Memory.Journal = nil // and nobody has seen the failure
	s.watch = watching.NewWatch(site, nil)
	s.next()
	s.Shows(views.Seconds(p.Last.Time().Sub(p.Began.Time())) + " to the last message")
}

func TestHealthAfterTheRunIsShownOnceItWasChecked(t *testing.T) {
	t.Parallel()
	s := showing(t, 200, 55, running(11))
	s.pass(30 * time.Minute)
	s.poll(ended())
	s.Shows("after  no report yet")
	suites, err := s.env.Site.Client.Health.Suites(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	check := adminapi.HealthRun{Name: "afterwards"}
	for _, suite := range suites {
		check.SuiteIDs = append(check.SuiteIDs, suite.ID)
	}
	run, result := s.env.Site.StartHealthRun(t.Context(), check)
	if err = result.Err; err == nil {
		_, err = polling.Wait(t.Context(), s.env.Clock, run, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	uitest.Drain(t, s.Model, s.Update(views.Shown))
	s.Shows("after  ✓ passed, 13 of 13", "No new failures")
}

func TestTheTimeLeftComesFromEarlierRunsOnly(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, running(12))
	s.Hides(" left", "usual")
	s.usual = usualRelease
	s.poll(running(12))
	s.Shows("about 52 min left (like the last 3 runs)")
	dialogShows(t, s.Press("progress.explain"), "About 52 min left (like the last 3 runs).")
	s.env.Upgrade.Snapshot.Unreachable = errors.New("connection refused")
	s.env.Upgrade.Snapshot.UnreachableSince = s.env.Clock.Now()
	s.Hides(" left (")
}

func TestTheReadOnlyClockRunsFromTheServersTimes(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, running(6))
	s.Hides("READ-ONLY")
	s.poll(running(12))
	s.Shows("READ-ONLY since 14:27 (38 min 02 s)")
	s.pass(2 * time.Minute)
	s.Shows("READ-ONLY since 14:27 (40 min 02 s)")
	s.env.Times.Mode = views.SinceStart
	s.Shows("READ-ONLY since +0:03:00", "+0:40:00", "began 2026-11-20 14:24:00")
	s.poll(ended())
	s.Shows("52 min 00 s")
}

func TestAStallSaysWhereAndByWhichLimit(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, running(11))
	s.stall = &progress.Stall{Phase: progress.PhasePostgreSQL, Quiet: 31 * time.Minute, Limit: progress.ContainerTimeout}
	s.poll(running(11))
	s.Shows("! STALLED for 31 min 00 s in PostgreSQL", "The platform waits 30 min for a container.")
	dialogShows(t, s.Press("progress.explain"), "Time left: not known.")
	s.stall = nil
	s.poll(running(12))
	s.Hides("STALLED", "for a container")
	s.Shows("● PostgreSQL")
}

func TestAFrameChangesOnlyWithTheClock(t *testing.T) {
	t.Parallel()
	for _, status := range []adminapi.UpgradeStatus{running(12), ended()} {
		for _, width := range []int{80, 200} {
			s := showing(t, width, 30, status)
			before := s.Draw()
			if s.Draw() != before {
				t.Error("two frames of one moment differ")
			}
			if status.State != "success" {
				s.pass(time.Second)
				if changed := changedLines(before, s.Draw()); changed > 4 {
					t.Errorf("%d lines change in a second in which nothing happens", changed)
				}
				continue
			}
			s.pass(time.Hour)
			if s.Draw() != before {
				t.Errorf("a run that is over ages:\n%s", s.Draw())
			}
		}
	}
}

func changedLines(a, b string) (n int) {
	after := strings.Split(b, "\n")
	for i, line := range strings.Split(a, "\n") {
		if line != after[i] {
			n++
		}
	}
	return n
}

// recorded is a view whose watch keeps a transcript, after two polls.
func recorded(t *testing.T, width, height int) *screen {
	t.Helper()
	site := runningSite(t)
	kept, err := journal.Open(t.TempDir(), "https://gis.example.org/arcgis", journal.WithClock(site.Clock))
	if err != nil {
		t.Fatal(err)
	}
	site.Memory.Journal = kept
	s := open(t, site, width, height)
	s.next()
	s.pass(time.Minute)
	s.next()
	return s
}

// openRecord shows the record of the run that is watched, as Activity has it opened.
func (s *screen) openRecord() {
	s.t.Helper()
	uitest.Drain(s.t, s.Model, views.Invoke(s.Model, "progress.run", s.env.Upgrade.Snapshot.Transcript))
}

func TestAnEarlierRunIsShownAsARecord(t *testing.T) {
	t.Parallel()
	s := recorded(t, 120, 35)
	s.Press("rows.mark")
	s.Press("enter")
	s.openRecord()
	s.Hides("1 marked")
	s.Shows("Record of an earlier run", "Nothing here is live", "last seen ● Components", "11.5.0.6745 → 11.5.0.6805")
	before := s.Draw()
	s.env.Upgrade.Stall = &progress.Stall{Phase: progress.PhaseComponents, Quiet: 31 * time.Minute, Limit: progress.ContainerTimeout}
	uitest.Drain(t, s.Model, s.Update(views.UpgradeRead))
	if s.Draw() != before {
		t.Errorf("what is watched stalls, and so does the record:\n%s", s.Draw())
	}
	for s.pass(time.Minute); !s.next().Ended; s.pass(time.Minute) {
	}
	if s.Draw() != before {
		t.Errorf("the record changes with the watch:\n%s", s.Draw())
	}
	s.Press("esc")
	s.Hides("Record of")
	s.Shows("✓ succeeded")
}

func TestWhereNoRunIsShownTheLastOneIsTold(t *testing.T) {
	t.Parallel()
	before := recorded(t, 80, 24)
	for before.pass(time.Minute); !before.next().Ended; before.pass(time.Minute) {
	}
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site
	s := open(t, site, 80, 24)
	s.next()
	s.Shows("Installed   11.5.0.6745", "Last run    none: the site lists none, and none was watched here")
	if slices.Contains(hintsOf(s), "open") {
		t.Error("opening an earlier run is hinted at where there are none")
	}
	site.Memory.Journal = before.env.Site.Memory.Journal
	s = open(t, site, 80, 24)
	s.next()
	s.Shows("Last run    2026-11-20 14:59 succeeded: patch to 11.5.0.6805 from 11.5.0.67")
	s.Hides("none was watched")
	if !slices.Contains(hintsOf(s), "open") {
		t.Error("opening an earlier run is not hinted at")
	}
	s.Press("enter")
	s.Shows("Record of an earlier run")
	dialogShows(t, uitest.Answer(t, s.Model, s.Press("progress.export"), uitest.Keys("enter")...), "geodeck-evidence-11.5.0.6805")
	s.Press("esc")
	s.Shows("Last run")
	upgraded := uitest.Scenario(t, "healthy")
	upgraded.Version = "11.5.0.6805"
	site = uitest.NewSite(t, upgraded).Site
	site.Memory.Journal = before.env.Site.Memory.Journal
	s = open(t, site, 80, 24)
	s.next()
	s.Shows("Installed   11.5.0.6805 · released", "Since       2026-11-20 15:14")
}

// A list that misses what the site knows says so, and R reads it again, as does coming back.
func TestWhatCouldNotBeReadOfEarlierRunsIsTold(t *testing.T) {
	t.Parallel()
	before := recorded(t, 80, 24)
	for before.pass(time.Minute); !before.next().Ended; before.pass(time.Minute) {
	}
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy",
		simulator.Fault{Path: "/admin/system/upgrades/history", Times: 2, What: "status", Status: 403})).Site
	site.Memory.Journal = before.env.Site.Memory.Journal
	s := open(t, site, 80, 24)
	s.next()
	s.Shows("Last run", "succeeded: patch to 11.5.0.6805", "Not all earlier runs could be read: ")
	s.next()
	s.Shows("Not all earlier runs")
	s.Press("progress.watch")
	s.next()
	s.Shows("succeeded: patch to 11.5.0.6805", "Not all earlier runs")
	uitest.Drain(t, s.Model, s.Update(views.Shown)) // the user has come back
	s.next()
	s.Shows("succeeded: patch to 11.5.0.6805")
	s.Hides("Not all earlier runs")
}

func TestAFailureToRecordIsShown(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, running(5))
	s.Hides("recorded", "resumed")
	s.transcriptErr, s.resumed = errors.New("the disk is full\x1b[2J"), true
	s.poll(running(6))
	s.Shows("Not recorded: the disk is full", "Resumed")
}

func TestTheDifferenceOfTheClocksIsShown(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "elses-upgrade"))
	s := open(t, site.Site, 120, 35)
	s.next()
	s.Hides("clock is")
	behind := simtest.NewSteppedClock(uitest.Start.Add(-3 * time.Hour))
	client, err := adminapi.New(adminapi.Config{Base: site.Server.URL(), Clock: behind, Token: site.Client.Session.Token(), Transport: &http.Transport{DisableKeepAlives: true}})
	if err != nil {
		t.Fatal(err)
	}
	s = open(t, operation.Site{Client: client, Clock: behind}, 120, 35)
	s.next()
	s.Shows("The site's clock is 3 h 00 min ahead of this machine's")
	s.env.Times.Mode = views.RelativeTime
	s.Shows("6 min ago") // by the server's clock, as the durations are
	s.Hides(" in 2 h", " in 3 h")
	lasts := regexp.MustCompile(`after \d[^ ]* (min|h)\b[^·│]{0,6}`)
	before := lasts.FindString(ansi.Strip(s.Draw()))
	s.env.Upgrade.Snapshot.Unreachable, s.env.Upgrade.Snapshot.UnreachableSince = errors.New("gone"), behind.Now()
	s.Shows("API unreachable for 0 s")
	if now := lasts.FindString(ansi.Strip(s.Draw())); now != before || now == "" {
		t.Errorf("the run lasts %q, and %q while the API is away", before, now)
	}
	for scenario, said := range map[string]string{"clock-ahead": "3 h 30 min ahead", "clock-behind": "5 h 00 min behind"} {
		site := uitest.NewSite(t, uitest.Scenario(t, scenario)).Site
		for _, size := range uitest.Sizes {
			s := open(t, site, size.Width, size.Height)
			s.next()
			s.Shows("site's clock is " + said)
		}
	}
}

func TestEveryMessageIsThereOnceHoweverItIsSent(t *testing.T) {
	t.Parallel()
	s := showing(t, 200, 55, running(12))
	all := release(17)
	s.poll(adminapi.UpgradeStatus{State: "in_progress", Code: 1, Messages: append(append([]adminapi.UpgradeMessage{}, all[9:]...), all[3])})
	s.Shows("17 messages")
	for _, text := range []string{"Diagnostics begin.", "PostgreSQL is at 15.", "The upgrader runs."} {
		if n := strings.Count(s.Draw(), text); n != 1 {
			t.Errorf("%q is there %d times:\n%s", text, n, s.Draw())
		}
	}
}

func TestTheEvidenceOfARunIsWrittenAsOneFile(t *testing.T) {
	t.Parallel()
	s := open(t, runningSite(t), 120, 35)
	s.next()
	for s.pass(time.Minute); !s.next().Ended; s.pass(time.Minute) {
	}
	path := filepath.Join(t.TempDir(), "evidence.zip")
	up := uitest.Answer(t, s.Model, s.Press("progress.export"), uitest.Keys("enter")...)
	dialogShows(t, up, "Write the evidence to", "geodeck-evidence-11.5.0.6805")
	up = uitest.Answer(t, s.Model, up, append(append([]tea.KeyMsg{uitest.Key("ctrl+u")}, uitest.Text(path)...), uitest.Key("enter"))...)
	if text := uitest.Find[views.Notice](t, up).Text; text != "Written to "+path {
		t.Errorf("notice %q", text)
	}
	if !strings.HasPrefix(read(t, path), "PK") {
		t.Error("what was written is no zip")
	}
}

// The evidence of a run that is watched says what the screen says of it, also that it has stalled.
func TestTheEvidenceOfAStallSaysSo(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "upgrade-stalls-for-good")).Site
	kept, err := journal.Open(t.TempDir(), "https://gis.example.org/arcgis", journal.WithClock(site.Clock))
	if err != nil {
		t.Fatal(err)
	}
	site.Memory.Journal = kept
	s := open(t, site, 120, 35)
	s.next()
	s.pass(8 * time.Hour)
	s.next()
	path := filepath.Join(t.TempDir(), "evidence.zip")
	up := uitest.Answer(t, s.Model, s.Press("progress.export"), uitest.Keys("enter")...)
	uitest.Answer(t, s.Model, up, append(append([]tea.KeyMsg{uitest.Key("ctrl+u")}, uitest.Text(path)...), uitest.Key("enter"))...)
	zipped, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer zipped.Close()
	file, err := zipped.Open("summary.md")
	if err != nil {
		t.Fatal(err)
	}
	summary, err := io.ReadAll(file)
	if text := string(summary); err != nil || !strings.Contains(text, "silent") || !strings.Contains(text, "Call Esri support") || strings.Contains(text, "nothing needs to be done") {
		t.Errorf("it says\n%s%v", text, err)
	}
}
