package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/secrets"
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
	StepEnded  // the last of each of several, see Ended
)

// EditProgress is the step that an edit is at.
type EditProgress struct {
	Step        EditStep
	Part        editing.Part
	Job         adminapi.Job          // with StepEditJob
	Unreachable error                 // why the job could not be fetched; nil while the site answers
	After       availability.Snapshot // with StepAnswer
	Ended       *AppliedEdit          // with StepEnded: how it ended
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

// PrepareEdit returns an edit as it would be sent, with all of its secrets masked; its commands are those of
// [batching.ReviewedEdits].
func PrepareEdit(e editing.Edit, s Site) Prepared {
	p := Prepared{Kind: e.Part.Writes(), Target: adminapi.TargetService(e.Service), Subject: e.Service.Path(), What: "change the " + e.Target.String()}
	if e.Edited != nil {
		p.call = e.Call()
	}
	return p.of(CommandLine{}, func(ctx context.Context) (adminapi.Request, error) {
		request, err := s.Client.Preview(ctx, p.call)
		for i, field := range request.Fields {
			if masked, ok := new(secrets.ByName).JSON([]byte(field.Value), false); ok {
				request.Fields[i].Value = string(masked)
			}
		}
		return request, err
	})
}

// ApplyEdit checks the edit, fetches the base again, saves it as a backup, sends the edit
// once, waits for its job, reads back and compares. It never sends a second time.
//
// Not sent: [editing.ErrNothingChanged], [*editing.BlockedError], [*editing.NotAcceptedError],
// [*editing.DriftError], a backup that could not be saved, [ErrUnresolved], [ErrBusyHere].
// Unknown: see [Applied.Search]. Done, with an error: [*JobError] (the job failed),
// [*editing.NotStoredError], or the end of ctx while the job runs.
func (s Site) ApplyEdit(ctx context.Context, edit editing.Edit, report func(EditProgress)) (applied Applied, result Result) {
	if report == nil {
		report = func(EditProgress) {}
	}
	p, err := PrepareEdit(edit, s), edit.Sendable()
	if err == nil {
		err = s.Client.Writable()
	}
	if err != nil {
		return applied, p.Result(adminapi.OutcomeNotSent, err)
	}
	p.Accepted = finding.AcceptedIn(edit.Plan().Found(), edit.Accepted.By())
	var accepted adminapi.Accepted
	one, result := s.send(ctx, p, func(ctx context.Context, claim claimed) (err error) {
		if applied.Backup, err = s.backUpBase(ctx, edit, claim, report); err == nil {
			err = s.Memory.saveSentEdit(edit, "")
		}
		return err
	}, func(ctx context.Context) (outcome adminapi.Outcome, err error) {
		report(EditProgress{Step: StepSendEdit, Part: edit.Part})
		accepted, outcome, err = s.Client.Change(ctx, p.call)
		if outcome == adminapi.OutcomeNotSent || outcome == adminapi.OutcomeRefused {
			s.Memory.deleteSentEdit(edit.Target)
		}
		return outcome, err
	})
	defer one.release()
	if result.End() == EndLost {
		applied.Search = s.searchEdit(edit, "", one.record, result.Err)
		if edit.Part == editing.Definition && edit.Sync != nil && *edit.Sync { // it shows only at its end: its search takes long, and proves no refusal
			applied.Search.answer, applied.Search.until = nil, one.record.Time.Add(adminapi.SyncTime)
		}
	}
	if !result.Done() {
		return applied, result
	}
	if !accepted.Finished() {
		_ = s.Memory.saveSentEdit(edit, accepted.JobID) // without the job a search finds less; the edit was sent all the same
		report(EditProgress{Step: StepEditJob, Job: adminapi.Job{ID: accepted.JobID, Status: accepted.Status}})
		applied.Job, result.Err = s.WaitJob(ctx, accepted.JobID, func(job polling.Step[adminapi.Job]) {
			report(EditProgress{Step: StepEditJob, Job: job.Value, Unreachable: job.Unreachable})
		})
		if err := result.Err; err != nil && !errors.Is(err, ErrJobBroken) && !errors.Is(err, adminapi.KindNotFound) {
			applied.Search = s.searchEdit(edit, accepted.JobID, one.record, nil) // it was accepted: no error is its refusal
			return applied, result
		}
	}
	applied.answered = edit.Unread != nil && accepted.Finished()
	report(EditProgress{Step: StepReadBack, Part: edit.Part})
	result.Err = s.readBack(ctx, edit, result.Err, &applied)
	applied.Stored = storedOf(edit, applied.Now)
	if verdict, because := applied.Verdict(result.Err); verdict == "" || s.Memory.Settle(one.record.ID, verdict, because) {
		s.Memory.deleteSentEdit(edit.Target) // else the next program needs it, to record the end
	}
	if result.Done() { // before anything else is sent: a program that is killed leaves no draft of it
		s.Memory.deleteDraftOf(edit)
	}
	return applied, result
}

// backUpBase checks that the site still has the base of the edit, and saves it under its claim. Where the site
// could not be read, a base from a file is saved alone.
func (s Site) backUpBase(ctx context.Context, edit editing.Edit, claim claimed, report func(EditProgress)) (journal.Backup, error) {
	now, why := editing.Content{Target: edit.Target, Document: edit.Base}, "before "+cmp.Or(edit.Why, "an edit")
	switch unread := edit.Unread; {
	case unread == nil:
		report(EditProgress{Step: StepCheckBase, Part: edit.Part})
		var err error
		if now, err = editing.Read(ctx, s.Client, edit.Target); err != nil {
			return journal.Backup{}, fmt.Errorf("the current %s could not be read, so nothing was sent: %w", edit.Part, err)
		}
		if changes := document.Diff(edit.Base, now.Document); len(changes) > 0 {
			return journal.Backup{}, &editing.DriftError{Part: edit.Part, Theirs: now.Document, Changes: changes}
		}
	case unread.Blank():
		return journal.Backup{}, nil
	default:
		why += ", from " + unread.File + "; the site was not read"
	}
	report(EditProgress{Step: StepBackup, Part: edit.Part})
	backup, err := claim.saveBackup(ctx, now, why)
	if err != nil {
		return backup, fmt.Errorf("the old %s could not be saved, so nothing was sent: %w", edit.Part, err)
	}
	if edit.Part == editing.Definition {
		s.keepKeys(func(keys document.Keys) bool { return keys.Doubt(edit.Edited, edit.Base) })
	}
	return backup, nil
}

// readBack compares what the site has now with what was sent. broken is why the job is not
// known to have completed, nil where it has; a job that the site does not know any more
// has completed where the site has what was sent. A failed fetch is no failure of the edit.
func (s Site) readBack(ctx context.Context, edit editing.Edit, broken error, applied *Applied) error {
	now, err := editing.Read(ctx, s.Client, edit.Target)
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
	return edit.NotStored(now.Document)
}
