package change

import (
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/views/services/result"
	"geodeck/ui/views/services/sending"
)

// planned reviews a plan, or has another one made with newer nodes.
func (f *Flow) planned(r planned) tea.Cmd {
	if f.step != stepCheck && (f.step != stepReview || !f.review.Replanning()) {
		return nil
	}
	defer f.lay()
	if err := r.signIn(); err != nil {
		again := f.replan
		switch {
		case f.result != nil: // a plan of the services that are left
			again, f.step = f.continueLeft, stepResult
		case f.review == nil && r.failed != nil: // of an interrupted batch
			return r.failed(err)
		default:
			f.toReview()
		}
		return f.Scope.RetryAfterSignIn(err, "plan", f.ofRun(again))
	}
	first := r.edits[0]
	if why, is := errors.AsType[*editing.OneServiceError](first.Refused); is {
		f.toReview()
		f.review.Alone()
		return views.Tell(views.Warning, views.Sentence(why.Why))
	}
	if first.Part == editing.Placement {
		switch {
		case f.nodes.Version() == 0 && len(r.nodes.List) > 0:
			f.nodes.Take(r.nodes)
		case r.version != f.nodes.Version(): // it was made with older nodes
			return r.again()
		}
	}
	f.facts.Deployments.Read(r.shared)
	for _, e := range r.edits {
		for _, move := range e.Plan.Moves {
			f.facts.Deployments.Note(e.Service.Path(), move.After)
		}
	}
	f.plan.Edits, f.plan.Several, f.version = r.edits, r.services != nil, f.nodes.Version()
	if f.plan.Several && f.planner.of.Edited == nil { // of an interrupted batch
		f.planner.keep(r.edits)
	}
	if !f.plan.Several && first.Unchanged() {
		f.step = stepNone
		return views.Tell(views.Info, "No changes to send.")
	}
	return f.reviewed()
}

// reviewed shows the review of the plan.
func (f *Flow) reviewed() tea.Cmd {
	if f.result != nil {
		f.result.Close()
		f.result = nil
	}
	if f.review == nil && f.read != nil && f.read.Makes(f.plan) { // what was accepted there stays so
		f.review = f.read
	}
	if f.review == nil {
		f.review = f.newReview()
	}
	f.show(stepReview)
	read := f.review.Set(f.plan, f.merge)
	if f.resuming {
		f.resuming = false
		return tea.Batch(read, f.review.Ask(true))
	}
	return read
}

// toReview goes back to the review of a plan that was not sent.
func (f *Flow) toReview() {
	if f.review == nil {
		f.review = f.newReview()
	}
	f.review.Reopen()
	f.show(stepReview)
}

// NodesChanged makes the plan of a reviewed change of rules once more, with the new nodes.
// The review of one service stays on the screen meanwhile: a name may just be typed into it.
func (f *Flow) NodesChanged() tea.Cmd {
	if f.step != stepReview || f.Target().Part != editing.Placement || f.version == f.nodes.Version() {
		return nil
	}
	f.review.Replan()
	if f.plan.Several {
		return f.planFor(f.plan.Services())
	}
	return f.planner.one(f.plan.First().Edit)
}

// planMarked plans the reviewed change for all marked services.
func (f *Flow) planMarked() tea.Cmd {
	f.planner.of = f.plan.First().Edit
	return f.planFor(f.review.Same())
}

// planFor plans the change on several services.
func (f *Flow) planFor(services []adminapi.ServiceRef) tea.Cmd {
	f.review.Close()
	f.show(stepCheck)
	return f.planner.many(services)
}

// replan plans the change for all marked services after a sign-in.
func (f *Flow) replan() tea.Cmd {
	if f.step != stepReview || f.review.NotForAll() != "" {
		return nil
	}
	return f.planMarked()
}

// Continue plans what is left of a batch that a program has left. What the site has by now is not sent
// again.
func (f *Flow) Continue(batch batching.Interrupted) tea.Cmd {
	f.begin(time.Time{})
	return f.planner.left(batch, func(err error) tea.Cmd {
		if f.step != stepCheck {
			return nil
		}
		closed := f.close()
		if errors.Is(err, adminapi.KindSignIn) {
			return tea.Batch(closed, f.Scope.RetryAfterSignIn(err, "plan", func() tea.Cmd { return f.Continue(batch) }))
		}
		return tea.Batch(closed, views.TellError(err))
	})
}

// canContinue reports whether the change can be planned for the services that are left.
func (f *Flow) canContinue() bool { return f.step == stepResult && f.result.CanContinue() }

// continueLeft plans the change for the services that are left, for one review.
func (f *Flow) continueLeft() tea.Cmd {
	if !f.canContinue() {
		return nil
	}
	services := f.result.Left()
	f.host.MarkOnly(services)
	return f.planFor(services)
}

// resumeLeft is continueLeft after a sign-in, and asks then.
func (f *Flow) resumeLeft() tea.Cmd {
	f.resuming = f.canContinue()
	return f.continueLeft()
}

// send sends a plan that was confirmed. The step changes before anything is sent.
func (f *Flow) send(of plan.Plan, beside bool) tea.Cmd {
	f.sending = sending.New(f.Child(), f.inks, of,
		sending.Handlers{Settled: f.settled, Restarts: f.host.Restarts, Held: f.held, Sent: f.sent})
	f.show(stepSending)
	return f.sending.Send(beside)
}

// settled tells the host what the site has after an edit.
func (f *Flow) settled(s Settled) tea.Cmd {
	if s.Done && f.others.Edit.Same(s.Edit.Target) { // from here on it is one's own
		f.others = editing.Merge{}
	}
	return f.host.Settled(s)
}

// held asks whether to send nevertheless what another program has, too.
func (f *Flow) held(of editing.Target, holder journal.Draft) tea.Cmd {
	f.toReview()
	return tea.Batch(f.tellUnsent(), f.review.AskHeld(of, holder))
}

// sent leads to the result, to a conflict, or back to the review.
func (f *Flow) sent(results []sending.Result) tea.Cmd {
	of := result.End{Plan: f.plan, Results: results, Began: f.Since()}
	last := of.Last()
	switch {
	case last.Merge.Theirs != nil && !f.plan.Several:
		f.site, f.seen = last.Merge.Theirs, f.Env.Clock.Now()
		var told tea.Cmd
		if f.away {
			told = of.Tell()
		}
		return tea.Batch(f.facts.Drafts.LoadOpen(), f.conflicted(last.Merge), told)
	case last.WantsSignIn() && len(results) == 1:
		f.toReview()
		reason := fmt.Errorf("the %s was not sent: %w", last.Part, last.Err)
		ask := f.review.WhileOpen(func() tea.Cmd { return f.review.Ask(true) })
		return tea.Batch(f.facts.Drafts.LoadOpen(), f.tellUnsent(), f.Scope.RetryAfterSignIn(reason, "send", ask))
	}
	return f.ended(of)
}

// Follow shows how an edit goes on that an earlier program sent.
func (f *Flow) Follow(edit batching.PlannedEdit, sent operation.AppliedEdit, at time.Time) tea.Cmd {
	f.begin(time.Time{})
	f.plan.Edits = []batching.PlannedEdit{edit}
	return f.ended(result.End{Plan: f.plan, Results: []sending.Result{{AppliedEdit: sent}}, Began: at})
}

// followEarlier shows the edit whose job kept this one from being sent.
func (f *Flow) followEarlier(service adminapi.ServiceRef) tea.Cmd {
	return tea.Batch(f.close(), f.host.Follow(service))
}

// ended shows the result.
func (f *Flow) ended(of result.End) tea.Cmd {
	f.result = f.newResult(of)
	f.show(stepResult)
	begun := f.result.Begin()
	f.lay()
	return tea.Batch(f.facts.Drafts.LoadOpen(), begun)
}

// tellUnsent says where the page of the change was left that its review waits there.
func (f *Flow) tellUnsent() tea.Cmd {
	if !f.away {
		return nil
	}
	return views.Tell(views.Warning, "The edit of "+plain.Line(f.About())+" was not sent; open it.")
}
