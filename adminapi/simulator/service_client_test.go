package simulator_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
)

var sample = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

func definitionOf(t *testing.T, c *client, s adminapi.ServiceRef) jsontext.Value {
	t.Helper()
	text, err := c.Services.Definition(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func withIdleTime(text jsontext.Value) jsontext.Value {
	return bytes.Replace(text, []byte(`"maxIdleTime":1800`), []byte(`"maxIdleTime":900`), 1)
}

// jobEnd polls a job until it has ended, and returns it with the statuses that it had.
func jobEnd(t *testing.T, c *client, id string) (adminapi.Job, []string) {
	t.Helper()
	var statuses []string
	wait := 300 * time.Millisecond
	for range 10_000 {
		job, err := c.Jobs.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(statuses); n == 0 || statuses[n-1] != job.Status {
			statuses = append(statuses, job.Status)
		}
		if job.Ended() {
			return job, statuses
		}
		c.sleep(wait)
		wait = min(2*wait, 1500*time.Millisecond)
	}
	t.Fatal("the job does not end")
	return adminapi.Job{}, nil
}

func TestTheClientEditsAServiceBothWays(t *testing.T) {
	t.Parallel()
	for _, async := range []bool{true, false} {
		c := connect(t, "healthy", "publisher")
		before := definitionOf(t, c, sample)
		text := withIdleTime(before)
		accepted, outcome, err := c.Change(t.Context(), adminapi.EditService(sample, text, async))
		if err != nil || outcome != adminapi.OutcomeDone || accepted.Finished() == async {
			t.Fatalf("async %v: %+v, %v, %v", async, accepted, outcome, err)
		}
		if async {
			job, statuses := jobEnd(t, c, accepted.JobID)
			if strings.Join(statuses, " ") != "SUBMITTED EXECUTING COMPLETED" {
				t.Errorf("job: %v, %s", statuses, job.Raw)
			}
		}
		if after := definitionOf(t, c, sample); !bytes.Equal(after, text) || bytes.Equal(after, before) {
			t.Errorf("async %v: stored %s", async, after)
		}
		if n := c.writes.Load(); n != 1 {
			t.Errorf("async %v: %d requests", async, n)
		}
	}
}

func TestTheClientReadsHowAnEditEnded(t *testing.T) {
	t.Parallel()
	for scenario, end := range map[string]string{"edit-fails": adminapi.JobFailed, "edit-cancelled": "CANCELLING CANCELLED", "edit-slow": adminapi.JobCompleted} {
		c := connect(t, scenario, "publisher")
		accepted, _, err := c.Change(t.Context(), adminapi.EditService(sample, withIdleTime(definitionOf(t, c, sample)), true))
		if err != nil {
			t.Fatal(err)
		}
		job, statuses := jobEnd(t, c, accepted.JobID)
		if strings.Join(statuses, " ") != "SUBMITTED EXECUTING "+end || (len(job.Reasons()) == 1) != job.Failed() {
			t.Errorf("%s: %v, %v, %s", scenario, statuses, job.Reasons(), job.Raw)
		}
	}
	c := connect(t, "edit-fails", "publisher")
	_, outcome, err := c.Change(t.Context(), adminapi.EditService(sample, definitionOf(t, c, sample), false))
	if !errors.Is(err, adminapi.KindServer) || outcome != adminapi.OutcomeUnknown || !strings.Contains(err.Error(), "cannot be scheduled") {
		t.Errorf("at once: %v, %v", outcome, err)
	}
}

func TestALostAnswerLeavesTheOutcomeOfAnEditUnknown(t *testing.T) {
	t.Parallel()
	for scenario, performed := range map[string]bool{
		"edit-answer-lost": true, "edit-answer-lost-502": true, "edit-answer-cut": true, "edit-answer-silent": true, "edit-answer-lost-not-performed": false,
	} {
		for _, async := range []bool{true, false} {
			c := connect(t, scenario, "publisher")
			before := definitionOf(t, c, sample)
			text := withIdleTime(before)
			ctx, cancel := context.WithCancel(t.Context())
			if scenario == "edit-answer-silent" {
				go cancelOnceEdited(ctx, c, text, cancel)
			}
			_, outcome, err := c.Change(ctx, adminapi.EditService(sample, text, async))
			cancel()
			if outcome != adminapi.OutcomeUnknown || err == nil {
				t.Errorf("%s, async %v: %v, %v", scenario, async, outcome, err)
			}
			c.sleep(time.Minute)
			want := before
			if performed {
				want = text
			}
			if got := definitionOf(t, c, sample); !bytes.Equal(got, want) {
				t.Errorf("%s, async %v: there is %s", scenario, async, got)
			}
			if n := c.writes.Load(); n != 1 {
				t.Errorf("%s, async %v: %d requests", scenario, async, n)
			}
		}
	}
}

func cancelOnceEdited(ctx context.Context, c *client, text jsontext.Value, cancel func()) {
	for ctx.Err() == nil {
		c.sleep(time.Second)
		if got, err := c.Services.Definition(ctx, sample); err == nil && bytes.Equal(got, text) {
			cancel()
		}
	}
}

func TestTheClientStopsAndStartsAService(t *testing.T) {
	t.Parallel()
	c := connect(t, "healthy", "publisher")
	ref := adminapi.ServiceRef{Folder: "Utilities", Name: "Geometry", Type: "GeometryServer"}
	state := func() adminapi.ServiceStatus {
		t.Helper()
		status, err := c.Services.Status(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		return status
	}
	accepted, outcome, err := c.Change(t.Context(), adminapi.SwitchService(ref, false, true))
	if err != nil || outcome != adminapi.OutcomeDone || accepted.Finished() {
		t.Fatalf("%+v, %v, %v", accepted, outcome, err)
	}
	if s := state(); s.Settled() {
		t.Errorf("stopping: %+v", s)
	}
	_, outcome, err = c.Change(t.Context(), adminapi.SwitchService(ref, true, true))
	if !errors.Is(err, adminapi.KindBusy) || outcome != adminapi.OutcomeRefused {
		t.Errorf("while it stops: %v, %v", outcome, err)
	}
	if job, _ := jobEnd(t, c, accepted.JobID); !job.Completed() {
		t.Errorf("stop: %s", job.Raw)
	}
	if s := state(); !s.Settled() || s.Running() || s.RealTime != adminapi.ServiceStopped {
		t.Errorf("stopped: %+v", s)
	}
	accepted, outcome, err = c.Change(t.Context(), adminapi.SwitchService(ref, true, false))
	if err != nil || outcome != adminapi.OutcomeDone || !accepted.Finished() || !state().Running() {
		t.Errorf("started: %+v, %v, %v, %+v", accepted, outcome, err, state())
	}
	if n := c.writes.Load(); n != 3 {
		t.Errorf("%d requests", n)
	}
}

// upgradingClient is a client of a site that has just begun a patch, before its read-only time.
func upgradingClient(t *testing.T) *client {
	t.Helper()
	c := connect(t, "healthy", "admin")
	if _, _, err := c.Upgrades.Start(t.Context(), parts(patch6805, "{}")); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheClientDistinguishesRefusalsOfEdits(t *testing.T) {
	t.Parallel()
	edit := func(c *client) error {
		t.Helper()
		_, outcome, err := c.Change(t.Context(), adminapi.EditService(sample, definitionOf(t, c, sample), true))
		if outcome != adminapi.OutcomeRefused {
			t.Errorf("%v, %v", outcome, err)
		}
		return err
	}
	free, busy := connect(t, "healthy", "admin"), connect(t, "healthy", "admin")
	if _, _, err := busy.Change(t.Context(), adminapi.SwitchService(sample, false, true)); err != nil {
		t.Fatal(err)
	}
	upgrading := upgradingClient(t)
	nowhere := adminapi.ServiceRef{Folder: "Hosted", Name: "Nowhere", Type: "MapServer"}
	text := jsontext.Value(`{"serviceName":"SampleWorldCities","type":"MapServer","minInstancesPerNode":3,"maxInstancesPerNode":2}`)
	_, _, invalid := free.Change(t.Context(), adminapi.EditService(sample, text, true))
	assertKinds(t, map[string]refused{
		"who keeps servers":      {edit(connect(t, "healthy", "servers")), adminapi.KindPrivilege},
		"a read-only site":       {edit(connect(t, "readonly", "admin")), adminapi.KindReadOnly},
		"another operation":      {edit(busy), adminapi.KindBusy},
		"an upgrade that begins": {edit(upgrading), adminapi.KindBusy},
		"an upgrade under way":   {edit(connect(t, "elses-upgrade", "admin")), adminapi.KindReadOnly},
		"an unknown service":     {second(free.Services.Status(t.Context(), nowhere)), adminapi.KindNotFound},
		"more than maxInstances": {invalid, adminapi.KindInvalid},
	})
	if !strings.Contains(invalid.Error(), "maxInstancesPerNode") {
		t.Error(invalid)
	}
}
