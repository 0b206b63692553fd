package upgrade

import (
	tea "github.com/charmbracelet/bubbletea"
)

// Wary tells that keys which came in one go must come here in one go: they may
// have been pasted into a terminal that does not say so.
func (m *Model) Wary() bool {
	return m.choosesOne() || m.step() == reviewing && m.raw == nil
}

// WantsDigits tells that digits begin the version here, and lead to no other view.
func (m *Model) WantsDigits() bool { return m.step() == reviewing && m.raw == nil }

// reviewKey takes what comes before the version is asked for: a digit begins it,
// keys that were read in one go are commands one by one.
func (m *Model) reviewKey(key tea.KeyMsg) tea.Cmd {
	switch {
	case key.Paste || len(key.Runes) == 0:
		return nil
	case key.Runes[0] >= '0' && key.Runes[0] <= '9':
		told := m.confirm()
		if !m.flow.review.typing {
			return told
		}
		return m.confirmKey(key)
	}
	var cmds []tea.Cmd
	for _, r := range key.Runes {
		cmds = append(cmds, m.pressed(string(r)))
	}
	return tea.Batch(cmds...)
}

// pressed runs the command that a key stands for.
func (m *Model) pressed(key string) tea.Cmd {
	for _, c := range m.Commands() {
		if c.Has(key) {
			return m.Do(c.ID, "")
		}
	}
	return nil
}
