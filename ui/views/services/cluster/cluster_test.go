package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/placement"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
)

// nodes are drained by themselves.
type nodes struct{ *cluster.Nodes }

func (n nodes) Update(msg tea.Msg) tea.Cmd { return n.Nodes.Update(msg.(cluster.NodesMsg)) }

func TestAFileThatHoldsNoNodesIsOfferedAgainWithWhatIsWrong(t *testing.T) {
	t.Parallel()
	env := uitest.Env(t, operation.Site{}, uitest.Theme())
	n := nodes{cluster.NewNodes(views.NewBase(env))}
	if note := n.Note(); !strings.Contains(note, "Press L to load nodes") || n.Version() != 0 {
		t.Errorf("the note is %q", note)
	}
	if err := os.WriteFile(filepath.Join(env.Folder, "none.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	reading := n.FromFile("none.json")
	if note := n.Note(); !n.Loading() || !strings.Contains(note, "Reading the nodes from") {
		t.Errorf("the note is %q", note)
	}
	if told := uitest.NoticeText(t, uitest.Drain(t, n, reading)); !strings.Contains(told, "Press L to correct it") {
		t.Errorf("told %q", told)
	}
	if note := n.Note(); n.Loading() || !strings.Contains(note, "Press L to correct it") {
		t.Errorf("the note is %q", note)
	}
	dialog := uitest.Find[views.Open](t, uitest.Drain(t, n, n.Ask())).Dialog
	dialog.SetSize(78, 16)
	if !strings.Contains(dialog.View(), "none.json") {
		t.Errorf("offered is\n%s", dialog.View())
	}
}

func TestADeploymentIsSharedWithWhoeverIsKnownToHaveIt(t *testing.T) {
	t.Parallel()
	policy, err := placement.Parse([]byte(`{"placementPolicy":[{"deploymentId":"d1","deploymentType":"GISServer"},{"deploymentId":"d2","deploymentType":"GISServer"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	d := cluster.NewDeployments()
	d.Note("A.MapServer", policy.Items()...)
	if got := d.SharedRules("d1", "A.MapServer"); got != "" {
		t.Errorf("shared with %q", got)
	}
	d.Note("B.MapServer", policy.Items()...)
	if got := d.SharedRules("d1", "A.MapServer"); !strings.Contains(got, "B.MapServer runs in these pods") {
		t.Errorf("shared with %q", got)
	}
	d.Read([]adminapi.Deployment{{ID: "d1"}})
	if ids := d.Unread(policy); len(ids) != 1 || ids[0] != "d2" {
		t.Errorf("unread are %v", ids)
	}
}
