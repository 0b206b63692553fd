package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"

	"geodeck/adminapi/placement"
	"geodeck/theme"
	"geodeck/ui/uitest"
)

// atEachSize ends on a screen at each size of a terminal. At the sizes that are kept it is
// compared as a whole; at all of them it fits, and what matters of it is in sight.
func atEachSize(t *testing.T, name, kept string, story func(s *screen), inSight ...string) {
	t.Helper()
	for _, size := range uitest.Sizes {
		t.Run(size.Name, func(t *testing.T) {
			s := openIn(t, uitest.Theme(), size.Width, size.Height, file(t, name))
			s.Describe(nil, map[string]string{"kq7shared0deployment1": "shared with 3 other services"})
			story(s)
			s.Shows(inSight...)
			if slices.Contains(strings.Fields(kept), size.Name) {
				s.Golden()
			}
		})
	}
}

func TestScreenOfTwoDeployments(t *testing.T) {
	t.Parallel()
	atEachSize(t, "two.json", "120x40 200x60", func(s *screen) {
		s.on("or term 2  no line")
	}, "› !       or term 2  no line · a add",
		"none of 14 nodes takes these pods", "1 danger", "no node can match this term: it has no line")
}

func TestScreenOfTheLeastRoomForAPanel(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 100, 30, file(t, "two.json"))
	s.on("NoExecute").Press("rules.edit tab tab tab tab")
	s.Type("5")
	s.Golden()
}

func TestScreenOfAnEdit(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", "120x40", func(s *screen) {
		s.on("eu-1c").Press("rules.delete rules.add-term")
		s.Type("pool")
		s.Press("tab tab")
		s.Type("general")
		s.Press("enter")
		s.on("dedicated").Press("space rules.duplicate")
		s.on("a100").Press("rules.edit tab tab")
	}, "   +  ▾ or term 2", "a100, h100", "◆  dedicated  Equal    gis   PreferNoSchedule",
		"Values  separated by commas", "h100  2 nodes", "6 of 14 nodes take these pods; room is not counted · ! 1 caution")
}

func TestTabCompletesAWordAndThenGoesOn(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string][]string{
		"t tab":               {"topology.kubernetes.io/zone", "Key  of"},
		"t tab tab":           {"topology.kubernetes.io/zone", "Operator 1"},
		"o tab":               {"+    o ", "Operator 1"},                // several hold it, none begins so
		"o s t tab":           {"+    ost ", "Operator 1"},              // nor does the only one
		"o down down tab":     {"kubernetes.io/hostname", "Operator 1"}, // the user moved to it
		"tab":                 {"Operator 1"},                           // a column may be empty
		"g p u tab tab a tab": {"a100, ", "Values  "},
		"x tab":               {"+    x ", "Operator 1"},
	} {
		s := open(t, file(t, "policy.json")).on("a100")
		s.Press("a " + keys)
		s.Shows(want...)
	}
}

func TestScreenOfACompletion(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", "120x40", func(s *screen) {
		s.on("a100").Press("rules.add")
		s.Type("o")
		s.Press("down down")
	}, "›  +    o", "Key  of a label of the nodes", "cores                        6 nodes", "› kubernetes.io/hostname       14 nodes", "topology.kubernetes.io/zone  14 nodes")
}

func TestScreenOfAWrongToleration(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", "120x40", func(s *screen) {
		s.on("dedicated").Press("rules.edit")
		s.Type(" it")
		s.Press("enter")
	}, "›     dedicated it", "✗ The key dedicated it is not a label name", "no node has such a key; you can still type it",
		"4 of 14 nodes take these pods; room is not counted · no findings")
}

func TestScreenOfAnEffect(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", "120x40", func(s *screen) {
		s.on("dedicated").Press("rules.add")
		s.Type("dedicated")
		s.Press("tab space tab space")
	}, "›  +  dedicated", "Effect 2 of 4  space or the arrows choose", "NoSchedule        no new pods, 5 such taints",
		"› PreferNoSchedule  no new pods if avoidable, 0 such taints", "any effect        matches every effect, 5 such taints")
}

func TestScreenOfANode(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", "120x40", func(s *screen) {
		s.on("a100")
		s.panel("Nodes").Press("rows.filter")
		s.Type("gpu")
		s.Press("enter down down enter")
	}, "[Nodes]", "/gpu", "✓ gpu-big-1  gpu is h100; tolerates", "taint dedicated=gis:NoSchedule", "kubernetes.io/hostname=gpu-big-1")
}

func TestScreenOfTheChecks(t *testing.T) {
	t.Parallel()
	atEachSize(t, "broken.json", "80x24", func(s *screen) {
		s.panel("Checks").Press("down down")
	}, "[Checks 6]", "✗ The operator in is unknown; did you mean In?", "✗ DoesNotExist takes no value.", "term 1, line 2",
		"✗ Exists takes no value.", "4 blocking")
}

func TestScreenOfTheJSON(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", "120x40", func(s *screen) {
		s.panel("JSON").Invoke("rules.focus", "")
		s.on("eu-1c").Press("space")
		s.panel("JSON")
	}, "[JSON]", `"operator": "Exists",`, "5 of 14 nodes take these pods")
}

func TestScreenOfTheAdvice(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", "120x40", func(s *screen) {
		s.panel("Advice").Press("down down down")
	}, "[Advice]", "Apply the tolerations first, then taint the", "One matching term is enough")
}

func TestScreenWithoutNodes(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", "120x40", func(s *screen) {
		s.SetNodes(nil, "No nodes: start geodeck with --nodes FILE, where FILE is what kubectl get nodes -o json prints.")
		s.settle()
		s.panel("Nodes")
	}, "No nodes: start geodeck with --nodes FILE", "No node list · rules are well formed")
}

func TestScreenOfNothing(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", "120x40", func(s *screen) {
		s.Set(placement.Policy{}, placement.Policy{})
		s.settle()
	}, "This policy has no deployment", "no deployment · no findings")
}

func TestColoursTellWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.ColorTheme(), 120, 35, file(t, "broken.json"))
	uitest.Fits(t, s.View(), 120, 35)
	uitest.Golden(t, s.View())
}

func TestPlainTerminalsGetPlainSigns(t *testing.T) {
	t.Parallel()
	th := theme.New(theme.Options{Renderer: lipgloss.DefaultRenderer(), ASCII: true})
	s := openIn(t, th, 120, 35, file(t, "broken.json"))
	s.Press("rules.add")
	s.Type("o")
	s.Golden()
	for _, r := range s.View() {
		if r > 0x7e {
			t.Fatalf("%q on a terminal that has ASCII only", r)
		}
	}
}

func TestDrawingChangesNothing(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"", "rules.edit", "rules.add x", "rules.add-term x enter", "rules.edit x esc", "rules.panel", "right enter", "rules.panel right down", "rules.panel rules.panel right", "rules.panel rules.panel rules.panel right", "rows.filter rows.top"} {
		for _, size := range uitest.Sizes {
			s := openIn(t, uitest.Theme(), size.Width, size.Height, file(t, "two.json")).on("cores")
			s.Press(keys)
			uitest.Pure(t, s.Builder)
		}
	}
}
