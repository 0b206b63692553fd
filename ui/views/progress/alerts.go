package progress

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views/rows"
)

// besideFrom is the width from which the text of the open step is shown beside what
// its code means.
const besideFrom = 100

// present says what was begun last and goes on, or was going on when the run failed.
func (m *Model) present() []string {
	open := m.reading.Progress.Open
	if len(open) == 0 || m.reading.Meaning == progress.StateSucceeded {
		return nil
	}
	step := open[len(open)-1]
	text := m.inks.Running.On("now, for "+coarse(m.now().Time().Sub(step.Since.Time()))+": ") + step.Meaning
	switch since := m.log.clock(step.Since) + ": "; {
	case m.over():
		text = m.inks.Fail.On("never completed, since "+since) + step.Meaning
	case !m.goesOn():
		text = m.inks.Warn.On("last seen, since "+since) + step.Meaning
	}
	if more := len(open) - 1; more > 0 {
		text += m.inks.Muted.On(" " + m.inks.Glyphs.Dot + " " + strconv.Itoa(more) + " more open")
	}
	if told := plain.Line(step.Text); told != "" && m.inner() >= besideFrom {
		text += m.inks.Muted.On(" " + m.inks.Glyphs.Dot + " " + told)
	}
	return []string{text}
}

// goesOn tells whether the run that is shown is known to go on now.
func (m *Model) goesOn() bool {
	return m.reading.Meaning == progress.StateRunning && !m.record && m.trouble() == ""
}

// warnings say what should be looked into, each in two lines at most.
func (m *Model) warnings() []string {
	if m.record {
		return nil
	}
	var lines []string
	if s := m.env.Upgrade.Stall; s != nil && m.trouble() == "" {
		lines = append(lines, wrapped(m.inks.Warn, m.inks.Glyphs.Warn+" "+m.stalled(*s), m.inner(), 2)...)
	}
	if err := m.env.Upgrade.Reading.Unkept; err != nil {
		text := "What is seen here is not recorded: " + plain.Line(err.Error()) + ". It is lost when this program ends."
		if operation.NoRoom(err) {
			text += " Make room on that disk."
		}
		lines = append(lines, wrapped(m.inks.Warn, m.inks.Glyphs.Warn+" "+text, m.inner(), 2)...)
	}
	return lines
}

// stalled says for how long nothing was heard, in which phase, and why that is long.
func (m *Model) stalled(s progress.Stall) string {
	text := "No message for " + coarse(s.Quiet)
	if s.Phase != "" {
		text += " in " + s.Phase
	}
	if s.Usual {
		return text + "; the limit is " + coarse(s.Limit) + ", by the longest silence of " + plain.Plural(m.reading.Usual.Runs, "earlier run") + " here."
	}
	return text + "; the limit is " + coarse(s.Limit) + ", for which the platform waits for a container."
}

// foot returns the line below the log and its colour: what is wrong with the
// watch, or what the user does not see.
func (m *Model) foot() (rows.Ink, string) {
	if trouble := m.trouble(); trouble != "" {
		return m.inks.Warn, trouble
	}
	if n := m.list.Marked(); n > 0 && !m.summaryPage() {
		return m.inks.Accent, strconv.Itoa(n) + " marked; y copies, e saves them, esc unmarks"
	}
	switch {
	case m.record:
	case m.paused && m.list.Filter() == "" && m.log.Len() > m.passed:
		return m.inks.Accent, "paused; " + plain.Plural(m.log.Len()-m.passed, "message") + " came since; G follows"
	case m.paused:
		return m.inks.Muted, "paused; G follows the newest message"
	}
	return m.inks.Muted, ""
}

// trouble says why the watch tells nothing new, empty where it does.
func (m *Model) trouble() string {
	w := m.env.Upgrade
	switch {
	case m.record:
	case w.On && w.Refused() != nil:
		return m.inks.Glyphs.Warn + " " + m.resting()
	case w.On && w.Reading.Away != nil:
		return m.inks.Glyphs.Warn + " " + m.away()
	case w.On && w.Reading.Undecided:
		return m.inks.Glyphs.Warn + " nobody knows how it ended: " + w.Reading.Doubt() + ", nor does the installed version tell."
	case w.On && w.Reading.Odd != operation.NotOdd:
		return m.inks.Glyphs.Warn + " not taken at its word yet: " + w.Reading.Doubt() + "."
	}
	return ""
}

// away says since when the API is away, and that this happens.
func (m *Model) away() string {
	w, now := m.env.Upgrade, m.env.Clock.Now()
	text := "the API has been away for " + span(now.Sub(w.Reading.AwaySince)) + "; it restarts during an upgrade."
	if !m.live.At.IsZero() {
		text += " Last reading " + m.env.Times.Here(m.live.At) + "."
	}
	if left := w.Next.Sub(now); left > 0 {
		return text + " Asking again in " + span(left+time.Second-time.Nanosecond) + "."
	}
	return text + " Asking now."
}

// resting says why the site does not tell.
func (m *Model) resting() string {
	w := m.env.Upgrade
	text := "the watch waits: " + strings.TrimRight(plain.Line(w.Refused().Error()), ". ") + "."
	if !w.Next.IsZero() {
		text += " Asking again at " + m.env.Times.Here(w.Next) + "."
		if errors.Is(w.Refused(), adminapi.KindSignIn) {
			text += " :sign in renews the sign-in."
		}
		return text
	}
	return text + " Sign in to go on (:sign in)."
}
