package cli_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest/clitest"
)

func TestADryRunShowsTheRequestThatIsSent(t *testing.T) {
	t.Parallel()
	for scenario, placed := range map[string]bool{"healthy": true, "oldest": false} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			clock, env, seen := clitest.SiteOnAWire(t, scenario)
			env["EDITOR"] = simtest.Script(t, "editor.sh", `subst s/1800/900/ "$1"`)
			run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
			first := func(group string) string {
				return clitest.Oldest(t, run(group, "history", clitest.Cities, "-o", "json"))
			}
			same := func(args ...string) {
				t.Helper()
				table := run(append(args, "--dry-run")...)
				again := args
				if args[1] == "edit" { // what was edited is a draft by now
					again = append(args, "--continue")
				}
				want, request := clitest.ShownRequest(t, run(append(again, "--dry-run", "-o", "json")...), env["GEODECK_TOKEN"])
				if posts := seen.Take(); len(posts) > 0 {
					t.Fatalf("a dry run sent %v", posts)
				}
				lines := []string{"\nrequest: POST " + request.Path + "\n"}
				for _, field := range request.Fields {
					lines = append(lines, "\n"+field.Name+"\n  "+strings.ReplaceAll(field.Value, "\n", "\n  ")+"\n")
				}
				if text := strings.Join(lines, ""); !strings.Contains(table.Out, text) || strings.Contains(table.Out, env["GEODECK_TOKEN"]) {
					t.Errorf("%v prints\n%s\nnot\n%s", args, table.Out, text)
				}
				if r := run(again...); r.Code != 0 {
					t.Fatalf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
				}
				if posts := seen.Take(); len(posts) != 1 || posts[0] != want {
					t.Errorf("%v: sent was\n%v\nshown was\n%v", args, posts, want)
				}
			}
			edited := strings.Replace(run("service", "get", clitest.Cities).Out, `"maxRecordCount":4000`, `"maxRecordCount":2000`, 1)
			same("service", "apply", clitest.Cities, "-f", clitest.FileOf(t, "edited.json", edited))
			same("service", "edit", clitest.Cities)
			same("service", "restore", clitest.Cities, first("service"))
			if placed {
				same("placement", "apply", clitest.Cities, "-f", clitest.RulesOfPool(t, "spot"))
				same("placement", "restore", clitest.Cities, first("placement"))
			}
		})
	}
}

// What a definition has under the name of a secret is sent as it is, and shown nowhere.
func TestSecretsOfADefinitionAreSentAndNotShown(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "healthy")
	run := func(code int, args ...string) clitest.Result {
		t.Helper()
		r := clitest.RunInProcess(t, clock, env, args...)
		if r.Code != code {
			t.Fatalf("%v: exit code %d, it says\n%s%s", args, r.Code, r.Out, r.Err)
		}
		for _, secret := range []string{"hunter", "tok-"} {
			if strings.Contains(r.Out+r.Err, secret) {
				t.Errorf("%v prints a secret:\n%s%s", args, r.Out, r.Err)
			}
		}
		return r
	}
	with := func(text, secret string) string {
		return strings.Replace(text, `"maxRecordCount":4000`, `"maxRecordCount":4000,"password":"hunter-`+secret+`","accessToken":"tok-`+secret+`","c":"Server=db;Password=hunter-`+secret+`"`, 1)
	}
	old := run(0, "service", "get", clitest.Cities).Out
	first, second := clitest.FileOf(t, "first.json", with(old, "1")), clitest.FileOf(t, "second.json", with(old, "2"))
	check := func(file, number string) {
		t.Helper()
		args := []string{"service", "apply", clitest.Cities, "-f", file, "--accept", "unknown-key"}
		if table := run(0, append(args, "--dry-run")...); !strings.Contains(table.Out, "properties.password\n") {
			t.Errorf("the change of the password is not shown:\n%s", table.Out)
		}
		shown, _ := clitest.ShownRequest(t, run(0, append(args, "--dry-run", "-o", "json")...), env["GEODECK_TOKEN"])
		seen.Take()
		run(0, args...)
		posts := seen.Take()
		if len(posts) != 1 || !strings.Contains(posts[0].Form, "hunter-") || !strings.Contains(posts[0].Form, "tok-") {
			t.Fatalf("sent was %v", posts)
		}
		mask := url.QueryEscape("[secret]")
		masked := strings.NewReplacer("hunter-"+number, mask, "tok-"+number, mask).Replace(posts[0].Form)
		if shown.Form != masked {
			t.Errorf("sent was\n%s\nshown was\n%s", masked, shown.Form)
		}
	}
	check(first, "1")
	check(second, "2")
	kept := clitest.IDsIn(t, run(0, "service", "history", clitest.Cities, "-o", "json"))
	if len(kept) != 2 {
		t.Fatal(kept)
	}
	for _, o := range []string{"table", "json"} {
		run(0, "service", "restore", clitest.Cities, kept[0], "--dry-run", "-o", o)
		run(1, "service", "diff", clitest.Cities, "-f", first, "-o", o)
		run(4, "service", "apply", clitest.Cities, "-f", clitest.FileOf(t, "third.json", with(old, "3")), "--base", first, "-o", o)
	}
}

func TestADryRunOfAProgramThatIsReadOnlySaysSo(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	edited := strings.Replace(clitest.RunInProcess(t, clock, env, "service", "get", clitest.Cities).Out, `"maxRecordCount":4000`, `"maxRecordCount":2000`, 1)
	apply := []string{"service", "apply", clitest.Cities, "-f", clitest.FileOf(t, "edited.json", edited), "--read-only"}
	real, dry := clitest.RunInProcess(t, clock, env, apply...), clitest.RunInProcess(t, clock, env, append(apply, "--dry-run")...)
	if dry.Code != 4 || dry.Err != real.Err || !strings.Contains(dry.Err, "read-only") || !strings.Contains(dry.Out, "\nrequest: POST ") {
		t.Errorf("exit code %d, it says\n%s%s\nand without --dry-run\n%s", dry.Code, dry.Out, dry.Err, real.Err)
	}
}

func TestADryRunThatIsRefusedShowsNoRequest(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	file := clitest.FileOf(t, "few.json", `{"serviceName":"SampleWorldCities","type":"MapServer"}`)
	r := clitest.RunInProcess(t, clock, env, "service", "apply", clitest.Cities, "-f", file, "--dry-run", "-o", "json")
	if r.Code != 4 || strings.Contains(r.Out, `"request"`) || !strings.Contains(r.Err, "--accept removed-key  danger: ") {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
}

// The parameter async came with 10.9.1.
func TestASiteOf1090GetsNoAsync(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "oldest")
	run := func(code int, args ...string) string {
		t.Helper()
		r := clitest.RunInProcess(t, clock, env, args...)
		if r.Code != code {
			t.Fatalf("%v: exit code %d, it says\n%s%s", args, r.Code, r.Out, r.Err)
		}
		return r.Out
	}
	text := run(0, "service", "get", clitest.Cities)
	edited := strings.Replace(text, `"maxRecordCount":4000`, `"maxRecordCount":2000`, 1)
	run(0, "service", "apply", clitest.Cities, "-f", clitest.FileOf(t, "edited.json", edited))
	run(0, "service", "stop", clitest.Cities, "--confirm", clitest.Cities)
	run(0, "service", "start", clitest.Cities)
	run(4, "placement", "apply", clitest.Cities, "-f", clitest.RulesOfPool(t, "spot"))
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
	for _, applied := range batching.Apply(context.Background(), site, planned, false, nil, nil) {
		if applied.Outcome != adminapi.OutcomeDone || applied.Err != nil {
			t.Error(applied.Outcome, applied.Err)
		}
	}

	var posts []string
	for _, p := range seen.Take() {
		posts = append(posts, p.Path[strings.LastIndex(p.Path, "/")+1:])
	}
	if got := strings.Join(posts, " "); got != "edit stop start edit" {
		t.Errorf("sent were: %s", got)
	}
	for _, request := range seen.All {
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
	clock, env := clitest.SiteToEdit(t, "old")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	edited := strings.Replace(run("service", "get", clitest.Cities).Out, `"maxIdleTime":1800`, `"maxIdleTime":900`, 1)
	r := run("service", "apply", clitest.Cities, "-f", clitest.FileOf(t, "edited.json", edited))
	if r.Code != 0 || strings.Contains(r.Out, "health run") || !strings.Contains(r.Out, "geodeck service list --state") {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	if r := run("service", "list", "--state"); r.Code != 0 {
		t.Errorf("the advice ends with %d:\n%s", r.Code, r.Err)
	}
	for what, command := range map[string]string{"health checks need": "health suites", "rules of placement need": "placement get " + clitest.Cities} {
		r := run(strings.Fields(command)...)
		if r.Code != 4 || !strings.Contains(r.Err, what+" 11.2 or later; this site is 10.9.1") || !strings.Contains(r.Err, "geodeck upgrade available") {
			t.Errorf("%s: exit code %d, it says\n%s", command, r.Code, r.Err)
		}
	}
}
