package operation

import (
	"context"
	"fmt"
	"sync"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade"
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
	until     time.Time       // by ours

	mu   sync.Mutex // of pace: a look that was asked for can meet the one that was due
	pace pace

	// First is the status that the answer to the post held; empty where the
	// answer was lost.
	First adminapi.UpgradeStatus
}

// launch looks whether anything runs, and if nothing does sends once.
func (s Site) launch(ctx context.Context, report func(UpgradeProgress), sent SentUpgrade,
	send func(context.Context) (adminapi.UpgradeStatus, adminapi.Outcome, error),
) (*UpgradeRun, adminapi.Outcome, error) {
	report(UpgradeProgress{Step: StepLook})
	before, err := s.Client.UpgradeStatus(ctx)
	if err != nil {
		return nil, adminapi.OutcomeNotSent, err
	}
	if upgrade.Runs(before) {
		return nil, adminapi.OutcomeNotSent, &RunningError{Status: before}
	}
	run := &UpgradeRun{site: s, before: before, pace: newPace(jobFirst, jobLast), submitted: adminapi.MillisOf(s.serverNow())}
	sent.Submitted = run.submitted
	forget := s.keepSent(sent)
	report(UpgradeProgress{Step: StepSend})
	status, outcome, err := send(ctx)
	run.First, run.until = status, s.Clock.Now().Add(searchTime)
	if outcome == adminapi.OutcomeDone || outcome == adminapi.OutcomeUnknown {
		return run, outcome, err
	}
	forget()
	return nil, outcome, err
}

// UpgradeFinding is what a look after a lost answer found.
type UpgradeFinding int

// The findings, from the zero value on.
const (
	FindingNothing UpgradeFinding = iota // it cannot be told yet
	FindingOurs                          // it has begun, and may have ended: the answer was lost, not the upgrade
	FindingForeign                       // another upgrade runs
	FindingNone                          // nothing has started for 30 s: very likely it never arrived
)

// Find looks once what became of an upgrade whose answer was lost, and says when
// to look again. It only reads. After FindingNone it may be asked again: a slow
// site can still begin.
func (r *UpgradeRun) Find(ctx context.Context) (UpgradeFinding, adminapi.UpgradeStatus, time.Duration, error) {
	status, err := r.site.Client.UpgradeStatus(ctx)
	switch {
	case err != nil && adminapi.Passing(err):
		return FindingNothing, adminapi.UpgradeStatus{}, r.afterSilence(), nil
	case err != nil:
		return FindingNothing, adminapi.UpgradeStatus{}, 0, err
	case upgrade.StartedSince(r.before, status, r.submitted):
		r.recordFound()
		return FindingOurs, status, 0, nil
	case upgrade.Elses(r.before, status, r.submitted):
		return FindingForeign, status, 0, nil
	}
	wait := r.afterReading()
	// What runs and does not tell since when may be anybody's: it is looked on.
	if upgrade.Runs(status) || r.site.Clock.Now().Before(r.until) {
		return FindingNothing, status, wait, nil
	}
	return FindingNone, status, wait, nil
}

func (r *UpgradeRun) afterReading() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pace.afterReading()
}

func (r *UpgradeRun) afterSilence() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pace.afterSilence()
}

// Settle looks until it is known what became of the upgrade: nil where it has
// begun (the status tells whether it has ended, too), RunningError for somebody
// else's, ErrOutcomeUnknown where that could not be told within 30 s.
func (r *UpgradeRun) Settle(ctx context.Context) (adminapi.UpgradeStatus, error) {
	for {
		finding, status, wait, err := r.Find(ctx)
		switch {
		case err != nil:
			return status, err
		case finding == FindingOurs:
			return status, nil
		case finding == FindingForeign:
			return status, &RunningError{Status: status}
		case finding == FindingNone, !r.site.Clock.Now().Before(r.until):
			return status, undecided(status)
		}
		if err := r.site.Clock.Sleep(ctx, wait); err != nil {
			return status, err
		}
	}
}

func undecided(status adminapi.UpgradeStatus) error {
	seen := "nothing was seen to start"
	if upgrade.Runs(status) {
		seen = "an upgrade runs, and did not tell when it began"
	}
	return fmt.Errorf("%w: %s within %s; look how the site stands before sending another", ErrOutcomeUnknown, seen, searchTime)
}
