package placement_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/placement"
	"geodeck/ui/widget/rows"
)

var cities = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

type host struct{ services []adminapi.ServiceRef }

func (h *host) Review(operation.Edit) tea.Cmd              { return nil }
func (h *host) Compare(string, document.Review) tea.Cmd    { return nil }
func (h *host) StopComparing()                             {}
func (h *host) Services() (services []adminapi.ServiceRef) { return h.services }

// desk is a tab with what is around it.
type desk struct {
	*placement.Tab
	t testing.TB
}

func (d *desk) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case views.Retry:
		return msg.Ask()
	case editor.DraftsMsg:
		return d.Drafts.Update(msg)
	case cluster.NodesMsg:
		return tea.Batch(d.Nodes.Update(msg), d.NodesChanged())
	case cluster.PodsRead:
		return d.Pods.Update(msg)
	case editor.Msg:
		return msg.To().Update(msg)
	case placement.Msg:
		return msg.Placement().Update(msg)
	}
	return d.Tab.Update(msg)
}

func open(t testing.TB) *desk {
	t.Helper()
	site, _ := uitest.NewSite(t, uitest.Scenario(t, "healthy")).Counted(t)
	base := views.NewBase(uitest.Env(t, site, uitest.Theme()))
	inks := rows.NewInks(base.Env.Theme)
	pods := &cluster.Pods{Base: base, Changed: func(adminapi.ServiceRef) tea.Cmd { return nil }}
	shared := placement.Shared{Nodes: cluster.NewNodes(base), Deployments: cluster.NewDeployments(), Pods: pods, Drafts: editor.NewDrafts(base)}
	geometry := adminapi.ServiceRef{Folder: "Utilities", Name: "Geometry", Type: "GeometryServer"}
	symbols := adminapi.ServiceRef{Folder: "Utilities", Name: "Symbols", Type: "GPServer"}
	d := &desk{t: t, Tab: placement.New(base, &inks, cities, &host{services: []adminapi.ServiceRef{cities, geometry, symbols}}, shared)}
	d.SetSize(120, 35)
	uitest.Drain(t, d, d.Shown())
	return d
}

func (d *desk) call(id, argument string) string {
	d.t.Helper()
	return uitest.NoticeText(d.t, uitest.Drain(d.t, d, views.Invoke(d, id, argument)))
}

func TestRulesAreCopiedFromTheOneServiceThatIsMeant(t *testing.T) {
	t.Parallel()
	d := open(t)
	for typed, want := range map[string]string{
		"utilities":         "2 services are called so: Utilities/Geometry.GeometryServer, Utilities/Symbols.GPServer",
		"SampleWorldCities": "No other service in the list is called so",
	} {
		if told := d.call("services.copy-rules", typed); !strings.Contains(told, want) || d.Differs() {
			t.Errorf("%s: told %q", typed, told)
		}
	}
	if told := d.call("services.copy-rules", " geometry "); !strings.Contains(told, "Copied from Utilities/Geometry.GeometryServer") {
		t.Errorf("told %q", told)
	}
}

func TestTheSourceOfNodesIsTheFirstThingToNameWhereNoneAreKnown(t *testing.T) {
	t.Parallel()
	d := open(t)
	for _, c := range views.Usable(d.Commands()) {
		if c.ID == "services.nodes" && c.Hint() != "nodes" {
			t.Errorf("its hint is %q", c.Hint())
		}
	}
	if !strings.Contains(d.View(), "No nodes are known") {
		t.Errorf("it shows\n%s", d.View())
	}
}

func TestThePageOfPodsTakesThePlaceOfTheRules(t *testing.T) {
	t.Parallel()
	d := open(t)
	_, _ = uitest.Run(d, views.Invoke(d, "services.pods", ""), 2)
	if !d.PodsInFront() || !strings.Contains(d.View(), "Pods") || strings.Contains(d.View(), "No nodes are known") {
		t.Errorf("it shows\n%s", d.View())
	}
	uitest.Pure(t, d)
	if !d.Back() || d.PodsInFront() {
		t.Error("it does not go back to the rules")
	}
}
