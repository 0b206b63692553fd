package service_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest/clitest"
)

// C3: a misspelt key and a value of another type are findings of every command that edits, with the
// key that was likely meant.
func TestCommandsSayWhichKeyIsUnknownAndWhichIsMeant(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "healthy")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	const unknown = "caution, unknown key: No known MapServer definition has this key. Did you mean maxRecordCount?"
	set := []string{"--set", "properties.maxRecrdCount=2000", "--dry-run", "--accept", "unknown-key"}
	if r := clitest.Wants(t, run, 4, "service", "edit", clitest.Cities, "--set", "properties.maxRecrdCount=2000"); !strings.Contains(r.Err, "--accept unknown-key  caution: ") || !strings.Contains(r.Err, "Did you mean maxRecordCount?") {
		t.Errorf("it is refused with\n%s", r.Err)
	}
	r := clitest.Wants(t, run, 0, append([]string{"service", "edit", clitest.Cities}, set...)...)
	if !strings.Contains(r.Out, unknown) {
		t.Errorf("it says\n%s", r.Out)
	}
	r = clitest.Wants(t, run, 0, append([]string{"service", "edit", clitest.Cities, clitest.Caching}, set...)...)
	if !strings.Contains(r.Out, unknown) || strings.Count(r.Out, "caution, unknown key: No known ") != 2 {
		t.Errorf("of two services it says\n%s", r.Out)
	}
	r = clitest.Wants(t, run, 0, "service", "edit", clitest.Cities, "--set", "properties.enableDynamicLayers=20O0", "--dry-run", "--accept", "other-type")
	if !strings.Contains(r.Out, "caution, other type: Elsewhere true or false; this is a text.") {
		t.Errorf("it says\n%s", r.Out)
	}

	whole := clitest.Wants(t, run, 0, "service", "get", clitest.Cities)
	file := filepath.Join(t.TempDir(), "definition.json")
	if err := os.WriteFile(file, []byte(strings.Replace(whole.Out, `"maxWaitTime"`, `"maxWaitTme":60,"maxWaitTime"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	type review struct {
		Risks []struct{ Path, Label, Text string }
	}
	r = clitest.Wants(t, run, 0, "service", "apply", clitest.Cities, "-f", file, "--dry-run", "-o", "json", "--accept", "unknown-key")
	if risks := clitest.ItemsOf[review](t, r)[0].Risks; len(risks) != 1 || risks[0].Path != "maxWaitTme" || !strings.HasSuffix(risks[0].Text, "Did you mean maxWaitTime?") {
		t.Errorf("it says\n%s", r.Out)
	}
	if posts := seen.Take(); len(posts) > 0 {
		t.Error(posts)
	}
}

// A service that is misspelt is answered by the one that was likely meant, in every command, and nothing is sent.
func TestCommandsSayWhichServiceIsMeant(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "healthy")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	for _, words := range []string{"service get", "service status", "service explain", "service start", "placement get", "placement pods"} {
		r := clitest.Wants(t, run, 2, append(strings.Fields(words), "SampleWorldCites.MapServer")...)
		if !strings.Contains(r.Err, "Did you mean SampleWorldCities.MapServer?") {
			t.Errorf("%s says\n%s", words, r.Err)
		}
	}
	for _, args := range [][]string{{"SampleWorldCites.MapServer"}, {clitest.Caching, "SampleWorldCites.MapServer"}} {
		r := run(append(append([]string{"service", "edit"}, args...), "--set", "maxIdleTime=7")...)
		if !strings.Contains(r.Out+r.Err, "Did you mean SampleWorldCities.MapServer?") {
			t.Errorf("an edit says\n%s%s", r.Out, r.Err)
		}
	}
	if r := run("service", "get", "Nothing/Like.This"); strings.Contains(r.Err, "Did you mean") {
		t.Errorf("what nothing is like: %s", r.Err)
	}
	if posts := seen.Take(); len(posts) > 1 { // the start that the site refused
		t.Errorf("sent were %v", posts)
	}
}

// A service that is there is not proposed in its own place, whatever the site says of a request about it.
func TestAServiceThatIsThereIsNotProposed(t *testing.T) {
	t.Parallel()
	scenario, _ := simulator.BuiltIn("healthy")
	scenario.Faults = append(scenario.Faults, simulator.Fault{Path: "admin/services/*/stop", Method: "POST", What: "status", Status: 404})
	clock := simtest.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server := clitest.NewSite(t, simulator.Options{Scenario: scenario, Clock: clock})
	env := map[string]string{"GEODECK_URL": server.URL(), "GEODECK_TOKEN": clitest.TokenOf(t, server, 0)}
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	if r := clitest.Wants(t, run, 2, "service", "stop", clitest.Cities, "--confirm", "SampleWorldCities"); strings.Contains(r.Err, "Did you mean") {
		t.Errorf("it says\n%s", r.Err)
	}
}

// A batch says before it is sent which of its services do not run.
func TestABatchSaysWhichServicesDoNotRun(t *testing.T) {
	t.Parallel()
	clock, env, _ := clitest.SiteOnAWire(t, "services-down")
	r := clitest.RunInProcess(t, clock, env, "service", "edit", clitest.Cities, "Utilities/Geometry.GeometryServer", "Utilities/PrintingTools.GPServer",
		"--set", "maxIdleTime=7", "--dry-run")
	if !strings.Contains(r.Err, "warning: not running before the edit: Utilities/Geometry.GeometryServer (stopped), Utilities/PrintingTools.GPServer (stopped, should run)") {
		t.Errorf("it says\n%s", r.Err)
	}
}
