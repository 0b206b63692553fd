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

// messageKey identifies a message; equal ones differ in nth.
type messageKey struct {
	code int
	when adminapi.Millis
	text string
	nth  int
}

// log is the messages as rows. Texts are cleaned when they are drawn.
type log struct {
	rows.Flat
	progress.Log
	run    int             // index of the first message of the newest run
	began  time.Time       // of the newest run
	open   []progress.Step // of the newest run, oldest first
	failed bool
	ahead  time.Duration // the server's clock minus this machine's
	shared *views.Times
	inks   *rows.Inks
	reason *reason // of the run: the messages that it names need attention
}

func newLog(of *run) *log {
	r := &of.snapshot
	return &log{
		Log: r.Log, run: r.Log.Run(), began: r.Progress.Began.Time(), open: r.Progress.Open,
		failed: r.Meaning == progress.StateFailed, ahead: r.Ahead, shared: of.Env.Times, inks: &of.inks, reason: &of.reason,
	}
}

// extendsDrawn reports whether this log begins with the rows of an earlier one, drawn
// alike.
func (l *log) extendsDrawn(earlier *log) bool {
	return l.run == earlier.run && l.began.Equal(earlier.began) && l.failed == earlier.failed &&
		(l.ahead-earlier.ahead).Abs() < 2*time.Second && l.Extends(earlier.Log)
}

// Key identifies a message.
func (l *log) Key(i int) messageKey {
	m := l.At(i)
	return messageKey{code: m.Code, when: m.When, text: m.Message, nth: m.Nth}
}

// Matches reports whether a search marks something in the row.
func (l *log) Matches(i int, has func(string) bool) bool {
	m := l.At(i)
	return has(plain.Line(progress.LineOf(m.UpgradeMessage))) || has(strconv.Itoa(m.Code))
}

// Version changes with the format of times, with ages where they are shown, and when a
// step is completed.
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

// maxOpenChecked bounds how many of the newest open steps are compared with a row.
const maxOpenChecked = 100

// isOpen reports whether a message started a step that is open.
func (l *log) isOpen(m progress.Message) bool {
	for _, step := range l.open[max(0, len(l.open)-maxOpenChecked):] {
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
	if i < l.run {
		ink = k.Muted
	}
	tail := ""
	if l.failed && l.isOpen(m) {
		tail = " Never ended."
		room -= len(tail)
	}
	text := progress.LineOf(m.UpgradeMessage)
	if look.Find == "" { // else what was found is in it
		text = progress.ShortLine(m.UpgradeMessage, func(s string) bool { return plain.Clip(s, room) == plain.Line(s) })
	}
	return head + rows.Highlight(plain.Clip(text, max(room, 0)), look.Find, ink, k.Match) + k.Fail.On(tail)
}

// sign returns the mark of a message that completes or begins a step, or whose code is not
// known.
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

// timeWidth returns the width of the column of times.
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

// times returns the format for times of the server: since the start of this run, and ages
// by the server's clock.
func (l *log) times() *views.Times {
	t := *l.shared
	t.Origin, t.Ahead = l.began, 0
	t.Now = func() time.Time { return l.shared.Now().Add(l.ahead) }
	return &t
}

func (l *log) clock(when adminapi.Millis) string { return l.times().Clock(when.Time()) }

// begin returns when the run began, but never as the time since then.
func (l *log) begin() string {
	t := l.times()
	if t.Mode == views.SinceStart {
		t.Mode = views.LocalTime
	}
	return t.Moment(l.began)
}

// minute returns the time of day without seconds, or another format as it is.
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
