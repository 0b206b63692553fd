package ui

import (
	"context"
	"errors"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
)

// site is what the frame knows of the platform: the last good reading.
type site struct {
	overview operation.Overview
	read     bool
	err      error           // of the last attempt
	failed   int             // attempts without an answer, one after the other
	ahead    time.Duration   // the server's clock less ours
	refused  adminapi.Secret // the token that the site did not take, if it is still in use
}

// looked is the end of a reading of the site.
type looked struct {
	overview operation.Overview
	err      error
	ahead    time.Duration
	asked    bool // by the user, who wants to hear that it went well
	kept     cutOff
}

// look reads what the header shows.
func (m *Model) look() tea.Cmd { return m.lookAs(false) }

func (m *Model) lookAgain(string) tea.Cmd {
	if m.env.Offline {
		return views.Tell(views.Warning, "there is no site to read: geodeck runs offline")
	}
	return m.lookAs(true)
}

func (m *Model) lookAs(asked bool) tea.Cmd {
	if m.env.Offline {
		return nil
	}
	return m.scope.Do("look", m.reading(asked))
}

// reading returns the request itself.
func (m *Model) reading(asked bool) func(context.Context) tea.Msg {
	site, kept := m.env.Site, m.watch.cutOff
	return func(ctx context.Context) tea.Msg {
		kept := kept // not that of another run of this command
		var disk sync.WaitGroup
		disk.Go(func() { kept = readCutOff(site, kept) })
		overview, err := lookAt(ctx, site)
		ahead, _ := site.Client.ServerTime()
		disk.Wait()
		return looked{overview, err, ahead, asked, kept}
	}
}

// lookAt reads the overview. Without a token the root alone is asked first: a
// password is typed only where something answers that wants one.
func lookAt(ctx context.Context, site operation.Site) (operation.Overview, error) {
	if !site.Client.Token().Known() {
		root, err := site.Client.Root(ctx)
		if err != nil || !site.Client.Token().Known() {
			return operation.Overview{Root: root, RootErr: err}, err
		}
	}
	return site.Look(ctx)
}

// looked keeps the last good reading beside the error of a bad one.
func (m *Model) looked(l looked) tea.Cmd {
	unread, standing := m.takeCutOff(l.kept), m.standing(l)
	if errors.Is(l.err, adminapi.KindSignIn) {
		return tea.Batch(unread, standing)
	}
	return tea.Batch(unread, standing, m.openEarlier())
}

func (m *Model) standing(l looked) tea.Cmd {
	before := m.site.failed
	m.site.err, m.site.failed = l.err, 0
	switch {
	case errors.Is(l.err, adminapi.KindSignIn):
		return m.askSignIn(views.SignIn{Reason: m.whySignIn()})
	case l.err != nil && adminapi.Passing(l.err):
		m.site.failed = before + 1
		return tea.Batch(m.notReached(l, before), m.lookLater(), m.offerWatch())
	case l.err != nil:
		return tea.Batch(m.notify(views.Notice{Level: views.Failure, Text: advised(l.err), Err: l.err}), m.offerWatch())
	}
	m.site.overview, m.site.read, m.site.ahead = l.overview, true, l.ahead
	if !m.env.Site.Client.Token().Known() {
		return m.askSignIn(views.SignIn{Reason: m.whySignIn()})
	}
	m.site.refused = ""
	offer := m.offerWatch()
	switch {
	case l.asked:
		return tea.Batch(offer, m.notify(views.Notice{Level: views.Success, Text: "the site was read"}))
	case before > 0:
		return tea.Batch(offer, m.notify(views.Notice{Level: views.Success, Text: "the site answers again"}))
	}
	return offer
}

// notReached says once that the site is away; the header keeps saying it.
func (m *Model) notReached(l looked, before int) tea.Cmd {
	if before > 0 && !l.asked {
		return nil
	}
	return m.notify(views.Notice{Level: views.Failure, Text: advised(l.err), Err: l.err})
}

// How long to wait before a site that is away is asked again.
const (
	awayFirst = 2 * time.Second
	awayMost  = 30 * time.Second
)

// lookLater reads the site again after a pause that grows with each attempt.
func (m *Model) lookLater() tea.Cmd {
	pause := awayMost
	if m.site.failed < 5 {
		pause = min(awayFirst<<(m.site.failed-1), awayMost)
	}
	read := m.reading(false)
	return m.scope.After(m.pace, pause, "look", read)
}

// secondPassed moves ages and clocks on.
type secondPassed struct{}

// tick arms the second hand while something on the screen counts: an idle
// screen has none.
func (m *Model) tick() tea.Cmd {
	if m.ticking || !m.counts() {
		return nil
	}
	m.ticking = true
	return m.scope.After(m.pace, time.Second, "tick", func(context.Context) tea.Msg { return secondPassed{} })
}

func (m *Model) counts() bool {
	if m.env.Context.Err() != nil {
		return false
	}
	v := m.router.active()
	if v == nil {
		return false
	}
	status := v.Status()
	return status.Busy != "" || status.Away != nil || m.env.Times.Mode == views.RelativeTime
}
