package plain

import "strings"

// Cell returns one line of text that no spreadsheet takes for a formula. Some of them skip
// white space before they look, and some know the wide forms of the signs.
func Cell(text string) string {
	line := Line(text)
	start := strings.TrimSpace(line)
	for _, sign := range []string{"=", "+", "-", "@", "＝", "＋", "－", "＠"} {
		if strings.HasPrefix(start, sign) {
			return "'" + line
		}
	}
	if text != "" && strings.ContainsAny(text[:1], "\t\r\n") {
		return "'" + line
	}
	return line
}
