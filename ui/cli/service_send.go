package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

// kindDrift is what an error is called where the site has changed meanwhile.
const kindDrift = "drift"

// adviceHealth is offered after an edit.
const adviceHealth = "See whether the site is well: geodeck health run"

// wayOut reviews an edit and sends it. agree asks a person, where there is one, for
// lost keys and the last word; nil asks nobody.
func (p *program) wayOut(ctx context.Context, site operation.Site, edit operation.Edit, dryRun bool, agree func(*operation.Edit) error) error {
	plan := edit.Plan()
	p.noteNotLost(edit, plan)
	if len(plan.Changes) == 0 {
		return p.printUnsent(edit, "nothing is changed; nothing was sent")
	}
	if !p.json() {
		if err := p.printReview(edit); err != nil {
			return err
		}
	}
	if agree != nil && !dryRun && edit.Blocked() == nil {
		if err := agree(&edit); err != nil {
			return err
		}
	}
	if !dryRun {
		return p.sendDefinition(ctx, site, edit)
	}
	if p.json() {
		if err := p.printUnsent(edit, ""); err != nil {
			return err
		}
	}
	if err := edit.Sendable(); err != nil {
		return p.unsent(edit.Service, err)
	}
	if p.json() {
		return nil
	}
	return p.say("dry run: nothing was sent")
}

// noteNotLost names paths of --allow-lost that no key is lost at: most likely they are
// mistyped.
func (p *program) noteNotLost(edit operation.Edit, plan operation.EditPlan) {
	for _, path := range edit.AllowLost {
		if !slices.Contains(plan.Lost, path) {
			p.note("warning: --allow-lost " + path.String() + ": no such key is lost")
		}
	}
}

// printUnsent prints an edit that was not sent, for which there is no error.
func (p *program) printUnsent(edit operation.Edit, text string) error {
	if p.json() {
		return p.printValue(appliedJSON{reviewJSON: reviewOf(edit.Service, edit.Plan())})
	}
	return p.say(text)
}

// sendDefinition sends once and finds out what became of it.
func (p *program) sendDefinition(ctx context.Context, site operation.Site, edit operation.Edit) error {
	steps := editSteps{progress{program: p}}
	applied, outcome, err := site.ApplyEdit(ctx, edit, steps.tell)
	switch outcome {
	case adminapi.OutcomeDone:
		if isUnknown(err) && ctx.Err() == nil {
			return p.unknownEdit(edit.Service, endNotSeen(err))
		}
	case adminapi.OutcomeNotSent:
		return p.unsent(edit.Service, err)
	case adminapi.OutcomeRefused:
		return p.refusedEdit(err)
	case adminapi.OutcomeUnknown:
		applied, err = p.settleDefinition(ctx, site, edit, applied, err, steps.tell)
		if isUnknown(err) {
			return p.unknownEdit(edit.Service, err)
		}
	}
	return p.printApplied(edit, applied, err)
}

// endNotSeen says of something that the site took that its end was not seen.
func endNotSeen(err error) error {
	return fmt.Errorf("%w: the site took it, but its end was not seen: %w", operation.ErrOutcomeUnknown, err)
}

// isUnknown tells whether an error leaves open what became of an edit.
func isUnknown(err error) bool {
	_, notKept := errors.AsType[*operation.NotKeptError](err)
	return err != nil && !notKept && (!errors.Is(err, operation.ErrJobBroken) || errors.Is(err, operation.ErrOutcomeUnknown))
}

// settleDefinition looks what became of an edit whose answer was lost.
func (p *program) settleDefinition(ctx context.Context, site operation.Site, edit operation.Edit, applied operation.Applied, lost error, report func(operation.EditProgress)) (operation.Applied, error) {
	if ctx.Err() != nil {
		return applied, lost
	}
	p.note("the answer was lost (" + lost.Error() + "); looking what the site has, and not sending it again")
	found, err := site.SettleEdit(ctx, edit, report)
	applied.Job, applied.Now = found.Job, found.Now
	if err == nil {
		p.note("it has arrived: only the answer was lost")
	}
	return applied, err
}

// printApplied prints what became of an edit that the site took.
func (p *program) printApplied(edit operation.Edit, applied operation.Applied, err error) error {
	missing, notKept := errors.AsType[*operation.NotKeptError](err)
	if p.json() {
		result := appliedJSON{reviewJSON: reviewOf(edit.Service, edit.Plan()), Sent: true, Kept: err == nil && applied.Unread == nil,
			Backup: &applied.Backup, Job: applied.Job.Raw}
		if notKept {
			result.NotKept = changesJSON(missing.Changes)
		}
		if applied.Unread != nil {
			result.Unread = applied.Unread.Error()
		}
		if err := p.printValue(result); err != nil {
			return err
		}
	}
	switch {
	case notKept:
		return &failure{code: exitFailed, kind: "not kept", err: err, details: changeLines(missing.Changes), advice: p.undo(edit, applied)}
	case errors.Is(err, operation.ErrJobBroken):
		f := p.explain(err)
		f.details, f.advice = p.stands(edit, applied), p.undo(edit, applied)
		return f
	case err != nil:
		return err
	case applied.Unread != nil:
		p.note("warning: it is accepted, but could not be read back: " + applied.Unread.Error())
	}
	if p.json() {
		return nil
	}
	return p.sayApplied(edit, applied)
}

func (p *program) sayApplied(edit operation.Edit, applied operation.Applied) error {
	text := "done: the site has the definition of " + edit.Service.Path() + " that was sent"
	if applied.Unread != nil {
		text = "accepted: the definition of " + edit.Service.Path() + " was sent"
	}
	for _, line := range []string{plain.Line(text), plain.Line(p.undo(edit, applied)), adviceHealth} {
		if err := p.say(line); err != nil {
			return err
		}
	}
	return nil
}

// undo says how the definition comes back that was there before.
func (p *program) undo(edit operation.Edit, applied operation.Applied) string {
	return "The old one is kept: geodeck service restore " + edit.Service.Path() + " " + applied.Backup.ID
}

// stands says what the site has after a job that failed.
func (p *program) stands(edit operation.Edit, applied operation.Applied) []string {
	switch {
	case applied.Now == nil:
		return []string{"what the site has now could not be read"}
	case len(document.Diff(edit.Base, applied.Now)) == 0:
		return []string{"the site still has the old definition"}
	case len(document.Diff(edit.Edited, applied.Now)) == 0:
		return []string{"the site has the new definition all the same"}
	}
	return []string{"the site has neither the old definition nor the new one"}
}

// unsent explains why an edit was not sent.
func (p *program) unsent(service adminapi.ServiceRef, err error) error {
	if errors.Is(err, operation.ErrNothingChanged) {
		return nil
	}
	blocked, isBlocked := errors.AsType[*operation.BlockedError](err)
	lost, isLost := errors.AsType[*operation.LostKeysError](err)
	drift, isDrift := errors.AsType[*operation.DriftError](err)
	switch {
	case isBlocked:
		f := &failure{code: exitUsage, kind: "blocked", err: err}
		for _, finding := range blocked.Findings {
			f.details = append(f.details, findingLine(finding))
		}
		return f
	case isLost:
		f := &failure{code: exitRefused, kind: "lost keys", err: err}
		for _, path := range lost.Paths {
			f.details = append(f.details, "--allow-lost "+inShell(path.String()))
		}
		f.advice = "Put them back, or agree to lose each of them."
		return f
	case isDrift:
		return &failure{code: exitRefused, kind: kindDrift, err: err, details: changeLines(drift.Changes),
			advice: "Begin again from what the site has: geodeck service get " + service.Path()}
	}
	f := p.explain(err)
	if _, answered := adminapi.KindOf(err); f.code == exitFailed && answered {
		f.code = exitUnreachable
	} else if f.code == exitFailed {
		f.code = exitRefused // it could not be kept or recorded
	}
	if f.advice == "" {
		f.advice = "Nothing was sent; it is safe to try again."
	}
	return f
}

// refusedEdit is what the site did not take, whatever it says of the reason. Only a
// sign-in is asked for by a code of its own.
func (p *program) refusedEdit(err error) error {
	f := p.explain(err)
	if f.code != exitSignIn {
		f.code = exitRefused
	}
	return f
}

// inShell writes an argument as a shell takes it.
func inShell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func findingLine(f document.Finding) string {
	if f.Line == 0 {
		return f.Path.String() + ": " + f.Text
	}
	return fmt.Sprintf("line %d, %s: %s", f.Line, f.Path, f.Text)
}

// unknownEdit says that an edit perhaps arrived. An interruption by the user keeps
// its own code.
func (p *program) unknownEdit(service adminapi.ServiceRef, err error) error {
	f := &failure{code: exitUnknown, kind: "outcome unknown", err: err}
	if ended := p.ended(err); ended != nil {
		f.err = ended.err
		if ended.code == exitInterrupted {
			f.code, f.kind = ended.code, ended.kind
		}
	}
	if !errors.Is(err, operation.ErrOutcomeUnknown) {
		f.err = fmt.Errorf("%w; whether it has arrived is not known", f.err)
	}
	f.advice = "Look before you send it again: geodeck service get " + service.Path() + ", geodeck job list"
	return f
}

// editSteps tells what an edit is doing.
type editSteps struct{ progress }

func (s *editSteps) tell(u operation.EditProgress) {
	if u.Step != operation.StepEditJob {
		s.program.waiting = ""
		s.progress.tell(adminapi.Job{}, u.Doing())
		return
	}
	if u.Away == nil && !u.Job.Ended() {
		s.program.waiting = u.Job.ID
	}
	s.job(u.Job, u.Away)
}
