package operationtest

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
)

// Apart takes apart what an operation returned.
func Apart[T any](value T, r operation.Result) (T, adminapi.Outcome, error) {
	return value, r.Outcome, r.Err
}

// WantResult returns a check of what an operation returned: its outcome, and an error that
// matches wantErr, any for nil.
func WantResult(t *testing.T, want adminapi.Outcome, wantErr error) func(any, operation.Result) {
	t.Helper()
	return func(_ any, r operation.Result) {
		t.Helper()
		if r.Outcome != want || wantErr != nil && !errors.Is(r.Err, wantErr) {
			t.Fatalf("outcome %v, error %v; want %v, %v", r.Outcome, r.Err, want, wantErr)
		}
	}
}

// WantOutcome checks what the journal knows of the last write that changes the site.
func (p *Platform) WantOutcome(t *testing.T, want adminapi.Outcome) {
	t.Helper()
	records, err := p.Memory.Journal.Actions(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.Target != "" {
			if r.Outcome != want {
				t.Errorf("the journal says %v, want %v: %+v", r.Outcome, want, r)
			}
			return
		}
	}
	t.Error("nothing was recorded")
}

// WantSettled checks how the last write that changes the site is recorded to have ended.
func (p *Platform) WantSettled(t *testing.T, verdict journal.Verdict, because string) {
	t.Helper()
	records, err := p.Memory.Journal.Actions(0)
	for _, r := range records {
		if r.Target != "" {
			if r.Outcome != adminapi.OutcomeDone || r.Verdict != verdict || !strings.Contains(r.Because, because) {
				t.Errorf("%s is %s, %q because %q; want %q because %q",
					r.Operation, r.Outcome, r.Verdict, r.Because, verdict, because)
			}
			return
		}
	}
	t.Errorf("nothing was recorded, %v", err)
}

// Stepped takes a step of a poller apart.
func Stepped[T any](s polling.Step[T], err error) (T, time.Duration, error) {
	return s.Value, s.Wait, err
}

// Polled fetches so many times with a pause after each, and returns the last.
func Polled[T any](t *testing.T, p *Platform, poller polling.Poller[T], times int) (last T) {
	t.Helper()
	for range times {
		step, err := poller.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		last = step.Value
		_ = p.Clock.Sleep(t.Context(), step.Wait)
	}
	return last
}

// Follow polls to the end, within four hours of the clock.
func Follow[T any](t *testing.T, p *Platform, poller polling.Poller[T]) T {
	t.Helper()
	for limit := p.Clock.Now().Add(4 * time.Hour); p.Clock.Now().Before(limit); {
		step, err := poller.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if step.Done {
			return step.Value
		}
		// fewer fetches than a user has: each reads the whole log
		if err := p.Clock.Sleep(t.Context(), 3*step.Wait); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("no end within four hours")
	panic("not reached")
}

// SuiteIDs are the suites that the site has.
func (p *Platform) SuiteIDs(t *testing.T) []string {
	t.Helper()
	suites, err := p.Client.Health.Suites(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return lists.Each(suites, func(suite adminapi.Suite) string { return suite.ID })
}

// WaitHealthRun waits for the report of a health run.
func WaitHealthRun(
	ctx context.Context, p *Platform, run *operation.HealthRun, report func(polling.Step[operation.HealthSnapshot]),
) (adminapi.Report, error) {
	end, err := polling.Wait(ctx, p.Clock, run, report)
	if err != nil {
		return adminapi.Report{}, err
	}
	return *end.Report, nil
}

// Unpacked returns the files of a bundle of evidence.
func Unpacked(t *testing.T, e interface {
	Files() []string
	Write(w io.Writer) error
}) map[string]string {
	t.Helper()
	var packed bytes.Buffer
	if err := e.Write(&packed); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for i, f := range archive.File {
		if f.Name != e.Files()[i] {
			t.Errorf("%s stands at %d of %q", f.Name, i, e.Files())
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(content)
	}
	return files
}
