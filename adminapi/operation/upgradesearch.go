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

// ClockSlack is how far the Date header, in whole seconds, may be off.
const ClockSlack = adminapi.Millis(2000)

// StartsUpgrade reports whether a write begins an upgrade or a rollback.
func StartsUpgrade(r journal.Record) bool {
	return r.Kind == adminapi.WriteUpgrade || r.Kind == adminapi.WriteRollback
}

// SentUpgrade is the request that started an upgrade, with every secret masked.
type SentUpgrade struct {
	Submitted adminapi.Millis           `json:"submitted"` // by the server's clock
	Version   string                    `json:"version"`   // that it leads to; empty for a rollback of an earlier version
	Subject   string                    `json:"subject"`   // what a person types to send again
	Rollback  bool                      `json:"rollback,omitzero"`
	Parts     []upgrade.DescribedPart   `json:"parts"`
	Target    jsontext.Value            `json:"target,omitempty"` // the update as the site offered it
	Accepted  []journal.AcceptedFinding `json:"accepted,omitempty"`
	Reason    string                    `json:"reason,omitempty"` // that was given for it
	saved     time.Time                 // right before it was sent, by this machine's clock
}

// sentKind is the kind of draft that holds a request.
const sentKind = "sent upgrade"

// noUpgrade is the status before a request of which no earlier one is known.
var noUpgrade = adminapi.UpgradeStatus{State: adminapi.UpgradeNone}

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
		return func() {}, fmt.Errorf("the request cannot be recorded, so nothing was sent: %w", err)
	}
	return func() { _ = s.Journal.DeleteDraft(sentKind, key) }, nil
}

// sent returns the requests of this machine that may have begun, newest first.
func (s Memory) sent() (all []SentUpgrade) {
	if s.Journal == nil {
		return nil
	}
	drafts, _ := s.Journal.ListDrafts(sentKind) // those that cannot be read do not count
	if len(drafts) == 0 {
		return nil
	}
	writes := s.writes()
	for _, draft := range drafts {
		var sent SentUpgrade
		if draft.Read(&sent) != nil {
			continue
		}
		if sent.saved = draft.Saved; !sent.neverBegan(writes) {
			all = append(all, sent)
		}
	}
	return all
}

// neverBegan reports whether all records of the request say that it was not sent, or refused: a program that is
// killed right after such a record leaves its request behind. One that is killed before it has none: nothing is
// sent without.
func (s SentUpgrade) neverBegan(writes []journal.Record) bool {
	return !slices.ContainsFunc(writes, func(r journal.Record) bool {
		its := r.Target == AnyTarget || StartsUpgrade(r) && s.isOf(r) // a damaged line may be its record
		return its && r.Outcome != adminapi.OutcomeNotSent && r.Outcome != adminapi.OutcomeRefused
	})
}

// LastSent returns the upgrade that this machine has sent last, if the site shows that it has
// begun and its end was not seen: a short one may be over before anybody watches.
func (s Site) LastSent(ctx context.Context) (*UpgradeRun, error) {
	status, err := s.Client.Upgrades.Status(ctx)
	if err != nil {
		return nil, err
	}
	sent := s.Memory.sent()
	if len(sent) == 0 {
		return nil, nil
	}
	run := &UpgradeRun{
		site: s, Sent: sent[0], before: noUpgrade,
		Submitted: sent[0].Submitted - ClockSlack, Record: s.Memory.recordOf(sent[0]),
	}
	run.accepted = s.Memory.leadsElsewhere(sent[0], progress.LastStart(status)) // else it does not matter
	if !run.ShownBy(status) || s.Memory.endSeen(progress.LastRun(status).Began) {
		return nil, nil
	}
	return run, nil
}

// SentSince is [Site.LastSent] for a request that was sent since a time of this machine's clock.
func (s Site) SentSince(ctx context.Context, at time.Time) (*UpgradeRun, error) {
	if sent := s.Memory.sent(); len(sent) == 0 || sent[0].saved.Before(at) {
		return nil, nil
	}
	return s.LastSent(ctx)
}

// ShownBy reports whether a status shows the run: it began since the request, and leads there; or
// elsewhere, right after the site has accepted it.
func (r *UpgradeRun) ShownBy(status adminapi.UpgradeStatus) bool {
	last := progress.LastStart(status)
	return progress.StartedSince(r.before, status, r.Submitted) && (r.Sent.mayBe(last) || r.leadsElsewhere(last))
}

// endSeen reports whether the end of a run that began then was watched here.
func (s Memory) endSeen(began adminapi.Millis) bool {
	runs, _ := s.WatchedRuns() // damaged ones do not count
	return slices.ContainsFunc(runs, func(t journal.TranscriptSummary) bool { return t.Began == began && t.Ended })
}

// SentFor returns the request of this machine for a run. One whose versions are not known, as its first message is
// shown no more, is that of a request only where the site is known to have accepted that.
func (s Memory) SentFor(p progress.Progress) (SentUpgrade, bool) {
	run := progress.Run{Began: p.Began, From: p.From, To: p.To}
	for _, sent := range s.sent() {
		near := sent.Submitted-ClockSlack <= run.Began && run.Began <= sent.Submitted+maxApart
		if near && (sent.mayBe(run) || s.leadsElsewhere(sent, run)) && (run.To != "" || s.recordOf(sent).Outcome == adminapi.OutcomeDone) {
			return sent, true
		}
	}
	return SentUpgrade{}, false
}

// Search returns what finds out the outcome of the upgrade. Where it is refused, its uploads go.
func (r *UpgradeRun) Search() *Search {
	search := r.site.search(r.Record, r.answer, r.look)
	search.refused = func(ctx context.Context) { r.site.deleteUploads(ctx, r.uploads) }
	return search
}

// look reads whether the run has begun, where the status before it was sent is known.
func (r *UpgradeRun) look(ctx context.Context, _ bool) (Resolution, error) {
	status, err := r.site.Client.Upgrades.Status(ctx)
	if err != nil {
		return Resolution{}, err
	}
	last := progress.LastStart(status)
	found := Resolution{Status: status, How: "no upgrade is running, and none was seen to begin since"}
	switch {
	case r.ShownBy(status):
		found.Outcome, found.How = adminapi.OutcomeDone, "the site reports that it has begun"
	case progress.Theirs(r.before, status, r.Submitted):
		found.Shows, found.How, found.Err = ShowsOther, "another upgrade is running, which began before", &RunningError{Status: status, Sent: true}
	case progress.StartedSince(r.before, status, r.Submitted):
		found.How = "another upgrade has begun since that names " + last.From + " and " + last.To + ", and may be someone else's"
	case r.asBefore(status):
		found.Shows = ShowsUnchanged
	case progress.Runs(status):
		found.How = "an upgrade is running there; it may not be this one"
	case progress.StateOf(status).MayRun():
		found.How = "the site reports a state that is not known; an upgrade may be running"
	}
	return found, nil
}

// lookForUpgrade looks for an upgrade by its record. A single look does not make it refused: it may
// still begin.
func (s Site) lookForUpgrade(r journal.Record) look {
	sent := s.Memory.sentBy(r)
	run := &UpgradeRun{site: s, Sent: sent, Submitted: sent.Submitted, before: noUpgrade}
	return func(ctx context.Context, thorough bool) (Resolution, error) {
		found, err := run.look(ctx, thorough)
		if found.Shows == ShowsUnchanged {
			found.Shows = ShowsNothing
		}
		switch {
		case err != nil:
		case found.Outcome == adminapi.OutcomeDone && progress.LastRun(found.Status).Began > sent.Submitted+maxApart:
			found.Outcome, found.How = adminapi.OutcomeUnknown, "an upgrade was started there later; it may not be this one"
		case sent.Version == "", progress.StateOf(found.Status).MayRun(), progress.StartedSince(run.before, found.Status, sent.Submitted):
		default:
			if now, err := s.Client.Upgrades.Current(ctx); err == nil && now.FullVersion() == sent.Version {
				found.Outcome, found.How, found.Verdict = adminapi.OutcomeDone, "the site runs "+sent.Version, journal.VerdictSucceeded
			}
		}
		return found, err
	}
}

// sentBy returns the request of a recorded upgrade, Submitted as early as it may have been by the
// server's clock: 0 where that is not known. Its Version is empty where it is not known.
func (s Memory) sentBy(r journal.Record) SentUpgrade {
	for _, sent := range s.sent() { // newest first
		if sent.isOf(r) {
			sent.Submitted -= ClockSlack
			return sent
		}
	}
	return SentUpgrade{Submitted: max(0, r.Server-ClockSlack), Subject: r.Subject, Rollback: r.Kind == adminapi.WriteRollback}
}

// isOf reports whether a record is that of the request.
func (s SentUpgrade) isOf(r journal.Record) bool {
	return s.Subject == r.Subject && s.saved.Sub(r.Time).Abs() <= time.Minute
}

// RequestOf is the record of the request of this machine for a run; without an id where none is known.
func (s Memory) RequestOf(p progress.Progress) journal.Record {
	if sent, found := s.SentFor(p); found {
		return s.recordOf(sent)
	}
	return journal.Record{}
}

// recordOf is the record of a request; without an id where none is known.
func (s Memory) recordOf(sent SentUpgrade) journal.Record {
	request, _ := newest(s.writes(), func(r journal.Record) bool { return StartsUpgrade(r) && sent.isOf(r) })
	return request
}
