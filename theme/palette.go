package theme

import "github.com/charmbracelet/lipgloss"

// palette names the terminal's own colours by number: converting hex colours at
// every frame is slow where the terminal has fewer, and ignores the user's taste.
type palette struct{ accent, muted, ok, warn, fail, unknown lipgloss.Color }

func paletteFor(light bool) palette {
	if light {
		return palette{accent: "4", muted: "8", ok: "2", warn: "3", fail: "1", unknown: "5"}
	}
	return palette{accent: "14", muted: "8", ok: "10", warn: "11", fail: "9", unknown: "13"}
}
