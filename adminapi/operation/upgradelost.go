package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

// clockSlack is what the second-wise clock of the Date header may be wrong by.
const clockSlack = adminapi.Millis(2000)

// StartsUpgrade reports whether a record is of a write that begins an upgrade or a
// rollback.
func StartsUpgrade(r journal.Record) bool {
	return strings.HasSuffix(r.Path, "/system/upgrades/upgrade") || strings.HasSuffix(r.Path, "/system/upgrades/rollback")
}

// SentUpgrade is what was sent to start an upgrade, as it was reviewed: every secret
// masked.
type SentUpgrade struct {
	Submitted adminapi.Millis `json:"submitted"` // by the server's clock
	Version   string          `json:"version"`   // that it leads to; empty for a rollback
	Subject   string          `json:"subject"`   // what a person types to send again
	Parts     []upgrade.Shown `json:"parts"`
	Target    jsontext.Value  `json:"target,omitempty"` // the update as the site offered it
}

// sentKind is the kind of draft that keeps what was sent.
const sentKind = "sent upgrade"

// maxApart is how long after the submit a run may begin and still be the one that
// was sent.
const maxApart = adminapi.Millis(30 * time.Minute / time.Millisecond)

// saveSent writes down what is about to be sent, and returns what forgets it again
// where it was not taken. Where it cannot be kept it must not be sent: what became of it
// could not be told later.
func (s Memory) saveSent(sent SentUpgrade) (forget func(), err error) {
	if s.Journal == nil {
		return func() {}, nil
	}
	key := sent.Submitted.Time().UTC().Format(time.RFC3339Nano)
	if _, err := s.Journal.SaveDraft(sentKind, key, sent); err != nil {
		return nil, fmt.Errorf("what is sent cannot be kept, so nothing was sent: %w", err)
	}
	return func() { _ = s.Journal.DeleteDraft(sentKind, key) }, nil
}

// sent returns what was sent from this machine and may have begun, the newest first.
func (s Memory) sent() (all []SentUpgrade) {
	if s.Journal == nil {
		return nil
	}
	drafts, _ := s.Journal.ListDrafts(sentKind) // what cannot be read is not known
	for _, draft := range drafts {
		var sent SentUpgrade
		if draft.Read(&sent) == nil {
			all = append(all, sent)
		}
	}
	return all
}

// LastSent returns the upgrade that this machine has sent last, where the site
// tells that it has begun: a short one may be over before anybody watches. It is
// nil where none was sent, nothing is heard of it, or its end was seen already.
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
		site: s, version: sent[0].Version, before: adminapi.UpgradeStatus{State: adminapi.UpgradeNone},
		submitted: sent[0].Submitted - clockSlack,
	}
	if !progress.StartedSince(run.before, status, run.submitted) || s.endSeen(progress.LastRun(status).Began) {
		return nil, nil
	}
	return run, nil
}

// endSeen reports whether the end of a run that began so was watched here.
func (s Memory) endSeen(began adminapi.Millis) bool {
	runs, _ := s.WatchedRuns() // of what is damaged nobody knows
	return slices.ContainsFunc(runs, func(t journal.TranscriptSummary) bool { return t.Began == began && t.Ended })
}

// SentFor returns what was sent from this machine for a run that began so, false
// where nothing was.
func (s Memory) SentFor(began adminapi.Millis) (SentUpgrade, bool) {
	for _, sent := range s.sent() {
		if sent.Submitted-clockSlack <= began && began <= sent.Submitted+maxApart {
			return sent, true
		}
	}
	return SentUpgrade{}, false
}

// UpgradeFinding is what a look after a lost answer found.
type UpgradeFinding int

// The findings, from the zero value on.
const (
	FindingUnknown    UpgradeFinding = iota // it cannot be told yet
	FindingOurs                             // it has begun, and may have ended: the answer was lost, not the upgrade
	FindingForeign                          // another upgrade runs
	FindingNotStarted                       // nothing has started for 30 s: very likely it never arrived
	FindingRefused                          // the site answered with an error, and was idle and unchanged for 30 s since
)

// FoundUpgrade is what is known of an upgrade whose answer was lost.
type FoundUpgrade struct {
	Finding UpgradeFinding
	Status  adminapi.UpgradeStatus // of the last look that was answered
	// Err is what the end of the search means: nil where it has begun (the status tells
	// whether it has ended, too), [*RunningError] for somebody else's, [*RefusedError]
	// where the site said so and nothing has begun, an error that matches
	// [ErrOutcomeUnknown] where none of it could be told within 30 s.
	Err error
}

// RefusedError says that a site answered with an error that did not tell whether it had
// begun, and that it was then seen idle and unchanged for 30 s. It wraps the answer.
type RefusedError struct{ Answer error }

// Error gives the site's words.
func (e *RefusedError) Error() string {
	return e.Answer.Error() + "; nothing has begun in the " + adminapi.FormatDuration(searchTime) + " since"
}

// Unwrap returns the answer.
func (e *RefusedError) Unwrap() error { return e.Answer }

// UpgradeSearch looks what became of an upgrade whose answer was lost. It only reads, but
// for what was uploaded for an upgrade that the site has refused: that is taken back.
// Where it ends without knowing, it may go on: a slow site can still begin.
type UpgradeSearch struct {
	run       *UpgradeRun
	pace      pace
	idleSince time.Time // since when every snapshot was as before the post; zero where one was not
	last      FoundUpgrade
}

// nonePause is how long is waited once it is very likely that nothing has started.
const nonePause = 15 * time.Second

// Search returns a poller that looks what became of the upgrade.
func (r *UpgradeRun) Search() *UpgradeSearch {
	return &UpgradeSearch{run: r, pace: r.site.pace(jobBackoff)}
}

// Next looks once. An error is a sign-in that is needed or a refusal to tell; Next can be
// called again after it.
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
	case progress.StartedSince(r.before, status, r.submitted):
		site.resolveOn(adminapi.TargetSite, StartsUpgrade, adminapi.OutcomeDone, "it was found at the site")
		return s.found(FindingOurs, nil), nil
	case progress.Theirs(r.before, status, r.submitted):
		return s.found(FindingForeign, &RunningError{Status: status}), nil
	case r.answer != nil && !s.idleSince.IsZero() && now.Sub(s.idleSince) >= searchTime:
		upgrades{site}.deleteUploads(ctx, r.uploads)
		site.resolveOn(adminapi.TargetSite, StartsUpgrade, adminapi.OutcomeRefused, "the site answered with an error, and was idle and unchanged since")
		return s.found(FindingRefused, &RefusedError{r.answer}), nil
	case progress.Runs(status): // what does not tell since when it runs may be anybody's
		return s.later(FindingUnknown, s.pace.afterAnswer(), nil), nil
	}
	return s.later(FindingNotStarted, s.pace.afterAnswer(), nil), nil
}

// found ends the search.
func (s *UpgradeSearch) found(f UpgradeFinding, err error) Step[FoundUpgrade] {
	s.last.Finding, s.last.Err = f, err
	return Step[FoundUpgrade]{Value: s.last, Done: true}
}

// later goes on looking, and ends as unknown after 30 s, unless a refusal is soon to be
// told.
func (s *UpgradeSearch) later(f UpgradeFinding, wait time.Duration, away error) Step[FoundUpgrade] {
	over := !s.run.site.Clock.Now().Before(s.run.until) && (s.run.answer == nil || s.idleSince.IsZero())
	s.last.Finding, s.last.Err = FindingUnknown, nil
	if over {
		s.last.Finding, s.last.Err = f, undecided(s.last.Status)
	}
	if s.last.Finding == FindingNotStarted {
		wait = max(wait, nonePause)
	}
	return Step[FoundUpgrade]{Value: s.last, Wait: wait, Unreachable: away, Done: over}
}

func undecided(status adminapi.UpgradeStatus) error {
	seen := "nothing was seen to start"
	if progress.Runs(status) {
		seen = "an upgrade runs, and did not tell when it began"
	}
	return fmt.Errorf("%w: %s within %s; look how the site stands before sending another", ErrOutcomeUnknown, seen, adminapi.FormatDuration(searchTime))
}
