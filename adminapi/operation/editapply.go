package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/plain"
)

// EditStep is a step of applying an edit.
type EditStep uint8

// The steps, in their order.
const (
	StepCheckBase EditStep = iota
	StepBackup
	StepSendEdit
	StepEditJob
	StepReadBack
	StepAnswer // the service is waited for, where several are edited
)

// EditProgress is the step that an edit is at.
type EditProgress struct {
	Step        EditStep
	Part        Part
	Job         adminapi.Job // with StepEditJob
	Unreachable error        // why the job could not be fetched; nil while the site answers
	After       PodsSnapshot // with StepAnswer
}

// Doing names the step, such as "sending the definition".
func (p EditProgress) Doing() string {
	switch part := p.Part.String(); p.Step {
	case StepCheckBase:
		return "reading the current " + part
	case StepBackup:
		return "saving the old " + part
	case StepSendEdit:
		return "sending the " + part
	case StepEditJob:
		return "waiting for the job"
	case StepAnswer:
		return "waiting until the service answers: " + p.After.Text()
	}
	return "reading back what the site has saved"
}

// Applied is the result of an edit that was sent.
type Applied struct {
	Backup      journal.Backup     // of what was replaced
	Job         adminapi.Job       // zero where the site did it at once
	Now         *document.Document // as it was read back; nil where that failed
	ReadBackErr error              // why it could not be read back; nil where it was
	// Search finds out the outcome where that is unknown, or the end where that was not seen; nil
	// otherwise.
	Search *Search
}

// ApplyEdit checks the edit, fetches the base again, saves it as a backup, sends the edit
// once, waits for its job, reads back and compares. It never sends a second time.
//
// Not sent: [ErrNothingChanged], [*BlockedError], [*RemovedKeysError], [*NoNodeError],
// [*DriftError], a backup that could not be saved, [ErrUnresolved], [ErrBusyHere].
// Unknown: see [Applied.Search]. Done, with an error: [*JobError] (the job failed),
// [*NotStoredError], or the end of ctx while the job runs.
func (s Site) ApplyEdit(ctx context.Context, edit Edit, report func(EditProgress)) (applied Applied, outcome adminapi.Outcome, err error) {
	if report == nil {
		report = func(EditProgress) {}
	}
	if err = edit.Sendable(); err == nil {
		err = s.Client.Writable()
	}
	if err != nil {
		return applied, adminapi.OutcomeNotSent, err
	}
	var accepted adminapi.Accepted
	one, outcome, err := s.send(ctx, sending{kind: parts[edit.Part].writes, target: adminapi.TargetService(edit.Service), subject: edit.Service.Path(),
		ready: func(ctx context.Context, claim claimed) (err error) {
			if applied.Backup, err = (edits{s}).backUpBase(ctx, edit, claim, report); err == nil {
				err = s.saveSentEdit(edit, "")
			}
			return err
		},
		post: func(ctx context.Context) (outcome adminapi.Outcome, err error) {
			report(EditProgress{Step: StepSendEdit, Part: edit.Part})
			accepted, outcome, err = s.Client.Change(ctx, parts[edit.Part].call(edit.Service, edit.Edited.Bytes()))
			if outcome == adminapi.OutcomeNotSent || outcome == adminapi.OutcomeRefused {
				s.deleteSentEdit(edit.Target)
			}
			return outcome, err
		}})
	defer one.release()
	switch outcome {
	case adminapi.OutcomeUnknown:
		applied.Search = s.searchEdit(edit, "", one.record, err)
		return applied, outcome, err
	case adminapi.OutcomeNotSent, adminapi.OutcomeRefused:
		return applied, outcome, err
	}
	if !accepted.Finished() {
		_ = s.saveSentEdit(edit, accepted.JobID) // without the job a search finds less; the edit was sent all the same
		report(EditProgress{Step: StepEditJob, Job: adminapi.Job{ID: accepted.JobID, Status: accepted.Status}})
		applied.Job, err = s.WaitJob(ctx, accepted.JobID, func(job Step[adminapi.Job]) {
			report(EditProgress{Step: StepEditJob, Job: job.Value, Unreachable: job.Unreachable})
		})
		if err != nil && !errors.Is(err, ErrJobBroken) && !errors.Is(err, adminapi.KindNotFound) {
			applied.Search = s.searchEdit(edit, accepted.JobID, one.record, nil) // it was accepted: no error is its refusal
			return applied, outcome, err
		}
	}
	s.deleteSentEdit(edit.Target) // its end was seen
	report(EditProgress{Step: StepReadBack, Part: edit.Part})
	err = edits{s}.readBack(ctx, edit, err, &applied)
	if verdict, because := edit.verdict(applied.Job, applied.Now, err); verdict != "" {
		s.settle(one.record.ID, verdict, because)
	}
	if EndOf(outcome, err) == EndDone { // before anything else is sent: a program that is killed leaves no draft of it
		s.deleteDraftOf(edit)
	}
	return applied, outcome, err
}

// verdict returns how an edit ended that the site has accepted: job is its own, which has ended, without
// an id where it had none; now is what the site has, nil where that is not known; err is why the edit is
// not known to be as it was sent. It is empty where its end was not seen.
func (e Edit) verdict(job adminapi.Job, now *document.Document, err error) (journal.Verdict, string) {
	_, failed := errors.AsType[*JobError](err)
	kept, partly := errors.AsType[*NotStoredError](err)
	has := func(d *document.Document) bool { return now != nil && len(document.Diff(d, now)) == 0 }
	switch {
	case err == nil && now != nil:
		return journal.VerdictSucceeded, "the site has it"
	case err == nil && job.Completed():
		return journal.VerdictSucceeded, "its job has completed"
	case failed && has(e.Base):
		return journal.VerdictFailed, "job " + job.Status + "; nothing changed"
	case failed && has(e.Edited):
		return journal.VerdictFailed, "job " + job.Status + ", but the site has it"
	case failed:
		return journal.VerdictFailed, "job " + job.Status
	case partly && has(e.Base):
		return journal.VerdictFailed, "the site kept nothing of it"
	case partly:
		return journal.VerdictPartly, "the site differs from what was sent in " + plain.Plural(len(kept.Changes), "place")
	}
	return "", ""
}

// edits are the steps of an edit of a part of a service.
type edits struct{ Site }

// backUpBase checks that the site still has the base of the edit, and saves it under its claim.
func (s edits) backUpBase(ctx context.Context, edit Edit, claim claimed, report func(EditProgress)) (journal.Backup, error) {
	report(EditProgress{Step: StepCheckBase, Part: edit.Part})
	now, err := s.ReadContent(ctx, edit.Target)
	if err != nil {
		return journal.Backup{}, fmt.Errorf("the current %s could not be read, so nothing was sent: %w", edit.Part, err)
	}
	if changes := document.Diff(edit.Base, now.Document); len(changes) > 0 {
		return journal.Backup{}, &DriftError{Part: edit.Part, Theirs: now.Document, Changes: changes}
	}
	report(EditProgress{Step: StepBackup, Part: edit.Part})
	backup, err := claim.saveBackup(ctx, now, "before "+cmp.Or(edit.Why, "an edit"))
	if err != nil {
		return backup, fmt.Errorf("the old %s could not be saved, so nothing was sent: %w", edit.Part, err)
	}
	return backup, nil
}

// readBack compares what the site has now with what was sent. broken is why the job is not
// known to have completed, nil where it has; a job that the site does not know any more
// has completed where the site has what was sent. A failed fetch is no failure of the edit.
func (s edits) readBack(ctx context.Context, edit Edit, broken error, applied *Applied) error {
	now, err := s.ReadContent(ctx, edit.Target)
	if err != nil {
		applied.ReadBackErr = err
		return broken
	}
	applied.Now = now.Document
	changes := document.Diff(edit.Edited, now.Document)
	switch {
	case errors.Is(broken, adminapi.KindNotFound) && len(changes) == 0:
		return nil
	case broken != nil || len(changes) == 0:
		return broken
	}
	return &NotStoredError{changes}
}
