package operation

import (
	"context"
	"slices"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/lists"
)

// Change is one write that an administrator asks for: a [HealthCheck], a [ReportDeletion], a
// [ManifestImport], an [UpgradeRequest], a [Switch], or the edits of parts of
// services. [ReviewedUpgrade] and [batching.ReviewedEdits] can be copied as commands, too.
type Change interface {
	// Prepare returns the change as it would be sent. It sends and uploads nothing.
	Prepare(Site) Prepared
}

// Prepared is a change as it would be sent: what is printed by a dry run, copied from a review, and posted.
// Its functions read at most; they send nothing. Secrets are masked.
type Prepared struct {
	Kind    adminapi.WriteKind // kept in the record
	Target  string             // that no two changes may touch at once; empty where sending twice does no harm
	Subject string             // what it is about, in a word that a person can type
	What    string             // to follow "the site refused to", such as "stop Roads.MapServer"
	// Commands are the commands that send the same, one after the other.
	Commands func() ([]CommandLine, error)
	Requests func(context.Context) ([]adminapi.Request, error)
	Accepted []finding.Finding // kept in the record
	call     adminapi.Call     // of an edit, a start or a stop: what is sent
}

// one makes the change one of a single call.
func (p Prepared) one(s Site, line CommandLine, call adminapi.Call) Prepared {
	p.call = call
	return p.of(line, func(ctx context.Context) (adminapi.Request, error) { return s.Client.Preview(ctx, call) })
}

// of makes the change one of a single request, which is made when it is asked for.
func (p Prepared) of(line CommandLine, request func(context.Context) (adminapi.Request, error)) Prepared {
	p.Commands = func() ([]CommandLine, error) { return []CommandLine{line}, nil }
	p.Requests = func(ctx context.Context) ([]adminapi.Request, error) {
		one, err := request(ctx)
		return []adminapi.Request{one}, err
	}
	return p
}

// Request returns the request of a change that is one.
func (p Prepared) Request(ctx context.Context) (adminapi.Request, error) {
	all, err := p.Requests(ctx)
	if err != nil {
		return adminapi.Request{}, err
	}
	return all[0], nil
}

// Result is what is known of the change once it was sent, or why it was not.
func (p Prepared) Result(outcome adminapi.Outcome, err error) Result {
	return Result{Kind: p.Kind, Subject: p.Subject, What: p.What, Outcome: outcome, Err: err}
}

// nameTime is how long a change waits for the name of the user: a portal may hang while the site works.
const nameTime = 10 * time.Second

// send claims the target of a change, gets ready, and posts once: the one way on which a change is sent.
// ready does under the claim what has to precede the post, such as a last look, uploads and a backup;
// where it fails nothing is sent, and it has cleaned up; nil where nothing does. An earlier write of
// unknown outcome is in the way, see [ErrUnresolved]. The claim stays with the caller, whatever the outcome.
func (s Site) send(
	ctx context.Context, p Prepared, ready func(context.Context, claimed) error, post func(context.Context) (adminapi.Outcome, error),
) (claimed, Result) {
	claim, err := claimed{}, error(nil)
	if p.Target != "" {
		claim, err = s.claim(ctx, p.Target, p.Subject)
	}
	if err == nil && s.Client.Session.User() == "" {
		limited, cancel := context.WithTimeout(ctx, nameTime)
		_, _ = s.Client.Session.Self(limited) // for the record; the name may be missing
		cancel()
	}
	claim.claim.Accepts(p.accepted()) // uploads that come before have it, too
	if err == nil && ready != nil {
		err = ready(ctx, claim)
	}
	if err == nil { // a write that is not sent overrides nothing
		err = claim.use()
	}
	claim.record = journal.Record{Kind: p.Kind, Target: p.Target, Subject: p.Subject, Time: s.Clock.Now(), Server: s.ServerMillis()}
	if err != nil {
		return claim, p.Result(adminapi.OutcomeNotSent, err)
	}
	outcome, err := post(ctx)
	if p.Target == "" && outcome == adminapi.OutcomeUnknown {
		claim.record = s.Memory.unclaimed(p.Kind, claim.record.Time)
	} else if p.Target != "" {
		claim.record.ID = claim.claim.Record()
	}
	return claim, p.Result(outcome, err)
}

// accepted is what was accepted, for the record.
func (p Prepared) accepted() []journal.AcceptedFinding {
	return lists.Each(p.Accepted, func(f finding.Finding) journal.AcceptedFinding {
		return journal.AcceptedFinding{Word: f.Accept, Finding: f.Said()}
	})
}

// ServerMillis is [Site.ServerNow] as the site writes times.
func (s Site) ServerMillis() adminapi.Millis { return adminapi.MillisOf(s.ServerNow()) }

// unclaimed returns the record of a write without a claim that was sent since a time of this machine's
// clock: the zero one where it cannot be told.
func (s Memory) unclaimed(kind adminapi.WriteKind, since time.Time) journal.Record {
	records := slices.DeleteFunc(s.writes(), func(r journal.Record) bool { return r.Kind != kind || r.Time.Before(since) })
	if len(records) != 1 {
		return journal.Record{}
	}
	return records[0]
}
