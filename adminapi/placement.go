package adminapi

import (
	"context"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ServicePlacement reads on which nodes the pods of a service may run, byte for
// byte as the server sent it: an object with the list placementPolicy, one
// element for each deployment. Needs a site of 11.2.
func (c *Client) ServicePlacement(ctx context.Context, s ServiceRef) (jsontext.Value, error) {
	k := call{operation: opPlacement, method: http.MethodGet, path: append(s.segments(), "placementPolicy")}
	var given struct {
		Policy jsontext.Value `json:"placementPolicy"`
	}
	return c.readWhole(ctx, k, &given, func() string {
		if given.Policy.Kind() != jsontext.KindBeginArray {
			return "list placementPolicy"
		}
		return ""
	})
}

// EditServicePlacement sets on which nodes the pods of a service may run. The
// policy is sent as it is: an object with the list placementPolicy, without
// duplicate names, in valid UTF-8; anything else is refused before it is sent
// ([KindInvalid]). Pods move, and wait where no node takes them: the site does
// not look whether any does. Needs a site of 11.2.
//
// It is sent once, and returns when the edit is over, after up to ten minutes
// unless ctx ends before. A site may answer with a job all the same, see
// [Accepted.Finished]. That the pods run again is not what the answer says: read
// [Client.DeploymentStatus].
func (c *Client) EditServicePlacement(ctx context.Context, s ServiceRef, policy jsontext.Value) (Accepted, Outcome, error) {
	if e := checkPlacement(policy); e != nil {
		e.Operation = opEditPlacement.name
		return Accepted{}, OutcomeNotSent, e
	}
	return c.change(ctx, call{
		operation: opEditPlacement, path: append(s.segments(), "placementPolicy", "edit"), timeout: longTimeout, target: TargetService(s),
		fields: url.Values{"servicePlacementPolicy": {string(policy)}, "async": {"false"}},
	})
}

// checkPlacement refuses what no site can take. What the rules mean is not
// looked at here.
func checkPlacement(policy jsontext.Value) *Error {
	if policy.Kind() != jsontext.KindBeginObject {
		return &Error{Kind: KindInvalid, Message: "the placement policy is not a JSON object"}
	}
	if !policy.IsValid() {
		return &Error{Kind: KindInvalid, Message: "the placement policy is broken JSON, or names a member twice"}
	}
	var given struct {
		Policy jsontext.Value `json:"placementPolicy"`
	}
	if json.Unmarshal(policy, &given) != nil || given.Policy.Kind() != jsontext.KindBeginArray {
		return &Error{Kind: KindInvalid, Message: "the placement policy has no list placementPolicy"}
	}
	return nil
}
