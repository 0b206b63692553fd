package operation

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

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

// SentUpgrade is what was sent to start an upgrade, as it was reviewed: every secret
// masked.
type SentUpgrade struct {
	Submitted adminapi.Millis `json:"submitted"` // by the server's clock
	Version   string          `json:"version"`   // that it leads to
	Parts     []upgrade.Shown `json:"parts"`
	Target    jsontext.Value  `json:"target,omitempty"` // the update as the site offered it
}

// sentKind is the kind of draft that keeps what was sent.
const sentKind = "sent upgrade"

// mostApart is how long after the submit a run may begin and still be the one that
// was sent.
const mostApart = adminapi.Millis(30 * time.Minute / time.Millisecond)

// keepSent writes down what is about to be sent. Where that fails the log of writes
// still has it, with checksums in place of the settings.
func (s Site) keepSent(target adminapi.Update, parts []adminapi.Part) {
	if s.Journal == nil {
		return
	}
	sent := SentUpgrade{
		Submitted: adminapi.MillisOf(s.serverNow()), Version: target.FullVersion(),
		Parts: upgrade.Describe(parts), Target: target.Raw,
	}
	_ = s.Journal.SaveDraft(sentKind, sent.Submitted.Time().UTC().Format(time.RFC3339Nano), sent)
}

// SentFor returns what was sent from this machine for a run that began so, false
// where nothing was.
func (s Site) SentFor(began adminapi.Millis) (SentUpgrade, bool) {
	if s.Journal == nil {
		return SentUpgrade{}, false
	}
	drafts, err := s.Journal.ListDrafts(sentKind)
	if err != nil {
		return SentUpgrade{}, false
	}
	for _, draft := range drafts {
		var sent SentUpgrade
		_, found, err := s.Journal.LoadDraft(sentKind, draft.Key, &sent)
		earliest := sent.Submitted - adminapi.Millis(clockSlack/time.Millisecond)
		if err == nil && found && earliest <= began && began <= sent.Submitted+mostApart {
			return sent, true
		}
	}
	return SentUpgrade{}, false
}
