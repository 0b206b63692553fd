package progress

import (
	"fmt"
	"strconv"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// messageKey tells messages apart: the same one can come more than once.
type messageKey struct {
	code int
	when adminapi.Millis
	text string
	nth  int
}

// log is the messages as rows. It keeps no text of its own, and cleans those that
// are drawn.
type log struct {
	progress.Log
	run    int             // index of the first message of the newest run
	began  time.Time       // of it
	open   []progress.Step // of it, oldest first
	failed bool
	ahead  time.Duration // the server's clock less ours
	shared *views.Times
	inks   *inks
}

func newLog(s *shown) *log {
	r := &s.reading
	return &log{
		Log: r.Log, run: r.Log.Run(), began: r.Progress.Began.Time(), open: r.Progress.Open,
		failed: r.Meaning == progress.StateFailed, ahead: r.Ahead, shared: s.Env.Times, inks: &s.inks,
	}
}

// goesOnFrom reports whether what stands in an earlier log stands in this one, at the
// same place and drawn alike.
func (l *log) goesOnFrom(earlier *log) bool {
	return l.run == earlier.run && l.began.Equal(earlier.began) && l.failed == earlier.failed &&
		(l.ahead-earlier.ahead).Abs() < 2*time.Second && l.Extends(earlier.Log)
}

// Key names a message.
func (l *log) Key(i int) messageKey {
	m := l.At(i)
	return messageKey{code: m.Code, when: m.When, text: m.Message, nth: m.Nth}
}

// Depth is that of a list.
func (l *log) Depth(int) int { return 0 }

// Matches looks at what a search marks in the row.
func (l *log) Matches(i int, has func(string) bool) bool {
	m := l.At(i)
	return has(plain.Line(m.Message)) || has(strconv.Itoa(m.Code))
}

// Version follows the way times are written, ages where they are, and whether a
// step goes on.
func (l *log) Version(i int) uint64 {
	m := l.At(i)
	version := uint64(l.shared.Mode) << 1
	if l.isOpen(m) {
		version |= 1
	}
	if l.shared.Mode == views.RelativeTime {
		age := l.shared.Now().Add(l.ahead).Sub(m.When.Time())
		version |= uint64(age/time.Second) << 8
	}
	return version
}

// mostOpen bounds how many of the newest open steps are looked at for a row.
const mostOpen = 100

// isOpen reports whether a message started something that goes on.
func (l *log) isOpen(m progress.Message) bool {
	for _, step := range l.open[max(0, len(l.open)-mostOpen):] {
		if step.Code.Code == m.Code && step.Since == m.When && step.Text == m.Message {
			return true
		}
	}
	return false
}

// phaseFrom is the width from which the phase has a column.
const phaseFrom = 100

// Draw draws time, sign, code, phase and text.
func (l *log) Draw(i int, look rows.Look) string {
	m, k := l.At(i), l.inks
	code, known := progress.CodeOf(m.Code)
	width := l.timeWidth()
	head := k.Muted.On(k.Fit(l.clock(m.When), width)) + "  " + l.sign(m, code, known) + " " +
		rows.Highlight(fmt.Sprintf("%-5d", m.Code), look.Find, k.Label, k.Match) + " "
	room := look.Width - width - 2 - 2 - 6
	if look.Width >= phaseFrom {
		head += k.Muted.On(fmt.Sprintf("%-12s", code.Phase))
		room -= 12
	}
	ink := rows.Ink{}
	switch {
	case look.Selected:
		ink = k.Selected
	case i < l.run:
		ink = k.Muted
	}
	return head + rows.Highlight(plain.Clip(m.Message, max(room, 0)), look.Find, ink, k.Match)
}

// sign shows what is completed, what goes on, and what has a code that is not known.
func (l *log) sign(m progress.Message, code progress.Code, known bool) string {
	k := l.inks
	switch {
	case !known:
		return k.Unknown.On(k.Glyphs.Unknown)
	case code.Kind == progress.Completed:
		return k.OK.On(k.Glyphs.Pass)
	case l.isOpen(m) && l.failed:
		return k.Fail.On(k.Glyphs.Fail)
	case l.isOpen(m):
		return k.Running.On(k.Glyphs.Running)
	}
	return " "
}

// timeWidth is the width of the column of times in the present mode.
func (l *log) timeWidth() int {
	switch l.shared.Mode {
	case views.UTCTime:
		return len("15:04:05Z")
	case views.RelativeTime:
		return len("59 min ago")
	case views.SinceStart:
		return len("+15:04:05")
	}
	return len("15:04:05")
}

// times is how moments of the server are written: since the start of this run, and
// as ages by the server's own clock.
func (l *log) times() *views.Times {
	t := *l.shared
	t.Origin = l.began
	t.Now = func() time.Time { return l.shared.Now().Add(l.ahead) }
	return &t
}

func (l *log) clock(when adminapi.Millis) string  { return l.times().Clock(when.Time()) }
func (l *log) moment(when adminapi.Millis) string { return l.times().Moment(when.Time()) }

// begin writes when the run began: never as time since then.
func (l *log) begin() string {
	t := l.times()
	if t.Mode == views.SinceStart {
		t.Mode = views.LocalTime
	}
	return t.Moment(l.began)
}

// minute writes the time of day without seconds, where it is one.
func (l *log) minute(when adminapi.Millis) string {
	t := l.times()
	switch text := t.Clock(when.Time()); t.Mode {
	case views.LocalTime:
		return text[:len("15:04")]
	case views.UTCTime:
		return text[:len("15:04")] + "Z"
	default:
		return text
	}
}
