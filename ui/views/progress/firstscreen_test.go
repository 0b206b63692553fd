package progress_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

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
	return list
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
		})
	}
}
