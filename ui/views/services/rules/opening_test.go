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
		s.press("G")
		s.hides("Term 1 matches")
		s.press("enter")
		s.shows("gpu-big-2", "Term 1 matches")
	}
	s := openIn(t, uitest.Theme(), 58, 8, file(t, "two.json"))
	s.on("MapServer  kq7s").press("z")
	s.shows("FeatureServer", "MapServer  kq7s")
	s.press("enter")
	s.shows("MapServer  kq7s", "required: any of these terms")
	s.hides("FeatureServer")
}

func TestAnOpenNodeIsClosedBeforeItsPanelIsLeft(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).panel("Nodes")
	s.press("/")
	s.typed("gpu-3")
	s.press("enter enter down down")
	s.shows("Term 1: line 2")
	s.offers("enter close")
	if !s.Back() {
		t.Fatal("nothing is left")
	}
	s.hides("Term 1: line 2", "general-1")
	if !s.Back() {
		t.Fatal("the filter is not left")
	}
	s.shows("general-1")
	if !s.Back() || strings.HasPrefix(s.Note(), "Nodes") {
		t.Errorf("the panel is not left: %q", s.Note())
	}
}

func TestAFilterThatLeavesNothingSaysSo(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "broken.json"))
	filter := func(says string) {
		t.Helper()
		s.press("/")
		s.typed("nothing like it")
		s.shows("No "+says+" matches; esc clears the filter.", "/nothing like it")
		s.press("enter")
		s.shows("No " + says + " matches; esc clears the filter.")
	}
	filter("rule")
	s.offersNone("fold")
	s.offersNone("add")
	s.offers("/ filter")
	if !s.Back() {
		t.Fatal("the filter is not left")
	}
	s.shows("Affinity")
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
	s.shows("4 of 14 nodes take these pods", "read 3 min ago", "system-1", "system-2", "general-1", "general-2")
}
