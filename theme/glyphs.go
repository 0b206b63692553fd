package theme

import "strings"

// Glyphs are the signs of the program, each one cell wide in every terminal: no
// emoji, no variation selectors. None of them turns: with a spinner of bubbles the program
// wakes 144 times a second instead of 6, and writes 2 KB, while nothing changes.
type Glyphs struct {
	Pass, Fail, Warn, Unknown, Running, Skipped string

	Folded, Open   string // a tree node that hides or shows its children
	Cursor         string // before the selected row
	Ellipsis       string // where text was cut
	Rule           string // one cell of a horizontal line
	Divider        string // one cell of a vertical line
	Branch         string // before a child of the row above
	Dot            string // between facts of one line
	BarOn, BarOff  string // one cell of a progress bar
	BarFrom, BarTo string // one cell of a bar that begins, or ends, halfway
	BarHeld        string // one cell of a bar while nothing moved
	Missing        string // on a time axis, where something was missing
	Alert          string // before a chip that needs attention
	Arrow          string // from one thing to another
	Marked         string
	Locked         string // before a chip that says what is not possible
	Levels         string // from low to high, one cell each, for durations side by side
}

var unicodeGlyphs = Glyphs{
	Pass: "✓", Fail: "✗", Warn: "!", Unknown: "?", Running: "●", Skipped: "○",
	Folded: "▸", Open: "▾", Cursor: "›", Ellipsis: "…", Rule: "─", Divider: "│", Branch: "└", Dot: "·",
	BarOn: "█", BarOff: "░", BarFrom: "▐", BarTo: "▌", BarHeld: "▒", Missing: "×", Alert: "▲", Arrow: "→", Marked: "◆", Locked: "■",
	Levels: "▁▂▃▄▅▆▇█",
}

var asciiGlyphs = Glyphs{
	Pass: "+", Fail: "x", Warn: "!", Unknown: "?", Running: "*", Skipped: "o",
	Folded: ">", Open: "v", Cursor: ">", Ellipsis: "~", Rule: "-", Divider: "|", Branch: "`", Dot: "-",
	BarOn: "#", BarOff: ".", BarFrom: "#", BarTo: "#", BarHeld: "=", Missing: "x", Alert: "^", Arrow: ">", Marked: "*", Locked: "#",
	Levels: "_.-=+*#",
}

// CursorMark stands in the text of a frame where the cursor of the terminal belongs: on what
// has the focus. It takes no room. Screen readers, braille displays and copy modes follow
// the cursor. Of several marks the last one counts.
const CursorMark = "\x1b_cursor\x1b\\"

// WithoutCursor returns text without its marks of the cursor.
func WithoutCursor(text string) string { return strings.ReplaceAll(text, CursorMark, "") }

// WantsASCII reports whether the locale in env (as from os.Getenv) is not UTF-8.
func WantsASCII(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := env(name); value != "" {
			value = strings.ToLower(value)
			return !strings.Contains(value, "utf-8") && !strings.Contains(value, "utf8")
		}
	}
	return true
}
