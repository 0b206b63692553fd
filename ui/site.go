package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// siteStatus is what the frame knows of the site: the last good snapshot.
type siteStatus struct {
	part
	pace     adminapi.Clock
	session  *session
	watch    *watch
	overview operation.Overview
	answered bool      // it has been read once
	read     time.Time // when that was last
	kept     *keeping
	err      error // of the last attempt
	failed   int   // attempts without an answer, one after the other
	runs     bool  // an upgrade did when that was known last

	lost time.Time // since when a view gets no answer, of the last time that was looked at
}

// follow fetches once where the view that is shown gets no answer any more: the header must not
// go on as if the site were there.
func (s *siteStatus) follow(status views.Status) tea.Cmd {
	away := status.Unreachable
	if away == nil || !s.answered || s.failed > 0 || s.env.Upgrade.On || away.Since.Equal(s.lost) {
		return nil
	}
	s.lost = away.Since
	return s.scope.Do("lost", s.request(false)) // beside a request that is under way
}

// siteFetched is the end of one fetch.
type siteFetched struct {
	overview   operation.Overview
	err        error
	byUser     bool            // requested by the user, who is shown success too
	unfinished unfinishedWatch // what an earlier program was watching
}

// refresh fetches at the request of the user.
func (s *siteStatus) refresh() tea.Cmd {
	if s.env.Offline {
		return views.Tell(views.Warning, "no site to refresh: geodeck runs offline")
	}
	return s.fetch(true)
}

// slowWords are the arguments of the command for a slow line.
var slowWords = []string{"on", "off"}

// switchSlow says whether the line to the site is slow, or shows it.
func (s *siteStatus) switchSlow(word string) tea.Cmd {
	line, word := s.env.Site.Line, strings.TrimSpace(word)
	switch {
	case s.env.Offline:
		return views.Tell(views.Warning, "no site to poll: geodeck runs offline")
	case word != "" && !slices.Contains(slowWords, word):
		return views.Tell(views.Warning, "slow takes "+strings.Join(slowWords, ", ")+"; nothing was changed")
	case word != "":
		line.SetSlow(word == "on")
	}
	text := "the site is polled at the usual pace"
	if line.Slow() {
		text = "the site is polled at half the pace; less is fetched"
	}
	return s.shell.notify(views.Notice{Text: text})
}

// fetch reads what the header shows, and from disk what an earlier program was watching
// where that is not known yet.
func (s *siteStatus) fetch(byUser bool) tea.Cmd {
	if s.env.Offline {
		return nil
	}
	return s.scope.Do("site", s.request(byUser))
}

// request returns the fetch itself.
func (s *siteStatus) request(byUser bool) func(context.Context) tea.Msg {
	site, known := s.env.Site, s.watch.unfinished
	return func(ctx context.Context) tea.Msg {
		unfinished := known
		var disk operation.Parallel
		disk.Go(func() { unfinished = readUnfinished(site, known) })
		overview, err := readOverview(ctx, site)
		disk.Wait()
		return siteFetched{overview, err, byUser, unfinished}
	}
}

// readOverview reads the overview. Without a token the root is read first, alone: a
// password is entered only where a site answers and requires one.
func readOverview(ctx context.Context, site operation.Site) (operation.Overview, error) {
	if !site.Client.Token().Known() {
		root, err := site.Client.Root(ctx)
		if err != nil || !site.Client.Token().Known() {
			return operation.Overview{Root: root, RootErr: err}, err
		}
	}
	return site.Overview(ctx)
}

// siteFetched keeps the last good snapshot beside the error of a failed fetch.
func (m *Model) siteFetched(r siteFetched) tea.Cmd {
	cmds := []tea.Cmd{m.watch.setUnfinished(r.unfinished)}
	cmds = append(cmds, m.site.handle(r))
	if errors.Is(r.err, adminapi.KindSignIn) || r.err == nil && !m.env.Site.Client.Token().Known() {
		cmds = append(cmds, m.session.ask(views.SignIn{Reason: m.session.reason()}))
	} else {
		cmds = append(cmds, m.watch.offer())
	}
	if !errors.Is(r.err, adminapi.KindSignIn) {
		cmds = append(cmds, m.unresolved.checkOnce())
	}
	return views.Batch(cmds...)
}

// handle keeps a snapshot. It notifies once when the site is unreachable, and when it answers again.
func (s *siteStatus) handle(r siteFetched) tea.Cmd {
	before := s.failed
	s.err, s.failed = r.err, 0
	if r.err == nil || !adminapi.IsTransient(r.err) {
		s.kept.over()
	}
	switch {
	case errors.Is(r.err, adminapi.KindSignIn):
		return nil
	case r.err != nil && adminapi.IsTransient(r.err):
		s.failed = before + 1
		later := s.scope.After(s.pace, s.env.Site.Line.Pause(adminapi.UnreachableBackoff.Pause(s.failed, nil)), "site", s.request(false))
		switch {
		case r.byUser:
		case before > 0 || s.runs:
			return later // the header keeps saying it; during an upgrade it is no news
		case !s.lost.IsZero():
			s.shell.keep(failure(r.err)) // the view says it
			return later
		case !s.answered:
			s.shell.keep(failure(r.err)) // the views say it, as they have nothing else to show
			return views.Batch(later, s.kept.read())
		}
		return views.Batch(s.shell.notify(failure(r.err)), later)
	case r.err != nil:
		return s.shell.notify(failure(r.err))
	}
	s.overview, s.answered, s.read = r.overview, true, s.env.Clock.Now()
	if !s.env.Site.Client.Token().Known() {
		return nil
	}
	s.session.taken(r.overview.Self.Username)
	ran, later := s.runs, s.fetchUnwatched()
	switch {
	case r.byUser:
		return views.Batch(later, s.shell.notify(views.Notice{Level: views.Success, Text: "the site was refreshed"}))
	case before > 0 && !ran:
		return views.Batch(later, s.shell.notify(views.Notice{Level: views.Success, Text: "the site answers again"}))
	}
	return later
}

// unwatched is the kind of fetches while an upgrade runs that is not watched.
const unwatched = "unwatched"

// unwatchedPause is the pause between two fetches while an upgrade runs that is not watched.
const unwatchedPause = 30 * time.Second

// fetchUnwatched fetches again after a pause while an upgrade runs that is not watched: its
// end changes the version and the mode, and closes the question whether to watch it.
func (s *siteStatus) fetchUnwatched() tea.Cmd {
	if s.overview.UpgradeErr == nil {
		s.runs = progress.Runs(s.overview.Upgrade)
	}
	s.env.LeftFailed = s.overview.Mode.ReadOnly && progress.StateOf(s.overview.Upgrade) == progress.StateFailed
	if s.env.Upgrade.On || !s.runs {
		return nil
	}
	return s.scope.After(s.pace, s.env.Site.Line.Pause(unwatchedPause), unwatched, s.request(false))
}

// clockJitter is what the Date header, in whole seconds, may be off.
const clockJitter = 2 * time.Second

// followClock keeps how far the site's clock is ahead of ours by the last answer, whatever
// was asked; before the first, by the record of the upgrade that is shown.
func (s *siteStatus) followClock() {
	if s.env.Offline {
		return
	}
	ahead, known := s.env.Site.Client.ServerTime()
	if !known {
		ahead = s.env.Upgrade.Snapshot.Ahead
	}
	if kept := s.env.Kept; !known && kept != nil && kept.Overview != nil {
		ahead = kept.Overview.Ahead
	}
	if times := s.env.Times; (ahead - times.Ahead).Abs() > clockJitter {
		times.Ahead = ahead
	}
}
