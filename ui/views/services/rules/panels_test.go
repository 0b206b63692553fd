package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"geodeck/adminapi/placement"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestPanelsTakeTurns(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json"))
	for _, name := range []string{"[Checks", "[JSON", "[Advice", "[Nodes"} {
		s.Press("rules.panel")
		s.Shows(name, "Required affinity")
	}
	s.Invoke("rules.focus", "")
	if s.Note() != "Nodes · 1 of 23" {
		t.Errorf("the note is %q", s.Note())
	}
	if !s.Back() || s.Back() {
		t.Error("one step leads out of a panel, and no other is left")
	}
	s.on("a100").Press("right")
	if !strings.HasPrefix(s.Note(), "Nodes") {
		t.Error("the right arrow does not lead into the panel")
	}
	s.Press("left")
	if s.Note() != "term 1, line 1 · 4 of 8" {
		t.Errorf("the note is %q", s.Note())
	}
}

func TestOnANarrowScreenTheNodesStandBelowTheRules(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 80, 19, file(t, "policy.json"))
	s.Shows("Required affinity  any", "a100, h100", "[Nodes]", "✓ 2 nodes ▾ gpu is a100", "4 of 14 nodes take these pods", " more lines, right opens")
	s.Press("rules.panel")
	s.Shows("Required affinity  any", "[Checks]", "Nothing is wrong")
	s.panel("Nodes").Hides("Required affinity")
	s.Shows("✓ 2 nodes ▾ gpu is a100", "gpu-1")
	s.panel("Advice").Hides("Required affinity")
	s.Back()
	s.Shows("Required affinity  any", "[Advice]")
}

func TestOnAWideScreenRulesNodesAndChecksStandSideBySide(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 200, 30, file(t, "two.json"))
	s.Shows("Required affinity", "[Nodes]", "nodes ▾ ", "Checks 7  JSON  Advice", "No node can match this term: it has no line.")
	s.panel("JSON").Shows("nodes ▾ ", `"placementPolicy"`)
	s = openIn(t, uitest.Theme(), 200, 50, file(t, "two.json"))
	s.Shows("Required affinity", "[Nodes]", "nodes ▾ ", " Checks 7 ", "No node can match this term: it has no line.", " JSON ", `"placementPolicy"`, " Advice ")
	s.panel("Advice").Shows("[Advice]", " Nodes ", " Checks 7 ", " JSON ")
}

func TestNodesOfARealClusterAreReadAtOnce(t *testing.T) {
	t.Parallel()
	nodes := make([]placement.Node, 20)
	for i := range nodes {
		nodes[i] = placement.Node{Name: fmt.Sprintf("ip-10-0-%d-100.eu-central-1.compute.internal", i), Ready: placement.Ready, Labels: map[string]string{"gpu": "no"}}
	}
	nodes[7].Labels = map[string]string{"gpu": "a100"}
	nodes[9].Labels = map[string]string{"gpu": "a100"}
	nodes[9].Taints = []placement.Taint{{Key: "dedicated", Value: "maps", Effect: placement.NoSchedule}}
	s := open(t, file(t, "policy.json"))
	s.SetNodes(nodes, note)
	s.settle()
	s.Shows("✓ ip-10-0-7-100  gpu is a100", "! ip-10-0-9-100  gpu is a100;", "taint dedicated=maps:NoSchedule", "✗ 18 nodes ▾ gpu is no, wants a100 or h100", "ip-10-0-19-100")
	s.panel("Nodes").Press("enter")
	s.Shows("ip-10-0-7-100.eu-central-1.compute.internal")
	long := make([]placement.Node, 200)
	for i := range long {
		long[i] = placement.Node{Name: strings.Repeat("n", 56) + fmt.Sprintf("-%03d", i), Labels: map[string]string{"gpu": []string{"a100", "t4", "p100"}[i%3]}}
	}
	for _, size := range uitest.Sizes {
		s := openIn(t, uitest.Theme(), size.Width, size.Height, file(t, "policy.json"))
		s.SetNodes(long, note)
		s.settle()
		s.panel("Nodes").Press("rows.bottom")
		s.Shows("67 nodes ▸ gpu is t4, wants a100 or h100", "66 nodes ▸ gpu is p100, wants a100 or h100")
		s.Press("rows.top")
		s.Shows("✓ 67 nodes ▾ gpu is a100", "n-000", "n-003")
	}
}

func TestATaintIsToleratedAndALabelRequiredFromItsNode(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json"))
	s.offersNone("tolerate its taint")
	s.panel("Nodes").Press("rows.filter")
	s.Type("system-2")
	s.Press("enter")
	s.offers("a tolerate its taint")
	s.Press("down down")
	s.Shows("system-2: no gpu, wants a100 or h100; taint CriticalAddonsOnly=true:NoExecute")
	s.Press("up")
	s.Press("down rules.add")
	s.Shows("Tolerated: CriticalAddonsOnly=true:NoExecute. u undoes.")
	s.holds(`"CriticalAddonsOnly"`)
	s.offersNone("tolerate its taint")
	s.Press("rules.undo")
	s.is(file(t, "policy.json"))
	s = open(t, file(t, "policy.json"))
	s.panel("Nodes").Press("rows.filter")
	s.Type("gpu-big-1")
	s.Press("enter enter")
	s.offersNone("tolerate its taint")
	for range 12 {
		if s.Press("down"); strings.Contains(strings.Join(s.hints(), " "), "require") {
			break
		}
	}
	s.Press("rules.add")
	s.Shows("Required: gpu In h100. u undoes.")
	s.Press("rules.undo")
	s.is(file(t, "policy.json"))
}

func TestNodesAreFilteredByNameLabelTaintAndVerdict(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).panel("Nodes")
	for _, c := range []struct{ filter, some, none string }{
		{"takes", "gpu-1 ", "general-1"}, {"!takes", "general-1", "gpu-1 "}, {"gpu=h100", "gpu-big-1", "gpu-1 "},
		{"criticaladdons", "system-1", "general-1"}, {"general-2", "general-2", "general-1"},
		{"not ready", "gpu-big-2", "gpu-big-1"},
	} {
		s.Press("rows.filter")
		s.Type(c.filter)
		s.Press("enter")
		s.Shows(c.some)
		s.Hides(c.none)
		if !s.Back() {
			t.Fatal("a filter is not left first")
		}
	}
	s.Press("rows.filter")
	s.Type("gpu-1")
	s.Press("enter")
	s.Shows("1 of 14")
	s.Press("enter")
	s.Shows("kubernetes.io/hostname=gpu-1", "1 of 14")
	steps := 0
	for s.Back() {
		steps++
	}
	if steps != 3 {
		t.Errorf("%d steps leave the node, the filter and the panel, want 3", steps)
	}
}

func TestNodesThatArriveWhileTheyAreFilteredAreFiltered(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).panel("Nodes")
	s.Press("rows.filter")
	s.Type("gpu-big")
	s.Press("enter")
	s.Shows("gpu-big-2")
	more := append(cluster(), cluster()...)
	for i := range more[14:] {
		more[14+i].Name += "-new"
	}
	s.SetNodes(more, note)
	s.Shows("gpu-big-2")
	s.settle()
	s.Shows("gpu-big-2", "gpu-big-2-new")
	s.Hides("general-1")
}

// B15: before the lines for kubectl stands that they are about all workloads of a node.
func TestANodeShowsAllAndWhatWouldMakeItFit(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).panel("Nodes")
	s.Press("rows.filter")
	s.Type("gpu-3")
	s.Press("enter enter")
	s.Shows("Term 1: line 2 (topology.kubernetes.io/zone", "topology.kubernetes.io/zone=eu-1c", "taint dedicated=gis:NoSchedule",
		"ready, cpu 16, memory 64Gi",
		"Labels and taints of a node count for all its", "Check first who else relies on", "kubectl label nodes --overwrite gpu-3")
	s.Press("rows.bottom")
	line := uitest.Find[views.Copy](t, s.Press("rules.copy"))
	if line.Text != "kubectl label nodes --overwrite gpu-3 topology.kubernetes.io/zone-" || line.What != "line for kubectl" {
		t.Errorf("copied %+v", line)
	}
	s.Press("left")
	s.Hides("ready, cpu 16")
	if name := uitest.Find[views.Copy](t, s.Press("rules.copy")); name.Text != "gpu-3" {
		t.Errorf("copied %+v", name)
	}
}

// B18: enter on a finding goes to it, in every panel that has one.
func TestAFindingLeadsToItsRow(t *testing.T) {
	t.Parallel()
	typo := open(t, strings.Replace(file(t, "policy.json"), `"a100", "h100"`, `"a10O"`, 1))
	typo.panel("Advice").Press("rows.top")
	typo.Shows("› ! Correct the rules: no node has gpu=a10O")
	typo.Press("enter")
	if line := typo.cursorLine(); !strings.Contains(line, "a10O") {
		t.Errorf("the advice leads to %q", line)
	}
	s := open(t, file(t, "broken.json"))
	for i, row := range []string{"gpuu", "DoesNotExist", "Exists   gis", "NoRun"} {
		s.panel("Checks").Press("rows.top" + strings.Repeat(" down down", i))
		s.Press("enter")
		if line := s.cursorLine(); !strings.Contains(line, row) {
			t.Errorf("finding %d leads to %q instead of %s", i, line, row)
		}
	}
}

func TestTheJSONFollowsAnEdit(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).panel("JSON")
	s.Invoke("rules.focus", "")
	s.on("dedicated").Press("rules.edit tab tab ctrl+u")
	s.Type("maps")
	s.Press("enter")
	s.panel("JSON").Shows(`"value": "maps"`)
	if !strings.Contains(s.Note(), "11 of") {
		t.Errorf("the cursor is at %q", s.Note())
	}
	if got := uitest.Find[views.Copy](t, s.Press("rules.copy")); got.Text != s.text() {
		t.Errorf("copied %q", got.Text)
	}
}

func TestTheJSONStaysWhereItIsWithoutAnEdit(t *testing.T) {
	t.Parallel()
	text := file(t, "policy.json")
	s := open(t, text).panel("JSON")
	s.Press("j j j")
	before := s.Note()
	p := parse(t, text)
	s.Set(p, p) // as after a refresh
	s.settle()
	if after := s.Note(); after != before {
		t.Errorf("the cursor went from %q to %q", before, after)
	}
}

func TestNoLineOfAPanelLosesItsEnd(t *testing.T) {
	t.Parallel()
	for width := 100; width < 160; width++ {
		s := openIn(t, uitest.Theme(), width, 60, file(t, "policy.json"))
		for _, name := range []string{"Checks", "Advice"} {
			s.panel(name)
			for line := range strings.SplitSeq(s.Draw(), "\n") {
				if _, right, ok := strings.Cut(line, " │ "); ok && strings.Contains(right, "…") {
					t.Fatalf("cut at %d cells: %q", width, right)
				}
			}
		}
	}
}

func TestAdviceIsCopiedAndNeverRun(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).panel("Advice")
	s.Shows("Nothing is run from here", "To reserve the nodes", "Labels and taints of a node count for all its") // B15
	s.Press("rows.bottom")
	if got := uitest.Find[views.Copy](t, s.Press("rules.copy")); !strings.HasPrefix(got.Text, "kubectl ") {
		t.Errorf("copied %+v", got)
	}
}

func TestAdviceNamesNoNodeThatNobodyHasChosen(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).panel("Advice")
	s.Shows("kubectl label nodes --overwrite node-name", "To make a node fit")
	s.Hides("gpu-3", "system-1")
	s.SetNodes(nil, "Start geodeck with --nodes FILE.")
	s.settle()
	s.Shows("kubectl label nodes --overwrite node-name")
}

func TestAJudgementIsMarkedAsOldUntilTheNextComes(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("eu-1c")
	if s.Judging() != nil {
		t.Fatal("something is waited for though nothing was changed")
	}
	s.Send(uitest.Key("rules.delete"))
	s.Shows("✓ 4 of 14 nodes take these pods; room is not counted …")
	overtaken := s.Judging()()
	s.Send(uitest.Key("rules.delete"))
	s.Judge(overtaken)
	s.Shows("✓ 4 of 14 nodes take these pods; room is not counted …")
	first, second := s.Judging(), s.Judging()
	s.Judge(second())
	s.Shows("✓ 11 of 14 nodes take these pods")
	s.Judge(first())
	if s.Judging() != nil {
		t.Error("a judgement is waited for that has come")
	}
	s.Hides("…  ")
}

func TestEachDeploymentIsJudgedByItself(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "two.json"))
	s.Shows("✓ 6 of 14 nodes take these pods", "Pods may run on any node")
	s.on("MapServer")
	if s.Item() != 1 {
		t.Errorf("the cursor is in deployment %d", s.Item())
	}
	s.Shows("none of 14 nodes takes these pods", "Pods must run on (1) nodes whose cores is above 8")
	s.Press("rows.toggle")
	s.Hides("cores  ")
	s.Press("rules.edit")
	s.Shows("cores  ")
}

func TestNotesOfADeploymentAreShownAboveItsRules(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 100, 30, file(t, "two.json"))
	s.Describe(nil, map[string]string{"krh1vura4livmjy61ibe4": "shared with 3 services", "kq7shared0deployment1": "shared with Roads.MapServer, Rivers.MapServer, Lakes.MapServer"})
	s.Shows("FeatureServer  krh1vur…  shared with 3 servic…", "shared with 3 services")
	s.on("MapServer  kq7s")
	s.Shows("shared with Roads.MapServer, Rivers.MapServer, Lakes.MapServer")
}

func TestOtherNodesAreJudgedAnew(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json"))
	s.SetNodes(cluster()[9:], "5 nodes")
	s.Shows("…")
	s.settle()
	s.Shows("4 of 5 nodes take these pods", "5 nodes")
	s.Hides("general-1")
	s.SetNodes(nil, "Give --nodes FILE to see which nodes take the pods.")
	s.settle()
	s.Shows("Give --nodes FILE", "rules are well formed")
	s.Press("rules.panel")
	s.Shows("[Checks]", "? Rules are well formed. Not checked against nodes:", "press L to load them.")
	s.Hides("Nothing is wrong")
	s.Hides("gpu-1 ")
	s.on("a100").Press("rules.edit")
	s.Shows("no node list, so no suggestions")
}

func TestTheAgeOfTheNodesIsShownWithoutJudgingThemAnew(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json"))
	nodes := cluster()
	s.SetNodes(nodes, "read now")
	s.settle()
	s.SetNodes(nodes, "updated 2 min ago")
	if s.Judging() != nil {
		t.Error("the same nodes are judged again")
	}
	s.Shows("updated 2 min ago")
}

func TestWhatDiffersFromTheSiteIsMarked(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json"))
	edited := parse(t, strings.NewReplacer(`"a100", "h100"`, `"a100"`, `"NoSchedule"}`, `"NoSchedule"}, {"operator": "Exists"}`).Replace(file(t, "policy.json")))
	s.Set(edited, s.Base())
	s.settle()
	for row, sign := range map[string]string{"a100": "◆", "eu-1c": " ", "dedicated": " ", "any key": "+"} {
		if line := []rune(s.on(row).cursorLine()); string(line[3]) != sign {
			t.Errorf("%s is marked %q instead of %q", row, string(line[3]), sign)
		}
	}
	if !s.Changed() {
		t.Error("nothing is different")
	}
	s.Set(s.Base(), s.Base())
	if s.Changed() {
		t.Error("something is different from itself")
	}
}

func TestAReplacedPolicyIsOneStep(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("a100")
	before := s.Revision()
	preset := placement.Presets(cluster())[0]
	p, err := preset.Apply(s.Policy(), 0, preset.Key, preset.Value)
	if err != nil {
		t.Fatal(err)
	}
	s.Replace(p)
	s.settle()
	if s.Revision() == before || s.text() == file(t, "policy.json") {
		t.Fatal("the preset is not taken over")
	}
	s.Press("rules.undo")
	s.is(file(t, "policy.json"))
	if line := s.cursorLine(); !strings.Contains(line, "a100") {
		t.Errorf("the cursor is on %q", line)
	}
	s.Press("rules.redo")
	s.is(string(p.Bytes()))
}

func TestThePanelFollowsAtRestAndKeysActAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "two.json"))
	s.Shows("6 of 14 nodes")
	for s.Item() == 0 {
		uitest.PressKey(s, "down")
		s.settle()
	}
	s.Shows("6 of 14 nodes")
	if s.Judging() != nil {
		t.Error("the deployment is judged while the cursor moves")
	}
	uitest.PressKey(s, uitest.Key("rules.add").String()) // a line in the deployment under the cursor
	if s.Item() != 1 || !s.CapturesText() {
		t.Errorf("a key acts on deployment %d:\n%s", s.Item(), s.View())
	}
}

func TestJumpsLeadToFindingsAndChanges(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "broken.json"))
	for _, c := range []struct{ key, row string }{
		{"rules.next-finding", "gpuu"}, {"rules.next-finding", "DoesNotExist"}, {"rules.next-finding", "Preferred affinity"}, {"rules.previous-finding", "DoesNotExist"}, {"rules.previous-finding", "gpuu"}, {"rules.previous-finding", "NoRun"}, {"rules.next-change", "NoRun"},
	} {
		if s.Press(c.key); !strings.Contains(s.cursorLine(), c.row) {
			t.Errorf("%s leads to %q", c.key, s.cursorLine())
		}
	}
	s.Shows("No change.")
	s.on("Exists   gis").Press("space rows.top rules.next-change")
	if !strings.Contains(s.cursorLine(), "dedicated") {
		t.Errorf("the cursor is on %q", s.cursorLine())
	}
}

// A reason that is too long for its row goes on in rows of its own, which are the same node or group.
func TestWhyNodesDoNotTakePodsIsNotCut(t *testing.T) {
	t.Parallel()
	for _, size := range uitest.Sizes[:2] {
		s := openIn(t, uitest.Theme(), size.Width, size.Height, file(t, "policy.json"))
		long := make([]placement.Node, 30)
		for i := range long {
			long[i] = placement.Node{Name: fmt.Sprintf("node-%02d", i), Labels: map[string]string{"gpu": "t4"},
				Taints: []placement.Taint{{Key: "maintenance.example.com/until", Value: "the-end-of-the-month-at-least", Effect: placement.NoExecute}}}
		}
		s.SetNodes(long, note)
		s.settle()
		s.panel("Nodes").Shows("✗ 30 nodes ▸ gpu is t4, wants a100 or h100;", "taint maintenance.example.com/until=the-end-of")
		s.Press("enter")
		s.Shows("30 nodes ▾ gpu is t4")
		s.Press("rows.top right")
		s.Shows("NoExecute")
		s.Press("rows.filter")
		s.Type("node-07")
		s.Press("enter")
		s.Shows("✗ 30 nodes ▾ gpu is t4, wants a100 or h100;", "node-07", "1 of 30")
		s.Back()
		s.Press("rows.top enter")
		s.Shows("30 nodes ▸ gpu is t4")
		if name := uitest.Find[views.Copy](t, s.Press("rows.top rules.copy")); name.What != "30 nodes" {
			t.Errorf("copied %+v", name)
		}
	}
}

func TestNodesWhoseLongNamesDifferAtOneEndAreToldApart(t *testing.T) {
	t.Parallel()
	same := strings.Repeat("n", 250)
	for _, size := range uitest.Sizes[:2] {
		for _, name := range []string{"%03d" + same, same + "%03d"} {
			s := openIn(t, uitest.Theme(), size.Width, size.Height, file(t, "policy.json"))
			nodes := make([]placement.Node, 3)
			for i := range nodes {
				nodes[i] = placement.Node{Name: fmt.Sprintf(name, i), Labels: map[string]string{"gpu": []string{"a100", "t4", "p100"}[i]}}
			}
			s.SetNodes(nodes, note)
			s.settle()
			s.Shows("000", "001", "002", "gpu is t4, wants", "or h100")
		}
	}
}
