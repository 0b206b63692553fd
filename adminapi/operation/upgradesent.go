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

// StartsUpgrade tells whether a record is of a write that begins an upgrade or a
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

// mostApart is how long after the submit a run may begin and still be the one that
// was sent.
const mostApart = adminapi.Millis(30 * time.Minute / time.Millisecond)

// keepSent writes down what is about to be sent, and returns what forgets it again
// where it was not taken. Where it cannot be kept it must not be sent: what became of it
// could not be told later.
func (s Site) keepSent(sent SentUpgrade) (forget func(), err error) {
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
func (s Site) sent() (all []SentUpgrade) {
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

// endSeen tells whether the end of a run that began so was watched here.
func (s Site) endSeen(began adminapi.Millis) bool {
	runs, _ := s.WatchedRuns() // of what is damaged nobody knows
	return slices.ContainsFunc(runs, func(t journal.TranscriptSummary) bool { return t.Began == began && t.Ended })
}

// SentFor returns what was sent from this machine for a run that began so, false
// where nothing was.
func (s Site) SentFor(began adminapi.Millis) (SentUpgrade, bool) {
	for _, sent := range s.sent() {
		if sent.Submitted-clockSlack <= began && began <= sent.Submitted+mostApart {
			return sent, true
		}
	}
	return SentUpgrade{}, false
}
