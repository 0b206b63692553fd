package edits

import (
	"cmp"
	"context"
	"errors"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// Change is an edit of a part of a service: it is reviewed, sent once, and its result is
// printed.
type Change struct {
	command.Env
	Site    operation.Site
	Edit    batching.PlannedEdit
	Options Options
	Ask     *command.Prompter // about lost keys, and whether to send; nil asks nothing
}

// Run reviews, sends and reports the change.
func (c Change) Run(ctx context.Context) error {
	c.Options.noteNotLost(c.Env, c.Edit)
	if len(c.Edit.Plan.Changes) == 0 {
		if c.Out.JSON() {
			return c.print(editJSON{Outcome: batchUnchanged, Text: "it " + c.Edit.Has()})
		}
		return c.Out.PrintLine("no changes; nothing was sent")
	}
	noteShared(ctx, c.Out, c.Site, &c.Edit)
	if !c.Out.JSON() {
		if err := PrintReview(c.Out, c.Edit); err != nil {
			return err
		}
	}
	if c.Options.savePlan != "" {
		return c.writePlan()
	}
	if c.Ask != nil && !c.Options.dryRun && c.Edit.Blocked() == nil {
		if err := confirm(ctx, c.Ask, &c.Edit); err != nil {
			return c.refused(editJSON{Outcome: batchNotSent}, err)
		}
	}
	if !c.Options.dryRun {
		return c.send(ctx)
	}
	return c.printDryRun(ctx)
}

// printDryRun prints what would be sent, and why it would not be.
func (c Change) printDryRun(ctx context.Context) error {
	refusal := unsent(c.Exit, c.Edit.Target, c.Edit.Sendable())
	var request *adminapi.Request
	if refusal == nil {
		r, err := operation.PrepareEdit(c.Edit.Edit, c.Site).Request(ctx)
		if err != nil {
			return c.refused(editJSON{Outcome: batchNotSent}, unsent(c.Exit, c.Edit.Target, err))
		}
		request, refusal = &r, Named(c.Edit.Target, c.Session.CheckSend(ctx, adminapi.TargetService(c.Edit.Service)))
	}
	if c.Out.JSON() {
		if refusal == nil {
			return c.print(editJSON{Outcome: batchPlanned, Request: request})
		}
		outcome := batchNotSent
		if request == nil {
			outcome = batchRefused
		}
		return c.refused(editJSON{Outcome: outcome, Request: request}, refusal)
	}
	if request == nil {
		return refusal
	}
	return cmp.Or(command.PrintRequest(c.Out, *request), refusal)
}

// Planned makes the plan of an edit once, for review, send and result.
func Planned(site operation.Site, edit editing.Edit) batching.PlannedEdit {
	edit.Keys = site.Memory.Keys()
	p := batching.PlannedEdit{Edit: edit, Plan: edit.Plan()}
	p.Plan.Findings = linesOfFile(edit.Part, p.Plan.Findings)
	return p
}

// print prints what became of the edit, as one of several is printed.
func (c Change) print(result editJSON) error {
	result.ReviewJSON = ReviewOf(c.Edit)
	return output.PrintList(c.Out, []editJSON{result})
}

// refused prints in JSON what the change would have done. As text it was printed before.
func (c Change) refused(result editJSON, refusal error) error {
	if c.Out.JSON() {
		result.Text = reason(refusal)
		if err := c.print(result); err != nil {
			return err
		}
	} else if f, ok := errors.AsType[*exit.Failure](refusal); ok && f.Kind == kindBlocked {
		f.Details = f.Details[1:] // the error names the first
	}
	return refusal
}

// send sends once and finds the outcome.
func (c Change) send(ctx context.Context) error {
	if err := c.Session.MaySend(ctx, c.Site, adminapi.TargetService(c.Edit.Service)); err != nil {
		return c.refused(editJSON{Outcome: batchNotSent}, err)
	}
	applied := c.apply(ctx)
	var result editJSON
	result.became(applied)
	switch {
	case !applied.Sent():
		return c.refused(result, unsent(c.Exit, c.Edit.Target, applied.Err))
	case applied.Refused():
		return c.refused(result, c.Exit.Of(applied.Result))
	case applied.Lost(), !applied.Known() && ctx.Err() == nil: // who ends the wait for its job learns what was sent
		lost := c.Exit.Of(applied.Result)
		if f, is := errors.AsType[*exit.Failure](lost); is && c.Edit.Unread != nil {
			f.Advice = "Look at the service itself before you send it again. Then: --again " + plain.ShellWord(c.Edit.Service.Path())
		}
		return c.refused(result, lost)
	}
	return c.printApplied(ctx, applied, result)
}

// apply sends once. Where the answer is lost it finds the outcome.
func (c Change) apply(ctx context.Context) (a operation.AppliedEdit) {
	a.Target, c.Wait.About = c.Edit.Target, c.Edit.Service.Path()
	a.Applied, a.Result = c.Site.ApplyEdit(ctx, c.Edit.Edit, c.Wait.ReportEdit)
	if !a.Lost() || ctx.Err() != nil {
		return a
	}
	answer := command.Loss{Note: c.Out.Note}
	answer.Lost(a.Err)
	found, err := polling.Wait(ctx, c.Session.Clock(), a.Applied.Search, c.reportSearch)
	a.Applied.Job, a.Applied.Now, a.Applied.Stored, a.Result = found.Job, found.Now, found.Stored, a.Found(found, err)
	if a.Done() {
		answer.Found()
	}
	return a
}

// reportSearch reports the job that edits the service, after a lost answer.
func (c Change) reportSearch(s polling.Step[operation.Resolution]) {
	job := s.Value.Job
	if s.Value.Shows == operation.ShowsRunning || s.Done && job.Completed() {
		c.Wait.ReportJob(polling.Step[adminapi.Job]{Value: job, Unreachable: s.Unreachable})
	}
	if s.Done && job.ID != "" {
		c.Wait.ReportEdit(operation.EditProgress{Step: operation.StepReadBack})
	}
}

// adviceHealth is the advice after an edit. Older sites have no health checks.
func adviceHealth(site operation.Site) string {
	if version, known := site.Client.Version(); known && !version.AtLeast(adminapi.VersionHealth) {
		return "See whether the services run: {command:service list --state}"
	}
	return "Check the site: {command:health run}"
}

// printApplied prints the result of an edit that the site accepted.
func (c Change) printApplied(ctx context.Context, edit operation.AppliedEdit, result editJSON) error {
	applied, err := edit.Applied, edit.Err
	missing, notKept := errors.AsType[*editing.NotStoredError](err)
	after := c.answer(ctx)
	if c.Out.JSON() {
		result.Text, result.State = after.Text(), AnswerOf(after)
		if err != nil {
			result.Text = err.Error()
		}
		if err := c.print(result); err != nil {
			return err
		}
	}
	switch {
	case notKept:
		return &exit.Failure{Code: exit.Failed, Kind: "not kept", Err: err, Details: ChangeLines(missing.Changes),
			Advice: restoreAdvice(c.Edit.Target, applied)}
	case errors.Is(err, operation.ErrJobBroken):
		f := c.Exit.Explain(err)
		f.Details, f.Advice = []string{applied.Stored.Text(c.Edit.Part)}, restoreAdvice(c.Edit.Target, applied)
		return f
	case err != nil:
		return err
	case applied.ReadBackErr != nil:
		c.Out.Note("warning: accepted, but could not be read back: " + applied.ReadBackErr.Error())
	}
	switch after.Answer() {
	case availability.AnswerWaiting:
		c.Out.Note("warning: the service does not answer yet: " + after.Text() + ". Follow it: " + operation.CommandText("service status --wait", c.Edit.Service.Path()))
	case availability.AnswerUnknown:
		c.Out.Note("warning: it is not known whether the service answers")
	}
	if c.Out.JSON() {
		return nil
	}
	return c.printDone(applied, after)
}

// answer reads once how the service stands after its edit.
func (c Change) answer(ctx context.Context) availability.Snapshot {
	var ids []string
	if c.Edit.Part == editing.Definition { // pods whose rules have changed are replaced one by one: see --wait
		ids = editing.DeploymentsOf(c.Edit.Part, c.Edit.Edited)
	}
	return c.Site.Availability().Read(ctx, c.Edit.Service, ids)
}

func (c Change) printDone(applied operation.Applied, after availability.Snapshot) error {
	target := c.Edit.Target
	text := "done: the site has the " + target.String() + " that was sent"
	if applied.ReadBackErr != nil {
		text = "accepted: the " + target.String() + " was sent"
	}
	lines := []string{text}
	if a := after.Answer(); a == availability.AnswerRunning || a == availability.AnswerStopped {
		lines = append(lines, "The service: "+after.Text())
	}
	lines = append(lines, c.Session.Commands(restoreAdvice(target, applied)))
	if target.Part == editing.Placement && c.Edit.Unread == nil {
		lines = append(lines, c.Session.Commands("Follow its pods: "+commandOn(target, "pods --wait")))
	}
	return c.Out.PrintLines(append(lines, c.Session.Commands(adviceHealth(c.Site)))...)
}

// ReadToEdit reads what the site has. It refuses what cannot be edited without loss.
func ReadToEdit(ctx context.Context, site operation.Site, target editing.Target) (editing.Content, error) {
	now, err := site.Read(ctx, target)
	if _, odd := errors.AsType[*document.SyntaxError](err); odd {
		return now, exit.Refusal("cannot be edited", "View it: "+commandOn(target, "get"), err)
	}
	return now, err
}

// commandOn names a command on a part of a service, such as placement get.
func commandOn(target editing.Target, verb string, more ...string) string {
	return operation.CommandText(target.Part.Noun()+" "+verb, append([]string{target.Service.Path()}, more...)...)
}

// PathsOf reads the paths that were given with a flag.
func PathsOf(flag string, texts []string) ([]document.Path, error) {
	paths := make([]document.Path, len(texts))
	for i, text := range texts {
		var err error
		if paths[i], err = document.ParsePath(text); err != nil {
			return nil, exit.BadInputf("--%s: %w", flag, err)
		}
	}
	return paths, nil
}

// Rebase brings an edit onto what the site has now. At places that others changed too it overwrites
// them, which has to be accepted. Without a base it is sent as it is.
func Rebase(edit editing.Edit, now *document.Document) editing.Edit {
	if edit.Base == nil {
		edit.Base = now
		return edit
	}
	return edit.Merging(now).WithMine()
}
