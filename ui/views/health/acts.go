package health

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/jsonview"
	"geodeck/ui/views/rows"
)

// move runs a command of the lists on the one that has the keys.
func (m *Model) move(id string) tea.Cmd {
	switch {
	case m.raw != nil:
		m.raw.json.Do(id)
	case m.compare != nil:
		m.compare.list.Do(id)
	case m.focus == listPane:
		m.catalog.list.Do(id)
	case m.focus == detailPane:
		m.layDetail()
		m.detail.pager.Do(id)
	case id == rows.Fold:
		if !m.chosen.list.FoldOrLeave() {
			return m.goTo(listPane)
		}
	default:
		m.chosen.list.Do(id)
	}
	return m.follow()
}

// search starts typing a filter, or sets the one given.
func (m *Model) search(text string) tea.Cmd {
	if m.focus == detailPane && m.raw == nil && m.compare == nil {
		m.goTo(treePane)
	}
	if text = strings.TrimSpace(text); text == "" {
		return m.move(rows.Search)
	}
	switch {
	case m.raw != nil:
		m.raw.json.SetFilter(text)
	case m.compare != nil:
		m.compare.list.SetFilter(text)
	case m.focus == listPane:
		m.catalog.list.SetFilter(text)
	default:
		m.chosen.list.SetFilter(text)
	}
	return m.follow()
}

// goTo moves the focus to another pane.
func (m *Model) goTo(p pane) tea.Cmd {
	m.focus = p
	m.place()
	if p == detailPane {
		m.detail.show(m.detailSource())
	}
	return m.follow()
}

// enter goes one step in; on a row with children it folds and unfolds.
func (m *Model) enter() tea.Cmd {
	switch {
	case m.focus == listPane:
		if _, ok := m.selected(); !ok {
			return nil
		}
		now := m.followNow()
		return tea.Batch(now, m.goTo(treePane))
	case m.focus == treePane && m.chosen.list.Leaf():
		return m.goTo(detailPane)
	case m.focus == treePane:
		m.chosen.list.Do(rows.Toggle)
	}
	return nil
}

// back goes one step out. A filter is cleared first: it hides things.
func (m *Model) back() tea.Cmd {
	switch {
	case m.raw != nil && m.raw.json.Filter() != "":
		m.raw.json.SetFilter("")
	case m.raw != nil:
		m.raw = nil
	case m.compare != nil && m.compare.list.Filter() != "":
		m.compare.list.SetFilter("")
	case m.compare != nil:
		m.compare = nil
	case m.focus == detailPane:
		return m.goTo(treePane)
	case m.focus == treePane && m.chosen.list.Filter() != "":
		m.chosen.list.SetFilter("")
	case m.focus == treePane:
		return m.goTo(listPane)
	case m.catalog.list.Filter() != "":
		m.catalog.list.SetFilter("")
	default:
		m.setMark(entryKey{})
	}
	return m.follow()
}

// cycle goes by steps panes around.
func (m *Model) cycle(steps int) tea.Cmd {
	if m.raw != nil || m.compare != nil {
		return nil
	}
	return m.goTo((m.focus + pane(steps)) % 3)
}

// refresh reads the list again, and the report that could not be read.
func (m *Model) refresh() tea.Cmd {
	if m.env.Offline {
		return views.Tell(views.Warning, "There is no site to read from.")
	}
	cmds := []tea.Cmd{m.readReports()}
	cmds = append(cmds, m.resumeRun())
	if m.chosen.key.origin == fromSite {
		cmds = append(cmds, m.readAgain(m.chosen.key))
	}
	return tea.Batch(cmds...)
}

// treeShown tells whether the tests are on the screen: what changes how they are
// shown acts only then.
func (m *Model) treeShown() bool {
	return m.layout.shown(treePane) && m.raw == nil && m.compare == nil && m.chosen.study != nil
}

func notShown() tea.Cmd { return views.Tell(views.Warning, "No tests are on the screen.") }

func (m *Model) sort() tea.Cmd {
	if !m.treeShown() {
		return notShown()
	}
	m.order = (m.order + 1) % 3
	return m.reorder()
}

func (m *Model) toggleFailed() tea.Cmd {
	if !m.treeShown() {
		return notShown()
	}
	m.filters.failedOnly = !m.filters.failedOnly
	m.applyFilters()
	return m.followTree()
}

// nextSeverity goes from all tests to critical ones and on to general ones.
func (m *Model) nextSeverity() tea.Cmd {
	if !m.treeShown() {
		return notShown()
	}
	steps := []string{"", critical, general}
	m.filters.severity = steps[(slices.Index(steps, m.filters.severity)+1)%len(steps)]
	m.applyFilters()
	return m.followTree()
}

func (m *Model) showAll() tea.Cmd {
	m.filters = filters{}
	m.chosen.list.SetFilter("")
	m.applyFilters()
	return m.followTree()
}

func (m *Model) toggleSame() tea.Cmd {
	if m.compare != nil {
		m.compare.all = !m.compare.all
		m.compare.show(&m.inks)
	}
	return nil
}

// copyID copies the id of the test under the cursor, or of the report.
func (m *Model) copyID() tea.Cmd {
	if n, ok := m.node(); ok && m.focus != listPane && n.test != nil {
		return views.Send(views.Copy{Text: n.test.ID, What: "test id"})
	}
	e, ok := m.selected()
	switch {
	case !ok || e.key.origin == fromRun:
		return nil
	case e.key.origin == fromFile:
		return views.Send(views.Copy{Text: e.key.id, What: "path of the file"})
	}
	return views.Send(views.Copy{Text: e.key.id, What: "report id"})
}

// showJSON shows what the site wrote about the test under the cursor, or about
// the whole report.
func (m *Model) showJSON() tea.Cmd {
	r := m.report()
	if r == nil {
		return views.Tell(views.Warning, "There is no report to show.")
	}
	title, raw := views.NameOf(r.Name, r.ID), r.Raw
	if n, ok := m.node(); ok && m.focus != listPane && n.test != nil {
		title, raw = views.NameOf(n.test.Name, n.test.ID), n.test.Raw
	}
	look := m.env.Theme
	return m.scope.Do("json", func(context.Context) tea.Msg {
		v := jsonview.New(look)
		v.Set(raw)
		return jsonLaid{&rawView{title: title, json: v}}
	})
}

// jsonLaid is a JSON value ready to be shown.
type jsonLaid struct{ view *rawView }

func (r jsonLaid) apply(m *Model) tea.Cmd {
	m.raw = r.view
	m.place()
	return nil
}

func (m *Model) compareArgument(id string) tea.Cmd {
	if strings.TrimSpace(id) == "" {
		return m.markOrCompare()
	}
	return m.compareTo(id)
}

func (m *Model) exportArgument(format string) tea.Cmd {
	format = strings.ToLower(strings.TrimSpace(format))
	if format == "" {
		return m.askExport()
	}
	if !slices.Contains(health.Formats, health.Format(format)) {
		return views.Tell(views.Warning, "There is no format "+plain.Line(format)+"; there are "+strings.Join(formats(), ", ")+".")
	}
	return m.export(health.Format(format))
}
