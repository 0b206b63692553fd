package ui

import (
	"fmt"
	"time"

	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// roomyWidth is from where on a chip may say more than the most needed.
const roomyWidth = 100

// upgradeChip tells of the upgrade on every screen. An end that nobody here saw
// coming is history and not told.
func upgradeChip(m *Model) chip {
	t, w := m.env.Theme, m.env.Upgrade
	r := w.Reading
	switch {
	case w.On && w.Refused() != nil:
		return m.alert("upgrade not known now")
	case w.On && r.Away != nil:
		return m.alert("upgrade away" + m.roomy(" "+m.since(r.AwaySince)))
	case w.On && r.Undecided:
		return m.alert("upgrade: end unknown")
	case w.On && w.Stall != nil:
		return m.alert("upgrade STALLED" + stalledIn(*w.Stall) + m.roomy(lasting(" for", w.Stall.Quiet)))
	case w.On && r.Meaning == progress.StateRunning:
		return m.alert("upgrade " + howFar(r.Progress) + m.roomy(m.running(r.Progress.Run)))
	case w.On && r.Meaning == progress.StateUnknown && !r.At.IsZero():
		return m.alert("upgrade: state unknown")
	case progress.Runs(m.site.overview.Upgrade):
		return m.alert("an upgrade runs")
	case r.Ended && r.Meaning == progress.StateSucceeded:
		return chip{t.Glyphs.Pass + " " + r.Progress.Kind.Noun() + " succeeded", t.OK}
	case r.Ended:
		return chip{t.Glyphs.Fail + " " + r.Progress.Kind.Noun() + " failed", t.Fail}
	}
	return chip{}
}

// silentChip says that nobody who looks elsewhere will be called.
func silentChip(m *Model) chip {
	if !m.env.Upgrade.On || !m.silent() {
		return chip{}
	}
	return chip{"alarms off", m.env.Theme.Muted}
}

// roomy is a text where the screen has room for it.
func (m *Model) roomy(text string) string {
	if m.layout.width < roomyWidth {
		return ""
	}
	return text
}

// howFar is how much of an upgrade that goes on is done. Once all deployments are
// upgraded the rest has no count: 100 % would be taken for the end.
func howFar(p progress.Progress) string {
	switch {
	case p.Done >= 0 && p.Done < p.Total:
		return fmt.Sprintf("%d %%", 100*p.Done/p.Total)
	case p.Current != "":
		return "in " + p.Current
	}
	return "in progress"
}

func stalledIn(s progress.Stall) string {
	if s.Phase == "" {
		return ""
	}
	return " in " + s.Phase
}

// running is how long a run takes by the server's clock, in whole minutes: a
// chip that changes each second would be sent over the line each second.
func (m *Model) running(run progress.Run) string {
	if run.Began.IsZero() {
		return ""
	}
	ahead := m.env.Upgrade.Reading.Ahead
	return lasting(" after", m.env.Clock.Now().Add(ahead).Sub(run.Began.Time()))
}

// lasting writes a time in whole minutes, nothing below one.
func lasting(word string, d time.Duration) string {
	switch minutes := int(d.Minutes()); {
	case minutes < 1:
		return ""
	case minutes < 60:
		return fmt.Sprintf("%s %d min", word, minutes)
	default:
		return fmt.Sprintf("%s %d h %02d min", word, minutes/60, minutes%60)
	}
}

// since writes a moment of this machine's clock as the user wants moments: "since
// 14:31:40", "for 5 min".
func (m *Model) since(at time.Time) string {
	if m.env.Times.Mode == views.RelativeTime {
		return "for " + span(m.env.Clock.Now().Sub(at))
	}
	return "since " + m.env.Times.Here(at)
}

// runningSince is since for a moment of the server's clock.
func (m *Model) runningSince(at time.Time) string {
	if m.env.Times.Mode == views.RelativeTime {
		return "for " + span(m.env.Clock.Now().Add(m.site.ahead).Sub(at))
	}
	return "since " + m.env.Times.Clock(at)
}
