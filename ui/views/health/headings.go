package health

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// treeHeading says which report the tree is of and what it comes to.
func (m *Model) treeHeading(width int) []string {
	c, k := &m.chosen, &m.inks
	switch {
	case m.showsRun():
		return m.runHeading(width)
	case c.key == entryKey{}:
		return nil
	case c.study == nil:
		return []string{k.Fit(m.title(treePane).On(views.NameOf(c.summary.Name, c.summary.ID)), width)}
	}
	r := c.study.report
	name := m.title(treePane).On(views.NameOf(r.Name, r.ID))
	if c.key.origin == fromFile {
		name = k.Muted.On("file") + "  " + name
	}
	mark := m.shownAs(width)
	facts := []string{countsIn(c.study.count, width-markRoom(mark))}
	if c.study.count.Total() == 0 {
		facts[0] = passedOf(c.study.count)
	}
	if text := took(r.StartTime, r.EndTime); text != "" {
		facts = append(facts, text)
	}
	facts = append(facts, m.env.Times.Minute(r.StartTime.Time()))
	if by := plain.Line(r.CreatedBy); by != "" {
		facts = append(facts, "by "+by)
	}
	return []string{k.Fit(k.signed(c.study.verdict)+"  "+name, width), m.marked(mark, facts, width)}
}

func (m *Model) runHeading(width int) []string {
	k, r := &m.inks, m.run
	now := m.env.Clock.Now()
	line := k.Running.On(k.Glyphs.Running+" running") + "  " + m.title(treePane).On(views.NameOf(r.name, ""))
	mark := ""
	facts := []string{adminapi.Took(now.Sub(r.started)), r.status(now)}
	if r.troubled() {
		slices.Reverse(facts)
	}
	if s := m.chosen.study; s != nil {
		mark = m.shownAs(width)
		if s.count.Total() > 0 {
			done := doneIn(s.count, r.expected.total(), width-markRoom(mark))
			facts = slices.Insert(facts, len(facts)-1, done)
		}
	}
	return []string{k.Fit(line, width), m.marked(mark, facts, width)}
}

// marked joins facts behind the mark of what is left out: that is the last to go
// where room is short.
func (m *Model) marked(mark string, facts []string, width int) string {
	k := &m.inks
	rest := width - markRoom(mark)
	line := k.Muted.On(k.Fit(k.joined(facts, rest), rest))
	if mark == "" {
		return line
	}
	return k.Fit(k.Accent.On(mark)+" "+line, width)
}

func markRoom(mark string) int {
	if mark == "" {
		return 0
	}
	return ansi.StringWidth(mark) + 1
}

// joined joins facts as far as they fit whole, and one in any case.
func (k *inks) joined(facts []string, width int) string {
	line := facts[0]
	for _, fact := range facts[1:] {
		longer := line + " " + k.Glyphs.Dot + " " + fact
		if ansi.StringWidth(longer) > width {
			break
		}
		line = longer
	}
	return line
}

// shownAs says in a mark how the tree differs from what it shows at first:
// "[not passed · general]". It shows what is marked for a comparison too, where
// the list of reports is not on the screen.
func (m *Model) shownAs(width int) string {
	k := &m.inks
	var words []string
	if m.filters.failedOnly {
		words = append(words, "not passed")
	}
	if m.filters.severity != "" {
		words = append(words, m.filters.severity)
	}
	if tree := m.chosen.tree; tree != nil && tree.order != worstFirst {
		words = append(words, tree.order.String())
	}
	if m.mark == m.chosen.key && !m.layout.shown(listPane) {
		words = append(words, k.Glyphs.Marked+" compare")
	}
	if len(words) == 0 {
		return ""
	}
	return ansi.Truncate("["+strings.Join(words, " "+k.Glyphs.Dot+" ")+"]", width, k.Glyphs.Ellipsis)
}

// filterWords says in a sentence what the filters leave.
func (m *Model) filterWords() string {
	var words []string
	if m.filters.failedOnly {
		words = append(words, "not passed only")
	}
	if m.filters.severity != "" {
		words = append(words, m.filters.severity+" only")
	}
	return strings.Join(words, ", ")
}

// listTitle is the heading of the list of reports, and what the mark in it is
// for while there is one.
func (m *Model) listTitle(width int) string {
	title := m.title(listPane).On("Reports")
	if (m.mark == entryKey{}) {
		return title
	}
	for _, text := range []string{" marked: c on another report compares", " marked: c compares", " marked"} {
		if text = m.inks.Glyphs.Marked + text; len("Reports  ")+ansi.StringWidth(text) <= width {
			return title + "  " + m.inks.Accent.On(text)
		}
	}
	return title
}
