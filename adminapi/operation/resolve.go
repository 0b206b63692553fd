package operation

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/editing"
)

// resolveWrite looks once at the site for the outcome of a write of this machine, and
// records it where it is found. An error is a missing sign-in, or the end of ctx: a site
// that cannot be read leaves the outcome unknown.
func (s Site) resolveWrite(ctx context.Context, r journal.Record) (Resolution, error) {
	found, err := s.LookOnce(ctx, r)
	// The site itself answered with an error, so long ago that the write would show by now if it had begun all the same.
	refused := r.Explicit && !showsAtItsEnd(r) && s.sinceAnswer(r) >= searchTime
	if found.Shows == ShowsUnchanged && refused { // once more: its job may have ended, and gone, between the two things that were read
		if found, err = s.LookOnce(ctx, r); found.Shows == ShowsUnchanged {
			found = Resolution{Outcome: adminapi.OutcomeRefused, How: "the site answered with an error, and nothing has been seen since"}
		}
	}
	if err == nil && found.Outcome != adminapi.OutcomeUnknown {
		s.Memory.conclude(r, found)
	}
	return found, err
}

// LookOnce is resolveWrite without a conclusion from what is not there. It records nothing.
func (s Site) LookOnce(ctx context.Context, r journal.Record) (Resolution, error) {
	found, err := s.lookFor(r)(ctx, true)
	if err == nil || errors.Is(err, adminapi.KindSignIn) || ctx.Err() != nil {
		return found, err
	}
	return Resolution{How: "the site cannot be read now (" + err.Error() + ")"}, nil
}

// EditedBy returns what a write edits, and reports whether it is an edit.
func EditedBy(r journal.Record) (editing.Target, bool) {
	for _, part := range editing.Parts {
		if part.Writes() == r.Kind {
			service, err := adminapi.ParseServicePath(r.Subject)
			return editing.Target{Service: service, Part: part}, err == nil
		}
	}
	return editing.Target{}, false
}

// writes returns the recorded writes of this machine, newest first: none without a journal. Those that
// cannot be read tell nothing.
func (s Memory) writes() (records []journal.Record) {
	if s.Journal != nil {
		records, _ = s.Journal.Actions(0)
	}
	return records
}

// newest returns the newest of some records that matches; they stand newest first.
func newest(records []journal.Record, matches func(journal.Record) bool) (r journal.Record, found bool) {
	if at := slices.IndexFunc(records, matches); at >= 0 {
		return records[at], true
	}
	return r, false
}

// lastEdit returns the newest write that edits a part of a service, and reports whether there is one.
func (s Memory) lastEdit(t editing.Target) (journal.Record, bool) {
	return newest(s.writes(), func(r journal.Record) bool {
		edited, ok := EditedBy(r)
		return ok && t.Same(edited)
	})
}

// beganAt reports whether a job may be of a write that was sent at a time of the server's clock,
// which is not known where it is zero.
func beganAt(j adminapi.Job, sent adminapi.Millis) bool {
	return !sent.IsZero() && sent-ClockSlack <= j.StartTime && j.StartTime <= sent+maxApart
}

// sentEditKind is the kind of draft that holds an edit from its sending until its outcome is
// known.
func sentEditKind(p editing.Part) string { return "sent " + p.Kind() }

// sentDraft is an edit that was sent.
type sentDraft struct {
	EditDraft
	Job    string `json:"job,omitempty"`    // of the site; empty where it is not known
	Unread bool   `json:"unread,omitempty"` // the site did not show what it had
}

// saveSentEdit saves an edit that is about to be sent, and later its job. Where that fails
// it must not be sent: a lost answer could not be resolved.
func (s Memory) saveSentEdit(e editing.Edit, job string) error {
	if s.Journal == nil {
		return nil
	}
	_, err := s.Journal.SaveDraft(sentEditKind(e.Part), e.Service.Path(), sentDraft{EditDraft{Base: e.Base.Text(), Edited: e.Edited.Text()}, job, e.Unread != nil})
	if err != nil {
		return &UnrecordedError{err}
	}
	return nil
}

// deleteSentEdit deletes the sent edits of a part, also of programs that have ended. What
// cannot be deleted stays until the next edit.
func (s Memory) deleteSentEdit(t editing.Target) {
	drafts, _ := s.drafts(sentEditKind(t.Part), t) // those that cannot be read do not count
	for _, d := range drafts {
		s.deleteSent(d)
	}
}

func (s Memory) deleteSent(d journal.Draft) {
	if d.Mine {
		_ = s.Journal.DeleteDraft(d.Kind, d.Key)
	} else {
		_ = s.Journal.DiscardDraft(d)
	}
}

// sentEdit returns the edit of a part that any program has sent last, and its job as far as that is
// known.
func (s Memory) sentEdit(t editing.Target) (edit editing.Edit, job string, found bool) {
	var sent sentDraft
	var last time.Time
	drafts, _ := s.drafts(sentEditKind(t.Part), t)
	for _, d := range drafts {
		var one sentDraft
		if d.Saved.After(last) && d.Read(&one) == nil {
			sent, last = one, d.Saved
		}
	}
	base, err := document.Parse([]byte(sent.Base))
	if err != nil {
		return editing.Edit{}, "", false
	}
	edited, err := document.Parse([]byte(sent.Edited))
	edit = editing.Edit{Target: t, Base: base, Edited: edited}
	if sent.Unread {
		edit.Unread = &editing.Unread{}
	}
	return edit, sent.Job, err == nil
}

// How many accepted writes whose end nobody saw are looked for at once, and how old they may be:
// each takes some requests, and sites delete their jobs.
const (
	maxSettled    = 8
	settledWithin = 24 * time.Hour
)

// UnseenEnds are the accepted writes whose program was killed, or left, before it saw their end, newest first.
// Upgrades are followed by their own watch.
func (s Memory) UnseenEnds(now time.Time) (left []journal.Record) {
	newer := map[string]bool{} // targets that were written to later: what they have says nothing of an earlier write
	for _, r := range s.writes() {
		if len(left) == maxSettled || now.Sub(r.Time) > settledWithin {
			break
		}
		if !newer[r.Target] && s.endUnseen(r) {
			left = append(left, r)
		}
		newer[r.Target] = r.Target != ""
	}
	return left
}

// endUnseen reports whether a write was accepted, and no program follows it to its end.
func (s Memory) endUnseen(r journal.Record) bool {
	if edited, edits := EditedBy(r); edits {
		return Accepted(r) && s.leftBehind(edited, r)
	}
	return Accepted(r) && (r.Kind == adminapi.WriteStart || r.Kind == adminapi.WriteStop || r.Kind == adminapi.WriteHealthRun)
}

// errLeft is why the end of an edit that an earlier program sent was not seen.
var errLeft = errors.New("the program that sent it has ended")

// UnseenEdit returns the newest edit of a service whose end was not seen by the program that sent it, what
// follows it, and when it was sent.
func (s Site) UnseenEdit(service adminapi.ServiceRef) (edit editing.Edit, sent AppliedEdit, at time.Time, found bool) {
	for _, r := range s.Memory.UnseenEnds(s.Clock.Now()) {
		if of, edits := EditedBy(r); edits && strings.EqualFold(of.Service.Path(), service.Path()) {
			edit, job, found := s.Memory.sentEdit(of)
			result := Result{Kind: r.Kind, Subject: r.Subject, What: "change the " + of.String(), Outcome: r.Outcome, Err: errLeft}
			return edit, AppliedEdit{of, result, Applied{Job: adminapi.Job{ID: job}, Search: s.searchEdit(edit, job, r, nil)}, availability.Snapshot{}}, r.Time, found
		}
	}
	return edit, sent, at, false
}

// settleEnd looks once for the end of an accepted write, and records it. What goes on, or cannot be read,
// stays as it is, and is not found.
func (s Site) settleEnd(ctx context.Context, r journal.Record) (end EarlierWrite, found bool) {
	seen, err := s.lookFor(r)(ctx, true)
	if err != nil || seen.Verdict == "" {
		return end, false
	}
	s.Memory.conclude(r, seen)
	return EarlierWrite{Record: r, Resolution: seen}, true
}

// Accepted reports whether the site took a write whose end is not recorded.
func Accepted(r journal.Record) bool { return r.Outcome == adminapi.OutcomeDone && r.Verdict == "" }

// leftBehind reports whether what an edit sent is still here, from a program that has ended.
func (s Memory) leftBehind(t editing.Target, r journal.Record) bool {
	drafts, _ := s.drafts(sentEditKind(t.Part), t)
	return slices.ContainsFunc(drafts, func(d journal.Draft) bool {
		var sent sentDraft
		return d.Liveness == journal.Ended && d.Read(&sent) == nil && sendsText(r, SumOf(sent.Edited))
	})
}

// EarlierWrite is a write of this machine whose outcome was unknown, and what was found out.
type EarlierWrite struct {
	Record journal.Record
	Resolution
	Wait time.Duration // as in [UnresolvedError], where it stays unknown
}

// Unresolved returns the error for the next write on the target, nil where the outcome is
// known by now.
func (e EarlierWrite) Unresolved() *UnresolvedError {
	if e.Outcome != adminapi.OutcomeUnknown {
		return nil
	}
	return &UnresolvedError{Record: e.Record, Found: e.How, Wait: e.Wait}
}

// Done reports whether the write is known to be done, and not to have failed after that.
func (e EarlierWrite) Done() bool {
	return e.Outcome == adminapi.OutcomeDone && e.Verdict != journal.VerdictFailed
}

// Text says what was found out of the write, in a sentence without its subject and end.
func (e EarlierWrite) Text() string {
	switch {
	case e.Outcome == adminapi.OutcomeUnknown:
		return "outcome still unknown: " + e.How
	case e.Verdict == journal.VerdictFailed:
		return "accepted, but failed: " + cmp.Or(e.because, e.How)
	}
	return e.Outcome.String() + ": " + e.How
}

// OpenEdits returns since when the outcome of an edit is unknown, by its target as text.
func (s Memory) OpenEdits() (map[string]time.Time, error) {
	open, err := s.OpenWrites()
	since := map[string]time.Time{}
	for _, r := range open {
		if target, ok := EditedBy(r); ok {
			since[target.String()] = r.Time
		}
	}
	return since, err
}

// ResolveWrites looks once for the outcome of every open write of this machine, newest
// first, and records what it finds. Then come the accepted edits whose end was found now. After an error
// it returns those before it, too.
func (s Site) ResolveWrites(ctx context.Context) ([]EarlierWrite, error) {
	open, err := s.Memory.OpenWrites()
	if err != nil {
		return nil, err
	}
	var all []EarlierWrite
	for _, r := range open {
		found, err := s.resolveWrite(ctx, r)
		if err != nil {
			return all, err
		}
		all = append(all, EarlierWrite{Record: r, Resolution: found, Wait: s.untilOverride(r, found.Shows)})
	}
	for _, r := range s.Memory.UnseenEnds(s.Clock.Now()) {
		end, found := s.settleEnd(ctx, r)
		if _, edits := EditedBy(r); found && edits { // others have a view that shows their end
			all = append(all, end)
		}
	}
	return all, nil
}
