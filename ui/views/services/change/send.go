package change

import (
	"context"
	"errors"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/widget"
)

// sendConfirmed says that sending a plan was confirmed.
type sendConfirmed struct {
	run    int // of the flow
	plan   int
	beside bool // although another program has one of the edits
}

// send sends once: the step changes before anything is sent, so that a second
// confirmation does nothing.
func (f *Flow) send(r sendConfirmed) tea.Cmd {
	if r.run != f.run || f.step != reviewing {
		return nil
	}
	if why := f.host.NoChanges(); why != "" { // it began while the question was open
		return views.Tell(views.Warning, why)
	}
	if f.replanning || r.plan != f.plan { // another plan was confirmed
		return views.Tell(views.Warning, "Nothing was sent. "+replanningText)
	}
	f.step, f.began, f.begun, f.requests, f.showsRequests = sending, f.Env.Clock.Now(), nil, nil, false
	f.progress, f.settled = views.NewReports[report](), map[string]bool{}
	f.lay()
	edits := f.confirmed(slices.Clone(f.edits))
	for i := range edits {
		edits[i].AllowNone = len(edits[i].Plan.Unschedulable()) > 0
	}
	site, progress, several := f.Env.Site, f.progress, f.several
	send := f.Scope.Write(func(ctx context.Context) tea.Msg {
		defer close(progress)
		if of, holder := heldElsewhere(site, edits); holder != nil && !r.beside {
			return heldBack{r, of, *holder}
		}
		applied := batching.Apply(ctx, site, edits, several, func(service adminapi.ServiceRef, p operation.EditProgress) {
			progress.Send(report{service: service, EditProgress: p})
		})
		return sent{mergedResults(applied, edits)}
	})
	return tea.Batch(send, f.listen())
}

// result is the result of one edit, merged with what the site has now.
type result struct {
	operation.AppliedEdit
	merge editing.Merge // after a drift
}

// mergedResults runs in a command: definitions may be long.
func mergedResults(applied []operation.AppliedEdit, edits []batching.PlannedEdit) (results []result) {
	for _, a := range applied {
		r := result{AppliedEdit: a}
		if drift, ok := errors.AsType[*editing.DriftError](a.Err); ok {
			r.merge = editOf(edits, a.Target).Merging(drift.Theirs)
		}
		results = append(results, r)
	}
	return results
}

func editOf(edits []batching.PlannedEdit, target editing.Target) editing.Edit {
	for _, e := range edits {
		if e.Same(target) {
			return e.Edit
		}
	}
	return editing.Edit{Target: target}
}

// heldElsewhere returns the draft of another program that has one of the edits, and its
// target; nil for none. A draft that cannot be read prevents nothing: what the site has
// is compared in any case.
func heldElsewhere(site operation.Site, edits []batching.PlannedEdit) (of editing.Target, holder *journal.Draft) {
	for _, e := range edits {
		if e.Refused != nil || e.Unchanged() {
			continue
		}
		if holder, _ := site.Memory.EditDraftHolder(e.Target); holder != nil {
			return e.Target, holder
		}
	}
	return of, nil
}

// heldBack says that nothing was sent: another program has one of the edits.
type heldBack struct {
	confirmed sendConfirmed
	of        editing.Target
	holder    journal.Draft
}

// askHeld asks whether to send nevertheless.
func (f *Flow) askHeld(r heldBack) tea.Cmd {
	if r.confirmed.run != f.run || f.step != sending {
		return nil
	}
	f.step = reviewing
	f.lay()
	beside := r.confirmed
	beside.beside = true
	return tea.Batch(f.tellUnsent(), views.Send(views.Open{Unrequested: true, Dialog: widget.NewConfirm(f.Env.Theme, widget.Question{
		ID: "services.send-beside", Text: "Nothing was sent. Send it despite the edit of " + r.holder.Program.Who() + "?",
		Consequence: editor.HeldBy(f.Env.Times, r.holder, "the "+plain.Line(r.of.String())) +
			" Its text stays. Sending that text later starts a merge.",
		Yes: "send", No: "do not send",
		Then: f.Scope.Do("send confirmed", func(context.Context) tea.Msg { return beside }),
	})}))
}

// earlierRead says whether the outcome of an earlier request prevents the change: it is asked
// before the question, not after it.
type earlierRead struct {
	run     int
	unasked bool
	err     error
}

// look looks for the outcome that is unknown: of this change, or of the one that prevents it.
func (f *Flow) look() tea.Cmd {
	if f.search != nil {
		f.search.asked = true
		return f.searchNow()
	}
	return f.checkEarlier(editing.Target{Service: f.last().Service}, false)
}

// unknownEarlier returns the first service with an edit of unknown outcome among those to be sent.
func (f *Flow) unknownEarlier() (of editing.Target, is bool) {
	if f.UnknownSince == nil {
		return of, false
	}
	for _, e := range f.toSend() {
		if !f.UnknownSince(e.Service.Path()).IsZero() {
			return e.Target, true
		}
	}
	return of, false
}

func (f *Flow) checkEarlier(of editing.Target, unasked bool) tea.Cmd {
	site, r := f.Env.Site, earlierRead{run: f.run, unasked: unasked}
	return f.Scope.Do("earlier", func(ctx context.Context) tea.Msg {
		r.err = site.CheckSend(ctx, adminapi.TargetService(of.Service))
		return r
	})
}

func (f *Flow) earlierRead(r earlierRead) tea.Cmd {
	earlier, open := errors.AsType[*operation.UnresolvedError](r.err)
	switch {
	case r.run != f.run || !f.Active():
		return nil
	case open:
		return views.Send(views.Unresolved{Earlier: earlier})
	case f.step == reviewing:
		if why := f.cannotSend(); why != "" { // by now: the site was asked
			return tea.Batch(f.host.Ended(), views.Tell(views.Warning, why))
		}
		return tea.Batch(f.host.Ended(), f.sendQuestion(r.unasked))
	case r.err != nil:
		return views.TellError(r.err)
	}
	return tea.Batch(f.host.Ended(), views.Tell(views.Info, views.Keys("Nothing is in the way now. Go back, then press {key:services.send}.")))
}

// sent is the results of the edits that were tried.
type sent struct{ results []result }

func (f *Flow) sent(r sent) tea.Cmd {
	if f.step != sending || len(r.results) == 0 {
		return nil
	}
	defer f.lay()
	f.step, f.results = ended, r.results
	last := f.last()
	var cmds []tea.Cmd
	for _, result := range r.results {
		cmds = append(cmds, f.settle(result.AppliedEdit))
	}
	cmds = append(cmds, f.host.Ended())
	switch {
	case last.merge.Theirs != nil && !f.several:
		f.site, f.seen = last.merge.Theirs, f.Env.Clock.Now()
		f.conflict(last.merge)
	case !last.Known():
		cmds = append(cmds, f.searchOutcome(editOf(f.edits, last.Target), last.Applied.Search, last.Result))
	case errors.Is(last.Err, operation.ErrUnresolved):
		cmds = append(cmds, views.WriteFailed("", last.Result))
	case last.WantsSignIn() && len(r.results) == 1:
		f.step = reviewing
		reason := fmt.Errorf("the %s was not sent: %w", last.Part, last.Err)
		return tea.Batch(append(cmds, f.tellUnsent(), f.Scope.RetryAfterSignIn(reason, "send", f.ofRun(f.resend)))...)
	case last.WantsSignIn() && f.canContinue():
		reason := fmt.Errorf("%s not sent: %w", notSent(len(f.remaining())), last.Err)
		cmds = append(cmds, f.Scope.RetryAfterSignIn(reason, "send", f.ofRun(f.resumeRemaining)))
	case last.Kept() || last.Applied.Stored == operation.StoredNew:
		cmds = append(cmds, f.follow())
	}
	if f.away {
		cmds = append(cmds, f.tellOutcome())
	}
	return tea.Batch(cmds...)
}

// settle tells the host what the site has after an edit, once: of several as each ends, so that none
// of them is called a draft while the next is sent.
func (f *Flow) settle(a operation.AppliedEdit) tea.Cmd {
	path := a.Service.Path()
	if f.settled[path] {
		return nil
	}
	f.settled[path] = true
	if a.Done() && f.others.Edit.Same(a.Target) { // from here on it is one's own
		f.others = editing.Merge{}
	}
	s := Settled{Edit: editOf(f.edits, a.Target), Done: a.Done(), Touched: a.Touched(), Ended: a.Applied.Job.EndTime}
	if s.Ended == 0 && !f.several && f.comesBack(a.Service) { // it was done at once
		s.Ended = adminapi.MillisOf(f.Env.Times.Site().Now())
	}
	if a.Sent() {
		s.Sent = f.began
	}
	if a.Applied.Stored != operation.StoredOld {
		s.Now = a.Applied.Now
	}
	return f.host.Settled(s)
}

// notSent names so many services with their verb.
func notSent(services int) string {
	if services == 1 {
		return "1 service was"
	}
	return plain.Plural(services, "service") + " were"
}

// tellUnsent says where the page of the change was left that its review waits there.
func (f *Flow) tellUnsent() tea.Cmd {
	if !f.away {
		return nil
	}
	return views.Tell(views.Warning, "The edit of "+plain.Line(f.about())+" was not sent; open it.")
}

// tellOutcome says how a change ended whose page was left. The rest stands on its page, which
// a service of it opens.
func (f *Flow) tellOutcome() tea.Cmd {
	r := f.last()
	what, left := plain.Line(r.Target.String()), len(f.remaining())
	arrived := f.search.arrived()
	switch {
	case left > 0 && (arrived || r.Done() && !r.Down()):
		total := len(slices.DeleteFunc(slices.Clone(f.edits), batching.PlannedEdit.Unchanged))
		return views.Tell(views.Warning, fmt.Sprintf("%d of %d sent; %d not sent; open one of them.", total-left, total, left))
	case arrived:
		return views.Tell(views.Success, "The site has the new "+what+": only the answer was lost.")
	case errors.Is(r.Err, operation.ErrUnresolved):
		return nil // it is told
	case !r.Done() || r.Down():
		_, word := f.brief(r)
		text := plain.Line(r.Service.Path()) + ": " + word + "; open it."
		if f.several {
			text = fmt.Sprintf("%d of %d: ", len(f.results), f.sendable()) + text
		}
		return views.Send(views.Notice{Level: views.Failure, Text: text, Result: f.result()})
	case r.Applied.ReadBackErr != nil:
		return views.Tell(views.Warning, plain.Line(r.Service.Path())+": accepted, but not read back; open it.")
	}
	if f.several {
		return views.Tell(views.Success, "The change was sent to "+plain.Plural(len(f.results), "service")+"; open one of them.")
	}
	return views.Tell(views.Success, "The site has the new "+what+".")
}

// resend asks once more after a sign-in.
func (f *Flow) resend() tea.Cmd {
	if f.step != reviewing {
		return nil
	}
	return f.askToSend(true)
}

// ofRun is what asks only while the change is the one that it was made for.
func (f *Flow) ofRun(ask func() tea.Cmd) func() tea.Cmd {
	run := f.run
	return func() tea.Cmd {
		if run != f.run {
			return nil
		}
		return ask()
	}
}

// follow begins to follow the service until it answers. Of several each was waited for.
func (f *Flow) follow() tea.Cmd {
	if tab, _ := f.host.Origin(f.target()); f.followed != nil || f.several || f.away && tab != "" { // another service is open
		return nil
	}
	followed, cmd := f.pods.FollowEdit(editOf(f.edits, f.target()), f.reviewed().Moves)
	f.followed = followed
	return cmd
}
