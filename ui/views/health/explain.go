package health

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/whatnow"
)

// explainRow opens the panel What now about the test under the cursor, or about the worst of
// the report.
func (m *Model) explainRow() views.Command {
	return views.Command{ID: "health.explain", Key: whatnow.Key,
		Hint: views.HintIf(m.atFault, "what now"), Name: "what now", Group: treeGroup,
		Shown: func() bool { return m.reportsShown() || m.compareShown() }, Run: m.whatNow,
		Help: "Explain why the test did not pass: the cause, its evidence, what not to do, and the next step."}
}

// entry is the test of a row.
func (n *node) entry() health.Entry {
	return health.Entry{Suite: n.suite, Severity: n.key.severity, Test: n.test, Verdict: n.verdict}
}

// trouble reports whether the test of a row has ended without passing.
func (n *node) trouble() bool { return !n.verdict.Good() && n.verdict != health.Running }

// next tells what to do about a test, with the keys.
func (p *page) next(x *explain.Explanation, test string) {
	p.Fact("Next", x.Whole(test))
	if p.offline || !x.Fault {
		p.Gap()
		return
	}
	again := p.inks.Key.On(views.KeyOf("health.run")) + " run a check again   "
	if x.Next.Action.ID != explain.RunHealth {
		again = ""
	}
	p.Line(strings.Repeat(" ", labelWidth) + again + p.inks.Key.On(whatnow.Key) + " what now")
}

// atFault reports whether there is a test to explain.
func (m *Model) atFault() bool {
	_, ok := m.fault()
	return ok
}

// fault returns the test to explain, in a comparison that under its cursor.
func (m *Model) fault() (health.Entry, bool) {
	if !m.cover.compare.open {
		return m.panes.fault()
	}
	e, ok := m.cover.compare.entry()
	return e, ok && !e.Verdict.Good() && e.Verdict != health.Running
}

// whatNow explains the report under the cursor, also where that has just moved.
func (m *Model) whatNow() tea.Cmd {
	if m.cover.compare.open {
		return m.explain()
	}
	return tea.Batch(m.panes.followNow(), m.explain())
}

// explain opens the panel with what the report says, and reads what else the site shows.
func (m *Model) explain() tea.Cmd {
	entry, ok := m.fault()
	if !ok {
		return m.noFault()
	}
	shown, key := m.panes.explained()
	site, report, around := m.Env.Site, *shown.report, whatnow.Around(m.Env)
	var fetch whatnow.Fetch
	facts := explain.HealthFacts{Report: report, Entry: entry, Worst: shown.worst, Site: m.siteKnown()}
	if key.origin == fromSite {
		fetch = func(ctx context.Context) explain.Explanation { return incident.ExplainEntry(ctx, site, facts, around) }
	}
	return whatnow.Open(m.Env, explain.HealthTest(facts), fetch, m.jump)
}

// siteKnown is what is known of the site before it is read.
func (m *Model) siteKnown() explain.SiteFacts {
	facts := explain.SiteFacts{Times: whatnow.Around(m.Env).Times}
	if m.upgrading {
		facts.Known, facts.Upgrade, facts.Kind = true, progress.StateRunning, m.Env.Upgrade.Snapshot.Progress.Kind
	}
	return facts
}

// noFault says that no test failed, and opens the panel where the report is too old to say so
// of now.
func (m *Model) noFault() tea.Cmd {
	shown, why := m.panes.tree.shown, m.panes.noReport()
	switch {
	case m.cover.compare.open:
		why = "This test did not fail in the newer report."
	case m.panes.tree.showsRun() && shown == nil:
		why = "The health check is running. It shows no test yet."
	case m.panes.tree.showsRun() && len(shown.worst) == 0:
		why = "The health check is running. No test has failed so far."
	case why == "" && m.panes.tree.loading:
		return views.Tell(views.Warning, stillRead)
	case why == "" && shown == nil:
		return whatnow.None(m.Env, views.Status{Err: m.panes.tree.err}, views.Keys(notRead))
	}
	if why != "" {
		return whatnow.None(m.Env, m.Status(), why)
	}
	if m.panes.tree.key.origin == fromSite && m.panes.newest(shown.report) != nil {
		return whatnow.None(m.Env, m.Status(), "No test failed here. A newer report is in the list.")
	}
	site, report, around := m.Env.Site, *shown.report, whatnow.Around(m.Env)
	if len(shown.worst) == 0 && m.panes.tree.key.origin == fromSite && !m.Env.Upgrade.Failed() {
		for first := range health.All(report) { // any stands for the whole
			facts := explain.HealthFacts{Report: report, Entry: first, Whole: true, Now: adminapi.MillisOf(m.Env.Clock.Now()),
				Site: m.siteKnown()}
			if old := explain.HealthTest(facts); old.Next.Action.ID != "" {
				return whatnow.Open(m.Env, old, whatnow.OrFailed(m.Env, func(ctx context.Context) explain.Explanation { return incident.ExplainEntry(ctx, site, facts, around) }), m.jump)
			}
			break
		}
	}
	return whatnow.None(m.Env, m.Status(), "No test failed here.")
}

// jump shows a place of an explanation: a test of the report here, anything else elsewhere.
func (m *Model) jump(at explain.Place) tea.Cmd {
	if shown, _ := m.panes.explained(); at.Kind == explain.Test && shown != nil && at.In == shown.report.ID {
		return views.Send(views.Navigate{View: "health", Command: "health.test", Argument: at.ID})
	}
	if at.Kind == explain.Report {
		return views.Send(views.Navigate{View: "health", Command: "health.report", Argument: at.ID})
	}
	return whatnow.Elsewhere(at)
}

func (m *Model) goToTest(id string) tea.Cmd {
	id = strings.TrimSpace(id)
	var followed tea.Cmd
	if m.cover.compare.open {
		m.panes.uncover(m.cover.compare.key)
		m.cover.compare.behind, m.panes.tree.failed = true, false
		followed = m.panes.followNow()
		m.panes.tree.rows.SetFilter("")
		m.panes.tree.applyFilters()
		if m.panes.tree.shown == nil {
			return tea.Batch(m.panes.goTo(treePane), followed)
		}
	}
	named := func(n *node) bool {
		return n.test != nil && (strings.EqualFold(n.test.ID, id) || strings.EqualFold(n.test.Name, id))
	}
	if m.panes.tree.selectNext(0, named) {
		m.panes.goTo(treePane)
		m.panes.showRow()
		return followed
	}
	return tea.Batch(followed, views.Tell(views.Warning, "The report has no such test."))
}

func (m *Model) goToReport(id string) tea.Cmd {
	key := entryKey{fromSite, strings.TrimSpace(id)}
	m.panes.uncover(key)
	if e, ok := m.panes.list.selected(); !ok || e.key != key {
		return views.Tell(views.Warning, "The list has no such report.")
	}
	m.panes.goTo(listPane)
	return m.panes.followNow()
}
