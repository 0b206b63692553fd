package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// offerID names the question whether to watch an upgrade that was found running.
const offerID = "watch-upgrade"

// progressID is the view that shows an upgrade.
const progressID = "progress"

// offerWatch asks whether to go on with a watch that was cut off, or, once for
// each run, whether to watch an upgrade that somebody started.
func (m *Model) offerWatch() tea.Cmd {
	if m.env.Upgrade.On {
		return nil
	}
	if question, found := m.resumeQuestion(); found {
		return m.open(views.NewConfirm(m.env.Theme, question), true)
	}
	status, told := m.upgradeTold()
	if !told || !progress.Runs(status) {
		return nil
	}
	began := m.site.overview.Run.Began
	if m.watch.asked && m.watch.offered == began {
		return nil
	}
	m.watch.asked, m.watch.offered = true, began
	since := ""
	if !began.IsZero() {
		since = " " + m.runningSince(began.Time())
	}
	return m.open(views.NewConfirm(m.env.Theme, views.Question{
		ID: offerID, Text: "An upgrade" + m.fromTo() + " runs at this site" + since + ". Watch it?",
		Consequence: "Watching only reads; the upgrade goes on without it. The view Progress offers it later as well.",
		Yes:         "watch", No: "not now",
		Then: tea.Batch(views.Send(views.WatchUpgrade{}), views.Send(views.Navigate{View: progressID})),
	}), true)
}

// fromTo names the versions of the upgrade that runs, where its log tells them.
func (m *Model) fromTo() string {
	run := m.site.overview.Run
	if run.From == "" {
		return ""
	}
	return " from " + plain.Line(run.From) + " to " + plain.Line(run.To)
}
