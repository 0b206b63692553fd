package health

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/ui/views"
)

// reply is a message of this view's own requests; it knows what it changes.
type reply interface{ apply(*Model) tea.Cmd }

// The pages of the list: a short first one is there at once.
const (
	firstPage = 100
	laterPage = 1000
	// rest is how long the cursor stays on something before it is read.
	rest = 80 * time.Millisecond
)

// pageRead is one page of the list.
type pageRead struct {
	page adminapi.ReportPage
	err  error
}

// readReports starts reading the list from its first page.
func (m *Model) readReports() tea.Cmd {
	m.catalog.Loading, m.catalog.coming = true, nil
	return m.scope.Do("reports", m.page(adminapi.ReportQuery{Start: 1, Num: firstPage}))
}

func (m *Model) page(query adminapi.ReportQuery) func(context.Context) tea.Msg {
	client := m.env.Site.Client
	return func(ctx context.Context) tea.Msg {
		page, err := client.Reports(ctx, query)
		return pageRead{page, err}
	}
}

func (r pageRead) apply(m *Model) tea.Cmd {
	c := &m.catalog
	if r.err != nil {
		return m.reportsFailed(r.err)
	}
	c.addPage(r.page)
	c.Succeeded(m.env.Clock.Now())
	c.version = ""
	m.showEntries()
	var more tea.Cmd
	if c.Loading = !r.page.Last(); c.Loading {
		more = m.scope.Do("reports", m.page(adminapi.ReportQuery{Start: r.page.NextStart, Num: laterPage}))
	}
	return tea.Batch(more, m.followNow())
}

func (m *Model) reportsFailed(err error) tea.Cmd {
	c := &m.catalog
	if errors.Is(err, adminapi.KindCancelled) {
		c.Loading = false
		return nil
	}
	if wait := c.Failed(m.env.Clock.Now(), err); wait > 0 {
		c.coming = nil
		return m.scope.After(m.env.Clock, wait, "reports", m.page(adminapi.ReportQuery{Start: 1, Num: firstPage}))
	}
	switch {
	case errors.Is(err, adminapi.KindSignIn):
		return m.scope.RetryAfterSignIn(err, "reports", m.readReports)
	case errors.Is(err, adminapi.KindVersionTooOld):
		return m.readVersion()
	case c.Updated.IsZero():
		return nil
	}
	return views.TellError(err)
}

// versionRead says what a site that is too old calls itself.
type versionRead struct{ version string }

func (m *Model) readVersion() tea.Cmd {
	client := m.env.Site.Client
	return m.scope.Do("version", func(ctx context.Context) tea.Msg {
		root, err := client.Root(ctx)
		if err != nil {
			return nil // the screen says what is known without it
		}
		return versionRead{root.FullVersion}
	})
}

func (r versionRead) apply(m *Model) tea.Cmd {
	m.catalog.version = r.version
	return nil
}

// reportRead is one whole report.
type reportRead struct {
	key   entryKey
	study *study
	err   error
}

func (m *Model) readReport(key entryKey) tea.Cmd {
	return m.scope.Do("report", m.reading(key))
}

func (m *Model) reading(key entryKey) func(context.Context) tea.Msg {
	client, order := m.env.Site.Client, m.order
	return func(ctx context.Context) tea.Msg {
		report, err := client.Report(ctx, key.id)
		if err != nil {
			return reportRead{key: key, err: err}
		}
		return reportRead{key: key, study: newStudy(&report, order)}
	}
}

func (r reportRead) apply(m *Model) tea.Cmd {
	c := &m.chosen
	if r.err == nil && finished(r.study.report) {
		m.store.put(r.key, r.study)
	}
	if c.key != r.key {
		return nil
	}
	c.asking = false
	if r.err != nil {
		return m.reportFailed(r)
	}
	return tea.Batch(m.showReport(r.study), m.readHistory())
}

func (m *Model) reportFailed(r reportRead) tea.Cmd {
	switch {
	case errors.Is(r.err, adminapi.KindCancelled):
		return nil
	case errors.Is(r.err, adminapi.KindSignIn):
		m.chosen.problem = r.err
		return m.scope.RetryAfterSignIn(r.err, "report", func() tea.Cmd { return m.readAgain(r.key) })
	}
	m.chosen.problem = r.err
	return nil
}

// readAgain reads a report that could not be read, if it is still wanted.
func (m *Model) readAgain(key entryKey) tea.Cmd {
	if m.chosen.key != key || m.chosen.problem == nil {
		return nil
	}
	m.chosen.problem, m.chosen.asking = nil, true
	return m.readReport(key)
}

// finished tells whether a report will not change any more.
func finished(r *adminapi.Report) bool { return !r.EndTime.IsZero() || r.State == "completed" }

// restedOnReport says that the cursor of the list has come to rest.
type restedOnReport struct{ key entryKey }

// followList shows the report under the cursor once the cursor rests.
func (m *Model) followList() tea.Cmd {
	e, ok := m.selected()
	if !ok || e.key == m.chosen.key && m.chosen.problem == nil {
		m.scope.Forget("rest")
		return nil
	}
	return m.scope.After(m.env.Clock, rest, "rest", func(context.Context) tea.Msg { return restedOnReport{e.key} })
}

// followNow shows the report under the cursor without waiting.
func (m *Model) followNow() tea.Cmd {
	e, ok := m.selected()
	if !ok || e.key == m.chosen.key {
		return nil
	}
	return m.choose(e)
}

func (r restedOnReport) apply(m *Model) tea.Cmd {
	if e, ok := m.selected(); ok && e.key == r.key {
		return m.choose(e)
	}
	return nil
}

// restedOnRow says that the cursor of the tree has come to rest.
type restedOnRow struct{ key nodeKey }

// followTree shows the detail of the row under the cursor once it rests.
func (m *Model) followTree() tea.Cmd {
	key, ok := m.chosen.list.Key()
	if !ok || key == m.detail.key {
		m.scope.Forget("rest")
		return nil
	}
	return m.scope.After(m.env.Clock, rest, "rest", func(context.Context) tea.Msg { return restedOnRow{key} })
}

func (r restedOnRow) apply(m *Model) tea.Cmd {
	if key, ok := m.chosen.list.Key(); ok && key == r.key {
		m.detail.show(m.detailSource())
	}
	return nil
}

// historyRead is a report from before the one that is shown.
type historyRead struct{ reportRead }

// mostHistory is the size in tests of a report from which on only the one
// before it is read along.
const mostHistory = 5_000

// readHistory reads the next report before the shown one, for marks and trends.
func (m *Model) readHistory() tea.Cmd {
	r := m.report()
	if r == nil || m.env.Offline || m.chosen.key.origin == fromRun {
		return nil
	}
	older := m.older(r)
	if m.chosen.study.count.Total() > mostHistory {
		older = older[:min(1, len(older))]
	}
	for _, key := range older {
		if m.store.get(key) == nil && !m.store.skipped[key] {
			read := m.reading(key)
			return m.scope.Do("history", func(ctx context.Context) tea.Msg {
				one, _ := read(ctx).(reportRead)
				return historyRead{one}
			})
		}
	}
	return nil
}

// apply marks what changed and goes on. A report that cannot be read ends the
// history quietly: nobody asked for it.
func (r historyRead) apply(m *Model) tea.Cmd {
	switch {
	case r.err != nil:
		return nil
	case !finished(r.study.report):
		m.store.skipped[r.key] = true
		return m.readHistory()
	}
	m.store.put(r.key, r.study)
	if shown := m.report(); shown != nil {
		if before := m.earlier(shown); before != m.chosen.before {
			m.chosen.before = before
			m.layTree()
		}
		m.detail.show(m.detailSource())
	}
	return m.readHistory()
}
