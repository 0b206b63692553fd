package placement_test

import (
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
	"geodeck/ui/uitest/clitest"
)

// TestMain makes this test binary the program itself where a test starts geodeck as a process.
func TestMain(m *testing.M) { clitest.Main(m) }

func TestPodsAreWaitedForUntilAllAnswerAgain(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	began := clock.Now()
	r := clitest.RunInProcess(t, clock, env, "placement", "apply", clitest.Cities, "-f", clitest.RulesOfPool(t, "spot"), "--wait")
	if r.Code != 0 || !strings.Contains(r.Err, " 0 of 3\n") || !strings.HasSuffix(r.Err, " 3 of 3\n") {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
	if waited := clock.Now().Sub(began); waited < 24*time.Second {
		t.Errorf("the last of three pods answers after 24 s; it waited %s", waited)
	}
	if r = clitest.RunInProcess(t, clock, env, "placement", "pods", clitest.Cities, "--wait", "--timeout", "60s"); r.Code != 0 {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
	r = clitest.RunInProcess(t, clock, env, "placement", "pods", clitest.Cities, "-o", "jsonl")
	if r.Code != 0 || !strings.Contains(r.Out, `"readyReplicas":3,"totalReplicas":3`) {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
}

// waitForPods waits for the pods of a site that tells these statuses of its one
// deployment, the last one from then on; and counts how often it was asked.
func waitForPods(t *testing.T, statuses ...string) (readings int, r clitest.Result) {
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
	r = clitest.RunInProcess(t, clock, env, "placement", "pods", clitest.Cities, "--wait", "-o", "jsonl")
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
		if r.Code != 0 || readings != len(statuses)+availability.SettledAfter-1 || strings.Contains(r.Out, `"readyReplicas":2`) != (last == ready) {
			t.Errorf("%s: exit code %d after %d readings, it says\n%s%s", name, r.Code, readings, r.Out, r.Err)
		}
	}
}

func TestAPolicyThatNeverArrivedEndsAsUnknownAfterLooking(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "placement-answer-lost-not-performed")
	file := clitest.RulesOfPool(t, "spot")
	began := clock.Now()
	r := clitest.RunInProcess(t, clock, env, "placement", "apply", clitest.Cities, "-f", file, "--wait")
	if r.Code != 6 || !strings.Contains(r.Err, "the site still has the old placement policy, and no job edits the service") {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
	if looked := clock.Now().Sub(began); looked < 30*time.Second {
		t.Errorf("it gave up after %s", looked)
	}
	r = clitest.RunInProcess(t, clock, env, "placement", "apply", clitest.Cities, "-f", file)
	if r.Code != 6 || !strings.Contains(r.Err, "nothing was sent") || !strings.Contains(r.Err, "--again "+clitest.Cities) {
		t.Errorf("once more, too soon: exit code %d, it says\n%s", r.Code, r.Err)
	}
	if err := clock.Sleep(t.Context(), 2*time.Minute); err != nil {
		t.Fatal(err)
	}
	r = clitest.RunInProcess(t, clock, env, "placement", "apply", clitest.Cities, "-f", file, "--again", clitest.Cities, "-o", "json")
	if r.Code != 0 || !strings.Contains(r.Out, `"kept": true`) {
		t.Errorf("once more, on purpose: exit code %d, it says\n%s", r.Code, r.Err)
	}
}

func TestRulesThatTheSiteSaysItTookAndDidNotKeepAreAFailure(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	site := env["GEODECK_URL"]
	sent := 0
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/placementPolicy/edit") {
			sent++
			_, _ = io.WriteString(w, `{"status":"success"}`)
			return
		}
		clitest.Forward(w, r, site)
	}))
	t.Cleanup(proxy.Close)
	env["GEODECK_URL"] = proxy.URL + "/geodeck/admin"
	r := clitest.RunInProcess(t, clock, env, "placement", "apply", clitest.Cities, "-f", clitest.RulesOfPool(t, "spot"))
	if r.Code != 1 || sent != 1 || !strings.Contains(r.Err, "did not keep all of it") || !strings.Contains(r.Err, "nodeAffinity") {
		t.Errorf("exit code %d after sending %d times, it says\n%s%s", r.Code, sent, r.Out, r.Err)
	}
}

func TestOnATerminalRulesThatNoNodeMeetsAreAcceptedByTheirWord(t *testing.T) {
	t.Parallel()
	server := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(3600)})
	env := map[string]string{"GEODECK_URL": server.URL(), "GEODECK_TOKEN": clitest.TokenOf(t, server, 0), "XDG_STATE_HOME": t.TempDir()}
	for _, pool := range []string{"nowhere", "gis"} {
		if r := clitest.RunInProcess(t, nil, env, "placement", "apply", clitest.Cities, "-f", clitest.RulesOfPool(t, pool)); r.Code != 0 {
			t.Fatalf("exit code %d, it says\n%s", r.Code, r.Err)
		}
	}
	r := clitest.RunInProcess(t, nil, env, "placement", "history", clitest.Cities, "-o", "json")
	kept := clitest.ItemsOf[journal.Backup](t, r)
	if len(kept) != 2 {
		t.Fatal(r.Out)
	}
	var environ []string
	for name, value := range env {
		environ = append(environ, name+"="+value)
	}
	restore := []string{"placement", "restore", clitest.Cities, kept[0].ID, "--nodes", clitest.FileOf(t, "nodes.json", string(server.Nodes()))}

	screen := clitest.OpenTerminal(t, 200, environ, restore...)
	screen.Shows("Type no-node to accept it")
	screen.Press("yes\r")
	screen.Shows("That is not the word")
	screen.Press("\r")
	if code := screen.End(); code != 4 || strings.Contains(screen.Sent(), "sending the placement policy") {
		t.Errorf("exit code %d:\n%s", code, screen.Sent())
	}
	screen = clitest.OpenTerminal(t, 200, environ, restore...)
	screen.Shows("Type no-node to accept it")
	screen.Press("no-node\r")
	screen.Shows("Type yes to send:")
	screen.Press("yes\r")
	if code := screen.End(); code != 0 || !strings.Contains(screen.Sent(), "done: the site has the placement policy") {
		t.Errorf("exit code %d:\n%s", code, screen.Sent())
	}
}

func TestAnInterruptedWaitForPodsSaysThatTheEditIsDone(t *testing.T) {
	t.Parallel()
	server := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(3600)})
	env := []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + clitest.TokenOf(t, server, 0)}
	apply := clitest.Start(t, env, "placement", "apply", clitest.Cities, "-f", clitest.RulesOfPool(t, "nowhere"), "--wait")
	for {
		line, err := apply.Err.ReadString('\n')
		if err != nil {
			t.Fatalf("it ended with %q, %v", line, err)
		}
		if strings.HasPrefix(line, "pods ready: ") {
			break
		}
	}
	apply.Signal(os.Interrupt)
	rest, _ := io.ReadAll(apply.Err)
	if text := string(rest); !strings.Contains(text, "interrupted; the edit is done, and not every pod is ready yet") ||
		!strings.Contains(text, "geodeck placement pods --wait "+clitest.Cities+" --url ") {
		t.Errorf("it says %q", text)
	}
	apply.WantCode(130)
}

func TestServeWritesTheNodesOfItsClusterBeforeItSaysWhereItIs(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "nodes.json")
	serve := clitest.Start(t, nil, "serve", "--write-nodes", file)
	if _, err := serve.Out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	r := clitest.RunInProcess(t, nil, nil, "placement", "simulate", clitest.RulesOfPool(t, "gis"), "--nodes", file)
	if r.Code != 0 || !strings.HasPrefix(r.Out, "4 of 14 nodes take these pods") {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	serve.Signal(os.Interrupt)
	serve.WantCode(0)
}

func TestOnANarrowTerminalNoReasonIsCut(t *testing.T) {
	t.Parallel()
	out := clitest.OnTerminal(t, 60, nil, "placement", "simulate", clitest.RulesOfPool(t, "gis"), "--nodes", "../testdata/nodes.json", "--plain")
	for _, reason := range []string{"pool is gpu, wants gis", "taint nvidia.com/gpu=present:NoSchedule", "taint maintenance:NoExecute"} {
		if !strings.Contains(out, reason+"\r\n") {
			t.Errorf("%q is not there whole:\n%s", reason, out)
		}
	}
}
