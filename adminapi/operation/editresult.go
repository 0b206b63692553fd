package operation

import (
	"errors"

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

// verdict returns how an edit ended that the site has accepted: its job is its own, which has ended, without
// an id where it had none; err is why the edit is not known to be as it was sent. It is empty where its
// end was not seen.
func (a Applied) verdict(err error) (journal.Verdict, string) {
	_, failed := errors.AsType[*JobError](err)
	kept, partly := errors.AsType[*editing.NotStoredError](err)
	switch {
	case err == nil && a.Now != nil:
		return journal.VerdictSucceeded, "the site has it"
	case err == nil && a.Job.Completed():
		return journal.VerdictSucceeded, "its job has completed"
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
		return "The site accepted the " + what + " as job " + plain.Line(a.Applied.Job.ID) + "; its end was not seen"
	case EndLost:
		if adminapi.IsAnswer(a.Err) {
			return "The site answered with an error. It is not known whether it accepted the " + what
		}
		return "No answer came. It is not known whether the site accepted the " + what
	}
	return "Nothing was sent"
}
