package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

// change is an edit of a part of a service: it is reviewed, sent once, and its result is
// printed.
type change struct {
	shared
	site    operation.Site
	edit    batching.PlannedEdit
	options sendOptions
	ask     *prompter // about lost keys, and whether to send; nil asks nothing
}

// run reviews, sends and reports the change.
func (c change) run(ctx context.Context) error {
	for _, path := range c.edit.AllowRemoved {
		if !slices.Contains(c.edit.Plan.RemovedKeys, path) { // probably mistyped
			c.out.Note("warning: --allow-lost " + path.String() + ": that key is not lost")
		}
	}
	if len(c.edit.Plan.Changes) == 0 {
		if c.out.JSON() {
			return c.out.PrintValue(appliedJSON{reviewJSON: reviewOf(c.edit)})
		}
		return c.out.PrintLine("no changes; nothing was sent")
	}
	if !c.out.JSON() {
		if err := printReview(c.out, c.edit); err != nil {
			return err
		}
	}
	if c.options.savePlan != "" {
		return c.writePlan()
	}
	if c.ask != nil && !c.options.dryRun && c.edit.Blocked() == nil {
		if err := confirm(ctx, c.ask, &c.edit.Edit); err != nil {
			return c.refused(false, err)
		}
	}
	if !c.options.dryRun {
		return c.send(ctx)
	}
	return c.printDryRun(ctx)
}

// printDryRun prints what would be sent, and why it would not be.
func (c change) printDryRun(ctx context.Context) error {
	refusal := unsent(c.exit, c.edit.Target, c.edit.Sendable())
	var request *adminapi.Request
	if refusal == nil {
		r, err := operation.PrepareEdit(c.edit.Edit, c.site).Request(ctx)
		if err != nil {
			return c.refused(false, unsent(c.exit, c.edit.Target, err))
		}
		request, refusal = &r, named(c.edit.Target, c.session.checkSend(ctx, adminapi.TargetService(c.edit.Service)))
	}
	if c.out.JSON() {
		return cmp.Or(c.out.PrintValue(appliedJSON{reviewJSON: reviewOf(c.edit), Request: request}), refusal)
	}
	if request == nil {
		return refusal
	}
	return cmp.Or(printRequest(c.out, *request), refusal)
}

// planned makes the plan of an edit once, for review, send and result.
func planned(edit editing.Edit) batching.PlannedEdit {
	p := batching.PlannedEdit{Edit: edit, Plan: edit.Plan()}
	p.Plan.Findings = linesOfFile(edit.Part, p.Plan.Findings)
	return p
}

// linesOfFile removes line numbers that do not belong to the file that the user gave:
// rules are put into the text of the site, where their lines differ.
func linesOfFile(part editing.Part, findings []finding.Finding) []finding.Finding {
	if part != editing.Placement {
		return findings
	}
	placed := slices.Clone(findings)
	for i := range placed {
		placed[i].At.Line = 0
	}
	return placed
}

const kindBlocked = "blocked"

// refused prints in JSON what the change would have done. As text it was printed before.
func (c change) refused(sent bool, refusal error) error {
	if c.out.JSON() {
		if err := c.out.PrintValue(appliedJSON{reviewJSON: reviewOf(c.edit), Sent: sent}); err != nil {
			return err
		}
	} else if f, ok := errors.AsType[*failure](refusal); ok && f.kind == kindBlocked {
		f.details = f.details[1:] // the error names the first
	}
	return refusal
}

// send sends once and finds the outcome.
func (c change) send(ctx context.Context) error {
	if err := c.session.maySend(ctx, c.site, adminapi.TargetService(c.edit.Service)); err != nil {
		return c.refused(false, err)
	}
	applied := c.apply(ctx)
	switch {
	case !applied.Sent():
		return c.refused(false, unsent(c.exit, c.edit.Target, applied.Err))
	case applied.Refused():
		return c.refused(true, c.exit.of(applied.Result))
	case applied.End() == operation.EndLost, !applied.Known() && ctx.Err() == nil: // who ends the wait for its job learns what was sent
		return c.exit.of(applied.Result)
	}
	return c.printApplied(ctx, applied)
}

// apply sends once. Where the answer is lost it finds the outcome.
func (c change) apply(ctx context.Context) (a operation.AppliedEdit) {
	a.Target = c.edit.Target
	a.Applied, a.Result = c.site.ApplyEdit(ctx, c.edit.Edit, c.wait.reportEdit)
	if a.End() != operation.EndLost || ctx.Err() != nil {
		return a
	}
	answer := loss{note: c.out.Note}
	answer.lost(a.Err)
	found, err := polling.Wait(ctx, c.session.clock(), a.Applied.Search, c.reportSearch)
	a.Applied.Job, a.Applied.Now, a.Applied.Stored, a.Result = found.Job, found.Now, found.Stored, a.Found(found, err)
	if a.Done() {
		answer.found()
	}
	return a
}

// reportSearch reports the job that edits the service, after a lost answer.
func (c change) reportSearch(s polling.Step[operation.Resolution]) {
	job := s.Value.Job
	if s.Value.Shows == operation.ShowsRunning || s.Done && job.Completed() {
		c.wait.reportJob(polling.Step[adminapi.Job]{Value: job, Unreachable: s.Unreachable})
	}
	if s.Done && job.ID != "" {
		c.wait.reportEdit(operation.EditProgress{Step: operation.StepReadBack})
	}
}

// adviceHealth is the advice after an edit. Older sites have no health checks.
func adviceHealth(site operation.Site) string {
	if version, known := site.Client.Version(); known && !version.AtLeast(adminapi.VersionHealth) {
		return "See whether the services run: {command:service list --state}"
	}
	return "Check the site: {command:health run}"
}

// kindDrift is the kind of an error because of changes at the site.
const kindDrift = "drift"

// printApplied prints the result of an edit that the site accepted.
func (c change) printApplied(ctx context.Context, edit operation.AppliedEdit) error {
	applied, err := edit.Applied, edit.Err
	missing, notKept := errors.AsType[*editing.NotStoredError](err)
	after := c.answer(ctx)
	if c.out.JSON() {
		result := appliedJSON{reviewJSON: reviewOf(c.edit), Sent: true, Kept: err == nil && applied.ReadBackErr == nil,
			Backup: &applied.Backup, Job: applied.Job.Raw, State: answerOf(after)}
		if notKept {
			result.NotKept = changesJSON(missing.Changes)
		}
		if applied.ReadBackErr != nil {
			result.Unread = applied.ReadBackErr.Error()
		}
		if err := c.out.PrintValue(result); err != nil {
			return err
		}
	}
	switch {
	case notKept:
		return &failure{code: exitFailed, kind: "not kept", err: err, details: changeLines(missing.Changes), advice: restoreAdvice(c.edit.Target, applied)}
	case errors.Is(err, operation.ErrJobBroken):
		f := c.exit.explain(err)
		f.details, f.advice = []string{applied.Stored.Text(c.edit.Part)}, restoreAdvice(c.edit.Target, applied)
		return f
	case err != nil:
		return err
	case applied.ReadBackErr != nil:
		c.out.Note("warning: accepted, but could not be read back: " + applied.ReadBackErr.Error())
	}
	switch after.Answer() {
	case availability.AnswerWaiting:
		c.out.Note("warning: the service does not answer yet: " + after.Text() + ". Follow it: " + operation.CommandText("service status --wait", c.edit.Service.Path()))
	case availability.AnswerUnknown:
		c.out.Note("warning: it is not known whether the service answers")
	}
	if c.out.JSON() {
		return nil
	}
	return c.printDone(applied, after)
}

// answer reads once how the service stands after its edit.
func (c change) answer(ctx context.Context) availability.Snapshot {
	var ids []string
	if c.edit.Part == editing.Definition { // pods whose rules have changed are replaced one by one: see --wait
		ids = editing.DeploymentsOf(c.edit.Part, c.edit.Edited)
	}
	return c.site.Availability().Read(ctx, c.edit.Service, ids)
}

func (c change) printDone(applied operation.Applied, after availability.Snapshot) error {
	target := c.edit.Target
	text := "done: the site has the " + target.String() + " that was sent"
	if applied.ReadBackErr != nil {
		text = "accepted: the " + target.String() + " was sent"
	}
	lines := []string{text}
	if a := after.Answer(); a == availability.AnswerRunning || a == availability.AnswerStopped {
		lines = append(lines, "The service: "+after.Text())
	}
	lines = append(lines, c.session.commands(restoreAdvice(target, applied)))
	if target.Part == editing.Placement {
		lines = append(lines, c.session.commands("Follow its pods: "+commandOn(target, "pods --wait")))
	}
	return c.out.PrintLines(append(lines, c.session.commands(adviceHealth(c.site)))...)
}

// restoreAdvice says how to restore what was there before.
func restoreAdvice(target editing.Target, applied operation.Applied) string {
	return "The old version is saved: " + commandOn(target, "restore", applied.Backup.ID)
}

// unsent explains why an edit was not sent.
func unsent(x *exits, target editing.Target, err error) error {
	if err == nil || errors.Is(err, editing.ErrNothingChanged) {
		return nil
	}
	blocked, isBlocked := errors.AsType[*editing.BlockedError](err)
	lost, isLost := errors.AsType[*editing.RemovedKeysError](err)
	drift, isDrift := errors.AsType[*editing.DriftError](err)
	_, isUnschedulable := errors.AsType[*editing.NoNodeError](err)
	switch {
	case isBlocked:
		f := &failure{code: exitUsage, kind: kindBlocked, err: err}
		for _, broken := range linesOfFile(target.Part, blocked.Findings) {
			f.details = append(f.details, findingLine(broken))
		}
		return f
	case isLost:
		f := refusal("lost keys", "Add them again, or agree to lose each one.", err)
		for _, path := range lost.Paths {
			f.details = append(f.details, "--allow-lost "+plain.ShellWord(path.String()))
		}
		return f
	case isUnschedulable:
		return refusal("no node", "See why: {command:placement simulate FILE}\nTo send it anyway: --allow-none", err)
	case isDrift:
		f := refusal(kindDrift, "Start again from the site's version: "+commandOn(target, "get"), err)
		f.details = changeLines(drift.Changes)
		return f
	}
	return x.notSent(named(target, err))
}

// notSent explains why a write was not sent.
func (x *exits) notSent(err error) error {
	f := x.explain(err)
	if _, answered := adminapi.KindOf(err); f.code == exitFailed && answered {
		f.code = exitUnreachable
	} else if f.code == exitFailed {
		f.code = exitRefused // the old one or the request could not be recorded
	}
	if f.advice == "" {
		f.advice = "Nothing was sent; it is safe to try again."
	}
	return f
}

// named tells the operation in an error of a read-only client, which does not know it.
func named(target editing.Target, err error) error {
	e, ok := errors.AsType[*adminapi.Error](err)
	if !ok || e.Kind != adminapi.KindReadOnly && e.Kind != adminapi.KindLocked {
		return err
	}
	whole := *e
	whole.Operation = "edit the " + target.String()
	return &whole
}

// refusedBySite is a change that the site refused. Only a missing sign-in keeps its own
// exit code.
func (x *exits) refusedBySite(err error) *failure {
	f := x.explain(err)
	if f.code != exitSignIn {
		f.code = exitRefused
	}
	return f
}

func findingLine(f finding.Finding) string {
	if f.At.Line == 0 {
		return f.At.String() + ": " + f.Text
	}
	return fmt.Sprintf("line %d, %s: %s", f.At.Line, f.At, f.Text)
}

// readToEdit reads what the site has. It refuses what cannot be edited without loss.
func readToEdit(ctx context.Context, site operation.Site, target editing.Target) (editing.Content, error) {
	now, err := editing.Read(ctx, site.Client, target)
	if _, odd := errors.AsType[*document.SyntaxError](err); odd {
		return now, refusal("cannot be edited", "View it: "+commandOn(target, "get"), err)
	}
	return now, err
}

// commandOn names a command on a part of a service, such as placement get.
func commandOn(target editing.Target, verb string, more ...string) string {
	group := "service"
	if target.Part == editing.Placement {
		group = "placement"
	}
	return operation.CommandText(group+" "+verb, append([]string{target.Service.Path()}, more...)...)
}

// pathsOf reads the paths that were given with a flag.
func pathsOf(flag string, texts []string) ([]document.Path, error) {
	paths := make([]document.Path, len(texts))
	for i, text := range texts {
		var err error
		if paths[i], err = document.ParsePath(text); err != nil {
			return nil, badInputf("--%s: %w", flag, err)
		}
	}
	return paths, nil
}

// rebase rebases an edit onto what the site has now. Without a base it is sent as it is.
func rebase(edit editing.Edit, now *document.Document) (editing.Edit, error) {
	if edit.Base == nil {
		edit.Base = now
		return edit, nil
	}
	rebased, conflicts := edit.Rebase(now)
	if len(conflicts) > 0 {
		return edit, conflicting(edit.Target, conflicts)
	}
	return rebased, nil
}

// conflicting names the places that two people changed in different ways.
func conflicting(target editing.Target, conflicts []document.Conflict) error {
	f := refusal("conflict", "Start again from the site's version: "+commandOn(target, "get"),
		fmt.Errorf("the %s was changed in the same places at the site; nothing was sent", target.Part))
	for _, c := range conflicts {
		f.details = append(f.details, c.Path.String()+": it was "+valueOrNone(c, c.Base)+", yours is "+valueOrNone(c, c.Mine)+", the site has "+valueOrNone(c, c.Theirs))
	}
	return f
}

func valueOrNone(c document.Conflict, raw string) string {
	if raw == "" {
		return "not there"
	}
	return briefly(c.Shown(raw))
}

// printBackups lists the backups of a part of the service that is the first argument, or prints the
// one that is the second.
func printBackups(ctx context.Context, s shared, part editing.Part, args []string) error {
	target, err := targetNamed(args[0], part)
	if err != nil {
		return err
	}
	id := first(args[1:])
	site, err := s.session.siteWithJournal(ctx)
	if err != nil {
		return err
	}
	if id != "" {
		old, err := site.Memory.ReadBackup(target, id)
		if err != nil {
			return noBackup(target, err)
		}
		return s.out.PrintContent(old.Bytes())
	}
	history, err := site.Memory.History(target)
	if err != nil {
		return err
	}
	if len(history) == 0 && !s.out.JSON() {
		lines := []string{"No " + target.String() + " is saved here yet."}
		if target.Part == editing.Placement {
			lines = append(lines, "Shared rules are listed under the service that you edited.")
		}
		return s.out.PrintLines(lines...)
	}
	failed := ""
	if !s.out.JSON() {
		failed = joined(": ", site.Memory.FailedEdit(target, history[0]))
	}
	return output.PrintAll(s.out, history, []string{"ID", "KEPT", "USER", "BYTES", "WHY"},
		func(l *output.Renderer, b journal.Backup) []output.Cell {
			if b.ID == history[0].ID {
				b.Why += failed
			}
			return l.Row(b.ID, output.FormatTime(b.Saved), b.Who, b.Bytes, b.Why)
		})
}

func noBackup(target editing.Target, err error) error {
	return badInput("Saved versions: "+commandOn(target, "history"), err)
}
