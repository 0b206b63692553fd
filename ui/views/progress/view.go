package progress

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/ui/widget/rows"
)

const (
	footLines = 2 // a long line takes both on a narrow terminal
	divider   = 3
	// From this size on three columns about the run are between the picture and the log.
	wideFrom = 156
	tallFrom = 44
	// From this size on the picture of the run is above the log.
	roomyWidth  = 118
	roomyHeight = 26
)

// View draws exactly the size that SetSize gave.
func (m *Model) View() string {
	switch {
	case m.message != nil:
		return m.framed(m.message.lines())
	case m.run.nothing():
		return m.framed(m.above())
	}
	var body []string // the log, or the summary in its place
	if m.run.place() == alone {
		body = strings.Split(m.summary.pager.View(), "\n")
	} else {
		body = m.messages.lines()
	}
	return m.framed(slices.Concat(m.above(), body, m.foot()))
}

// moment is all that what is above the log depends on. Times that are counted go on by the second.
type moment struct {
	width, height int
	place         place
	bare          bool
	second        adminapi.Millis
	on, started   bool // the watch
	next          time.Time
	reason        reasonKey
	revision      int // of the rest
}

func (m *Model) moment() moment {
	w := &m.Env.Upgrade
	return moment{m.Width, m.Height, m.run.place(), m.run.bare, m.run.siteNow() / 1000, w.On, w.Started, w.Next, m.run.reasonKey(), m.revision}
}

// above returns the lines above the log, or all lines where there is no run.
func (m *Model) above() []string {
	return m.cache.For(m.moment(), func() []string {
		if m.run.nothing() {
			return m.withoutRun()
		}
		return m.head()
	})
}

// withoutRun says that there is no run, and what the last one led to.
func (m *Model) withoutRun() (lines []string) {
	add := func(part []string) {
		for i, line := range part {
			if i == 0 {
				lines = append(lines, "")
			}
			lines = append(lines, " "+line)
		}
	}
	ink, text := m.emptyText()
	add(wrapped(ink, text, m.Inner()-1, m.Height))
	add(m.earlier.lines(m.Inner() - 1))
	return lines
}

// head returns what is above the log. A run that is over has its summary there, in columns
// where there is room.
func (m *Model) head() []string {
	var facts, band []string
	switch {
	case m.run.place() == columns:
		band = m.band.lines()
	case m.run.place() == hidden && m.run.over():
		facts = m.summary.lines(m.Inner())
	}
	return m.board.head(facts, band)
}

// foot returns the lines below the log, whose room stays free for them while the run goes on.
func (m *Model) foot() []string {
	ink, text := m.messages.foot()
	if text == "" {
		return nil
	}
	return wrapped(ink, text, m.Inner(), footLines)
}

// arrange lays out the view again, since what is above the messages changes with the time.
func (m *Model) arrange() {
	m.run.explain()
	switch {
	case m.message != nil:
		m.message.setSize(m.Inner(), m.Height)
		return
	case m.run.nothing():
		return
	}
	below := footLines
	if m.run.place() == alone {
		below = len(m.foot())
	}
	room := max(0, m.Height-len(m.above())-below)
	m.messages.list.SetSize(m.Inner(), room)
	m.summary.arrange(room, m.moment())
}

// framed returns lines between the margins, in exactly the size of the view.
func (m *Model) framed(lines []string) string {
	return m.run.inks.Abreast(m.Height, m.run.inks.Block(lines, m.Inner(), m.Height))
}

// wrapped wraps a text into at most n lines of a style.
func wrapped(ink rows.Ink, s string, width, n int) []string {
	lines := strings.Split(ansi.Wrap(s, max(1, width), ""), "\n")
	if len(lines) > n {
		lines = append(lines[:n-1], strings.Join(lines[n-1:], " "))
	}
	for i, line := range lines {
		lines[i] = ink.On(line)
	}
	return lines
}

// flow joins items into lines of at most width cells.
func flow(items []string, gap string, width int) []string {
	var lines []string
	for _, item := range items {
		last := len(lines) - 1
		if last >= 0 && ansi.StringWidth(lines[last])+ansi.StringWidth(gap)+ansi.StringWidth(item) <= width {
			lines[last] += gap + item
		} else {
			lines = append(lines, item)
		}
	}
	return lines
}

// emptyText returns what is shown where there is no run, and its style.
func (m *Model) emptyText() (rows.Ink, string) {
	trouble := m.run.trouble()
	switch {
	case m.Env.Offline:
		return m.run.inks.Muted, "There is no site: only saved files are open."
	case trouble != "":
		return m.run.inks.Warn, trouble
	case m.run.log == nil:
		return m.run.inks.Muted, "Reading the state of upgrades."
	case m.Env.Upgrade.On && m.Env.Upgrade.Started:
		return m.run.inks.Muted, "The upgrade was accepted and has not begun. Its messages appear here."
	case m.Env.State.Runs(): // the watch is about to begin
		return m.run.inks.Muted, "Reading the upgrade that has begun."
	}
	return m.run.inks.Muted, "The site shows no log of an upgrade.\n\nUpgrades lists what can be installed. A running upgrade shows here, whoever starts it."
}

// about says what is on the screen.
func (m *Model) about() string {
	switch {
	case m.message != nil:
		return "One message of the upgrade, whole."
	case m.run.record:
		return "An earlier run, as it was watched from this machine."
	}
	return "The upgrade that runs, or the last one: phases, messages, evidence."
}
