package operation

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
)

// resolveWrite looks once at the site for the outcome of a write of this machine, and
// records it where it is found. An error is a missing sign-in, or the end of ctx: a site
// that cannot be read leaves the outcome unknown.
func (s Site) resolveWrite(ctx context.Context, r journal.Record) (Resolution, error) {
	found, err := outcomes{s}.lookOnce(ctx, r)
	if found.Outcome == adminapi.OutcomeUnknown && found.Shows == ShowsUnchanged && (outcomes{s}).answeredLongAgo(r) {
		found = Resolution{Outcome: adminapi.OutcomeRefused, How: "the site answered with an error, and nothing has been seen since"}
	}
	if err == nil && found.Outcome != adminapi.OutcomeUnknown {
		s.conclude(r, found)
	}
	return found, err
}

// lookOnce is resolveWrite without a conclusion from what is not there. It records nothing.
func (s outcomes) lookOnce(ctx context.Context, r journal.Record) (Resolution, error) {
	found, err := s.lookFor(r)(ctx, true)
	if err == nil || errors.Is(err, adminapi.KindSignIn) || ctx.Err() != nil {
		return found, err
	}
	return Resolution{How: "the site cannot be read now (" + err.Error() + ")"}, nil
}

// answeredLongAgo reports whether the site itself answered with an error, so long ago that
// the write would show by now if it had begun all the same.
func (s outcomes) answeredLongAgo(r journal.Record) bool {
	return r.Explicit && !r.Pending() && !showsAtItsEnd(r) && s.Clock.Now().Sub(r.Finished) >= searchTime
}

// editedBy returns what a write edits, and reports whether it is an edit.
func editedBy(r journal.Record) (Target, bool) {
	for part := range parts {
		if parts[part].writes == r.Kind {
			service, err := adminapi.ParseServicePath(r.Subject)
			return Target{service, Part(part)}, err == nil
		}
	}
	return Target{}, false
}

// lastEdit returns the newest of some records that edits a part of a service, and reports whether there
// is one.
func lastEdit(records []journal.Record, t Target) (journal.Record, bool) {
	at := slices.IndexFunc(records, func(r journal.Record) bool {
		edited, ok := editedBy(r)
		return ok && t.Same(edited)
	})
	if at < 0 {
		return journal.Record{}, false
	}
	return records[at], true
}

// beganAt reports whether a job may be of a write that was sent at a time of the server's clock,
// which is not known where it is zero.
func beganAt(j adminapi.Job, sent adminapi.Millis) bool {
	return !sent.IsZero() && sent-clockSlack <= j.StartTime && j.StartTime <= sent+maxApart
}

// sentEditKind is the kind of draft that holds an edit from its sending until its outcome is
// known.
func sentEditKind(p Part) string { return "sent " + parts[p].kind }

// sentDraft is an edit that was sent.
type sentDraft struct {
	EditDraft
	Job string `json:"job,omitempty"` // of the site; empty where it is not known
}

// saveSentEdit saves an edit that is about to be sent, and later its job. Where that fails
// it must not be sent: a lost answer could not be resolved.
func (s Memory) saveSentEdit(e Edit, job string) error {
	if s.Journal == nil {
		return nil
	}
	_, err := s.Journal.SaveDraft(sentEditKind(e.Part), e.Service.Path(), sentDraft{EditDraft{Base: e.Base.Text(), Edited: e.Edited.Text()}, job})
	if err != nil {
		return &UnrecordedError{err}
	}
	return nil
}

// deleteSentEdit deletes the sent edits of a part, also of programs that have ended. What
// cannot be deleted stays until the next edit.
func (s Memory) deleteSentEdit(t Target) {
	drafts, _ := s.drafts(sentEditKind(t.Part), t) // those that cannot be read do not count
	for _, d := range drafts {
		if d.Mine {
			_ = s.Journal.DeleteDraft(d.Kind, d.Key)
		} else {
			_ = s.Journal.DiscardDraft(d)
		}
	}
}

// sentEdit returns the edit of a part that any program has sent last, and its job as far as that is
// known.
func (s Memory) sentEdit(t Target) (edit Edit, job string, found bool) {
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
		return Edit{}, "", false
	}
	edited, err := document.Parse([]byte(sent.Edited))
	return Edit{Target: t, Base: base, Edited: edited}, sent.Job, err == nil
}

// settleSent records how edits ended whose program was killed, or left, before it saw that: the job of
// each, or what the site has, tells it. What goes on, or cannot be read, stays as it is.
func (s Site) settleSent(ctx context.Context) {
	records, _ := s.Journal.Actions(0)
	for part := range parts {
		drafts, _ := s.Journal.ListDrafts(sentEditKind(Part(part)))
		for _, d := range drafts {
			var sent sentDraft
			service, err := adminapi.ParseServicePath(d.Key)
			if err != nil || d.Liveness != journal.Ended || d.Read(&sent) != nil {
				continue
			}
			target := Target{service, Part(part)}
			r, found := lastEdit(records, target)
			if !found || r.Outcome != adminapi.OutcomeDone || r.Verdict != "" || !sendsText(r, sumOf(sent.Edited)) {
				continue // a later edit says nothing of this one
			}
			if seen, err := s.lookForEdit(target, r)(ctx, true); err == nil && seen.Verdict != "" {
				s.settle(r.ID, seen.Verdict, cmp.Or(seen.because, seen.How))
				s.deleteSentEdit(target)
			}
		}
	}
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

// Done reports whether the write is known to be done.
func (e EarlierWrite) Done() bool { return e.Outcome == adminapi.OutcomeDone }

// Text says what was found out of the write, in a sentence without its subject and end.
func (e EarlierWrite) Text() string {
	if e.Outcome == adminapi.OutcomeUnknown {
		return "outcome still unknown: " + e.How
	}
	return e.Outcome.String() + ": " + e.How
}

// OpenEdits returns since when the outcome of an edit is unknown, by its target as text.
func (s Memory) OpenEdits() (map[string]time.Time, error) {
	open, err := s.OpenWrites()
	since := map[string]time.Time{}
	for _, r := range open {
		if target, ok := editedBy(r); ok {
			since[target.String()] = r.Time
		}
	}
	return since, err
}

// ResolveWrites looks once for the outcome of every open write of this machine, newest
// first, and records what it finds. After an error it returns those before it, too.
func (s Site) ResolveWrites(ctx context.Context) ([]EarlierWrite, error) {
	open, err := s.OpenWrites()
	if err != nil {
		return nil, err
	}
	var all []EarlierWrite
	for _, r := range open {
		found, err := s.resolveWrite(ctx, r)
		if err != nil {
			return all, err
		}
		all = append(all, EarlierWrite{Record: r, Resolution: found, Wait: outcomes{s}.untilOverride(r)})
	}
	if s.Journal != nil {
		s.settleSent(ctx)
	}
	return all, nil
}
