package adminapi

import (
	"fmt"
	"time"
)

// Millis is a moment as the API writes it: milliseconds since the Unix epoch.
// Zero and negative values mean that there is no moment: a job that runs has
// endtime 0, which is not 1970.
type Millis int64

// MillisOf returns t in the API's form, 0 for the zero time.
func MillisOf(t time.Time) Millis {
	if t.IsZero() {
		return 0
	}
	return Millis(t.UnixMilli())
}

// IsZero tells whether there is no moment.
func (m Millis) IsZero() bool { return m <= 0 }

// Time returns the moment in UTC, the zero time where there is none.
func (m Millis) Time() time.Time {
	if m.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(int64(m)).UTC()
}

// Span returns the time from start to end, and false where either is missing
// or the end lies before the start.
func Span(start, end Millis) (time.Duration, bool) {
	if start.IsZero() || end.IsZero() || end < start {
		return 0, false
	}
	return time.Duration(end-start) * time.Millisecond, true
}

// Roughly writes a duration for people, in its largest unit: "31 s", "4 min",
// "47 h", "3 days".
func Roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
