package main

import (
	"regexp"
	"testing"
	"time"

	"geodeck/ui/uitest"
)

// otherDays are moments at which clocks have tripped people before.
var otherDays = []struct {
	name  string
	begin time.Time
}{
	{"next day", uitest.Start.AddDate(0, 0, 1)},
	{"next month", uitest.Start.AddDate(0, 1, 0)},
	{"day before", uitest.Start.AddDate(0, 0, -1)},
	{"leap day", time.Date(2028, 2, 29, 23, 59, 50, 0, time.UTC)},
	{"midnight at +12:45", time.Date(2027, 4, 4, 23, 59, 50, 0, time.FixedZone("+1245", 12*3600+45*60))},
	{"new year at -03:30", time.Date(2026, 12, 31, 23, 59, 50, 0, time.FixedZone("-0330", -(3*3600+30*60)))},
}

// What may differ from one day to another: digits, and a report of another year shows
// its year in place of its hour.
var (
	digits    = regexp.MustCompile(`\d`)
	otherYear = regexp.MustCompile(`0000-00-00  `)
)

// anyDay is a screen without what a day changes in it.
func anyDay(screen string) string {
	return otherYear.ReplaceAllString(digits.ReplaceAllString(settled(screen), "0"), "00-00 00:00 ")
}

func TestJourneysGoTheSameWayOnAnyDay(t *testing.T) {
	usual := anyDay(setOut(t, "healthy", 120, 40).checksHealth().ends())
	for _, day := range otherDays {
		t.Run(day.name, func(t *testing.T) {
			screen := setOutAt(t, day.begin, "healthy", 120, 40).checksHealth().ends()
			if got := anyDay(screen); got != usual {
				t.Errorf("the screen is\n%s\nwant, but for its digits,\n%s", screen, usual)
			}
			setOutAt(t, day.begin, "healthy", 200, 60).exports().ends()
			setOutAt(t, day.begin, "healthy", 120, 40).installsAPatch().ends()
			setOutAt(t, day.begin, "healthy", 120, 40).editsADefinition().ends()
			setOutAt(t, day.begin, "upgrade-stalls-for-good", 80, 24).resumesAWatch().ends()
		})
	}
}
