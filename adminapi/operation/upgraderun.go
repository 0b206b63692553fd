package operation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

// RunningError says which upgrade is in the way; it matches ErrUpgradeRuns.
type RunningError struct{ Status adminapi.UpgradeStatus }

// Error says what was and was not done.
func (e *RunningError) Error() string {
	return ErrUpgradeRuns.Error() + ", started by somebody else; nothing was sent. Watch it instead"
}

// Is matches ErrUpgradeRuns.
func (e *RunningError) Is(target error) bool { return target == ErrUpgradeRuns }

// UpgradeRun is an upgrade, or a rollback, that was sent once.
type UpgradeRun struct {
	site      Site
	before    adminapi.UpgradeStatus
	submitted adminapi.Millis // by the server's clock
	version   string          // that it leads to; empty where it is not known
	until     time.Time       // by ours
	uploads   map[string]string
	answer    error // of the site itself, to the post; nil where none came

	// First is the status that the answer to the post held; empty where the
	// answer was lost.
	First adminapi.UpgradeStatus
}

// launch looks whether anything runs, and if nothing does sends once, with the right that
// the caller holds. What was uploaded for it is taken back where the site is seen
// not to have begun.
func (s Site) launch(ctx context.Context, claim claimed, report func(UpgradeProgress), sent SentUpgrade, uploads map[string]string,
	send func(context.Context) (adminapi.UpgradeStatus, adminapi.Outcome, error),
) (*UpgradeRun, adminapi.Outcome, error) {
	report(UpgradeProgress{Step: StepLook})
	before, err := s.Client.UpgradeStatus(ctx)
	if err == nil && progress.Runs(before) {
		err = &RunningError{Status: before}
	}
	if err != nil {
		s.dropUploads(ctx, uploads)
		return nil, adminapi.OutcomeNotSent, err
	}
	run := &UpgradeRun{
		site: s, before: before, submitted: adminapi.MillisOf(s.serverNow()), version: sent.Version, uploads: uploads,
	}
	sent.Submitted = run.submitted
	err = s.begunJustNow(ctx, before)
	forget := func() {}
	if err == nil {
		forget, err = s.keepSent(sent)
	}
	if err == nil {
		err = claim.use()
	}
	if err != nil {
		s.dropUploads(ctx, uploads)
		return nil, adminapi.OutcomeNotSent, err
	}
	report(UpgradeProgress{Step: StepSend})
	status, outcome, err := send(ctx)
	run.First, run.until = status, s.Clock.Now().Add(searchTime)
	switch outcome {
	case adminapi.OutcomeUnknown:
		if Answered(err) {
			run.answer = err
		}
		return run, outcome, err
	case adminapi.OutcomeRefused:
		err = run.readBack(ctx, err)
	case adminapi.OutcomeNotSent:
		s.dropUploads(ctx, uploads)
	default:
		return run, outcome, nil
	}
	forget()
	return nil, outcome, err
}

// showTime is how long a site may take to show an upgrade that it has accepted.
const showTime = time.Minute

// begunJustNow returns an error where an upgrade was accepted moments ago that the site
// does not show yet: a second one would be posted beside it.
func (s Site) begunJustNow(ctx context.Context, status adminapi.UpgradeStatus) error {
	if s.Journal == nil {
		return nil
	}
	records, err := s.Journal.Actions(0)
	if err != nil {
		return fmt.Errorf("whether one was sent just now cannot be read, so nothing was sent: %w", err)
	}
	at := slices.IndexFunc(records, StartsUpgrade)
	if at < 0 || records[at].Outcome != adminapi.OutcomeDone {
		return nil
	}
	r := records[at]
	submitted, _ := s.submitted(r)
	if age := s.Clock.Now().Sub(r.Finished); age < 0 || age >= showTime || r.Note != "" ||
		progress.StartedSince(adminapi.UpgradeStatus{State: adminapi.UpgradeNone}, status, submitted) {
		return nil
	}
	return &UnsettledError{Record: r, Found: "the site took it moments ago, and does not show it yet", Wait: showTime - s.Clock.Now().Sub(r.Finished)}
}

// Answered tells whether an error is one that the site itself answered with: not that of
// a gateway, and not silence.
func Answered(err error) bool {
	api, ok := errors.AsType[*adminapi.Error](err)
	return ok && api.Explicit
}

// readBack looks once after a refusal, before anything is taken back: whatever runs there
// by now may need it. It returns the refusal, with what else is to be known of it.
func (r *UpgradeRun) readBack(ctx context.Context, refusal error) error {
	if len(r.uploads) == 0 {
		return refusal
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaningTime)
	defer cancel()
	if status, err := r.site.Client.UpgradeStatus(ctx); err == nil && r.asBefore(status) {
		r.site.dropUploads(ctx, r.uploads)
		return refusal
	}
	return fmt.Errorf("%w; what was uploaded for it stays at the site, since that is not seen to be idle", refusal)
}

// UpgradeFinding is what a look after a lost answer found.
type UpgradeFinding int

// The findings, from the zero value on.
const (
	FindingNothing UpgradeFinding = iota // it cannot be told yet
	FindingOurs                          // it has begun, and may have ended: the answer was lost, not the upgrade
	FindingForeign                       // another upgrade runs
	FindingNone                          // nothing has started for 30 s: very likely it never arrived
	FindingRefused                       // the site answered with an error, and was idle and unchanged for 30 s since
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
	return e.Answer.Error() + "; nothing has begun in the " + adminapi.Spell(searchTime) + " since"
}

// Unwrap returns the answer.
func (e *RefusedError) Unwrap() error { return e.Answer }

// asBefore tells whether a status is that of a site on which nothing has happened since
// the post.
func (r *UpgradeRun) asBefore(status adminapi.UpgradeStatus) bool {
	reading := progress.StateOf(status)
	return reading == progress.StateOf(r.before) && reading != progress.StateRunning && reading != progress.StateUnknown &&
		len(status.Messages) == len(r.before.Messages)
}

// UpgradeSearch looks what became of an upgrade whose answer was lost. It only reads, but
// for what was uploaded for an upgrade that the site has refused: that is taken back.
// Where it ends without knowing, it may go on: a slow site can still begin.
type UpgradeSearch struct {
	run       *UpgradeRun
	pace      pace
	idleSince time.Time // since when every reading was as before the post; zero where one was not
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
		if !adminapi.Passing(err) {
			return Step[FoundUpgrade]{Value: s.last}, err
		}
		return s.later(s.last.Finding, s.pace.afterSilence(), err), nil
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
		site.dropUploads(ctx, r.uploads)
		site.resolveOn(adminapi.TargetSite, StartsUpgrade, adminapi.OutcomeRefused, "the site answered with an error, and was idle and unchanged since")
		return s.found(FindingRefused, &RefusedError{r.answer}), nil
	case progress.Runs(status): // what does not tell since when it runs may be anybody's
		return s.later(FindingNothing, s.pace.afterReading(), nil), nil
	}
	return s.later(FindingNone, s.pace.afterReading(), nil), nil
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
	s.last.Finding, s.last.Err = FindingNothing, nil
	if over {
		s.last.Finding, s.last.Err = f, undecided(s.last.Status)
	}
	if s.last.Finding == FindingNone {
		wait = max(wait, nonePause)
	}
	return Step[FoundUpgrade]{Value: s.last, Wait: wait, Away: away, Done: over}
}

func undecided(status adminapi.UpgradeStatus) error {
	seen := "nothing was seen to start"
	if progress.Runs(status) {
		seen = "an upgrade runs, and did not tell when it began"
	}
	return fmt.Errorf("%w: %s within %s; look how the site stands before sending another", ErrOutcomeUnknown, seen, adminapi.Spell(searchTime))
}
