package progress

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// board is what stands above the messages and below them: versions, state, clocks,
// counts, phases, what goes on, and what should be looked into.
type board struct{ *shown }

// head returns the lines above the log: which versions, how it stands, since when
// the site takes no changes and how long that will go on; how much is done; the
// phases and what goes on; what should be looked into; then a rule.
func (b *board) head() []string {
	var lines []string
	if b.record {
		lines = wrapped(b.inks.Accent, b.inks.Glyphs.Marked+" The record of an earlier run, as this machine kept it until "+
			b.Env.Times.Moment(b.reading.At)+". Nothing here is live; esc leaves it.", b.inner(), 2)
	}
	lines = append(lines, b.first()...)
	lines = append(lines, b.counts()...)
	warnings := b.warnings()
	for _, part := range b.where() {
		if len(lines)+len(part)+len(warnings)+1+footLines+leastLog <= b.Height {
			lines = append(lines, part...)
		}
	}
	lines = append(lines, warnings...)
	return append(lines, b.inks.Rule.On(strings.Repeat(b.inks.Glyphs.Rule, b.inner())))
}

// leastLog is how many lines the log keeps before the phases get any.
const leastLog = 4

// where says how far the run is: its phases, unless the summary has them, and what
// goes on.
func (b *board) where() [][]string {
	switch {
	case b.waits() || b.place == alone:
		return nil
	case b.place == beside:
		return [][]string{b.present()}
	}
	return [][]string{b.board(), b.present()}
}

// first shows versions and state and the two clocks that everybody looks for. What
// is left of the time stands at the right where there is room.
func (b *board) first() []string {
	var items []string
	if p := &b.reading.Progress; p.From != "" && !b.waits() {
		items = append(items, b.inks.Strong.On(p.From+" "+b.inks.Glyphs.Arrow+" "+p.To))
	}
	items = append(items, b.state()+b.elapsed()+b.stopped())
	if text := b.readOnly(); text != "" {
		items = append(items, text)
	}
	left := b.left()
	if left == "" {
		return flow(items, "   ", b.inner())
	}
	lines := flow(append(items, b.inks.Muted.On(left)), "   ", b.inner())
	if len(lines) == 1 {
		gap := b.inner() - ansi.StringWidth(lines[0])
		lines[0] = strings.Join(items, "   ") + "   " + strings.Repeat(" ", gap) + b.inks.Muted.On(left)
	}
	return lines
}

// state is what the site tells; while it tells nothing, that the last word may
// not be true any more.
func (b *board) state() string {
	if b.waits() {
		return b.inks.Running.On(b.inks.Glyphs.Running + " accepted, not begun yet")
	}
	state := b.inks.state(b.reading.Status, b.reading.Meaning)
	switch {
	case b.record && !b.over():
		return b.inks.Warn.On("last seen") + " " + state
	case b.trouble() != "":
		return b.inks.Warn.On(b.inks.Glyphs.Warn+" not known now, last") + " " + state
	}
	return state
}

// elapsed is how long the run takes by the server's clock, or has taken.
func (b *board) elapsed() string {
	p := &b.reading.Progress
	if p.Began.IsZero() || b.waits() {
		return ""
	}
	began := p.Began.Time()
	switch b.reading.Meaning {
	case progress.StateRunning:
		least := " "
		if !b.begins() {
			least = " at least "
		}
		return b.inks.Running.On(least + span(b.now().Time().Sub(began)))
	case progress.StateSucceeded, progress.StateFailed:
		took := p.Last.Time().Sub(began)
		if !b.begins() {
			took = p.Took
		}
		if took > 0 {
			return b.inks.Muted.On(" after " + span(took))
		}
	}
	return ""
}

// stopped says where an upgrade has failed, as far as its log says.
func (b *board) stopped() string {
	if b.reading.Meaning != progress.StateFailed || b.waits() {
		return ""
	}
	if phase := b.reading.Progress.StoppedIn(); phase != "" {
		return b.inks.Muted.On(", stopped in ") + b.inks.Fail.On(phase)
	}
	return ""
}

// readOnly says since when the site takes no changes, or how long it took none.
// Where a run is over and the log tells no end of it nobody knows.
func (b *board) readOnly() string {
	p := &b.reading.Progress
	if p.ReadOnly.From.IsZero() || b.waits() {
		return ""
	}
	lasted, _ := p.ReadOnlyFor(b.now())
	since := "READ-ONLY since " + b.log.minute(p.ReadOnly.From)
	switch {
	case !p.ReadOnly.To.IsZero():
		return b.inks.Muted.On("read-only " + coarse(lasted))
	case b.over():
		return b.inks.Warn.On(since + ", its end is not in the log")
	}
	return b.inks.Warn.On(since + " (" + coarse(lasted) + ")")
}

// left is how long runs like this one still took here. Without history there is no
// guess, nor while nobody knows how the run stands.
func (b *board) left() string {
	if b.reading.Meaning != progress.StateRunning || b.record || b.trouble() != "" {
		return ""
	}
	usual := b.reading.Usual
	left, ok := usual.Left(b.reading.Progress, b.now())
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

// counts says how much is done, as a bar where the site counts, and what else is
// known of the run: in two lines what must be known, the rest where it fits.
func (b *board) counts() []string {
	items := b.notes()
	most := min(2, 1+len(items))
	items = append(items, b.facts()...)
	for i, fact := range items {
		items[i] = b.inks.Muted.On(fact)
	}
	switch p := &b.reading.Progress; {
	case p.Total == 0 || b.waits():
	case b.reading.Meaning == progress.StateFailed:
		items = append([]string{b.inks.Muted.On("last count " + counted(p.Done, p.Total))}, items...)
	default:
		items = append([]string{b.bar(p.Done, p.Total) + "  " + counted(p.Done, p.Total)}, items...)
	}
	lines := flow(items, b.inks.Muted.On(" "+b.inks.Glyphs.Dot+" "), b.inner())
	return lines[:min(len(lines), most)]
}

// bar draws how many of all are done.
func (b *board) bar(done, total int) string {
	cells := max(12, min(42, b.inner()/4))
	on := max(0, min(cells, int(int64(cells)*int64(done)/int64(total))))
	return b.inks.Accent.On(strings.Repeat(b.inks.Glyphs.BarOn, on)) + b.inks.Muted.On(strings.Repeat(b.inks.Glyphs.BarOff, cells-on))
}

// notes are what must be known to read the rest rightly.
func (b *board) notes() []string {
	var notes []string
	switch {
	case b.waits():
		notes = append(notes, "the site still tells of the upgrade before")
	case b.over() && !b.reading.Seen:
		notes = append(notes, "the last upgrade; nothing runs now")
	}
	if b.reading.Meaning == progress.StateUnknown && !b.record {
		notes = append(notes, "neither running nor ended as far as its state tells")
	}
	if d := b.clockDifference(); d != "" {
		notes = append(notes, d)
	}
	if b.reading.Resumed && !b.record {
		notes = append(notes, "goes on from an earlier watch")
	}
	return notes
}

func (b *board) facts() []string {
	p := &b.reading.Progress
	facts := []string{plain.Plural(b.log.Len(), "message")}
	if p.Foreign > 0 {
		facts = append(facts, plain.Plural(p.Foreign, "message")+" of unknown meaning")
	}
	switch {
	case p.Began.IsZero():
	case b.begins():
		facts = append(facts, "began "+b.log.begin())
	default:
		facts = append(facts, "first message "+b.log.begin()+", the beginning is not told")
	}
	return facts
}

// clockDifference says how far the clocks of the server and of this machine are
// apart: times of messages are the server's.
func (b *board) clockDifference() string {
	d := b.reading.Ahead.Abs()
	switch {
	case d < 2*time.Second || b.record:
		return ""
	case b.reading.Ahead > 0:
		return "the server's clock is " + span(d) + " ahead of this machine's"
	}
	return "the server's clock is " + span(d) + " behind this machine's"
}
