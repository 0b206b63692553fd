package services_test

import (
	"strings"
	"testing"

	"geodeck/ui/uitest"
)

func TestTheSameRulesOnSeveralServicesAreOnePlanALineEach(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.Press(strings.TrimSpace(strings.Repeat("space ", 16)))
	s.rules().onPool("spot")
	s.Press("w M")
	s.Shows("! SouthElevationprofile_27.GPServer cannot take it: no MapServer deployment", "5 services · 5 changes",
		"› ▸ SampleWorldCities.MapServer  ! 4 → 1 of 14 nodes, term 1: pool In gis →", "▸ CoastTrees_29.MapServer  ! 5 → 1 of 14 nodes, term 1 added: pool In spot")
	s.Golden()
	s.Answer(s.Press("w"), "y")
	s.Shows("The change was sent to 5 services", "✓ done, running          CoastTrees_29.MapServer", "shares its pods")
	s.sent(5)
}

func TestRulesThatNoNodeMeetsStopABatchAtTheFirstService(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.Press(strings.TrimSpace(strings.Repeat("space ", 12)))
	s.rules().onPool("giss")
	s.Press("w M")
	s.Shows("▲ 4 of 14 nodes → none", "! SouthElevationprofile_27.GPServer cannot take it")
	s.confirmRules(s.Press("w"), typedNone()...)
	s.wait(400)
	s.Shows("○ not sent", "does not answer after its edit")
	s.sent(1)
}
