package operation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
)

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
	now, err := editing.Read(ctx, l.site.Client, l.edit.Target)
	if err != nil {
		return Resolution{}, err
	}
	part := l.edit.Part.String()
	found := Resolution{Now: now.Document, Stored: storedOf(l.edit, now.Document), Changes: document.Diff(l.edit.Edited, now.Document), Job: own}
	switch {
	case own.ID != "":
		l.ended(&found)
		return found, nil
	case found.Stored == StoredNew:
		found.Outcome, found.Verdict, found.How = adminapi.OutcomeDone, journal.VerdictSucceeded, "the site has the "+part+" that was sent"
		return found, nil
	case found.Stored == StoredOther:
		found.Shows, found.How = ShowsOther, fmt.Sprintf("the %s at the site is neither the old one nor what was sent; it differs from that in %s, first %s",
			part, plain.Plural(len(found.Changes), "place"), found.Changes[0].Path)
		if errors.Is(jobErr, adminapi.KindPrivilege) {
			jobErr = nil
		}
		return found, jobErr
	}
	running := adminapi.Job{}
	if jobErr == nil {
		running, jobErr = l.runningEdit(ctx)
	}
	switch {
	case errors.Is(jobErr, adminapi.KindPrivilege):
		found.How = "the site still has the old " + part + ", and its jobs cannot be read: " + jobErr.Error()
		return found, nil
	case running.ID != "":
		if l.owns(ctx, running) {
			l.job = running.ID
		}
		return editedByJob(running), nil
	}
	found.Shows, found.How = ShowsUnchanged, "the site still has the old "+part+", and no job edits the service"
	return found, jobErr
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
		found.Err = &editing.NotStoredError{Changes: found.Changes}
	}
	found.Verdict, found.because = Applied{Job: found.Job, Now: found.Now, Stored: found.Stored}.verdict(found.Err)
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

// owns reports whether a job is of this user, and began when the edit was sent. The end of
// another says nothing of the edit.
func (l *editLook) owns(ctx context.Context, job adminapi.Job) bool {
	if !beganAt(job, l.record.Server) {
		return false
	}
	if l.user == "" {
		self, _ := l.site.Client.Session.Self(ctx) // fetched again with the next answer
		l.user = self.Username
	}
	return l.user != "" && job.Username == l.user
}

// runningEdit returns a job that is editing the service, without an id where none is.
func (l *editLook) runningEdit(ctx context.Context) (adminapi.Job, error) {
	jobs, err := l.site.Jobs(ctx, 0)
	at := slices.IndexFunc(jobs, func(j adminapi.Job) bool {
		return j.Status != "" && !j.Ended() && l.edit.IsEditedBy(j.OperationURI)
	})
	if err != nil || at < 0 {
		return adminapi.Job{}, err
	}
	return jobs[at], nil
}
