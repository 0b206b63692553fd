package oracle

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// fleetOf is a day with one site, that answers what it is given.
func fleetOf(answers map[string]string, refuses string, away bool) (d *Day, wrong *[]string) {
	wrong = new([]string)
	d = New(nil, func(text string) { *wrong = append(*wrong, text) }, func(string) {})
	d.Fleet = NewFleet(Deployment{
		Name: "harbour", Kind: "PROD", Away: func() bool { return away }, Refuses: func(path string) bool { return path == refuses },
		Ask: func(path string) string {
			path, _, _ = strings.Cut(path, "?")
			return answers[path]
		},
	})
	return d, wrong
}

func TestARowOfAFleetIsJudgedByItsSite(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	report := func(result string, ago time.Duration) string {
		return fmt.Sprintf(`{"runs":[{"result":%q,"state":"completed","startTime":%d}]}`, result, noon.Add(-ago).UnixMilli())
	}
	const open, closed, idle, broken = `{"isReadOnly":false}`, `{"isReadOnly":true}`, `{"status":{"state":"no_upgrade"}}`, `{"status":{"state":"failed"}}`
	for name, c := range map[string]struct {
		mode, upgrade, reports, refuses string
		away                            bool
		line                            string
		wrong                           int
	}{
		"it is well":                   {open, idle, report("passed", time.Hour), "", false, "✓ healthy   report passed, 60 min ago   11.5.0.6745", 0},
		"another version":              {open, idle, report("passed", time.Hour), "", false, "✓ healthy   report passed, 60 min ago   11.5.0.6805", 1},
		"its report is old":            {open, idle, report("passed", 25*time.Hour), "", false, "✓ healthy   report passed, 25 h ago   11.5.0.6745", 1},
		"its report failed":            {open, idle, report("failed", time.Hour), "", false, "✓ healthy   report passed, 60 min ago   11.5.0.6745", 2},
		"it is read-only":              {closed, idle, report("passed", time.Hour), "", false, "✓ healthy   report passed, 60 min ago   11.5.0.6745", 1},
		"it is called read-only":       {closed, idle, report("passed", time.Hour), "", false, "! read-only   accepts no changes   11.5.0.6745", 0},
		"its upgrade failed":           {open, broken, report("passed", time.Hour), "", false, "● upgrading   Components   11.5.0.6745", 1},
		"its mode is refused":          {open, idle, report("passed", time.Hour), PathMode, false, "✓ healthy   report passed, 60 min ago   11.5.0.6745", 1},
		"its mode is said not to be":   {open, idle, report("passed", time.Hour), PathMode, false, "? not checked   not all of it may be read   11.5.0.6745", 0},
		"an old mode":                  {open, idle, report("passed", time.Hour), PathMode, false, "! read-only   accepts no changes   11.5.0.6745", 1},
		"nobody is there":              {open, idle, report("passed", time.Hour), "", true, "✓ healthy   report passed, 60 min ago   11.5.0.6745", 1},
		"nobody is said to be there":   {open, idle, report("passed", time.Hour), "", true, "✗ unreachable   connection refused", 0},
		"it is called away":            {open, idle, report("passed", time.Hour), "", false, "✗ unreachable   connection refused", 1},
		"it was read when it was away": {open, idle, report("passed", time.Hour), "", true, "✗ unreachable   connection refused, as of 3 min ago", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, wrong := fleetOf(map[string]string{"/": `{"fullVersion":"11.5.0.6745"}`, PathMode: c.mode, PathUpgrades: c.upgrade, PathReports: c.reports}, c.refuses, c.away)
			frame := "geodeck\n  Site      State   Details\n› harbour   PRODUCTION   " + c.line + "\n"
			d.LooksAtAll(noon.Add(-time.Hour))
			d.Said(Saying{Program: "p", Where: "the screen", At: noon.Add(-time.Minute), Text: frame, Frame: true})
			if *wrong = slices.DeleteFunc(*wrong, func(text string) bool { return strings.Contains(text, "claim") }); len(*wrong) > 0 {
				t.Errorf("a list that was just opened is judged: %q", *wrong)
			}
			d.Said(Saying{Program: "p", Where: "the screen", At: noon, Text: frame, Frame: true})
			if *wrong = slices.DeleteFunc(*wrong, func(text string) bool { return strings.Contains(text, "claim") }); len(*wrong) != c.wrong {
				t.Errorf("%d are wrong, and not %d: %q", len(*wrong), c.wrong, *wrong)
			}
		})
	}
}

func TestASiteThatWasReadAndIsAwayHasItsAge(t *testing.T) {
	t.Parallel()
	at := time.Now()
	for text, want := range map[string]int{"connection refused": 1, "connection refused, as of 1 min ago": 0} {
		d, wrong := fleetOf(map[string]string{}, "", false)
		d.LooksAtAll(at.Add(-10 * time.Minute))
		row := FleetRow{Program: "p", Where: theFleet, Site: "harbour", State: "not checked", Text: "PROD", From: at.Add(-10 * time.Minute), To: at.Add(-10 * time.Minute)}
		d.Row(row)
		d.Fleet.Sites[0].Away = func() bool { return true }
		d.LooksAtAll(at.Add(-2 * time.Minute))
		row.State, row.Text, row.From, row.To = rowUnreachable, "PROD "+text, at.Add(-time.Minute), at
		if _, age, found := strings.Cut(text, ", "); found {
			row.Age = age
		}
		d.Row(row)
		if len(*wrong) != want {
			t.Errorf("%s: %q", text, *wrong)
		}
	}
}

func TestARowThatLeavesOutALock(t *testing.T) {
	t.Parallel()
	d, wrong := fleetOf(map[string]string{}, "", false)
	d.LooksAtAll(time.Now())
	d.Row(FleetRow{Program: "p", Where: theFleet, Site: "harbour", State: "not checked", Text: "no report yet", From: time.Now(), To: time.Now()})
	d.Row(FleetRow{Program: "p", Where: theFleet, Site: "nowhere", State: "healthy"})
	if len(*wrong) != 2 {
		t.Errorf("%q", *wrong)
	}
}

func TestAProgramThatOnlyReadsSendsNothing(t *testing.T) {
	t.Parallel()
	d, wrong := fleetOf(nil, "", false)
	d.Fleet, d.Visits = nil, NewVisits("city")
	d.WantsAt("city", "42")
	d.Visits.ReadsOnly("p")
	d.Lands(Landed{Program: "q", Site: "city", Path: "/services/a/edit", Text: "42"})
	if len(*wrong) > 0 {
		t.Errorf("of another program: %q", *wrong)
	}
	d.Lands(Landed{Program: "p", Site: "city", Path: "/services/a/edit", Text: "42"})
	if len(*wrong) != 1 {
		t.Errorf("%q", *wrong)
	}
	*wrong = nil
	d.Followed = &Followed{}
	for _, head := range []string{"geodeck  ⊘ read-only  harbour · 127.0.0.1", "geodeck  harbour · 127.0.0.1", "geodeck  ! UNLOCKED  harbour · 127.0.0.1"} {
		_, said := lockIsShown(Saying{Day: d, Program: "p", Where: "the screen", Text: head + "\n", site: "harbour"})
		*wrong = append(*wrong, said...)
	}
	if len(*wrong) != 3 {
		t.Errorf("%q", *wrong)
	}
}

func TestAFailedEndStaysUntilItIsDismissed(t *testing.T) {
	t.Parallel()
	at := time.Now()
	for _, c := range []struct {
		head                string
		dismissed, may, bad bool
	}{
		{"✗ upgrade failed", false, false, false}, {"", false, false, true}, {"", true, true, false}, {"✗ upgrade failed", true, true, true}, {"", false, true, false},
	} {
		d := New(nil, nil, nil)
		d.Followed = &Followed{truth: []seen{{Truth{Failed: true}, at.Add(-time.Hour)}}}
		d.failed["p"] = at.Add(-time.Hour)
		d.Dismisses(c.may)
		if c.dismissed {
			d.Dismissed("p", at.Add(-time.Minute))
		}
		judged, wrong := endStays(Saying{Day: d, Program: "p", At: at, head: &head{text: c.head, wide: true}})
		if judged != 1 || len(wrong) > 0 != c.bad {
			t.Errorf("%+v: %d %q", c, judged, wrong)
		}
	}
}
