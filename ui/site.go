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

// siteStatus is what the frame knows of the site: the last good snapshot.
type siteStatus struct {
	part
	pace     adminapi.Clock
	session  *session
	overview operation.Overview
	err      error         // of the last attempt
	failed   int           // attempts without an answer, one after the other
	ahead    time.Duration // the server's clock less ours
}

// siteRead is the end of one fetch.
type siteRead struct {
	overview operation.Overview
	err      error
	ahead    time.Duration
	asked    bool   // by the user, who wants to hear that it went well
	cutOff   cutOff // what an earlier program was watching
}

// refreshSite fetches because the user wants to.
func (m *Model) refreshSite() tea.Cmd {
	if m.env.Offline {
		return views.Tell(views.Warning, "there is no site to read: geodeck runs offline")
	}
	return m.site.fetch(m.watch.cutOff, true)
}

// fetch reads what the header shows, and from disk what an earlier program was watching
// where that is not known yet.
func (s *siteStatus) fetch(known cutOff, asked bool) tea.Cmd {
	if s.env.Offline {
		return nil
	}
	return s.scope.Do("site", s.request(known, asked))
}

// request returns the fetch itself.
func (s *siteStatus) request(known cutOff, asked bool) func(context.Context) tea.Msg {
	site := s.env.Site
	return func(ctx context.Context) tea.Msg {
		found := known
		var disk sync.WaitGroup
		disk.Go(func() { found = readCutOff(site, known) })
		overview, err := readOverview(ctx, site)
		ahead, _ := site.Client.ServerTime()
		disk.Wait()
		return siteRead{overview, err, ahead, asked, found}
	}
}

// readOverview reads the overview. Without a token the root alone is asked first: a
// password is typed only where something answers that wants one.
func readOverview(ctx context.Context, site operation.Site) (operation.Overview, error) {
	if !site.Client.Token().Known() {
		root, err := site.Client.Root(ctx)
		if err != nil || !site.Client.Token().Known() {
			return operation.Overview{Root: root, RootErr: err}, err
		}
	}
	return site.Look(ctx)
}

// siteRead keeps the last good snapshot beside the error of a bad fetch.
func (m *Model) siteRead(r siteRead) tea.Cmd {
	cmds := []tea.Cmd{m.watch.takeCutOff(r.cutOff)}
	cmds = append(cmds, m.site.take(r, m.watch.cutOff))
	if errors.Is(r.err, adminapi.KindSignIn) || r.err == nil && !m.env.Site.Client.Token().Known() {
		cmds = append(cmds, m.session.ask(views.SignIn{Reason: m.session.reason()}))
	} else {
		cmds = append(cmds, m.watch.offer())
	}
	if !errors.Is(r.err, adminapi.KindSignIn) {
		cmds = append(cmds, m.unsettled.checkOnce())
	}
	return tea.Batch(cmds...)
}

// take keeps a snapshot, says once that the site is away, and that it is back.
func (s *siteStatus) take(r siteRead, known cutOff) tea.Cmd {
	before := s.failed
	s.err, s.failed = r.err, 0
	switch {
	case errors.Is(r.err, adminapi.KindSignIn):
		return nil
	case r.err != nil && adminapi.IsTransient(r.err):
		s.failed = before + 1
		later := s.fetchLater(known)
		if before > 0 && !r.asked {
			return later // the header keeps saying it
		}
		return tea.Batch(s.shell.notify(views.Notice{Level: views.Failure, Text: advised(r.err), Err: r.err}), later)
	case r.err != nil:
		return s.shell.notify(views.Notice{Level: views.Failure, Text: advised(r.err), Err: r.err})
	}
	s.overview, s.ahead = r.overview, r.ahead
	if !s.env.Site.Client.Token().Known() {
		return nil
	}
	s.session.refused = ""
	switch {
	case r.asked:
		return s.shell.notify(views.Notice{Level: views.Success, Text: "the site was read"})
	case before > 0:
		return s.shell.notify(views.Notice{Level: views.Success, Text: "the site answers again"})
	}
	return nil
}

// fetchLater reads the site again after a pause that grows with each attempt.
func (s *siteStatus) fetchLater(known cutOff) tea.Cmd {
	pause := adminapi.UnreachableBackoff.Pause(s.failed, nil)
	return s.scope.After(s.pace, pause, "site", s.request(known, false))
}
