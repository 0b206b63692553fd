package rules

import (
	"strings"

	"geodeck/ui/views"
)

const (
	leastWide     = 98 // cells from which on a panel stands beside the rules: a terminal of 100, less its margins
	leastFoot     = 4  // rows from which on there is a foot
	leastSentence = 12 // rows from which on the sentence is in it
	highSentence  = 24 // rows from which on it is whole
	dividerWidth  = 3
)

// wide tells whether a panel stands beside the rules.
func (b *Builder) wide() bool { return b.width >= leastWide }

// widths returns the cells of the rules and of the panel: the rules keep at least half.
func (b *Builder) widths() (left, right int) {
	switch {
	case b.wide():
		right = b.width * 9 / 20
		return b.width - right - dividerWidth, right
	case b.side.inside:
		return 0, b.width
	}
	return b.width, 0
}

// arrange divides the cells between the rules, the panel and the foot.
func (b *Builder) arrange() {
	left, right := b.widths()
	height := max(0, b.height-len(b.foot()))
	b.list.SetFocused(!b.side.inside)
	b.list.SetSize(left, b.listHeight(height))
	b.side.setSize(right, height)
}

// listHeight is what the rules take: while one is typed into no more than they need,
// so that what helps stands near.
func (b *Builder) listHeight(free int) int {
	if b.entry == nil {
		return free
	}
	need := b.list.Len()
	if b.list.Filtering() {
		need++
	}
	return min(need, free-b.popupHeight(free))
}

// View draws exactly the size that SetSize gave.
func (b *Builder) View() string {
	if b.width <= 0 || b.height <= 0 {
		return ""
	}
	foot := b.foot()
	left, right := b.widths()
	height := max(0, b.height-len(foot))
	var lines []string
	switch {
	case height == 0:
	case right == 0:
		lines = b.drawRules(left, height)
	case left == 0:
		lines = b.side.draw(right, height)
	default:
		divider := " " + b.inks.Rule.On(b.inks.Glyphs.Divider) + " "
		lines = b.drawRules(left, height)
		beside := b.side.draw(right, height)
		for i := range lines {
			lines[i] += divider + beside[i]
		}
	}
	for _, line := range foot {
		lines = append(lines, b.inks.Fit(line, b.width))
	}
	return strings.Join(lines, "\n")
}

// drawRules draws the rules, and below them what helps while a row is typed into.
func (b *Builder) drawRules(width, height int) []string {
	if b.tree.Len() == 0 {
		text := wrapped(b.inks.Muted, "This policy has no deployment: there is nothing to make rules for.", width, height, &b.inks)
		return strings.Split(views.Block(text, width, height, b.inks.Glyphs.Ellipsis), "\n")
	}
	var lines []string
	if b.listHeight(height) > 0 {
		lines = strings.Split(b.list.View(), "\n")
	}
	if b.list.Filter() != "" && b.list.Len() == 0 {
		return b.noMatch(lines, "rule", width, height)
	}
	if rest := height - len(lines); rest > 0 {
		popup := views.Block(b.popup(width, b.popupHeight(height)), width, rest, b.inks.Glyphs.Ellipsis)
		lines = append(lines, strings.Split(popup, "\n")...)
	}
	return lines
}

// noMatch says below the line of a filter that it leaves nothing to see.
func (b *Builder) noMatch(lines []string, what string, width, height int) []string {
	head := lines[:min(1, len(lines), max(0, height-1))]
	text := b.inks.Says([]string{"No " + what + " matches; esc clears the filter."}, width, height-len(head))
	return append(head, strings.Split(text, "\n")...)
}

// Note says where the cursor is, for the line above; may be empty.
func (b *Builder) Note() string {
	if len(b.policy.Items()) == 0 {
		return ""
	}
	dot := " " + b.inks.Glyphs.Dot + " "
	if b.side.inside {
		return strings.Join(append([]string{b.side.kind.String()}, nonEmpty(b.side.position())...), dot)
	}
	return strings.Join(append(nonEmpty(placeName(b.cursor().at, b.item().Kind())), nonEmpty(b.list.Position())...), dot)
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
