package adminapi

import (
	"context"
	"net/url"
)

// StartUpgrade starts an upgrade with exactly these parts in their order,
// followed by f and token (multipart/form-data). It is sent once. The content of
// secret parts is in no error and reaches no observer. The status is that of the
// upgrade that has begun, empty where the outcome is not [OutcomeDone].
//
// The time limit is that of any request, counted from the last byte that the
// network took, plus 1 s for each 20 KiB sent (205 s at the most).
func (c *Client) StartUpgrade(ctx context.Context, parts []Part) (UpgradeStatus, Outcome, error) {
	if parts == nil {
		parts = []Part{} // refused as such
	}
	return c.begin(ctx, call{operation: opStartUpgrade, path: []string{"system", "upgrades", "upgrade"}, target: TargetSite, parts: parts})
}

// Rollback takes a patch back, and the later ones with it. It is sent once, and
// ends as StartUpgrade does; progress is in the Upgrades resource.
func (c *Client) Rollback(ctx context.Context, updateID string) (UpgradeStatus, Outcome, error) {
	object, e := idObject(updateID)
	if e != nil {
		e.Operation = opRollback.name
		return UpgradeStatus{}, OutcomeNotSent, e
	}
	return c.begin(ctx, call{
		operation: opRollback, path: []string{"system", "upgrades", "rollback"}, target: TargetSite,
		fields: url.Values{"versionManifest": {object}, "rollbackSettings": {"{}"}},
	})
}

// begin sends what is answered with the status of an upgrade that has begun.
// Whatever else the status says is no proof of that, nor of the contrary.
func (c *Client) begin(ctx context.Context, k call) (UpgradeStatus, Outcome, error) {
	var status UpgradeStatus
	outcome, err := c.write(ctx, k, func(a answer) *Error {
		var e *Error
		if status, e = readStatus(a); e != nil {
			return e
		}
		a.secrets.keptStatus(&status)
		if !status.Running() {
			return notRunning(status)
		}
		return nil
	})
	if err != nil {
		return UpgradeStatus{}, outcome, err
	}
	return status, outcome, nil
}

// readStatus takes the status with and without the member "status" around it.
func readStatus(a answer) (UpgradeStatus, *Error) {
	var reply struct {
		Status *UpgradeStatus `json:"status"`
	}
	// A status that is a word makes the first reading fail; the second tells why.
	if err := decode(a.body, &reply); err == nil && reply.Status != nil {
		return *reply.Status, nil
	}
	var bare UpgradeStatus
	e := a.decode(&bare, func() string {
		if bare.State == "" {
			return "status"
		}
		return ""
	})
	return bare, e
}

func notRunning(s UpgradeStatus) *Error {
	e := &Error{Kind: KindServer, Message: "the site answers with the state " + shortened(s.State) + ", which does not tell whether it has begun"}
	for _, m := range s.Messages[:min(len(s.Messages), mostDetails)] {
		e.Details = append(e.Details, shortened(m.Message))
	}
	return e
}
