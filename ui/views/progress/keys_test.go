package progress_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	progressstate "geodeck/adminapi/upgrade/progress"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/progress"
)

// ways are keys that lead to every screen of the view, one after the other.
var ways = []string{"", "enter", "progress.form", "esc", "tab", "esc space", "progress.form", "esc progress.attention"}

func ended() adminapi.UpgradeStatus {
	return adminapi.UpgradeStatus{State: "success", Code: 3, Messages: release(24)}
}

func TestEveryKeyMeansOneThingOnEachScreen(t *testing.T) {
	t.Parallel()
	for _, status := range []adminapi.UpgradeStatus{statusWith("in_progress", 1, stores), ended(), {State: "no_upgrade"}} {
		s := showing(t, 120, 35, status)
		for _, way := range ways {
			s.Press(way)
			uitest.DistinctKeys(t, "the screen after "+way, s, uitest.Rows(t, progress.Maker, s.env))
		}
	}
}

func TestEveryCommandIsExplained(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, adminapi.UpgradeStatus{State: "no_upgrade"})
	uitest.Explained(t, uitest.Rows(t, progress.Maker, s.env))
}

// The filter of an open message comes by the same name as that of the log, which knows more.
func TestTheFilterIsExplainedWithItsWordsBeforeThereIsALog(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, adminapi.UpgradeStatus{State: "no_upgrade"})
	for _, row := range views.Distinct(uitest.Rows(t, progress.Maker, s.env)) {
		if row.Name == "filter" && !strings.Contains(row.Help, "code:2173") {
			t.Errorf("the filter is explained as %q", row.Help)
		}
	}
}

// A narrow footer holds the first hints only: the way to the summary is among them.
func TestTheMostWantedKeysAreHintedFirst(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 24, ended())
	hints := func() string { return strings.Join(hintsOf(s), ", ") }
	if got, want := hints(), "move, messages, check health, export, refresh, attention, filter, back"; got != want {
		t.Errorf("the summary hints at %s, want %s", got, want)
	}
	s.Press("tab")
	if got, want := hints(), "move, open, filter, board, follow, copy, phase, attention, check health, export, refresh"; got != want {
		t.Errorf("the messages hint at %s, want %s", got, want)
	}
}

func hintsOf(s *screen) (list []string) {
	for _, hint := range views.Footer(s.Commands(), s.Footer()...) {
		list = append(list, hint.Text)
	}
	return list
}

func TestKeysThatCannotWorkSayWhy(t *testing.T) {
	t.Parallel()
	const unmatched, without = "No message matches.", "There is no run to export."
	record := func(t *testing.T) *screen {
		s := recorded(t, 120, 35)
		s.openRecord()
		return s
	}
	shows := func(status adminapi.UpgradeStatus, keys string) func(t *testing.T) *screen {
		return func(t *testing.T) *screen {
			s := showing(t, 120, 35, status)
			s.Press(keys)
			return s
		}
	}
	nothing := shows(adminapi.UpgradeStatus{State: "no_upgrade"}, "")
	for _, c := range []struct {
		open          func(t *testing.T) *screen
		refused, says string
		byName        []string
	}{
		{shows(running(11), "rows.filter z z z enter"), "enter progress.next-noted progress.previous-noted progress.copy progress.next-phase progress.previous-phase progress.same-code progress.copy-all", unmatched, []string{"progress.save"}},
		{shows(running(11), ""), "progress.health", "Check health once the upgrade has ended.", nil},
		{record, "progress.health", "This is an earlier run. Check health under Health.", nil},
		{record, "progress.follow", "An earlier run gets no new messages.", nil},
		{shows(statusWith("in_progress", 1), "enter"), "progress.form", "This message is only text.", nil},
		{shows(running(11), ""), "", "Nothing is recorded here: geodeck runs without a journal.", []string{"progress.run"}},
		{nothing, "progress.export", without, []string{"progress.evidence"}},
		{nothing, "", `"open message" is not possible right now.`, []string{"progress.open"}},
		{nothing, "", `"copy all messages" is not possible right now.`, []string{"progress.copy-all"}},
		{shows(running(11), "G"), "progress.next-phase", "No phase begins after this message.", nil},
		{shows(running(11), "g"), "progress.previous-phase", "No phase begins before this message.", nil},
		{shows(running(11), "G"), "progress.next-noted", "No message after this one needs attention.", nil},
		{shows(running(11), "g"), "progress.previous-noted", "No message before this one needs attention.", nil},
	} {
		s := c.open(t)
		before := s.Draw()
		s.Refuses("", c.refused, c.says)
		for _, id := range c.byName {
			if text := uitest.NoticeText(t, s.do(id)); text != c.says {
				t.Errorf("%s says %q, not %q", id, text, c.says)
			}
		}
		if now := s.Draw(); now != before {
			t.Errorf("what cannot be done (%s) has changed the screen:\n%s", c.says, now)
		}
	}
}

// What hampers a run is looked into with the evidence.
func TestAStallHasTheKeysOfAFailure(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 24, running(11))
	s.env.Site.Memory.Journal = uitest.Journal(t, s.env.Clock)
	s.stall = &progressstate.Stall{Phase: progressstate.PhasePostgreSQL, Quiet: 31 * time.Minute, Limit: progressstate.ContainerTimeout}
	s.poll(running(11))
	if got := hintsOf(s)[:3]; !slices.Equal(got, []string{"move", "what now", "export"}) {
		t.Errorf("a stall hints at %s", got)
	}
}

// The page of a run that goes on ends with its open steps, which scroll where they do not fit.
func TestTheBoardOfARunHasItsOpenStepsInSight(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 19, running(11))
	s.Press("tab")
	s.Shows("○ Finish", "● Upgrading PostgreSQL")
	s.Hides("In progress")
	s.Resize(80, 15)
	if path := s.Status().Path; !strings.HasPrefix(path[0], "board  1-") {
		t.Errorf("the path is %q", path)
	}
	s.Press("rows.bottom")
	s.Shows("● Upgrading PostgreSQL")
}

// Whatever is done, on whatever screen, the view keeps its size.
func TestEveryCommandOnEveryScreenKeepsTheSize(t *testing.T) {
	t.Parallel()
	for _, size := range append(uitest.Sizes, uitest.Size{Name: "60x15", Width: 60, Height: 10}) {
		for _, status := range []adminapi.UpgradeStatus{statusWith("in_progress", 1, stores), ended(), statusWith("failed", 2), {State: "no_upgrade"}} {
			s := showing(t, size.Width, size.Height, status)
			for _, way := range ways {
				s.Press(way)
				for _, c := range uitest.Rows(t, progress.Maker, s.env) {
					_ = views.Invoke(s.Model, c.ID, "2153")
					s.Focused(s.CapturesText())
					if s.CapturesText() {
						s.Press("esc")
					}
				}
				s.Press("esc esc esc esc")
			}
		}
	}
}

func TestTheLogKeepsItsRoomOnASmallTerminal(t *testing.T) {
	t.Parallel()
	s := with(t, 60, 10, running(12))
	s.Shows("● PostgreSQL (phase 4 of 8)", "READ-ONLY since 14:27", "› 15:04:00")
}

func TestDrawingChangesNothing(t *testing.T) {
	t.Parallel()
	for _, size := range uitest.Sizes {
		for _, status := range []adminapi.UpgradeStatus{statusWith("in_progress", 1, stores), ended(), statusWith("failed", 2), {State: "no_upgrade"}} {
			s := showing(t, size.Width, size.Height, status)
			for _, way := range ways {
				s.Press(way)
				uitest.Pure(t, s.Model)
			}
		}
	}
}
