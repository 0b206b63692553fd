package operation_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/placement"
)

// policy is the placement policy that the sample has now.
func (p *platform) policy(t *testing.T) *document.Document {
	t.Helper()
	c, err := editing.Read(t.Context(), p.Client, editing.PlacementOf(cities))
	if err != nil {
		t.Fatal(err)
	}
	return c.Document
}

// replacing edits the policy of the sample: its first deployment gets these rules.
func (p *platform) replacing(t *testing.T, rules string) editing.Edit {
	t.Helper()
	base := p.policy(t)
	edited, err := editing.PolicyOnto(base, []byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	return editing.Edit{Target: editing.PlacementOf(cities), Base: base, Edited: edited}
}

// onPool requires a pool of nodes.
func onPool(pool string) string {
	return `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"pool","operator":"In","values":["` + pool + `"]}]}]}},"tolerations":[]}`
}

func (p *platform) watch(t *testing.T) *availability.Poller {
	t.Helper()
	policy, err := placement.Parse(p.policy(t).Bytes())
	if err != nil || len(policy.Items()) == 0 {
		t.Fatalf("%+v, %v", policy.Items(), err)
	}
	return p.Availability().PollPods([]string{policy.Items()[0].DeploymentID})
}

func TestPodsAreFollowedAfterAnEdit(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	watch := p.watch(t)
	if r, wait, away := podsStep(watch.Next(t.Context())); away != nil || !r.Ready() || wait != 2*time.Second || !r.At.Equal(p.clock.Now()) {
		t.Fatalf("%+v, %v, %v", r, wait, away)
	}
	if _, _, err := apart(p.ApplyEdit(t.Context(), p.replacing(t, onPool("spot")), nil)); err != nil {
		t.Fatal(err)
	}
	gone, longest := false, time.Duration(0)
	for range 300 {
		r, wait, away := podsStep(watch.Next(t.Context()))
		if away != nil || wait == 0 {
			t.Fatal(wait, away)
		}
		gone, longest = gone || !r.Ready(), max(longest, wait)
		if gone && r.Ready() && wait == 10*time.Second {
			return
		}
		_ = p.clock.Sleep(t.Context(), wait)
	}
	t.Errorf("gone %v, longest pause %v: they did not come back", gone, longest)
}

func TestPodsThatNoNodeTakesAreNeverReady(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "no-node")
	watch := p.watch(t)
	for range 20 {
		r, wait, away := podsStep(watch.Next(t.Context()))
		if away != nil || wait == 0 || r.Ready() || r.Refused() != nil {
			t.Fatalf("%+v, %v, %v", r, wait, away)
		}
		_ = p.clock.Sleep(t.Context(), time.Minute)
	}
}

func TestADeploymentThatIsRefusedDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	policy, err := placement.Parse(p.policy(t).Bytes())
	if err != nil {
		t.Fatal(err)
	}
	good := policy.Items()[0].DeploymentID
	r, wait, away := podsStep(p.Availability().PollPods([]string{"none", good}).Next(t.Context()))
	if away != nil || wait == 0 || r.Ready() || r.Refused() != nil || !errors.Is(r.Deployments[0].Err, adminapi.KindNotFound) || !r.Deployments[1].AllReady() {
		t.Errorf("%+v, %v, %v", r, wait, away)
	}
	r, wait, away = podsStep(p.Availability().PollPods([]string{"none"}).Next(t.Context()))
	if away != nil || wait != 0 || !errors.Is(r.Refused(), adminapi.KindNotFound) || r.Deployments[0].ID != "none" {
		t.Errorf("%+v, %v, %v", r, wait, away)
	}
}

func TestAnUnreachableSiteLeavesTheSnapshotBefore(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	watch := p.watch(t)
	before, _, away := podsStep(watch.Next(t.Context()))
	if away != nil {
		t.Fatal(away)
	}
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) { hangUp(w) })
	pause := time.Duration(0)
	for range 12 {
		r, wait, away := podsStep(watch.Next(t.Context()))
		if !adminapi.IsTransient(away) || wait == 0 || !r.At.Equal(before.At) || !r.Ready() {
			t.Fatalf("%+v, %v, %v", r, wait, away)
		}
		pause = wait
	}
	if pause < 20*time.Second {
		t.Errorf("the last pause is %v", pause)
	}
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		_, _ = w.Write([]byte(`{"error":{"code":498,"message":"Invalid token.","details":[]}}`))
	})
	if r, wait, away := podsStep(watch.Next(t.Context())); !errors.Is(away, adminapi.KindSignIn) || wait != 0 || !r.At.Equal(before.At) {
		t.Errorf("%+v, %v, %v", r, wait, away)
	}
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		_, _ = w.Write([]byte(`{"error":{"code":403,"message":"no","details":[]}}`))
	})
	r, wait, away := podsStep(watch.Next(t.Context()))
	if away != nil || wait != 0 || !errors.Is(r.Refused(), adminapi.KindPrivilege) || r.Ready() || r.Deployments[0].TotalReplicas == 0 {
		t.Errorf("%+v, %v, %v", r, wait, away)
	}
	p.intercept(nil)
	if r, wait, away := podsStep(watch.Next(t.Context())); away != nil || wait == 0 || !r.Ready() {
		t.Errorf("%+v, %v, %v", r, wait, away)
	}
}

func TestNoDeploymentIsNeverReady(t *testing.T) {
	t.Parallel()
	if r, _, away := podsStep(editingSite(t, "healthy").Availability().PollPods(nil).Next(t.Context())); r.Ready() || r.Refused() != nil || away != nil {
		t.Errorf("%+v, %v", r, away)
	}
}

func TestPodsThatChangeAreFetchedMoreOften(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	watch := p.watch(t)
	quiet := time.Duration(0)
	for range 20 {
		_, quiet, _ = podsStep(watch.Next(t.Context()))
	}
	if _, _, err := apart(p.ApplyEdit(t.Context(), p.replacing(t, onPool("spot")), nil)); err != nil {
		t.Fatal(err)
	}
	if r, wait, away := podsStep(watch.Next(t.Context())); away != nil || quiet != 10*time.Second || r.Ready() || wait != 2*time.Second {
		t.Errorf("from %v to %v, %+v, %v", quiet, wait, r, away)
	}
}

func TestACancelledPollLeavesTheSnapshotBefore(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	watch := p.watch(t)
	before, _, _ := podsStep(watch.Next(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, wait, away := podsStep(watch.Next(ctx))
	if !errors.Is(away, adminapi.KindCancelled) || wait != 0 || !r.At.Equal(before.At) || !r.Ready() {
		t.Errorf("%+v, %v, %v", r, wait, away)
	}
}

func TestAServiceIsStoppedAndStarted(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	for _, start := range []bool{false, true} {
		state, outcome, err := apart(p.SwitchService(t.Context(), operation.Switch{Service: cities, Start: start}, nil, nil))
		if err != nil || outcome != adminapi.OutcomeDone || state.Running() != start || !state.Settled() {
			t.Errorf("start %v: %+v, %v, %v", start, state, outcome, err)
		}
	}
	states := p.Availability().States(t.Context(), []adminapi.ServiceRef{cities, {Name: "None", Type: "MapServer"}})
	if !states[0].Running() || states[0].Err != nil || !errors.Is(states[1].Err, adminapi.KindNotFound) {
		t.Errorf("states %+v", states)
	}
}

func TestTheOutcomeOfALostStopIsFound(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "edit-answer-lost")
	state, outcome, err := apart(p.SwitchService(t.Context(), operation.Switch{Service: cities, Start: false}, nil, nil))
	if outcome != adminapi.OutcomeDone || err != nil || state.Running() {
		t.Errorf("%+v, %v, %v", state, outcome, err)
	}
	p.wantSent(t, "POST stop", 1)
	p = editingSite(t, "edit-answer-lost-not-performed")
	wantResult(t, adminapi.OutcomeUnknown, operation.ErrOutcomeUnknown)(p.SwitchService(t.Context(), operation.Switch{Service: cities, Start: false}, nil, nil))
	p.wantSent(t, "POST stop", 1)
}
