package upgrade

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
)

// search is how it is found out what became of an upgrade whose answer was
// lost. It only reads.
type search struct {
	run     *operation.UpgradeRun // used by commands only
	since   time.Time
	looked  time.Time // the last look that came back
	next    time.Time // zero while it is being looked
	finding operation.UpgradeFinding
	status  adminapi.UpgradeStatus
	err     error // the last look failed for good: somebody has to ask again
}

// slowly is how long is waited once it is very likely that nothing started.
const slowly = 15 * time.Second

// find looks once more after a while: one request at a time.
func (m *Model) find(wait time.Duration) tea.Cmd {
	s := m.flow.run.search
	s.next = m.env.Clock.Now().Add(wait)
	lost := s.run
	return m.scope.After(m.env.Clock, wait, "find", func(ctx context.Context) tea.Msg {
		var r found
		r.finding, r.status, r.wait, r.err = lost.Find(ctx)
		return r
	})
}

// found is one look.
type found struct {
	finding operation.UpgradeFinding
	status  adminapi.UpgradeStatus
	wait    time.Duration
	err     error
}

func (r found) apply(m *Model) tea.Cmd {
	if m.flow == nil || m.flow.run == nil || m.flow.run.search == nil {
		return nil
	}
	s := m.flow.run.search
	s.err = r.err
	switch {
	case errors.Is(r.err, adminapi.KindSignIn):
		return m.askSignIn(r.err, m.find(0))
	case r.err != nil:
		return nil
	case r.finding == operation.FindingOurs:
		return m.underWay(s.run, r.status)
	case r.finding == operation.FindingRefused:
		return m.refused(&operation.RefusedError{Answer: m.flow.run.err})
	}
	s.looked, s.status = m.env.Clock.Now(), r.status
	if r.finding != operation.FindingNothing {
		s.finding = r.finding
	}
	switch s.finding {
	case operation.FindingForeign:
		return nil
	case operation.FindingNone:
		return m.find(max(r.wait, slowly))
	}
	return m.find(r.wait)
}

// searchLeft says that the user goes without knowing.
type searchLeft struct{}

func (searchLeft) apply(m *Model) tea.Cmd {
	if m.flow == nil || m.flow.run == nil {
		return nil
	}
	m.scope.Forget("find")
	m.leaveFlow()
	return m.readOffers()
}

// askLeaveSearch asks before it is not looked for any more.
func (m *Model) askLeaveSearch() tea.Cmd {
	leave := m.scope.Do("leave", func(context.Context) tea.Msg { return searchLeft{} })
	return views.Send(views.Open{Dialog: views.NewConfirm(m.env.Theme, views.Question{
		ID: "upgrade.leave", Text: "Stop looking?",
		Consequence: "It is not known whether the upgrade was started. Nothing is sent again; the list shows it if it runs.",
		Yes:         "stop looking", No: "keep looking", Then: leave,
	})})
}

// lookAgain looks at once.
func (m *Model) lookAgain() tea.Cmd {
	if s := m.flow.run.search; s == nil || s.finding == operation.FindingForeign {
		return nil
	}
	return m.find(0)
}
