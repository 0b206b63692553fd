package operation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
)

// ErrUnresolved says that the outcome of an earlier write on the same target is unknown, so
// nothing was sent. Exit code 6. See [UnresolvedError].
var ErrUnresolved = errors.New("the outcome of an earlier write is unknown")

// ErrBusyHere says that another program on this machine is changing the same target, so
// nothing was sent. Exit code 4.
var ErrBusyHere = errors.New("another program on this machine is changing this now")

// AnyTarget is the target of a write whose record is damaged: it stops every other.
const AnyTarget = journal.AnyTarget

// UnresolvedError names the earlier write that is in the way; it matches [ErrUnresolved].
type UnresolvedError struct {
	Record journal.Record
	Found  string // what a search at the site showed, a sentence without its end; may be empty
	// Wait is how long until a person may override it by typing Record.Subject, see
	// [WithOverride]; 0 for now.
	Wait time.Duration
}

// Error says what was sent, when and by whom, and what is known of it.
func (e *UnresolvedError) Error() string {
	r := e.Record
	text := fmt.Sprintf("nothing was sent: an earlier request to %s (%s) was sent at %s by %s; its outcome is unknown",
		plain.Line(r.Operation), plain.Line(r.Subject), r.Time.UTC().Format(time.DateTime+" UTC"), plain.Line(r.By))
	if e.Found != "" {
		text += "; " + e.Found
	}
	return text
}

// Is matches [ErrUnresolved].
func (e *UnresolvedError) Is(target error) bool { return target == ErrUnresolved }

// busyHere is [ErrBusyHere] with the name of the other program.
type busyHere struct{ *journal.ClaimedError }

// Error names the other program.
func (e busyHere) Error() string { return e.ClaimedError.Error() + "; nothing was sent" }

// Unwrap returns the error of the journal.
func (e busyHere) Unwrap() error { return e.ClaimedError }

// Is matches [ErrBusyHere].
func (e busyHere) Is(target error) bool { return target == ErrBusyHere }

// UnrecordedError says that a write could not be claimed or recorded on this machine, so
// nothing was sent. Exit code 4.
type UnrecordedError struct{ Err error }

// Error says why, and that nothing was sent.
func (e *UnrecordedError) Error() string {
	return "the request cannot be recorded, so nothing was sent: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *UnrecordedError) Unwrap() error { return e.Err }

// EarlierJobError says that the job of an earlier edit of the same service is still running, so nothing was
// sent. Exit code 4.
type EarlierJobError struct {
	Err error
	Job string
}

// Error names the job.
func (e *EarlierJobError) Error() string { return e.Err.Error() }

// Unwrap returns the error as one of the client.
func (e *EarlierJobError) Unwrap() error { return e.Err }

// OverrideError says that an override names another write than the one of unknown outcome.
// Nothing was sent. Exit code 2.
type OverrideError struct{ Typed, Subject string }

// Error says what to type.
func (e *OverrideError) Error() string {
	return fmt.Sprintf("%q does not name the earlier request, which is %q; nothing was sent", plain.Clip(e.Typed, 60), plain.Line(e.Subject))
}

// How long after a write of unknown outcome it may be overridden: by then its effect shows.
const (
	upgradeOverrideDelay = 10 * time.Minute
	otherOverrideDelay   = 2 * time.Minute
	endOverrideDelay     = 15 * time.Minute // of what shows at its end
)

// claimed is a claim on a target. The zero value is that of a site without a journal: the
// client's observer decides whether anything is sent then.
type claimed struct {
	site       Site
	claim      *journal.Claim
	overridden []journal.Record // of unknown outcome, overridden by a person
	record     journal.Record   // of what was sent under it; its ID is empty where nothing was recorded
}

// claim takes the right to change a target until it is released. An earlier write of
// unknown outcome is searched for at the site first: where that does not resolve it, nor a
// person overrides it ([WithOverride]), nothing may be sent ([ErrUnresolved]). subject is
// what the new write is about, in a word that a person can type.
func (s Site) claim(ctx context.Context, target, subject string) (claimed, error) {
	if s.Memory.Journal == nil {
		return claimed{}, nil
	}
	claim, err := s.hold(target, subject)
	if err != nil {
		return claimed{}, err
	}
	overridden, err := s.resolveOpen(ctx, target, overrideIn(ctx))
	if err != nil {
		claim.Release()
		return claimed{}, err
	}
	return claimed{site: s, claim: claim, overridden: overridden}, nil
}

// use records the overrides. It is called right before the sending: a write that is not
// sent overrides nothing.
func (c claimed) use() error {
	for _, r := range c.overridden {
		if err := c.site.Memory.Journal.Override(r.ID, "the next was sent: "+r.Subject+" was typed"); err != nil {
			return &UnrecordedError{err}
		}
	}
	return nil
}

func (c claimed) release() { c.claim.Release() }

type overrideKey struct{}

// WithOverride returns a context in which a write may be sent although the outcome of the
// one before is unknown: typed is the subject of that one, empty for no override.
func WithOverride(ctx context.Context, typed string) context.Context {
	return context.WithValue(ctx, overrideKey{}, typed)
}

func overrideIn(ctx context.Context) string {
	typed, _ := ctx.Value(overrideKey{}).(string)
	return typed
}

// hold takes the claim. Where another program holds it, the error says what that has sent.
func (s Site) hold(target, subject string) (*journal.Claim, error) {
	claim, err := s.Memory.Journal.Claim(target, subject)
	held, isHeld := errors.AsType[*journal.ClaimedError](err)
	if err != nil && !isHeld {
		return nil, &UnrecordedError{err}
	}
	if !isHeld {
		return claim, nil
	}
	if open, _ := s.Memory.Journal.OpenRecords(target); len(open) > 0 {
		return nil, &UnresolvedError{Record: open[0], Found: "that program is still waiting for the answer", Wait: s.untilOverride(open[0], ShowsNothing)}
	}
	return nil, busyHere{held}
}

// CheckSend returns why no write on a target may be sent now, nil where one may:
// [*UnresolvedError], [ErrBusyHere], or [*OverrideError] where [WithOverride] names another.
// It fetches only where there is something to resolve.
func (s Site) CheckSend(ctx context.Context, target string) error {
	c, err := s.claim(ctx, target, overrideIn(ctx))
	c.release()
	return err
}

// EditGoesOn returns why the end of an edit is not known that was sent before, exactly as it is, and accepted:
// [*EarlierJobError], or another error of [Site.CheckSend]. nil where it was not sent, or has ended.
func (s Site) EditGoesOn(ctx context.Context, edit editing.Edit) error {
	sent, _, found := s.Memory.sentEdit(edit.Target)
	if !found || len(document.Diff(sent.Edited, edit.Edited)) > 0 {
		return nil
	}
	if last, recorded := s.Memory.lastEdit(edit.Target); !recorded || !Accepted(last) {
		return nil
	}
	return s.CheckSend(ctx, adminapi.TargetService(edit.Service))
}

// AllowNextWrite lets the next write on a target be sent by any program, since a person has
// typed the subject of the one before. Errors are those of [Site.CheckSend].
func (s Site) AllowNextWrite(ctx context.Context, target, typed string) error {
	c, err := s.claim(WithOverride(ctx, typed), target, typed)
	defer c.release()
	if err != nil {
		return err
	}
	return c.use()
}

// resolveOpen finds out and records the outcome of the writes on a target of which it is
// unknown. It returns those that stay unknown and that typed overrides.
func (s Site) resolveOpen(ctx context.Context, target, typed string) (overridden []journal.Record, err error) {
	open, err := s.Memory.Journal.OpenRecords(target)
	if err != nil {
		return nil, &UnrecordedError{err}
	}
	for _, r := range open {
		found, err := s.resolveWrite(ctx, r)
		wait := s.untilOverride(r, found.Shows)
		switch {
		case err != nil:
			return nil, err
		case found.Outcome != adminapi.OutcomeUnknown:
		case typed != "" && !strings.EqualFold(strings.TrimSpace(typed), r.Subject):
			return nil, &OverrideError{Typed: typed, Subject: r.Subject}
		case typed == "" || wait > 0:
			return nil, &UnresolvedError{Record: r, Found: found.How, Wait: wait}
		default:
			overridden = append(overridden, r)
		}
	}
	return overridden, s.resolveJobs(ctx, target, typed)
}

// resolveJobs looks for edits that the site took as a job whose end was not seen here: the
// next one would run at the same time. typed may name the service, as for other writes.
func (s Site) resolveJobs(ctx context.Context, target, typed string) error {
	for _, part := range []editing.Part{editing.Definition, editing.Placement} {
		drafts, err := s.Memory.Journal.ListDrafts(sentEditKind(part))
		if err != nil {
			return &UnrecordedError{err}
		}
		for _, d := range drafts {
			service, err := adminapi.ParseServicePath(d.Key)
			if err != nil || adminapi.TargetService(service) != target {
				continue
			}
			if err := s.resolveJob(ctx, editing.Target{Service: service, Part: part}, d, typed); err != nil {
				return err
			}
		}
	}
	return nil
}

// resolveJob deletes a sent edit whose job has ended, or that the site never took. A program that was
// killed right after the answer has not kept the job: the site is asked what goes on.
func (s Site) resolveJob(ctx context.Context, t editing.Target, d journal.Draft, typed string) error {
	var sent sentDraft
	last, recorded := s.Memory.lastEdit(t)
	sends := func(r journal.Record) bool { return sendsText(r, SumOf(sent.Edited)) }
	switch {
	case d.Read(&sent) != nil:
		s.Memory.deleteSent(d)
		return nil
	case sent.Job == "" && !(recorded && Accepted(last) && sends(last)):
		open, err := s.Memory.Journal.OpenRecords(adminapi.TargetService(t.Service))
		if err == nil && !slices.ContainsFunc(open, sends) { // one that is overridden is looked for with its text until another one is sent
			s.Memory.deleteSent(d)
		}
		return nil
	}
	job, err := adminapi.Job{}, error(nil)
	goesOn, asked := "of an earlier edit is still running", "its job "+sent.Job
	if sent.Job != "" {
		job, err = s.Client.Jobs.Get(ctx, sent.Job)
	} else { // whose job it is, is not known
		var seen Resolution
		seen, err = s.lookForEdit(t, last)(ctx, true)
		job, goesOn, asked = seen.Job, "is editing the service", "the site"
	}
	record := journal.Record{
		Time: d.Saved, Kind: t.Part.Writes(), Operation: "edit the " + t.Part.String(), Subject: t.Service.Path(),
		By: d.Program.String(), Target: adminapi.TargetService(t.Service),
	}
	wait := s.untilOverride(record, ShowsNothing)
	switch {
	case err == nil && (job.ID == "" || job.Ended()), errors.Is(err, adminapi.KindNotFound):
		if recorded && s.Memory.endUnseen(last) {
			_, _ = s.settleEnd(ctx, last)
		}
		s.Memory.deleteSent(d)
		return nil
	case errors.Is(err, adminapi.KindSignIn), ctx.Err() != nil:
		return err
	case err == nil:
		return &EarlierJobError{&adminapi.Error{Kind: adminapi.KindBusy, Operation: "change " + t.Service.Path(),
			Message: "job " + job.ID + " " + goesOn + "; nothing was sent"}, job.ID}
	}
	if wait == 0 && strings.EqualFold(strings.TrimSpace(typed), t.Service.Path()) {
		s.Memory.deleteSent(d)
		return nil
	}
	return &UnresolvedError{Record: record, Found: asked + " cannot be read now (" + err.Error() + ")", Wait: wait}
}

// untilOverride returns how long it takes until a write may be overridden, by what the site shows of it. No edit is
// while a job edits its service: both would change that at once.
func (s Site) untilOverride(r journal.Record, shows Shows) time.Duration {
	delay := otherOverrideDelay
	switch {
	case StartsUpgrade(r):
		delay = upgradeOverrideDelay
	case showsAtItsEnd(r):
		delay = endOverrideDelay
	}
	passed := max(0, s.Clock.Now().Sub(r.Time)) // a clock that was set back shortens no wait
	if _, edits := EditedBy(r); edits && shows == ShowsRunning {
		delay = max(delay, passed+searchTime) // it is looked for again then
	}
	return max(0, delay-passed)
}

// EditOverride is from when an edit of unknown outcome may be overridden that was sent at a time.
func EditOverride(sent time.Time) time.Time { return sent.Add(otherOverrideDelay) }

// AwaitedWrites returns the writes of this machine whose answer a program still waits for.
func (s Memory) AwaitedWrites() []journal.Record {
	if s.Journal == nil {
		return nil
	}
	open, _ := s.Journal.OpenRecords("") // OpenWrites says why they cannot be read
	return slices.DeleteFunc(open, func(r journal.Record) bool { return !s.Journal.Claimed(r.Target) })
}

// OpenWrites returns the writes of this machine whose outcome is unknown, newest first,
// except those whose answer another program still waits for.
func (s Memory) OpenWrites() ([]journal.Record, error) {
	if s.Journal == nil {
		return nil, nil
	}
	open, err := s.Journal.OpenRecords("")
	return slices.DeleteFunc(open, func(r journal.Record) bool { return s.Journal.Claimed(r.Target) }), err
}
