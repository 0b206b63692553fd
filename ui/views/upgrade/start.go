package upgrade

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/whatnow"
)

// start is the step that sends the upgrade, once. Where the answer is lost, it finds the
// outcome by polling.
type start struct {
	base
	host   stepHost
	change *change
	startState
}

// startState is the state of one attempt to start.
type startState struct {
	sending bool // until the outcome is known or the answer is lost
	looking bool // a look for it at the site is under way
	begun   bool // the site seems to show it, though the answer has not come
	began   time.Time
	asked   time.Time                   // when the request itself went out; zero before
	steps   []operation.UpgradeProgress // those that have begun, as last reported
	reports views.Reports[operation.UpgradeProgress]
	result  operation.Result
	lost    *lostAnswer // nil where the answer is not lost
}

// lostAnswer is the search for the outcome of an upgrade whose answer was lost. It only
// reads.
type lostAnswer struct {
	run    *operation.UpgradeRun
	poll   *views.Poll[operation.Resolution]
	polled time.Time // the last poll that was answered
	next   time.Time // the next poll
	found  operation.Resolution
	over   bool  // nothing was seen to begin in its time
	err    error // the last poll failed for good: the user has to poll again
}

// searching reports whether it is not known yet whether the upgrade was started.
func (s *start) searching() bool {
	return s.lost != nil && s.lost.found.Shows != operation.ShowsOther
}

// foreign reports whether another upgrade runs.
func (s *start) foreign() bool {
	return !s.sending && (s.lost != nil && !s.searching() || s.lost == nil && errors.Is(s.result.Err, operation.ErrUpgradeRuns))
}

// Commands makes the rows of the start.
func (s *start) Commands() []views.Command {
	sent := views.Only(func() bool { return !s.sending }, "It is being sent. The outcome will be shown here.")
	searched := views.Only(s.searching, "No outcome is being looked for.")
	back := does(goBack, s.back)
	back.Enabled, back.Hint = sent, func() string { return yesNo(s.searching(), "stop waiting", "back") }
	return slices.Concat(
		views.When(s.foreign, []views.Command{does(watch, s.host.watch)}),
		[]views.Command{
			{ID: "upgrade.look-again", Key: "R f5", Word: "look for it", Name: "refresh outcome", Run: s.pollNow,
				Enabled: func() string { return cmp.Or(sent(), searched()) },
				Help:    "Look for an upgrade whose answer was lost. Sends nothing."},
			s.explainRow(), back,
		})
}

// send checks once more, and sends the upgrade or the rollback once. It sets sending first, so that a
// second enter does nothing.
func (s *start) send() tea.Cmd {
	if s.sending {
		return nil
	}
	reports := views.NewReports[operation.UpgradeProgress]()
	s.startState = startState{sending: true, began: s.Env.Clock.Now(), reports: reports}
	site, ask, began := s.Env.Site, s.change.ask, s.began
	again, accepted := factsRead{offer: s.change.offer, usual: s.change.usual}, maps.Clone(s.change.Accepted)
	send := s.Scope.Write(func(ctx context.Context) tea.Msg {
		defer close(reports)
		r := sent{again: again}
		reports.Send(operation.UpgradeProgress{Step: operation.StepCheckAgain})
		if ask.Accepted = r.checkAgain(ctx, site, ask, accepted); r.Err == nil && len(r.found) == 0 {
			ask.NoUploads = r.again.facts.NoUploads
			r.run, r.Result = site.StartUpgrade(ctx, ask, reporter(reports))
		}
		if errors.Is(r.Err, operation.ErrSettingsChanged) {
			r.settings, r.settingsErr = site.UpgradeSettings(ctx, ask)
		}
		return views.Retry{Do: func() tea.Cmd {
			if !s.sending || !began.Equal(s.began) {
				return nil
			}
			return s.sent(r)
		}}
	})
	return tea.Batch(send, s.reports.Listen(s.Scope, s.progressed))
}

// checkAgain repeats the checks of the pre-flight, as the command makes them before it sends: hours may
// have passed, and others work on the site. It keeps what blocks, or has to be accepted and is not, and
// returns what is accepted.
func (r *sent) checkAgain(ctx context.Context, site operation.Site, ask operation.UpgradeRequest, accepted finding.Accepted) []finding.Finding {
	r.again.read(ctx, site, ask, false, true)
	status := r.again.facts.Status
	r.Result = ask.Prepare(site).Result(adminapi.OutcomeNotSent, nil)
	switch {
	case errors.Is(status.Err, adminapi.KindSignIn):
		r.Err = status.Err
	case progress.Runs(status.Value):
		r.Err = &operation.RunningError{Status: status.Value}
	default:
		checks := upgrade.Preflight(r.again.facts)
		r.found = finding.Those(checks, func(f finding.Finding) bool { return f.InTheWay() && !accepted.Has(f) })
		slices.SortStableFunc(r.found, finding.Heaviest)
		return finding.AcceptedIn(checks, accepted.Has)
	}
	return nil
}

// reporter passes progress on, without most of the pieces that an upload reports.
func reporter(reports views.Reports[operation.UpgradeProgress]) func(operation.UpgradeProgress) {
	var last int64
	return func(p operation.UpgradeProgress) {
		if p.Step == operation.StepUpload && p.Sent > last && p.Sent < p.Total && p.Sent-last < p.Total/50 {
			return
		}
		last = p.Sent
		reports.Send(p)
	}
}

// sent is the result of a start.
type sent struct {
	operation.Result
	again       factsRead         // right before the request
	found       []finding.Finding // then: nothing was sent because of them
	run         *operation.UpgradeRun
	settings    adminapi.UpgradeSettings // where they have changed
	settingsErr error
}

// answerLate is how long an answer usually takes at most.
const answerLate = 30 * time.Second

// late reports whether the answer is long in coming: the site has begun, or never will.
func (s *start) late() bool {
	return s.sending && !s.asked.IsZero() && s.Env.Clock.Now().Sub(s.asked) >= answerLate
}

// lookWhileSending looks whether the site shows the upgrade whose answer is late.
func (s *start) lookWhileSending() tea.Cmd {
	if !s.late() || s.looking {
		return nil
	}
	s.looking = true
	site, began := s.Env.Site, s.began
	return s.Scope.Work("look", func(ctx context.Context) func() tea.Cmd {
		run, _ := site.SentSince(ctx, began) // the next look may be answered
		return func() tea.Cmd {
			if !began.Equal(s.began) {
				return nil
			}
			s.looking = false
			if !s.sending || s.begun || run == nil {
				return nil
			}
			s.begun = true
			return tea.Batch(s.host.seen(run),
				views.Tell(views.Info, "No answer yet. The site's log shows the "+s.change.kind().Noun()+", or another like it."))
		}
	})
}

// resolve finds out whether the upgrade that runs is that of the request.
func (s *start) resolve(run *operation.UpgradeRun, result operation.Result) tea.Cmd {
	clock, began := s.Env.Clock, s.began
	return s.Scope.Work("resolve", func(ctx context.Context) func() tea.Cmd {
		found, err := polling.Wait(ctx, clock, run.Search(), nil)
		return func() tea.Cmd {
			if !s.begun || !began.Equal(s.began) {
				return nil
			}
			return s.resolved(run, result.Found(found, err))
		}
	})
}

// resolved takes the outcome of a request that was seen, though its answer was lost.
func (s *start) resolved(run *operation.UpgradeRun, r operation.Result) tea.Cmd {
	if errors.Is(r.Err, adminapi.KindSignIn) && !r.Known() {
		return s.Scope.RetryAfterSignIn(r.Err, "resolve", func() tea.Cmd { return s.resolve(run, r) })
	}
	return s.settled(r)
}

// settled ends an attempt that seemed to have begun, and tells what that does not show.
func (s *start) settled(r operation.Result) tea.Cmd {
	s.startState = startState{}
	over := s.host.answered(r.Done())
	noun, theirs := s.change.kind().Noun(), " Someone else started the one that runs."
	var told tea.Cmd
	switch {
	case r.Err == nil:
	case errors.Is(r.Err, operation.ErrUpgradeRuns):
		was := " was sent, and has not begun."
		if !r.Sent() { // it began before
			was = " was not sent."
		}
		told = views.Tell(views.Warning, "Your "+noun+was+theirs)
	case !r.Known():
		told = views.Send(views.Notice{Level: views.Warning, Result: r,
			Text: "It is not known whether the " + noun + " that runs is yours: " + r.Err.Error()})
	case r.Refused():
		s.noteRefusal(r)
		told = views.WriteFailed("The site refused your "+noun+": "+views.Sentence(r.Err.Error())+theirs, r)
	default:
		told = views.WriteFailed("Your "+noun+" was not sent: "+views.Sentence(r.Err.Error())+theirs, r)
	}
	return tea.Batch(over, told)
}

// progressed takes a report of the request under way.
func (s *start) progressed(p operation.UpgradeProgress) tea.Cmd {
	if s.reports == nil {
		return nil
	}
	if last := len(s.steps) - 1; last >= 0 && s.steps[last].Step == p.Step && s.steps[last].File == p.File {
		s.steps[last] = p
	} else {
		s.steps = append(s.steps, p)
	}
	if p.Step == operation.StepSend {
		s.asked = s.Env.Clock.Now()
	}
	return nil
}

// sent takes the result. That of a request that seemed to have begun before shows only now whose the
// upgrade is.
func (s *start) sent(r sent) tea.Cmd {
	switch {
	case len(r.found) > 0:
		return s.host.stopped(r.again, r.found)
	case s.begun && (r.run == nil || r.Known()):
		return s.settled(r.Result)
	case s.begun:
		return s.resolve(r.run, r.Result)
	}
	s.sending, s.result = false, r.Result
	switch {
	case r.Done():
		return s.host.began(r.run, r.run.First)
	case !r.Known():
		s.lost = &lostAnswer{run: r.run}
		s.lost.poll = views.NewPoll(s.Scope, s.Env.Clock, "find", r.run.Search(), func(step polling.Step[operation.Resolution], err error) tea.Msg {
			return views.Retry{Do: func() tea.Cmd { return s.found(step, err) }}
		})
		return s.pollNow()
	case r.Refused():
		back := s.refused(r.Result)
		switch {
		case r.WantsSignIn():
			return tea.Batch(back, s.signIn(r.Err))
		case s.change.hasSettings(): // there the key of What now is text
			return tea.Batch(back, whatnow.Unasked(s.Env, s.change.refusal.facts))
		}
		return back
	case errors.Is(r.Err, operation.ErrUnresolved):
		s.change.problem = "Nothing was sent: the outcome of an earlier request is not known."
		return tea.Batch(s.goBackTo(reviewing), views.WriteFailed("", r.Result))
	case errors.Is(r.Err, operation.ErrSettingsChanged):
		return s.settingsChanged(r)
	case r.WantsSignIn():
		return s.signIn(r.Err)
	case s.change.refuseUploads(r.Err):
		return s.goBackTo(answering)
	}
	return nil
}

// signIn asks for a sign-in after which nothing is sent by itself.
func (s *start) signIn(err error) tea.Cmd {
	return views.Send(views.SignIn{Reason: adminapi.SignInText(err) + " Sign in to continue.", Undone: "The " + s.change.kind().Noun() + " was not sent."})
}

// refused shows the site's error in the settings, or in the review where there are none.
func (s *start) refused(r operation.Result) tea.Cmd {
	s.noteRefusal(r)
	if s.change.hasSettings() {
		return s.goBackTo(answering)
	}
	return s.goBackTo(reviewing)
}

func (s *start) noteRefusal(r operation.Result) {
	c, facts := s.change, incident.WriteFactsOf(r, whatnow.Around(s.Env))
	c.problem = "The site refused it: " + r.Err.Error()
	x := explain.Write(facts)
	c.refusal = &refusal{facts, s.began, c.problem, x.Next.Text}
	c.Forget(explain.CheckOf(x.Cause.ID)) // what was accepted of it is accepted anew
}

// settingsChanged goes back to the settings, which are those of now with the answers that
// still fit.
func (s *start) settingsChanged(r sent) tea.Cmd {
	c := s.change
	c.problem = views.Sentence(r.Err.Error()) + " Nothing was sent. Check them and go on."
	if r.settingsErr != nil {
		c.problem = views.Sentence(r.Err.Error()) + " They could not be read: " + r.settingsErr.Error()
	} else {
		c.takeSettings(r.settings)
		c.facts.Settings = adminapi.FactOf(s.Env.Clock.Now(), r.settings, nil)
	}
	return s.goBackTo(answering)
}

func (s *start) goBackTo(step step) tea.Cmd {
	s.forget()
	return s.host.open(step)
}

// forget discards an attempt that is over.
func (s *start) forget() {
	s.Scope.Forget("find")
	s.Scope.Forget("look")
	s.startState = startState{}
}

// pollNow polls the site at once.
func (s *start) pollNow() tea.Cmd {
	if !s.searching() { // the sign-in before it took a while
		return nil
	}
	s.lost.next = s.Env.Clock.Now()
	return s.lost.poll.Now()
}

// found takes the finding of a poll.
func (s *start) found(step polling.Step[operation.Resolution], err error) tea.Cmd {
	l, now := s.lost, s.Env.Clock.Now()
	if l == nil {
		return nil
	}
	l.poll.Received()
	l.err = err
	switch {
	case errors.Is(err, adminapi.KindSignIn):
		return s.Scope.RetryAfterSignIn(err, "find", s.pollNow)
	case err != nil:
		return nil
	}
	l.found, l.over = step.Value, step.Done
	if step.Unreachable == nil {
		l.polled = now
	}
	switch r := s.result.Found(l.found, nil); {
	case r.Done():
		return s.host.began(l.run, l.found.Status)
	case r.Refused():
		return s.refused(r)
	case !s.searching():
		return nil
	}
	l.next = now.Add(step.Wait)
	return l.poll.After(step.Wait)
}

// back goes back to the review, or where the outcome is not known, after a question, to
// the picker.
func (s *start) back() tea.Cmd {
	switch {
	case s.searching():
		return views.Show(widget.NewConfirm(s.Env.Theme, widget.Question{
			ID: "upgrade.leave", Text: "Stop waiting for the outcome?",
			Consequence: "The outcome stays unknown. Nothing is sent again. The list shows the " + s.change.kind().Noun() + " if it runs.",
			Yes:         "stop waiting", No: "keep waiting",
			Then: s.Scope.Call("leave", func() tea.Cmd {
				if s.lost == nil { // it was found meanwhile
					return nil
				}
				return s.leave()
			}),
		}))
	case s.lost != nil:
		return s.leave()
	}
	return s.goBackTo(reviewing)
}

func (s *start) leave() tea.Cmd {
	s.host.leave()
	return s.host.readOffers()
}
