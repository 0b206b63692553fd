package availability_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/placement"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// podsTold makes the site tell these statuses of any deployment, one after the other, and
// the last one from then on; an empty one hangs up.
func podsTold(p *operationtest.Platform, statuses ...string) {
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/status") {
			pass()
			return
		}
		status := statuses[0]
		if len(statuses) > 1 {
			statuses = statuses[1:]
		}
		if status == "" {
			w.WriteHeader(http.StatusGatewayTimeout)
			return
		}
		_, _ = fmt.Fprintf(w, `{"id":"d",%s}`, status)
	})
}

func TestPodsSettleAfterEightEqualSnapshots(t *testing.T) {
	t.Parallel()
	const (
		ready   = `"currentState":"STARTED","totalReplicas":2,"readyReplicas":2`
		some    = `"currentState":"STARTED","totalReplicas":2,"readyReplicas":1`
		more    = `"currentState":"STARTED","totalReplicas":3,"readyReplicas":2`
		none    = `"currentState":"STARTED","totalReplicas":0`
		stopped = `"currentState":"STOPPED","totalReplicas":0`
	)
	for name, c := range map[string]struct {
		told   []string
		polled int // 0: never
	}{
		"ready from the start":    {[]string{ready}, 8},
		"the old ones first":      {[]string{ready, ready, ready, some, ready}, 12},
		"of a stopped service":    {[]string{some, stopped}, 9},
		"none though it runs":     {[]string{none}, 0},
		"never all":               {[]string{some}, 0},
		"an absence in between":   {[]string{ready, ready, ready, ready, ready, "", "", "", "", ready}, 0},
		"started for a moment":    {[]string{stopped, stopped, stopped, stopped, stopped, stopped, stopped, none, stopped}, 16},
		"one more for a moment":   {[]string{ready, ready, ready, ready, ready, ready, ready, more, ready}, 16},
		"ready, then another one": {[]string{ready, ready, ready, ready, ready, ready, ready, stopped, ready}, 16},
	} {
		p := operationtest.WithJournal(t, "healthy")
		podsTold(p, c.told...)
		poller := p.Availability().PollPods([]string{"d"})
		polled, settled := 0, false
		for range 40 {
			step, err := poller.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if step.Unreachable == nil {
				polled++
			}
			if settled = step.Done; settled {
				break
			}
			_ = p.Clock.Sleep(t.Context(), step.Wait)
		}
		switch want := c.polled; {
		case name == "an absence in between":
			if !settled || polled != 5+8 {
				t.Errorf("%s: settled %v after %d polled, want 13", name, settled, polled)
			}
		case settled != (want > 0) || settled && polled != want:
			t.Errorf("%s: settled %v after %d polled, want %d", name, settled, polled, want)
		}
	}
}

func TestARestartedPodsPollerCountsAnew(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	podsTold(p, `"currentState":"STARTED","totalReplicas":2,"readyReplicas":2`)
	poller := p.Availability().PollPods([]string{"d"})
	if end, err := polling.Wait(t.Context(), p.Clock, poller, nil); err != nil || !end.Settled() {
		t.Fatal(end, err)
	}
	poller.Restart()
	if step, err := poller.Next(t.Context()); err != nil || step.Done || step.Wait != 2*time.Second {
		t.Errorf("%+v, %v", step, err)
	}
}

func TestUnchangedPodsStallAfterHalfAnHour(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	podsTold(p, `"currentState":"STARTED","totalReplicas":2,"readyReplicas":1`)
	poller, began := p.Availability().PollPods([]string{"d"}), p.Clock.Now()
	for {
		step, err := poller.Next(t.Context())
		if err != nil || step.Done {
			t.Fatal(step, err)
		}
		now := p.Clock.Now()
		if stalled := step.Value.Stalled(now); stalled != (now.Sub(began) >= 30*time.Minute) {
			t.Fatalf("stalled %v after %v", stalled, now.Sub(began))
		} else if stalled {
			return
		}
		_ = p.Clock.Sleep(t.Context(), step.Wait)
	}
}

// podsStep is stepped for pods; an unreachable site is an error, too.
func podsStep(s polling.Step[availability.Snapshot], err error) (availability.Snapshot, time.Duration, error) {
	return s.Value, s.Wait, cmp.Or(err, s.Unreachable)
}

func watch(t *testing.T, p *operationtest.Platform) *availability.Poller {
	t.Helper()
	policy, err := placement.Parse(p.Policy(t).Bytes())
	if err != nil || len(policy.Items()) == 0 {
		t.Fatalf("%+v, %v", policy.Items(), err)
	}
	return p.Availability().PollPods([]string{policy.Items()[0].DeploymentID})
}

func TestPodsAreFollowedAfterAnEdit(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	watch := watch(t, p)
	if r, wait, away := podsStep(watch.Next(t.Context())); away != nil || !r.Ready() || wait != 2*time.Second || !r.At.Equal(p.Clock.Now()) {
		t.Fatalf("%+v, %v, %v", r, wait, away)
	}
	if _, _, err := operationtest.Apart(p.ApplyEdit(t.Context(), p.Replacing(t, operationtest.OnPool("spot")), nil)); err != nil {
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
		_ = p.Clock.Sleep(t.Context(), wait)
	}
	t.Errorf("gone %v, longest pause %v: they did not come back", gone, longest)
}

func TestPodsThatNoNodeTakesAreNeverReady(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "no-node")
	watch := watch(t, p)
	for range 20 {
		r, wait, away := podsStep(watch.Next(t.Context()))
		if away != nil || wait == 0 || r.Ready() || r.Refused() != nil {
			t.Fatalf("%+v, %v, %v", r, wait, away)
		}
		_ = p.Clock.Sleep(t.Context(), time.Minute)
	}
}

func TestADeploymentThatIsRefusedDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	policy, err := placement.Parse(p.Policy(t).Bytes())
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
	p := operationtest.WithJournal(t, "healthy")
	watch := watch(t, p)
	before, _, away := podsStep(watch.Next(t.Context()))
	if away != nil {
		t.Fatal(away)
	}
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) { operationtest.HangUp(w) })
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
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		_, _ = w.Write([]byte(`{"error":{"code":498,"message":"Invalid token.","details":[]}}`))
	})
	if r, wait, away := podsStep(watch.Next(t.Context())); !errors.Is(away, adminapi.KindSignIn) || wait != 0 || !r.At.Equal(before.At) {
		t.Errorf("%+v, %v, %v", r, wait, away)
	}
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		_, _ = w.Write([]byte(`{"error":{"code":403,"message":"no","details":[]}}`))
	})
	r, wait, away := podsStep(watch.Next(t.Context()))
	if away != nil || wait != 0 || !errors.Is(r.Refused(), adminapi.KindPrivilege) || r.Ready() || r.Deployments[0].TotalReplicas == 0 {
		t.Errorf("%+v, %v, %v", r, wait, away)
	}
	p.Intercept(nil)
	if r, wait, away := podsStep(watch.Next(t.Context())); away != nil || wait == 0 || !r.Ready() {
		t.Errorf("%+v, %v, %v", r, wait, away)
	}
}

func TestNoDeploymentIsNeverReady(t *testing.T) {
	t.Parallel()
	if r, _, away := podsStep(operationtest.WithJournal(t, "healthy").Availability().PollPods(nil).Next(t.Context())); r.Ready() || r.Refused() != nil || away != nil {
		t.Errorf("%+v, %v", r, away)
	}
}

func TestPodsThatChangeAreFetchedMoreOften(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	watch := watch(t, p)
	quiet := time.Duration(0)
	for range 20 {
		_, quiet, _ = podsStep(watch.Next(t.Context()))
	}
	if _, _, err := operationtest.Apart(p.ApplyEdit(t.Context(), p.Replacing(t, operationtest.OnPool("spot")), nil)); err != nil {
		t.Fatal(err)
	}
	if r, wait, away := podsStep(watch.Next(t.Context())); away != nil || quiet != 10*time.Second || r.Ready() || wait != 2*time.Second {
		t.Errorf("from %v to %v, %+v, %v", quiet, wait, r, away)
	}
}

func TestACancelledPollLeavesTheSnapshotBefore(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	watch := watch(t, p)
	before, _, _ := podsStep(watch.Next(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, wait, away := podsStep(watch.Next(ctx))
	if !errors.Is(away, adminapi.KindCancelled) || wait != 0 || !r.At.Equal(before.At) || !r.Ready() {
		t.Errorf("%+v, %v, %v", r, wait, away)
	}
}
