package health

import (
	"context"
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

// readReport fetches one whole report, in a command.
func readReport(ctx context.Context, client *adminapi.Client, id string, by order) (*analysis, error) {
	report, err := client.Health.Report(ctx, id)
	if err != nil {
		return nil, err
	}
	return analyse(&report, by), nil
}

// fetch fetches the report that is to be shown.
func (t *testTree) fetch(key entryKey) tea.Cmd {
	t.err, t.loading = nil, true
	client, by := t.Env.Site.Client, t.order
	return t.Scope.Work("report", func(ctx context.Context) func() tea.Cmd {
		report, err := readReport(ctx, client, key.id, by)
		return func() tea.Cmd { return t.fetched(key, report, err) }
	})
}

// retry fetches the shown report again if that failed.
func (t *testTree) retry(key entryKey) tea.Cmd {
	if t.key != key || t.err == nil {
		return nil
	}
	return t.fetch(key)
}

// fetched shows a report, or why it could not be fetched.
func (t *testTree) fetched(key entryKey, report *analysis, err error) tea.Cmd {
	if err == nil && health.Ended(*report.report) {
		t.reports.put(key, report)
	}
	if t.key != key {
		return nil
	}
	t.loading = false
	switch {
	case err == nil:
		return tea.Batch(t.show(report), t.fetchHistory())
	case errors.Is(err, adminapi.KindCancelled):
		return nil
	}
	t.err = err
	if errors.Is(err, adminapi.KindSignIn) {
		return t.Scope.RetryAfterSignIn(err, "report", func() tea.Cmd { return t.retry(key) })
	}
	return nil
}

// addHistory takes a report from before the shown one.
func (t *testTree) addHistory(key entryKey, report *analysis) tea.Cmd {
	if !health.Ended(*report.report) {
		t.reports.unfinished[key] = true
		return t.fetchHistory()
	}
	t.reports.put(key, report)
	var compared tea.Cmd
	if shown := t.report(); shown != nil {
		before := t.earlier(shown)
		if before != t.before {
			t.before = before
			compared = t.compare()
		}
		t.arrange()
	}
	return tea.Batch(compared, t.fetchHistory())
}

// fetchHistory fetches the newest report and the next one before the shown one, for marks, trends
// and what has passed since; over a slow line nothing.
func (t *testTree) fetchHistory() tea.Cmd {
	r := t.report()
	if r == nil || t.Env.Offline || t.key.origin == fromRun || t.Env.Site.Line.Slow() {
		return nil
	}
	older := t.older(r)
	if t.shown.count.Total() > maxHistoryTests {
		older = older[:min(1, len(older))]
	}
	if t.key.origin == fromSite {
		older = slices.Concat(t.newest(r), older)
	}
	for _, key := range older {
		if t.reports.get(key) == nil && !t.reports.unfinished[key] {
			client, by := t.Env.Site.Client, t.order
			return t.Scope.Work("history", func(ctx context.Context) func() tea.Cmd {
				report, err := readReport(ctx, client, key.id, by)
				if err != nil { // it ends the history without a message: you did not ask for it
					return nil
				}
				return func() tea.Cmd { return t.addHistory(key, report) }
			})
		}
	}
	return nil
}

// earlier returns the newest report before r with the same suites, among those in the
// cache; nil for none.
func (t *testTree) earlier(r *adminapi.Report) *analysis {
	for _, key := range t.older(r) {
		if before := t.reports.get(key); before != nil && health.SameSuites(*before.report, *r) {
			return before
		}
	}
	return nil
}
