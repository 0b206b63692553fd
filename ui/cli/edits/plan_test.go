package edits_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/ui/uitest/clitest"
)

// A plan may hold secrets, and nothing else does: not what is printed, and not the debug file.
func TestAPlanIsAppliedExactlyAndPrintsNoSecret(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "healthy")
	debug := filepath.Join(t.TempDir(), "debug.jsonl")
	run := func(args ...string) clitest.Result {
		r := clitest.RunInProcess(t, clock, env, append(args, "--debug", debug)...)
		if strings.Contains(r.Out+r.Err, "hunter") {
			t.Errorf("%v prints a secret:\n%s%s", args, r.Out, r.Err)
		}
		return r
	}
	old := clitest.Wants(t, run, 0, "service", "get", clitest.Cities).Out
	edited := clitest.FileOf(t, "edited.json", strings.Replace(old, `"maxRecordCount":4000`, `"maxRecordCount":2000,"password":"hunter-1"`, 1))
	shown, _ := clitest.ShownRequest(t, run("service", "apply", clitest.Cities, "-f", edited, "--accept", "unknown-key", "--dry-run", "-o", "json"), env["GEODECK_TOKEN"])
	plan := filepath.Join(t.TempDir(), "plan.json")
	if r := clitest.Wants(t, run, 0, "service", "apply", clitest.Cities, "-f", edited, "--accept", "unknown-key", "--save-plan", plan); !strings.Contains(r.Out, "\nApply it: geodeck service apply --plan "+plan+" --url ") {
		t.Errorf("it says\n%s", r.Out)
	}
	if info, err := os.Stat(plan); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	apply := []string{"service", "apply", "--plan", plan}
	again, _ := clitest.ShownRequest(t, run(append(apply, "--dry-run", "-o", "json")...), env["GEODECK_TOKEN"])
	if posts := seen.Take(); len(posts) > 0 || again != shown {
		t.Errorf("sent was %v, the plan would send\n%v\nnot\n%v", posts, again, shown)
	}
	clitest.Wants(t, run, 0, apply...)
	posts := seen.Take()
	if len(posts) != 1 || strings.Replace(posts[0].Form, "hunter-1", "%5Bsecret%5D", 1) != shown.Form {
		t.Errorf("sent was %v", posts)
	}
	for _, form := range []string{"table", "json"} {
		clitest.Wants(t, run, 0, append(apply, "-o", form)...)
		clitest.Wants(t, run, 2, "service", "apply", clitest.Cities, "-f", clitest.FileOf(t, "old.json", old), "--allow-lost", "properties.password", "--save-plan", plan, "-o", form) // the file exists
	}
	if posts := seen.Take(); len(posts) > 0 {
		t.Errorf("what the site has already is sent again: %v", posts)
	}
	clitest.NoSecretIn(t, debug, []string{"hunter"})
}

func TestAPlanThatDoesNotFitSendsNothing(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "healthy")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	old := clitest.Wants(t, run, 0, "service", "get", clitest.Cities).Out
	to := func(count string) string {
		return clitest.FileOf(t, "edited.json", strings.Replace(old, `"maxRecordCount":4000`, `"maxRecordCount":`+count, 1))
	}
	saved := func(args ...string) string {
		path := filepath.Join(t.TempDir(), "plan.json")
		clitest.Wants(t, run, 0, append(args, "--save-plan", path)...)
		return path
	}
	plan, rules := saved("service", "apply", clitest.Cities, "-f", to("2000")), saved("placement", "apply", clitest.Cities, "-f", clitest.RulesOfPool(t, "spot"))
	content, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	changed := clitest.FileOf(t, "changed.json", strings.Replace(string(content), "2000", "2001", 1))
	refuses := func(code int, why string, args ...string) {
		t.Helper()
		r := clitest.Wants(t, run, code, args...)
		if posts := seen.Take(); len(posts) > 0 || !strings.Contains(r.Err, why) {
			t.Errorf("%v: sent was %v, it says\n%s", args, posts, r.Err)
		}
	}
	refuses(4, "was changed since it was saved", "service", "apply", "--plan", changed)
	refuses(2, "not a plan that geodeck has saved", "service", "apply", "--plan", to("3"))
	refuses(2, "geodeck placement apply --plan ", "service", "apply", "--plan", rules)
	refuses(2, "unexpected argument", "service", "apply", clitest.Cities, "--plan", plan)
	refuses(2, "file", "service", "apply", "--plan", plan, "-f", to("3"))
	refuses(2, "save-plan", "service", "apply", clitest.Cities, "-f", to("3"), "--dry-run", "--save-plan", plan)
	refuses(2, "missing", "service", "apply", "-f", to("3"))
	refuses(4, "read-only", "service", "apply", "--plan", plan, "--read-only")
	refuses(4, "--accept no-node  danger: ", "placement", "apply", "--plan", saved("placement", "apply", clitest.Cities, "-f", clitest.RulesOfPool(t, "nowhere")), "--nodes", "../testdata/nodes.json")

	elsewhere := map[string]string{"GEODECK_URL": "http://127.0.0.1:1/geodeck/admin", "GEODECK_TOKEN": "t"}
	if r := clitest.RunInProcess(t, clock, elsewhere, "service", "apply", "--plan", plan); r.Code != 4 || !strings.Contains(r.Err, "the plan is for ") {
		t.Errorf("at another site: exit code %d, it says\n%s", r.Code, r.Err)
	}

	clitest.Wants(t, run, 0, "service", "apply", clitest.Cities, "-f", to("5"))
	seen.Take()
	refuses(4, "changed at the site", "service", "apply", "--plan", plan)
	refuses(4, "changed at the site", "service", "apply", "--plan", plan, "--dry-run", "-o", "json")
	if r := run("placement", "apply", "--plan", rules, "--wait"); r.Code != 0 || len(seen.Take()) != 1 {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
}

// An edit that is saved as a plan is still a draft, and a plan of a version that was replaced
// restores it.
func TestEditAndRestoreSavePlans(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "healthy")
	env["EDITOR"] = "sed -i s/1800/900/"
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	folder := t.TempDir()
	edit, restore := filepath.Join(folder, "edit.json"), filepath.Join(folder, "restore.json")
	if r := clitest.Wants(t, run, 0, "service", "edit", clitest.Cities, "--save-plan", edit); !strings.Contains(r.Err, "--continue") {
		t.Errorf("it says\n%s", r.Err)
	}
	clitest.Wants(t, run, 0, "service", "apply", "--plan", edit)
	clitest.Wants(t, run, 0, "service", "restore", clitest.Cities, clitest.Oldest(t, run("service", "history", clitest.Cities, "-o", "json")), "--save-plan", restore)
	if n := len(seen.Take()); n != 1 {
		t.Errorf("%d posts", n)
	}
	clitest.Wants(t, run, 0, "service", "apply", "--plan", restore)
	if r := run("service", "get", clitest.Cities); !strings.Contains(r.Out, "1800") {
		t.Errorf("the site has\n%s", r.Out)
	}
}

// Who else restarts is said before an edit of a definition is sent, too: by every command, and to scripts.
func TestAnEditOfADefinitionSaysThatItsPodsAreShared(t *testing.T) {
	t.Parallel()
	clock, env, _ := clitest.SiteOnAWire(t, "healthy")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	old := clitest.Wants(t, run, 0, "service", "get", clitest.Cities).Out
	edited := clitest.FileOf(t, "edited.json", strings.Replace(old, `"maxIdleTime":1800`, `"maxIdleTime":900`, 1))
	for _, args := range [][]string{
		{"service", "edit", clitest.Cities, "--set", "maxIdleTime=900", "--dry-run"},
		{"service", "edit", clitest.Cities, "CoastTrees_29.MapServer", "--set", "maxIdleTime=900", "--dry-run"},
		{"service", "apply", clitest.Cities, "-f", edited, "--save-plan", filepath.Join(t.TempDir(), "plan.json")},
		{"placement", "apply", clitest.Cities, "-f", clitest.RulesOfPool(t, "spot"), "--dry-run"},
	} {
		r := clitest.Wants(t, run, 0, append(args, "-o", "json")...)
		if strings.Count(r.Err, "shares its pods, the deployment ") != 1 || !strings.Contains(r.Out, `"shared":`) {
			t.Errorf("%v says\n%s%s", args, r.Out, r.Err)
		}
	}
}

// The history on a terminal says what replaced each older version, as the screen does.
func TestTheHistorySaysWhatChanged(t *testing.T) {
	t.Parallel()
	clock, env, _ := clitest.SiteOnAWire(t, "healthy")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	for _, value := range []string{"901", "902"} {
		clitest.Wants(t, run, 0, "service", "edit", clitest.Cities, "--set", "maxIdleTime="+value)
	}
	r := clitest.Wants(t, run, 0, "service", "history", clitest.Cities)
	if !strings.Contains(r.Out, "before an edit: maxIdleTime 1800 → 901") {
		t.Errorf("it says\n%s", r.Out)
	}
	if r = clitest.RunInProcess(t, clock, env, "service", "edit", clitest.Cities, "--set", "maxIdleTime=1", "--accept", "foo"); !strings.Contains(r.Err, "The names: removed-key, ") {
		t.Errorf("it says\n%s", r.Err)
	}
}
