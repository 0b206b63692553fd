package ui

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
)

// offerID names the question whether to watch an upgrade that was found running.
const offerID = "watch-upgrade"

// progressID is the view that shows an upgrade.
const progressID = "progress"

// offerWatch asks, once for each run, whether to watch an upgrade that somebody
// started.
func (m *Model) offerWatch() tea.Cmd {
	status := m.site.overview.Upgrade
	if m.site.overview.UpgradeErr != nil || !upgrade.Runs(status) || m.env.Upgrade.On {
		return nil
	}
	began := upgrade.LastRun(status).Began
	if m.watch.asked && m.watch.offered == began {
		return nil
	}
	m.watch.asked, m.watch.offered = true, began
	since := ""
	if !began.IsZero() {
		since = " " + m.since(began.Time())
	}
	return m.open(views.NewConfirm(m.env.Theme, views.Question{
		ID: offerID, Text: "An upgrade runs at this site" + since + ". Watch it?",
		Consequence: "Watching only reads; the upgrade goes on without it. The view Progress offers it later as well.",
		Yes:         "watch", No: "not now",
		Then: tea.Batch(views.Send(views.WatchUpgrade{}), views.Send(views.Navigate{View: progressID})),
	}), true)
}

// upgradeChip tells of the upgrade on every screen. An end that nobody here saw
// coming is history and not told.
func upgradeChip(m *Model) chip {
	t, w := m.env.Theme, m.env.Upgrade
	r := w.Reading
	switch {
	case w.On && r.Away != nil:
		return m.alert("upgrade away " + m.since(r.AwaySince))
	case w.On && r.Meaning == upgrade.ReadRunning:
		return m.alert("upgrade in progress" + m.running(m.watch.run))
	case w.On && r.Meaning == upgrade.ReadUnknown && !r.At.IsZero():
		return m.alert("upgrade: state unknown")
	case upgrade.Runs(m.site.overview.Upgrade):
		return m.alert("an upgrade runs")
	case r.Ended && r.Meaning == upgrade.ReadSuccess:
		return chip{t.Glyphs.Pass + " upgrade succeeded", t.OK}
	case r.Ended:
		return chip{t.Glyphs.Fail + " upgrade failed", t.Fail}
	}
	return chip{}
}

// running is how long a run takes by the server's clock, in whole minutes: a
// chip that changes each second would be sent over the line each second.
func (m *Model) running(run upgrade.Run) string {
	ahead, _ := m.env.Site.Client.ServerTime()
	minutes := int(m.env.Clock.Now().Add(ahead).Sub(run.Began.Time()).Minutes())
	switch {
	case run.Began.IsZero() || minutes < 1:
		return ""
	case minutes < 60:
		return fmt.Sprintf(" %d min", minutes)
	}
	return fmt.Sprintf(" %d h %02d min", minutes/60, minutes%60)
}

// since writes a moment as the user wants moments: "since 14:31:40", "for 5 min".
func (m *Model) since(at time.Time) string {
	if m.env.Times.Mode == views.RelativeTime {
		return "for " + span(m.env.Clock.Now().Sub(at))
	}
	return "since " + m.env.Times.Clock(at)
}
