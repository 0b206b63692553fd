package cli_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi/simulator"
)

// Services that every simulated site has beside cities.
const (
	caching  = "System/CachingTools.GPServer"
	printing = "Utilities/PrintingTools.GPServer"
	nosuch   = "NoSuch.MapServer"
)

var idle900 = []string{"service", "edit", cities, caching, printing, "--set", "maxIdleTime=900"}

// outcomes are the outcomes of the services in the JSON of a batch, in their order.
func outcomes(t *testing.T, r result) string {
	t.Helper()
	var lines []struct {
		Outcome string
		Sent    bool
	}
	if err := json.Unmarshal([]byte(r.out), &lines); err != nil {
		t.Fatalf("%v in\n%s%s", err, r.out, r.err)
	}
	var all []string
	for _, line := range lines {
		if line.Sent {
			line.Outcome += "+"
		}
		all = append(all, line.Outcome)
	}
	return strings.Join(all, " ")
}

func TestOneChangeIsSentToSeveralServicesAsItsDryRunShows(t *testing.T) {
	t.Parallel()
	clock, env, seen := siteOnAWire(t, "healthy")
	run := func(args ...string) result { return runInProcess(t, clock, env, args...) }
	plan := filepath.Join(t.TempDir(), "plan.json")
	wants(t, run, 0, append(idle900, "--save-plan", plan)...)
	table := wants(t, run, 0, append(idle900, "--dry-run")...)
	dry := wants(t, run, 0, append(idle900, "--dry-run", "-o", "json")...)
	if posts := seen.take(); len(posts) > 0 || outcomes(t, dry) != "planned planned planned" {
		t.Fatalf("sent was %v; %s", posts, outcomes(t, dry))
	}
	var shown []json.RawMessage
	if err := json.Unmarshal([]byte(dry.out), &shown); err != nil {
		t.Fatal(err)
	}
	r := wants(t, run, 0, append(idle900, "-o", "jsonl")...)
	posts := seen.take()
	if len(posts) != 3 || strings.Count(r.out, "\n") != 3 || strings.Count(r.out, `"outcome":"done","sent":true,"text":"started","backup":"2`) != 3 {
		t.Fatalf("%d posts, it says\n%s", len(posts), r.out)
	}
	for i, want := range shown {
		if got, request := shownRequest(t, result{out: string(want)}, env["GEODECK_TOKEN"]); got != posts[i] || !strings.Contains(table.out, "\nrequest: POST "+request.Path+"\n") {
			t.Errorf("sent was\n%v\nshown was\n%v", posts[i], got)
		}
	}
	for _, again := range [][]string{idle900, {"service", "apply", "--plan", plan}} {
		r = wants(t, run, 0, again...)
		if posts := seen.take(); len(posts) > 0 || strings.Count(r.out, ": unchanged (it has this already)\n") != 3 {
			t.Errorf("once more: %d posts, it says\n%s", len(posts), r.out)
		}
	}
}

func TestNothingIsSentUnlessEveryServiceCanTakeIt(t *testing.T) {
	t.Parallel()
	clock, env, seen := siteOnAWire(t, "healthy")
	run := func(args ...string) result { return runInProcess(t, clock, env, append(args, "-o", "json")...) }
	for _, c := range []struct {
		code     int
		args     []string
		outcomes string // empty for bad input
		why      string
	}{
		{2, []string{cities, nosuch, "--set", "maxIdleTime=901"}, "not sent refused", "1 service cannot take it; nothing was sent"},
		{2, []string{cities, caching, "--set", "maxIdleTime=x"}, "refused refused", "2 services cannot take it"},
		{2, []string{cities, caching, "--set", "nosuch.x=1"}, "refused refused", "it has no nosuch.x"},
		{4, []string{cities, caching, "--set", "properties={}"}, "refused refused", "--allow-lost properties.cacheDir"},
		{4, []string{cities, caching, "--set", "maxIdleTime=901", "--read-only"}, "not sent not sent", "read-only"},
		{2, []string{cities, nosuch, "--set", "maxIdleTime=901", "--dry-run"}, "not sent refused", "1 service cannot"},
		{2, []string{cities, cities, "--set", "maxIdleTime=901"}, "", "named twice"},
		{2, []string{cities, caching}, "", "--set PATH=VALUE"},
		{2, []string{cities, caching, "--set", "maxIdleTime"}, "", "PATH=VALUE"},
		{2, []string{cities, "--set", "maxIdleTime=1", "--continue"}, "", "continue"},
	} {
		r := wants(t, run, c.code, append([]string{"service", "edit"}, c.args...)...)
		if posts := seen.take(); len(posts) > 0 || c.outcomes != "" && outcomes(t, r) != c.outcomes || !strings.Contains(r.err, c.why) {
			t.Errorf("%v: sent was %v, it says\n%s\n%s", c.args, posts, r.out, r.err)
		}
	}
	r := wants(t, run, 2, "service", "edit", cities, nosuch, caching, "--set", "maxIdleTime=901", "--partial")
	if posts := seen.take(); len(posts) != 2 || outcomes(t, r) != "done+ refused done+" {
		t.Errorf("sent was %v, it says\n%s", posts, r.out)
	}
	r = wants(t, run, 0, "service", "edit", cities, caching, "--remove", "properties.cacheDir") // which a tool has not
	if posts := seen.take(); len(posts) != 1 || outcomes(t, r) != "done+ unchanged" || strings.Contains(posts[0].form, "cacheDir") {
		t.Errorf("sent was %v, it says\n%s", posts, r.out)
	}
	wants(t, run, 0, "service", "edit", cities, "--set", "maxIdleTime=902")
	if posts := seen.take(); len(posts) != 1 {
		t.Errorf("one service: sent was %v", posts)
	}
}

func TestTheFirstThatIsNotDoneStopsTheRestAndTheSamePlanContinues(t *testing.T) {
	t.Parallel()
	clock, env, seen := siteOnAWire(t, "edit-answer-lost-not-performed")
	run := func(args ...string) result { return runInProcess(t, clock, env, args...) }
	r := wants(t, run, 6, append(idle900, "-o", "json")...)
	if posts := seen.take(); len(posts) != 1 || outcomes(t, r) != "unknown+ not sent not sent" || !strings.Contains(r.out, "stopped at "+cities) || !strings.Contains(r.err, "not sent after that: 2 services") {
		t.Errorf("sent was %v, it says\n%s\n%s", posts, r.out, r.err)
	}

	clock, env, seen = siteOnAWire(t, "edit-third-fails")
	plan := filepath.Join(t.TempDir(), "plan.json")
	wants(t, run, 0, append(idle900, "--save-plan", plan)...)
	apply := []string{"service", "apply", "--plan", plan, "-o", "json"}
	r = wants(t, run, 1, apply...)
	if posts := seen.take(); len(posts) != 3 || outcomes(t, r) != "done+ done+ failed+" || !strings.Contains(r.err, "geodeck service restore "+printing) {
		t.Errorf("sent was %v, it says\n%s\n%s", posts, r.out, r.err)
	}
	r = wants(t, run, 0, apply...)
	if posts := seen.take(); len(posts) != 1 || outcomes(t, r) != "unchanged unchanged done+" {
		t.Errorf("sent was %v, it says\n%s\n%s", posts, r.out, r.err)
	}
}

func TestALostAnswerThatHasArrivedStopsNothing(t *testing.T) {
	t.Parallel()
	clock, env, seen := siteOnAWire(t, "edit-answer-lost")
	run := func(args ...string) result { return runInProcess(t, clock, env, args...) }
	r := wants(t, run, 0, append(idle900, "-o", "json")...)
	if posts := seen.take(); len(posts) != 3 || outcomes(t, r) != "done+ done+ done+" || !strings.Contains(r.err, "it has arrived: only the answer was lost") {
		t.Errorf("sent was %v, it says\n%s\n%s", posts, r.out, r.err)
	}
}

func TestAnInterruptedBatchSaysWhatWasSentAndWhatNot(t *testing.T) {
	t.Parallel()
	server := newSite(t, simulator.Options{Clock: simulator.NewScaledClock(3600)})
	seen, goOn := make(chan struct{}, 3), make(chan struct{})
	site := server.URL()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, caching+"/edit") {
			seen <- struct{}{}
			<-goOn
		}
		forward(w, r, site)
	}))
	t.Cleanup(proxy.Close)
	edit := start(t, []string{"GEODECK_URL=" + proxy.URL + "/geodeck/admin", "GEODECK_TOKEN=" + tokenOf(t, server, 0)}, idle900...)
	<-seen
	edit.signal(os.Interrupt)
	var said []string
	for {
		line, err := edit.out.ReadString('\n')
		if err != nil {
			break
		}
		said = append(said, line)
	}
	close(goOn)
	edit.wantCode(130)
	if text := strings.Join(said, ""); !strings.Contains(text, cities+": done (started); the old version is ") || !strings.Contains(text, caching+": unknown (interrupted; whether it has arrived is unknown)") ||
		!strings.Contains(text, printing+": not sent (stopped at "+caching+")") {
		t.Errorf("it says\n%s", text)
	}
}

func TestRulesAreAppliedToSeveralServices(t *testing.T) {
	t.Parallel()
	clock, env, seen := siteOnAWire(t, "healthy")
	run := func(args ...string) result { return runInProcess(t, clock, env, args...) }
	apply := []string{"placement", "apply", cities, "SouthTrees_10.MapServer", "SouthSchools_31.MapServer", "-f", rulesOfPool(t, "spot")}
	wants(t, run, 2, append(apply, "--base", rulesOfPool(t, "spot"))...)
	if r := wants(t, run, 4, append(apply[:5:5], "-f", rulesOfPool(t, "nowhere"), "--nodes", "testdata/nodes.json", "-o", "json")...); outcomes(t, r) == "" || len(seen.take()) > 0 {
		t.Errorf("it says\n%s%s", r.out, r.err)
	}
	r := wants(t, run, 0, append(apply, "-o", "json")...)
	posts := seen.take()
	if n := strings.Count(outcomes(t, r), "done+"); n != len(posts) || n == 0 {
		t.Errorf("sent was %v, it says\n%s", posts, r.out)
	}
	if r = wants(t, run, 0, append(apply, "-o", "json")...); outcomes(t, r) != "unchanged unchanged unchanged" || len(seen.take()) > 0 {
		t.Errorf("once more it says\n%s%s", r.out, r.err)
	}
}

func TestASecretThatIsSetInSeveralServicesIsSentAndNotShown(t *testing.T) {
	t.Parallel()
	clock, env, seen := siteOnAWire(t, "healthy")
	plan := filepath.Join(t.TempDir(), "plan.json")
	for _, args := range [][]string{{"--dry-run"}, {"--dry-run", "-o", "json"}, {"--save-plan", plan}, {"-o", "jsonl"}} {
		r := runInProcess(t, clock, env, append([]string{"service", "edit", cities, caching, "--set", "properties.password=hunter-2"}, args...)...)
		if r.code != 0 || strings.Contains(r.out+r.err, "hunter") {
			t.Errorf("%v: exit code %d, it says\n%s%s", args, r.code, r.out, r.err)
		}
	}
	if posts := seen.take(); len(posts) != 2 || !strings.Contains(posts[0].form, "hunter-2") || !strings.Contains(posts[1].form, "hunter-2") {
		t.Errorf("sent was %v", posts)
	}
	if content, err := os.ReadFile(plan); err != nil || strings.Count(string(content), "hunter-2") != 2 {
		t.Error(err, "the plan does not hold what is to be sent")
	}
}
