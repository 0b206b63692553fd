package progress_test

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

var (
	began  = adminapi.Millis(uitest.Start.Add(-12 * time.Minute).UnixMilli())
	begin  = adminapi.UpgradeMessage{Code: 2010, When: began, Message: "Das Update von 11.5.0.6745 auf 11.5.0.6805 beginnt."}
	stores = adminapi.UpgradeMessage{Code: 2153, When: began + 60_000,
		Message: `{"stores":[{"name":"postgres-abc","role":"primary","version":"15.12","upgraded":true},{"name":"postgres-def","role":"standby","upgraded":false}]}`}
)

func statusWith(state string, code int, more ...adminapi.UpgradeMessage) adminapi.UpgradeStatus {
	return adminapi.UpgradeStatus{State: state, Code: code, Messages: append([]adminapi.UpgradeMessage{begin}, more...)}
}

func numbered(n int) (more []adminapi.UpgradeMessage) {
	for i := range n {
		more = append(more, adminapi.UpgradeMessage{Code: 2173, When: began + adminapi.Millis(1000*(i+1)), Message: fmt.Sprintf("line %d of the log", i+1)})
	}
	return more
}

func TestAnUpgradeOfSomebodyElseIsShownFromItsBeginning(t *testing.T) {
	t.Parallel()
	s := open(t, runningSite(t), 120, 35)
	if got := s.next(); got.Log.Len() < 4 {
		t.Fatalf("the site tells %d messages", got.Log.Len())
	}
	s.Shows("11.5.0.6745 → 11.5.0.6805", "● Components (phase 4 of 5)   after 6 min", "began 2026-11-20 14:59:00", "2010", "2287")
}

func TestElapsedTimeAgesOnlyWhileItRuns(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 19, statusWith("in_progress", 1))
	s.Shows("● Launch (phase 1 of 5)   after 12 min 00 s")
	s.pass(31 * time.Second)
	s.Shows("12 min 31 s")
	s.poll(statusWith("success", 3, adminapi.UpgradeMessage{Code: 2011, When: began + 600_000}))
	s.env.Upgrade.On = false
	s.Shows("✓ succeeded   after 10 min 00 s")
	before := s.Draw()
	s.pass(time.Hour)
	if s.Draw() != before || s.Status().Busy != "" || s.Status().Unreachable != nil {
		t.Error("an upgrade that has ended still ages")
	}
}

func TestTheServersClockTimesTheUpgrade(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "elses-upgrade"))
	behind := simtest.NewSteppedClock(uitest.Start.Add(-3 * time.Hour))
	client, err := adminapi.New(adminapi.Config{Base: site.Server.URL(), Clock: behind, Token: site.Client.Session.Token(), Transport: &http.Transport{DisableKeepAlives: true}})
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, operation.Site{Client: client, Clock: behind}, 120, 35)
	s.next()
	s.Shows("● Components (phase 4 of 5)   after 6 min")
}

func TestAnUnreachableAPIIsNoEnd(t *testing.T) {
	t.Parallel()
	s := open(t, runningSite(t, away(1, 2)), 120, 35)
	s.next()
	s.pass(2 * time.Second)
	s.next()
	s.pass(22 * time.Second)
	s.Shows("last seen 15:05:00 ● Components", "! API unreachable for 22 s; upgrades restart it.", "No API", "1 time")
	if strings.Count(s.Draw(), "unreachable") != 1 || s.Status().Unreachable != nil {
		t.Errorf("the absence is told more than once:\n%s", s.Draw())
	}
	known := lineWith(s, "last seen") + lineWith(s, "READ-ONLY") + lineWith(s, "began") + lineWith(s, "since 15:")
	s.pass(4 * time.Minute)
	if now := lineWith(s, "last seen") + lineWith(s, "READ-ONLY") + lineWith(s, "began") + lineWith(s, "since 15:"); now != known || !strings.Contains(known, "after 6 min 00 s") {
		t.Errorf("what was known:\n%s\ngoes on:\n%s", known, now)
	}
	s.Shows("4 min 22 s  ") // without the API
	s.next()
	s.pass(time.Minute)
	s.next()
	s.Shows("● Components")
	s.Hides("unreachable for", "last seen")
}

// lineWith returns the first line of the screen that has a text.
func lineWith(s *screen, text string) string {
	for _, line := range strings.Split(s.Draw(), "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

func TestTheFirstPollsMayFail(t *testing.T) {
	t.Parallel()
	s := open(t, runningSite(t, away(0, 1)), 80, 19)
	s.Shows("Reading the state of upgrades")
	s.next()
	s.Shows("the answer is empty. Retrying in")
	s.pass(4 * time.Second)
	s.next()
	s.Shows("● Components")
}

func TestAnUnknownStateIsNeitherRunningNorEnded(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 19, statusWith("PAUSED\x1b[2J\u202e", 7))
	s.Shows("? Unknown state: PAUSED", "code 7")
	s.Hides("is unknown")
	s.Hides("in progress", "succeeded", "failed")
}

func TestAFailureSaysSo(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 19, statusWith("failed", 2, adminapi.UpgradeMessage{Code: 9999, When: began + 1000, Message: "no room"}))
	s.Shows("✗ failed in Launch   1 s to the last message", "9999", "no room")
}

func TestAFailureSaysInWhichPhaseItStopped(t *testing.T) {
	t.Parallel()
	inside := adminapi.UpgradeMessage{Code: 2144, When: began + 1000, Message: "PostgreSQL"}
	s := showing(t, 80, 19, statusWith("failed", 2, inside))
	s.Shows("✗ failed in PostgreSQL   1 s to the last message")
	s = showing(t, 80, 19, statusWith("in_progress", 1, inside))
	s.Hides("failed")
}

func TestUnknownCodesAreKeptAndShown(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, statusWith("in_progress", 1, adminapi.UpgradeMessage{Code: 4711, When: began + 5, Message: "nobody knows\x1b]0;title\x07 this"}))
	s.Shows("? 4711", "nobody knows", "this")
	s.Press("enter")
	s.Shows("Message 4711", "Unknown code; only", "nobody knows")
}

func TestMessagesAreInOrderOfTime(t *testing.T) {
	t.Parallel()
	more := numbered(3)
	s := showing(t, 80, 19, adminapi.UpgradeStatus{State: "in_progress", Messages: []adminapi.UpgradeMessage{more[2], more[0], begin, more[1], more[1]}})
	s.Shows("5 messages")
	v := s.Draw()
	for _, pair := range [][2]string{{"beginnt", "line 1"}, {"line 1", "line 2"}, {"line 2", "line 3"}} {
		if strings.Index(v, pair[0]) > strings.Index(v, pair[1]) {
			t.Errorf("%s stands below %s:\n%s", pair[0], pair[1], v)
		}
	}
	if strings.Count(v, "line 2") != 2 {
		t.Errorf("a message that came twice is not there twice:\n%s", v)
	}
}

func TestTheNewestMessageIsFollowedUntilSomebodyReads(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 19, statusWith("in_progress", 1, numbered(40)...))
	s.Shows("line 40")
	s.Press("up")
	s.Shows("paused; G follows")
	s.poll(statusWith("in_progress", 1, numbered(60)...))
	s.Shows("line 39", "paused; 20 messages since; G follows")
	s.Hides("line 60")
	s.Press("rows.bottom")
	s.Shows("line 60")
	s.Hides("paused")
	s.poll(statusWith("in_progress", 1, numbered(70)...))
	s.Shows("line 70")
	s.Press("progress.follow")
	s.poll(statusWith("in_progress", 1, numbered(90)...))
	s.Hides("line 90")
	s.Press("progress.follow")
	s.Shows("line 90")
}

func TestAFilterFindsTextCodeAndPhase(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 19, statusWith("in_progress", 1, append(numbered(20), stores)...))
	for filter, want := range map[string]string{"beginnt": "2010", "2153": "2 PostgreSQL stores", "launch": "beginnt", "line 20": "line 20", "20 Line": "line 20", "!line !2153": "beginnt", "2153 postgres-abc !launch": "2 PostgreSQL stores"} {
		s.Press("rows.filter")
		uitest.Press(t, s.Model, uitest.Text(filter)...)
		s.Shows(want, "1 of 22")
		s.Press("esc")
	}
	s.Press("rows.filter")
	uitest.Press(t, s.Model, uitest.Text("nowhere")...)
	s.Press("enter")
	s.Shows("No message matches")
	s.Press("esc")
	s.Shows("line 20")
}

func TestALongMessageIsWhole(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 60) + "end"
	s := showing(t, 80, 19, statusWith("in_progress", 1, adminapi.UpgradeMessage{Code: 2038, When: began + 1, Message: long}))
	s.Hides("end")
	s.Press("enter")
	s.Shows("Message 2038", "Components: A deployment or a statefulset gets a new image.", "end")
	if path := s.Status().Path; len(path) != 1 || path[0] != "message 2038" {
		t.Errorf("path %q", path)
	}
	s.Press("esc")
	s.Shows("● Components")
}

func TestJSONInAMessageIsATableATreeOrText(t *testing.T) {
	t.Parallel()
	told2153 := stores
	told2153.Message = "Speicher [2]: " + stores.Message
	s := showing(t, 80, 30, statusWith("in_progress", 1, told2153))
	s.Press("enter")
	s.Shows("as a table", "Speicher [2]:", "name          role", "postgres-def  standby")
	s.Press("progress.form")
	s.Shows("as a tree", "Speicher [2]:", `"name": "postgres-abc",`, `"upgraded": true`)
	s.Press("rows.filter")
	uitest.Press(t, s.Model, uitest.Text("standby")...)
	s.Shows(`"role": "standby"`)
	s.Hides("primary")
	broken := stores
	broken.Message, broken.When = stores.Message[:60], began+100_000
	s.Press("enter progress.form")
	s.Shows("as text", `Speicher [2]: {"stores":[{"name"`)
	s.Press("esc")
	s.poll(statusWith("in_progress", 1, broken))
	s.Press("rows.bottom enter")
	s.Shows(`{"stores":[`, "is broken or cut")
}

func TestACopiedMessageIsOneCleanLineInUTC(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 19, statusWith("in_progress", 1, adminapi.UpgradeMessage{Code: 2012, When: began + 1000, Message: "two\nlines\x1b[31m"}))
	got := uitest.Find[views.Copy](t, s.Press("progress.copy"))
	if got.Text != "2026-11-20T13:53:01Z 2012 two lines" {
		t.Errorf("copied %q", got.Text)
	}
	s.Press("enter")
	if again := uitest.Find[views.Copy](t, s.Press("progress.copy")); again != got {
		t.Errorf("copied %q", again.Text)
	}
}

func TestTimesAreWrittenAsTheUserChose(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 19, statusWith("in_progress", 1))
	s.Shows("14:53:00")
	s.env.Times.Mode = views.UTCTime
	s.Shows("13:53:00Z")
	s.env.Times.Mode = views.RelativeTime
	s.Shows("12 min ago")
	s.pass(time.Minute)
	s.Shows("13 min ago")
}

func TestAWatchThatWaitsForASignInSaysSo(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "elses-upgrade"))
	s := open(t, site.Site, 80, 19)
	s.next()
	site.Client.Session.SetToken(adminapi.Token{Value: "no longer"})
	s.next()
	s.Shows("last seen 15:05:00 ● Components", "Session expired. Press R to sign in.")
	s.Hides("continues")
	uitest.Find[views.SignIn](t, s.Press("progress.watch"))
	site.Site.Client.Session.SetToken(site.As(t, site.Server.Users()[0]).Client.Session.Token())
	s.next()
	s.Hides("expired", "last seen")
}

func TestOfflineThereIsNothingToWatch(t *testing.T) {
	t.Parallel()
	s := open(t, operation.Site{}, 80, 19)
	if s.watch != nil {
		t.Error("a site is asked that does not exist")
	}
	s.Shows("There is no site")
}

func TestTheEndStaysUntilARefresh(t *testing.T) {
	t.Parallel()
	s := open(t, runningSite(t), 80, 19)
	s.next()
	for s.pass(time.Minute); !s.next().Ended; s.pass(time.Minute) {
	}
	if up := uitest.Drain(t, s.Model, s.Update(views.Shown)); len(up) > 0 {
		t.Errorf("coming back asks for %v", up)
	}
	uitest.Find[views.WatchUpgrade](t, s.Press("progress.watch"))
}

func TestTheSuccessOfTheUpgradeBeforeIsNotShownAsThatOfTheOneJustAccepted(t *testing.T) {
	t.Parallel()
	s := open(t, uitest.NewSite(t, uitest.Scenario(t, "upgraded")).Site, 120, 35)
	s.next()
	s.Shows("succeeded", "none is running")
	s.env.Upgrade.Started = true // one was accepted, and the site does not tell of it yet
	s.Shows("accepted, not begun yet", "the previous upgrade")
	s.Hides("succeeded", "none is running")
}

// Somebody begins another upgrade while this view is not shown, and who comes to watch it waits for the first answer.
func TestTheEndOfTheLastUpgradeIsNotShownWhereAnotherIsKnownToRun(t *testing.T) {
	t.Parallel()
	s := open(t, uitest.NewSite(t, uitest.Scenario(t, "upgraded")).Site, 120, 35)
	s.next()
	s.Shows("succeeded", "none is running")
	s.pass(time.Minute)
	s.env.State.Upgrade.Value.Progress.Meaning, s.env.State.Upgrade.At = progress.StateRunning, s.env.Clock.Now()
	_ = s.Update(views.StateChanged)
	s.env.Upgrade = views.Watched{On: true}
	s.Shows("Reading the upgrade that has begun.")
	s.Hides("succeeded", "none is running")
}

func TestTheLastUpgradeSaysWhenItWasSeenWhereThatIsOld(t *testing.T) {
	t.Parallel()
	s := open(t, uitest.NewSite(t, uitest.Scenario(t, "upgraded")).Site, 120, 35)
	s.next()
	s.env.State.Upgrade.At = s.env.Clock.Now()
	s.Shows("none is running")
	s.env.State.Upgrade.Err = errors.New("gone") // another one may have begun since
	uitest.Drain(t, s.Model, s.Update(views.UpgradeRead))
	s.Shows("last seen ", "none was running then")
}

func TestThePictureOfARunThatHasEndedKeepsItsScaleWhileTheSiteIsAway(t *testing.T) {
	t.Parallel()
	s := open(t, uitest.NewSite(t, uitest.Scenario(t, "upgraded")).Site, 120, 35)
	s.next()
	finish := regexp.MustCompile(`(?m)^ *✓ Finish +.*$`)
	before := finish.FindString(s.Draw())
	s.env.State.Upgrade.At, s.env.State.Upgrade.Err = s.env.Clock.Now().Add(-3*time.Hour), errors.New("gone")
	uitest.Drain(t, s.Model, s.Update(views.UpgradeRead))
	s.Shows("last seen ")
	if now := finish.FindString(s.Draw()); before == "" || now != before {
		t.Errorf("it was\n%s\nand is\n%s", before, now)
	}
}

func TestOnlyAnUpgradeThatWasStartedHereIsSaidToBeAccepted(t *testing.T) {
	t.Parallel()
	s := open(t, uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site, 120, 35)
	s.next()
	s.env.Upgrade.On = true // it is being looked, no more
	s.Hides("accepted")
	s.env.Upgrade.Started = true
	s.Shows("was accepted and has not begun")
}

func TestTheLastCountOfAFailedRunIsNoProgress(t *testing.T) {
	t.Parallel()
	count := adminapi.UpgradeMessage{Code: 2173, When: began + 1000, Message: "13 of 13"}
	s := showing(t, 80, 19, statusWith("failed", 2, count))
	s.Shows("last count: 13 of 13")
	s.Hides("█")
	s = showing(t, 80, 19, statusWith("in_progress", 1, count))
	s.Shows("█", "13 of 13 deployments")
}

func TestAPatchThatFailedIsSaidToBeRolledBack(t *testing.T) {
	t.Parallel()
	log := []adminapi.UpgradeMessage{
		{Code: 2173, When: began + 1000, Message: "2 of 13"}, {Code: 2271, When: began + 2000}, {Code: 2166, When: began + 4000},
		{Code: 2173, When: began + 3000, Message: "2 of 2"},
	}
	s := showing(t, 80, 19, statusWith("failed", 2, log...))
	s.Shows("rolled back 2 of 2 deployments", "failed in Components")
	s.Hides("last count")
	s = showing(t, 80, 19, statusWith("in_progress", 1, log...))
	s.Shows("● rolling back")
	s.Hides("phase ")
	planned := []adminapi.UpgradeMessage{
		{Code: 2173, When: began + 1000, Message: "4 of 13"},
		{Code: 2270, When: began + 2000, Message: "A plan for the rollback from 11.5.0.6805 to 11.5.0.6745 is ready."},
	}
	s = showing(t, 120, 30, statusWith("in_progress", 1, planned...))
	s.Shows("● rolling back", "rolling back; deployments are not counted yet")
	s.Hides("Plan (phase", "4 of 13 deployments", "estimated")
}

func TestWhatNowFollowsTheWatch(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, statusWith("in_progress", 1))
	panel := uitest.Find[views.Open](t, s.Press("progress.explain")).Dialog
	uitest.Drain(t, panel, panel.Init())
	panel.SetSize(80, 20)
	sees := func(title, next string) {
		t.Helper()
		if v := ansi.Strip(panel.View()); !strings.Contains(v, title) || !strings.Contains(v, next) {
			t.Errorf("no %q, %q in\n%s", title, next, v)
		}
	}
	sees("is running", "Keep watching")
	read := &s.env.Upgrade.Snapshot
	read.Refused = &adminapi.Error{Kind: adminapi.KindSignIn}
	uitest.Drain(t, s.Model, s.Update(views.UpgradeRead))
	sees("cannot be watched", "Sign in if this lasts")
	read.RefusedLong = true
	uitest.Drain(t, s.Model, s.Update(views.UpgradeRead))
	sees("cannot be watched", "Sign in to keep watching")
	read.Refused, read.Unreachable, read.UnreachableSince = nil, errors.New("gone"), s.env.Clock.Now()
	uitest.Drain(t, s.Model, s.Update(views.UpgradeRead))
	sees("the API is unreachable", "Wait")
	s.poll(statusWith("success", 3, adminapi.UpgradeMessage{Code: 2011, When: began + 1000}))
	sees("succeeded", "Run a health check")
	panel.Replies().Close()
	s.poll(statusWith("failed", 2))
	sees("succeeded", "Run a health check")
}

func TestALogWithoutItsBeginningClaimsNone(t *testing.T) {
	t.Parallel()
	late := adminapi.UpgradeMessage{Code: 2191, When: began, Message: "indices"}
	s := showing(t, 120, 35, adminapi.UpgradeStatus{State: "in_progress", Code: 1, Messages: []adminapi.UpgradeMessage{late}})
	s.Shows("● Search (phase 7 of 8)   after at least 12 min", "first message", "start not reported")
	end := adminapi.UpgradeMessage{Code: 2011, When: began + 60_000, Message: "8 h 0 min"}
	s = showing(t, 120, 35, adminapi.UpgradeStatus{State: "success", Code: 3, Messages: []adminapi.UpgradeMessage{late, end}})
	s.Shows("✓ succeeded   after 8 h 00 min")
}

func TestARangeThatEndsStaysMarked(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 19, statusWith("in_progress", 1, numbered(6)...))
	s.Press("rows.top rows.range down down rows.range down")
	got := uitest.Find[views.Copy](t, s.Press("progress.copy"))
	if n := strings.Count(got.Text, "\n"); n != 3 {
		t.Errorf("%d lines are copied:\n%s", n, got.Text)
	}
}

func TestWhileAFilterIsTypedTheFooterHasItsKeysOnly(t *testing.T) {
	t.Parallel()
	s := with(t, 80, 24, running(12))
	s.Press("rows.filter")
	if !s.CapturesText() || s.Hooks().Filtering != nil {
		t.Error("the footer has other keys while a filter is typed")
	}
	if s.Press("enter"); s.CapturesText() {
		t.Error("the footer has the keys of the filter once it is kept")
	}
}

func TestEscLeadsBackToThePictureAboveTheLog(t *testing.T) {
	t.Parallel()
	s := with(t, 120, 40, running(12))
	s.Shows("usually")
	s.Press("tab")
	s.Hides("usually")
	s.Press("esc")
	s.Shows("usually")
}

// The board of a small terminal is no third layout on a large one.
func TestTheBoardOfASmallTerminalIsThePictureOfALargeOne(t *testing.T) {
	t.Parallel()
	s := with(t, 120, 40, running(12))
	s.SetSize(80, 24)
	_ = views.Invoke(s.Model, "progress.summary", "")
	s.SetSize(120, 40)
	s.Shows("usually", "postgres-def is the primary now")
	s.Press("tab")
	s.Hides("usually")
	s.Shows("postgres-def is the primary now")
}

// A large terminal tells of deployments between the picture and the log, which has the whole width.
func TestDeploymentsAreToldWhereThereIsRoom(t *testing.T) {
	t.Parallel()
	at := func(minute, code int, text string) adminapi.UpgradeMessage {
		return adminapi.UpgradeMessage{Code: code, When: began + adminapi.Millis(60_000*minute), Message: text}
	}
	long := "arcgis-web-proxy-nny8f is at " + strings.Repeat("long ", 24) + "end"
	status := statusWith("in_progress", 1, at(1, 2101, "arcgis-web-proxy-nny8f"), at(3, 2103, long), at(3, 2101, "arcgis-minio-0"), at(8, 2103, "arcgis-minio-0"))
	s := showing(t, 200, 55, status)
	s.Shows("Upgraded last", "Slowest deployments", "minio-0", "5 min", "web-proxy", "2 min", "long end", "In progress")
	if s := showing(t, 120, 35, status); strings.Contains(s.Draw(), "Slowest") {
		t.Error("a smaller terminal keeps its room for the log")
	}
}

// What is drawn stays where it is for a while, so that a user sees it grow.
func TestTheAxisOfARunChangesSeldom(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, running(1))
	axes := map[string]bool{}
	for range 90 {
		s.pass(time.Minute)
		for line := range strings.Lines(s.Draw()) {
			if strings.Contains(line, "took") {
				axes[strings.TrimSpace(line)] = true
			}
		}
	}
	if n := len(axes); n < 2 || n > 6 {
		t.Errorf("in 90 minutes there were %d axes", n)
	}
}

// An empty bar would read as no progress.
func TestNoBarIsDrawnBeforeDeploymentsAreCounted(t *testing.T) {
	t.Parallel()
	s := with(t, 120, 35, inPostgreSQL())
	s.Shows("3 of 8 phases done; deployments are not counted yet")
	s.Hides("░░░")
}
