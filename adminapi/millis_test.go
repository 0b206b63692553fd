package adminapi_test

import (
	"testing"
	"time"

	"geodeck/adminapi"
)

func TestDurationsAreFormattedForPeople(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0:                                     "0 s",
		20 * time.Millisecond:                 "20 ms",
		400 * time.Millisecond:                "0.4 s",
		3 * time.Second:                       "3 s",
		9960 * time.Millisecond:               "10 s",
		29999123 * time.Microsecond:           "30 s",
		59*time.Second + 970*time.Millisecond: "1 min",
		90*time.Second + 400*time.Microsecond: "1 min 30 s",
		10 * time.Minute:                      "10 min",
		59*time.Minute + 59*time.Second + 990000000: "1 h",
		6 * time.Hour: "6 h",
		2*time.Hour + 5*time.Minute + 31*time.Second: "2 h 06 min",
		-90 * time.Second: "-1 min 30 s",
	} {
		if got := adminapi.FormatDuration(d); got != want {
			t.Errorf("%v is spelled %q, want %q", d, got, want)
		}
	}
}

// A time that is counted is never said before it has passed.
func TestElapsedTimesAreNotRoundedUp(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration][2]string{
		-time.Second:                               {"-1.0 s", "0 s"},
		15*time.Minute + 8900*time.Millisecond:     {"15 min 08 s", "15 min 08 s"},
		time.Hour + 2*time.Minute + 59*time.Second: {"1 h 02 min", "1 h 02 min"},
	} {
		if have := [2]string{adminapi.FormatElapsed(d), adminapi.FormatSeconds(d)}; have != want {
			t.Errorf("%v is spelled %q, want %q", d, have, want)
		}
	}
}

func TestASpanIsSpelledInItsUnits(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration][2]string{
		9900 * time.Millisecond: {"9.9 s", "9 s"}, 10 * time.Second: {"10 s", "10 s"}, 59 * time.Second: {"59 s", "59 s"},
		time.Minute: {"1 min 00 s", "1 min"}, 59*time.Minute + 59*time.Second: {"59 min 59 s", "59 min"}, time.Hour: {"1 h 00 min", "1 h"},
		48*time.Hour - time.Second: {"47 h 59 min", "47 h"}, 48 * time.Hour: {"48 h 00 min", "2 days"}, 75 * time.Hour: {"75 h 00 min", "3 days"},
	} {
		if have := [2]string{adminapi.FormatElapsed(d), adminapi.FormatCoarse(d)}; have != want {
			t.Errorf("%v is spelled %q, want %q", d, have, want)
		}
	}
}

func TestASpanIsReadAsPeopleTypeIt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"90m": 90 * time.Minute, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "0s": 0, "1h30m": 90 * time.Minute} {
		if got, err := adminapi.ParseSpan(text); err != nil || got != want {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "7", "-1h", "-1d", "1.5d", "1d2h", "99999999d", "soon"} {
		if got, err := adminapi.ParseSpan(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
