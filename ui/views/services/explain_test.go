package services_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/operation/nodesource"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestWhatNowSaysWhyAServiceIsDown(t *testing.T) {
	t.Parallel()
	s := open(t, "no-node")
	s.Invoke("rows.filter", "SampleWorldCities")
	s.Shows("Why            None of 14 nodes", "Next           Correct the rules:") // in the detail
	s.Press("enter tab")
	s.Shows("Placement")
	panel := uitest.Find[views.Open](t, s.Press("services.explain")).Dialog
	panel.SetSize(100, 30)
	uitest.Drain(t, panel, panel.Init())
	shown := ansi.Strip(panel.View())
	for _, want := range []string{"None of 14 nodes takes its pods: no label fits.", "Rules: Pods must run on nodes whose pool is giss", "shared-mapserver ma35ihl5mb8izp2uwo4p7: 0 of 3 pods ready", "Correct the rules: no node has pool=giss; did you mean gis? Press enter.", "is not up; at least 10 services share its pods", "At least 10 services share these pods: "} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not in\n%s", want, shown)
		}
	}
	node := "" // the first line of the evidence that names one
	for range 20 {
		uitest.Drain(t, panel, panel.Update(uitest.Key("down")))
		_, line, _ := strings.Cut(ansi.Strip(panel.View()), "› ")
		line, _, _ = strings.Cut(line, "\n")
		name, _, names := strings.Cut(line, ": pool")
		if names {
			node = name
			break
		}
	}
	shut := uitest.Find[views.Shut](t, uitest.Drain(t, panel, panel.Update(uitest.Key("enter"))))
	to := shut.Then().(views.Navigate)
	s.Invoke(to.Command, to.Argument)
	s.Shows("Placement", "›     "+node)
	s.Press("esc")
	s.Invoke("services.placement", "SampleWorldCities.MapServer") // the next step
	s.Shows("› ▲     pool")
}

// A step that is guessed before the site was read may lead elsewhere than the one that is found.
func TestWhatNowOffersNoStepBeforeTheSiteWasRead(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "no-node"), uitest.Sizes[0]).cities()
	panel := uitest.Find[views.Open](t, s.Press("services.explain")).Dialog
	panel.SetSize(100, 30)
	if up := uitest.Drain(t, panel, panel.Update(uitest.Key("enter"))); len(up) > 0 {
		t.Errorf("enter leads to %v", up)
	}
	uitest.Drain(t, panel, panel.Init())
	if shown := ansi.Strip(panel.View()); !strings.Contains(shown, "Correct the rules: no node has pool=giss") {
		t.Error(shown)
	}
}

func TestTheKeysThatAnExplanationNamesWorkWhereItStands(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "no-node"), uitest.Sizes[0])
	s.nodes = nodesource.Source{}
	s = s.restart().cities()
	s.Press("shift+tab")
	s.Shows("Load the nodes to check placement. Press L.")
	if s.hint("services.explain") == "" || s.hint("services.nodes-why") == "" {
		t.Error("the footer has no key for what now, or none to load the nodes")
	}
	s.Asks(s.Press("services.nodes-why"), "Load nodes from")
}

// A service that should run is started again, from the panel and from the list; it can be stopped.
func TestTheKeyOfTheNextStepStartsAServiceThatIsDown(t *testing.T) {
	t.Parallel()
	s := open(t, "services-down")
	s.Press("rows.top h")
	s.Shows("▸ Down")
	if shown := s.whatNow(); !strings.Contains(shown, "PrintingTools.GPServer is not up") {
		t.Errorf("on the heading of what is down: %s", shown)
	}
	s.Press("rows.toggle")
	s.Invoke("rows.filter", "PrintingTools")
	s.Press("down")
	starts := []string{"PrintingTools.GPServer: stopped, should run."}
	s.Asks(s.Press("services.switch"), starts...)
	s.Asks(s.Answer(s.Press("services.switch"), "enter"), "Start Utilities/PrintingTools.GPServer again", "memory and CPU")
	panel := uitest.Find[views.Open](t, s.Press("services.explain")).Dialog
	panel.SetSize(100, 30)
	uitest.Drain(t, panel, panel.Init())
	shut := uitest.Find[views.Shut](t, uitest.Drain(t, panel, panel.Update(uitest.Key("S"))))
	to := shut.Then().(views.Navigate)
	s.Asks(s.Invoke(to.Command, to.Argument), starts...)
	stop := s.Answer(s.Press("services.switch"), "down enter")
	s.Asks(stop, "Stop Utilities/PrintingTools.GPServer at", "stays stopped")
	s.Tells(s.named(stop, "Utilities/PrintingTools"), "is stopped")
	s.Shows("○ stopped")
}

// whatNow opens the panel and returns what it shows once the site was read.
func (s *screen) whatNow() string {
	s.t.Helper()
	panel := uitest.Find[views.Open](s.t, s.Press("W")).Dialog
	panel.SetSize(200, 40)
	uitest.Drain(s.t, panel, panel.Init())
	return ansi.Strip(panel.View())
}

// What was sent and did not end well has one verdict, on its page and in What now.
func TestWhatNowSaysWhatBecameOfAnEdit(t *testing.T) {
	t.Parallel()
	for scenario, texts := range map[string][]string{
		"edit-fails":                     {"The site still has the old definition.", "Press enter for the state of"},
		"edit-fails-applied":             {"were not ready. The site has the new definition anyway.", "History has the version before"},
		"edit-answer-lost-not-performed": {"still has the old definition", "Do not     send it again at once", "on, look for it once more"},
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			s := open(t, scenario).cities().set("description", "Other words.")
			s.send()
			shown := s.whatNow()
			for _, text := range texts {
				if !strings.Contains(shown, text) {
					t.Errorf("%q is not in\n%s", text, shown)
				}
			}
			if !strings.Contains(scenario, "lost") { // the result is in the way of nothing
				s.Invoke("services.status", "SampleWorldCities.MapServer")
				s.Shows("[Status]")
				s.Press("esc")
				s.Invoke("services.history", "SampleWorldCities.MapServer")
				s.Shows("[History]")
			}
		})
	}
}

func TestWhatNowExplainsPodsThatWaitAfterAWrite(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "edit-slow"), uitest.Sizes[0]).cities().set("maxInstancesPerNode", "6")
	s.Press("services.write")
	s.rest = []tea.Cmd{uitest.AnswerOnly(t, s.ask(), yes...)}
	s.until("The service does not answer yet: stopped, should run")
	if shown := s.whatNow(); !strings.Contains(shown, "It restarts: the edit ended at") || !strings.Contains(shown, "Press R") {
		t.Error(shown)
	}
}
