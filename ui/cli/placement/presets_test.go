package placement_test

import (
	"encoding/json"
	"strings"
	"testing"

	"geodeck/ui/uitest/clitest"
)

func TestAPresetIsAppliedAsItIsShown(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "healthy")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	preset := []string{"placement", "apply", clitest.Cities, "--preset", "dedicated", "--key", "pool", "--value", "spot", "--nodes", "../testdata/nodes.json", "--accept", "one-node"}
	shown, _ := clitest.ShownRequest(t, run(append(preset, "--dry-run", "-o", "json")...), env["GEODECK_TOKEN"])
	clitest.Wants(t, run, 0, preset...)
	if posts := seen.Take(); len(posts) != 1 || posts[0] != shown || !strings.Contains(posts[0].Form, "spot") {
		t.Errorf("sent was\n%v\nshown was\n%v", posts, shown)
	}

	// The rules that are shown are a file for apply that changes nothing more.
	clitest.Wants(t, run, 0, "placement", "apply", clitest.Cities, "--preset", "gpu")
	r := clitest.Wants(t, run, 0, "placement", "presets", "gpu", "-o", "json")
	var one struct{ Rules json.RawMessage }
	if err := json.Unmarshal([]byte(r.Out), &one); err != nil {
		t.Fatal(err, r.Out)
	}
	clitest.Wants(t, run, 0, "placement", "apply", clitest.Cities, "-f", clitest.FileOf(t, "gpu.json", string(one.Rules)))
	seen.Take()
	if r = clitest.Wants(t, run, 0, "placement", "apply", clitest.Cities, "-f", clitest.FileOf(t, "gpu.json", string(one.Rules))); len(seen.Take()) > 0 {
		t.Errorf("it says\n%s", r.Out)
	}
	if r = clitest.Wants(t, run, 0, "placement", "presets", "--nodes", "../testdata/nodes.json"); strings.Count(r.Out, "\n") != 7 || !strings.Contains(r.Out, "dedicated") {
		t.Errorf("it says\n%s", r.Out)
	}
}

func TestRulesAreCopiedFromAnotherService(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "healthy")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	const symbols, printing = "Utilities/Symbols.GPServer", "Utilities/PrintingTools.GPServer"
	clitest.Wants(t, run, 0, "placement", "apply", clitest.Cities, "-f", clitest.RulesOfPool(t, "spot"))
	seen.Take()
	several := []string{"placement", "apply", symbols, printing, "--from", clitest.Cities, "--deployment", "GPServer", "-o", "json"}
	r := clitest.Wants(t, run, 0, several...)
	posts := seen.Take()
	if n := strings.Count(clitest.Outcomes(t, r), "done+"); n == 0 || n != len(posts) || !strings.Contains(posts[0].Form, "spot") {
		t.Errorf("sent was %v, it says\n%s", posts, r.Out)
	}
	if r = clitest.Wants(t, run, 0, several...); len(seen.Take()) > 0 {
		t.Errorf("once more it says\n%s", r.Out)
	}
}

func TestPresetsThatDoNotFitSendNothing(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "healthy")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	for _, c := range []struct {
		code      int
		args, why string
	}{
		{2, "apply " + clitest.Cities + " --preset nosuch", "geodeck placement presets"},
		{2, "presets nosuch", `there is no preset "nosuch"`},
		{2, "apply " + clitest.Cities + " --preset zone", "say --value, the zone"},
		{2, "apply " + clitest.Cities + " --preset gpu --value x", "takes no --value"},
		{2, "apply " + clitest.Cities + " --preset anywhere --key x", "takes no --key"},
		{2, "apply " + clitest.Cities + " --preset gpu --deployment Nosuch", "--deployment "},
		{2, "apply " + clitest.Cities + " --preset gpu --from " + clitest.Cities, "from"},
		{2, "apply " + clitest.Cities + " --from " + clitest.Cities + " --key x", "key"},
		{2, "apply " + clitest.Cities + " -f ../testdata/rules.json --preset gpu", "preset"},
		{2, "apply " + clitest.Cities + " --from " + clitest.Nosuch, "no such service"},
		{2, "apply " + clitest.Cities + " " + clitest.Nosuch + " --preset gpu", "1 service cannot take it; nothing was sent"},
		{4, "apply " + clitest.Cities + " --preset dedicated --key nosuch --value x --nodes ../testdata/nodes.json", "--accept no-node  danger: "},
	} {
		r := clitest.Wants(t, run, c.code, append([]string{"placement"}, strings.Fields(c.args)...)...)
		if posts := seen.Take(); len(posts) > 0 || !strings.Contains(r.Err, c.why) {
			t.Errorf("%s: sent was %v, it says\n%s", c.args, posts, r.Err)
		}
	}
}
