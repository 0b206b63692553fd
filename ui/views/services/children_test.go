package services

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/placement"
	"geodeck/ui/widget/rows"
)

var sample = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

// childOf is the list of a scenario without its view, and what it led to.
type childOf struct {
	*list
	*uitest.Part
	inks   rows.Inks
	states *states
	opened []string
}

func (c *childOf) Commands() []views.Command { return c.list.rows() }
func (c *childOf) CapturesText() bool        { return c.catalog.list.Typing() }
func (c *childOf) SetSize(width, height int) { c.list.SetSize(width-2*margin, height) }

func (c *childOf) Update(msg tea.Msg) tea.Cmd {
	if key, typed := msg.(tea.KeyMsg); typed {
		c.catalog.list.Type(key)
		return nil
	}
	cmd, _ := c.list.Update(msg)
	return cmd
}

func listOf(t *testing.T, scenario string) *childOf {
	t.Helper()
	site, _ := uitest.NewSite(t, uitest.Scenario(t, scenario)).Counted(t)
	base := views.NewBase(uitest.Env(t, site, uitest.Theme()))
	t.Cleanup(base.Scope.Close)
	c := &childOf{inks: rows.NewInks(base.Env.Theme)}
	c.states = newStates(base.Child(), &c.inks, editor.NewDrafts(base.Child()), cluster.NewDeployments())
	open := func(how string) func(adminapi.ServiceRef) tea.Cmd {
		return func(s adminapi.ServiceRef) tea.Cmd { c.opened = append(c.opened, how+s.Path()); return nil }
	}
	c.list = newList(base.Child(), &c.inks, c.states, &writable{base.Child()}, listEnds{open: open(""), openOutside: open("outside "), openMarked: open("marked "),
		resume: func(batching.Interrupted) tea.Cmd { return nil }, follow: func() tea.Cmd { return nil }})
	c.Part = uitest.NewPart(t, c, 120, 35)
	uitest.Drain(t, c, c.catalog.load())
	return c
}

func TestTheListLeadsToAServiceByTheKeyThatWasPressed(t *testing.T) {
	t.Parallel()
	c := listOf(t, "healthy")
	c.Invoke("rows.filter", "SampleWorldCities")
	c.Shows("SampleWorldCities", "started")
	c.Invoke("services.enter", "")
	c.Invoke("services.edit-outside", "")
	c.Invoke("rows.mark", "")
	c.Invoke("services.many-first", "") // one alone is no batch
	c.Invoke("services.unmark", "")
	c.catalog.list.SetFilter("")
	c.catalog.markOnly(c.catalog.services()[:2])
	c.Invoke("services.many-first", "")
	path := sample.Path()
	if want := []string{path, "outside " + path, path, "marked " + c.catalog.services()[0].Path()}; !slices.Equal(c.opened, want) {
		t.Errorf("it leads to %q, want %q", c.opened, want)
	}
}

func TestTheListAsksBeforeAServiceStops(t *testing.T) {
	t.Parallel()
	c := listOf(t, "healthy")
	c.Asks(c.Invoke("services.switch", sample.Path()), "Stop "+sample.Path(), "Users lose access")
	c.Tells(c.Invoke("services.switch", "No/Such.MapServer"), "No service No/Such.MapServer in the list.")
}

// What is known of services says so without a list: a restart explains what is down until it is over.
func TestStatesSayWhatIsKnown(t *testing.T) {
	t.Parallel()
	c := listOf(t, "services-down")
	states, path := c.states, sample.Path()
	drawn := 0
	states.changed = func() { drawn++ }
	down := ""
	for of, known := range states.known {
		if known.Down() {
			down = of
		}
	}
	if down == "" {
		t.Fatal("no service of the scenario is down")
	}
	if _, text, _ := states.stateOf(down); text != "stopped, should run" || states.rank(down) >= states.rank(path) {
		t.Errorf("%s is %q, of rank %d", down, text, states.rank(down))
	}
	states.noteEdit(down, explain.RestartAfter(adminapi.MillisOf(states.Env.Times.Site().Now())))
	if _, text, _ := states.stateOf(down); text != "restarting" || drawn != 1 {
		t.Errorf("after an edit it is %q, and drawn %d times", text, drawn)
	}
	states.forgetState(sample)
	if _, text, _ := states.stateOf(path); text != "" || !states.unknown(path) {
		t.Errorf("what was changed is %q still", text)
	}
}

// fakeTabs takes the place of what is around a service that was entered.
type fakeTabs struct{ reviewed []editing.Edit }

func (f *fakeTabs) Review(e editing.Edit, _ *document.Document) tea.Cmd {
	f.reviewed = append(f.reviewed, e)
	return nil
}
func (f *fakeTabs) Restore(editing.Edit, time.Time) tea.Cmd { return nil }
func (f *fakeTabs) Services() []adminapi.ServiceRef         { return nil }

func TestATabIsMadeWhenItIsShownFirst(t *testing.T) {
	t.Parallel()
	c := listOf(t, "healthy")
	base := c.list.Child()
	shared := placement.Shared{Nodes: cluster.NewNodes(base), Deployments: c.states.deployments, Drafts: c.drafts, Pods: &cluster.Pods{Base: base}}
	o := newOpened(base, &c.inks, sample, &fakeTabs{}, c.states, shared)
	o.SetSize(120, 35)
	made := func() (titles []string) {
		for at, tab := range o.made {
			if tab != nil {
				titles = append(titles, tabTitles[at])
			}
		}
		return titles
	}
	want := []string{}
	for range tabCount {
		want = append(want, tabTitles[o.at])
		uitest.Drain(t, c, o.tab().Shown())
		if got := made(); !slices.Equal(got, want) {
			t.Fatalf("with %s in front %q were made", tabTitles[o.at], got)
		}
		uitest.Drain(t, c, o.turn(1))
	}
	for part, at := range map[editing.Part]int{editing.Definition: definitionTab, editing.Placement: placementTab} {
		if partTab(part) != at || !o.editor(part).Target.Same(o.target(at)) {
			t.Errorf("%s is edited in tab %d", part, partTab(part))
		}
	}
	o.Compare("two versions", document.Review{Changes: []document.Change{{}}})
	if view := o.View(nil); !strings.Contains(view, "Difference: two versions") || !o.Back() || strings.Contains(o.View(nil), "Difference") {
		t.Errorf("a comparison is not left by one step back:\n%s", view)
	}
	if o.Back() {
		t.Error("there is a step further back")
	}
}
