package views

import (
	"fmt"
	"time"
)

// TimeMode is how moments are written.
type TimeMode int

// The modes, in the order in which they are gone through.
const (
	LocalTime TimeMode = iota
	UTCTime
	RelativeTime
)

// Times writes moments the way the user chose. One is shared by all views.
type Times struct {
	Mode  TimeMode
	Local *time.Location
	Now   func() time.Time
}

// Next goes on to the next mode and returns its name.
func (t *Times) Next() string {
	t.Mode = (t.Mode + 1) % 3
	return t.Name()
}

// Name returns the mode in words, with the zone where there is one.
func (t *Times) Name() string {
	switch t.Mode {
	case UTCTime:
		return "UTC"
	case RelativeTime:
		return "relative"
	}
	zone, _ := t.Now().In(t.Local).Zone()
	return "local (" + zone + ")"
}

// Moment writes a date and time, a dash for none.
func (t *Times) Moment(m time.Time) string { return t.write(m, "2006-01-02 15:04:05") }

// Minute writes a date and time without seconds.
func (t *Times) Minute(m time.Time) string { return t.write(m, "2006-01-02 15:04") }

// Clock writes the time of day.
func (t *Times) Clock(m time.Time) string { return t.write(m, "15:04:05") }

func (t *Times) write(m time.Time, layout string) string {
	switch {
	case m.IsZero():
		return "-"
	case t.Mode == RelativeTime:
		return Ago(t.Now().Sub(m))
	case t.Mode == UTCTime:
		return m.UTC().Format(layout) + "Z"
	}
	return m.In(t.Local).Format(layout)
}

// Ago writes how long ago something was, coarsely: "just now", "5 min ago",
// "in 2 h".
func Ago(d time.Duration) string {
	if d < 0 {
		if -d < time.Second {
			return "just now"
		}
		return "in " + coarse(-d)
	}
	if d < 5*time.Second {
		return "just now"
	}
	return coarse(d) + " ago"
}

func coarse(d time.Duration) string {
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

// Took writes a duration: "0.4 s", "31 s", "4 min 10 s", "2 h 05 min".
func Took(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}
