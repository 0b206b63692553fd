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
		Hint: views.HintIf(m.explainer.atFault, "what now"), Name: "what now", Group: treeGroup,
		Shown: func() bool { return m.reportsShown() || m.compareShown() }, Run: m.explainer.open,
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

// explainer explains a test that did not pass, of the panes or of a comparison.
type explainer struct {
	child
	panes     *panes
	compare   *comparison
	status    func() views.Status
	upgrading bool // an upgrade runs, by the watch
}

// atFault reports whether there is a test to explain.
func (x *explainer) atFault() bool {
	_, ok := x.fault()
	return ok
}

// fault returns the test to explain, in a comparison that under its cursor.
func (x *explainer) fault() (health.Entry, bool) {
	if !x.compare.open {
		return x.panes.fault()
	}
	e, ok := x.compare.entry()
	return e, ok && !e.Verdict.Good() && e.Verdict != health.Running
}

// explained returns the report whose tests What now explains, and its place in the list.
func (x *explainer) explained() (*analysis, entryKey) {
	if x.compare.open {
		return x.compare.newer, x.compare.key
	}
	return x.panes.tree.shown, x.panes.tree.key
}

// open opens the panel with what the report says, and reads what else the site shows.
func (x *explainer) open() tea.Cmd {
	entry, ok := x.fault()
	if !ok {
		return x.noFault()
	}
	shown, key := x.explained()
	site, report, around := x.Env.Site, *shown.report, whatnow.Around(x.Env)
	var fetch whatnow.Fetch
	facts := explain.HealthFacts{Report: report, Entry: entry, Worst: shown.worst, Site: x.siteKnown()}
	if key.origin == fromSite {
		fetch = func(ctx context.Context) explain.Explanation { return incident.ExplainEntry(ctx, site, facts, around) }
	}
	return whatnow.Open(x.Env, explain.HealthTest(facts), fetch, x.jump)
}

// siteKnown is what is known of the site before it is read.
func (x *explainer) siteKnown() explain.SiteFacts {
	facts := explain.SiteFacts{Times: whatnow.Around(x.Env).Times}
	if x.upgrading {
		facts.Known, facts.Upgrade, facts.Kind = true, progress.StateRunning, x.Env.Upgrade.Snapshot.Progress.Kind
	}
	return facts
}

// noFault says that no test failed, and opens the panel where the report is too old to say so
// of now.
func (x *explainer) noFault() tea.Cmd {
	shown, why := x.panes.tree.shown, x.panes.noReport()
	switch {
	case x.compare.open:
		why = "This test did not fail in the newer report."
	case x.panes.tree.showsRun() && shown == nil:
		why = "The health check is running. It shows no test yet."
	case x.panes.tree.showsRun() && len(shown.worst) == 0:
		why = "The health check is running. No test has failed so far."
	}
	if why != "" {
		return whatnow.None(x.Env, x.status(), why)
	}
	site, report, around := x.Env.Site, *shown.report, whatnow.Around(x.Env)
	if len(shown.worst) == 0 && x.panes.tree.key.origin == fromSite && !x.Env.Upgrade.Failed() {
		for first := range health.All(report) { // any stands for the whole
			facts := explain.HealthFacts{Report: report, Entry: first, Whole: true, Now: adminapi.MillisOf(x.Env.Clock.Now()),
				Site: x.siteKnown()}
			if old := explain.HealthTest(facts); old.Next.Action.ID != "" {
				return whatnow.Open(x.Env, old, whatnow.OrFailed(x.Env, func(ctx context.Context) explain.Explanation { return incident.ExplainEntry(ctx, site, facts, around) }), x.jump)
			}
			break
		}
	}
	return whatnow.None(x.Env, x.status(), "No test failed here.")
}

// jump shows a place of an explanation: a test of the report here, anything else elsewhere.
func (x *explainer) jump(at explain.Place) tea.Cmd {
	if shown, _ := x.explained(); at.Kind == explain.Test && shown != nil && at.In == shown.report.ID {
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
