package health

import (
	"errors"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// calm is a screen of its own for a site without health checks, nil otherwise.
func (m *Model) calm() []string {
	c := &m.catalog
	if !errors.Is(c.problem, adminapi.KindVersionTooOld) || len(c.files) > 0 {
		return nil
	}
	version := plain.Line(c.version)
	if version == "" {
		version = "an older version"
	}
	k := &m.inks
	return []string{
		k.heading.On("No health checks at this site"),
		"",
		"It runs " + k.strong.On(version) + "; health checks came with 11.2.",
		"",
		"A saved report can still be opened and compared: " + k.key.On("o"),
	}
}

// listSays tells why the list of reports is empty.
func (m *Model) listSays() []string {
	c := &m.catalog
	switch {
	case m.env.Offline:
		return []string{"There is no site.", "", "o opens a saved report."}
	case errors.Is(c.problem, adminapi.KindSignIn):
		return []string{"Not signed in: the reports could not be read.", "", "R asks again.", "o opens a saved report."}
	case c.problem != nil:
		return []string{sentence(c.problem), "", "R asks again.", "o opens a saved report."}
	case c.away != nil:
		return []string{"The site does not answer. It is asked again by itself.", "", sentence(c.away.Err), "", "o opens a saved report."}
	case c.asking || c.reading.IsZero():
		return []string{"Reading the reports" + m.inks.glyphs.Ellipsis}
	}
	return []string{"There are no reports yet.", "", "r runs a health check.", "o opens a saved report."}
}

// sentence writes an error with a capital and a full stop.
func sentence(err error) string {
	text := plain.Line(err.Error())
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}

// treeSays tells why there is no tree.
func (m *Model) treeSays() []string {
	c := &m.chosen
	switch {
	case m.run != nil && c.key == m.run.key():
		return m.run.says()
	case c.problem != nil:
		return []string{"The report could not be read.", "", sentence(c.problem), "", "R asks again."}
	case c.asking:
		return []string{"Reading the report" + m.inks.glyphs.Ellipsis}
	case c.study != nil:
		return []string{"The report holds no tests."}
	}
	return nil
}

// treeHeading says which report the tree is of and what it comes to.
func (m *Model) treeHeading(width int) []string {
	c, k := &m.chosen, &m.inks
	switch {
	case m.run != nil && c.key == m.run.key():
		return m.runHeading(width)
	case c.key == entryKey{}:
		return nil
	case c.study == nil:
		return []string{k.fit(m.title(treePane).On(nameOf(c.summary.Name, c.summary.ID)), width)}
	}
	r := c.study.report
	name := m.title(treePane).On(nameOf(r.Name, r.ID))
	facts := []string{passedOf(c.study.count)}
	if text := took(r.StartTime, r.EndTime); text != "" {
		facts = append(facts, text)
	}
	facts = append(facts, m.shownAs()...)
	facts = append(facts, m.env.Times.Minute(r.StartTime.Time()))
	if by := plain.Line(r.CreatedBy); by != "" {
		facts = append(facts, "by "+by)
	}
	return []string{
		k.fit(k.signed(c.study.verdict)+"  "+name, width),
		k.muted.On(k.fit(k.joined(facts, width), width)),
	}
}

// joined joins facts as far as they fit whole, and one in any case.
func (k *inks) joined(facts []string, width int) string {
	line := facts[0]
	for _, fact := range facts[1:] {
		longer := line + " " + k.glyphs.Dot + " " + fact
		if ansi.StringWidth(longer) > width {
			break
		}
		line = longer
	}
	return line
}

// shownAs says how the tree differs from what it shows at first.
func (m *Model) shownAs() []string {
	var words []string
	if order := m.chosen.tree.order; order != worstFirst {
		words = append(words, order.String())
	}
	if f := m.filterWords(); f != "" {
		words = append(words, f)
	}
	return words
}

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

func (m *Model) runHeading(width int) []string {
	k, r := &m.inks, m.run
	now := m.env.Clock.Now()
	line := k.running.On(k.glyphs.Running+" running") + "  " + m.title(treePane).On(nameOf(r.name, ""))
	facts := views.Took(now.Sub(r.started)) + " " + k.glyphs.Dot + " "
	if m.chosen.study != nil {
		facts += passedOf(m.chosen.study.count) + " " + k.glyphs.Dot + " "
	}
	return []string{k.fit(line, width), k.muted.On(k.fit(facts+r.status(now), width))}
}
