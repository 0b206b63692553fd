package services_test

import (
	"cmp"
	"os"
	"slices"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/theme"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services"
)

func TestMain(m *testing.M) {
	uitest.SetUp()
	os.Exit(m.Run())
}

// screen is the view under test on a site whose requests are counted.
type screen struct {
	*services.Model
	*uitest.Screen
	t    testing.TB
	env  *views.Env
	site operation.Site
	wire *uitest.Wire
	size uitest.Size

	theme *theme.Theme // nil for one without colors
	nodes nodesource.Source
	rest  []tea.Cmd // what goes on for ever
}

// open shows the view on a site of a scenario and lets it come to rest.
func open(t testing.TB, scenario string, faults ...simulator.Fault) *screen {
	t.Helper()
	return openAt(t, uitest.Scenario(t, scenario, faults...), uitest.Sizes[1])
}

func openAt(t testing.TB, scenario simulator.Scenario, size uitest.Size) *screen {
	t.Helper()
	sim := uitest.NewSite(t, scenario)
	site, wire := sim.Counted(t)
	return openOn(t, &screen{t: t, site: site, wire: wire, nodes: nodesource.Source{Demo: sim.Server.Nodes}}, size)
}

// openOn shows a new view on the site of a screen.
func openOn(t testing.TB, s *screen, size uitest.Size) *screen {
	t.Helper()
	next := *s
	next.size = size
	next.env = uitest.Env(t, s.site, cmp.Or(s.theme, uitest.Theme()))
	uitest.Refresh(next.env)
	next.env.Nodes = s.nodes
	next.setenv("VISUAL", "true")
	if s.env != nil {
		next.env.Getenv = s.env.Getenv
	}
	next.Model = services.New(next.env)
	next.Screen = uitest.NewScreen(t, next.Model, size.Width, size.Height)
	next.Start()
	return &next
}

// upgrades has the state of the site say what its newest run does.
func (s *screen) upgrades(meaning progress.State, kind progress.RunKind) {
	run := watching.Upgrade{Progress: progress.Progress{Meaning: meaning, Kind: kind}}
	s.env.State.Upgrade = adminapi.FactOf(s.env.Clock.Now(), run, nil)
	s.drain(s.Update(views.StateChanged))
}

// restart is the view of a new start of the program, on the same machine.
func (s *screen) restart() *screen { return openOn(s.t, s, s.size) }

// cities enters the sample service.
func (s *screen) cities() *screen {
	s.t.Helper()
	s.Invoke("services.open", "SampleWorldCities.MapServer")
	s.Shows("Definition", "Placement", "History", "Status")
	return s
}

// set gives the value at a path another one, as text.
func (s *screen) set(path, value string) *screen {
	s.t.Helper()
	s.Invoke("jsonedit.go", path)
	s.Press("jsonedit.edit ctrl+u")
	s.Type(value)
	s.Press("enter")
	return s
}

// ask accepts what was found, and asks whether to send.
func (s *screen) ask() []tea.Msg {
	s.t.Helper()
	s.AcceptAll(s.site.Clock)
	return s.Press("services.send")
}

// send reviews, confirms and sends.
func (s *screen) send() []tea.Msg {
	s.t.Helper()
	s.Press("services.write")
	s.Shows("review")
	return s.Answer(s.ask(), "y")
}

// edits is how many edits were sent.
func (s *screen) edits() int { return s.wire.Sent("POST edit") }

// sent fails unless so many edits were sent.
func (s *screen) sent(want int) {
	s.t.Helper()
	if n := s.edits(); n != want {
		s.t.Fatalf("%d edits were sent, want %d", n, want)
	}
}

// drain runs commands with all that follows from them.
func (s *screen) drain(cmds ...tea.Cmd) (up []tea.Msg) {
	s.t.Helper()
	for _, cmd := range cmds {
		up = append(up, uitest.Drain(s.t, s.Model, cmd)...)
	}
	return up
}

// do runs a command without what follows from it.
func (s *screen) do(id, argument string) tea.Cmd { return views.Invoke(s.Model, id, argument) }

// hints are those of the footer.
func (s *screen) hints() []views.Hint { return views.Footer(s.Commands(), s.Footer()...) }

// hint is the word of a command in the footer, empty where it is not there.
func (s *screen) hint(id string) string {
	if hints := views.Footer(s.Commands(), id); slices.Contains(s.Footer(), id) && len(hints) > 0 {
		return hints[0].Text
	}
	return ""
}

// named types the name of a service, which stops it, into the question that was asked.
func (s *screen) named(up []tea.Msg, name string) []tea.Msg {
	s.t.Helper()
	return uitest.Answer(s.t, s.Model, up, append(uitest.Text(name), uitest.Key("enter"))...)
}
