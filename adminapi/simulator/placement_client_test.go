package simulator_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/placement"
)

func placementOf(t *testing.T, c *client, s adminapi.ServiceRef) jsontext.Value {
	t.Helper()
	text, err := c.Services.Placement(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// onPool is the policy of the sample with a pool in its first required line.
func onPool(t *testing.T, c *client, pool string) jsontext.Value {
	t.Helper()
	policy, err := placement.Parse(placementOf(t, c, sample))
	if err != nil {
		t.Fatal(err)
	}
	if len(policy.Items()[0].Required.Terms) == 0 {
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
func ready(t *testing.T, c *client) adminapi.DeploymentStatus {
	t.Helper()
	policy, err := placement.Parse(placementOf(t, c, sample))
	if err != nil {
		t.Fatal(err)
	}
	status, err := c.Deployments.Status(t.Context(), policy.Items()[0].DeploymentID)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func TestTheClientPlacesPodsAndSeesThemRestart(t *testing.T) {
	t.Parallel()
	c := connect(t, "healthy", "admin")
	before := ready(t, c)
	if !before.AllReady() || before.State != adminapi.ServiceStarted {
		t.Fatalf("%+v", before)
	}
	text := onPool(t, c, "spot")
	accepted, outcome, err := c.Change(t.Context(), adminapi.EditServicePlacement(sample, text))
	if err != nil || outcome != adminapi.OutcomeDone || !accepted.Finished() {
		t.Fatalf("%+v, %v, %v", accepted, outcome, err)
	}
	if got := placementOf(t, c, sample); !bytes.Equal(got, text) {
		t.Errorf("stored %s", got)
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
		c.sleep(time.Second)
	}
	if len(seen) != before.TotalReplicas+1 || seen[0] != 0 {
		t.Errorf("ready: %v of %d", seen, before.TotalReplicas)
	}
	if n := c.writes.Load(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestPodsThatNoNodeTakesWaitUntilTheRulesAreCorrected(t *testing.T) {
	t.Parallel()
	c := connect(t, "no-node", "admin")
	waiting := func(want bool) {
		t.Helper()
		c.sleep(time.Hour)
		status, err := c.Services.Status(t.Context(), sample)
		if s := ready(t, c); err != nil || status.Running() == want || s.AllReady() == want || s.TotalReplicas == 0 {
			t.Errorf("%+v, %+v, %v", s, status, err)
		}
	}
	waiting(true)
	for _, pool := range []string{"gpu", "gis"} {
		if _, outcome, err := c.Change(t.Context(), adminapi.EditServicePlacement(sample, onPool(t, c, pool))); outcome != adminapi.OutcomeDone {
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
		c := connect(t, scenario, "admin")
		before, text := placementOf(t, c, sample), onPool(t, c, "spot")
		accepted, outcome, err := c.Change(t.Context(), adminapi.EditServicePlacement(sample, text))
		if err != nil || outcome != adminapi.OutcomeDone || accepted.Finished() || c.writes.Load() != 1 {
			t.Fatalf("%s: %+v, %v, %v", scenario, accepted, outcome, err)
		}
		if got := placementOf(t, c, sample); !bytes.Equal(got, before) {
			t.Errorf("%s: too early: %s", scenario, got)
		}
		job, _ := jobEnd(t, c, accepted.JobID)
		if job.Status != end || (len(job.Reasons()) > 0) != job.Failed() {
			t.Errorf("%s: %s", scenario, job.Raw)
		}
		if got := placementOf(t, c, sample); bytes.Equal(got, text) != job.Completed() {
			t.Errorf("%s: stored %s", scenario, got)
		}
	}
}

func TestALostAnswerLeavesTheOutcomeOfAPlacementUnknown(t *testing.T) {
	t.Parallel()
	for scenario, performed := range map[string]bool{"placement-answer-lost": true, "placement-answer-lost-not-performed": false} {
		c := connect(t, scenario, "admin")
		before, text := placementOf(t, c, sample), onPool(t, c, "spot")
		if _, outcome, err := c.Change(t.Context(), adminapi.EditServicePlacement(sample, text)); outcome != adminapi.OutcomeUnknown || err == nil {
			t.Errorf("%s: %v, %v", scenario, outcome, err)
		}
		c.sleep(time.Minute)
		want := before
		if performed {
			want = text
		}
		if got := placementOf(t, c, sample); !bytes.Equal(got, want) || c.writes.Load() != 1 {
			t.Errorf("%s: there is %s after %d requests", scenario, got, c.writes.Load())
		}
	}
}

func TestTheClientDistinguishesRefusalsOfPlacements(t *testing.T) {
	t.Parallel()
	edit := func(c *client, text jsontext.Value) error {
		t.Helper()
		_, outcome, err := c.Change(t.Context(), adminapi.EditServicePlacement(sample, text))
		if outcome == adminapi.OutcomeDone || outcome == adminapi.OutcomeUnknown {
			t.Errorf("%v, %v", outcome, err)
		}
		return err
	}
	free, refusing := connect(t, "healthy", "admin"), connect(t, "placement-refused", "admin")
	busy, upgrading, readOnly := connect(t, "healthy", "admin"), upgradingClient(t), connect(t, "elses-upgrade", "admin")
	good := onPool(t, free, "spot")
	if _, _, err := busy.Change(t.Context(), adminapi.SwitchService(sample, false, true)); err != nil {
		t.Fatal(err)
	}
	bySite := edit(refusing, onPool(t, refusing, "spot"))
	assertKinds(t, map[string]refused{
		"a publisher":                 {edit(connect(t, "healthy", "publisher"), good), adminapi.KindPrivilege},
		"a read-only site":            {edit(connect(t, "readonly", "admin"), good), adminapi.KindReadOnly},
		"an old site":                 {edit(connect(t, "old", "admin"), good), adminapi.KindVersionTooOld},
		"a refusing site":             {bySite, adminapi.KindInvalid},
		"another operation":           {edit(busy, onPool(t, busy, "spot")), adminapi.KindBusy},
		"another word":                {edit(free, bytes.Replace(good, []byte(`"In"`), []byte(`"Is"`), 1)), adminapi.KindInvalid},
		"an upgrade that begins":      {edit(upgrading, onPool(t, upgrading, "spot")), adminapi.KindBusy},
		"an upgrade under way":        {edit(readOnly, onPool(t, readOnly, "spot")), adminapi.KindReadOnly},
		"a deployment by an operator": {second(connect(t, "healthy", "operator").Deployments.Status(t.Context(), "x")), adminapi.KindPrivilege},
		"no deployment":               {second(free.Deployments.Status(t.Context(), "x")), adminapi.KindNotFound},
	})
	if !strings.Contains(bySite.Error(), "operator of the cluster") {
		t.Error(bySite)
	}
}

func TestAnOddPlacementIsAcceptedUnchanged(t *testing.T) {
	t.Parallel()
	c := connect(t, "placement-odd", "admin")
	text := placementOf(t, c, sample)
	for _, says := range []string{`"gis\u0020team"`, `"x-since": 1.0`, `[1e2]`, "matchFields", "tolerationSeconds", `"Gt"`, `"weight": 50`} {
		if !strings.Contains(string(text), says) {
			t.Errorf("no %s in %s", says, text)
		}
	}
	if _, outcome, err := c.Change(t.Context(), adminapi.EditServicePlacement(sample, text)); outcome != adminapi.OutcomeDone {
		t.Error(err)
	}
	if got := placementOf(t, c, sample); !bytes.Equal(got, text) || !ready(t, c).AllReady() {
		t.Errorf("stored %s", got)
	}
}
