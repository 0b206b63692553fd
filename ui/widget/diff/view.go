package diff

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// headHeight is the line of counts, and a blank below it where there is room.
func (r *Review) headHeight() int {
	if r.height < 12 {
		return 1
	}
	return 2
}

// statusHeight is the path and the sentences of the row under the cursor, below a
// blank line.
func (r *Review) statusHeight() int {
	switch {
	case r.height < 8:
		return 0
	case len(r.plans) > 1 && r.AboutService != nil:
		return 5 + r.height/16
	case r.height < 16:
		return 3
	case r.height < 30:
		return 4
	}
	return 6
}

// View draws exactly that size.
func (r *Review) View() string {
	if r.width <= 0 || r.height <= 0 {
		return ""
	}
	lines := []string{r.headLine()}
	for len(lines) < r.headHeight() {
		lines = append(lines, "")
	}
	switch body := r.height - r.headHeight() - r.statusHeight(); {
	case body <= 0:
	case r.tree.Len() > 0:
		lines = append(lines, strings.Split(r.list.View(), "\n")...)
	default:
		lines = append(lines, "  "+r.inks.Muted.On("No changes to send."))
		lines = append(lines, make([]string, body-1)...)
	}
	var status []string
	if r.statusHeight() > 0 {
		status = r.status()
		// What is told of a row may take the rows that stay empty above it.
		for len(lines) > r.headHeight() && len(lines)+1+len(status) > r.height && blank(lines[len(lines)-1]) {
			lines = lines[:len(lines)-1]
		}
		if f := r.found(); len(lines)+1+len(status) > r.height && len(status) > 1 && f != nil && f.Open() { // its row names the place
			status = status[1:]
		}
		lines = append(lines, r.more())
		lines = append(lines, status...)
		if last := r.height - 1; len(lines) > r.height { // what is cut ends so
			lines[last] = ansi.Truncate(lines[last], r.width-1, "") + r.inks.Glyphs.Ellipsis
		}
	}
	return r.inks.Block(r.explained(lines, len(status)), r.width, r.height)
}

// blank reports whether nothing is seen on a line.
func blank(line string) bool {
	if strings.Contains(line, "\x1b") {
		line = ansi.Strip(line)
	}
	return strings.TrimSpace(line) == ""
}

// minBelow are the lines from which on there is room for an explanation below the rows.
const minBelow = 4

// explained puts the explanation of the plan where lines stay empty below the rows, above those at
// the end that tell of one row.
func (r *Review) explained(lines []string, told int) []string {
	if r.Below == nil || r.tree.Len() == 0 {
		return lines
	}
	room := -1
	if told == 0 {
		lines = append(lines, make([]string, max(0, r.height-len(lines)))...)
		room = 0
	}
	first := len(lines) - told
	for first > 0 && blank(lines[first-1]) {
		first--
		room++
	}
	if room > minBelow {
		for i, line := range r.Below(r.width-4, room-1) {
			lines[first+1+i] = "  " + line
		}
	}
	return lines
}

// more says how many rows are below those on the screen, empty for none.
func (r *Review) more() string {
	if len(r.plans) > 1 || r.list.Filter() != "" {
		return ""
	}
	last := r.tree.Len() - 1
	for i := range r.list.OnScreen() {
		last = i
	}
	below := 0
	for i := last + 1; i < r.tree.Len(); i++ {
		if r.tree.items[i].key.part == changeRow {
			below++
		}
	}
	if below == 0 {
		return ""
	}
	return "  " + r.inks.Muted.On("and "+plain.Plural(below, "more change")+" below")
}

// Position says where the cursor is among the rows: "1 of 9".
func (r *Review) Position() string { return r.list.Position() }

// headLine counts, the most urgent first.
func (r *Review) headLine() string {
	text, ink := r.counts(r.plans...)
	switch n := r.Open(); {
	case n > 0 && !r.Blocked():
		text, ink = strconv.Itoa(n)+" to accept "+r.inks.Glyphs.Dot+" "+text, r.inks.Warn
	case n == 0 && len(r.open) > 0:
		text = r.inks.Glyphs.Pass + " all accepted " + r.inks.Glyphs.Dot + " " + text
	}
	if len(r.plans) != 1 {
		text = plain.Plural(len(r.plans), "service") + " " + r.inks.Glyphs.Dot + " " + text
	}
	return "  " + ink.On(text) + r.labels(r.width-4-ansi.StringWidth(text))
}

// labels names the risks that weigh, each once, as far as there is room; with how often, where all
// have room.
func (r *Review) labels(room int) string {
	all := document.Labels(r.plans)
	counts := map[string]int{}
	for _, plan := range r.plans {
		for _, risk := range plan.Risks {
			counts[plain.Line(risk.ID)]++
		}
	}
	counted := ""
	for _, label := range all {
		counted += ", " + label
		if counts[label] > 1 {
			counted += " (" + strconv.Itoa(counts[label]) + ")"
		}
	}
	if counted != "" && ansi.StringWidth(counted) <= room {
		return r.inks.Muted.On(":" + counted[1:])
	}
	for n := len(all); n > 0; n-- {
		text := ": " + strings.Join(all[:n], ", ")
		if n < len(all) {
			text += ", " + strconv.Itoa(len(all)-n) + " more"
		}
		if ansi.StringWidth(text) <= room {
			return r.inks.Muted.On(text)
		}
	}
	return ""
}

// counts says in a line what plans do and what keeps them from being sent.
func (r *Review) counts(plans ...document.Review) (text string, ink rows.Ink) {
	changes, broken := 0, 0
	for _, plan := range plans {
		changes += len(plan.Changes)
		broken += len(finding.Those(plan.Findings, finding.Finding.Blocks))
	}
	var parts []string
	ink = r.inks.Plain
	if broken > 0 {
		parts, ink = append(parts, r.inks.Glyphs.Fail+" "+plain.Plural(broken, "rule")+" broken"), r.inks.Fail
	}
	parts = append(parts, plain.Plural(changes, "change"))
	if heavy := r.weights(plans); heavy != "" {
		parts = append(parts, heavy)
	}
	return strings.Join(parts, " "+r.inks.Glyphs.Dot+" "), ink
}

// weights counts what was found that weighs more than a note.
func (r *Review) weights(plans []document.Review) string {
	counts := map[finding.Strength]int{}
	for _, plan := range plans {
		for _, f := range plan.Found() {
			counts[f.Strength]++
		}
	}
	var parts []string
	for _, s := range []finding.Strength{finding.Danger, finding.Caution} {
		if n := counts[s]; n > 0 {
			glyph, _ := r.inks.Weight(s)
			parts = append(parts, glyph+" "+plain.Plural(n, s.String()))
		}
	}
	return strings.Join(parts, ", ")
}

// status says all of the row on which the cursor rests.
func (r *Review) status() []string {
	i, ok := r.list.Rested()
	if !ok {
		return nil
	}
	row := &r.tree.items[i]
	name := row.key.path.String()
	if row.finding != nil {
		name = row.finding.At.Words()
	}
	lines := []string{"  " + r.inks.Muted.On(name)}
	switch {
	case row.key.part >= changeRow && len(row.risks) == 0 && row.words == "" && ansi.StringWidth(name) <= r.tree.paths:
		return nil // the row of the change shows all of it
	case row.key.part == serviceRow && r.AboutService != nil && !r.AboutBeside:
		lines = r.AboutService(row.key.service, r.width-2)
		for i := range lines {
			lines[i] = "  " + lines[i]
		}
		return lines
	case row.key.part == serviceRow || row.key.part == rulesRow || row.key.part == opensRow || row.key.part == changesRow:
		return nil
	case row.finding != nil:
		glyph, ink := r.inks.Weight(row.finding.Strength)
		return append(lines, r.sentence(ink, glyph, r.howToAccept(row)+row.finding.Text)...)
	}
	for _, risk := range row.risks {
		glyph, ink := r.inks.Weight(risk.Strength)
		lines = append(lines, r.sentence(ink, glyph+" "+risk.Strength.String(), r.inks.Glyphs.Dot+" "+risk.ID+": "+risk.Text)...)
	}
	return lines
}

// sentence wraps a text behind its sign and word.
func (r *Review) sentence(ink rows.Ink, word, text string) (lines []string) {
	if word != "" {
		text = word + " " + text
	}
	for _, line := range views.Wrap(text, r.width-4) {
		if word != "" && len(lines) == 0 {
			line = ink.On(word) + strings.TrimPrefix(line, word)
		}
		lines = append(lines, "  "+line)
	}
	return lines
}

// howToAccept says before a finding that has to be accepted how that is done.
func (r *Review) howToAccept(row *item) string {
	switch {
	case row.key.part != openRow:
		return ""
	case r.accepted.Has(*row.finding):
		return views.Keys("Accepted; {key:diff.accept} takes that back. ")
	case row.finding.Strength == finding.Danger:
		return views.Keys("Press {key:diff.accept}, then type ") + row.finding.Accept + ". "
	}
	return views.Keys("Press {key:diff.accept} to accept it. ")
}
