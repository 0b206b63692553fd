package progress

import (
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// board is what is above the messages: versions, state, times, counts, phases, the open
// step, and warnings.
type board struct{ *shown }

// head returns the lines above the log, as many as leave it room, and a rule.
func (b *board) head() []string {
	var lines []string
	if b.record {
		lines = wrapped(b.inks.Accent, b.inks.Glyphs.Marked+" The record of an earlier run, as this machine kept it until "+
			b.Env.Times.Moment(b.snapshot.At)+". Nothing here is live; esc leaves it.", b.inner(), 2)
	}
	lines = append(lines, b.headline()...)
	lines = append(lines, b.counts()...)
	warnings := b.warnings()
	var parts [][]string
	switch {
	case b.awaitsBegin() || b.place == alone: // the summary has them
	case b.place == beside:
		parts = [][]string{b.present()}
	default:
		parts = [][]string{b.board(), b.present()}
	}
	for _, part := range parts {
		if len(lines)+len(part)+len(warnings)+1+footLines+minLog <= b.Height {
			lines = append(lines, part...)
		}
	}
	lines = append(lines, warnings...)
	return append(lines, b.inks.Rule.On(strings.Repeat(b.inks.Glyphs.Rule, b.inner())))
}

// minLog is how many lines the log keeps before the phases get any.
const minLog = 4

// headline shows versions, state, and elapsed and read-only time. The time that is left is
// at the right where there is room.
func (b *board) headline() []string {
	var items []string
	if p := &b.snapshot.Progress; p.From != "" && !b.awaitsBegin() {
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

// state returns the state, marked as old while the site gives none.
func (b *board) state() string {
	if b.awaitsBegin() {
		return b.inks.Running.On(b.inks.Glyphs.Running + " accepted, not begun yet")
	}
	state := b.inks.state(b.snapshot.Status, b.snapshot.Meaning)
	switch {
	case b.record && !b.over():
		return b.inks.Warn.On("last seen") + " " + state
	case b.trouble() != "":
		return b.inks.Warn.On(b.inks.Glyphs.Warn+" not known now, last") + " " + state
	}
	return state
}

// elapsed returns how long the run takes, or has taken, by the server's clock.
func (b *board) elapsed() string {
	p := &b.snapshot.Progress
	if p.Began.IsZero() || b.awaitsBegin() {
		return ""
	}
	began := p.Began.Time()
	switch b.snapshot.Meaning {
	case progress.StateRunning:
		least := " "
		if !b.hasBegin() {
			least = " at least "
		}
		return b.inks.Running.On(least + views.Seconds(b.now().Time().Sub(began)))
	case progress.StateSucceeded, progress.StateFailed:
		took := p.Last.Time().Sub(began)
		if !b.hasBegin() {
			took = p.Took
		}
		if took > 0 {
			return b.inks.Muted.On(" after " + views.Seconds(took))
		}
	}
	return ""
}

// stopped returns the phase in which an upgrade has failed, where it is known.
func (b *board) stopped() string {
	if b.snapshot.Meaning != progress.StateFailed || b.awaitsBegin() {
		return ""
	}
	if phase := b.snapshot.Progress.StoppedIn(); phase != "" {
		return b.inks.Muted.On(", stopped in ") + b.inks.Fail.On(phase)
	}
	return ""
}

// readOnly returns since when the site is read-only, or how long it was. The log of a run
// that is over may lack the end of it.
func (b *board) readOnly() string {
	p := &b.snapshot.Progress
	if p.ReadOnly.From.IsZero() || b.awaitsBegin() {
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

// left returns the time left by earlier runs. There is none without earlier runs, or while
// the state is not known.
func (b *board) left() string {
	if b.snapshot.Meaning != progress.StateRunning || b.record || b.trouble() != "" {
		return ""
	}
	usual := b.snapshot.Usual
	left, ok := usual.Left(b.snapshot.Progress, b.now())
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

// counts returns how much is done, as a bar where the site counts, with notes and facts of
// the run. Notes may take a second line, facts do not.
func (b *board) counts() []string {
	items := b.notes()
	maxLines := min(2, 1+len(items))
	items = append(items, b.facts()...)
	for i, fact := range items {
		items[i] = b.inks.Muted.On(fact)
	}
	switch p := &b.snapshot.Progress; {
	case p.Total == 0 || b.awaitsBegin():
	case p.RolledBack:
		items = append([]string{b.inks.Muted.On("rolled back " + counted(p.Done, p.Total))}, items...)
	case b.snapshot.Meaning == progress.StateFailed:
		items = append([]string{b.inks.Muted.On("last count " + counted(p.Done, p.Total))}, items...)
	default:
		items = append([]string{b.bar(p.Done, p.Total) + "  " + counted(p.Done, p.Total)}, items...)
	}
	lines := flow(items, b.inks.Muted.On(" "+b.inks.Glyphs.Dot+" "), b.inner())
	return lines[:min(len(lines), maxLines)]
}

// bar draws how much is done.
func (b *board) bar(done, total int) string {
	cells := max(12, min(42, b.inner()/4))
	on := max(0, min(cells, int(int64(cells)*int64(done)/int64(total))))
	return b.inks.Accent.On(strings.Repeat(b.inks.Glyphs.BarOn, on)) + b.inks.Muted.On(strings.Repeat(b.inks.Glyphs.BarOff, cells-on))
}

// notes returns what must be known to understand the rest.
func (b *board) notes() []string {
	var notes []string
	switch {
	case b.awaitsBegin():
		notes = append(notes, "the site still reports the upgrade before")
	case b.over() && !b.snapshot.Seen:
		notes = append(notes, "the last upgrade; nothing runs now")
	}
	if b.snapshot.Meaning == progress.StateUnknown && !b.record {
		notes = append(notes, "its state is neither running nor ended")
	}
	if d := b.clockDifference(); d != "" {
		notes = append(notes, d)
	}
	if b.snapshot.Resumed && !b.record {
		notes = append(notes, "goes on from an earlier watch")
	}
	return notes
}

func (b *board) facts() []string {
	p := &b.snapshot.Progress
	facts := []string{plain.Plural(b.log.Len(), "message")}
	if p.UnknownCodes > 0 {
		facts = append(facts, plain.Plural(p.UnknownCodes, "message")+" of unknown meaning")
	}
	switch {
	case p.Began.IsZero():
	case b.hasBegin():
		facts = append(facts, "began "+b.log.begin())
	default:
		facts = append(facts, "first message "+b.log.begin()+", the beginning is not reported")
	}
	return facts
}

// clockDifference returns how far the server's clock, which the times of messages are of,
// differs from this machine's.
func (b *board) clockDifference() string {
	d := b.snapshot.Ahead.Abs()
	switch {
	case d < 2*time.Second || b.record:
		return ""
	case b.snapshot.Ahead > 0:
		return "the server's clock is " + views.Seconds(d) + " ahead of this machine's"
	}
	return "the server's clock is " + views.Seconds(d) + " behind this machine's"
}

// detail is how much the board shows of each phase.
type detail int

const (
	shortNames detail = iota
	names             // and the time of the open phase
	times             // of every phase that has begun
	usuals            // and how long each usually takes
)

// boardLayouts are the layouts of the board, the fullest first.
var boardLayouts = []struct {
	detail   detail
	gap      string
	maxLines int
}{{usuals, "  ", 1}, {times, "  ", 1}, {times, " ", 1}, {times, "  ", 2}, {names, "  ", 2}, {shortNames, " ", 2}}

// board draws the phases in their order, with as much of each as fits.
func (b *board) board() []string {
	var lines []string
	for _, layout := range boardLayouts {
		var items []string
		for _, phase := range b.phases() {
			items = append(items, b.phase(phase, layout.detail))
		}
		lines = flow(items, layout.gap, b.inner())
		if len(lines) <= layout.maxLines {
			return lines
		}
	}
	return lines[:min(len(lines), 2)]
}

// shortName is how many cells a short name of a phase has.
const shortName = 4

func (b *board) phase(phase progress.PhaseProgress, d detail) string {
	glyph, ink := b.inks.Mark(phaseStatus[phase.State])
	name := phase.Name
	if d == shortNames {
		name = ansi.Truncate(name, shortName, "")
	}
	text := ink.On(glyph + " " + name)
	began := phase.State != progress.PhaseAhead
	if began && (d >= times || d == names && phase.State == progress.PhaseOpen) {
		spent := coarse(b.snapshot.Progress.SpentBy(phase.Name, b.now()))
		if phase.State == progress.PhaseOpen && b.goesOn() {
			spent = views.Fit(spent, max(countedWidth, len(spent)), "")
		}
		text += " " + b.inks.Muted.On(spent)
	}
	usual, known := b.snapshot.Usual.Spent[phase.Name]
	switch {
	case d < usuals || !known:
	case !began:
		text += " " + b.inks.Muted.On("~"+coarse(usual))
	case phase.State == progress.PhaseOpen:
		text += b.inks.Muted.On(" of ~" + coarse(usual))
	}
	return text
}

var phaseStatus = map[progress.PhaseState]rows.Status{
	progress.PhaseAhead: rows.StatusSkipped, progress.PhaseOpen: rows.StatusRunning,
	progress.PhaseDone: rows.StatusPassed, progress.PhaseStopped: rows.StatusFailed,
}

// besideFrom is the width from which the text of the open step is shown beside the meaning
// of its code.
const besideFrom = 100

// countedWidth is the room of a time that is counted, below an hour: what is beside it
// stays where it is.
const countedWidth = len("59 min")

// present returns the open step that was begun last. While the run goes on it has a line
// also between two steps, so that the log below stays where it is.
func (b *board) present() []string {
	open := b.snapshot.Progress.Open
	switch {
	case b.snapshot.Meaning == progress.StateSucceeded:
		return nil
	case len(open) == 0 && b.goesOn():
		return []string{""}
	case len(open) == 0:
		return nil
	}
	step := open[len(open)-1]
	age := coarse(b.now().Time().Sub(step.Since.Time())) + ": "
	text := b.inks.Running.On("now, for "+views.Fit(age, max(countedWidth+2, len(age)), "")) + step.Meaning
	switch since := b.log.clock(step.Since) + ": "; {
	case b.over():
		text = b.inks.Fail.On("never completed, since "+since) + step.Meaning
	case !b.goesOn():
		text = b.inks.Warn.On("last seen, since "+since) + step.Meaning
	}
	if more := len(open) - 1; more > 0 {
		text += b.inks.Muted.On(" " + b.inks.Glyphs.Dot + " " + strconv.Itoa(more) + " more open")
	}
	if line := plain.Line(step.Text); line != "" && b.inner() >= besideFrom {
		text += b.inks.Muted.On(" " + b.inks.Glyphs.Dot + " " + line)
	}
	return []string{text}
}

// warnings returns a stall and a failure to record, each in two lines at most.
func (b *board) warnings() []string {
	if b.record {
		return nil
	}
	var lines []string
	if s := b.Env.Upgrade.Stall; s != nil && b.trouble() == "" {
		lines = append(lines, wrapped(b.inks.Warn, b.inks.Glyphs.Warn+" "+b.stalled(*s), b.inner(), 2)...)
	}
	if err := b.Env.Upgrade.Snapshot.TranscriptErr; err != nil {
		text := "What is seen here is not recorded: " + plain.Line(err.Error()) + ". It is lost when this program ends."
		if operation.NoRoom(err) {
			text += " Make room on that disk."
		}
		lines = append(lines, wrapped(b.inks.Warn, b.inks.Glyphs.Warn+" "+text, b.inner(), 2)...)
	}
	return lines
}

// stalled describes a stall: how long, in which phase, and by which limit.
func (b *board) stalled(s progress.Stall) string {
	text := "No message for " + coarse(s.Quiet)
	if s.Phase != "" {
		text += " in " + s.Phase
	}
	if s.Usual {
		return text + "; the limit is " + coarse(s.Limit) + ", by the longest silence of " + plain.Plural(b.snapshot.Usual.Runs, "earlier run") + " here."
	}
	return text + "; the limit is " + coarse(s.Limit) + ", for which the platform waits for a container."
}
