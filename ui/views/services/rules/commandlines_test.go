package rules_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/placement"
	"geodeck/ui/uitest"
)

// bare is what a screen shows without white space, so that it does not matter where
// lines are broken.
func bare(text string) string { return strings.Join(strings.Fields(text), "") }

func TestALineForKubectlIsShownToItsEnd(t *testing.T) {
	t.Parallel()
	for i, key := range []string{"dedicated", "workload-class", "example-platform.internal/dedicated-to-gis-work"} {
		for width := 56 + i; width < 168; width += 3 {
			s := openIn(t, uitest.Theme(), width, 60, strings.ReplaceAll(file(t, "policy.json"), `"dedicated"`, `"`+key+`"`))
			node := placement.Node{Name: "gpu-pool-1-a", Ready: placement.Ready, Taints: []placement.Taint{{Key: key, Value: "maps-only", Effect: placement.NoSchedule}}}
			s.SetNodes([]placement.Node{node}, note)
			s.settle()
			s.panel("Nodes").Press("enter")
			shown := bare(s.panelText())
			for _, c := range placement.KubectlLines(s.Policy().Items()[0], []placement.Node{node}) {
				if !strings.Contains(shown, bare(c.Line)) {
					t.Fatalf("%q is not whole at %d cells:\n%s", c.Line, width, s.View())
				}
			}
			shown = bare(s.panel("Advice").panelText())
			for _, c := range placement.KubectlLines(s.Policy().Items()[0], []placement.Node{{Name: "node-name"}}) {
				if !strings.Contains(shown, bare(c.Line)) {
					t.Fatalf("%q is not whole at %d cells:\n%s", c.Line, width, s.View())
				}
			}
		}
	}
}

// panelText is what the panel shows.
func (s *screen) panelText() string {
	s.t.Helper()
	var text strings.Builder
	for line := range strings.SplitSeq(s.Draw(), "\n") {
		if _, right, beside := strings.Cut(line, " │ "); beside {
			line = right
		}
		text.WriteString(line + "\n")
	}
	return text.String()
}

// A line would take a node out of the pool that the rules mean.
func TestAWordThatLooksMisspeltIsToBeCorrectedAndNoNodeIsMadeToFit(t *testing.T) {
	t.Parallel()
	for from, to := range map[string]string{`"gpu", "op`: `"gpv", "op`, `["a100", "h100"]`: `["a1000"]`, `"dedicated"`: `"dedicatde"`} {
		s := open(t, strings.ReplaceAll(file(t, "policy.json"), from, to))
		s.SetNodes(cluster(), note)
		s.settle()
		s.panel("Advice").Shows("! Correct the rules: no node has")
		s.Hides("For kubectl", "kubectl label", "kubectl taint")
		s.panel("Nodes").Press("rows.bottom enter")
		s.Hides("kubectl")
	}
}
