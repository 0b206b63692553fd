package progress_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// failingScenarios are those in which an upgrade fails, each with one that runs.
func failingScenarios(t *testing.T) (list []simulator.Scenario) {
	t.Helper()
	for _, name := range simulator.ScenarioNames() {
		s := uitest.Scenario(t, name)
		if s.Upgrades.Fail == nil {
			continue
		}
		if s.Upgrades.Other == nil {
			from := map[bool]string{true: "running-patch-fails", false: "running-release-fails"}[name == "patch-fails"]
			s.Upgrades.Other = uitest.Scenario(t, from).Upgrades.Other
		}
		list = append(list, s)
	}
	back := uitest.Scenario(t, "upgraded")
	back.Name, back.Upgrades.Fail = "rollback-fails", &simulator.UpgradeFailure{After: 2038, Nth: 1}
	return append(list, back)
}

// rollsBack starts the first rollback that a site lists.
func rollsBack(t *testing.T, site operation.Site) {
	t.Helper()
	listed, err := site.Rollbacks(t.Context())
	if err != nil || len(listed) == 0 {
		t.Fatal(listed, err)
	}
	if _, r := site.StartUpgrade(t.Context(), operation.RollbackRequest(listed[0]), nil); !r.Done() {
		t.Fatal(r.Err)
	}
}

// A12: what not to do after a failure, and which version the site has, is on the first screen of a
// small terminal: on Progress and on What now.
func TestWhatMustNotBeMissedIsOnTheFirstScreen(t *testing.T) {
	t.Parallel()
	all := failingScenarios(t)
	if len(all) < 5 {
		t.Errorf("%d scenarios fail", len(all))
	}
	for _, scenario := range all {
		t.Run(scenario.Name, func(t *testing.T) {
			t.Parallel()
			site := uitest.NewSite(t, scenario).Site
			if scenario.Upgrades.Other == nil {
				rollsBack(t, site)
			}
			s := open(t, site, 80, 18) // a notice takes a line more
			for range 1000 {
				if s.next().Ended {
					break
				}
				s.pass(time.Minute)
			}
			s.env.State = watching.NewStateReader(site).Read(t.Context(), s.env.State, watching.Refresh{Site: true, Upgrade: true})
			uitest.Drain(t, s.Model, s.Update(views.StateChanged))
			root, err := site.Client.Root(t.Context())
			if err != nil || !s.env.State.Failed() {
				t.Fatal(err, s.env.State.Upgrade.Value.Progress.Meaning)
			}
			x := incident.ExplainUpgrade(t.Context(), site, s.env.Upgrade.Snapshot, incident.Surroundings{})
			panel := uitest.Find[views.Open](t, s.Press("progress.explain")).Dialog
			panel.SetSize(78, 18)
			uitest.Drain(t, panel, panel.Init())
			for where, drawn := range map[string]string{"Progress": s.Draw(), "What now": panel.View()} {
				shown := strings.Join(strings.Fields(ansi.Strip(drawn)), " ")
				for _, sentence := range append(x.Forbidden(), root.FullVersion+".") {
					if !strings.Contains(shown, sentence) {
						t.Errorf("%s does not show %q:\n%s", where, sentence, ansi.Strip(drawn))
					}
				}
			}
			attends := func(number int) bool { // what What now names is among what needs attention
				s.Press("progress.attention")
				defer s.Press("progress.attention")
				return strings.Contains(s.Draw(), s.env.Times.Site().Clock(s.env.Upgrade.Snapshot.Log.At(number).When.Time()))
			}
			for _, e := range x.Evidence {
				if e.At.Kind == explain.Message && !attends(e.At.Number) {
					t.Errorf("f does not find %q:\n%s", e.Text, s.Draw())
				}
			}
		})
	}
}
