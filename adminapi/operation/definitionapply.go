package operation

import (
	"context"
	"errors"
	"fmt"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
)

// EditStep is what is being done to apply an edit, in words.
type EditStep string

// The steps, in their order.
const (
	StepCheckBase EditStep = "reading the definition again"
	StepBackup    EditStep = "keeping the old definition"
	StepSendEdit  EditStep = "sending the definition"
	StepEditJob   EditStep = "waiting for the job"
	StepReadBack  EditStep = "reading back what the site has kept"
)

// EditProgress tells where an edit is.
type EditProgress struct {
	Step EditStep
	Job  adminapi.Job // with StepEditJob
	Away error        // why nothing is heard of the job; nil where the site answers
}

// AppliedDefinition is what became of an edit that was sent.
type AppliedDefinition struct {
	Backup journal.Backup     // of the definition that was replaced
	Job    adminapi.Job       // zero where the site did it at once
	Now    *document.Document // as it was read back; nil where that failed
	// Unread is why it could not be read back, nil where it was.
	Unread error
}

// ApplyDefinition checks the edit, reads the base again, keeps it on disk, sends the
// edit once, waits for its job, reads back and compares. It never sends a second
// time.
//
// Not sent: [ErrNothingChanged], [*BlockedError], [*LostKeysError], [*DriftError],
// a backup that could not be kept. Unknown: look with [Site.FindDefinition]. Done,
// with an error: [*JobError] (the job failed), [*NotKeptError], or the end of ctx
// while the job goes on.
func (s Site) ApplyDefinition(ctx context.Context, edit DefinitionEdit, report func(EditProgress)) (AppliedDefinition, adminapi.Outcome, error) {
	var applied AppliedDefinition
	if report == nil {
		report = func(EditProgress) {}
	}
	err := edit.Sendable()
	if err == nil {
		err = s.Client.Writable()
	}
	if err == nil {
		applied.Backup, err = s.secureBase(ctx, edit, report)
	}
	if err != nil {
		return applied, adminapi.OutcomeNotSent, err
	}
	report(EditProgress{Step: StepSendEdit})
	accepted, outcome, err := s.sendDefinition(ctx, edit)
	if outcome != adminapi.OutcomeDone {
		return applied, outcome, err
	}
	if !accepted.Finished() {
		applied.Job, err = s.waitEdit(ctx, adminapi.Job{ID: accepted.JobID, Status: accepted.Status}, report)
		if err != nil && !errors.Is(err, ErrJobBroken) && !errors.Is(err, adminapi.KindNotFound) {
			return applied, outcome, err
		}
	}
	report(EditProgress{Step: StepReadBack})
	return applied, outcome, s.readBack(ctx, edit, err, &applied)
}

// waitEdit waits for the job of an edit.
func (s Site) waitEdit(ctx context.Context, job adminapi.Job, report func(EditProgress)) (adminapi.Job, error) {
	report(EditProgress{Step: StepEditJob, Job: job})
	return s.WaitJob(ctx, job.ID, func(job adminapi.Job, away error) {
		report(EditProgress{Step: StepEditJob, Job: job, Away: away})
	})
}

// Sendable says why an edit must not be sent, whatever the site says:
// [ErrNothingChanged], [*BlockedError], [*LostKeysError].
func (e DefinitionEdit) Sendable() error {
	if len(document.Diff(e.Base, e.Edited)) == 0 {
		return ErrNothingChanged
	}
	if err := e.Blocked(); err != nil {
		return err
	}
	if lost := e.Unconfirmed(); len(lost) > 0 {
		return &LostKeysError{lost}
	}
	return nil
}

// Blocked is a [*BlockedError] where the edit breaks rules in a way that nothing can be
// sent: no confirmation helps, only another edit. Else it is nil.
func (e DefinitionEdit) Blocked() error {
	var blocking []document.Finding
	for _, finding := range document.Check(e.Edited, e.Base) {
		if finding.Blocking {
			blocking = append(blocking, finding)
		}
	}
	if len(blocking) > 0 {
		return &BlockedError{blocking}
	}
	return nil
}

// secureBase makes sure that the edit is of what the site has, and keeps that.
func (s Site) secureBase(ctx context.Context, edit DefinitionEdit, report func(EditProgress)) (journal.Backup, error) {
	report(EditProgress{Step: StepCheckBase})
	now, err := s.ReadDefinition(ctx, edit.Service)
	if err != nil {
		return journal.Backup{}, fmt.Errorf("the definition could not be read again, so nothing was sent: %w", err)
	}
	if changes := document.Diff(edit.Base, now.Document); len(changes) > 0 {
		return journal.Backup{}, &DriftError{Theirs: now.Document, Changes: changes}
	}
	report(EditProgress{Step: StepBackup})
	backup, err := s.KeepDefinition(ctx, now, "before "+edit.why())
	if err != nil {
		return backup, fmt.Errorf("the old definition could not be kept, so nothing was sent: %w", err)
	}
	return backup, nil
}

func (e DefinitionEdit) why() string {
	if e.Why == "" {
		return "an edit"
	}
	return e.Why
}

// sendDefinition sends once: as a job where the site is new enough, else at once.
func (s Site) sendDefinition(ctx context.Context, edit DefinitionEdit) (adminapi.Accepted, adminapi.Outcome, error) {
	accepted, outcome, err := s.Client.EditService(ctx, edit.Service, edit.Edited.Bytes(), true)
	if outcome == adminapi.OutcomeNotSent && errors.Is(err, adminapi.KindVersionTooOld) {
		return s.Client.EditService(ctx, edit.Service, edit.Edited.Bytes(), false)
	}
	return accepted, outcome, err
}

// readBack compares what the site has now with what was sent. broken is why the job
// is not known to have completed, nil where it is; a job that is gone has done its
// work where the definition is there. A definition that cannot be read back is said
// so, and is no failure of the edit.
func (s Site) readBack(ctx context.Context, edit DefinitionEdit, broken error, applied *AppliedDefinition) error {
	now, err := s.ReadDefinition(ctx, edit.Service)
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
