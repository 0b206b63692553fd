package editing_test

import (
	"context"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

// Nothing is sent without reading because the server in front had nothing behind it for a moment.
func TestAnOutageIsNotTakenForASiteThatShowsNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"it was read":                   {nil, false},
		"no answer":                     {context.DeadlineExceeded, false},
		"a page of the server in front": {&adminapi.Error{Kind: adminapi.KindNotFound, Status: 404, Explicit: true}, false},
		"a gateway":                     {&adminapi.Error{Kind: adminapi.KindServer, Status: 503}, false},
		"a page of a site that answers": {&adminapi.Error{Kind: adminapi.KindNotFound, Status: 404, Explicit: true, Err: adminapi.ErrMissing}, true},
		"the platform's word":           {&adminapi.Error{Kind: adminapi.KindNotFound, Code: 404, Explicit: true}, true},
		"a privilege":                   {&adminapi.Error{Kind: adminapi.KindPrivilege, Code: 403, Explicit: true}, true},
		"no such method":                {&adminapi.Error{Kind: adminapi.KindInvalid, Status: 405, Explicit: true}, true},
		"not implemented, in an answer": {&adminapi.Error{Kind: adminapi.KindServer, Status: 200, Code: 501, Explicit: true}, true},
		"not implemented":               {&adminapi.Error{Kind: adminapi.KindServer, Status: 501, Explicit: true}, true},
	} {
		if got := editing.Unreadable(c.err); got != c.want {
			t.Errorf("%s: unreadable is %v", name, got)
		}
	}
}

// Of rules that were not read nothing is said: neither where pods ran before, nor that the site lacks them.
func TestWhatWasNotReadIsSaidNowhere(t *testing.T) {
	t.Parallel()
	edited := `{"placementPolicy":[{"deploymentId":"a","deploymentType":"MapServer",` +
		`"podPlacementPolicy":{"nodeAffinity":{},"tolerations":[{"key":"gpu","operator":"Exists"}]}}]}`
	blank := `{"placementPolicy":[{"deploymentId":"a","deploymentType":"MapServer","podPlacementPolicy":{"nodeAffinity":{},"tolerations":[]}}]}`
	none := `{"placementPolicy":[]}`
	for _, c := range []struct {
		base   string
		unread *editing.Unread
		want   string
	}{
		{blank, &editing.Unread{}, "not known"},
		{none, &editing.Unread{}, "not known"},
		{none, &editing.Unread{File: "base.json"}, "base.json does not have it"},
		{none, nil, "the site does not have it"},
		{blank, nil, "Pods may run on any node; they tolerate no taint."},
		{blank, &editing.Unread{File: "base.json"}, "Pods may run on any node; they tolerate no taint."},
	} {
		e := editing.Edit{Target: editing.PlacementOf(operationtest.Cities), Base: operationtest.Parsed(t, c.base),
			Edited: operationtest.Parsed(t, edited), Unread: c.unread, Nodes: poolNodes("gis")}
		moves := e.Moves()
		if len(moves) != 1 || e.Before(moves[0]) != c.want || (moves[0].From.Total != 0) != (moves[0].Before != nil) {
			t.Errorf("%q, unread %v: %+v", c.want, c.unread, moves)
		}
	}
}

// Without a base all that is sent is new, and nothing is said of what it changes; with one it is said what that is.
func TestAnEditOfWhatWasNotReadSaysWhatItIsComparedWith(t *testing.T) {
	t.Parallel()
	definition := editing.Edit{Target: editing.DefinitionOf(operationtest.Cities), Edited: operationtest.Parsed(t, `{"serviceName":"a","type":"MapServer","maxIdleTime":900}`)}
	rules := editing.Edit{Target: editing.PlacementOf(operationtest.Cities), Edited: operationtest.Parsed(t, twice)}
	for _, e := range []editing.Edit{definition, rules} {
		e = e.WithoutReading(adminapi.KindPrivilege, "")
		plan := e.Plan()
		if len(plan.Changes) == 0 || plan.Risks[0].ID != editing.NotRead || plan.Risks[0].Text != "The site was not read; what it has is not known." || !plan.Risks[0].Unread {
			t.Errorf("%s: %+v", e.Part, plan.Risks)
		}
		if e.Part == editing.Definition && len(plan.Risks) != 1 {
			t.Errorf("it says what changes: %+v", plan.Risks)
		}
	}
	definition.Base = operationtest.Parsed(t, `{"serviceName":"a","type":"MapServer","maxIdleTime":1800}`)
	definition = definition.WithoutReading(adminapi.KindPrivilege, "base.json")
	if risks := definition.Plan().Risks; len(risks) < 2 || risks[0].Text != "The site was not read; compared with base.json." {
		t.Errorf("with a base: %+v", risks)
	}
}
