package progress

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

const (
	margin    = 1 // cell at each side, as around the rest of the frame
	headLines = 3
	footLines = 2 // the second one is for a line that is too long for a narrow terminal
)

// View draws exactly the size that SetSize gave.
func (m *Model) View() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	if m.whole != nil {
		return m.framed(m.whole.lines(m))
	}
	if m.log == nil || m.log.Len() == 0 && m.reading.Meaning == upgrade.ReadIdle {
		return m.framed(m.sentences())
	}
	lines := m.head()
	body := strings.Split(m.list.View(), "\n")
	if m.list.Len() == 0 {
		body = m.noRows(body)
	}
	for len(body) < m.room() {
		body = append(body, "")
	}
	lines = append(lines, body[:m.room()]...)
	ink, foot := m.foot()
	return m.framed(append(lines, wrapped(ink, foot, m.inner(), footLines)...))
}

// noRows says why there is no message, below the line of the filter.
func (m *Model) noRows(body []string) []string {
	if m.log.Len() == 0 {
		return []string{"", m.inks.muted.On("The site has no messages of it yet.")}
	}
	return []string{body[0], "", m.inks.muted.On("No message matches; esc shows all again.")}
}

// framed puts lines between the margins, in exactly the size of the view.
func (m *Model) framed(lines []string) string {
	for i, line := range lines {
		lines[i] = strings.Repeat(" ", margin) + views.Fit(line, m.inner(), m.inks.glyphs.Ellipsis)
	}
	return views.Block(lines, m.width, m.height, m.inks.glyphs.Ellipsis)
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
		return m.inks.muted, []string{"There is no site: only saved files are open."}
	case trouble != "":
		return m.inks.warn, []string{trouble}
	case m.log == nil:
		return m.inks.muted, []string{"Reading what the site tells of upgrades."}
	case m.env.Upgrade.On && m.env.Upgrade.Started:
		return m.inks.muted, []string{"The upgrade was accepted and has not begun yet. Its messages come here."}
	}
	return m.inks.muted, []string{"No upgrade has run at this site yet.", "",
		"What can be installed is in the view Upgrades. An upgrade that somebody starts shows here, whoever it was; R looks again."}
}
