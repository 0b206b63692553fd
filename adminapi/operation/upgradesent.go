package operation

import (
	"context"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/upgrade"
)

// clockSlack is what the second-wise clock of the Date header may be wrong by.
const clockSlack = 2 * time.Second

// StartsUpgrade tells whether a record is of a write that begins an upgrade or a
// rollback.
func StartsUpgrade(r journal.Record) bool {
	return strings.HasSuffix(r.Path, "/system/upgrades/upgrade") || strings.HasSuffix(r.Path, "/system/upgrades/rollback")
}

// LastSent returns the upgrade that this machine has sent last, where the site
// tells that it has begun: a short one may be over before anybody watches. It is
// nil where none was sent, or nothing is heard of it.
func (s Site) LastSent(ctx context.Context) (*UpgradeRun, error) {
	status, err := s.Client.UpgradeStatus(ctx)
	if err != nil || s.Journal == nil {
		return nil, err
	}
	records, err := s.Journal.Actions(0)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(records, StartsUpgrade)
	if at < 0 || records[at].Outcome == adminapi.OutcomeRefused || records[at].Outcome == adminapi.OutcomeNotSent {
		return nil, nil
	}
	ahead, _ := s.Client.ServerTime()
	run := &UpgradeRun{
		site: s, pace: newPace(jobFirst, jobLast), before: adminapi.UpgradeStatus{State: adminapi.UpgradeNone},
		submitted: adminapi.MillisOf(records[at].Time.Add(ahead - clockSlack)),
	}
	if !upgrade.StartedSince(run.before, status, run.submitted) {
		return nil, nil
	}
	return run, nil
}
