package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wants runs a command line that ends with a code.
func wants(t *testing.T, run func(args ...string) result, code int, args ...string) result {
	t.Helper()
	r := run(args...)
	if r.code != code {
		t.Fatalf("%v: exit code %d, it says\n%s%s", args, r.code, r.out, r.err)
	}
	return r
}

// A plan may hold secrets, and nothing else does: not what is printed, and not the debug file.
func TestAPlanIsAppliedExactlyAndPrintsNoSecret(t *testing.T) {
	t.Parallel()
	clock, env, seen := siteOnAWire(t, "healthy")
	debug := filepath.Join(t.TempDir(), "debug.jsonl")
	run := func(args ...string) result {
		r := runInProcess(t, clock, env, append(args, "--debug", debug)...)
		if strings.Contains(r.out+r.err, "hunter") {
			t.Errorf("%v prints a secret:\n%s%s", args, r.out, r.err)
		}
		return r
	}
	old := wants(t, run, 0, "service", "get", cities).out
	edited := fileOf(t, "edited.json", strings.Replace(old, `"maxRecordCount":4000`, `"maxRecordCount":2000,"password":"hunter-1"`, 1))
	shown, _ := shownRequest(t, run("service", "apply", cities, "-f", edited, "--dry-run", "-o", "json"), env["GEODECK_TOKEN"])
	plan := filepath.Join(t.TempDir(), "plan.json")
	if r := wants(t, run, 0, "service", "apply", cities, "-f", edited, "--save-plan", plan); !strings.Contains(r.out, "\nApply it: geodeck service apply --plan "+plan+" --url ") {
		t.Errorf("it says\n%s", r.out)
	}
	if info, err := os.Stat(plan); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	apply := []string{"service", "apply", "--plan", plan}
	again, _ := shownRequest(t, run(append(apply, "--dry-run", "-o", "json")...), env["GEODECK_TOKEN"])
	if posts := seen.take(); len(posts) > 0 || again != shown {
		t.Errorf("sent was %v, the plan would send\n%v\nnot\n%v", posts, again, shown)
	}
	wants(t, run, 0, apply...)
	posts := seen.take()
	if len(posts) != 1 || strings.Replace(posts[0].form, "hunter-1", "%5Bsecret%5D", 1) != shown.form {
		t.Errorf("sent was %v", posts)
	}
	for _, form := range []string{"table", "json"} {
		wants(t, run, 0, append(apply, "-o", form)...)
		wants(t, run, 2, "service", "apply", cities, "-f", fileOf(t, "old.json", old), "--allow-lost", "properties.password", "--save-plan", plan, "-o", form) // the file exists
	}
	if posts := seen.take(); len(posts) > 0 {
		t.Errorf("what the site has already is sent again: %v", posts)
	}
	noSecretIn(t, debug, []string{"hunter"})
}

func TestAPlanThatDoesNotFitSendsNothing(t *testing.T) {
	t.Parallel()
	clock, env, seen := siteOnAWire(t, "healthy")
	run := func(args ...string) result { return runInProcess(t, clock, env, args...) }
	old := wants(t, run, 0, "service", "get", cities).out
	to := func(count string) string {
		return fileOf(t, "edited.json", strings.Replace(old, `"maxRecordCount":4000`, `"maxRecordCount":`+count, 1))
	}
	saved := func(args ...string) string {
		path := filepath.Join(t.TempDir(), "plan.json")
		wants(t, run, 0, append(args, "--save-plan", path)...)
		return path
	}
	plan, rules := saved("service", "apply", cities, "-f", to("2000")), saved("placement", "apply", cities, "-f", rulesOfPool(t, "spot"))
	content, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	changed := fileOf(t, "changed.json", strings.Replace(string(content), "2000", "2001", 1))
	refuses := func(code int, why string, args ...string) {
		t.Helper()
		r := wants(t, run, code, args...)
		if posts := seen.take(); len(posts) > 0 || !strings.Contains(r.err, why) {
			t.Errorf("%v: sent was %v, it says\n%s", args, posts, r.err)
		}
	}
	refuses(4, "was changed since it was saved", "service", "apply", "--plan", changed)
	refuses(2, "not a plan that geodeck has saved", "service", "apply", "--plan", to("3"))
	refuses(2, "geodeck placement apply --plan ", "service", "apply", "--plan", rules)
	refuses(2, "unexpected argument", "service", "apply", cities, "--plan", plan)
	refuses(2, "file", "service", "apply", "--plan", plan, "-f", to("3"))
	refuses(2, "save-plan", "service", "apply", cities, "-f", to("3"), "--dry-run", "--save-plan", plan)
	refuses(2, "missing", "service", "apply", "-f", to("3"))
	refuses(4, "read-only", "service", "apply", "--plan", plan, "--read-only")
	refuses(4, "none of the ", "placement", "apply", "--plan", saved("placement", "apply", cities, "-f", rulesOfPool(t, "nowhere")), "--nodes", "testdata/nodes.json")

	elsewhere := map[string]string{"GEODECK_URL": "http://127.0.0.1:1/geodeck/admin", "GEODECK_TOKEN": "t"}
	if r := runInProcess(t, clock, elsewhere, "service", "apply", "--plan", plan); r.code != 4 || !strings.Contains(r.err, "the plan is for ") {
		t.Errorf("at another site: exit code %d, it says\n%s", r.code, r.err)
	}

	wants(t, run, 0, "service", "apply", cities, "-f", to("5"))
	seen.take()
	refuses(4, "changed at the site", "service", "apply", "--plan", plan)
	refuses(4, "changed at the site", "service", "apply", "--plan", plan, "--dry-run", "-o", "json")
	if r := run("placement", "apply", "--plan", rules, "--wait"); r.code != 0 || len(seen.take()) != 1 {
		t.Errorf("exit code %d, it says\n%s%s", r.code, r.out, r.err)
	}
}

// An edit that is saved as a plan is still a draft, and a plan of a version that was replaced
// restores it.
func TestEditAndRestoreSavePlans(t *testing.T) {
	t.Parallel()
	clock, env, seen := siteOnAWire(t, "healthy")
	env["EDITOR"] = "sed -i s/1800/900/"
	run := func(args ...string) result { return runInProcess(t, clock, env, args...) }
	folder := t.TempDir()
	edit, restore := filepath.Join(folder, "edit.json"), filepath.Join(folder, "restore.json")
	if r := wants(t, run, 0, "service", "edit", cities, "--save-plan", edit); !strings.Contains(r.err, "--continue") {
		t.Errorf("it says\n%s", r.err)
	}
	wants(t, run, 0, "service", "apply", "--plan", edit)
	wants(t, run, 0, "service", "restore", cities, oldest(t, run("service", "history", cities, "-o", "json")), "--save-plan", restore)
	if n := len(seen.take()); n != 1 {
		t.Errorf("%d posts", n)
	}
	wants(t, run, 0, "service", "apply", "--plan", restore)
	if r := run("service", "get", cities); !strings.Contains(r.out, "1800") {
		t.Errorf("the site has\n%s", r.out)
	}
}
