package header_test

import (
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/header"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// lines draws a header and fails unless it has its size.
func lines(t *testing.T, h *header.Header, width int) []string {
	t.Helper()
	h.Width = width
	drawn := h.View()
	uitest.Fits(t, drawn, width, 3)
	return strings.Split(drawn, "\n")
}

// atSite returns the header of a site at 15:05, of a version, to which somebody has signed in.
func atSite(t *testing.T, version string, left time.Duration) *header.Header {
	t.Helper()
	site := uitest.NewSite(t, simulator.Scenario{Name: "frame"}).Site
	env := uitest.Env(t, site, uitest.Theme())
	now := site.Clock.Now()
	env.State.Version = adminapi.Fact[adminapi.Root]{Value: adminapi.Root{FullVersion: version}, At: now}
	env.State.Self = adminapi.Fact[adminapi.Self]{Value: adminapi.Self{Username: "admin"}, At: now}
	site.Client.Session.SetToken(adminapi.Token{Value: "t", Expires: adminapi.MillisOf(now.Add(left))})
	return &header.Header{Env: env, Tabs: []views.Maker{{ID: "alpha", Title: "Alpha"}, {ID: "beta", Title: "Beta"}}, Shown: "alpha"}
}

func TestTabsKeepTheirNamesOnNarrowScreens(t *testing.T) {
	t.Parallel()
	env := uitest.Env(t, operation.Site{}, uitest.Theme())
	env.Demo = true
	now := env.Clock.Now()
	h := &header.Header{Env: env, Tabs: []views.Maker{{ID: "alpha", Title: "Alpha"}, {ID: "beta", Title: "Upgrades"}, {ID: "gamma", Title: "Progress"}}, Shown: "alpha"}
	h.Status = views.Status{
		Busy: "reading the reports of the site", Updated: now,
		Unreachable: &views.Unreachable{Since: now.Add(-46 * time.Second), Next: now.Add(9 * time.Second), Err: &adminapi.Error{Kind: adminapi.KindNotJSON}},
	}
	if line := lines(t, h, 60)[1]; !strings.HasPrefix(line, "[Alpha]  Upgrades   Progress ") {
		t.Errorf("the tabs are cut: %q", line)
	}
	if line := lines(t, h, 80)[1]; !strings.Contains(line, "answers with a web page for 46 s") || !strings.Contains(line, "Progress ") {
		t.Errorf("it is not said what is wrong: %q", line)
	}
	h.Status = views.Status{Updated: now}
	if line := lines(t, h, 60)[1]; !strings.Contains(line, "DEMO  updated 15:05:00") {
		t.Errorf("the label of the demo hides when the screen was read: %q", line)
	}
}

func TestALongVersionLeavesTheRestOfItsLine(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 80, 120} {
		h := atSite(t, "11.5."+strings.Repeat("9", 300), time.Hour)
		if drawn := strings.Join(lines(t, h, width), "\n"); !strings.Contains(drawn, "11.5.999") {
			t.Errorf("%d columns: no version in\n%s", width, drawn)
		}
	}
}

// What a chip says changes with the time; what stands beside it keeps its line.
func TestALongerChipMovesNeitherTheVersionNorTheSession(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 100, 120} {
		h := atSite(t, "11.5.0.6745", time.Hour)
		for n := 1; n <= 40; n++ {
			h := *h
			h.Working = strings.Repeat("w", n)
			lines := lines(t, &h, width)
			if !strings.Contains(lines[2], " 11.5.0.6745 · ") || !strings.Contains(lines[2], "until") || !strings.Contains(lines[0], "admin ·") {
				t.Fatalf("%d columns, a chip of %d:\n%s\n%s", width, n, lines[0], lines[2])
			}
		}
	}
}

// A11: the clock alone reads as today.
func TestASessionThatEndsOnAnotherDaySaysHowFarAwayThatIs(t *testing.T) {
	t.Parallel()
	for left, want := range map[time.Duration]string{
		8 * time.Hour:              "session until 23:05",
		19*time.Hour + time.Minute: "session until 10:06, in 19 h",
		24 * time.Hour:             "session until 15:05, in 24 h",
		26 * time.Hour:             "session until 17:05, in 26 h",
		50 * time.Hour:             "session until 17:05, in 2 days",
	} {
		for _, old := range []time.Duration{0, 3 * time.Hour} { // which says no less of the session
			for width, want := range map[int]string{120: want, 80: strings.TrimPrefix(want, "session "), 60: strings.TrimPrefix(want, "session ")} {
				h := atSite(t, "11.5.0.6745", left)
				h.Status.Updated = h.Env.Clock.Now().Add(-old)
				if drawn := strings.Join(lines(t, h, width), "\n"); !strings.Contains(drawn, want+" ") {
					t.Errorf("%d columns, %v old: no %q in\n%s", width, old, want, drawn)
				}
			}
		}
	}
}

func TestWhatTheHeaderSaysOfAnUpgradeIsOfThenWhereItIsOld(t *testing.T) {
	t.Parallel()
	const ahead = 2 * time.Hour // the clock of the site
	for want, of := range map[string]struct {
		meaning progress.State
		stall   *progress.Stall
		now     string // where it is not old
	}{
		"as of 15:00: upgrade in progress":    {meaning: progress.StateRunning, now: "upgrade: in progress after 10 min "},
		"as of 15:00: upgrade in progress ":   {progress.StateRunning, &progress.Stall{Quiet: time.Hour}, "upgrade STALLED for 1 h 00 min "},
		"as of 15:00: upgrade: state unknown": {meaning: progress.StateUnknown, now: "upgrade: state unknown"},
		"as of 15:00: ✓ upgrade succeeded":    {meaning: progress.StateSucceeded, now: "✓ upgrade succeeded"},
		"as of 15:00: ✗ upgrade failed":       {meaning: progress.StateFailed, now: "✗ upgrade failed"},
	} {
		h := atSite(t, "11.5.0.6745", ahead+30*time.Minute)
		h.Ended, h.Env.Times.Ahead = true, ahead
		now := h.Env.Clock.Now()
		upgrade := watching.Upgrade{Stall: of.stall, Progress: progress.Progress{
			Meaning: of.meaning, Kind: progress.PatchRun, Run: progress.Run{Began: adminapi.MillisOf(now.Add(ahead - 10*time.Minute))},
		}}
		for age, want := range map[time.Duration]string{5 * time.Minute: want, 0: of.now} {
			h.Env.State.Upgrade = adminapi.FactOf(now.Add(-age), upgrade, nil)
			if drawn := strings.Join(lines(t, h, 200), "\n"); !strings.Contains(drawn, want) || strings.Contains(drawn, "as of") != (age > 0) {
				t.Errorf("of %v before: no %q in\n%s", age, want, drawn)
			}
		}
	}
}
