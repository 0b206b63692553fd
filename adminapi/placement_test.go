package adminapi_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
)

// aPolicy is written as no library would write it, with members that nobody knows.
const aPolicy = `{ "placementPolicy" : [ {"deploymentId":"krh1vura4livmjy61ibe4", "x-n":1.0,
	"podPlacementPolicy":{"nodeAffinity":{},"tolerations":[{"key":"a\/b+&=%20","operator":"Exists"}]}} ] }`

func TestAPlacementPolicyIsReadByteForByte(t *testing.T) {
	t.Parallel()
	const path = "/ctx/admin/services/My Maps/Roads+Rails.MapServer/placementPolicy"
	for _, body := range []string{aPolicy, recorded(t, "placementPolicy_get_nodeAffinity"), `{"placementPolicy":[]}`, `{"PlacementPolicy":[],"a":1,"a":2}`} {
		c := answering(t, map[string]string{path: body}).client(t)
		got, err := c.Services.Placement(t.Context(), roads)
		check(t, "policy", strings.TrimSpace(string(got)), strings.TrimSpace(body), err)
	}
	for _, body := range []string{"{}", "[]", `{"placementPolicy":null}`, `{"placementPolicy":{}}`, `{"placementPolicy":[`, "<html></html>"} {
		_, err := answering(t, map[string]string{path: body}).client(t).Services.Placement(t.Context(), roads)
		wantKind(t, err, adminapi.KindNotJSON)
	}
}

func TestAPlacementPolicyIsSentAsItIs(t *testing.T) {
	t.Parallel()
	var seen []string
	var form url.Values
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		seen, form = append(seen, r.Method+" "+r.URL.EscapedPath()), r.PostForm
		says(200, `{"status":"success"}`)(w, r)
	})
	accepted, outcome, err := s.client(t).Change(t.Context(), adminapi.EditServicePlacement(roads, jsontext.Value(aPolicy)))
	check(t, "edit", []any{accepted, outcome, accepted.Finished()}, []any{adminapi.Accepted{Status: "success"}, adminapi.OutcomeDone, true}, err)
	check(t, "requests", seen, []string{"POST /ctx/admin/services/My%20Maps/Roads+Rails.MapServer/placementPolicy/edit"}, nil)
	check(t, "form", form, url.Values{"servicePlacementPolicy": {aPolicy}, "async": {"false"}, "f": {"pjson"}, "token": {canary}}, nil)
}

func TestAPlacementPolicyIsSentOnceAndItsOutcomeFollowsFromTheAnswer(t *testing.T) {
	t.Parallel()
	wantOutcomes(t, []evidence{
		{"success", reply(200, `{"status":"success"}`), adminapi.OutcomeDone, 0, ""},
		{"a job", reply(200, `{"jobsUrl":"https://x/jobs/j1","jobID":"j1","jobStatus":"SUBMITTED"}`), adminapi.OutcomeDone, 0, "j1"},
		{"a job in another spelling", reply(200, `{"jobsUrl":"x","jobid":"j1","status":"SUBMITTED"}`), adminapi.OutcomeDone, 0, "j1"},
		{"closed", breakOff(""), adminapi.OutcomeUnknown, adminapi.KindUnreachable, ""},
		{"half", reply(200, `{"status":"succ`), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"a gateway", reply(504, ""), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"refused", reply(200, recorded(t, "error_400_portal")), adminapi.OutcomeRefused, adminapi.KindInvalid, ""},
		{"no privilege", reply(200, recorded(t, "error_403_portal")), adminapi.OutcomeRefused, adminapi.KindPrivilege, ""},
	}, func(ctx context.Context, c *adminapi.Client) (string, adminapi.Outcome, error) {
		accepted, outcome, err := c.Change(ctx, adminapi.EditServicePlacement(roads, jsontext.Value(aPolicy)))
		return accepted.JobID, outcome, err
	})
}

func TestAnInvalidPlacementPolicyIsNotSent(t *testing.T) {
	t.Parallel()
	s := rawServe(t, func(exchange) bool { return false })
	c := newClient(t, s.base())
	edit := func(ref adminapi.ServiceRef, text string) error {
		t.Helper()
		_, outcome, err := c.Change(t.Context(), adminapi.EditServicePlacement(ref, jsontext.Value(text)))
		check(t, text, outcome, adminapi.OutcomeNotSent, nil)
		return err
	}
	for text, reason := range map[string]string{
		"": "not a JSON object", "[]": "not a JSON object", `{"placementPolicy":[]`: "invalid JSON",
		`{"placementPolicy":[],"placementPolicy":[]}`: "repeats a key", "{\"placementPolicy\":[\"\xff\"]}": "invalid JSON",
		"{}": "no list", `{"placementPolicy":{}}`: "no list", `{"PlacementPolicy":[]}`: "no list",
	} {
		if e := wantKind(t, edit(roads, text), adminapi.KindInvalid); !strings.Contains(e.Error(), reason) {
			t.Errorf("%q: %v", text, e)
		}
	}
	wantKind(t, edit(adminapi.ServiceRef{Name: "a"}, aPolicy), adminapi.KindInvalid)
	readOnly := newClient(t, s.base(), func(cfg *adminapi.Config) { cfg.ReadOnly = true })
	_, outcome, err := readOnly.Change(t.Context(), adminapi.EditServicePlacement(roads, jsontext.Value(aPolicy)))
	wantKind(t, err, adminapi.KindReadOnly)
	check(t, "read-only", outcome, adminapi.OutcomeNotSent, nil)
	check(t, "requests", s.posts.Load(), 0, nil)
}

func TestPlacementRequiresItsVersion(t *testing.T) {
	t.Parallel()
	requests := 0
	c := serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		says(200, `{"fullVersion":"11.1.0.9","resources":[]}`)(w, r)
	}).client(t)
	if _, err := c.Root(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := c.Services.Placement(t.Context(), roads)
	wantKind(t, err, adminapi.KindVersionTooOld)
	_, outcome, err := c.Change(t.Context(), adminapi.EditServicePlacement(roads, jsontext.Value(aPolicy)))
	if e := wantKind(t, err, adminapi.KindVersionTooOld); !strings.Contains(e.Error(), "11.2") {
		t.Error(e)
	}
	check(t, "sent", []any{outcome, requests}, []any{adminapi.OutcomeNotSent, 1}, nil)
}

func TestARefusedPlacementNamesThePrivilege(t *testing.T) {
	t.Parallel()
	c := serve(t, says(200, recorded(t, "error_403_portal"))).client(t)
	_, read := c.Services.Placement(t.Context(), roads)
	_, _, edit := c.Change(t.Context(), adminapi.EditServicePlacement(roads, jsontext.Value(aPolicy)))
	_, status := c.Deployments.Status(t.Context(), "d")
	for privilege, errs := range map[string][]error{"Security and infrastructure": {read, edit}, "the default administrator role": {status}} {
		for _, err := range errs {
			if e := wantKind(t, err, adminapi.KindPrivilege); e.Privilege != privilege {
				t.Errorf("%v: %q", e, e.Privilege)
			}
		}
	}
}

func TestTheStatusOfADeployment(t *testing.T) {
	t.Parallel()
	const path = "/ctx/admin/system/deployments/d1/status"
	read := func(body string) (adminapi.DeploymentStatus, error) {
		return answering(t, map[string]string{path: body}).client(t).Deployments.Status(t.Context(), "d1")
	}
	got, err := read(recorded(t, "deployments_status"))
	check(t, "recorded", got, adminapi.DeploymentStatus{ID: "kvymoiqt0cl52ldoma1fh", Name: "shared-mapserver", State: "STARTED",
		ReadyReplicas: 1, TotalReplicas: 1, ResourceKind: "Deployment", ResourceName: "arcgis-kvymoiqt0cl52ldoma1fh-mapserver-z9nlp"}, err)
	for body, want := range map[string]adminapi.DeploymentStatus{
		`{"totalReplicas":"3","readyReplicas":2.0}`:                         {ID: "d1", ReadyReplicas: 2, TotalReplicas: 3},
		`{"currentState":"STARTED","totalReplicas":2,"readyReplicas":null}`: {ID: "d1", State: "STARTED", TotalReplicas: 2},
		`{"currentState":"STOPPED"}`:                                        {ID: "d1", State: "STOPPED"},
		`{"TotalReplicas":1,"readyReplicas":1,"x":[1]}`:                     {ID: "d1", ReadyReplicas: 1, TotalReplicas: 1, Unknown: jsontext.Value(`{"x":[1]}`)},
	} {
		got, err := read(body)
		check(t, body, got, want, err)
		check(t, body, got.AllReady(), want.ReadyReplicas == 1, nil)
	}
	for _, body := range []string{"{}", "", "[]", `{"name":"d1"}`} {
		_, err := read(body)
		wantKind(t, err, adminapi.KindNotJSON)
	}
	_, err = answering(t, nil).client(t).Deployments.Status(t.Context(), "")
	wantKind(t, err, adminapi.KindInvalid)
}

func TestADeploymentMayBeShared(t *testing.T) {
	t.Parallel()
	const path = "/ctx/admin/system/deployments/d1"
	read := func(body string) (adminapi.Deployment, error) {
		return answering(t, map[string]string{path: body}).client(t).Deployments.Get(t.Context(), "d1")
	}
	for body, want := range map[string]adminapi.Deployment{
		`{"deploymentId":"d1","name":"shared-mapserver","type":"MapServer","mode":"Shared"}`: {ID: "d1", Name: "shared-mapserver", Type: "MapServer", Mode: "Shared"},
		`{"mode":"Dedicated","configuredState":"STARTED","provider":"DMaps","deploymentId":"d2","name":"roads-mapserver","type":"MapServer","spec":{"replicas":{"min":1,"max":2,"scalingMode":"auto"},"containers":[]},"labels":{},"revision":1752137406148}`: {
			ID: "d2", Name: "roads-mapserver", Type: "MapServer", Provider: "DMaps", Mode: "Dedicated",
			Unknown: jsontext.Value(`{"configuredState":"STARTED","spec":{"replicas":{"min":1,"max":2,"scalingMode":"auto"},"containers":[]},"labels":{},"revision":1752137406148}`)},
		`{"mode":"SHARED","x":[1]}`:          {ID: "d1", Mode: "SHARED", Unknown: jsontext.Value(`{"x":[1]}`)},
		`{"mode":"Dedicated"}`:               {ID: "d1", Mode: "Dedicated"},
		`{"deploymentId":"d1","name":"one"}`: {ID: "d1", Name: "one"},
	} {
		got, err := read(body)
		check(t, body, got, want, err)
		check(t, body, got.Shared(), strings.EqualFold(want.Mode, "shared"), nil)
	}
	for _, body := range []string{"{}", "", "[]"} {
		_, err := read(body)
		wantKind(t, err, adminapi.KindNotJSON)
	}
	_, err := answering(t, nil).client(t).Deployments.Get(t.Context(), "")
	wantKind(t, err, adminapi.KindInvalid)
	_, err = serve(t, says(200, recorded(t, "error_403_portal"))).client(t).Deployments.Get(t.Context(), "d")
	if e := wantKind(t, err, adminapi.KindPrivilege); e.Privilege != "the default administrator role" {
		t.Errorf("%v: %q", e, e.Privilege)
	}
}
