package views

import (
	"fmt"
	"strings"
	"time"

	"geodeck/adminapi"
)

// TimeMode is how moments are written.
type TimeMode int

// The modes, in the order of Next.
const (
	LocalTime TimeMode = iota
	UTCTime
	RelativeTime
	SinceStart // since the upgrade that is shown began
)

// Times writes moments of this machine's clock the way the user chose, and those of the
// server's with [Times.Site]. One is shared by all views.
type Times struct {
	Mode  TimeMode
	Local *time.Location
	Now   func() time.Time
	// Origin is the begin of the upgrade that is watched, by the server's clock.
	// While it is zero there is no mode SinceStart.
	Origin time.Time
	Ahead  time.Duration // the server's clock less ours, as far as it is known
}

// Next goes on to the next mode and returns its name.
func (t *Times) Next() string {
	modes := TimeMode(4)
	if t.Origin.IsZero() {
		modes = 3
	}
	t.Mode = (t.mode() + 1) % modes
	return t.Name()
}

// mode is the mode that moments are written in: local where there is no start.
func (t *Times) mode() TimeMode {
	if t.Mode == SinceStart && t.Origin.IsZero() {
		return LocalTime
	}
	return t.Mode
}

// Name returns the mode in words, with the zone where there is one.
func (t *Times) Name() string {
	switch t.mode() {
	case UTCTime:
		return "UTC"
	case RelativeTime:
		return "relative"
	case SinceStart:
		return "since the start of the upgrade"
	}
	zone, _ := t.Now().In(t.Local).Zone()
	return "local (" + zone + ")"
}

// Site returns the format for moments of the server's clock: ages are by it, too.
func (t *Times) Site() *Times {
	s := *t
	s.Ahead, s.Now = 0, func() time.Time { return t.Now().Add(t.Ahead) }
	return &s
}

// Stamp is all that texts of a Times depend on besides their moments: where it is the same, so are
// they.
type Stamp struct {
	mode        TimeMode
	origin      time.Time
	ahead       time.Duration
	here, there int64     // the days, of both clocks
	now         time.Time // where ages are written
}

// Stamp returns what is written now depends on.
func (t *Times) Stamp() Stamp {
	const quarter = 15 * 60 // days begin with one in every zone
	now := t.Now()
	s := Stamp{mode: t.Mode, origin: t.Origin, ahead: t.Ahead, here: now.Unix() / quarter, there: now.Add(t.Ahead).Unix() / quarter}
	if t.Mode == RelativeTime {
		s.now = now
	}
	return s
}

// Version is that of a row with times: it changes with the mode, and each second with ages and with
// what counts in the row.
func (t *Times) Version(counts bool) uint64 {
	version := uint64(t.Mode)
	if counts || t.Mode == RelativeTime {
		version |= uint64(t.Now().Unix()) << 2
	}
	return version
}

// Moment writes a date and time, a dash for none.
func (t *Times) Moment(m time.Time) string { return t.write(m, "2006-01-02 15:04:05") }

// Minute writes a date and time without seconds.
func (t *Times) Minute(m time.Time) string { return t.write(m, "2006-01-02 15:04") }

// Short is Minute for a row: without the year where it is this one, else only the day.
func (t *Times) Short(m time.Time) string {
	full := t.Minute(m)
	if t.Mode == RelativeTime {
		return full
	}
	if short, ok := strings.CutPrefix(full, t.Now().In(t.zone()).Format("2006-")); ok {
		return short
	}
	return full[:min(len(full), len(time.DateOnly))]
}

// Day writes the day of a moment, also where ages are written; nothing for none.
func (t *Times) Day(m time.Time, layout string) string {
	if m.IsZero() {
		return ""
	}
	return m.In(t.zone()).Format(layout)
}

// zone is that of what is written with a date.
func (t *Times) zone() *time.Location {
	if t.Mode == UTCTime {
		return time.UTC
	}
	return t.Local
}

// Here writes a moment of this machine's clock: the time of day, with the day where
// it is not this one.
func (t *Times) Here(m time.Time) string { return t.here(m, "15:04:05") }

// HereMinute is Here without seconds.
func (t *Times) HereMinute(m time.Time) string { return t.here(m, "15:04") }

func (t *Times) here(m time.Time, layout string) string {
	if zone := t.zone(); t.Now().In(zone).Format(time.DateOnly) != m.In(zone).Format(time.DateOnly) {
		layout = "01-02 " + layout
	}
	return t.write(m, layout)
}

// Clock writes the time of day.
func (t *Times) Clock(m time.Time) string { return t.write(m, "15:04:05") }

func (t *Times) write(m time.Time, layout string) string {
	switch {
	case m.IsZero():
		return "-"
	case t.Mode == RelativeTime:
		return t.Ago(m)
	case t.Mode == UTCTime:
		return m.UTC().Format(layout) + "Z"
	case t.Mode == SinceStart && t.counts(m.Add(t.Ahead)):
		return elapsed(m.Add(t.Ahead).Sub(t.Origin))
	}
	return m.In(t.Local).Format(layout)
}

// maxSince bounds what is counted from the start: no upgrade takes longer, and a
// report of the week after has nothing to do with it.
const maxSince = 100 * time.Hour

// counts reports whether a moment of the site's clock is one of the upgrade. Others are written as local
// times in the mode SinceStart.
func (t *Times) counts(m time.Time) bool {
	return !t.Origin.IsZero() && !m.Before(t.Origin) && m.Sub(t.Origin) < maxSince
}

// elapsed writes how long after the start something was: "+0:41:07".
func elapsed(d time.Duration) string {
	s := int(d / time.Second)
	return fmt.Sprintf("+%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// Seconds writes a time that is counted, in whole seconds: a tenth would change with every
// frame.
func Seconds(d time.Duration) string { return adminapi.FormatSeconds(d) }

// Ago writes how long ago a moment was.
func (t *Times) Ago(m time.Time) string { return Ago(t.Now().Sub(m)) }

// Ago writes how long ago something was, coarsely: "just now", "5 min ago",
// "in 2 h".
func Ago(d time.Duration) string {
	switch {
	case d > -time.Second && d < 5*time.Second:
		return "just now"
	case d < 0:
		return "in " + adminapi.FormatCoarse(-d)
	}
	return adminapi.FormatCoarse(d) + " ago"
}

// Since writes from when on something lasts, in the mode the user chose: "since 14:31:40", "for 5
// min". Clock is the moment by that clock.
func (t *Times) Since(at time.Time, clock string) string {
	if t.Mode == RelativeTime {
		return "for " + Seconds(t.Now().Sub(at))
	}
	return "since " + clock
}
