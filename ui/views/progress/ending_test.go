package progress_test

import (
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

func TestASuccessThatIsWatchedIsSummedUp(t *testing.T) {
	s := with(t, 120, 35, running(12))
	s.press("tab")
	s.shows("What goes on", "PostgreSQL is being upgraded for 7 min", "Usually     1 h 06 min by 3 earlier runs")
	s.press("tab")
	s.tell(ended())
	s.shows("✓ PostgreSQL     10 min 10 s        12 min", "Read-only   52 min since 14:27", "In all      55 min 10 s",
		"before ✓ passed, 13 of 13", "after  no report of that time", "h runs a health check", "E writes the evidence")
	nav := uitest.Find[views.Navigate](t, s.press("h"))
	if nav.View != "health" || nav.Command != "health.run" {
		t.Errorf("leads to %+v", nav)
	}
	s.press("/")
	s.write("2012")
	s.press("enter")
	s.shows("1 of 24", "The site is at 12.0.0.7286.")
	s.press("tab esc")
	s.shows("1 of 24")
}

func TestWhoReadsIsNotDisturbedByTheEnd(t *testing.T) {
	s := told(t, 120, 35, running(17))
	s.press("up")
	s.tell(ended())
	s.shows("✓ succeeded", "› 15:05:00", "paused; 7 messages came since")
}

func TestAFailureLeavesItsLastMessagesOnTheScreen(t *testing.T) {
	s := told(t, 120, 35, running(11))
	s.tell(adminapi.UpgradeStatus{State: "failed", Code: 2, Messages: release(12)})
	s.shows("stopped in PostgreSQL", "never completed, since 14:58:00: PostgreSQL is being upgraded · 1 more open", "✗ PostgreSQL", "postgres-def is the primary now.",
		"READ-ONLY since 14:27, its end is not in the log")
}

func TestHealthAfterTheRunIsFoundOnceItWasChecked(t *testing.T) {
	s := told(t, 200, 55, running(11))
	s.pass(30 * time.Minute)
	s.tell(ended())
	s.shows("after  no report of that time")
	suites, err := s.env.Site.Client.Suites(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	check := adminapi.HealthRun{Name: "afterwards"}
	for _, suite := range suites {
		check.SuiteIDs = append(check.SuiteIDs, suite.ID)
	}
	run, _, err := s.env.Site.StartHealthRun(t.Context(), check)
	if err == nil {
		_, err = run.Wait(t.Context(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Blur()
	uitest.Drain(t, s.Model, s.Focus())
	s.shows("after  ✓ passed, 13 of 13", "no test fails that did not before")
}

func TestTheTimeLeftComesFromEarlierRunsOnly(t *testing.T) {
	s := told(t, 120, 35, running(12))
	s.hides("left", "usual")
	s.usual = usualRelease
	s.tell(running(12))
	s.shows("about 34 min left, as in 3 earlier runs here")
	s.env.Upgrade.Reading.Away = errors.New("connection refused")
	s.env.Upgrade.Reading.AwaySince = s.env.Clock.Now()
	s.hides("left, as in")
}

func TestTheReadOnlyClockRunsFromTheServersTimes(t *testing.T) {
	s := told(t, 120, 35, running(6))
	s.hides("READ-ONLY")
	s.tell(running(12))
	s.shows("READ-ONLY since 14:27 (38 min)")
	s.pass(2 * time.Minute)
	s.shows("READ-ONLY since 14:27 (40 min)")
	s.env.Times.Mode = views.SinceStart
	s.shows("READ-ONLY since +0:03:00", "+0:40:00", "began 2026-11-20 14:24:00")
	s.tell(ended())
	s.shows("read-only 52 min")
}

func TestAStallSaysWhereAndWhyItIsOne(t *testing.T) {
	s := told(t, 120, 35, running(11))
	s.stall = &upgrade.Stall{Phase: upgrade.PhasePostgreSQL, Quiet: 31 * time.Minute, Limit: upgrade.ContainerTimeout}
	s.tell(running(11))
	s.shows("No message for 31 min in PostgreSQL; the limit is 30 min, for which the platform waits for a container.")
	s.stall = nil
	s.tell(running(12))
	s.hides("No message for")
}

func TestNothingIsDrawnAnewWhileNothingHappens(t *testing.T) {
	for _, status := range []adminapi.UpgradeStatus{running(12), ended()} {
		for _, width := range []int{80, 200} {
			s := told(t, width, 30, status)
			before := s.view()
			if s.view() != before {
				t.Error("two frames of one moment differ")
			}
			if status.State != "success" {
				s.pass(time.Second)
				if changed := changedLines(before, s.view()); changed > 3 {
					t.Errorf("%d lines change in a second in which nothing happens", changed)
				}
				continue
			}
			s.pass(time.Hour)
			if s.view() != before {
				t.Errorf("a run that is over ages:\n%s", s.view())
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

// recorded is a view whose watch keeps a transcript, after two readings.
func recorded(t *testing.T, width, height int) *screen {
	t.Helper()
	site := somebodyElses(t)
	kept, err := journal.Open(t.TempDir(), "https://gis.example.org/arcgis", journal.WithClock(site.Clock))
	if err != nil {
		t.Fatal(err)
	}
	site.Journal = kept
	s := open(t, site, width, height)
	s.next()
	s.pass(time.Minute)
	s.next()
	return s
}

func TestAnEarlierRunIsShownAsARecord(t *testing.T) {
	s := recorded(t, 120, 35)
	up := s.press("T")
	asks(t, up, "Earlier runs", "11.5.0.6745 → 11.5.0.6805  last seen in progress")
	uitest.Answer(t, s.Model, up, uitest.Keys("enter")...)
	s.shows("The record of an earlier run", "Nothing here is live", "last seen ● in progress", "11.5.0.6745 → 11.5.0.6805")
	before := s.view()
	for s.pass(time.Minute); !s.next().Ended; s.pass(time.Minute) {
	}
	if s.view() != before {
		t.Errorf("the record changes with the watch:\n%s", s.view())
	}
	s.press("esc")
	s.hides("The record of")
	s.shows("✓ succeeded")
}

func TestWhatIsNotRecordedIsSaid(t *testing.T) {
	s := told(t, 120, 35, running(5))
	s.hides("recorded", "earlier watch")
	s.unkept, s.resumed = errors.New("the disk is full\x1b[2J"), true
	s.tell(running(6))
	s.shows("What is seen here is not recorded: the disk is full", "goes on from an earlier watch")
}

func TestTheDifferenceOfTheClocksIsTold(t *testing.T) {
	site := uitest.NewSite(t, scenario(t, "elses-upgrade"))
	s := open(t, site.Site, 120, 35)
	s.next()
	s.hides("clock is")
	behind := simulator.NewSteppedClock(uitest.Start.Add(-3 * time.Hour))
	client, err := adminapi.New(adminapi.Config{Base: site.Server.URL(), Clock: behind, Token: site.Client.Token(), Transport: &http.Transport{DisableKeepAlives: true}})
	if err != nil {
		t.Fatal(err)
	}
	s = open(t, operation.Site{Client: client, Clock: behind}, 120, 35)
	s.next()
	s.shows("the server's clock is 3 h 00 min ahead of this machine's")
	s.env.Times.Mode = views.RelativeTime
	s.shows("6 min ago") // by the server's clock, as the durations are
	s.hides(" in 2 h", " in 3 h")
}

func TestAWholeLogIsThereOnceHoweverItIsTold(t *testing.T) {
	s := told(t, 200, 55, running(12))
	all := release(17)
	s.tell(adminapi.UpgradeStatus{State: "in_progress", Code: 1, Messages: append(append([]adminapi.UpgradeMessage{}, all[9:]...), all[3])})
	s.shows("17 messages")
	for _, text := range []string{"Diagnostics begin.", "PostgreSQL is at 15.", "The upgrader runs."} {
		if n := strings.Count(s.view(), text); n != 1 {
			t.Errorf("%q is there %d times:\n%s", text, n, s.view())
		}
	}
}

func TestTheEvidenceOfARunIsWrittenAsOneFile(t *testing.T) {
	s := open(t, somebodyElses(t), 120, 35)
	s.next()
	for s.pass(time.Minute); !s.next().Ended; s.pass(time.Minute) {
	}
	path := filepath.Join(t.TempDir(), "evidence.zip")
	up := s.press("E")
	asks(t, up, "Write the evidence to", "geodeck-evidence-11.5.0.6805")
	up = uitest.Answer(t, s.Model, up, append(append([]tea.KeyMsg{uitest.Key("ctrl+u")}, uitest.Text(path)...), uitest.Key("enter"))...)
	if text := uitest.Find[views.Notice](t, up).Text; text != "Written to "+path {
		t.Errorf("notice %q", text)
	}
	if !strings.HasPrefix(read(t, path), "PK") {
		t.Error("what was written is no zip")
	}
}
