package progress

import (
	"strconv"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/widget/rows"
)

// detail is how much the board says of each phase.
type detail int

const (
	shortNames detail = iota
	names             // and the time of the open phase
	times             // of every phase that has begun
	usuals            // and how long each usually takes
)

// looks are the ways to draw the board, the fullest first: how much,
// and in how many lines at most.
var looks = []struct {
	detail detail
	gap    string
	lines  int
}{{usuals, "  ", 1}, {times, "  ", 1}, {times, " ", 1}, {times, "  ", 2}, {names, "  ", 2}, {shortNames, " ", 2}}

// board draws the phases in their order, with as much of each as fits.
func (b *board) board() []string {
	var lines []string
	for _, look := range looks {
		lines = flow(b.phases(look.detail), look.gap, b.inner())
		if len(lines) <= look.lines {
			return lines
		}
	}
	return lines[:min(len(lines), 2)]
}

func (b *board) phases(d detail) []string {
	var items []string
	for _, phase := range b.reading.Progress.Phases {
		items = append(items, b.phase(phase, d))
	}
	return items
}

// shortName is how many cells of the name of a phase are shown in the least room.
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
		text += " " + b.inks.Muted.On(coarse(b.reading.Progress.SpentBy(phase.Name, b.now())))
	}
	usual, known := b.reading.Usual.Spent[phase.Name]
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

// besideFrom is the width from which the text of the open step is shown beside what
// its code means.
const besideFrom = 100

// present says what was begun last and goes on, or was going on when the run failed.
func (b *board) present() []string {
	open := b.reading.Progress.Open
	if len(open) == 0 || b.reading.Meaning == progress.StateSucceeded {
		return nil
	}
	step := open[len(open)-1]
	text := b.inks.Running.On("now, for "+coarse(b.now().Time().Sub(step.Since.Time()))+": ") + step.Meaning
	switch since := b.log.clock(step.Since) + ": "; {
	case b.over():
		text = b.inks.Fail.On("never completed, since "+since) + step.Meaning
	case !b.goesOn():
		text = b.inks.Warn.On("last seen, since "+since) + step.Meaning
	}
	if more := len(open) - 1; more > 0 {
		text += b.inks.Muted.On(" " + b.inks.Glyphs.Dot + " " + strconv.Itoa(more) + " more open")
	}
	if told := plain.Line(step.Text); told != "" && b.inner() >= besideFrom {
		text += b.inks.Muted.On(" " + b.inks.Glyphs.Dot + " " + told)
	}
	return []string{text}
}

// warnings say what should be looked into, each in two lines at most.
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

// stalled says for how long nothing was heard, in which phase, and why that is long.
func (b *board) stalled(s progress.Stall) string {
	text := "No message for " + coarse(s.Quiet)
	if s.Phase != "" {
		text += " in " + s.Phase
	}
	if s.Usual {
		return text + "; the limit is " + coarse(s.Limit) + ", by the longest silence of " + plain.Plural(b.reading.Usual.Runs, "earlier run") + " here."
	}
	return text + "; the limit is " + coarse(s.Limit) + ", for which the platform waits for a container."
}
