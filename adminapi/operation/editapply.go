package operation

import (
	"context"
	"errors"
	"fmt"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
)

// EditStep is what is being done to apply an edit.
type EditStep uint8

// The steps, in their order.
const (
	StepCheckBase EditStep = iota
	StepBackup
	StepSendEdit
	StepEditJob
	StepReadBack
)

// EditProgress tells where an edit is.
type EditProgress struct {
	Step EditStep
	Part Part         // that is edited
	Job  adminapi.Job // with StepEditJob
	Away error        // why nothing is heard of the job; nil where the site answers
}

// Doing says what is being done, such as "sending the definition".
func (p EditProgress) Doing() string {
	switch part := p.Part.String(); p.Step {
	case StepCheckBase:
		return "reading the " + part + " again"
	case StepBackup:
		return "keeping the old " + part
	case StepSendEdit:
		return "sending the " + part
	case StepEditJob:
		return "waiting for the job"
	}
	return "reading back what the site has kept"
}

// Applied is what became of an edit that was sent.
type Applied struct {
	Backup journal.Backup     // of what was replaced
	Job    adminapi.Job       // zero where the site did it at once
	Now    *document.Document // as it was read back; nil where that failed
	// Unread is why it could not be read back, nil where it was.
	Unread error
}

// ApplyEdit checks the edit, reads the base again, keeps it on disk, sends the
// edit once, waits for its job, reads back and compares. It never sends a second
// time.
//
// Not sent: [ErrNothingChanged], [*BlockedError], [*LostKeysError], [*NoNodeError],
// [*DriftError], a backup that could not be kept, [ErrUnsettled], [ErrBusyHere].
// Unknown: look with [Site.SearchEdit]. Done,
// with an error: [*JobError] (the job failed), [*NotKeptError], or the end of ctx
// while the job goes on.
func (s Site) ApplyEdit(ctx context.Context, edit Edit, report func(EditProgress)) (Applied, adminapi.Outcome, error) {
	var applied Applied
	if report == nil {
		report = func(EditProgress) {}
	}
	err := edit.Sendable()
	if err == nil {
		err = s.Client.Writable()
	}
	if err != nil {
		return applied, adminapi.OutcomeNotSent, err
	}
	claim, err := s.claim(ctx, adminapi.TargetService(edit.Service), edit.Service.Path())
	if err != nil {
		return applied, adminapi.OutcomeNotSent, err
	}
	defer claim.release()
	if applied.Backup, err = s.secureBase(ctx, edit, report); err == nil {
		err = s.keepSentEdit(edit, "")
	}
	if err == nil {
		err = claim.use()
	}
	if err != nil {
		return applied, adminapi.OutcomeNotSent, err
	}
	report(EditProgress{Step: StepSendEdit, Part: edit.Part})
	accepted, outcome, err := edit.Part.access().send(s.Client, ctx, edit.Service, edit.Edited.Bytes())
	if outcome == adminapi.OutcomeNotSent || outcome == adminapi.OutcomeRefused {
		s.forgetSentEdit(edit.Target)
	}
	if outcome != adminapi.OutcomeDone {
		return applied, outcome, err
	}
	if !accepted.Finished() {
		_ = s.keepSentEdit(edit, accepted.JobID) // it was sent: without this its end is looked for less well
		applied.Job, err = s.waitEdit(ctx, adminapi.Job{ID: accepted.JobID, Status: accepted.Status}, report)
		if err != nil && !errors.Is(err, ErrJobBroken) && !errors.Is(err, adminapi.KindNotFound) {
			return applied, outcome, err
		}
	}
	s.forgetSentEdit(edit.Target) // its end was seen
	report(EditProgress{Step: StepReadBack, Part: edit.Part})
	return applied, outcome, s.readBack(ctx, edit, err, &applied)
}

// waitEdit waits for the job of an edit.
func (s Site) waitEdit(ctx context.Context, job adminapi.Job, report func(EditProgress)) (adminapi.Job, error) {
	report(EditProgress{Step: StepEditJob, Job: job})
	return s.WaitJob(ctx, job.ID, func(job Step[adminapi.Job]) {
		report(EditProgress{Step: StepEditJob, Job: job.Value, Away: job.Away})
	})
}

// secureBase makes sure that the edit is of what the site has, and keeps that.
func (s Site) secureBase(ctx context.Context, edit Edit, report func(EditProgress)) (journal.Backup, error) {
	report(EditProgress{Step: StepCheckBase, Part: edit.Part})
	now, err := s.ReadContent(ctx, edit.Target)
	if err != nil {
		return journal.Backup{}, fmt.Errorf("the %s could not be read again, so nothing was sent: %w", edit.Part, err)
	}
	if changes := document.Diff(edit.Base, now.Document); len(changes) > 0 {
		return journal.Backup{}, &DriftError{Part: edit.Part, Theirs: now.Document, Changes: changes}
	}
	report(EditProgress{Step: StepBackup, Part: edit.Part})
	backup, err := s.KeepContent(ctx, now, "before "+edit.why())
	if err != nil {
		return backup, fmt.Errorf("the old %s could not be kept, so nothing was sent: %w", edit.Part, err)
	}
	return backup, nil
}

// readBack compares what the site has now with what was sent. broken is why the job
// is not known to have completed, nil where it is; a job that is gone has done its
// work where what was sent is there. What cannot be read back is said so, and is no
// failure of the edit.
func (s Site) readBack(ctx context.Context, edit Edit, broken error, applied *Applied) error {
	now, err := s.ReadContent(ctx, edit.Target)
	if err != nil {
		applied.Unread = err
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
	return &NotKeptError{changes}
}
