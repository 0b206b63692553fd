package progress

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// messageKey tells messages apart: the same one can come more than once.
type messageKey struct {
	code int
	when adminapi.Millis
	text string
	nth  int
}

// entry is one message with what its code means.
type entry struct {
	adminapi.UpgradeMessage
	key   messageKey
	text  string // clean, one line
	code  upgrade.Code
	known bool // whether the code is of the catalogue
}

// log is the messages as rows, in order of time and as the site told them where
// times are equal.
type log struct {
	entries []entry
	told    []adminapi.UpgradeMessage // as the site told them
	times   *views.Times
	inks    *inks
}

func newLog(told []adminapi.UpgradeMessage, env *views.Env, inks *inks) *log {
	l := &log{entries: make([]entry, len(told)), told: told, times: env.Times, inks: inks}
	seen := make(map[messageKey]int, len(told))
	for i, m := range told {
		key := messageKey{code: m.Code, when: m.When, text: m.Message}
		seen[key]++
		e := entry{UpgradeMessage: m, key: key, text: plain.Line(m.Message)}
		e.key.nth = seen[key]
		e.code, e.known = upgrade.CodeOf(m.Code)
		l.entries[i] = e
	}
	slices.SortStableFunc(l.entries, func(a, b entry) int { return cmp.Compare(a.When, b.When) })
	return l
}

// holds tells whether these are the messages that are shown.
func (l *log) holds(told []adminapi.UpgradeMessage) bool {
	return slices.EqualFunc(l.told, told, func(a, b adminapi.UpgradeMessage) bool {
		return a.Code == b.Code && a.When == b.When && a.Message == b.Message
	})
}

func (l *log) Len() int             { return len(l.entries) }
func (l *log) Key(i int) messageKey { return l.entries[i].key }
func (l *log) Depth(int) int        { return 0 }

// Matches looks at what the row shows.
func (l *log) Matches(i int, has func(string) bool) bool {
	e := &l.entries[i]
	return has(e.text) || has(strconv.Itoa(e.Code)) || e.known && has(e.code.Phase)
}

// Version follows the way times are written, and ages where they are.
func (l *log) Version(i int) uint64 {
	if l.times.Mode != views.RelativeTime {
		return uint64(l.times.Mode)
	}
	age := l.times.Now().Sub(l.entries[i].When.Time())
	return uint64(age/time.Second)<<2 | uint64(views.RelativeTime)
}

// phaseFrom is the width from which a column tells the phase.
const phaseFrom = 100

// Draw draws time, sign, code, phase and text.
func (l *log) Draw(i int, look rows.Look) string {
	e, k := &l.entries[i], l.inks
	at := views.Fit(l.times.Clock(e.When.Time()), l.timeWidth(), k.glyphs.Ellipsis)
	code := fmt.Sprintf("%-5d", e.Code)
	head := k.muted.On(at) + "  " + k.sign(e) + " " + k.label.On(code) + " "
	room := look.Width - len(at) - 2 - 2 - 6
	if look.Width >= phaseFrom {
		head += k.muted.On(fmt.Sprintf("%-12s", e.code.Phase))
		room -= 12
	}
	text := plain.Clip(e.text, max(room, 0))
	if look.Selected {
		text = k.selected.On(text)
	}
	return head + text
}

// timeWidth is the width of the column of times in the present mode.
func (l *log) timeWidth() int {
	switch l.times.Mode {
	case views.UTCTime:
		return len("15:04:05Z")
	case views.RelativeTime:
		return len("59 min ago")
	}
	return len("15:04:05")
}
