package rules_test

import (
	"strings"
	"testing"

	"geodeck/ui/uitest"
)

func TestWhatIsOpenedIsInSight(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{58, 8}, {78, 17}, {120, 35}} {
		s := openIn(t, uitest.Theme(), size[0], size[1], file(t, "policy.json")).panel("Nodes")
		s.Press("rows.bottom")
		s.Hides("Term 1: line 1")
		s.Press("enter")
		s.Shows("system-3", "Term 1: line 1")
	}
	s := openIn(t, uitest.Theme(), 58, 8, file(t, "two.json"))
	s.on("MapServer  kq7s").Press("rows.toggle")
	s.Shows("FeatureServer", "MapServer  kq7s")
	s.Press("enter")
	s.Shows("MapServer  kq7s", "Required affinity  any of these")
	s.Hides("FeatureServer")
}

func TestAnOpenNodeIsClosedBeforeItsPanelIsLeft(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).panel("Nodes")
	s.Press("rows.filter")
	s.Type("gpu-3")
	s.Press("enter enter down down")
	s.Shows("Term 1: line 2")
	s.offers("enter close")
	if !s.Back() {
		t.Fatal("nothing is left")
	}
	s.Hides("Term 1: line 2", "general-1")
	if !s.Back() {
		t.Fatal("the filter is not left")
	}
	s.Shows("general-1")
	if !s.Back() || strings.HasPrefix(s.Note(), "Nodes") {
		t.Errorf("the panel is not left: %q", s.Note())
	}
}

func TestAFilterThatLeavesNothingSaysSo(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "broken.json"))
	filter := func(says string) {
		t.Helper()
		s.Press("rows.filter")
		s.Type("nothing like it")
		s.Shows("No "+says+" matches; esc clears the filter.", "/nothing like it")
		s.Press("enter")
		s.Shows("No " + says + " matches; esc clears the filter.")
	}
	filter("rule")
	s.offersNone("fold")
	s.offersNone("add")
	s.offers("/ filter")
	if !s.Back() {
		t.Fatal("the filter is not left")
	}
	s.Shows("Required affinity")
	for panel, says := range map[string]string{"Nodes": "node", "Checks": "finding", "JSON": "line", "Advice": "advice"} {
		s.panel(panel)
		filter(says)
		for _, left := range []string{"the filter", "the panel"} {
			if !s.Back() {
				t.Errorf("%s of %s is not left", left, panel)
			}
		}
	}
}

func TestTheLeastScreenHasRoomForNodes(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 58, 8, file(t, "policy.json")).panel("Nodes")
	s.Shows("4 of 14 nodes take these pods", "gpu-1", "gpu-big-1", "4 nodes")
}
