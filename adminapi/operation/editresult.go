package operation

import (
	"context"
	"errors"
	"fmt"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
)

// Applied is what is known of an edit once it was sent, besides its [Result].
type Applied struct {
	Backup      journal.Backup     // of what was replaced
	Job         adminapi.Job       // zero where the site did it at once
	Now         *document.Document // as it was read back; nil where that failed
	Stored      Stored             // the same, compared with the edit
	ReadBackErr error              // why it could not be read back; nil where it was
	answered    bool               // the site said that it is done, and shows nothing else of it
	// Search finds out the outcome where that is unknown, or the end where that was not seen; nil
	// otherwise.
	Search *Search
}

// Stored is what the site has after an edit.
type Stored uint8

// What it has.
const (
	StoredUnread Stored = iota // it was not read
	StoredOld                  // what it had before
	StoredNew                  // what was sent
	StoredOther                // something else
)

// storedOf compares what the site has with an edit.
func storedOf(e editing.Edit, now *document.Document) Stored {
	switch {
	case now == nil:
		return StoredUnread
	case len(document.Diff(e.Edited, now)) == 0:
		return StoredNew
	case len(document.Diff(e.Base, now)) == 0:
		return StoredOld
	}
	return StoredOther
}

// Text says of a part what the site has after an edit that has failed, in a sentence without its end.
func (s Stored) Text(p editing.Part) string {
	switch part := p.String(); s {
	case StoredOld:
		return "the site still has the old " + part
	case StoredNew:
		return "the site has the new " + part + " anyway"
	case StoredOther:
		return "the site has neither the old " + part + " nor the new one"
	}
	return "what the site has now could not be read"
}

// Verdict returns how an edit ended that the site has accepted: its job is its own, which has ended, without
// an id where it had none; err is why the edit is not known to be as it was sent. It is empty where its
// end was not seen.
func (a Applied) Verdict(err error) (journal.Verdict, string) {
	_, failed := errors.AsType[*JobError](err)
	kept, partly := errors.AsType[*editing.NotStoredError](err)
	switch {
	case err == nil && a.Now != nil:
		return journal.VerdictSucceeded, "the site has it"
	case err == nil && a.Job.Completed():
		return journal.VerdictSucceeded, "its job has completed"
	case err == nil && a.answered:
		return journal.VerdictSucceeded, "the site answered that it is done"
	case failed && a.Stored == StoredOld:
		return journal.VerdictFailed, "job " + a.Job.Status + "; nothing changed"
	case failed && a.Stored == StoredNew:
		return journal.VerdictFailed, "job " + a.Job.Status + ", but the site has it"
	case failed:
		return journal.VerdictFailed, "job " + a.Job.Status
	case partly && a.Stored == StoredOld:
		return journal.VerdictFailed, "the site kept nothing of it"
	case partly:
		return journal.VerdictPartly, "the site differs from what was sent in " + plain.Plural(len(kept.Changes), "place")
	}
	return "", ""
}

// AppliedEdit is the result of one of several edits.
type AppliedEdit struct {
	editing.Target
	Result
	Applied Applied
	After   availability.Snapshot // the service after the edit, where it was waited for
}

// Down reports whether the edit is done and its service is known not to answer.
func (a AppliedEdit) Down() bool {
	return a.Done() && a.After.Answer() == availability.AnswerWaiting
}

// Brief says in a few words how the edit ended, and how good that is.
func (a AppliedEdit) Brief() (Tone, string) {
	switch end := a.End(); {
	case end == EndUnseen:
		return ToneUnknown, ends[end].brief
	case end != EndDone:
		return a.Tone(), ends[end].brief
	case a.Down():
		return ToneBad, plain.Line(a.After.Text())
	case a.Applied.ReadBackErr != nil:
		return ToneWarn, "done, not read back"
	case a.After.Answer() == availability.AnswerUnknown:
		return ToneUnknown, "done, state not known"
	}
	return ToneGood, "done, " + a.After.Text()
}

// Headline says how the edit ended, in a sentence without its end.
func (a AppliedEdit) Headline() string {
	what := plain.Line(a.Target.String())
	switch a.End() {
	case EndDone:
		if a.Applied.ReadBackErr != nil {
			return "The site accepted the new " + what
		}
		return "The site has the new " + what
	case EndNotKept:
		return "The site accepted the " + what + ", but did not keep all of it"
	case EndDrift:
		return "The " + what + " was changed at the site meanwhile; nothing was sent"
	case EndRefused:
		return "The site refused the " + what + "; it is unchanged"
	case EndFailed:
		return "The job to replace the " + what + " did not complete"
	case EndUnseen:
		if job := a.Applied.Job.ID; job != "" {
			what += " as job " + plain.Line(job)
		}
		return "The site accepted the " + what + "; its end was not seen"
	case EndLost:
		if adminapi.IsAnswer(a.Err) {
			return "The site answered with an error. It is not known whether it accepted the " + what
		}
		return "No answer came. It is not known whether the site accepted the " + what
	}
	return "Nothing was sent"
}

// editLook looks for an edit whose answer was lost, or whose end was not seen.
type editLook struct {
	site   Site
	edit   editing.Edit
	job    string // of the edit; empty where it is not known
	record journal.Record
	user   string // who has sent it; empty before it was fetched
}

// searchEdit returns a search for an edit that was sent; job is its own where that is known.
func (s Site) searchEdit(edit editing.Edit, job string, record journal.Record, err error) *Search {
	return s.search(record, err, (&editLook{site: s, edit: edit, job: job, record: record}).look)
}

// lookForEdit compares what the site has with what was sent, which is on disk until its outcome is
// known.
func (s Site) lookForEdit(t editing.Target, r journal.Record) look {
	edit, job, found := s.Memory.sentEdit(t)
	if !found {
		return showing(Resolution{How: "this machine no longer has what was sent"})
	}
	return (&editLook{site: s, edit: edit, job: job, record: r}).look
}

// look reads the job of the edit, what the site has, and where that is as before whether another job
// edits the service. Where the jobs cannot be read, what the site has still decides.
func (l *editLook) look(ctx context.Context, _ bool) (Resolution, error) {
	own, jobErr := l.ownJob(ctx)
	if own.ID != "" && !own.Ended() {
		return editedByJob(own), nil
	}
	found, err := l.stored(ctx, own)
	if err != nil && l.edit.Unread != nil && editing.Unreadable(err) {
		if jobErr != nil {
			return Resolution{}, jobErr
		}
		return l.unread(ctx, own, err)
	}
	switch {
	case err != nil, own.ID != "", found.Stored == StoredNew:
		return found, err
	case found.Stored == StoredOther:
		if errors.Is(jobErr, adminapi.KindPrivilege) {
			jobErr = nil
		}
		return found, jobErr
	}
	var running, over adminapi.Job
	if jobErr == nil {
		running, over, jobErr = l.jobs(ctx)
	}
	part := l.edit.Part.String()
	switch {
	case errors.Is(jobErr, adminapi.KindPrivilege):
		found.How = "the site still has the old " + part + ", and its jobs cannot be read: " + jobErr.Error()
		return found, nil
	case running.ID != "":
		return editedByJob(running), nil
	case over.ID != "": // perhaps after the site was read
		if found, err = l.stored(ctx, own); err != nil || found.Stored != StoredOld {
			return found, err
		}
		found.How = "the site still has the old " + part + ", and job " + over.ID + " from then, which may be the edit's, has ended"
		return found, jobErr
	}
	found.Shows, found.How = ShowsUnchanged, "the site still has the old "+part+", and no job edits the service"
	return found, jobErr
}

// stored is what the site has, and what that says of the edit where it is not the old one; own is its job, if that is known.
func (l *editLook) stored(ctx context.Context, own adminapi.Job) (Resolution, error) {
	now, err := editing.Read(ctx, l.site.Client, l.edit.Target)
	if err != nil {
		return Resolution{}, err
	}
	part := l.edit.Part.String()
	found := Resolution{Now: now.Document, Stored: storedOf(l.edit, now.Document), Changes: document.Diff(l.edit.Edited, now.Document), Job: own}
	switch {
	case own.ID != "":
		l.ended(&found)
	case found.Stored == StoredNew:
		found.Outcome, found.Verdict, found.How = adminapi.OutcomeDone, journal.VerdictSucceeded, "the site has the "+part+" that was sent"
	case found.Stored == StoredOther:
		found.Shows, found.How = ShowsOther, fmt.Sprintf("the %s at the site is neither the old one nor what was sent; it differs from that in %s, first %s",
			part, plain.Plural(len(found.Changes), "place"), found.Changes[0].Path)
	}
	return found, nil
}

// unread is what is known of an edit at a site that does not show what is edited: what its job has left. Where the
// site does not list its jobs either, no other look shows more.
func (l *editLook) unread(ctx context.Context, own adminapi.Job, err error) (Resolution, error) {
	found := Resolution{How: "the site does not show the " + l.edit.Part.String() + " (" + err.Error() + "): look at the service itself"}
	if own.ID == "" {
		running, _, jobErr := l.jobs(ctx)
		switch {
		case running.ID != "":
			return editedByJob(running), nil
		case adminapi.IsNotOffered(jobErr):
			found.Err, jobErr = found.unknown(), nil
		}
		return found, jobErr
	}
	found.Outcome, found.Job, found.How = adminapi.OutcomeDone, own, "its job "+own.ID+" was found, and has ended"
	if own.Failed() {
		found.Err = &JobError{Job: own}
	}
	found.Verdict, found.because = Applied{Job: own}.Verdict(found.Err)
	return found, nil
}

// editedByJob is what is known while a job edits the service.
func editedByJob(job adminapi.Job) Resolution {
	return Resolution{Shows: ShowsRunning, Job: job, How: "job " + job.ID + " is editing the service"}
}

// ended takes what the job of the edit has left.
func (l *editLook) ended(found *Resolution) {
	found.Outcome, found.How = adminapi.OutcomeDone, "its job "+found.Job.ID+" was found, and has ended"
	switch {
	case found.Stored == StoredNew:
		found.How = "the site has the " + l.edit.Part.String() + " that was sent"
	case found.Job.Failed():
		found.Err = &JobError{Job: found.Job}
	default:
		found.Err = l.edit.NotStored(found.Now)
	}
	found.Verdict, found.because = Applied{Job: found.Job, Now: found.Now, Stored: found.Stored}.Verdict(found.Err)
}

// ownJob fetches the job of the edit. Its id is empty where the job is not known, here or
// at the site.
func (l *editLook) ownJob(ctx context.Context) (adminapi.Job, error) {
	if l.job == "" {
		return adminapi.Job{}, nil
	}
	job, err := l.site.Client.Jobs.Get(ctx, l.job)
	if errors.Is(err, adminapi.KindNotFound) {
		l.job = ""
		return adminapi.Job{}, nil
	}
	return job, err
}

// owns reports whether a job is of this user, and began when the edit was sent: the end of another says nothing of the
// edit. An error says that who the user is could not be read.
func (l *editLook) owns(ctx context.Context, job adminapi.Job) (bool, error) {
	if !beganAt(job, l.record.Server) {
		return false, nil
	}
	if l.user == "" {
		self, err := l.site.Client.Session.Self(ctx)
		if err != nil {
			return false, err
		}
		l.user = self.Username
	}
	return l.user != "" && job.Username == l.user, nil
}

// jobs returns a job that is editing the service, and one that has ended and may be that of the edit. Their ids are
// empty where there are none. One that runs, and may be that of the edit, is followed from then on.
func (l *editLook) jobs(ctx context.Context) (running, over adminapi.Job, err error) {
	all, err := l.site.Jobs(ctx, 0)
	for _, job := range all {
		switch {
		case job.Status == "" || !l.edit.IsEditedBy(job.OperationURI):
		case !job.Ended():
			if own, _ := l.owns(ctx, job); own { // else it is asked again once it has ended
				l.job = job.ID
			}
			return job, over, err
		case err == nil && over.ID == "":
			own := false
			if own, err = l.owns(ctx, job); own {
				over = job
			}
		}
	}
	return adminapi.Job{}, over, err
}
