package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAPresetIsAppliedAsItIsShown(t *testing.T) {
	t.Parallel()
	clock, env, seen := siteOnAWire(t, "healthy")
	run := func(args ...string) result { return runInProcess(t, clock, env, args...) }
	preset := []string{"placement", "apply", cities, "--preset", "dedicated", "--key", "pool", "--value", "spot", "--nodes", "testdata/nodes.json"}
	shown, _ := shownRequest(t, run(append(preset, "--dry-run", "-o", "json")...), env["GEODECK_TOKEN"])
	wants(t, run, 0, preset...)
	if posts := seen.take(); len(posts) != 1 || posts[0] != shown || !strings.Contains(posts[0].form, "spot") {
		t.Errorf("sent was\n%v\nshown was\n%v", posts, shown)
	}

	// The rules that are shown are a file for apply that changes nothing more.
	wants(t, run, 0, "placement", "apply", cities, "--preset", "gpu")
	r := wants(t, run, 0, "placement", "presets", "gpu", "-o", "json")
	var one struct{ Rules json.RawMessage }
	if err := json.Unmarshal([]byte(r.out), &one); err != nil {
		t.Fatal(err, r.out)
	}
	wants(t, run, 0, "placement", "apply", cities, "-f", fileOf(t, "gpu.json", string(one.Rules)))
	seen.take()
	if r = wants(t, run, 0, "placement", "apply", cities, "-f", fileOf(t, "gpu.json", string(one.Rules))); len(seen.take()) > 0 {
		t.Errorf("it says\n%s", r.out)
	}
	if r = wants(t, run, 0, "placement", "presets", "--nodes", "testdata/nodes.json"); strings.Count(r.out, "\n") != 7 || !strings.Contains(r.out, "dedicated") {
		t.Errorf("it says\n%s", r.out)
	}
}

func TestRulesAreCopiedFromAnotherService(t *testing.T) {
	t.Parallel()
	clock, env, seen := siteOnAWire(t, "healthy")
	run := func(args ...string) result { return runInProcess(t, clock, env, args...) }
	const symbols, printing = "Utilities/Symbols.GPServer", "Utilities/PrintingTools.GPServer"
	wants(t, run, 0, "placement", "apply", cities, "-f", rulesOfPool(t, "spot"))
	seen.take()
	several := []string{"placement", "apply", symbols, printing, "--from", cities, "--deployment", "GPServer", "-o", "json"}
	r := wants(t, run, 0, several...)
	posts := seen.take()
	if n := strings.Count(outcomes(t, r), "done+"); n == 0 || n != len(posts) || !strings.Contains(posts[0].form, "spot") {
		t.Errorf("sent was %v, it says\n%s", posts, r.out)
	}
	if r = wants(t, run, 0, several...); len(seen.take()) > 0 {
		t.Errorf("once more it says\n%s", r.out)
	}
}

func TestPresetsThatDoNotFitSendNothing(t *testing.T) {
	t.Parallel()
	clock, env, seen := siteOnAWire(t, "healthy")
	run := func(args ...string) result { return runInProcess(t, clock, env, args...) }
	for _, c := range []struct {
		code      int
		args, why string
	}{
		{2, "apply " + cities + " --preset nosuch", "geodeck placement presets"},
		{2, "presets nosuch", "there is no preset nosuch"},
		{2, "apply " + cities + " --preset zone", "say --value, the zone"},
		{2, "apply " + cities + " --preset gpu --value x", "takes no --value"},
		{2, "apply " + cities + " --preset anywhere --key x", "takes no --key"},
		{2, "apply " + cities + " --preset gpu --deployment Nosuch", "--deployment "},
		{2, "apply " + cities + " --preset gpu --from " + cities, "from"},
		{2, "apply " + cities + " --from " + cities + " --key x", "key"},
		{2, "apply " + cities + " -f testdata/rules.json --preset gpu", "preset"},
		{2, "apply " + cities + " --from " + nosuch, "no such service"},
		{2, "apply " + cities + " " + nosuch + " --preset gpu", "1 service cannot take it; nothing was sent"},
		{4, "apply " + cities + " --preset dedicated --key nosuch --value x --nodes testdata/nodes.json", "none of the "},
	} {
		r := wants(t, run, c.code, append([]string{"placement"}, strings.Fields(c.args)...)...)
		if posts := seen.take(); len(posts) > 0 || !strings.Contains(r.err, c.why) {
			t.Errorf("%s: sent was %v, it says\n%s", c.args, posts, r.err)
		}
	}
}
