package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

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
}

// ApplyEdit checks the edit, fetches the base again, saves it as a backup, sends the edit
// once, waits for its job, reads back and compares. It never sends a second time.
//
// Not sent: [ErrNothingChanged], [*BlockedError], [*RemovedKeysError], [*NoNodeError],
// [*DriftError], a backup that could not be saved, [ErrUnresolved], [ErrBusyHere].
// Unknown: search with [Site.SearchEdit]. Done, with an error: [*JobError] (the job failed),
// [*NotStoredError], or the end of ctx while the job runs.
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
	claim, err := outcomes{s}.claim(ctx, adminapi.TargetService(edit.Service), edit.Service.Path())
	if err != nil {
		return applied, adminapi.OutcomeNotSent, err
	}
	defer claim.release()
	if applied.Backup, err = (edits{s}).backUpBase(ctx, edit, claim, report); err == nil {
		err = s.saveSentEdit(edit, "")
	}
	if err == nil {
		err = claim.use()
	}
	if err != nil {
		return applied, adminapi.OutcomeNotSent, err
	}
	report(EditProgress{Step: StepSendEdit, Part: edit.Part})
	accepted, outcome, err := parts[edit.Part].send(s.Client, ctx, edit.Service, edit.Edited.Bytes())
	if outcome == adminapi.OutcomeNotSent || outcome == adminapi.OutcomeRefused {
		s.deleteSentEdit(edit.Target)
	}
	if outcome != adminapi.OutcomeDone {
		return applied, outcome, err
	}
	if !accepted.Finished() {
		_ = s.saveSentEdit(edit, accepted.JobID) // without the job a search finds less; the edit was sent all the same
		report(EditProgress{Step: StepEditJob, Job: adminapi.Job{ID: accepted.JobID, Status: accepted.Status}})
		applied.Job, err = s.WaitJob(ctx, accepted.JobID, func(job Step[adminapi.Job]) {
			report(EditProgress{Step: StepEditJob, Job: job.Value, Unreachable: job.Unreachable})
		})
		if err != nil && !errors.Is(err, ErrJobBroken) && !errors.Is(err, adminapi.KindNotFound) {
			return applied, outcome, err
		}
	}
	s.deleteSentEdit(edit.Target) // its end was seen
	report(EditProgress{Step: StepReadBack, Part: edit.Part})
	err = edits{s}.readBack(ctx, edit, err, &applied)
	if verdict, because := edit.verdict(applied.Job, applied.Now, err); verdict != "" {
		s.settle(claim.claim.Record(), verdict, because)
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

// EditFinding is what a search after a lost answer found of an edit.
type EditFinding int

// The findings, from the zero value on.
const (
	EditUnknown    EditFinding = iota // not known yet
	EditArrived                       // the site has what was sent
	EditNotArrived                    // the site still has what was there before
	EditPartial                       // neither: the site stored a part of it, or somebody else has edited
	EditRunning                       // a job is editing this service
	EditRefused                       // the site answered with an error, and still has what was there before 30 s later
)

// UnansweredEdit is an edit of unknown outcome.
type UnansweredEdit struct {
	Edit
	Job   string    // from its answer or from an earlier search; empty where it is not known
	Err   error     // the error of the sending, from the site or from the transport
	Since time.Time // by this machine's clock
}

// FoundEdit is the result of a search.
type FoundEdit struct {
	Finding EditFinding
	Now     *document.Document // as the site has it; nil where it could not be read
	Changes []document.Change  // from what was sent to what is there
	// Job is editing the service, with EditRunning. With other findings it is the job of
	// the edit, which has ended, where it is known.
	Job adminapi.Job
	// Err is the outcome at the end of the search: nil where all of the edit arrived, else
	// [*JobError], [*NotStoredError] of a job that completed, [*RefusedError] where the site
	// answered with an error and nothing has changed, or an error that matches
	// [ErrOutcomeUnknown] and says what was found.
	Err error
}

// checkEdit looks once for an edit whose answer was lost: at the part, and where that is as
// before at the list of jobs. [EditUnknown] comes with an error.
func (s edits) checkEdit(ctx context.Context, edit Edit) (FoundEdit, error) {
	now, err := s.ReadContent(ctx, edit.Target)
	if err != nil {
		return FoundEdit{}, err
	}
	found := FoundEdit{Now: now.Document, Changes: document.Diff(edit.Edited, now.Document)}
	switch {
	case len(found.Changes) == 0:
		found.Finding = EditArrived
		return found, nil
	case len(document.Diff(edit.Base, now.Document)) > 0:
		found.Finding = EditPartial
		return found, nil
	}
	found.Job, err = s.runningEdit(ctx, edit.Target)
	switch {
	case err != nil:
		found.Finding = EditUnknown
		return found, err
	case found.Job.ID != "":
		found.Finding = EditRunning
	default:
		found.Finding = EditNotArrived
	}
	return found, nil
}

// EditSearch is a [Poller] that finds out the outcome of an edit whose answer was lost. It
// goes on for 30 s, or as long as a job edits the service, sends nothing, and records what
// it finds. After an unknown end it may go on.
type EditSearch struct {
	site       Site
	unanswered UnansweredEdit
	user       string // who has sent it; empty before it was fetched
	pace       pace   // of its job
	until      time.Time
	last       FoundEdit
}

// SearchEdit returns a poller that finds out the outcome of an edit.
func (s Site) SearchEdit(edit UnansweredEdit) *EditSearch {
	return &EditSearch{site: s, unanswered: edit, pace: s.pace(jobBackoff), until: edit.Since.Add(searchTime)}
}

// Next looks once. An error is a missing sign-in or privilege; Next can be called again
// after it.
func (s *EditSearch) Next(ctx context.Context) (Step[FoundEdit], error) {
	own, jobErr := s.ownJob(ctx)
	if own.ID != "" && !own.Ended() {
		return s.running(own, true), nil
	}
	found, err := edits{s.site}.checkEdit(ctx, s.unanswered.Edit)
	switch {
	case err == nil && found.Finding == EditArrived:
		s.site.resolveOn(adminapi.TargetService(s.unanswered.Service), s.unanswered.edits, adminapi.OutcomeDone, "the site has the "+s.unanswered.Part.String()+" that was sent")
	case err == nil:
		err = jobErr
	}
	over := !s.site.Clock.Now().Before(s.until)
	switch {
	case errors.Is(err, adminapi.KindPrivilege) && found.Now != nil: // for jobs: what the site has may still decide
		if over {
			return s.end(found, s.unanswered.unknown(found, err)), nil
		}
		s.last = found
		return Step[FoundEdit]{Value: found, Wait: s.site.Line.Pause(searchPause)}, nil
	case err != nil && !adminapi.IsTransient(err):
		return Step[FoundEdit]{Value: s.last}, err
	case err != nil:
		return s.unreachable(err), nil
	case own.ID != "":
		return s.jobEnded(own, found), nil
	case found.Finding == EditRunning:
		return s.running(found.Job, s.owns(ctx, found.Job)), nil
	}
	switch {
	case found.Finding == EditArrived:
		return s.end(found, nil), nil
	case found.Finding == EditNotArrived && over && Answered(s.unanswered.Err):
		found.Finding = EditRefused
		s.site.resolveOn(adminapi.TargetService(s.unanswered.Service), s.unanswered.edits, adminapi.OutcomeRefused,
			"the site answered with an error, and still has the old "+s.unanswered.Part.String())
		return s.end(found, &RefusedError{s.unanswered.Err}), nil
	case found.Finding == EditPartial || over:
		return s.end(found, s.unanswered.unknown(found, nil)), nil
	}
	s.pace.failures = 0
	s.last = found
	return Step[FoundEdit]{Value: found, Wait: s.site.Line.Pause(searchPause)}, nil
}

// ownJob fetches the job of the edit. Its id is empty where the job is not known, here or
// at the site.
func (s *EditSearch) ownJob(ctx context.Context) (adminapi.Job, error) {
	if s.unanswered.Job == "" {
		return adminapi.Job{}, nil
	}
	job, err := s.site.Client.Job(ctx, s.unanswered.Job)
	if errors.Is(err, adminapi.KindNotFound) {
		s.unanswered.Job = ""
		return adminapi.Job{}, nil
	}
	return job, err
}

// owns reports whether a job is of this user, and began when the edit was sent. The end of
// another says nothing of the edit.
func (s *EditSearch) owns(ctx context.Context, job adminapi.Job) bool {
	if sent := s.site.sentAt(adminapi.TargetService(s.unanswered.Service), s.unanswered.edits); !beganAt(job, sent) {
		return false
	}
	if s.user == "" {
		self, _ := s.site.Client.Self(ctx) // fetched again with the next answer
		s.user = self.Username
	}
	return s.user != "" && job.Username == s.user
}

// running goes on for as long as the job runs.
func (s *EditSearch) running(job adminapi.Job, own bool) Step[FoundEdit] {
	if own {
		s.unanswered.Job = job.ID
	}
	s.until = s.site.Clock.Now().Add(searchTime)
	s.last = FoundEdit{Finding: EditRunning, Job: job}
	return Step[FoundEdit]{Value: s.last, Wait: s.pace.afterAnswer()}
}

// jobEnded ends the search with what the job has left.
func (s *EditSearch) jobEnded(job adminapi.Job, found FoundEdit) Step[FoundEdit] {
	found.Job = job
	s.site.resolveOn(adminapi.TargetService(s.unanswered.Service), s.unanswered.edits, adminapi.OutcomeDone, "its job "+job.ID+" was found, and has ended")
	switch {
	case found.Finding == EditRunning: // another job, or this one has ended since it was listed
		found.Finding = EditNotArrived
		fallthrough
	case found.Finding != EditArrived && job.Failed():
		return s.end(found, &JobError{Job: job})
	case found.Finding != EditArrived:
		return s.end(found, &NotStoredError{found.Changes})
	}
	return s.end(found, nil)
}

// unreachable goes on without an answer, and ends as unknown when the time is over.
func (s *EditSearch) unreachable(err error) Step[FoundEdit] {
	step := Step[FoundEdit]{Value: s.last, Unreachable: err, Wait: s.pace.afterFailure()}
	if s.last.Err = nil; !s.site.Clock.Now().Before(s.until) {
		s.last.Err = s.unanswered.unknown(s.last, err)
		step.Value, step.Done = s.last, true
	}
	return step
}

func (s *EditSearch) end(found FoundEdit, err error) Step[FoundEdit] {
	if found.Finding == EditArrived || found.Job.Ended() {
		if verdict, because := s.unanswered.verdict(found.Job, found.Now, err); verdict != "" {
			s.site.settleLast(adminapi.TargetService(s.unanswered.Service), s.unanswered.edits, s.unanswered.Since, verdict, because)
		}
	}
	found.Err = err
	s.last = found
	return Step[FoundEdit]{Value: found, Done: true}
}

// runningEdit returns a job that is editing the service, without an id where none is.
func (s edits) runningEdit(ctx context.Context, target Target) (adminapi.Job, error) {
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

// unescaped decodes a path; one that cannot be decoded stays as it is.
func unescaped(path string) string {
	if decoded, err := url.PathUnescape(path); err == nil {
		return decoded
	}
	return path
}

// unknown is the error of a search that has not found out the outcome.
func (e Edit) unknown(f FoundEdit, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
	case f.Finding == EditPartial:
		return fmt.Errorf("%w: the %s at the site is neither the old one nor what was sent; it differs from that in %s, first %s",
			ErrOutcomeUnknown, e.Part, plain.Plural(len(f.Changes), "place"), f.Changes[0].Path)
	}
	return fmt.Errorf("%w: the site still has the old %s, and no job edits the service", ErrOutcomeUnknown, e.Part)
}
