package cli_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

// wireLog is what arrived at a site.
type wireLog struct {
	mu    sync.Mutex
	posts []post
	all   []string // paths, queries and forms
}

type post struct{ path, form string }

// take returns the writes since it was called last.
func (w *wireLog) take() []post {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.posts
	w.posts = nil
	return taken
}

// siteOnAWire is siteToEdit, with a record of every request.
func siteOnAWire(t *testing.T, scenario string) (simulator.Clock, map[string]string, *wireLog) {
	t.Helper()
	clock, env := siteToEdit(t, scenario)
	base, seen := env["GEODECK_URL"], &wireLog{}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		seen.mu.Lock()
		seen.all = append(seen.all, r.Method+" "+r.URL.RequestURI()+" "+string(body))
		if r.Method == http.MethodPost && !strings.HasPrefix(r.URL.Path, "/gis/admin/system/upgrades") {
			seen.posts = append(seen.posts, post{r.URL.EscapedPath(), string(body)})
		}
		seen.mu.Unlock()
		forward(w, r, base)
	}))
	t.Cleanup(proxy.Close)
	env["GEODECK_URL"] = proxy.URL + base[strings.Index(base[len("http://"):], "/")+len("http://"):]
	return clock, env, seen
}

// shownRequest is the request in the JSON of a dry run, as it would be on the wire.
func shownRequest(t *testing.T, r result, token string) (post, adminapi.Request) {
	t.Helper()
	var shown struct{ Request *adminapi.Request }
	if err := json.Unmarshal([]byte(r.out), &shown); err != nil || r.code != 0 || shown.Request == nil {
		t.Fatalf("exit code %d, %v, it says\n%s%s", r.code, err, r.out, r.err)
	}
	if shown.Request.Method != http.MethodPost {
		t.Errorf("the method is %s", shown.Request.Method)
	}
	var fields []string
	for _, field := range shown.Request.Fields {
		if field.Name == "token" {
			if field.Value != "[secret]" {
				t.Error("the token is shown")
			}
			field.Value = token
		}
		fields = append(fields, url.QueryEscape(field.Name)+"="+url.QueryEscape(field.Value))
	}
	return post{shown.Request.Path, strings.Join(fields, "&")}, *shown.Request
}

func TestADryRunShowsTheRequestThatIsSent(t *testing.T) {
	t.Parallel()
	for scenario, placed := range map[string]bool{"healthy": true, "oldest": false} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			clock, env, seen := siteOnAWire(t, scenario)
			env["EDITOR"] = simtest.Script(t, "editor.sh", `subst s/1800/900/ "$1"`)
			run := func(args ...string) result { return runInProcess(t, clock, env, args...) }
			first := func(group string) string { return oldest(t, run(group, "history", cities, "-o", "json")) }
			same := func(args ...string) {
				t.Helper()
				table := run(append(args, "--dry-run")...)
				again := args
				if args[1] == "edit" { // what was edited is a draft by now
					again = append(args, "--continue")
				}
				want, request := shownRequest(t, run(append(again, "--dry-run", "-o", "json")...), env["GEODECK_TOKEN"])
				if posts := seen.take(); len(posts) > 0 {
					t.Fatalf("a dry run sent %v", posts)
				}
				lines := []string{"\nrequest: POST " + request.Path + "\n"}
				for _, field := range request.Fields {
					lines = append(lines, "\n"+field.Name+"\n  "+strings.ReplaceAll(field.Value, "\n", "\n  ")+"\n")
				}
				if text := strings.Join(lines, ""); !strings.Contains(table.out, text) || strings.Contains(table.out, env["GEODECK_TOKEN"]) {
					t.Errorf("%v prints\n%s\nnot\n%s", args, table.out, text)
				}
				if r := run(again...); r.code != 0 {
					t.Fatalf("exit code %d, it says\n%s%s", r.code, r.out, r.err)
				}
				if posts := seen.take(); len(posts) != 1 || posts[0] != want {
					t.Errorf("%v: sent was\n%v\nshown was\n%v", args, posts, want)
				}
			}
			edited := strings.Replace(run("service", "get", cities).out, `"maxRecordCount":4000`, `"maxRecordCount":2000`, 1)
			same("service", "apply", cities, "-f", fileOf(t, "edited.json", edited))
			same("service", "edit", cities)
			same("service", "restore", cities, first("service"))
			if placed {
				same("placement", "apply", cities, "-f", rulesOfPool(t, "spot"))
				same("placement", "restore", cities, first("placement"))
			}
		})
	}
}

// What a definition has under the name of a secret is sent as it is, and shown nowhere.
func TestSecretsOfADefinitionAreSentAndNotShown(t *testing.T) {
	t.Parallel()
	clock, env, seen := siteOnAWire(t, "healthy")
	run := func(code int, args ...string) result {
		t.Helper()
		r := runInProcess(t, clock, env, args...)
		if r.code != code {
			t.Fatalf("%v: exit code %d, it says\n%s%s", args, r.code, r.out, r.err)
		}
		for _, secret := range []string{"hunter", "tok-"} {
			if strings.Contains(r.out+r.err, secret) {
				t.Errorf("%v prints a secret:\n%s%s", args, r.out, r.err)
			}
		}
		return r
	}
	with := func(text, secret string) string {
		return strings.Replace(text, `"maxRecordCount":4000`, `"maxRecordCount":4000,"password":"hunter-`+secret+`","accessToken":"tok-`+secret+`","c":"Server=db;Password=hunter-`+secret+`"`, 1)
	}
	old := run(0, "service", "get", cities).out
	first, second := fileOf(t, "first.json", with(old, "1")), fileOf(t, "second.json", with(old, "2"))
	check := func(file, number string) {
		t.Helper()
		args := []string{"service", "apply", cities, "-f", file}
		if table := run(0, append(args, "--dry-run")...); !strings.Contains(table.out, "properties.password\n") {
			t.Errorf("the change of the password is not shown:\n%s", table.out)
		}
		shown, _ := shownRequest(t, run(0, append(args, "--dry-run", "-o", "json")...), env["GEODECK_TOKEN"])
		seen.take()
		run(0, args...)
		posts := seen.take()
		if len(posts) != 1 || !strings.Contains(posts[0].form, "hunter-") || !strings.Contains(posts[0].form, "tok-") {
			t.Fatalf("sent was %v", posts)
		}
		mask := url.QueryEscape("[secret]")
		masked := strings.NewReplacer("hunter-"+number, mask, "tok-"+number, mask).Replace(posts[0].form)
		if shown.form != masked {
			t.Errorf("sent was\n%s\nshown was\n%s", masked, shown.form)
		}
	}
	check(first, "1")
	check(second, "2")
	var kept []struct{ ID string }
	if err := json.Unmarshal([]byte(run(0, "service", "history", cities, "-o", "json").out), &kept); err != nil || len(kept) != 2 {
		t.Fatal(err, kept)
	}
	for _, o := range []string{"table", "json"} {
		run(0, "service", "restore", cities, kept[0].ID, "--dry-run", "-o", o)
		run(1, "service", "diff", cities, "-f", first, "-o", o)
		run(4, "service", "apply", cities, "-f", fileOf(t, "third.json", with(old, "3")), "--base", first, "-o", o)
	}
}

func TestADryRunOfAProgramThatIsReadOnlySaysSo(t *testing.T) {
	t.Parallel()
	clock, env := siteToEdit(t, "healthy")
	edited := strings.Replace(runInProcess(t, clock, env, "service", "get", cities).out, `"maxRecordCount":4000`, `"maxRecordCount":2000`, 1)
	apply := []string{"service", "apply", cities, "-f", fileOf(t, "edited.json", edited), "--read-only"}
	real, dry := runInProcess(t, clock, env, apply...), runInProcess(t, clock, env, append(apply, "--dry-run")...)
	if dry.code != 4 || dry.err != real.err || !strings.Contains(dry.err, "read-only") || !strings.Contains(dry.out, "\nrequest: POST ") {
		t.Errorf("exit code %d, it says\n%s%s\nand without --dry-run\n%s", dry.code, dry.out, dry.err, real.err)
	}
}

func TestADryRunThatIsRefusedShowsNoRequest(t *testing.T) {
	t.Parallel()
	clock, env := siteToEdit(t, "healthy")
	file := fileOf(t, "few.json", `{"serviceName":"SampleWorldCities","type":"MapServer"}`)
	r := runInProcess(t, clock, env, "service", "apply", cities, "-f", file, "--dry-run", "-o", "json")
	if r.code != 4 || strings.Contains(r.out, `"request"`) || !strings.Contains(r.err, "--allow-lost") {
		t.Errorf("exit code %d, it says\n%s%s", r.code, r.out, r.err)
	}
}

// The parameter async came with 10.9.1.
func TestASiteOf1090GetsNoAsync(t *testing.T) {
	t.Parallel()
	clock, env, seen := siteOnAWire(t, "oldest")
	run := func(code int, args ...string) string {
		t.Helper()
		r := runInProcess(t, clock, env, args...)
		if r.code != code {
			t.Fatalf("%v: exit code %d, it says\n%s%s", args, r.code, r.out, r.err)
		}
		return r.out
	}
	text := run(0, "service", "get", cities)
	edited := strings.Replace(text, `"maxRecordCount":4000`, `"maxRecordCount":2000`, 1)
	run(0, "service", "apply", cities, "-f", fileOf(t, "edited.json", edited))
	run(0, "service", "stop", cities, "--confirm", cities)
	run(0, "service", "start", cities)
	run(4, "placement", "apply", cities, "-f", rulesOfPool(t, "spot"))
	run(4, "health", "run", "--suite", "BSHC-001")

	client, err := adminapi.New(adminapi.Config{Base: env["GEODECK_URL"], Token: adminapi.Token{Value: secrets.Secret(env["GEODECK_TOKEN"])}, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	memory, err := journal.Open(t.TempDir(), journal.SiteOf(client.Base()))
	if err != nil {
		t.Fatal(err)
	}
	site := operation.Site{Client: client, Clock: clock, Memory: operation.Memory{Journal: memory}}
	ref := adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}
	if _, outcome, _ := client.Health.Start(context.Background(), adminapi.HealthRun{Name: "n", SuiteIDs: []string{"BSHC-001"}}); outcome != adminapi.OutcomeNotSent {
		t.Errorf("the health run is %v", outcome)
	}
	if _, outcome, _ := client.Change(context.Background(), adminapi.EditServicePlacement(ref, jsontext.Value(`{"placementPolicy":[]}`))); outcome != adminapi.OutcomeNotSent {
		t.Errorf("the policy is %v", outcome)
	}
	edit := editing.Edit{Target: editing.DefinitionOf(ref), Base: parsed(t, edited), Edited: parsed(t, text)}
	planned := batching.PlanMany(context.Background(), site, []adminapi.ServiceRef{ref}, edit, nil)
	for _, applied := range batching.Apply(context.Background(), site, planned, false, nil) {
		if applied.Outcome != adminapi.OutcomeDone || applied.Err != nil {
			t.Error(applied.Outcome, applied.Err)
		}
	}

	var posts []string
	for _, p := range seen.take() {
		posts = append(posts, p.path[strings.LastIndex(p.path, "/")+1:])
	}
	if got := strings.Join(posts, " "); got != "edit stop start edit" {
		t.Errorf("sent were: %s", got)
	}
	for _, request := range seen.all {
		if strings.Contains(strings.ToLower(request), "async") {
			t.Error(request)
		}
	}
}

func parsed(t *testing.T, text string) *document.Document {
	t.Helper()
	d, err := document.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A site without health checks is not asked for one, and says what it lacks.
func TestAdviceFitsASiteWithoutHealthChecks(t *testing.T) {
	t.Parallel()
	clock, env := siteToEdit(t, "old")
	run := func(args ...string) result { return runInProcess(t, clock, env, args...) }
	edited := strings.Replace(run("service", "get", cities).out, `"maxIdleTime":1800`, `"maxIdleTime":900`, 1)
	r := run("service", "apply", cities, "-f", fileOf(t, "edited.json", edited))
	if r.code != 0 || strings.Contains(r.out, "health run") || !strings.Contains(r.out, "geodeck service list --state") {
		t.Errorf("exit code %d, it says\n%s%s", r.code, r.out, r.err)
	}
	if r := run("service", "list", "--state"); r.code != 0 {
		t.Errorf("the advice ends with %d:\n%s", r.code, r.err)
	}
	for what, command := range map[string]string{"health checks need": "health suites", "rules of placement need": "placement get " + cities} {
		r := run(strings.Fields(command)...)
		if r.code != 4 || !strings.Contains(r.err, what+" 11.2 or later; this site is 10.9.1") || !strings.Contains(r.err, "geodeck upgrade available") {
			t.Errorf("%s: exit code %d, it says\n%s", command, r.code, r.err)
		}
	}
}
