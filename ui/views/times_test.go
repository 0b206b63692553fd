package views_test

import (
	"strconv"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/ui/views"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestMomentsAreWrittenTheWayTheUserChose(t *testing.T) {
	t.Parallel()
	times := &views.Times{Local: time.FixedZone("CET", 3600), Now: func() time.Time { return noon }}
	moment := noon.Add(-5 * time.Minute)
	for _, c := range []struct{ name, want string }{
		{"local (CET)", "2026-11-20 12:55:00"},
		{"UTC", "2026-11-20 11:55:00Z"},
		{"relative", "5 min ago"},
	} {
		if got := times.Name(); got != c.name {
			t.Errorf("mode %q, want %q", got, c.name)
		}
		if got := times.Moment(moment); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		times.Next()
	}
	if times.Mode != views.LocalTime {
		t.Errorf("three steps do not lead back to local time")
	}
}

func TestAStampChangesWithWhateverTextsOfMomentsDependOn(t *testing.T) {
	t.Parallel()
	now := noon
	times := &views.Times{Local: time.FixedZone("IST", 5*3600+1800), Now: func() time.Time { return now }}
	moment := noon.Add(-time.Hour)
	written := func() string { return times.Here(moment) + times.Site().Here(moment) + times.Moment(moment) }
	stamp, text := times.Stamp(), written()
	for _, c := range []struct {
		name    string
		change  func()
		changes bool
	}{
		{"a second", func() { now = now.Add(time.Second) }, false},
		{"the day", func() { now = now.Add(7 * time.Hour) }, true},
		{"the mode", func() { times.Mode = views.RelativeTime }, true},
		{"an hour, in ages", func() { now = now.Add(time.Hour) }, true},
		{"a mode without a start", func() { times.Mode = views.SinceStart }, true},
		{"the start", func() { times.Origin = noon.Add(-2 * time.Hour) }, true},
		{"the clock of the site", func() { times.Ahead = 9 * time.Second }, true},
	} {
		c.change()
		now, is := times.Stamp(), written()
		if (now != stamp) != c.changes || (is != text) != c.changes {
			t.Errorf("with %s the stamp changes: %t, and the text from %s to %s", c.name, now != stamp, text, is)
		}
		stamp, text = now, is
	}
}

func TestWhatWasDrawnIsDrawnAgainOnlyForAnotherKey(t *testing.T) {
	t.Parallel()
	var cache views.Drawn[int, string]
	drawings := 0
	draw := func() string { drawings++; return strconv.Itoa(drawings) }
	for _, c := range []struct {
		key  int
		want string
	}{{0, "1"}, {0, "1"}, {7, "2"}, {7, "2"}, {0, "3"}} {
		if got := cache.For(c.key, draw); got != c.want {
			t.Errorf("for %d drawing %s is shown, not %s", c.key, got, c.want)
		}
	}
}

func TestTimesAreCountedFromTheStartOnlyWhereThereIsOne(t *testing.T) {
	t.Parallel()
	times := &views.Times{Mode: views.RelativeTime, Local: time.FixedZone("CET", 3600), Now: func() time.Time { return noon }, Origin: noon.Add(-time.Hour)}
	if got := times.Next(); got != "since the start of the upgrade" {
		t.Fatalf("mode %q", got)
	}
	for moment, want := range map[time.Time]string{
		noon.Add(-19 * time.Minute):    "+0:41:00",
		noon.Add(11*time.Hour + 5*1e9): "+12:00:05",
		noon.Add(-61 * time.Minute):    "11:59:00", // before it
		noon.Add(30 * 24 * time.Hour):  "13:00:00", // long after it
		noon.Add(-time.Hour):           "+0:00:00",
		time.Time{}:                    "-",
	} {
		if got := times.Clock(moment); got != want {
			t.Errorf("%v: %q, want %q", moment, got, want)
		}
	}
	times.Origin = time.Time{}
	if got := times.Clock(noon); got != "13:00:00" || times.Name() != "local (CET)" {
		t.Errorf("without a start: %q, %s", got, times.Name())
	}
	if times.Next(); times.Mode != views.UTCTime {
		t.Errorf("after local time comes mode %d", times.Mode)
	}
}

func TestAMomentOfThisMachineTellsItsDayAndCountsByTheServersClock(t *testing.T) {
	t.Parallel()
	const ahead = 3 * time.Hour
	times := &views.Times{Local: time.FixedZone("CET", 3600), Now: func() time.Time { return noon }, Origin: noon.Add(ahead - time.Hour), Ahead: ahead}
	for moment, want := range map[time.Time][4]string{
		noon.Add(-30 * time.Minute): {"12:30:00", "11:30:00Z", "30 min ago", "+0:30:00"},
		noon.Add(-24 * time.Hour):   {"11-19 13:00:00", "11-19 12:00:00Z", "24 h ago", "11-19 13:00:00"},
		{}:                          {"-", "-", "-", "-"},
	} {
		for times.Mode = range 4 {
			if got := times.Here(moment); got != want[times.Mode] {
				t.Errorf("%v, mode %d: %q, want %q", moment, times.Mode, got, want[times.Mode])
			}
		}
	}
}

func TestAMomentOfTheServerHasItsAgeByTheServersClock(t *testing.T) {
	t.Parallel()
	const ahead = 3 * time.Hour
	times := &views.Times{Local: time.FixedZone("CET", 3600), Now: func() time.Time { return noon }, Origin: noon.Add(ahead - time.Hour), Ahead: ahead}
	moment := noon.Add(ahead - 30*time.Minute)
	for mode, want := range []string{"15:30:00", "14:30:00Z", "30 min ago", "+0:30:00"} {
		times.Mode = views.TimeMode(mode)
		if got := times.Site().Clock(moment); got != want {
			t.Errorf("mode %d: %q, want %q", mode, got, want)
		}
	}
	if got := times.Clock(noon.Add(-30 * time.Minute)); got != "+0:30:00" {
		t.Errorf("a moment of this machine since the start: %q", got)
	}
}

func TestAMissingMomentIsNot1970(t *testing.T) {
	t.Parallel()
	times := &views.Times{Local: time.UTC, Now: func() time.Time { return noon }}
	if got := times.Moment(time.Time{}); got != "-" {
		t.Errorf("got %q", got)
	}
}

func TestAges(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]string{
		0:                       "just now",
		59 * time.Second:        "59 s ago",
		-200 * time.Millisecond: "just now",
		-90 * time.Second:       "in 1 min",
		119 * time.Minute:       "1 h ago",
		47 * time.Hour:          "47 h ago",
		72 * time.Hour:          "3 days ago",
	} {
		if got := views.Ago(age); got != want {
			t.Errorf("%v: %q, want %q", age, got, want)
		}
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		430 * time.Millisecond:             "0.4 s",
		31 * time.Second:                   "31 s",
		4*time.Minute + 9*time.Second:      "4 min 09 s",
		2*time.Hour + 5*time.Minute + 59e9: "2 h 05 min",
	} {
		if got := adminapi.FormatElapsed(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestTimesThatAreCountedHaveNoTenths(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 900 * time.Millisecond: "0 s", 9*time.Second + 999*time.Millisecond: "9 s", 61*time.Second + time.Millisecond: "1 min 01 s",
	} {
		if got := views.Seconds(d); got != want {
			t.Errorf("%v is counted as %q, want %q", d, got, want)
		}
	}
}
