package health

import (
	"context"
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/ui/views"
)

// reportRead is one whole report.
type reportRead struct {
	key    entryKey
	report *analysis
	err    error
}

// historyRead is a report from before the shown one.
type historyRead struct{ reportRead }

func (t *testTree) fetch(key entryKey) func(context.Context) tea.Msg {
	client, by := t.Env.Site.Client, t.order
	return func(ctx context.Context) tea.Msg {
		report, err := client.Report(ctx, key.id)
		if err != nil {
			return reportRead{key: key, err: err}
		}
		return reportRead{key: key, report: analyse(&report, by)}
	}
}

// retry fetches the shown report again if that failed.
func (t *testTree) retry(key entryKey) tea.Cmd {
	if t.key != key || t.err == nil {
		return nil
	}
	t.err, t.loading = nil, true
	return t.Scope.Do("report", t.fetch(key))
}

// Update handles the replies for the tree.
func (t *testTree) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case reportRead:
		if msg.err == nil && finished(msg.report.report) {
			t.reports.put(msg.key, msg.report)
		}
		if t.key != msg.key {
			return nil
		}
		t.loading = false
		switch {
		case msg.err == nil:
			return views.Batch(t.show(msg.report), t.fetchHistory())
		case errors.Is(msg.err, adminapi.KindCancelled):
			return nil
		}
		t.err = msg.err
		if errors.Is(msg.err, adminapi.KindSignIn) {
			return t.Scope.RetryAfterSignIn(msg.err, "report", func() tea.Cmd { return t.retry(msg.key) })
		}
		return nil
	case historyRead:
		switch {
		case msg.err != nil: // it ends the history without a message: you did not ask for it
			return nil
		case !finished(msg.report.report):
			t.reports.unfinished[msg.key] = true
			return t.fetchHistory()
		}
		t.reports.put(msg.key, msg.report)
		var compared tea.Cmd
		if shown := t.report(); shown != nil {
			before := t.earlier(shown)
			if before != t.before {
				t.before = before
				compared = t.compare()
			}
			t.arrange()
		}
		return views.Batch(compared, t.fetchHistory())
	case sortedTree:
		msg.report.outline = msg.outline
		if t.shown == msg.report {
			t.arrange()
		}
	case *changes:
		if t.shown == msg.shown && t.before == msg.before {
			t.changes = msg
		}
	}
	return nil
}

// fetchHistory fetches the newest report and the next one before the shown one, for marks, trends
// and what has passed since; over a slow line nothing.
func (t *testTree) fetchHistory() tea.Cmd {
	r := t.report()
	if r == nil || t.Env.Offline || t.key.origin == fromRun || t.Env.Site.Line.Slow() {
		return nil
	}
	older := t.host.older(r)
	if t.shown.count.Total() > maxHistoryTests {
		older = older[:min(1, len(older))]
	}
	if t.key.origin == fromSite {
		older = slices.Concat(t.host.newest(r), older)
	}
	for _, key := range older {
		if t.reports.get(key) == nil && !t.reports.unfinished[key] {
			fetch := t.fetch(key)
			return t.Scope.Do("history", func(ctx context.Context) tea.Msg {
				one, _ := fetch(ctx).(reportRead)
				return historyRead{one}
			})
		}
	}
	return nil
}

// earlier returns the newest report before r with the same suites, among those in the
// cache; nil for none.
func (t *testTree) earlier(r *adminapi.Report) *analysis {
	for _, key := range t.host.older(r) {
		if before := t.reports.get(key); before != nil && health.SameSuites(*before.report, *r) {
			return before
		}
	}
	return nil
}
