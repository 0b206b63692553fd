package health

import (
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// The columns of the tree, in cells.
const (
	tookWidth = 11
	leastName = 36 // as long as the platform's own, so that columns stand still while tests come in
	mostName  = 40
	// The room from which on a description, or the reason of a failure, is worth
	// showing.
	leastDescription = 26
	leastReason      = 12
	wantedReason     = 40
	wasWidth         = 19 // "warning was x 11-19"
)

func (t *tree) Len() int           { return len(t.nodes) }
func (t *tree) Key(i int) nodeKey  { return t.nodes[i].key }
func (t *tree) Version(int) uint64 { return uint64(t.times.Mode) }

func (t *tree) Depth(i int) int {
	switch t.nodes[i].key.level {
	case findingLevel, severityLevel:
		return 1
	case testLevel:
		return 2
	}
	return 0
}

func (t *tree) Matches(i int, has func(string) bool) bool {
	n := &t.nodes[i]
	switch n.key.level {
	case testLevel:
		return has(n.test.Name) || has(n.test.Description) || has(n.test.ID) || has(n.verdict.String()) || has(n.reason)
	case suiteLevel:
		return has(n.suite.Name) || has(n.suite.ID)
	case severityLevel:
		return has(n.key.severity)
	case findingLevel:
		return has(n.finding.Path) || has(n.finding.Text)
	}
	return false
}

// Draw draws a row: fold sign, verdict, name, what is to say about it, duration.
func (t *tree) Draw(i int, look rows.Look) string {
	n := &t.nodes[i]
	k := t.inks
	lead := t.lead(i, look) + k.sign(n.verdict) + " "
	room := look.Width - 2*t.Depth(i) - 4
	if n.key.level == findingsLevel || n.key.level == findingLevel {
		return lead + k.Fit(t.named(n, look), room)
	}
	room -= tookWidth + 1
	nameWidth := t.nameColumn(n, t.Depth(i), room)
	line := lead + k.Fit(t.named(n, look), nameWidth)
	if extra := room - nameWidth - 2; extra > 0 {
		line += "  " + k.Fit(t.extra(n, extra), extra)
	} else {
		line += k.Fit("", room-nameWidth)
	}
	return line + " " + t.duration(n)
}

// nameColumn is the width of a row's name. Rows of one kind have the same, so
// that what follows stands in columns.
func (t *tree) nameColumn(n *node, depth, room int) int {
	width := min(t.nameWidth, max(mostName, room*2/3), room)
	switch {
	case n.key.level != testLevel:
		return min(width+2*(2-depth), max(room-leastWord-2, room/2))
	case n.verdict == health.Passed:
		return width
	}
	// A sign alone is not enough: the word goes before the end of the name, and
	// what more there is to say before the blanks after it.
	width = min(width, max(room-len(n.verdict.String())-2, room/2))
	if n.verdict == health.Running {
		return width
	}
	wanted := wasWidth
	if n.reason != "" {
		wanted += 1 + wantedReason
	}
	return max(min(width, t.troubleWidth), min(width, room-2-wanted))
}

// lead indents a row and shows whether it hides others.
func (t *tree) lead(i int, look rows.Look) string {
	blanks := "    "[:2*t.Depth(i)]
	switch {
	case look.Folded:
		return blanks + t.inks.Muted.On(t.inks.Glyphs.Folded) + " "
	case look.Parent:
		return blanks + t.inks.Muted.On(t.inks.Glyphs.Open) + " "
	}
	return blanks + "  "
}

// named returns the name of a row; the one under the cursor is coloured.
func (t *tree) named(n *node, look rows.Look) string {
	name := ""
	switch n.key.level {
	case findingsLevel:
		name = plain.Plural(n.count.Warning, "contradiction") + " in this report"
	case findingLevel:
		name = plain.Line(n.finding.Text)
		if n.finding.Path != "" {
			name = plain.Line(n.finding.Path) + ": " + name
		}
	case suiteLevel:
		name = views.NameOf(n.suite.Name, n.suite.ID)
	case severityLevel:
		name = severityTitle(n.key.severity)
	case testLevel:
		name = views.NameOf(n.test.Name, n.test.ID)
	}
	switch {
	case look.Selected:
		return t.inks.Selected.On(name)
	case n.key.level == suiteLevel:
		return t.inks.Strong.On(name)
	}
	return name
}

func severityTitle(severity string) string {
	if severity == critical {
		return "Critical"
	}
	return "General"
}

// extra says about a row what fits: counts, or how a test ended unless it
// passed, how it ended before, and why, else what it is for.
func (t *tree) extra(n *node, width int) string {
	if n.key.level != testLevel {
		return t.inks.Muted.On(t.counts(n, width))
	}
	text, used := "", 0
	add := func(ink rows.Ink, part string) {
		gap := min(used, 1)
		if cells := ansi.StringWidth(part); part != "" && used+gap+cells <= width {
			text += " "[:gap] + ink.On(part)
			used += gap + cells
		}
	}
	if n.verdict != health.Passed {
		_, ink := t.inks.verdict(n.verdict)
		add(ink, n.verdict.String())
	}
	add(t.inks.Accent, t.was(n, width >= wasWidth))
	says, least := n.test.Description, leastDescription
	if n.reason != "" {
		says, least = n.reason, leastReason
	}
	if rest := width - used - min(used, 1); rest >= least {
		add(t.inks.Muted, ansi.Truncate(plain.Line(says), rest, t.inks.Glyphs.Ellipsis))
	}
	return text
}

// counts writes how the tests below a row ended, or how far they have come.
func (t *tree) counts(n *node, width int) string {
	if t.running {
		return doneIn(n.count, t.expected.below(n), width)
	}
	return countsIn(n.count, width)
}

// was says how a test ended in the report before, where that was different.
// Whether with its day is the same for all rows.
func (t *tree) was(n *node, withDay bool) string {
	before, ok := t.before[testName{n.suite.ID, n.test.Name}]
	if !ok || before.verdict == n.verdict || n.verdict == health.Running {
		return ""
	}
	glyph, _ := t.inks.verdict(before.verdict)
	if withDay {
		return "was " + glyph + " " + day(t.times, before.when.Time())
	}
	return "was " + glyph
}

func (t *tree) duration(n *node) string {
	if !n.timed {
		return right("", tookWidth)
	}
	return t.inks.Muted.On(inColumn(adminapi.Took(n.took)))
}
