package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
)

// wayOut reviews an edit and sends it. agree asks a person, where there is one, for
// lost keys and the last word; nil asks nobody.
func (p *program) wayOut(ctx context.Context, site operation.Site, edit operation.PlannedEdit, dryRun bool, agree func(*operation.Edit) error) error {
	p.noteNotLost(edit)
	if len(edit.Plan.Changes) == 0 {
		return p.printUnsent(edit, "nothing is changed; nothing was sent")
	}
	if !p.json() {
		if err := p.printReview(edit); err != nil {
			return err
		}
	}
	if agree != nil && !dryRun && edit.Blocked() == nil {
		if err := agree(&edit.Edit); err != nil {
			return p.refusedPlan(edit, false, err)
		}
	}
	if !dryRun {
		return p.sendEdit(ctx, site, edit)
	}
	if p.json() {
		if err := p.printUnsent(edit, ""); err != nil {
			return err
		}
	}
	if err := edit.Sendable(); err != nil {
		return p.unsent(edit.Target, err)
	}
	if p.json() {
		return nil
	}
	return p.say("dry run: nothing was sent")
}

// planned compares once what is then reviewed, sent and told.
func planned(edit operation.Edit) operation.PlannedEdit {
	p := operation.PlannedEdit{Edit: edit, Plan: edit.Plan()}
	p.Plan.Findings = linesOfFile(edit.Part, p.Plan.Findings)
	return p
}

// linesOfFile leaves out lines that are none of the file that a person gave: rules are
// put into the text of the site, and are elsewhere in it. Their paths stay.
func linesOfFile(part operation.Part, findings []document.Finding) []document.Finding {
	if part != operation.Placement {
		return findings
	}
	placed := slices.Clone(findings)
	for i := range placed {
		placed[i].Line = 0
	}
	return placed
}

// noteNotLost names paths of --allow-lost that no key is lost at: most likely they are
// mistyped.
func (p *program) noteNotLost(edit operation.PlannedEdit) {
	for _, path := range edit.AllowLost {
		if !slices.Contains(edit.Plan.Lost, path) {
			p.note("warning: --allow-lost " + path.String() + ": no such key is lost")
		}
	}
}

// printUnsent prints an edit that was not sent, for which there is no error.
func (p *program) printUnsent(edit operation.PlannedEdit, text string) error {
	if p.json() {
		return p.printValue(appliedJSON{reviewJSON: reviewOf(edit)})
	}
	return p.say(text)
}

// refusedPlan prints in JSON what an edit would have done that came to nothing; people
// have seen it.
func (p *program) refusedPlan(edit operation.PlannedEdit, sent bool, refusal error) error {
	if p.json() {
		if err := p.printValue(appliedJSON{reviewJSON: reviewOf(edit), Sent: sent}); err != nil {
			return err
		}
	}
	return refusal
}

// sendEdit sends once and finds out what became of it.
func (p *program) sendEdit(ctx context.Context, site operation.Site, edit operation.PlannedEdit) error {
	if err := p.maySend(ctx, site, adminapi.TargetService(edit.Service)); err != nil {
		return p.refusedPlan(edit, false, err)
	}
	steps := editSteps{progressLines{program: p}}
	applied, outcome, err := site.ApplyEdit(ctx, edit.Edit, steps.tell)
	switch outcome {
	case adminapi.OutcomeDone:
		if isUnknown(err) && ctx.Err() == nil {
			return p.unknownEdit(edit.Target, endNotSeen(err))
		}
	case adminapi.OutcomeNotSent:
		return p.refusedPlan(edit, false, p.unsent(edit.Target, err))
	case adminapi.OutcomeRefused:
		return p.refusedPlan(edit, true, p.refusedEdit(err))
	case adminapi.OutcomeUnknown:
		applied, err = p.settleEdit(ctx, site, edit.Edit, applied, err, steps.tell)
		if _, refused := errors.AsType[*operation.RefusedError](err); refused {
			return p.refusedPlan(edit, true, err)
		}
		if isUnknown(err) {
			return p.unknownEdit(edit.Target, err)
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

// settleEdit looks what became of an edit whose answer was lost.
func (p *program) settleEdit(ctx context.Context, site operation.Site, edit operation.Edit, applied operation.Applied, lost error, report func(operation.EditProgress)) (operation.Applied, error) {
	if ctx.Err() != nil {
		return applied, lost
	}
	p.note(lostAnswer(lost) + "; looking what the site has, and not sending it again")
	found, err := site.SettleEdit(ctx, operation.LostEdit{Edit: edit, Err: lost, Since: p.Clock.Now()}, report)
	applied.Job, applied.Now = found.Job, found.Now
	if err == nil {
		p.note("it has arrived" + despite(lost))
	}
	return applied, err
}

// editSteps tells what an edit is doing.
type editSteps struct{ progressLines }

func (s *editSteps) tell(u operation.EditProgress) {
	if u.Step != operation.StepEditJob {
		s.program.waiting = ""
		s.progressLines.tell(adminapi.Job{}, u.Doing())
		return
	}
	if u.Away == nil && !u.Job.Ended() {
		s.program.waiting = u.Job.ID
	}
	s.job(u.Job, u.Away)
}
