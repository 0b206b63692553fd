package health_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest/clitest"
)

// reportIDs are the ids of the reports that a site lists.
func reportIDs(t *testing.T, clock simulator.Clock, env map[string]string) []string {
	t.Helper()
	return clitest.IDsIn(t, clitest.RunInProcess(t, clock, env, "health", "reports", "-o", "json"))
}

func TestReportsAreDeletedByTheirIds(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "healthy")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	before := reportIDs(t, clock, env)
	for _, ids := range [][]string{before[:1], before[2:4]} {
		shown, _ := clitest.ShownRequest(t, run(append([]string{"health", "delete", "--dry-run", "-o", "json"}, ids...)...), env["GEODECK_TOKEN"])
		if posts := seen.Take(); len(posts) > 0 {
			t.Fatalf("a dry run sent %v", posts)
		}
		r := run(append([]string{"health", "delete", ids[0]}, ids...)...) // one twice
		if posts := seen.Take(); r.Code != 0 || len(posts) != 1 || posts[0] != shown || !strings.Contains(r.Out, "done: deleted "+strings.Join(ids, ", ")) {
			t.Errorf("exit code %d, sent was %v, shown was %v, it says\n%s%s", r.Code, posts, shown, r.Out, r.Err)
		}
		for _, id := range ids {
			if slices.Contains(reportIDs(t, clock, env), id) {
				t.Errorf("%s is still there", id)
			}
		}
	}
	if after := reportIDs(t, clock, env); len(after) != len(before)-3 {
		t.Errorf("%d reports of %d are left", len(after), len(before))
	}
}

func TestADeletionWithAnUnknownIdSendsNothing(t *testing.T) {
	t.Parallel()
	clock, env, seen := clitest.SiteOnAWire(t, "healthy")
	id := reportIDs(t, clock, env)[0]
	for _, c := range []struct {
		code int
		args []string
		says string
	}{
		{2, []string{id, id[:4]}, "the site has no report " + id[:4] + "; nothing was sent\nList them: geodeck health reports --url "},
		{4, []string{id, "--read-only"}, "read-only"},
		{2, nil, "an argument is missing"},
	} {
		r := clitest.RunInProcess(t, clock, env, append([]string{"health", "delete"}, c.args...)...)
		if posts := seen.Take(); r.Code != c.code || !strings.Contains(r.Err, c.says) || len(posts) > 0 {
			t.Errorf("%v: exit code %d, sent was %v, it says\n%s", c.args, r.Code, posts, r.Err)
		}
	}
}

// What became of a deletion without an answer is read from the list of reports.
func TestADeletionWithoutAnAnswerIsLookedFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		fault simulator.Fault
		code  int
		says  string
	}{
		{"arrived", simulator.Fault{What: "close", Performed: true}, 0, "it has arrived: only the answer was lost"},
		{"gone", simulator.Fault{What: "close"}, 6, "the site still has 1 of 1 report; checked for 30 s\nCheck before you send it again: geodeck health reports --url "},
		{"answered", simulator.Fault{What: "status", Status: 500}, 4, "nothing has begun in the 30 s since"},
		{"refused", simulator.Fault{What: "status", Status: 403}, 4, "403"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			scenario, _ := simulator.BuiltIn("healthy")
			c.fault.Path, c.fault.Method = "admin/healthCheck/reports/*/delete", "POST"
			scenario.Faults = append(scenario.Faults, c.fault)
			clock := simtest.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
			server := clitest.NewSite(t, simulator.Options{Scenario: scenario, Clock: clock})
			env := map[string]string{"GEODECK_URL": server.URL(), "GEODECK_TOKEN": clitest.TokenOf(t, server, 0)}
			r := clitest.RunInProcess(t, clock, env, "health", "delete", reportIDs(t, clock, env)[0])
			if r.Code != c.code || !strings.Contains(r.Out+r.Err, c.says) {
				t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
			}
		})
	}
}
