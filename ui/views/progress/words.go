package progress

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/theme"
	"geodeck/ui/widget/rows"
)

// inks are the styles of the view, rendered once.
type inks struct{ rows.Inks }

func newInks(t *theme.Theme) inks { return inks{rows.NewInks(t)} }

// state returns the state of an upgrade as sign and words.
func (k *inks) state(s adminapi.UpgradeStatus, meaning progress.State) string {
	switch meaning {
	case progress.StateRunning:
		return k.Running.On(k.Glyphs.Running + " in progress")
	case progress.StateSucceeded:
		return k.OK.On(k.Glyphs.Pass + " succeeded")
	case progress.StateFailed:
		return k.Fail.On(k.Glyphs.Fail + " failed")
	case progress.StateIdle:
		return k.Muted.On(k.Glyphs.Skipped + " no upgrade")
	}
	word := plain.Clip(s.State, 30)
	if word == "" {
		word = "none given"
	}
	return k.Unknown.On(k.Glyphs.Unknown + " state unknown: " + word + ", code " + strconv.Itoa(s.Code))
}

// span writes an age in whole seconds.
func span(d time.Duration) string {
	return strings.Replace(adminapi.FormatElapsed(max(d, 0).Truncate(time.Second)), ".0 s", " s", 1)
}

// coarse writes a time in seconds below a minute, else in minutes: what is read at
// a glance, and changes seldom.
func coarse(d time.Duration) string {
	switch {
	case d < time.Minute:
		return span(d)
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}

// counted writes how many deployments are done.
func counted(done, total int) string { return fmt.Sprintf("%d of %d deployments", done, total) }

// lineOf returns a message as one line for another program: its time in UTC.
func lineOf(m adminapi.UpgradeMessage) string {
	at := "-"
	if !m.When.IsZero() {
		at = m.When.Time().UTC().Format(time.RFC3339)
	}
	return at + " " + strconv.Itoa(m.Code) + " " + plain.Line(m.Message)
}
