package fleet

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/fleet"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

const (
	detailFrom  = 28 // the height from which the site under the cursor is told of below the list
	detailLines = 13 // with the rule above
)

// lower is the lines of what is told of the site under the cursor.
func (m *Model) lower() int {
	if m.Height < detailFrom {
		return 0
	}
	return detailLines
}

// rested tells of the site under the cursor.
func (m *Model) rested() tea.Cmd {
	m.list.Rest()
	return nil
}

// detailKey is what the detail of a site depends on.
type detailKey struct {
	of    *line // nil for none
	width int
	stamp views.Stamp
}

// detail tells of the site on which the cursor rests, below a rule.
func (m *Model) detail() string {
	var of *line
	if i, ok := m.list.Rested(); ok {
		of = &m.table.lines[i]
	}
	return m.cache.For(detailKey{of, m.Width, m.Env.Times.Stamp()}, func() string {
		return m.inks.Block(m.told(of), m.Width, m.lower())
	})
}

func (m *Model) told(l *line) []string {
	if l == nil {
		return nil
	}
	k := m.inks
	row, times := l.row, *m.Env.Times
	times.Ahead = row.Ahead
	site := times.Site()
	page := &rows.Page{Inks: k, Width: m.Width}
	page.Line(k.Line(m.Width))
	page.Line(k.Heading.On(row.Name) + k.Muted.On("  "+row.Address))
	page.Status(statuses[row.State().Severity()], plain.Capital(row.State().String())+": "+l.fact)
	if row.Err != nil {
		page.Facts(
			"Reason", views.Sentence(row.Err.Error())+" "+operation.Advice(row.Err),
			"Since", times.Here(row.Since))
	}
	page.Facts(
		"Version", row.Version,
		"Mode", mode(row))
	if h := row.Health; h != nil {
		page.Fact("Report", fmt.Sprintf("%s, %s, %s", h.Verdict, h.Name, site.Minute(h.Started.Time())))
	}
	if u := row.Upgrade; u != nil {
		text := u.Meaning.String() + ", " + u.Doing()
		if !u.Began.IsZero() {
			text += ", began " + site.Minute(u.Began.Time())
		}
		page.Fact("Upgrade", text)
	}
	page.Fact("Sign-in", m.table.signIn(row))
	if !row.Updated.IsZero() {
		page.Fact("Read", times.Here(row.Updated))
	}
	return page.Lines
}

// mode says whether a site takes changes.
func mode(row fleet.Row) string {
	switch {
	case row.Updated.IsZero():
		return ""
	case !row.ModeTold() && row.ReadOnly:
		return "not known; it was read-only"
	case !row.ModeTold():
		return "not known"
	case row.ReadOnly:
		return "read-only"
	case row.Production:
		return "takes changes; locked here as a production site"
	case row.Locked:
		return "takes changes; locked here"
	}
	return "takes changes"
}
