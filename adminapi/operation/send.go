package operation

import (
	"context"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

// sending is a change on its way to the site: what its kind adds to the way that all of them go.
type sending struct {
	kind    adminapi.WriteKind
	target  string // that no two changes may touch at once
	subject string // what it is about, in a word that a person can type
	// ready does under the claim what has to precede the post, such as a last look, uploads and a
	// backup. Where it fails nothing is sent, and it has cleaned up. Nil does nothing.
	ready func(context.Context, claimed) error
	post  func(context.Context) (adminapi.Outcome, error)
}

// sent is a change that was posted once. It holds its claim until that is released.
type sent struct {
	claimed
	record journal.Record // its ID is empty where nothing was recorded
}

// send claims the target, gets ready, and posts once: the one way on which a change is sent. An earlier
// write of unknown outcome is in the way, see [ErrUnresolved]. The claim stays with the caller, whatever
// the outcome.
func (s Site) send(ctx context.Context, w sending) (sent, adminapi.Outcome, error) {
	claim, err := outcomes{s}.claim(ctx, w.target, w.subject)
	if err == nil && w.ready != nil {
		err = w.ready(ctx, claim)
	}
	if err == nil { // a write that is not sent overrides nothing
		err = claim.use()
	}
	one := sent{claimed: claim, record: journal.Record{
		Kind: w.kind, Target: w.target, Subject: w.subject, Time: s.Clock.Now(), Server: adminapi.MillisOf(s.serverNow()),
	}}
	if err != nil {
		return one, adminapi.OutcomeNotSent, err
	}
	outcome, err := w.post(ctx)
	one.record.ID = claim.claim.Record()
	return one, outcome, err
}
