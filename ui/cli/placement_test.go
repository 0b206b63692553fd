package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

// The rules of a file that picks a pool of nodes.
func rulesOfPool(t *testing.T, pool string) string {
	return fileOf(t, pool+".json", `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[`+
		`{"matchExpressions":[{"key":"pool","operator":"In","values":["`+pool+`"]}]}]}}}`)
}

func TestPodsAreWaitedForUntilAllAnswerAgain(t *testing.T) {
	t.Parallel()
	clock, env := siteToEdit(t, "healthy")
	began := clock.Now()
	r := runInProcess(t, clock, env, "placement", "apply", cities, "-f", rulesOfPool(t, "spot"), "--wait")
	if r.code != 0 || !strings.Contains(r.err, " 0 of 3\n") || !strings.HasSuffix(r.err, " 3 of 3\n") {
		t.Errorf("exit code %d, it says\n%s", r.code, r.err)
	}
	if waited := clock.Now().Sub(began); waited < 24*time.Second {
		t.Errorf("the last of three pods answers after 24 s; it waited %s", waited)
	}
	if r = runInProcess(t, clock, env, "placement", "pods", cities, "--wait", "--timeout", "60s"); r.code != 0 {
		t.Errorf("exit code %d, it says\n%s", r.code, r.err)
	}
	r = runInProcess(t, clock, env, "placement", "pods", cities, "-o", "jsonl")
	if r.code != 0 || !strings.Contains(r.out, `"readyReplicas":3,"totalReplicas":3`) {
		t.Errorf("exit code %d, it says\n%s%s", r.code, r.out, r.err)
	}
}

// waitForPods waits for the pods of a site that tells these statuses of its one
// deployment, the last one from then on; and counts how often it was asked.
func waitForPods(t *testing.T, statuses ...string) (readings int, r result) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `{"fullVersion":"11.5.0.1","resources":[]}`
		switch {
		case strings.HasSuffix(r.URL.Path, "/placementPolicy"):
			answer = `{"placementPolicy":[{"deploymentId":"d","podPlacementPolicy":{}}]}`
		case strings.HasSuffix(r.URL.Path, "/deployments/d/status"):
			answer = statuses[min(readings, len(statuses)-1)]
			readings++
		}
		_, _ = io.WriteString(w, answer)
	}))
	defer site.Close()
	env := map[string]string{"GEODECK_URL": site.URL + "/geodeck/admin", "GEODECK_TOKEN": "t"}
	clock := simtest.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	r = runInProcess(t, clock, env, "placement", "pods", cities, "--wait", "-o", "jsonl")
	return readings, r
}

func TestPodsAreReadyOnceTheyStaySo(t *testing.T) {
	t.Parallel()
	const (
		none  = `{"currentState":"STARTED","totalReplicas":0}`
		some  = `{"currentState":"STARTED","totalReplicas":2,"readyReplicas":1}`
		ready = `{"currentState":"STARTED","totalReplicas":2,"readyReplicas":2}`
	)
	for name, statuses := range map[string][]string{
		"started without any":      {none, none, none, none, none, ready},
		"the old ones answer":      {ready, ready, ready, some, ready},
		"stopped, so none to come": {some, `{"currentState":"STOPPED","totalReplicas":0}`},
	} {
		last := statuses[len(statuses)-1]
		readings, r := waitForPods(t, statuses...)
		if r.code != 0 || readings != len(statuses)+availability.SettledAfter-1 || strings.Contains(r.out, `"readyReplicas":2`) != (last == ready) {
			t.Errorf("%s: exit code %d after %d readings, it says\n%s%s", name, r.code, readings, r.out, r.err)
		}
	}
}

func TestAPolicyThatNeverArrivedEndsAsUnknownAfterLooking(t *testing.T) {
	t.Parallel()
	clock, env := siteToEdit(t, "placement-answer-lost-not-performed")
	file := rulesOfPool(t, "spot")
	began := clock.Now()
	r := runInProcess(t, clock, env, "placement", "apply", cities, "-f", file, "--wait")
	if r.code != 6 || !strings.Contains(r.err, "the site still has the old placement policy, and no job edits the service") {
		t.Errorf("exit code %d, it says\n%s", r.code, r.err)
	}
	if looked := clock.Now().Sub(began); looked < 30*time.Second {
		t.Errorf("it gave up after %s", looked)
	}
	r = runInProcess(t, clock, env, "placement", "apply", cities, "-f", file)
	if r.code != 6 || !strings.Contains(r.err, "nothing was sent") || !strings.Contains(r.err, "--again "+cities) {
		t.Errorf("once more, too soon: exit code %d, it says\n%s", r.code, r.err)
	}
	if err := clock.Sleep(t.Context(), 2*time.Minute); err != nil {
		t.Fatal(err)
	}
	r = runInProcess(t, clock, env, "placement", "apply", cities, "-f", file, "--again", cities, "-o", "json")
	if r.code != 0 || !strings.Contains(r.out, `"kept": true`) {
		t.Errorf("once more, on purpose: exit code %d, it says\n%s", r.code, r.err)
	}
}

func TestRulesThatTheSiteSaysItTookAndDidNotKeepAreAFailure(t *testing.T) {
	t.Parallel()
	clock, env := siteToEdit(t, "healthy")
	site := env["GEODECK_URL"]
	sent := 0
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/placementPolicy/edit") {
			sent++
			_, _ = io.WriteString(w, `{"status":"success"}`)
			return
		}
		forward(w, r, site)
	}))
	t.Cleanup(proxy.Close)
	env["GEODECK_URL"] = proxy.URL + "/geodeck/admin"
	r := runInProcess(t, clock, env, "placement", "apply", cities, "-f", rulesOfPool(t, "spot"))
	if r.code != 1 || sent != 1 || !strings.Contains(r.err, "did not keep all of it") || !strings.Contains(r.err, "nodeAffinity") {
		t.Errorf("exit code %d after sending %d times, it says\n%s%s", r.code, sent, r.out, r.err)
	}
}

func TestOnATerminalRulesThatNoNodeMeetsAreAgreedToByName(t *testing.T) {
	t.Parallel()
	server := newSite(t, simulator.Options{Clock: simulator.NewScaledClock(3600)})
	env := map[string]string{"GEODECK_URL": server.URL(), "GEODECK_TOKEN": tokenOf(t, server, 0), "XDG_STATE_HOME": t.TempDir()}
	for _, pool := range []string{"nowhere", "gis"} {
		if r := runInProcess(t, nil, env, "placement", "apply", cities, "-f", rulesOfPool(t, pool)); r.code != 0 {
			t.Fatalf("exit code %d, it says\n%s", r.code, r.err)
		}
	}
	r := runInProcess(t, nil, env, "placement", "history", cities, "-o", "json")
	var kept []journal.Backup
	if err := json.Unmarshal([]byte(r.out), &kept); err != nil || len(kept) != 2 {
		t.Fatalf("%v in\n%s", err, r.out)
	}
	var environ []string
	for name, value := range env {
		environ = append(environ, name+"="+value)
	}
	restore := []string{"placement", "restore", cities, kept[0].ID, "--nodes", fileOf(t, "nodes.json", string(server.Nodes()))}

	screen := openTerminal(t, 200, environ, restore...)
	screen.Shows("Type the name of the service, SampleWorldCities, to confirm:")
	screen.Press("yes\r")
	if code := screen.End(); code != 4 || strings.Contains(screen.Sent(), "sending the placement policy") {
		t.Errorf("exit code %d:\n%s", code, screen.Sent())
	}
	screen = openTerminal(t, 200, environ, restore...)
	screen.Shows("Type the name of the service, SampleWorldCities, to confirm:")
	screen.Press("SampleWorldCities\r")
	screen.Shows("Type yes to send:")
	screen.Press("yes\r")
	if code := screen.End(); code != 0 || !strings.Contains(screen.Sent(), "done: the site has the placement policy") {
		t.Errorf("exit code %d:\n%s", code, screen.Sent())
	}
}

func TestAnInterruptedWaitForPodsSaysThatTheEditIsDone(t *testing.T) {
	t.Parallel()
	server := newSite(t, simulator.Options{Clock: simulator.NewScaledClock(3600)})
	env := []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + tokenOf(t, server, 0)}
	apply := start(t, env, "placement", "apply", cities, "-f", rulesOfPool(t, "nowhere"), "--wait")
	for {
		line, err := apply.err.ReadString('\n')
		if err != nil {
			t.Fatalf("it ended with %q, %v", line, err)
		}
		if strings.HasPrefix(line, "pods ready: ") {
			break
		}
	}
	apply.signal(os.Interrupt)
	rest, _ := io.ReadAll(apply.err)
	if text := string(rest); !strings.Contains(text, "interrupted; the edit is done, and not every pod is ready yet") ||
		!strings.Contains(text, "geodeck placement pods --wait "+cities+" --url ") {
		t.Errorf("it says %q", text)
	}
	apply.wantCode(130)
}

func TestServeWritesTheNodesOfItsClusterBeforeItSaysWhereItIs(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "nodes.json")
	serve := start(t, nil, "serve", "--write-nodes", file)
	if _, err := serve.out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	r := runInProcess(t, nil, nil, "placement", "simulate", rulesOfPool(t, "gis"), "--nodes", file)
	if r.code != 0 || !strings.HasPrefix(r.out, "4 of 14 nodes take these pods") {
		t.Errorf("exit code %d, it says\n%s%s", r.code, r.out, r.err)
	}
	serve.signal(os.Interrupt)
	serve.wantCode(0)
}

func TestOnANarrowTerminalNoReasonIsCut(t *testing.T) {
	t.Parallel()
	out := onTerminal(t, 60, nil, "placement", "simulate", rulesOfPool(t, "gis"), "--nodes", "testdata/nodes.json", "--plain")
	for _, reason := range []string{"pool is gpu, wants gis", "taint nvidia.com/gpu=present:NoSchedule", "taint maintenance:NoExecute"} {
		if !strings.Contains(out, reason+"\r\n") {
			t.Errorf("%q is not there whole:\n%s", reason, out)
		}
	}
}
