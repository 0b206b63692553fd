package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/fleet"
	"geodeck/adminapi/operation/offline"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/parallel"
	"geodeck/ui/views"
)

// siteStatus keeps the state of the site, whatever view is shown: what is known of it is in the Env.
type siteStatus struct {
	part
	// unfinished returns what is known of what an earlier program was watching.
	unfinished func() unfinishedWatch
	reader     *watching.StateReader
	fetching   bool               // a refresh is under way
	waits      bool               // the pause before the next runs
	failed     int                // refreshes without an answer, one after the other
	dismissed  adminapi.Millis    // the begin of the newest run whose end is not shown any more
	down       adminapi.Fact[int] // services, by what was kept
	lost       time.Time          // since when a view gets no answer, of the last time that was looked at
	again      time.Time          // the same, of a view that got none during this refresh: another one follows
}

// siteFetched is the end of one refresh.
type siteFetched struct {
	state, was watching.State // as it was fetched, and when that began
	what       watching.Refresh
	by         requester
	unfinished unfinishedWatch // what an earlier program was watching
	dismissed  adminapi.Millis
	down       adminapi.Fact[int]
}

// requester is who wants a refresh.
type requester int

const (
	byKeeper requester = iota // nobody: it asks nothing in turn
	byStart                   // a beginning, such as of the program or of a session
	byUser                    // who is shown success, too
)

// follow refreshes at once where the view that is shown gets no answer any more: the header must not
// go on as if the site were there.
func (s *siteStatus) follow(status views.Status) tea.Cmd {
	away := status.Unreachable
	if away == nil || s.failed > 0 || s.env.Upgrade.On || away.Since.Equal(s.lost) || !s.fetching && !s.env.State.Version.Known() {
		return nil
	}
	if s.fetching {
		s.again = away.Since
		return nil
	}
	s.lost = away.Since
	return s.request(true, byKeeper)
}

// keep waits for the next refresh. Nothing is refreshed while nobody is signed in, and from where no
// site was found.
func (s *siteStatus) keep(signedOff bool) tea.Cmd {
	state := &s.env.State
	if state.Version.Known() && !errors.Is(state.Reach.Err, adminapi.KindSignIn) && signedOff {
		state.CutOff(&adminapi.Error{Kind: adminapi.KindSignIn})
		s.scope.Forget("state due")
		s.waits = false
	}
	if err := state.Reach.Err; s.env.Offline || s.fetching || s.waits || errors.Is(err, adminapi.KindSignIn) ||
		!state.Version.Known() && (err == nil || !adminapi.IsTransient(err)) {
		return nil
	}
	pause := watching.StatePause
	if s.failed > 0 {
		pause = adminapi.UnreachableBackoff.Pause(s.failed, nil)
	}
	s.waits = true
	return s.scope.Later(s.pace, s.env.Site.Line.Pause(pause), "state due", s.due)
}

// start fetches everything, and once what an earlier program was watching.
func (s *siteStatus) start() tea.Cmd {
	if s.env.Offline {
		return nil
	}
	return s.request(true, byStart)
}

// due refreshes what may have changed by itself: all where the site did not answer before.
func (s *siteStatus) due() tea.Cmd {
	if !s.env.State.Version.Known() {
		return s.request(true, byStart)
	}
	return s.request(s.env.State.Reach.Err != nil, byKeeper)
}

// refresh fetches everything at the request of the user.
func (s *siteStatus) refresh() tea.Cmd {
	if s.env.Offline {
		return views.Tell(views.Warning, "no site to refresh: geodeck runs offline")
	}
	return s.request(true, byUser)
}

// wrongRead is what is wrong at the site, behind what was said of the sign-in.
type wrongRead struct {
	said   string
	notice views.Notice
}

// sayWrong reads once, after a sign-in, what is wrong at the site, and tells it behind what was said.
func (s *siteStatus) sayWrong(said string) tea.Cmd {
	clock, to := s.env.Clock, fleet.Connection{Site: s.env.Site, Kept: true, Shared: true}
	entry := fleet.Entry{Open: func(context.Context) (fleet.Connection, error) { return to, nil }}
	return s.scope.Do("wrong", func(ctx context.Context) tea.Msg {
		read, err := fleet.New(clock).Watch(entry).Next(ctx)
		text, marked := read.Value.Told(clock.Now())
		if err != nil || text == "" {
			return nil
		}
		level := views.Info
		switch marked {
		case fleet.Good:
			level = views.Success
		case fleet.Warning, fleet.Failed:
			level = views.Warning
		}
		return wrongRead{said, views.Notice{Level: level, Text: said + "; " + text}}
	})
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
	return views.Tell(views.Info, text)
}

// request refreshes the state, and reads from disk what an earlier program was watching where that
// is not known yet. The watch fetches the upgrade itself.
func (s *siteStatus) request(whole bool, by requester) tea.Cmd {
	s.fetching, s.waits = true, false
	s.scope.Forget("state due")
	if s.reader == nil {
		s.reader = watching.NewStateReader(s.env.Site)
	}
	site, reader, state, known, dismissed := s.env.Site, s.reader, s.env.State, s.unfinished(), s.dismissed
	what := watching.Refresh{Site: whole, Upgrade: !s.env.Upgrade.On}
	return s.scope.Do("site", func(ctx context.Context) tea.Msg {
		r := siteFetched{what: what, by: by, was: state, unfinished: known, dismissed: dismissed}
		var disk parallel.Group
		disk.Go(func() {
			if !known.read {
				r.unfinished, r.dismissed, r.down = readUnfinished(site), max(dismissed, site.Memory.DismissedEnd()), offline.KeptDown(site)
			}
		})
		r.state = reader.Read(ctx, state, what)
		disk.Wait()
		return r
	})
}

// siteFetched keeps the last good snapshot beside the error of a failed fetch.
func (m *Model) siteFetched(r siteFetched) tea.Cmd {
	err, known := r.state.Reach.Err, m.token().Known()
	m.keeping.answered(err)
	if err == nil && known {
		m.session.taken(r.state.Self.Value.Username)
	}
	cmds := []tea.Cmd{m.watch.setUnfinished(r.unfinished), m.site.handle(r)}
	signIn := errors.Is(err, adminapi.KindSignIn)
	if signIn || err == nil && !known && !m.env.Demo { // which signs in by itself
		cmds = append(cmds, m.session.ask(views.SignIn{Reason: m.session.reason()}))
	} else {
		cmds = append(cmds, m.watch.offer(r.by != byKeeper), m.watch.beginShown(m.screen.router.shown))
	}
	if !signIn {
		cmds = append(cmds, m.unresolved.checkOnce())
	}
	return tea.Batch(append(cmds, m.screen.router.tell(views.StateChanged))...)
}

// handle keeps a snapshot. It notifies once when the site is unreachable, and when it answers again.
func (s *siteStatus) handle(r siteFetched) tea.Cmd {
	before, ran, failed, again := s.env.State, s.env.State.Runs(), s.failed, s.again
	s.keepState(r)
	s.fetching, s.again, s.failed, s.dismissed = false, time.Time{}, 0, max(s.dismissed, r.dismissed)
	if r.down.Known() {
		s.down = r.down
	}
	err := r.state.Reach.Err
	switch {
	case errors.Is(err, adminapi.KindSignIn):
		return nil
	case err != nil && adminapi.IsTransient(err):
		s.failed = failed + 1
		switch {
		case r.by == byUser:
		case failed > 0 || ran:
			return nil // the header keeps saying it; during an upgrade it is no news
		case !s.lost.IsZero():
			s.tell(keepNotice{failure(err)}) // the view says it
			return nil
		case !before.Version.Known():
			s.tell(keepNotice{failure(err)}) // the views say it, as they have nothing else to show
			return s.tell(showKept{})
		}
		return s.tell(failure(err))
	case err != nil:
		if was := before.Reach.Err; r.by != byUser && was != nil && was.Error() == err.Error() {
			return nil
		}
		return s.tell(failure(err))
	}
	if !s.token().Known() {
		return nil
	}
	switch now := s.env.State; {
	case !again.IsZero():
		s.lost = again
		return s.request(true, byKeeper) // part of it may have been read before the site went away
	case !r.what.Site && (ran && !now.Runs() || now.Upgrade.Value.Progress.Began > before.Upgrade.Value.Progress.Began):
		return s.request(true, byKeeper) // the version may have changed
	case r.by == byUser:
		return s.tell(views.Notice{Level: views.Success, Text: "the site was refreshed"})
	case failed > 0 && !ran:
		return s.tell(views.Notice{Level: views.Success, Text: "the site answers again"})
	}
	return nil
}

// keepState takes what was refreshed. What a watch has fetched meanwhile is newer; its time does not tell, since
// the clock may have been set back.
func (s *siteStatus) keepState(r siteFetched) {
	state := &s.env.State
	if state.Reach = r.state.Reach; state.Mode.At.Equal(r.was.Mode.At) {
		state.Mode = r.state.Mode
	}
	if r.what.Site {
		state.Version, state.Self = r.state.Version, r.state.Self
	}
	if r.what.Upgrade && !s.env.Upgrade.On && state.Upgrade.At.Equal(r.was.Upgrade.At) {
		state.Upgrade = r.state.Upgrade
	}
}

// ended reports whether the header shows how a run ended: a failure until a newer run has begun, a
// success that was news, both until they are dismissed.
func (s *siteStatus) ended() bool {
	began := s.env.State.Upgrade.Value.Progress.Began
	return (s.env.State.Ended() || s.env.State.Failed()) && (began.IsZero() || began > s.dismissed)
}

// nothingToDismiss says why no end is taken off the header; empty where one can be.
func (s *siteStatus) nothingToDismiss() string {
	switch run := s.env.State.Upgrade.Value.Progress; {
	case s.env.State.Runs():
		return run.Kind.One() + " is running. Dismiss its end once it has ended."
	case !s.ended():
		return "The header shows no end of an upgrade."
	case run.Began.IsZero():
		return "The site does not say when that run began: its end stays."
	}
	return ""
}

// dismiss takes the end of the newest run off the header, now and at the next start.
func (s *siteStatus) dismiss() tea.Cmd {
	if why := s.nothingToDismiss(); why != "" {
		return views.Tell(views.Info, why)
	}
	site, now, began := s.env.Site, s.env.Clock.Now(), s.env.State.Upgrade.Value.Progress.Began
	s.dismissed = began
	return s.scope.Do("dismiss end", func(context.Context) tea.Msg {
		if err := site.Memory.DismissEnd(now, began); err != nil {
			return views.Failed("the next start shows it again: "+err.Error(), err)
		}
		return views.Notice{Level: views.Success, Text: "dismissed: Progress and the history keep it"}
	})
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
	if kept := s.env.Overview(); !known && !kept.Read.IsZero() {
		ahead = kept.Ahead
	}
	if times := s.env.Times; (ahead - times.Ahead).Abs() > clockJitter {
		times.Ahead = ahead
	}
}
