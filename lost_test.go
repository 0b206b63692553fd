package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
)

func TestALostAnswerEndsAsUnknownNotAsFailed(t *testing.T) {
	t.Parallel()
	scenario, err := simulator.ReadScenario([]byte("name: lost\nfaults:\n  - {path: admin/healthCheck/run, what: close}\n"))
	if err != nil {
		t.Fatal(err)
	}
	clock := simulator.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server := newSite(t, simulator.Options{Scenario: scenario, Clock: clock})
	env := map[string]string{"GEODECK_URL": server.URL(), "GEODECK_TOKEN": tokenOf(t, server, 0)}

	r := runInProcess(t, clock, env, "health", "run")
	if r.code != 6 || !strings.Contains(r.err, "the outcome is not known") || !strings.Contains(r.err, "geodeck health reports") {
		t.Errorf("exit code %d, it says\n%s", r.code, r.err)
	}
	r = runInProcess(t, clock, env, "health", "run", "-o", "json")
	if r.code != 6 || !strings.Contains(r.err, `"kind":"outcome unknown"`) {
		t.Errorf("exit code %d, it says\n%s", r.code, r.err)
	}
}

func TestALostAnswerToARunThatHappenedIsFoundAgain(t *testing.T) {
	t.Parallel()
	scenario, err := simulator.ReadScenario([]byte("name: lost\nfaults:\n  - {path: admin/healthCheck/run, what: close, performed: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	clock := simulator.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server := newSite(t, simulator.Options{Scenario: scenario, Clock: clock})
	env := map[string]string{"GEODECK_URL": server.URL(), "GEODECK_TOKEN": tokenOf(t, server, 0)}
	r := runInProcess(t, clock, env, "health", "run", "--name", "once only")
	if r.code != 0 || !strings.Contains(r.err, "the answer was lost") || !strings.Contains(r.out, "once only") {
		t.Errorf("exit code %d, it says\n%s%s", r.code, r.out, r.err)
	}
	r = runInProcess(t, clock, env, "health", "reports", "-o", "jsonl")
	if n := strings.Count(r.out, `"once only"`); n != 1 {
		t.Errorf("%d runs of the name, want 1", n)
	}
}

func TestATokenFileThatWasWrittenAgainIsRead(t *testing.T) {
	t.Parallel()
	server := newSite(t, simulator.Options{})
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("outdated"), 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := tokenOf(t, server, 0)
	refresh := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Whoever looks after the file writes it while the first request is under way.
		if err := os.WriteFile(file, []byte(fresh), 0o600); err != nil {
			t.Error(err)
		}
		forward(w, r, server.URL())
	}))
	t.Cleanup(refresh.Close)
	r := runInProcess(t, nil, nil, "health", "reports", "--url", refresh.URL+"/geodeck/admin", "--token-file", file, "-o", "jsonl")
	if r.code != 0 || !strings.Contains(r.out, `"id"`) {
		t.Errorf("exit code %d, it says\n%s", r.code, r.err)
	}
}

// forward hands a request on to the site at base.
func forward(w http.ResponseWriter, r *http.Request, base string) {
	host := strings.SplitAfterN(base, "/", 4)
	out, err := http.NewRequestWithContext(r.Context(), r.Method, strings.Join(host[:3], "")+strings.TrimPrefix(r.URL.String(), "/"), r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	out.Header = r.Header.Clone()
	answer, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}
