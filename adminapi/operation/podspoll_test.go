package operation_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
)

// podsTold makes the site tell these statuses of any deployment, one after the other, and
// the last one from then on; an empty one hangs up.
func (p *platform) podsTold(statuses ...string) {
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
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
		"ready, then another one": {[]string{ready, ready, ready, ready, ready, ready, ready, stopped, ready}, 16},
	} {
		p := editingSite(t, "healthy")
		p.podsTold(c.told...)
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
			_ = p.clock.Sleep(t.Context(), step.Wait)
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
	p := editingSite(t, "healthy")
	p.podsTold(`"currentState":"STARTED","totalReplicas":2,"readyReplicas":2`)
	poller := p.Availability().PollPods([]string{"d"})
	if end, err := polling.Wait(t.Context(), p.clock, poller, nil); err != nil || !end.Settled() {
		t.Fatal(end, err)
	}
	poller.Restart()
	if step, err := poller.Next(t.Context()); err != nil || step.Done || step.Wait != 2*time.Second {
		t.Errorf("%+v, %v", step, err)
	}
}

func TestUnchangedPodsStallAfterHalfAnHour(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	p.podsTold(`"currentState":"STARTED","totalReplicas":2,"readyReplicas":1`)
	poller, began := p.Availability().PollPods([]string{"d"}), p.clock.Now()
	for {
		step, err := poller.Next(t.Context())
		if err != nil || step.Done {
			t.Fatal(step, err)
		}
		now := p.clock.Now()
		if stalled := step.Value.Stalled(now); stalled != (now.Sub(began) >= 30*time.Minute) {
			t.Fatalf("stalled %v after %v", stalled, now.Sub(began))
		} else if stalled {
			return
		}
		_ = p.clock.Sleep(t.Context(), step.Wait)
	}
}

func TestNothingRunsWhereTheSiteIsIdleAndNothingWasAccepted(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]bool{
		`{"state":"no_upgrade","messages":[]}`:           true,
		`{"state":"success","code":3,"messages":[]}`:     true,
		`{"state":"failed","code":4,"messages":[]}`:      true,
		`{"state":"in_progress","code":1,"messages":[]}`: false,
		`{"state":"pondering","code":9,"messages":[]}`:   false,
	} {
		p, run := unansweredRun(t)
		p.reports(state)
		step, err := watching.NewWatch(p.Site, nil).Next(t.Context())
		if err != nil || step.Value.NothingRuns != want || step.Done != want || step.Value.Ended {
			t.Errorf("%s: nothing runs %v, done %v, %v", state, step.Value.NothingRuns, step.Done, err)
		}
		if step, err = watching.NewWatch(p.Site, run).Next(t.Context()); err != nil || step.Value.NothingRuns || step.Done {
			t.Errorf("%s: of one that was accepted just now: %+v, %v", state, step, err)
		}
	}
}

func TestAnUpgradeThatWasSeenIsNotNothing(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	p.reports(`{"state":"in_progress","code":1,"messages":[` + p.first(0) + `]}`)
	watch := watching.NewWatch(p.Site, nil)
	if r := polled(t, p, watch, 1); r.Meaning != progress.StateRunning {
		t.Fatal(r.Meaning)
	}
	p.reports(`{"state":"no_upgrade","messages":[]}`)
	for range 5 {
		if step, err := watch.Next(t.Context()); err != nil || step.Done || step.Value.NothingRuns {
			t.Errorf("%+v, %v", step, err)
		}
	}
}

// stepped takes a step of a poller apart.
func stepped[T any](s polling.Step[T], err error) (T, time.Duration, error) {
	return s.Value, s.Wait, err
}

// podsStep is stepped for pods; an unreachable site is an error, too.
func podsStep(s polling.Step[availability.Snapshot], err error) (availability.Snapshot, time.Duration, error) {
	return s.Value, s.Wait, cmp.Or(err, s.Unreachable)
}

// waitRun waits for the report of a health run.
func waitRun(ctx context.Context, p *platform, run *operation.HealthRun, report func(polling.Step[operation.HealthSnapshot])) (adminapi.Report, error) {
	end, err := polling.Wait(ctx, p.clock, run, report)
	if err != nil {
		return adminapi.Report{}, err
	}
	return *end.Report, nil
}

// settleRun searches for the outcome of an upgrade to the end.
func settleRun(ctx context.Context, p *platform, run *operation.UpgradeRun) (adminapi.UpgradeStatus, error) {
	found, err := polling.Wait(ctx, p.clock, run.Search(), nil)
	return found.Status, cmp.Or(err, found.Err)
}

// seenAs names what a search has found.
func seenAs(found operation.Resolution) string {
	if found.Outcome != adminapi.OutcomeUnknown {
		return found.Outcome.String()
	}
	return [...]string{"nothing", "unchanged", "running", "other"}[found.Shows]
}

// findRun searches once.
func findRun(ctx context.Context, search *operation.Search) (string, adminapi.UpgradeStatus, time.Duration, error) {
	step, err := search.Next(ctx)
	return seenAs(step.Value), step.Value.Status, step.Wait, err
}

// settleEdit searches for the outcome of an edit to the end.
func settleEdit(ctx context.Context, p *platform, lost *operation.Search) (operation.Resolution, error) {
	found, err := polling.Wait(ctx, p.clock, lost, nil)
	return found, cmp.Or(err, found.Err)
}

// findEdit searches once.
func findEdit(ctx context.Context, lost *operation.Search) (operation.Resolution, error) {
	step, err := lost.Next(ctx)
	return step.Value, cmp.Or(err, step.Unreachable)
}
