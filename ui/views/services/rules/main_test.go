package rules_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/placement"
	"geodeck/theme"
	"geodeck/ui/uitest"
	"geodeck/ui/views/services/rules"
)

func TestMain(m *testing.M) {
	uitest.SetUp()
	os.Exit(m.Run())
}

// note is what the view around the builder says of the nodes.
const note = "14 nodes from nodes.json, updated 3 min ago"

// screen is a builder under test, whose judgements come as those of the view around it do.
type screen struct {
	*rules.Builder
	*uitest.Part
	t testing.TB
}

func openIn(t testing.TB, th *theme.Theme, width, height int, text string) *screen {
	t.Helper()
	b := rules.New(th)
	s := &screen{b, uitest.NewPart(t, b, width, height), t}
	p := parse(t, text)
	s.Set(p, p)
	s.SetNodes(cluster(), note)
	s.settle()
	return s
}

func open(t testing.TB, text string) *screen {
	t.Helper()
	return openIn(t, uitest.Theme(), 120, 35, text)
}

// file is a policy as a site sends it.
func file(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parse(t testing.TB, text string) placement.Policy {
	t.Helper()
	p, err := placement.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// cluster is fourteen nodes in pools.
func cluster() []placement.Node {
	var nodes []placement.Node
	pool := func(name string, count int, labels map[string]string, taints ...placement.Taint) {
		for i := range count {
			node := placement.Node{Name: fmt.Sprintf("%s-%d", name, i+1), Labels: map[string]string{
				"kubernetes.io/hostname":      fmt.Sprintf("%s-%d", name, i+1),
				"topology.kubernetes.io/zone": []string{"eu-1a", "eu-1b", "eu-1c"}[i%3],
			}, Taints: taints, Ready: placement.Ready, Allocatable: []placement.Resource{{Name: "cpu", Amount: "16"}, {Name: "memory", Amount: "64Gi"}}}
			for key, value := range labels {
				node.Labels[key] = value
			}
			nodes = append(nodes, node)
		}
	}
	gis := placement.Taint{Key: "dedicated", Value: "gis", Effect: placement.NoSchedule}
	pool("system", 3, map[string]string{"pool": "system"}, placement.Taint{Key: "CriticalAddonsOnly", Value: "true", Effect: placement.NoExecute})
	pool("general", 6, map[string]string{"pool": "general", "cores": "16"})
	pool("gpu", 3, map[string]string{"pool": "gpu", "gpu": "a100"}, gis)
	pool("gpu-big", 2, map[string]string{"pool": "gpu", "gpu": "h100"}, gis)
	nodes[13].Ready = placement.NotReady
	return nodes
}

// settle judges what waits to be judged, as the view around the builder does.
func (s *screen) settle() {
	s.t.Helper()
	for range 10 {
		judge := s.Judging()
		if judge == nil {
			return
		}
		s.Judge(judge())
	}
	s.t.Fatal("the builder waits for ever to be judged")
}

// Press gives keys by name and returns what was sent upward.
func (s *screen) Press(keys string) []tea.Msg {
	s.t.Helper()
	defer s.settle()
	return s.Part.Press(keys)
}

// Type types a text, a key for each character.
func (s *screen) Type(text string) {
	s.t.Helper()
	s.Part.Type(text)
	s.settle()
}

// on puts the cursor on the first row that shows a text.
func (s *screen) on(text string) *screen {
	s.t.Helper()
	s.Press("rows.top")
	for range 500 {
		if strings.Contains(s.cursorLine(), text) {
			return s
		}
		s.Press("down")
	}
	s.t.Fatalf("no row shows %q:\n%s", text, s.View())
	return s
}

// text is the policy as it is edited by now.
func (s *screen) text() string { return string(s.Policy().Bytes()) }

// is checks the policy byte for byte.
func (s *screen) is(want string) {
	s.t.Helper()
	if got := s.text(); got != want {
		s.t.Errorf("the policy is\n%s\ninstead of\n%s", got, want)
	}
}

// holds checks that the JSON of the policy has some texts, whatever its white space.
func (s *screen) holds(texts ...string) {
	s.t.Helper()
	bare := func(text string) string { return strings.Join(strings.Fields(text), "") }
	for _, text := range texts {
		if !strings.Contains(bare(s.text()), bare(text)) {
			s.t.Errorf("the policy has no %s:\n%s", text, s.text())
		}
	}
}

// panel shows a panel and goes into it.
func (s *screen) panel(name string) *screen {
	s.t.Helper()
	for range 5 {
		if strings.Contains(s.View(), "["+name) {
			break
		}
		s.Press("rules.panel")
	}
	if note, _, _ := strings.Cut(s.Note(), " "); note != name {
		s.Invoke("rules.focus", "")
	}
	if note, _, _ := strings.Cut(s.Note(), " "); note != name {
		s.t.Fatalf("not in the panel %s but in %q:\n%s", name, s.Note(), s.View())
	}
	return s
}

// cursorLine is the line of the rules that the cursor is on.
func (s *screen) cursorLine() string {
	s.t.Helper()
	for line := range strings.SplitSeq(s.Draw(), "\n") {
		if line, _, _ = strings.Cut(line, " │ "); strings.HasPrefix(line, "›") || strings.HasPrefix(line, "·") {
			return line
		}
	}
	return ""
}

// giveUp drops what is typed.
func (s *screen) giveUp() {
	s.t.Helper()
	for range 5 {
		if !s.CapturesText() {
			return
		}
		s.Press("esc")
		if s.GuardsPaste() {
			s.Press("value.discard")
		}
	}
	s.t.Fatalf("what is typed is never left:\n%s", s.View())
}
