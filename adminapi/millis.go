package adminapi

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Millis is a moment as the API writes it: milliseconds since the Unix epoch. Zero and
// negative values mean that there is none: the endtime of a running job is 0, not 1970.
type Millis int64

// MillisOf returns t as the API writes it, 0 for the zero time.
func MillisOf(t time.Time) Millis {
	if t.IsZero() {
		return 0
	}
	return Millis(t.UnixMilli())
}

// IsZero reports whether there is no moment.
func (m Millis) IsZero() bool { return m <= 0 }

// Time returns the moment in UTC, the zero time if there is none.
func (m Millis) Time() time.Time {
	if m.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(int64(m)).UTC()
}

// Span returns the time from start to end, and false if either is missing or the end is
// before the start.
func Span(start, end Millis) (time.Duration, bool) {
	if start.IsZero() || end.IsZero() || end < start {
		return 0, false
	}
	return time.Duration(end-start) * time.Millisecond, true
}

// FormatDuration formats a duration for a sentence: "0.4 s", "30 s", "1 min 30 s",
// "10 min", "2 h 05 min". It rounds to tenths of a second below ten seconds, to seconds
// below an hour, and to minutes above.
func FormatDuration(d time.Duration) string {
	if d < 0 {
		return "-" + FormatDuration(-d)
	}
	if 0 < d && d < time.Second/10 {
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond)/time.Millisecond)
	}
	if d = d.Round(time.Second / 10); d < 10*time.Second {
		return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
	}
	if d = d.Round(time.Second); d < time.Minute {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	large, small, units := d/time.Minute, d%time.Minute/time.Second, [2]string{"min", "s"}
	if d >= time.Hour {
		d = d.Round(time.Minute)
		large, small, units = d/time.Hour, d%time.Hour/time.Minute, [2]string{"h", "min"}
	}
	if small == 0 {
		return fmt.Sprintf("%d %s", large, units[0])
	}
	return fmt.Sprintf("%d %s %02d %s", large, units[0], small, units[1])
}

// FormatElapsed formats a duration for a table: "0.4 s", "31 s", "4 min 10 s", "2 h 05 min".
// Above ten seconds it never rounds up.
func FormatElapsed(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%d h %02d min", d/time.Hour, d%time.Hour/time.Minute)
}

// FormatSeconds formats a duration as FormatElapsed does, in whole seconds: "3 s". One below
// zero is 0 s.
func FormatSeconds(d time.Duration) string {
	return strings.Replace(FormatElapsed(max(d, 0).Truncate(time.Second)), ".0 s", " s", 1)
}

// FormatCoarse formats a duration in its largest unit: "31 s", "4 min", "47 h", "3 days".
func FormatCoarse(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}
