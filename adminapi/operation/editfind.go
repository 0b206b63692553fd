package operation

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
)

// EditFinding is what a look after a lost answer found of an edit.
type EditFinding int

// The findings, from the zero value on.
const (
	EditNotTold    EditFinding = iota // it cannot be told yet
	EditArrived                       // the site has what was sent: only the answer was lost
	EditNotArrived                    // the site still has what was there before
	EditPartly                        // neither: the site kept a part, or somebody else has edited
	EditGoesOn                        // a job edits this service at present
	EditRefused                       // the site answered with an error, and still has what was there before 30 s later
)

// LostEdit is an edit of which it is not known what became.
type LostEdit struct {
	Edit
	Job   string    // of it, from its answer or from an earlier look; empty where it is not known
	Err   error     // why it is not known: an error that the site answered with, or silence
	Since time.Time // since when, by this machine's clock
}

// FoundEdit is what was found.
type FoundEdit struct {
	Finding EditFinding
	Now     *document.Document // as the site has it; nil where it could not be read
	Changes []document.Change  // from what was sent to what is there
	// Job edits the service, with EditGoesOn. With EditNotArrived and EditPartly it is
	// the job of the edit that has ended, where that is known: see FindEdit.
	Job adminapi.Job
}

// lookAtEdit looks once what became of an edit whose answer was lost. Of the site
// it only reads: what was edited, and where that is still as before the list of
// jobs. The journal learns that the edit arrived. [EditNotTold] comes with the error
// why the site does not tell.
func (s Site) lookAtEdit(ctx context.Context, edit Edit) (FoundEdit, error) {
	now, err := s.ReadContent(ctx, edit.Target)
	if err != nil {
		return FoundEdit{}, err
	}
	found := FoundEdit{Now: now.Document, Changes: document.Diff(edit.Edited, now.Document)}
	switch {
	case len(found.Changes) == 0:
		found.Finding = EditArrived
		s.arrived(edit.Target)
		return found, nil
	case len(document.Diff(edit.Base, now.Document)) > 0:
		found.Finding = EditPartly
		return found, nil
	}
	found.Job, err = s.runningEdit(ctx, edit.Target)
	switch {
	case err != nil:
		found.Finding = EditNotTold
		return found, err
	case found.Job.ID != "":
		found.Finding = EditGoesOn
	default:
		found.Finding = EditNotArrived
	}
	return found, nil
}

// FindEdit looks once what became of an edit whose answer was lost. It only reads, and
// the journal learns what is found. The job is asked for by itself where it is known:
// the list of jobs leaves out why one ended.
// [EditNotTold] comes with the error why the site does not tell.
func (s Site) FindEdit(ctx context.Context, lost LostEdit) (FoundEdit, error) {
	found, err := s.lookAtEdit(ctx, lost.Edit)
	switch {
	case err != nil || found.Finding == EditArrived:
		return found, err
	case lost.Job == "" && found.Finding == EditNotArrived && Answered(lost.Err) && s.Clock.Now().Sub(lost.Since) >= searchTime:
		found.Finding = EditRefused
		s.resolveOn(adminapi.TargetService(lost.Service), lost.edits, adminapi.OutcomeRefused,
			"the site answered with an error, and still has the old "+lost.Part.String())
		return found, nil
	case lost.Job == "":
		return found, nil
	}
	own, err := s.Client.Job(ctx, lost.Job)
	switch {
	case errors.Is(err, adminapi.KindNotFound): // the site keeps it no longer
		return found, nil
	case err != nil:
		found.Finding = EditNotTold
		return found, err
	case !own.Ended():
		found.Finding = EditGoesOn
	case found.Finding == EditGoesOn: // it has ended since the list was read
		found.Finding = EditNotArrived
	}
	found.Job = own
	if own.Ended() {
		s.jobFound(lost.Target, own)
	}
	return found, nil
}

// jobFound records that an edit was taken whose answer was lost: its job has ended.
func (s Site) jobFound(t Target, job adminapi.Job) {
	s.resolveOn(adminapi.TargetService(t.Service), t.edits, adminapi.OutcomeDone, "its job "+job.ID+" was found, and has ended")
}

// runningEdit returns a job that edits the service at present, without an id where
// none does.
func (s Site) runningEdit(ctx context.Context, target Target) (adminapi.Job, error) {
	jobs, err := s.Jobs(ctx, 0)
	if err != nil {
		return adminapi.Job{}, err
	}
	for _, job := range jobs {
		if job.Status != "" && !job.Ended() && target.isEditedBy(job.OperationURI) {
			return job, nil
		}
	}
	return adminapi.Job{}, nil
}

// unescaped returns a path as it is meant; one that is escaped badly as it is.
func unescaped(path string) string {
	if decoded, err := url.PathUnescape(path); err == nil {
		return decoded
	}
	return path
}

// SettleEdit looks what became of an edit whose answer was lost, for 30 s, and
// where a job turns out to edit the service, until that has ended. It only reads.
//
// Without an error the edit has arrived, and the journal knows. Else: [*JobError],
// [*NotKeptError] of a job that completed, [*RefusedError] where the site said so and
// nothing has changed, an error that matches [ErrOutcomeUnknown] and says what is found,
// or the end of ctx.
func (s Site) SettleEdit(ctx context.Context, lost LostEdit, report func(EditProgress)) (FoundEdit, error) {
	if report == nil {
		report = func(EditProgress) {}
	}
	until := lost.Since.Add(searchTime)
	for {
		found, err := s.FindEdit(ctx, lost)
		switch {
		case err != nil && !adminapi.Passing(err):
			return found, err
		case found.Finding == EditArrived:
			return found, nil
		case found.Finding == EditRefused:
			return found, &RefusedError{lost.Err}
		case found.Finding == EditGoesOn:
			return s.settleJob(ctx, lost.Edit, found.Job, report)
		case found.Finding == EditPartly || !s.Clock.Now().Before(until):
			return found, lost.unknown(found, err)
		}
		if err := s.Clock.Sleep(ctx, searchPause); err != nil {
			return found, err
		}
	}
}

// settleJob waits for the job that edits the service, and compares then.
func (s Site) settleJob(ctx context.Context, edit Edit, job adminapi.Job, report func(EditProgress)) (FoundEdit, error) {
	job, err := s.waitEdit(ctx, job, report)
	found := FoundEdit{Finding: EditGoesOn, Job: job}
	if err != nil && !errors.Is(err, ErrJobBroken) {
		return found, err
	}
	defer func() { s.jobFound(edit.Target, job) }() // unless more is found out
	report(EditProgress{Step: StepReadBack})
	now, unread := s.ReadContent(ctx, edit.Target)
	if unread != nil {
		return found, errors.Join(err, edit.unknown(found, unread))
	}
	found.Now, found.Changes, found.Finding = now.Document, document.Diff(edit.Edited, now.Document), EditArrived
	switch {
	case err != nil && len(found.Changes) > 0:
		found.Finding = EditNotArrived
	case err == nil && len(found.Changes) > 0:
		found.Finding = EditPartly
		err = &NotKeptError{found.Changes}
	case err == nil:
		s.arrived(edit.Target)
	}
	return found, err
}

// arrived records that an edit arrived whose answer was lost.
func (s Site) arrived(t Target) {
	s.resolveOn(adminapi.TargetService(t.Service), t.edits, adminapi.OutcomeDone, "the site has the "+t.Part.String()+" that was sent")
}

// unknown says what was found where that does not tell what became of the edit.
func (e Edit) unknown(f FoundEdit, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
	case f.Finding == EditPartly:
		return fmt.Errorf("%w: the %s at the site is neither the old one nor what was sent; it differs from that in %s, first %s",
			ErrOutcomeUnknown, e.Part, places(len(f.Changes)), f.Changes[0].Path)
	}
	return fmt.Errorf("%w: the site still has the old %s, and no job edits the service", ErrOutcomeUnknown, e.Part)
}

func places(n int) string {
	if n == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", n)
}
