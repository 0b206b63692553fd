package health

import (
	"context"
	"errors"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// comparison is the screen that sets two reports against each other.
type comparison struct {
	health.Comparison
	list *rows.List[int]
	all  bool // unchanged tests are shown too
}

// markOrCompare marks the report under the cursor, or compares it with the one
// marked before.
func (m *Model) markOrCompare() tea.Cmd {
	e, ok := m.selected()
	switch {
	case !ok:
		return nil
	case e.key.origin == fromRun:
		return views.Tell(views.Warning, "This run has no report yet.")
	case m.mark == e.key:
		m.setMark(entryKey{})
		return nil
	case m.mark == entryKey{}:
		m.setMark(e.key) // the headings show it, as long as it is there
		return nil
	}
	return m.compareWith(m.mark, e.key)
}

func (m *Model) setMark(key entryKey) {
	m.mark = key
	m.catalog.rows.marked = key
	m.catalog.list.Redraw()
}

// compareTo compares the report under the cursor with one named by its id.
func (m *Model) compareTo(id string) tea.Cmd {
	e, ok := m.selected()
	id = strings.TrimSpace(id)
	switch {
	case !ok || e.key.origin == fromRun:
		return views.Tell(views.Warning, "Choose a report first.")
	case e.key.id == id:
		return views.Tell(views.Warning, "That is the chosen report itself.")
	}
	other := entryKey{fromSite, id}
	for _, file := range m.catalog.files {
		if file.summary.ID == id || file.key.id == id {
			other = file.key
		}
	}
	return m.compareWith(other, e.key)
}

// compareWith reads what it has to of two reports and shows the comparison.
func (m *Model) compareWith(a, b entryKey) tea.Cmd {
	studies := [2]*study{m.store.get(a), m.store.get(b)}
	keys := [2]entryKey{a, b}
	client, order := m.env.Site.Client, m.order
	return m.scope.Do("compare", func(ctx context.Context) tea.Msg {
		for i, key := range keys {
			if studies[i] != nil {
				continue
			}
			if client == nil || key.origin != fromSite {
				return pairRead{keys: keys, err: errors.New("no report of the id " + strconv.Quote(plain.Line(key.id)) + " is open")}
			}
			report, err := client.Report(ctx, key.id)
			if err != nil {
				return pairRead{keys: keys, err: err}
			}
			studies[i] = newStudy(&report, order)
		}
		before, after := studies[0].report, studies[1].report
		if before.StartTime > after.StartTime {
			before, after = after, before
		}
		return pairRead{keys: keys, studies: studies, comparison: health.Compare(*before, *after)}
	})
}

// pairRead is two whole reports and what is different.
type pairRead struct {
	keys       [2]entryKey
	studies    [2]*study
	comparison health.Comparison
	err        error
}

func (r pairRead) apply(m *Model) tea.Cmd {
	if r.err != nil {
		return m.failed(r.err, "compare", func() tea.Cmd { return m.compareWith(r.keys[0], r.keys[1]) })
	}
	for i, key := range r.keys {
		if finished(r.studies[i].report) {
			m.store.put(key, r.studies[i])
		}
	}
	m.setMark(entryKey{})
	m.compare = &comparison{Comparison: r.comparison, list: rows.New[int](m.env.Theme)}
	m.compare.show(&m.inks)
	m.place()
	return nil
}

// show lays the differences out; unchanged ones only on request.
func (c *comparison) show(k *inks) {
	c.list.Set(newDifferences(c.Differences, k))
	if c.all {
		c.list.SetKeep(nil)
		return
	}
	c.list.SetKeep(func(i int) bool { return c.Differences[i].Change != health.Same })
}
