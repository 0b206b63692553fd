package simulator_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/simulator"
)

// placer is a client of a site, signed in as the administrator, that counts its writes.
func placer(t *testing.T, scenario string) (*adminapi.Client, simulator.Clock, *counted) {
	t.Helper()
	return signedIn(t, scenario, "admin")
}

func placementOf(t *testing.T, c *adminapi.Client, s adminapi.ServiceRef) jsontext.Value {
	t.Helper()
	text, err := c.ServicePlacement(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// onPool asks for a pool in the first required line of the sample.
func onPool(t *testing.T, c *adminapi.Client, pool string) jsontext.Value {
	t.Helper()
	policy, err := placement.Parse(placementOf(t, c, sample))
	if err != nil {
		t.Fatal(err)
	}
	policy, err = policy.SetAffinity(0, placement.Required)
	if err == nil && len(policy.Items()[0].Required.Terms) == 0 {
		policy, err = policy.AddTerm(placement.AtTerm(0, placement.Required, 0), placement.Term{})
	}
	line := placement.Line{Key: "pool", Operator: placement.In, Values: []string{pool}}
	at := placement.AtLine(0, placement.Required, 0, 0)
	switch {
	case err != nil:
	case len(policy.Items()[0].Required.Terms[0].Lines) == 0:
		policy, err = policy.AddLine(at, line)
	default:
		policy, err = policy.SetLine(at, line)
	}
	if err != nil {
		t.Fatal(err)
	}
	return policy.Bytes()
}

// ready reads how many pods of the sample's deployment answer.
func ready(t *testing.T, c *adminapi.Client) adminapi.DeploymentStatus {
	t.Helper()
	policy, err := placement.Parse(placementOf(t, c, sample))
	if err != nil {
		t.Fatal(err)
	}
	status, err := c.DeploymentStatus(t.Context(), policy.Items()[0].DeploymentID)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func TestTheClientPlacesPodsAndSeesThemComeBack(t *testing.T) {
	t.Parallel()
	c, clock, wire := placer(t, "healthy")
	before := ready(t, c)
	if !before.AllReady() || before.State != adminapi.ServiceStarted {
		t.Fatalf("%+v", before)
	}
	text := onPool(t, c, "spot")
	accepted, outcome, err := c.EditServicePlacement(t.Context(), sample, text)
	if err != nil || outcome != adminapi.OutcomeDone || !accepted.Finished() {
		t.Fatalf("%+v, %v, %v", accepted, outcome, err)
	}
	if got := placementOf(t, c, sample); !bytes.Equal(got, text) {
		t.Errorf("kept %s", got)
	}
	var seen []int
	for range 100 {
		s := ready(t, c)
		if n := len(seen); n == 0 || seen[n-1] != s.ReadyReplicas {
			seen = append(seen, s.ReadyReplicas)
		}
		if s.AllReady() {
			break
		}
		_ = clock.Sleep(t.Context(), time.Second)
	}
	if len(seen) != before.TotalReplicas+1 || seen[0] != 0 {
		t.Errorf("ready: %v of %d", seen, before.TotalReplicas)
	}
	if n := wire.posts.Load(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestPodsThatNoNodeTakesWaitUntilTheRulesAreCorrected(t *testing.T) {
	t.Parallel()
	c, clock, _ := placer(t, "no-node")
	waiting := func(want bool) {
		t.Helper()
		_ = clock.Sleep(t.Context(), time.Hour)
		status, err := c.ServiceStatus(t.Context(), sample)
		if s := ready(t, c); err != nil || status.Running() == want || s.AllReady() == want || s.TotalReplicas == 0 {
			t.Errorf("%+v, %+v, %v", s, status, err)
		}
	}
	waiting(true)
	for _, pool := range []string{"gpu", "gis"} {
		if _, outcome, err := c.EditServicePlacement(t.Context(), sample, onPool(t, c, pool)); outcome != adminapi.OutcomeDone {
			t.Fatal(pool, err)
		}
		waiting(pool == "gpu")
	}
}

func TestAnEditOfAPlacementMayGoOnInAJob(t *testing.T) {
	t.Parallel()
	for scenario, end := range map[string]string{
		"placement-async": adminapi.JobCompleted, "placement-async-other": adminapi.JobCompleted, "placement-fails": adminapi.JobFailed,
	} {
		c, clock, wire := placer(t, scenario)
		before, text := placementOf(t, c, sample), onPool(t, c, "spot")
		accepted, outcome, err := c.EditServicePlacement(t.Context(), sample, text)
		if err != nil || outcome != adminapi.OutcomeDone || accepted.Finished() || wire.posts.Load() != 1 {
			t.Fatalf("%s: %+v, %v, %v", scenario, accepted, outcome, err)
		}
		if got := placementOf(t, c, sample); !bytes.Equal(got, before) {
			t.Errorf("%s: too early: %s", scenario, got)
		}
		job, _ := jobEnd(t, c, clock, accepted.JobID)
		if job.Status != end || (len(job.Reasons()) > 0) != job.Failed() {
			t.Errorf("%s: %s", scenario, job.Raw)
		}
		if got := placementOf(t, c, sample); bytes.Equal(got, text) != job.Completed() {
			t.Errorf("%s: kept %s", scenario, got)
		}
	}
}

func TestALostAnswerLeavesTheOutcomeOfAPlacementUnknown(t *testing.T) {
	t.Parallel()
	for scenario, performed := range map[string]bool{"placement-answer-lost": true, "placement-answer-lost-not-performed": false} {
		c, clock, wire := placer(t, scenario)
		before, text := placementOf(t, c, sample), onPool(t, c, "spot")
		if _, outcome, err := c.EditServicePlacement(t.Context(), sample, text); outcome != adminapi.OutcomeUnknown || err == nil {
			t.Errorf("%s: %v, %v", scenario, outcome, err)
		}
		_ = clock.Sleep(t.Context(), time.Minute)
		want := before
		if performed {
			want = text
		}
		if got := placementOf(t, c, sample); !bytes.Equal(got, want) || wire.posts.Load() != 1 {
			t.Errorf("%s: there is %s after %d requests", scenario, got, wire.posts.Load())
		}
	}
}

func TestTheClientTellsRefusalsOfPlacementsApart(t *testing.T) {
	t.Parallel()
	edit := func(c *adminapi.Client, text jsontext.Value) error {
		t.Helper()
		_, outcome, err := c.EditServicePlacement(t.Context(), sample, text)
		if outcome == adminapi.OutcomeDone || outcome == adminapi.OutcomeUnknown {
			t.Errorf("%v, %v", outcome, err)
		}
		return err
	}
	free, _, _ := placer(t, "healthy")
	good := onPool(t, free, "spot")
	publisher, _, _ := signedIn(t, "healthy", "publisher")
	frozen, _, _ := placer(t, "readonly")
	old, _, _ := placer(t, "old")
	refusing, _, _ := placer(t, "placement-refused")
	busy, _, _ := placer(t, "healthy")
	if _, _, err := busy.StopService(t.Context(), sample, true); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		err  error
		kind adminapi.Kind
	}{
		"a publisher":       {edit(publisher, good), adminapi.KindPrivilege},
		"a frozen site":     {edit(frozen, good), adminapi.KindReadOnly},
		"an old site":       {edit(old, good), adminapi.KindVersionTooOld},
		"a refusing site":   {edit(refusing, onPool(t, refusing, "spot")), adminapi.KindInvalid},
		"another operation": {edit(busy, onPool(t, busy, "spot")), adminapi.KindBusy},
		"another word":      {edit(free, bytes.Replace(good, []byte(`"In"`), []byte(`"Is"`), 1)), adminapi.KindInvalid},
	} {
		if !errors.Is(c.err, c.kind) {
			t.Errorf("%s: %v, want %s", what, c.err, c.kind)
		}
	}
	upgrading, _, _ := placer(t, "elses-upgrade")
	if err := edit(upgrading, onPool(t, upgrading, "spot")); !errors.Is(err, adminapi.KindBusy) && !errors.Is(err, adminapi.KindReadOnly) {
		t.Errorf("while an upgrade runs: %v", err)
	}
	operator, _, _ := signedIn(t, "healthy", "operator")
	if _, err := operator.DeploymentStatus(t.Context(), "x"); !errors.Is(err, adminapi.KindPrivilege) {
		t.Errorf("a deployment by an operator: %v", err)
	}
	if _, err := free.DeploymentStatus(t.Context(), "x"); !errors.Is(err, adminapi.KindNotFound) {
		t.Errorf("no deployment: %v", err)
	}
	if err := edit(refusing, onPool(t, refusing, "spot")); !strings.Contains(err.Error(), "operator of the cluster") {
		t.Error(err)
	}
}

func TestAnOddPlacementIsTakenBackAsItIs(t *testing.T) {
	t.Parallel()
	c, _, _ := placer(t, "placement-odd")
	text := placementOf(t, c, sample)
	for _, says := range []string{`"gis\u0020team"`, `"x-since": 1.0`, `[1e2]`, "matchFields", "tolerationSeconds", `"Gt"`, `"weight": 50`} {
		if !strings.Contains(string(text), says) {
			t.Errorf("no %s in %s", says, text)
		}
	}
	if _, outcome, err := c.EditServicePlacement(t.Context(), sample, text); outcome != adminapi.OutcomeDone {
		t.Error(err)
	}
	if got := placementOf(t, c, sample); !bytes.Equal(got, text) || !ready(t, c).AllReady() {
		t.Errorf("kept %s", got)
	}
}
