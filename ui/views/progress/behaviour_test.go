package progress_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
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
	s := open(t, somebodyElses(t), 120, 35)
	if got := s.next(); got.Log.Len() < 4 {
		t.Fatalf("the site tells %d messages", got.Log.Len())
	}
	s.shows("11.5.0.6745 → 11.5.0.6805", "● in progress 6 min", "began 2026-11-20 14:59:00", "2010", "2287")
}

func TestElapsedTimeAgesOnlyWhileItRuns(t *testing.T) {
	s := told(t, 80, 19, statusWith("in_progress", 1))
	s.shows("in progress 12 min 00 s")
	s.pass(31 * time.Second)
	s.shows("in progress 12 min 31 s")
	if s.Status().Busy == "" {
		t.Error("the frame does not know that something runs")
	}
	s.tell(statusWith("success", 3, adminapi.UpgradeMessage{Code: 2011, When: began + 600_000}))
	s.env.Upgrade.On = false
	s.shows("✓ succeeded after 10 min 00 s")
	before := s.view()
	s.pass(time.Hour)
	if s.view() != before || s.Status().Busy != "" || s.Status().Away != nil {
		t.Error("an upgrade that has ended still ages")
	}
}

func TestTheServersClockTimesTheUpgrade(t *testing.T) {
	site := uitest.NewSite(t, scenario(t, "elses-upgrade"))
	behind := simulator.NewSteppedClock(uitest.Start.Add(-3 * time.Hour))
	client, err := adminapi.New(adminapi.Config{Base: site.Server.URL(), Clock: behind, Token: site.Client.Token(), Transport: &http.Transport{DisableKeepAlives: true}})
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, operation.Site{Client: client, Clock: behind}, 120, 35)
	s.next()
	s.shows("● in progress 6 min")
}

func TestAnAPIThatIsAwayIsNoEnd(t *testing.T) {
	s := open(t, somebodyElses(t, away(1, 2)), 120, 35)
	s.next()
	s.pass(2 * time.Second)
	s.next()
	s.pass(22 * time.Second)
	s.shows("● in progress", "! the API has been away for 22 s; it restarts during an upgrade. Last reading 15:05:00.")
	if s.Status().Away == nil {
		t.Error("the frame does not know that the site is away")
	}
	s.next()
	s.pass(time.Minute)
	s.next()
	s.shows("● in progress")
	s.hides("away for")
}

func TestTheFirstAttemptsMayFindTheAPIAway(t *testing.T) {
	s := open(t, somebodyElses(t, away(0, 1)), 80, 19)
	s.shows("Reading what the site tells")
	s.next()
	s.shows("the API has been away for 0 s")
	s.pass(4 * time.Second)
	s.next()
	s.shows("● in progress")
}

func TestAnUnknownStateIsNeitherRunningNorEnded(t *testing.T) {
	s := told(t, 80, 19, statusWith("PAUSED\x1b[2J\u202e", 7))
	s.shows("? state unknown: PAUSED", "code 7", "neither running nor ended")
	s.hides("in progress", "succeeded", "failed")
}

func TestAFailureSaysSo(t *testing.T) {
	s := told(t, 80, 19, statusWith("failed", 2, adminapi.UpgradeMessage{Code: 9999, When: began + 1000, Message: "no room"}))
	s.shows("✗ failed after 1 s", "9999", "no room")
}

func TestAFailureSaysInWhichPhaseItStopped(t *testing.T) {
	inside := adminapi.UpgradeMessage{Code: 2144, When: began + 1000, Message: "PostgreSQL"}
	s := told(t, 80, 19, statusWith("failed", 2, inside))
	s.shows("✗ failed after 1 s, stopped in PostgreSQL")
	s = told(t, 80, 19, statusWith("in_progress", 1, inside))
	s.hides("stopped in")
}

func TestUnknownCodesAreKeptAndShown(t *testing.T) {
	s := told(t, 120, 35, statusWith("in_progress", 1, adminapi.UpgradeMessage{Code: 4711, When: began + 5, Message: "nobody knows\x1b]0;title\x07 this"}))
	s.shows("? 4711", "nobody knows", "this")
	s.press("enter")
	s.shows("Message 4711", "not in the catalogue", "nobody knows")
}

func TestMessagesStandInOrderOfTime(t *testing.T) {
	more := numbered(3)
	s := told(t, 80, 19, adminapi.UpgradeStatus{State: "in_progress", Messages: []adminapi.UpgradeMessage{more[2], more[0], begin, more[1], more[1]}})
	s.shows("5 messages")
	v := s.view()
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
	s := told(t, 80, 19, statusWith("in_progress", 1, numbered(40)...))
	s.shows("line 40")
	s.press("up")
	s.shows("paused; G follows")
	s.tell(statusWith("in_progress", 1, numbered(60)...))
	s.shows("line 39", "paused; 20 messages came since; G follows")
	s.hides("line 60")
	s.press("G")
	s.shows("line 60")
	s.hides("paused")
	s.tell(statusWith("in_progress", 1, numbered(70)...))
	s.shows("line 70")
	s.press("f")
	s.tell(statusWith("in_progress", 1, numbered(90)...))
	s.hides("line 90")
	s.press("f")
	s.shows("line 90")
}

func TestAFilterFindsTextCodeAndPhase(t *testing.T) {
	s := told(t, 80, 19, statusWith("in_progress", 1, append(numbered(20), stores)...))
	for filter, want := range map[string]string{"beginnt": "2010", "2153": "postgres-abc", "launch": "beginnt", "line 7": "line 7"} {
		s.press("/")
		uitest.Press(t, s.Model, uitest.Text(filter)...)
		s.shows(want, "1 of 22")
		s.press("esc")
	}
	s.press("/")
	uitest.Press(t, s.Model, uitest.Text("nowhere")...)
	s.press("enter")
	s.shows("No message matches")
	s.press("esc")
	s.shows("line 20")
}

func TestALongMessageIsWhole(t *testing.T) {
	long := strings.Repeat("word ", 60) + "end"
	s := told(t, 80, 19, statusWith("in_progress", 1, adminapi.UpgradeMessage{Code: 2038, When: began + 1, Message: long}))
	s.hides("end")
	s.press("enter")
	s.shows("Message 2038", "Components: A deployment or a statefulset gets a new image.", "end")
	if path := s.Status().Path; len(path) != 1 || path[0] != "message 2038" {
		t.Errorf("path %q", path)
	}
	s.press("esc")
	s.shows("in progress")
}

func TestJSONInAMessageIsATableATreeOrText(t *testing.T) {
	told2153 := stores
	told2153.Message = "Speicher [2]: " + stores.Message
	s := told(t, 80, 30, statusWith("in_progress", 1, told2153))
	s.press("enter")
	s.shows("as a table", "Speicher [2]:", "name          role", "postgres-def  standby")
	s.press("v")
	s.shows("as a tree", "Speicher [2]:", `"name": "postgres-abc",`, `"upgraded": true`)
	s.press("/")
	uitest.Press(t, s.Model, uitest.Text("standby")...)
	s.shows(`"role": "standby"`)
	s.hides("primary")
	broken := stores
	broken.Message, broken.When = stores.Message[:60], began+100_000
	s.press("enter v")
	s.shows("as text", `Speicher [2]: {"stores":[{"name"`)
	s.press("esc")
	s.tell(statusWith("in_progress", 1, broken))
	s.press("G enter")
	s.shows(`{"stores":[`, "is broken or cut")
}

func TestACopiedMessageIsOneCleanLineInUTC(t *testing.T) {
	s := told(t, 80, 19, statusWith("in_progress", 1, adminapi.UpgradeMessage{Code: 2012, When: began + 1000, Message: "two\nlines\x1b[31m"}))
	got := uitest.Find[views.Copy](t, s.press("y"))
	if got.Text != "2026-11-20T13:53:01Z 2012 two lines" {
		t.Errorf("copied %q", got.Text)
	}
	s.press("enter")
	if again := uitest.Find[views.Copy](t, s.press("y")); again != got {
		t.Errorf("copied %q", again.Text)
	}
}

func TestTimesAreWrittenAsTheUserChose(t *testing.T) {
	s := told(t, 80, 19, statusWith("in_progress", 1))
	s.shows("14:53:00")
	s.env.Times.Mode = views.UTCTime
	s.shows("13:53:00Z")
	s.env.Times.Mode = views.RelativeTime
	s.shows("12 min ago")
	s.pass(time.Minute)
	s.shows("13 min ago")
}

func TestAWatchThatWaitsForASignInSaysSo(t *testing.T) {
	site := uitest.NewSite(t, scenario(t, "elses-upgrade"))
	s := open(t, site.Site, 80, 19)
	s.next()
	site.Client.SetToken(adminapi.Token{Value: "no longer"})
	s.next()
	s.shows("● in progress", "the watch waits", "Sign in to go on")
	site.Site.Client.SetToken(site.As(t, site.Server.Users()[0]).Client.Token())
	s.next()
	s.hides("waits")
}

func TestOfflineThereIsNothingToWatch(t *testing.T) {
	s := open(t, operation.Site{}, 80, 19)
	if s.watch != nil {
		t.Error("a site is asked that does not exist")
	}
	s.shows("There is no site")
}

func TestTheEndStaysUntilItIsAskedForAnew(t *testing.T) {
	s := open(t, somebodyElses(t), 80, 19)
	s.next()
	for s.pass(time.Minute); !s.next().Ended; s.pass(time.Minute) {
	}
	s.Blur()
	if up := uitest.Drain(t, s.Model, s.Focus()); len(up) > 0 {
		t.Errorf("coming back asks for %v", up)
	}
	uitest.Find[views.WatchUpgrade](t, s.press("R"))
}

func TestTheSuccessOfTheUpgradeBeforeIsNotShownAsThatOfTheOneJustAccepted(t *testing.T) {
	s := open(t, uitest.NewSite(t, scenario(t, "upgraded")).Site, 120, 35)
	s.next()
	s.shows("succeeded", "nothing runs now")
	s.env.Upgrade.Started = true // one was accepted, and the site does not tell of it yet
	s.shows("accepted, not begun yet", "the upgrade before")
	s.hides("succeeded", "nothing runs now")
}

func TestOnlyAnUpgradeThatWasStartedHereIsSaidToBeAccepted(t *testing.T) {
	s := open(t, uitest.NewSite(t, scenario(t, "healthy")).Site, 120, 35)
	s.next()
	s.env.Upgrade.On = true // it is being looked, no more
	s.hides("accepted")
	s.env.Upgrade.Started = true
	s.shows("was accepted and has not begun yet")
}

func TestTheLastCountOfAFailedRunIsNoProgress(t *testing.T) {
	count := adminapi.UpgradeMessage{Code: 2173, When: began + 1000, Message: "13 of 13"}
	s := told(t, 80, 19, statusWith("failed", 2, count))
	s.shows("last count 13 of 13")
	s.hides("█")
	s = told(t, 80, 19, statusWith("in_progress", 1, count))
	s.shows("█", "13 of 13 deployments")
}

func TestALogWithoutItsBeginningClaimsNone(t *testing.T) {
	late := adminapi.UpgradeMessage{Code: 2191, When: began, Message: "indices"}
	s := told(t, 120, 35, adminapi.UpgradeStatus{State: "in_progress", Code: 1, Messages: []adminapi.UpgradeMessage{late}})
	s.shows("in progress at least 12 min", "first message", "the beginning is not told")
	end := adminapi.UpgradeMessage{Code: 2011, When: began + 60_000, Message: "8 h 0 min"}
	s = told(t, 120, 35, adminapi.UpgradeStatus{State: "success", Code: 3, Messages: []adminapi.UpgradeMessage{late, end}})
	s.shows("✓ succeeded after 8 h 00 min")
}

func TestARangeThatEndsStaysMarked(t *testing.T) {
	s := told(t, 80, 19, statusWith("in_progress", 1, numbered(6)...))
	s.press("g v down down v down")
	got := uitest.Find[views.Copy](t, s.press("y"))
	if n := strings.Count(got.Text, "\n"); n != 3 {
		t.Errorf("%d lines are copied:\n%s", n, got.Text)
	}
}
