package editing

import (
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
)

// ChangeSummary says changes in a line: the first, and how many more there are.
func ChangeSummary(changes []document.Change, words map[document.Path][]string) string {
	if len(changes) == 0 {
		return "no change"
	}
	var all []string
	for _, c := range document.Masked(changes[:1]) {
		if all = words[c.Path]; len(all) == 0 {
			all = []string{changeWords(c)}
		}
	}
	text := plain.Clip(all[0], 200)
	if more := len(all) + len(changes) - 2; more > 0 {
		text += "  " + plain.Plural(more, "more change")
	}
	return text
}

// ChangeLines says changes in lines of a few words each, with secrets masked
// and [Arrow] between old and new.
func ChangeLines(changes []document.Change, words map[document.Path][]string) (lines []string) {
	for _, c := range document.Masked(changes) {
		if said := words[c.Path]; len(said) > 0 {
			lines = append(lines, said...)
		} else {
			lines = append(lines, changeWords(c))
		}
	}
	return lines
}

// changeWords says a change by its path and values, which are masked already.
func changeWords(c document.Change) string {
	path, old, new := c.Path.String(), brief(c.Old), brief(c.New)
	switch c.Kind {
	case document.Added:
		return path + " added: " + new
	case document.Removed:
		return path + " deleted: " + old
	case document.Moved:
		return path + " in another order"
	}
	return path + " " + old + " " + Arrow + " " + new
}

// brief is a value on one line, without the layout of what it holds.
func brief(raw string) string {
	if strings.ContainsAny(raw, "\n\r\t") {
		if d, err := document.Parse([]byte(raw)); err == nil {
			raw = d.Root().OneLine()
		}
	}
	return plain.Line(document.Visible(raw))
}
