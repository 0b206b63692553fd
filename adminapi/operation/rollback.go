package operation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

// ErrRollbackUnsure says that it is not clear what a rollback does. Nothing was sent.
var ErrRollbackUnsure = errors.New("it is not clear what this rollback does; nothing was sent")

// ErrRollbackChanged says that a rollback does something else now than what was confirmed.
// Nothing was sent.
var ErrRollbackChanged = errors.New("the rollback does something else by now; nothing was sent")

// RollbackRequest is the request that sends a rollback.
func RollbackRequest(r upgrade.Rollback) UpgradeRequest {
	return UpgradeRequest{Target: r.Listed, Rollback: &r}
}

// Installed fetches the installed updates, and reads what the site lists to be rolled back. An error
// of the list alone is in the fact.
func (s Site) Installed(ctx context.Context) (installed []adminapi.Update, rollbacks adminapi.Fact[[]upgrade.Rollback], err error) {
	var reads parallel.Group
	var now upgrade.Installed
	var listed []adminapi.Update
	var listErr error
	reads.Go(func() { installed, err = s.Client.Upgrades.Installed(ctx) })
	reads.Go(func() { listed, listErr = s.Client.Upgrades.CheckRollback(ctx) })
	reads.Go(func() { now = s.version(ctx) })
	reads.Wait()
	if err != nil {
		return nil, rollbacks, err
	}
	return installed, adminapi.FactOf(s.Clock.Now(), upgrade.Rollbacks(listed, installed, now), listErr), nil
}

// Rollbacks fetches what the site lists to be rolled back, and reads it.
func (s Site) Rollbacks(ctx context.Context) ([]upgrade.Rollback, error) {
	_, rollbacks, err := s.Installed(ctx)
	if err == nil {
		err = rollbacks.Err
	}
	return rollbacks.Value, err
}

// startRollback rolls back once, unless that does something else by now than what was confirmed.
func (s Site) startRollback(ctx context.Context, p Prepared, r upgrade.Rollback, report func(UpgradeProgress)) (*UpgradeRun, Result) {
	if len(r.ConfirmWords()) == 0 {
		return nil, p.Result(adminapi.OutcomeNotSent, fmt.Errorf("%w: %s", ErrRollbackUnsure, r.Unsure))
	}
	sent := SentUpgrade{Version: r.To, Subject: r.To, Rollback: true, Parts: []upgrade.DescribedPart{{Name: upgrade.PartManifest, Text: r.Listed.ID}}}
	return s.launch(ctx, p, &UpgradeRun{Sent: sent}, report, func(ctx context.Context) error {
		report(UpgradeProgress{Step: StepFetchRollbacks})
		all, err := s.Rollbacks(ctx)
		if err != nil {
			return err
		}
		switch now, listed := upgrade.RollbackOf(all, r.Listed.ID); {
		case !listed:
			return fmt.Errorf("%w: the site no longer offers it", ErrRollbackChanged)
		case !now.Same(r):
			return fmt.Errorf("%w: %s", ErrRollbackChanged, now.Sentence())
		}
		return nil
	}, func(ctx context.Context) (adminapi.UpgradeStatus, adminapi.Outcome, error) {
		return s.Client.Upgrades.Rollback(ctx, r.Listed.ID)
	})
}

// ConfirmWords returns what may be typed to send the request, the longest first.
func (a UpgradeRequest) ConfirmWords(offer Offer) []string {
	if a.Rollback != nil {
		return a.Rollback.ConfirmWords()
	}
	return upgrade.ConfirmWords(a.Target, offer.Installed, offer.Manifest)
}

// mayBe reports whether a run may be that of the request, as far as its versions tell.
func (s SentUpgrade) mayBe(run progress.Run) bool { return run.MayBe(s.Subject, s.Rollback) }

// leadsElsewhere reports whether a run that is that of the request, once the site has accepted it,
// names another version.
func (s SentUpgrade) leadsElsewhere(run progress.Run) bool {
	return s.Submitted-ClockSlack <= run.Began && run.Began <= s.Submitted+adminapi.Millis(ShowTime.Milliseconds()) && !s.mayBe(run)
}

// leadsElsewhere reports whether a run is that of a request which the site has accepted at once, and
// names another version.
func (s Memory) leadsElsewhere(sent SentUpgrade, run progress.Run) bool {
	if !sent.leadsElsewhere(run) {
		return false
	}
	return slices.ContainsFunc(s.writes(), func(r journal.Record) bool {
		return StartsUpgrade(r) && sent.isOf(r) && r.Outcome == adminapi.OutcomeDone && r.Note == ""
	})
}

// Confirmed returns the version that was confirmed for the newest run of a log, where the site has
// accepted it from here, and its first message names another one; empty otherwise. own is the run
// that this program has sent; nil for none.
func (s Memory) Confirmed(l progress.Log, own *UpgradeRun) string {
	first, found := l.Start()
	if !found {
		return ""
	}
	run := progress.LastStart(adminapi.UpgradeStatus{Messages: []adminapi.UpgradeMessage{first.UpgradeMessage}})
	if own != nil && own.leadsElsewhere(run) {
		return own.Sent.Version
	}
	for _, sent := range s.sent() {
		if s.leadsElsewhere(sent, run) {
			return sent.Version
		}
	}
	return ""
}

// leadsElsewhere reports whether a run is this one, and names another version.
func (r *UpgradeRun) leadsElsewhere(run progress.Run) bool {
	return r.accepted && r.Sent.leadsElsewhere(run)
}

// Confirmed returns the run that the answer to the request tells, and the version that was confirmed
// where that names another one; empty otherwise.
func (r *UpgradeRun) Confirmed() (run progress.Run, confirmed string) {
	if run = progress.LastStart(r.First); r.leadsElsewhere(run) {
		confirmed = r.Sent.Version
	}
	return run, confirmed
}
