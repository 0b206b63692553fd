package simulator_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
)

var sample = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

// counted counts the writes that leave a client.
type counted struct {
	next  *http.Transport
	posts atomic.Int32
}

func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && strings.Contains(r.URL.Path, "/services/") {
		c.posts.Add(1)
	}
	return c.next.RoundTrip(r)
}

// editor is a client of a site, signed in as somebody who may edit.
func editor(t *testing.T, scenario string) (*adminapi.Client, simulator.Clock, *counted) {
	t.Helper()
	return signedIn(t, scenario, "publisher")
}

// signedIn is a client that counts its writes.
func signedIn(t *testing.T, scenario, user string) (*adminapi.Client, simulator.Clock, *counted) {
	t.Helper()
	_, server := connected(t, builtIn(t, scenario), "")
	wire := &counted{next: &http.Transport{}}
	t.Cleanup(wire.next.CloseIdleConnections)
	c, err := adminapi.New(adminapi.Config{Base: server.URL(), Clock: server.Clock(), Transport: wire})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range server.Users() {
		if u.Username == user {
			if _, err := c.SignIn(t.Context(), u.Username, adminapi.Secret(u.Password), time.Hour); err != nil {
				t.Fatal(err)
			}
		}
	}
	return c, server.Clock(), wire
}

func definitionOf(t *testing.T, c *adminapi.Client, s adminapi.ServiceRef) jsontext.Value {
	t.Helper()
	text, err := c.ServiceDefinition(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func withIdleTime(text jsontext.Value) jsontext.Value {
	return bytes.Replace(text, []byte(`"maxIdleTime":1800`), []byte(`"maxIdleTime":900`), 1)
}

// jobEnd reads a job until it has ended.
func jobEnd(t *testing.T, c *adminapi.Client, clock simulator.Clock, id string) (adminapi.Job, []string) {
	t.Helper()
	var statuses []string
	for range 10_000 {
		job, err := c.Job(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(statuses); n == 0 || statuses[n-1] != job.Status {
			statuses = append(statuses, job.Status)
		}
		if job.Ended() {
			return job, statuses
		}
		_ = clock.Sleep(t.Context(), 300*time.Millisecond)
	}
	t.Fatal("the job does not end")
	return adminapi.Job{}, nil
}

func TestTheClientEditsAServiceBothWays(t *testing.T) {
	t.Parallel()
	for _, async := range []bool{true, false} {
		c, clock, wire := editor(t, "healthy")
		before := definitionOf(t, c, sample)
		text := withIdleTime(before)
		accepted, outcome, err := c.EditService(t.Context(), sample, text, async)
		if err != nil || outcome != adminapi.OutcomeDone || accepted.Finished() == async {
			t.Fatalf("async %v: %+v, %v, %v", async, accepted, outcome, err)
		}
		if async {
			job, statuses := jobEnd(t, c, clock, accepted.JobID)
			if kept, found := job.Service(); !found || !bytes.Equal(kept, text) || strings.Join(statuses, " ") != "SUBMITTED EXECUTING COMPLETED" {
				t.Errorf("job: %v, %s", statuses, job.Raw)
			}
		}
		if after := definitionOf(t, c, sample); !bytes.Equal(after, text) || bytes.Equal(after, before) {
			t.Errorf("async %v: kept %s", async, after)
		}
		if n := wire.posts.Load(); n != 1 {
			t.Errorf("async %v: %d requests", async, n)
		}
	}
}

func TestTheClientTellsHowAnEditEnded(t *testing.T) {
	t.Parallel()
	for scenario, end := range map[string]string{"edit-fails": adminapi.JobFailed, "edit-cancelled": "CANCELLING CANCELLED", "edit-slow": adminapi.JobCompleted} {
		c, clock, _ := editor(t, scenario)
		accepted, _, err := c.EditService(t.Context(), sample, withIdleTime(definitionOf(t, c, sample)), true)
		if err != nil {
			t.Fatal(err)
		}
		job, statuses := jobEnd(t, c, clock, accepted.JobID)
		if _, found := job.Service(); strings.Join(statuses, " ") != "SUBMITTED EXECUTING "+end || found != job.Completed() || (len(job.Reasons()) == 1) != job.Failed() {
			t.Errorf("%s: %v, %v, %s", scenario, statuses, job.Reasons(), job.Raw)
		}
	}
	c, _, _ := editor(t, "edit-fails")
	_, outcome, err := c.EditService(t.Context(), sample, definitionOf(t, c, sample), false)
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
			c, clock, wire := editor(t, scenario)
			before := definitionOf(t, c, sample)
			text := withIdleTime(before)
			ctx, cancel := context.WithCancel(t.Context())
			if scenario == "edit-answer-silent" {
				go cancelOnceEdited(ctx, c, clock, text, cancel)
			}
			_, outcome, err := c.EditService(ctx, sample, text, async)
			cancel()
			if outcome != adminapi.OutcomeUnknown || err == nil {
				t.Errorf("%s, async %v: %v, %v", scenario, async, outcome, err)
			}
			_ = clock.Sleep(t.Context(), time.Minute)
			want := before
			if performed {
				want = text
			}
			if got := definitionOf(t, c, sample); !bytes.Equal(got, want) {
				t.Errorf("%s, async %v: there is %s", scenario, async, got)
			}
			if n := wire.posts.Load(); n != 1 {
				t.Errorf("%s, async %v: %d requests", scenario, async, n)
			}
		}
	}
}

func cancelOnceEdited(ctx context.Context, c *adminapi.Client, clock simulator.Clock, text jsontext.Value, cancel func()) {
	for ctx.Err() == nil {
		_ = clock.Sleep(ctx, time.Second)
		if got, err := c.ServiceDefinition(ctx, sample); err == nil && bytes.Equal(got, text) {
			cancel()
		}
	}
}

func TestTheClientStopsAndStartsAService(t *testing.T) {
	t.Parallel()
	c, clock, wire := editor(t, "healthy")
	ref := adminapi.ServiceRef{Folder: "Utilities", Name: "Geometry", Type: "GeometryServer"}
	state := func() adminapi.ServiceStatus {
		t.Helper()
		status, err := c.ServiceStatus(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		return status
	}
	accepted, outcome, err := c.StopService(t.Context(), ref, true)
	if err != nil || outcome != adminapi.OutcomeDone || accepted.Finished() {
		t.Fatalf("%+v, %v, %v", accepted, outcome, err)
	}
	if s := state(); s.Settled() {
		t.Errorf("stopping: %+v", s)
	}
	_, outcome, err = c.StartService(t.Context(), ref, true)
	if !errors.Is(err, adminapi.KindBusy) || outcome != adminapi.OutcomeRefused {
		t.Errorf("while it stops: %v, %v", outcome, err)
	}
	if job, _ := jobEnd(t, c, clock, accepted.JobID); !job.Completed() {
		t.Errorf("stop: %s", job.Raw)
	}
	if s := state(); !s.Settled() || s.Running() || s.RealTime != adminapi.ServiceStopped {
		t.Errorf("stopped: %+v", s)
	}
	accepted, outcome, err = c.StartService(t.Context(), ref, false)
	if err != nil || outcome != adminapi.OutcomeDone || !accepted.Finished() || !state().Running() {
		t.Errorf("started: %+v, %v, %v, %+v", accepted, outcome, err, state())
	}
	if n := wire.posts.Load(); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestTheClientTellsRefusalsOfEditsApart(t *testing.T) {
	t.Parallel()
	edit := func(c *adminapi.Client) error {
		t.Helper()
		text := definitionOf(t, c, sample)
		_, outcome, err := c.EditService(t.Context(), sample, text, true)
		if outcome != adminapi.OutcomeRefused {
			t.Errorf("%v, %v", outcome, err)
		}
		return err
	}
	viewer, _ := connected(t, simulator.Scenario{}, "viewer")
	frozen, _ := connected(t, builtIn(t, "readonly"), "admin")
	upgrading, _ := connected(t, builtIn(t, "elses-upgrade"), "admin")
	free, _ := connected(t, simulator.Scenario{}, "admin")
	busy, _ := connected(t, simulator.Scenario{}, "admin")
	if _, _, err := busy.StopService(t.Context(), sample, true); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		err  error
		kind adminapi.Kind
	}{
		{"a viewer", edit(viewer), adminapi.KindPrivilege},
		{"a frozen site", edit(frozen), adminapi.KindReadOnly},
		{"another operation", edit(busy), adminapi.KindBusy},
	} {
		if !errors.Is(c.err, c.kind) {
			t.Errorf("%s: %v, want %s", c.what, c.err, c.kind)
		}
	}
	if err := edit(upgrading); !errors.Is(err, adminapi.KindBusy) && !errors.Is(err, adminapi.KindReadOnly) {
		t.Errorf("while an upgrade runs: %v", err)
	}
	nowhere := adminapi.ServiceRef{Folder: "Hosted", Name: "Nowhere", Type: "MapServer"}
	if _, err := viewer.ServiceStatus(t.Context(), nowhere); !errors.Is(err, adminapi.KindNotFound) {
		t.Errorf("an unknown service: %v", err)
	}
	text := jsontext.Value(`{"serviceName":"SampleWorldCities","type":"MapServer","minInstancesPerNode":3,"maxInstancesPerNode":2}`)
	if _, _, err := free.EditService(t.Context(), sample, text, true); !errors.Is(err, adminapi.KindInvalid) || !strings.Contains(err.Error(), "maxInstancesPerNode") {
		t.Errorf("more than the most: %v", err)
	}
}
