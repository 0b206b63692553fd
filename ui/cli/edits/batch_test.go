package edits_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/uitest/clitest"
)

// TestMain makes this test binary the program itself where a test starts geodeck as a process.
func TestMain(m *testing.M) { clitest.Main(m) }

var idle900 = []string{"service", "edit", clitest.Cities, clitest.Caching, clitest.Printing, "--set", "maxIdleTime=900"}

func TestOneChangeIsSentToSeveralServicesAsItsDryRunShows(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "healthy")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	plan := filepath.Join(t.TempDir(), "plan.json")
	clitest.Wants(t, run, 0, append(idle900, "--save-plan", plan)...)
	table := clitest.Wants(t, run, 0, append(idle900, "--dry-run")...)
	dry := clitest.Wants(t, run, 0, append(idle900, "--dry-run", "-o", "json")...)
	if posts := seen.Take(); len(posts) > 0 || clitest.Outcomes(t, dry) != "planned planned planned" {
		t.Fatalf("sent was %v; %s", posts, clitest.Outcomes(t, dry))
	}
	shown := clitest.ItemsOf[json.RawMessage](t, dry)
	r := clitest.Wants(t, run, 0, append(idle900, "-o", "jsonl")...)
	posts := seen.Take()
	if len(posts) != 3 || strings.Count(r.Out, "\n") != 3 || strings.Count(r.Out, `"outcome":"done","verdict":"succeeded","sent":true,"kept":true,"text":"started","backup":"2`) != 3 {
		t.Fatalf("%d posts, it says\n%s", len(posts), r.Out)
	}
	for i, want := range shown {
		if got, request := clitest.ShownRequest(t, clitest.Result{Out: string(want)}, env["GEODECK_TOKEN"]); got != posts[i] || !strings.Contains(table.Out, "\nrequest: POST "+request.Path+"\n") {
			t.Errorf("sent was\n%v\nshown was\n%v", posts[i], got)
		}
	}
	for _, again := range [][]string{idle900, {"service", "apply", "--plan", plan}} {
		r = clitest.Wants(t, run, 0, again...)
		if posts := seen.Take(); len(posts) > 0 || strings.Count(r.Out, ": unchanged (it has this already)\n") != 3 {
			t.Errorf("once more: %d posts, it says\n%s", len(posts), r.Out)
		}
	}
}

func TestNothingIsSentUnlessEveryServiceCanTakeIt(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "healthy")
	run := func(args ...string) clitest.Result {
		return clitest.RunInProcess(t, clock, env, append(args, "-o", "json")...)
	}
	for _, c := range []struct {
		code     int
		args     []string
		outcomes string // empty for bad input
		why      string
	}{
		{2, []string{clitest.Cities, clitest.Nosuch, "--set", "maxIdleTime=901"}, "not sent refused", "1 service cannot take it; nothing was sent"},
		{2, []string{clitest.Cities, clitest.Caching, "--set", "maxIdleTime=x"}, "refused refused", "2 services cannot take it"},
		{2, []string{clitest.Cities, clitest.Caching, "--set", "nosuch.x=1"}, "refused refused", "it has no nosuch.x"},
		{4, []string{clitest.Cities, clitest.Caching, "--set", "properties={}"}, "refused refused", "--accept removed-key  danger: properties.cacheDir: The site will delete this key."},
		{4, []string{clitest.Cities, clitest.Caching, "--remove", "properties.cacheDir"}, "refused unchanged", "--accept path  danger: properties.cacheDir: "},
		{2, []string{clitest.Cities, clitest.Caching, "--set", "maxIdleTime=901", "--accept", "all"}, "", "no finding has that name; nothing was sent"},
		{4, []string{clitest.Cities, clitest.Caching, "--set", "maxIdleTime=901", "--read-only"}, "not sent not sent", "read-only"},
		{2, []string{clitest.Cities, clitest.Nosuch, "--set", "maxIdleTime=901", "--dry-run"}, "not sent refused", "1 service cannot"},
		{2, []string{clitest.Cities, clitest.Cities, "--set", "maxIdleTime=901"}, "", "named twice"},
		{2, []string{clitest.Cities, clitest.Caching}, "", "--set PATH=VALUE"},
		{2, []string{clitest.Cities, clitest.Caching, "--set", "maxIdleTime"}, "", "PATH=VALUE"},
		{2, []string{clitest.Cities, "--set", "maxIdleTime=1", "--continue"}, "", "--continue and --set cannot be given together"},
		{2, []string{"Citties", "--set", "maxIdleTime=1"}, "", "in the root folder, not Citties"},
	} {
		r := clitest.Wants(t, run, c.code, append([]string{"service", "edit"}, c.args...)...)
		if posts := seen.Take(); len(posts) > 0 || c.outcomes != "" && clitest.Outcomes(t, r) != c.outcomes || !strings.Contains(r.Err, c.why) {
			t.Errorf("%v: sent was %v, it says\n%s\n%s", c.args, posts, r.Out, r.Err)
		}
	}
	r := clitest.Wants(t, run, 2, "service", "edit", clitest.Cities, clitest.Nosuch, clitest.Caching, "--set", "maxIdleTime=901", "--partial")
	if posts := seen.Take(); len(posts) != 2 || clitest.Outcomes(t, r) != "done+ refused done+" {
		t.Errorf("sent was %v, it says\n%s", posts, r.Out)
	}
	r = clitest.Wants(t, run, 0, "service", "edit", clitest.Cities, clitest.Caching, "--remove", "properties.cacheDir", "--accept", "path") // which a tool has not
	if posts := seen.Take(); len(posts) != 1 || clitest.Outcomes(t, r) != "done+ unchanged" || strings.Contains(posts[0].Form, "cacheDir") {
		t.Errorf("sent was %v, it says\n%s", posts, r.Out)
	}
	if r = clitest.Wants(t, run, 0, "service", "edit", clitest.Cities, "--remove", "nothere"); !strings.Contains(r.Err, "--remove nothere: nothing is there") {
		t.Errorf("a misspelt path passes: %s", r.Err)
	}
	if r = clitest.Wants(t, run, 0, "service", "edit", clitest.Cities, "--remove", "no.where.at.all"); !strings.Contains(r.Err, "--remove no.where.at.all: nothing is there") {
		t.Error(r.Err)
	}
	if r = clitest.Wants(t, run, 0, "service", "edit", clitest.Cities, "--remove", "properties.maxRecrdCount"); !strings.Contains(r.Err, "nothing is there. Did you mean properties.maxRecordCount?") {
		t.Errorf("the near name is not said: %s", r.Err)
	}
	for _, args := range [][]string{{"history", "SampleWorldCitys.MapServer"}, {"history", "SampleWorldCitys.MapServer", "x"}, {"restore", "SampleWorldCitys.MapServer", "x"}} {
		if r = run(append([]string{"service"}, args...)...); !strings.Contains(r.Out+r.Err, "Did you mean "+clitest.Cities+"?") {
			t.Errorf("%s: %s%s", args, r.Out, r.Err)
		}
	}
	clitest.Wants(t, run, 0, "service", "edit", clitest.Cities, "--set", "maxIdleTime=902")
	if posts := seen.Take(); len(posts) != 1 {
		t.Errorf("one service: sent was %v", posts)
	}
}

func TestTheFirstThatIsNotDoneStopsTheRestAndTheSamePlanContinues(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "edit-answer-lost-not-performed")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	r := clitest.Wants(t, run, 6, append(idle900, "-o", "json")...)
	if posts := seen.Take(); len(posts) != 1 || clitest.Outcomes(t, r) != "unknown+ not sent not sent" || !strings.Contains(r.Out, "stopped at "+clitest.Cities) || !strings.Contains(r.Err, "not sent after that: 2 services") {
		t.Errorf("sent was %v, it says\n%s\n%s", posts, r.Out, r.Err)
	}

	clock, env, seen = clitest.SiteOnAWire(t, "edit-third-fails")
	plan := filepath.Join(t.TempDir(), "plan.json")
	clitest.Wants(t, run, 0, append(idle900, "--save-plan", plan)...)
	apply := []string{"service", "apply", "--plan", plan, "-o", "json"}
	r = clitest.Wants(t, run, 1, apply...)
	if posts := seen.Take(); len(posts) != 3 || clitest.Outcomes(t, r) != "done+ done+ failed+" || !strings.Contains(r.Err, "geodeck service restore "+clitest.Printing) {
		t.Errorf("sent was %v, it says\n%s\n%s", posts, r.Out, r.Err)
	}
	r = clitest.Wants(t, run, 0, apply...)
	if posts := seen.Take(); len(posts) != 1 || clitest.Outcomes(t, r) != "unchanged unchanged done+" {
		t.Errorf("sent was %v, it says\n%s\n%s", posts, r.Out, r.Err)
	}
}

// "Nothing was sent" is about all that a command does: behind an edit that was sent it would be a lie.
func TestBehindAnEditThatWasSentOnlyTheNextIsCalledNotSent(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	site, sent := env["GEODECK_URL"], 0
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/edit") {
			sent++
		}
		if sent > 0 && strings.Contains(r.URL.Path, clitest.Caching) {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		clitest.Forward(w, r, site)
	}))
	t.Cleanup(proxy.Close)
	env["GEODECK_URL"] = proxy.URL + "/geodeck/admin"
	r := clitest.RunInProcess(t, clock, env, idle900...)
	if sent != 1 || strings.Contains(r.Err, "Nothing was sent") || !strings.Contains(r.Err, "The edit of "+clitest.Caching+" was not sent; it is safe to try again.") {
		t.Errorf("%d were sent, exit code %d, it says\n%s\n%s", sent, r.Code, r.Out, r.Err)
	}
}

// The same command leaves out what was sent and still runs, and does not end as done.
func TestWhatWasSentAndStillRunsIsNotSentAgain(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "edit-slow")
	base, _, err := adminapi.ParseBase(env["GEODECK_URL"], false)
	if err != nil {
		t.Fatal(err)
	}
	killed, err := journal.Open(filepath.Join(env["XDG_STATE_HOME"], "geodeck"), journal.SiteOf(base), journal.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	client, err := adminapi.New(adminapi.Config{Base: env["GEODECK_URL"], Token: adminapi.Token{Value: secrets.Secret(env["GEODECK_TOKEN"])}, Clock: clock, Observer: killed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	site := operation.Site{Client: client, Clock: clock, Memory: operation.Memory{Journal: killed}}
	ctx, kill := context.WithCancel(t.Context())
	edit := uitest.Edit(t, site, adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}, "maxIdleTime", "900").Edit
	site.ApplyEdit(ctx, edit, func(p operation.EditProgress) {
		if p.Step == operation.StepEditJob {
			kill()
		}
	})
	if err := killed.Close(); err != nil {
		t.Fatal(err)
	}
	if posts := seen.Take(); len(posts) != 1 {
		t.Fatalf("sent was %v", posts)
	}
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	clitest.Wants(t, run, 4, append(idle900, "--dry-run")...) // the same exit code
	r := clitest.Wants(t, run, 4, append(idle900, "-o", "json")...)
	if posts := seen.Take(); len(posts) != 2 || clitest.Outcomes(t, r) != "unknown done+ done+" || !strings.Contains(r.Out, "it was sent before; its job ") ||
		!strings.Contains(r.Err, "1 of 3 sent already: "+clitest.Cities+" (its job ") || !strings.Contains(r.Err, "geodeck job wait ") {
		t.Errorf("sent was %v, it says\n%s\n%s", posts, r.Out, r.Err)
	}
}

func TestALostAnswerThatHasArrivedStopsNothing(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "edit-answer-lost")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	r := clitest.Wants(t, run, 0, append(idle900, "-o", "json")...)
	if posts := seen.Take(); len(posts) != 3 || clitest.Outcomes(t, r) != "done+ done+ done+" || !strings.Contains(r.Err, "it has arrived: only the answer was lost") {
		t.Errorf("sent was %v, it says\n%s\n%s", posts, r.Out, r.Err)
	}
}

func TestAnInterruptedBatchSaysWhatWasSentAndWhatNot(t *testing.T) {
	t.Parallel()
	server := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(3600)})
	seen, goOn := make(chan struct{}, 3), make(chan struct{})
	site := server.URL()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, clitest.Caching+"/edit") {
			seen <- struct{}{}
			<-goOn
		}
		clitest.Forward(w, r, site)
	}))
	t.Cleanup(proxy.Close)
	edit := clitest.Start(t, []string{"GEODECK_URL=" + proxy.URL + "/geodeck/admin", "GEODECK_TOKEN=" + clitest.TokenOf(t, server, 0)}, idle900...)
	<-seen
	edit.Signal(os.Interrupt)
	var said []string
	for {
		line, err := edit.Out.ReadString('\n')
		if err != nil {
			break
		}
		said = append(said, line)
	}
	close(goOn)
	edit.WantCode(130)
	if text := strings.Join(said, ""); !strings.Contains(text, clitest.Cities+": done (started); the old version is ") || !strings.Contains(text, clitest.Caching+": unknown (interrupted; whether it has arrived is unknown)") ||
		!strings.Contains(text, clitest.Printing+": not sent (stopped at "+clitest.Caching+")") {
		t.Errorf("it says\n%s", text)
	}
}

// Definitions and rules that are applied together are kept apart: the next command says of each what was sent.
func TestAStoppedApplyOfDefinitionsAndRulesSaysOfEachWhatWasSent(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	site, rules := env["GEODECK_URL"], 0
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/placementPolicy/edit") {
			rules++
			_, _ = w.Write([]byte(`{"error":{"code":400,"message":"Not these","details":[]}}`))
			return
		}
		clitest.Forward(w, r, site)
	}))
	t.Cleanup(proxy.Close)
	env["GEODECK_URL"] = proxy.URL + "/geodeck/admin"
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	folder := t.TempDir()
	clitest.Wants(t, run, 0, "pull", "-d", folder, clitest.Cities, "SouthTrees_10.MapServer")
	for _, service := range []string{clitest.Cities, "SouthTrees_10.MapServer"} {
		name := filepath.Join(folder, service)
		definition, err := os.ReadFile(name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		definition = bytes.Replace(definition, []byte(`"maxIdleTime": 1800`), []byte(`"maxIdleTime": 900`), 1)
		policy := map[string]any{}
		text, err := os.ReadFile(name + ".placement.json")
		if err = errors.Join(err, json.Unmarshal(text, &policy)); err != nil {
			t.Fatal(err)
		}
		policy["tolerations"] = []any{map[string]any{"key": "pool", "operator": "Exists"}}
		text, _ = json.MarshalIndent(policy, "", "  ")
		if err = errors.Join(os.WriteFile(name+".json", definition, 0o600), os.WriteFile(name+".placement.json", text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	r := run("apply", "-d", folder, "--yes")
	if r.Code != 4 || rules != 1 {
		t.Fatalf("exit code %d, rules were sent %d times, it says\n%s%s", r.Code, rules, r.Out, r.Err)
	}
	base, _, err := adminapi.ParseBase(env["GEODECK_URL"], false)
	if err != nil {
		t.Fatal(err)
	}
	next, err := journal.Open(filepath.Join(env["XDG_STATE_HOME"], "geodeck"), journal.SiteOf(base), journal.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	left, err := batching.AllInterrupted(operation.Memory{Journal: next})
	if err != nil || len(left) != 1 || left[0].Part != editing.Placement || !slices.Equal(left[0].Sent, []string{clitest.Cities}) || !slices.Equal(left[0].Left, []string{"SouthTrees_10.MapServer"}) {
		t.Errorf("%+v, %v", left, err)
	}
}

func TestRulesAreAppliedToSeveralServices(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "healthy")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	apply := []string{"placement", "apply", clitest.Cities, "SouthTrees_10.MapServer", "SouthSchools_31.MapServer", "-f", clitest.RulesOfPool(t, "spot")}
	clitest.Wants(t, run, 2, append(apply, "--base", clitest.RulesOfPool(t, "spot"))...)
	if r := clitest.Wants(t, run, 4, append(apply[:5:5], "-f", clitest.RulesOfPool(t, "nowhere"), "--nodes", "../testdata/nodes.json", "-o", "json")...); clitest.Outcomes(t, r) == "" || len(seen.Take()) > 0 {
		t.Errorf("it says\n%s%s", r.Out, r.Err)
	}
	r := clitest.Wants(t, run, 0, append(apply, "-o", "json")...)
	posts := seen.Take()
	if n := strings.Count(clitest.Outcomes(t, r), "done+"); n != len(posts) || n == 0 {
		t.Errorf("sent was %v, it says\n%s", posts, r.Out)
	}
	if r = clitest.Wants(t, run, 0, append(apply, "-o", "json")...); clitest.Outcomes(t, r) != "unchanged unchanged unchanged" || len(seen.Take()) > 0 {
		t.Errorf("once more it says\n%s%s", r.Out, r.Err)
	}
}

func TestASecretThatIsSetInSeveralServicesIsSentAndNotShown(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "healthy")
	plan := filepath.Join(t.TempDir(), "plan.json")
	for _, args := range [][]string{{"--dry-run"}, {"--dry-run", "-o", "json"}, {"--save-plan", plan}, {"-o", "jsonl"}} {
		r := clitest.RunInProcess(t, clock, env, append([]string{"service", "edit", clitest.Cities, clitest.Caching, "--set", "properties.password=hunter-2", "--accept", "unknown-key"}, args...)...)
		if r.Code != 0 || strings.Contains(r.Out+r.Err, "hunter") {
			t.Errorf("%v: exit code %d, it says\n%s%s", args, r.Code, r.Out, r.Err)
		}
	}
	if posts := seen.Take(); len(posts) != 2 || !strings.Contains(posts[0].Form, "hunter-2") || !strings.Contains(posts[1].Form, "hunter-2") {
		t.Errorf("sent was %v", posts)
	}
	if content, err := os.ReadFile(plan); err != nil || strings.Count(string(content), "hunter-2") != 2 {
		t.Error(err, "the plan does not hold what is to be sent")
	}
}
