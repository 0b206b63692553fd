package operation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

// clockSlack is how far the Date header, in whole seconds, may be off.
const clockSlack = adminapi.Millis(2000)

// StartsUpgrade reports whether a write begins an upgrade or a rollback.
func StartsUpgrade(r journal.Record) bool {
	return r.Kind == adminapi.WriteUpgrade || r.Kind == adminapi.WriteRollback
}

// SentUpgrade is the request that started an upgrade, with every secret masked.
type SentUpgrade struct {
	Submitted adminapi.Millis         `json:"submitted"` // by the server's clock
	Version   string                  `json:"version"`   // that it leads to; empty for a rollback of an earlier version
	Subject   string                  `json:"subject"`   // what a person types to send again
	Rollback  bool                    `json:"rollback,omitzero"`
	Parts     []upgrade.DescribedPart `json:"parts"`
	Target    jsontext.Value          `json:"target,omitempty"` // the update as the site offered it
	saved     time.Time               // right before it was sent, by this machine's clock
}

// sentKind is the kind of draft that holds a request.
const sentKind = "sent upgrade"

// maxApart is how long after the request its run may begin.
const maxApart = adminapi.Millis(30 * time.Minute / time.Millisecond)

// saveSent saves a request that is about to be sent, and returns what deletes it where the
// site does not accept it. One that cannot be saved must not be sent: its outcome could not
// be found out later.
func (s Memory) saveSent(sent SentUpgrade) (discard func(), err error) {
	if s.Journal == nil {
		return func() {}, nil
	}
	key := sent.Submitted.Time().UTC().Format(time.RFC3339Nano)
	if _, err := s.Journal.SaveDraft(sentKind, key, sent); err != nil {
		return nil, fmt.Errorf("the request cannot be recorded, so nothing was sent: %w", err)
	}
	return func() { _ = s.Journal.DeleteDraft(sentKind, key) }, nil
}

// sent returns the requests of this machine that may have begun, newest first.
func (s Memory) sent() (all []SentUpgrade) {
	if s.Journal == nil {
		return nil
	}
	drafts, _ := s.Journal.ListDrafts(sentKind) // those that cannot be read do not count
	for _, draft := range drafts {
		var sent SentUpgrade
		if draft.Read(&sent) == nil {
			sent.saved = draft.Saved
			all = append(all, sent)
		}
	}
	return all
}

// LastSent returns the upgrade that this machine has sent last, if the site shows that it has
// begun and its end was not seen: a short one may be over before anybody watches.
func (s Site) LastSent(ctx context.Context) (*UpgradeRun, error) {
	status, err := s.Client.UpgradeStatus(ctx)
	if err != nil {
		return nil, err
	}
	sent := s.sent()
	if len(sent) == 0 {
		return nil, nil
	}
	run := &UpgradeRun{
		site: s, sent: sent[0], before: adminapi.UpgradeStatus{State: adminapi.UpgradeNone},
		submitted: sent[0].Submitted - clockSlack,
	}
	run.accepted = s.leadsElsewhere(sent[0], progress.LastStart(status)) // else it does not matter
	if !run.shownBy(status) || s.endSeen(progress.LastRun(status).Began) {
		return nil, nil
	}
	return run, nil
}

// SentSince is [Site.LastSent] for a request that was sent since a time of this machine's clock.
func (s Site) SentSince(ctx context.Context, at time.Time) (*UpgradeRun, error) {
	if sent := s.sent(); len(sent) == 0 || sent[0].saved.Before(at) {
		return nil, nil
	}
	return s.LastSent(ctx)
}

// shownBy reports whether a status shows the run: it began since the request, and leads there; or
// elsewhere, right after the site has accepted it.
func (r *UpgradeRun) shownBy(status adminapi.UpgradeStatus) bool {
	last := progress.LastStart(status)
	return progress.StartedSince(r.before, status, r.submitted) && (r.sent.mayBe(last) || r.leadsElsewhere(last))
}

// endSeen reports whether the end of a run that began then was watched here.
func (s Memory) endSeen(began adminapi.Millis) bool {
	runs, _ := s.WatchedRuns() // damaged ones do not count
	return slices.ContainsFunc(runs, func(t journal.TranscriptSummary) bool { return t.Began == began && t.Ended })
}

// sentFor returns the request of this machine for a run.
func (s Memory) sentFor(p progress.Progress) (SentUpgrade, bool) {
	run := progress.Run{Began: p.Began, From: p.From, To: p.To}
	for _, sent := range s.sent() {
		if sent.Submitted-clockSlack <= run.Began && run.Began <= sent.Submitted+maxApart && (sent.mayBe(run) || s.leadsElsewhere(sent, run)) {
			return sent, true
		}
	}
	return SentUpgrade{}, false
}

// UpgradeFinding is what a search after a lost answer found.
type UpgradeFinding int

// The findings, from the zero value on.
const (
	FindingUnknown    UpgradeFinding = iota // not known yet
	FindingOurs                             // it has begun, and may have ended
	FindingForeign                          // another upgrade runs, which began before the request
	FindingNotStarted                       // nothing has started for 30 s: very likely it never arrived
	FindingRefused                          // the site answered with an error, and was idle and unchanged for 30 s since
)

// FoundUpgrade is the result of a search.
type FoundUpgrade struct {
	Finding UpgradeFinding
	Status  adminapi.UpgradeStatus // of the last answer
	// Err is the outcome at the end of the search: nil where the upgrade has begun (the
	// status shows whether it has ended), [*RunningError] for somebody else's,
	// [*RefusedError] where the site answered with an error and nothing has begun, an error
	// that matches [ErrOutcomeUnknown] where that was not found out within 30 s.
	Err error
}

// RefusedError says that a site answered with an error of unknown outcome, and was then seen
// unchanged for 30 s. It wraps the answer.
type RefusedError struct{ Answer error }

// Error repeats the answer.
func (e *RefusedError) Error() string {
	return e.Answer.Error() + "; nothing has begun in the " + adminapi.FormatDuration(searchTime) + " since"
}

// Unwrap returns the answer.
func (e *RefusedError) Unwrap() error { return e.Answer }

// UpgradeSearch is a [Poller] that finds out the outcome of an upgrade whose answer was lost.
// It only fetches, except that it deletes the uploads of a refused upgrade. After an unknown
// end it may go on: a slow site can still begin.
type UpgradeSearch struct {
	run       *UpgradeRun
	pace      pace
	idleSince time.Time // since when every answer was as before the request; zero for none
	last      FoundUpgrade
}

// nonePause is the pause once the upgrade has very likely not started.
const nonePause = 15 * time.Second

// Search returns a poller that finds out the outcome of the upgrade.
func (r *UpgradeRun) Search() *UpgradeSearch {
	return &UpgradeSearch{run: r, pace: r.site.pace(jobBackoff)}
}

// Next looks once. An error is a missing sign-in or privilege; Next can be called again
// after it.
func (s *UpgradeSearch) Next(ctx context.Context) (Step[FoundUpgrade], error) {
	r, site := s.run, s.run.site
	status, err := site.Client.UpgradeStatus(ctx)
	if err != nil {
		s.idleSince = time.Time{}
		if !adminapi.IsTransient(err) {
			return Step[FoundUpgrade]{Value: s.last}, err
		}
		return s.later(s.last.Finding, s.pace.afterFailure(), err), nil
	}
	s.last.Status = status
	now := site.Clock.Now()
	switch idle := r.asBefore(status); {
	case !idle:
		s.idleSince = time.Time{}
	case s.idleSince.IsZero():
		s.idleSince = now
	}
	switch {
	case r.shownBy(status):
		site.resolveOn(adminapi.TargetSite, StartsUpgrade, adminapi.OutcomeDone, "it was found at the site")
		return s.found(FindingOurs, nil), nil
	case progress.Theirs(r.before, status, r.submitted):
		return s.found(FindingForeign, &RunningError{Status: status, Sent: true}), nil
	case r.answer != nil && !s.idleSince.IsZero() && now.Sub(s.idleSince) >= searchTime:
		upgrades{site}.deleteUploads(ctx, r.uploads)
		site.resolveOn(adminapi.TargetSite, StartsUpgrade, adminapi.OutcomeRefused, "the site answered with an error, and has been idle and unchanged since")
		return s.found(FindingRefused, &RefusedError{r.answer}), nil
	case progress.Runs(status), progress.StartedSince(r.before, status, r.submitted): // it may be anybody's
		return s.later(FindingUnknown, s.pace.afterAnswer(), nil), nil
	}
	return s.later(FindingNotStarted, s.pace.afterAnswer(), nil), nil
}

// found ends the search.
func (s *UpgradeSearch) found(f UpgradeFinding, err error) Step[FoundUpgrade] {
	s.last.Finding, s.last.Err = f, err
	return Step[FoundUpgrade]{Value: s.last, Done: true}
}

// later goes on, and ends as unknown after 30 s unless a refusal is about to be found.
func (s *UpgradeSearch) later(f UpgradeFinding, wait time.Duration, away error) Step[FoundUpgrade] {
	over := !s.run.site.Clock.Now().Before(s.run.until) && (s.run.answer == nil || s.idleSince.IsZero())
	s.last.Finding, s.last.Err = FindingUnknown, nil
	if over {
		s.last.Finding, s.last.Err = f, s.run.undecided(s.last.Status)
	}
	if s.last.Finding == FindingNotStarted {
		wait = max(wait, nonePause)
	}
	return Step[FoundUpgrade]{Value: s.last, Wait: wait, Unreachable: away, Done: over}
}

func (r *UpgradeRun) undecided(status adminapi.UpgradeStatus) error {
	seen := "nothing was seen to start within " + adminapi.FormatDuration(searchTime)
	switch last := progress.LastStart(status); {
	case progress.StartedSince(r.before, status, r.submitted):
		seen = "an upgrade has begun since that names " + last.From + " and " + last.To + ", and may be someone else's"
	case progress.Runs(status):
		seen = "an upgrade is running, but its start is not reported within " + adminapi.FormatDuration(searchTime)
	}
	return fmt.Errorf("%w: %s; check the site before sending another", ErrOutcomeUnknown, seen)
}
