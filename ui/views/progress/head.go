package progress

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// head returns the lines above the log: which versions, how it stands, since when
// the site takes no changes and how long that will go on; how much is done; the
// phases and what goes on; what should be looked into; then a rule.
func (m *Model) head() []string {
	var lines []string
	if m.record {
		lines = wrapped(m.inks.Accent, m.inks.Glyphs.Marked+" The record of an earlier run, as this machine kept it until "+
			m.env.Times.Moment(m.reading.At)+". Nothing here is live; esc leaves it.", m.inner(), 2)
	}
	lines = append(lines, m.first()...)
	lines = append(lines, m.counts()...)
	warnings := m.warnings()
	for _, part := range m.where() {
		if len(lines)+len(part)+len(warnings)+1+footLines+leastLog <= m.height {
			lines = append(lines, part...)
		}
	}
	lines = append(lines, warnings...)
	return append(lines, m.inks.Rule.On(strings.Repeat(m.inks.Glyphs.Rule, m.inner())))
}

// leastLog is how many lines the log keeps before the phases get any.
const leastLog = 4

// where tells how far the run is: its phases, unless the summary has them, and what
// goes on.
func (m *Model) where() [][]string {
	switch {
	case m.waits() || m.summaryPage():
		return nil
	case m.summaryShown():
		return [][]string{m.present()}
	}
	return [][]string{m.board(), m.present()}
}

// first tells versions and state and the two clocks that everybody asks for. What
// is left of the time stands at the right where there is room.
func (m *Model) first() []string {
	var items []string
	if p := &m.reading.Progress; p.From != "" && !m.waits() {
		items = append(items, m.inks.Strong.On(p.From+" "+m.inks.Glyphs.Arrow+" "+p.To))
	}
	items = append(items, m.state()+m.elapsed()+m.stopped())
	if text := m.readOnly(); text != "" {
		items = append(items, text)
	}
	left := m.left()
	if left == "" {
		return flow(items, "   ", m.inner())
	}
	lines := flow(append(items, m.inks.Muted.On(left)), "   ", m.inner())
	if len(lines) == 1 {
		gap := m.inner() - ansi.StringWidth(lines[0])
		lines[0] = strings.Join(items, "   ") + "   " + strings.Repeat(" ", gap) + m.inks.Muted.On(left)
	}
	return lines
}

// state is what the site tells; while it tells nothing, that the last word may
// not be true any more.
func (m *Model) state() string {
	if m.waits() {
		return m.inks.Running.On(m.inks.Glyphs.Running + " accepted, not begun yet")
	}
	state := m.inks.state(m.reading.Status, m.reading.Meaning)
	switch {
	case m.record && !m.over():
		return m.inks.Warn.On("last seen") + " " + state
	case m.trouble() != "":
		return m.inks.Warn.On(m.inks.Glyphs.Warn+" not known now, last") + " " + state
	}
	return state
}

// over tells whether what is shown has ended.
func (m *Model) over() bool {
	return m.reading.Meaning == progress.StateSucceeded || m.reading.Meaning == progress.StateFailed
}

// waits tells whether the watch goes on for an upgrade that was accepted while the
// site still tells of the one before.
func (m *Model) waits() bool {
	w := m.env.Upgrade
	return !m.record && w.On && w.Started && m.over() && !m.reading.Seen
}

// elapsed is how long the run takes by the server's clock, or has taken.
func (m *Model) elapsed() string {
	p := &m.reading.Progress
	if p.Began.IsZero() || m.waits() {
		return ""
	}
	began := p.Began.Time()
	switch m.reading.Meaning {
	case progress.StateRunning:
		least := " "
		if !m.begins() {
			least = " at least "
		}
		return m.inks.Running.On(least + span(m.now().Time().Sub(began)))
	case progress.StateSucceeded, progress.StateFailed:
		took := p.Last.Time().Sub(began)
		if !m.begins() {
			took = p.Took
		}
		if took > 0 {
			return m.inks.Muted.On(" after " + span(took))
		}
	}
	return ""
}

// begins tells whether the log holds the beginning of the run: a site may have
// forgotten it, and then nobody knows its time.
func (m *Model) begins() bool {
	l := m.reading.Log
	for i := l.Run(); i < l.Len() && l.At(i).When == m.reading.Progress.Began; i++ {
		if progress.Begins(l.At(i).UpgradeMessage) {
			return true
		}
	}
	return false
}

// stopped says where an upgrade has failed, as far as its log tells.
func (m *Model) stopped() string {
	if m.reading.Meaning != progress.StateFailed || m.waits() {
		return ""
	}
	if phase := m.reading.Progress.StoppedIn(); phase != "" {
		return m.inks.Muted.On(", stopped in ") + m.inks.Fail.On(phase)
	}
	return ""
}

// readOnly says since when the site takes no changes, or how long it took none.
// Where a run is over and the log tells no end of it nobody knows.
func (m *Model) readOnly() string {
	p := &m.reading.Progress
	if p.ReadOnly.From.IsZero() || m.waits() {
		return ""
	}
	lasted, _ := p.ReadOnlyFor(m.now())
	since := "READ-ONLY since " + m.log.minute(p.ReadOnly.From)
	switch {
	case !p.ReadOnly.To.IsZero():
		return m.inks.Muted.On("read-only " + coarse(lasted))
	case m.over():
		return m.inks.Warn.On(since + ", its end is not in the log")
	}
	return m.inks.Warn.On(since + " (" + coarse(lasted) + ")")
}

// left is how long runs like this one still took here. Without history there is no
// guess, nor while nobody knows how the run stands.
func (m *Model) left() string {
	if m.reading.Meaning != progress.StateRunning || m.record || m.trouble() != "" {
		return ""
	}
	usual := m.reading.Usual
	left, ok := usual.Left(m.reading.Progress, m.now())
	as := ", as in " + plain.Plural(usual.Runs, "earlier run") + " here"
	switch {
	case !ok:
		return ""
	case left <= 0:
		return "longer than usual by " + plain.Plural(usual.Runs, "earlier run") + " here"
	case left < time.Minute:
		return "less than a minute left" + as
	}
	return "about " + coarse(left+30*time.Second) + " left" + as
}

// counts tells how much is done, as a bar where the site counts, and what else is
// known of the run: in two lines what must be known, the rest where it fits.
func (m *Model) counts() []string {
	items := m.notes()
	most := min(2, 1+len(items))
	items = append(items, m.facts()...)
	for i, fact := range items {
		items[i] = m.inks.Muted.On(fact)
	}
	switch p := &m.reading.Progress; {
	case p.Total == 0 || m.waits():
	case m.reading.Meaning == progress.StateFailed:
		items = append([]string{m.inks.Muted.On("last count " + counted(p.Done, p.Total))}, items...)
	default:
		items = append([]string{m.bar(p.Done, p.Total) + "  " + counted(p.Done, p.Total)}, items...)
	}
	lines := flow(items, m.inks.Muted.On(" "+m.inks.Glyphs.Dot+" "), m.inner())
	return lines[:min(len(lines), most)]
}

// bar draws how many of all are done.
func (m *Model) bar(done, total int) string {
	cells := max(12, min(42, m.inner()/4))
	on := max(0, min(cells, int(int64(cells)*int64(done)/int64(total))))
	return m.inks.Accent.On(strings.Repeat(m.inks.Glyphs.BarOn, on)) + m.inks.Muted.On(strings.Repeat(m.inks.Glyphs.BarOff, cells-on))
}

// notes are what must be known to read the rest rightly.
func (m *Model) notes() []string {
	var notes []string
	switch {
	case m.waits():
		notes = append(notes, "the site still tells of the upgrade before")
	case m.over() && !m.reading.Seen:
		notes = append(notes, "the last upgrade; nothing runs now")
	}
	if m.reading.Meaning == progress.StateUnknown && !m.record {
		notes = append(notes, "neither running nor ended as far as its state tells")
	}
	if d := m.clockDifference(); d != "" {
		notes = append(notes, d)
	}
	if m.reading.Resumed && !m.record {
		notes = append(notes, "goes on from an earlier watch")
	}
	return notes
}

func (m *Model) facts() []string {
	p := &m.reading.Progress
	facts := []string{plain.Plural(m.log.Len(), "message")}
	if p.Foreign > 0 {
		facts = append(facts, plain.Plural(p.Foreign, "message")+" of unknown meaning")
	}
	switch {
	case p.Began.IsZero():
	case m.begins():
		facts = append(facts, "began "+m.log.begin())
	default:
		facts = append(facts, "first message "+m.log.begin()+", the beginning is not told")
	}
	return facts
}

// clockDifference says how far the clocks of the server and of this machine are
// apart: times of messages are the server's.
func (m *Model) clockDifference() string {
	d := m.reading.Ahead.Abs()
	switch {
	case d < 2*time.Second || m.record:
		return ""
	case m.reading.Ahead > 0:
		return "the server's clock is " + span(d) + " ahead of this machine's"
	}
	return "the server's clock is " + span(d) + " behind this machine's"
}
