package progress

import (
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views/rows"
)

// detail is how much the board tells of each phase.
type detail int

const (
	shortNames detail = iota
	names             // and the time of the open phase
	times             // of every phase that has begun
	usuals            // and how long each usually takes
)

// looks are the ways to draw the board, the one that tells most first: how much,
// and in how many lines at most.
var looks = []struct {
	detail detail
	gap    string
	lines  int
}{{usuals, "  ", 1}, {times, "  ", 1}, {times, " ", 1}, {times, "  ", 2}, {names, "  ", 2}, {shortNames, " ", 2}}

// board draws the phases in their order, with as much of each as fits.
func (m *Model) board() []string {
	var lines []string
	for _, look := range looks {
		lines = flow(m.phases(look.detail), look.gap, m.inner())
		if len(lines) <= look.lines {
			return lines
		}
	}
	return lines[:min(len(lines), 2)]
}

func (m *Model) phases(d detail) []string {
	var items []string
	for _, phase := range m.reading.Progress.Phases {
		items = append(items, m.phase(phase, d))
	}
	return items
}

// shortName is how many cells of the name of a phase are told in the least room.
const shortName = 4

func (m *Model) phase(phase progress.PhaseProgress, d detail) string {
	glyph, ink := m.inks.phase(phase.State)
	name := phase.Name
	if d == shortNames {
		name = ansi.Truncate(name, shortName, "")
	}
	text := ink.On(glyph + " " + name)
	began := phase.State != progress.PhaseAhead
	if began && (d >= times || d == names && phase.State == progress.PhaseOpen) {
		text += " " + m.inks.Muted.On(coarse(m.reading.Progress.SpentBy(phase.Name, m.now())))
	}
	usual, known := m.reading.Usual.Spent[phase.Name]
	switch {
	case d < usuals || !known:
	case !began:
		text += " " + m.inks.Muted.On("~"+coarse(usual))
	case phase.State == progress.PhaseOpen:
		text += m.inks.Muted.On(" of ~" + coarse(usual))
	}
	return text
}

// phase returns the sign of a phase and its colour.
func (k *inks) phase(s progress.PhaseState) (glyph string, ink rows.Ink) {
	switch s {
	case progress.PhaseOpen:
		return k.Glyphs.Running, k.Running
	case progress.PhaseDone:
		return k.Glyphs.Pass, k.OK
	case progress.PhaseStopped:
		return k.Glyphs.Fail, k.Fail
	}
	return k.Glyphs.Skipped, k.Muted
}
