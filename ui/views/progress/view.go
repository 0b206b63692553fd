package progress

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

const (
	margin    = 1   // cell at each side, as around the rest of the frame
	footLines = 2   // the second one is for a line that is too long for a narrow terminal
	wideFrom  = 156 // the summary stands beside the log
	sideWidth = 50  // of the summary there, without the divider
	divider   = 3
)

// View draws exactly the size that SetSize gave.
func (m *Model) View() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	if m.whole != nil {
		return m.framed(m.whole.lines(m))
	}
	if m.nothing() {
		return m.framed(m.sentences())
	}
	head := m.head()
	m.share(len(head))
	lines := append(head, m.body()...)
	ink, foot := m.foot()
	return m.framed(append(lines, wrapped(ink, foot, m.inner(), footLines)...))
}

// nothing tells whether there is no run to show.
func (m *Model) nothing() bool {
	return m.log == nil || m.log.Len() == 0 && m.reading.Meaning == progress.StateIdle
}

// place hands the cells out again after what is shown changed.
func (m *Model) place() {
	if m.whole != nil {
		m.whole.setSize(m.inner(), m.height)
	}
	if !m.nothing() {
		m.share(len(m.head()))
	}
	m.follow()
}

// share gives what the head leaves to the log and the summary.
func (m *Model) share(head int) {
	room := max(0, m.height-head-footLines)
	m.list.SetSize(m.logWidth(), room)
	m.pager.SetSize(m.inner(), room)
}

// inner is the width between the margins.
func (m *Model) inner() int { return max(1, m.width-2*margin) }

func (m *Model) wide() bool { return m.width >= wideFrom }

func (m *Model) logWidth() int {
	if m.wide() {
		return m.inner() - sideWidth - divider
	}
	return m.inner()
}

// summaryPage tells whether the summary is shown in place of the log.
func (m *Model) summaryPage() bool { return m.summary && !m.wide() && !m.nothing() }

// summaryShown tells whether it is on the screen at all.
func (m *Model) summaryShown() bool { return (m.summary || m.wide()) && !m.nothing() }

// body draws the log, the summary, or both side by side.
func (m *Model) body() []string {
	switch {
	case m.summaryPage():
		m.pager.Set(m.summaryLines(m.inner()))
		return strings.Split(m.pager.View(), "\n")
	case !m.wide():
		return m.messages()
	}
	messages, side := m.messages(), m.summaryLines(sideWidth)
	rule := m.inks.Divider()
	for i, line := range messages {
		left := ""
		if i < len(side) {
			left = side[i]
		}
		messages[i] = m.inks.Fit(left, sideWidth) + rule + line
	}
	return messages
}

// messages draws the log.
func (m *Model) messages() []string {
	lines := strings.Split(m.list.View(), "\n")
	if m.list.Len() > 0 || len(lines) < 3 {
		return lines
	}
	if m.log.Len() == 0 {
		lines[1] = m.inks.Muted.On("The site has no messages of it yet.")
	} else {
		lines[2] = m.inks.Muted.On("No message matches; esc shows all again.")
	}
	return lines
}

// framed puts lines between the margins, in exactly the size of the view.
func (m *Model) framed(lines []string) string {
	for i, line := range lines {
		lines[i] = strings.Repeat(" ", margin) + m.inks.Fit(line, m.inner())
	}
	return views.Block(lines, m.width, m.height, m.inks.Glyphs.Ellipsis)
}

// wrapped breaks a text at words into at most n lines in a colour each.
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

// flow puts items one after the other into lines of at most width cells.
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

// sentences draws what there is to say instead of a log.
func (m *Model) sentences() []string {
	ink, texts := m.says()
	lines := []string{""}
	for _, text := range texts {
		for _, line := range wrapped(ink, text, m.inner()-1, m.height) {
			lines = append(lines, " "+line)
		}
	}
	return lines
}

func (m *Model) says() (rows.Ink, []string) {
	trouble := m.trouble()
	switch {
	case m.env.Offline:
		return m.inks.Muted, []string{"There is no site: only saved files are open."}
	case trouble != "":
		return m.inks.Warn, []string{trouble}
	case m.log == nil:
		return m.inks.Muted, []string{"Reading what the site tells of upgrades."}
	case m.env.Upgrade.On && m.env.Upgrade.Started:
		return m.inks.Muted, []string{"The upgrade was accepted and has not begun yet. Its messages come here."}
	}
	return m.inks.Muted, []string{"No upgrade has run at this site yet.", "",
		"What can be installed is in the view Upgrades. An upgrade that somebody starts shows here, whoever it was; R looks again, T lists the runs that were watched from here."}
}
