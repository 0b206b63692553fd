package progress

import (
	"strings"
	"time"

	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// head returns the lines above the log: which versions, how it stands and since
// when; then what is known of times and messages; then a rule.
func (m *Model) head() []string {
	first := []string{m.state() + m.elapsed() + m.stopped()}
	if m.run.From != "" && !m.waits() {
		first = append([]string{m.inks.strong.On(m.run.From + " " + m.inks.glyphs.Arrow + " " + m.run.To)}, first...)
	}
	return []string{
		m.line(strings.Join(first, "   ")),
		m.line(m.inks.muted.On(strings.Join(m.facts(), " "+m.inks.glyphs.Dot+" "))),
		m.line(m.inks.rule.On(strings.Repeat(m.inks.glyphs.Rule, m.inner()))),
	}
}

// state is what the site tells; while it tells nothing, that the last word may
// not be true any more.
func (m *Model) state() string {
	if m.waits() {
		return m.inks.running.On(m.inks.glyphs.Running + " accepted, not begun yet")
	}
	state := m.inks.state(m.reading.Status, m.reading.Meaning)
	if m.trouble() != "" {
		return m.inks.warn.On(m.inks.glyphs.Warn+" not known now, last") + " " + state
	}
	return state
}

// over tells whether what is shown has ended.
func (m *Model) over() bool {
	return m.reading.Meaning == upgrade.ReadSuccess || m.reading.Meaning == upgrade.ReadFailed
}

// waits tells whether the watch goes on for an upgrade that was accepted while the
// site still tells of the one before.
func (m *Model) waits() bool {
	w := m.env.Upgrade
	return w.On && w.Started && m.over() && !m.reading.Seen
}

func (m *Model) line(s string) string { return views.Fit(s, m.inner(), m.inks.glyphs.Ellipsis) }

// elapsed is how long the run takes by the server's clock, or has taken.
func (m *Model) elapsed() string {
	if m.run.Began.IsZero() || m.waits() {
		return ""
	}
	began := m.run.Began.Time()
	switch m.reading.Meaning {
	case upgrade.ReadRunning:
		return m.inks.running.On(" " + span(m.env.Clock.Now().Add(m.ahead).Sub(began)))
	case upgrade.ReadSuccess, upgrade.ReadFailed:
		return m.inks.muted.On(" after " + span(m.run.Last.Time().Sub(began)))
	}
	return ""
}

// stopped says where an upgrade has failed, as far as its log tells.
func (m *Model) stopped() string {
	if m.reading.Meaning != upgrade.ReadFailed || m.waits() || m.openPhase == "" {
		return ""
	}
	return m.inks.muted.On(", stopped in ") + m.inks.fail.On(m.openPhase)
}

func (m *Model) facts() []string {
	var facts []string
	switch {
	case m.waits():
		facts = append(facts, "the site still tells of the upgrade before")
	case m.over() && !m.reading.Seen:
		facts = append(facts, "the last upgrade; nothing runs now")
	}
	if !m.run.Began.IsZero() {
		facts = append(facts, "began "+m.env.Times.Moment(m.run.Began.Time()))
	}
	if m.reading.Meaning == upgrade.ReadUnknown {
		facts = append(facts, "neither running nor ended as far as its state tells")
	}
	return append(facts, counted(m.log.Len()))
}

// foot returns the line below the log and its colour: what is wrong with the
// watch, or what the user does not see.
func (m *Model) foot() (rows.Ink, string) {
	if trouble := m.trouble(); trouble != "" {
		return m.inks.warn, trouble
	}
	switch {
	case m.paused && m.list.Filter() == "" && m.log.Len() > m.passed:
		return m.inks.accent, "paused; " + counted(m.log.Len()-m.passed) + " came since; G follows"
	case m.paused:
		return m.inks.muted, "paused; G follows the newest message"
	}
	return m.inks.muted, ""
}

// trouble says why the watch tells nothing new, empty where it does.
func (m *Model) trouble() string {
	w := m.env.Upgrade
	switch {
	case w.On && w.Resting != nil:
		return m.inks.glyphs.Warn + " " + m.resting()
	case w.On && w.Reading.Away != nil:
		return m.inks.glyphs.Warn + " " + m.away()
	}
	return ""
}

// away says since when the API is away, and that this happens.
func (m *Model) away() string {
	w, now := m.env.Upgrade, m.env.Clock.Now()
	text := "the API has been away for " + span(now.Sub(w.Reading.AwaySince)) + "; it restarts during an upgrade."
	if !m.reading.At.IsZero() {
		text += " Last reading " + m.env.Times.Clock(m.reading.At) + "."
	}
	if left := w.Next.Sub(now); left > 0 {
		return text + " Asking again in " + span(left+time.Second-time.Nanosecond) + "."
	}
	return text + " Asking now."
}

// resting says why the site does not tell.
func (m *Model) resting() string {
	w := m.env.Upgrade
	text := "the watch waits: " + w.Resting.Error() + "."
	if !w.Next.IsZero() {
		return text + " Asking again at " + m.env.Times.Clock(w.Next) + "."
	}
	return text + " Sign in to go on (:sign in)."
}
