package progress

import (
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// inks are the styles of the view, rendered once.
type inks struct {
	glyphs theme.Glyphs

	strong, muted, label, selected, accent      rows.Ink
	ok, warn, fail, unknown, running, rule, key rows.Ink
}

func newInks(t *theme.Theme) inks {
	return inks{
		glyphs: t.Glyphs,
		strong: rows.NewInk(t.Strong), muted: rows.NewInk(t.Muted), label: rows.NewInk(t.Label),
		selected: rows.NewInk(t.Selected), accent: rows.NewInk(t.Accent),
		ok: rows.NewInk(t.OK), warn: rows.NewInk(t.Warn), fail: rows.NewInk(t.Fail),
		unknown: rows.NewInk(t.Unknown), running: rows.NewInk(t.Running), rule: rows.NewInk(t.Rule), key: rows.NewInk(t.Key),
	}
}

// sign returns the sign of a message: what is completed, and what has a code
// that is not known.
func (k *inks) sign(e *entry) string {
	switch {
	case !e.known:
		return k.unknown.On(k.glyphs.Unknown)
	case e.code.Kind == upgrade.Completed:
		return k.ok.On(k.glyphs.Pass)
	}
	return " "
}

// state returns the state of an upgrade as sign and words.
func (k *inks) state(s adminapi.UpgradeStatus, meaning upgrade.Reading) string {
	switch meaning {
	case upgrade.ReadRunning:
		return k.running.On(k.glyphs.Running + " in progress")
	case upgrade.ReadSuccess:
		return k.ok.On(k.glyphs.Pass + " succeeded")
	case upgrade.ReadFailed:
		return k.fail.On(k.glyphs.Fail + " failed")
	case upgrade.ReadIdle:
		return k.muted.On(k.glyphs.Skipped + " no upgrade")
	}
	word := plain.Clip(s.State, 30)
	if word == "" {
		word = "none given"
	}
	return k.unknown.On(k.glyphs.Unknown + " state unknown: " + word + ", code " + strconv.Itoa(s.Code))
}

// span writes an age in whole seconds.
func span(d time.Duration) string {
	return strings.Replace(views.Took(max(d, 0).Truncate(time.Second)), ".0 s", " s", 1)
}

// counted writes a number of messages.
func counted(n int) string {
	if n == 1 {
		return "1 message"
	}
	return strconv.Itoa(n) + " messages"
}

// lineOf returns a message as one line for another program: its time in UTC.
func lineOf(m adminapi.UpgradeMessage) string {
	at := "-"
	if !m.When.IsZero() {
		at = m.When.Time().UTC().Format(time.RFC3339)
	}
	return at + " " + strconv.Itoa(m.Code) + " " + plain.Line(m.Message)
}
