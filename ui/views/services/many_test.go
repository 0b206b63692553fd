package services_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/ui/views"

	"geodeck/ui/uitest"
)

func TestTheSameChangeOnSeveralStopsAtTheFirstFailure(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-third-fails")
	s.Press("space space space space")
	s.Shows("4 services marked")
	s.Press("g enter")
	s.set("maxUsageTime", "700")
	s.Press("w M")
	s.Shows("4 services", "CityTrees_19.MapServer", "CityWatermains_27.MapServer")
	up := s.Press("w")
	s.Answer(up, "y")
	s.Shows("✓ done                   CityTrees_19", "✓ done                   CityWatermains_27",
		"✗ job failed             CoastAirquality_26", "○ not sent               CoastViewshed_8", "did not complete")
	if s.edits() != 3 {
		t.Errorf("sent %d times", s.edits())
	}
	s.Press("esc")
	s.Shows("40 services")
}

func TestTheSameChangeOnAFolderIsOnePlanAndLeavesOutWhoHasIt(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Invoke("services.open", "Utilities/Symbols.GPServer")
	s.set("maxUsageTime", "700")
	s.send()
	s.Press("esc esc")
	s.Invoke("rows.filter", "Utilities")
	s.Press("g space")
	s.Shows("3 services marked")
	s.Invoke("services.open", "Utilities/Geometry.GeometryServer")
	s.set("maxUsageTime", "700")
	s.Press("w M")
	s.Shows("Symbols.GPServer has it already", "2 services", "PrintingTools.GPServer")
	s.Answer(s.Press("w"), "y")
	s.Shows("has it already", "sent to 2 services", "goes back to the list")
	if s.edits() != 3 {
		t.Errorf("sent %d times", s.edits())
	}
}

func TestASignInThatEndsWhileThePlanIsMadeBringsThePlanBack(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", simulator.Fault{Path: "admin/services/CityBuildings_26.MapServer", Method: "GET", Times: 1, What: "status", Status: 401})
	s.Press("space space")
	s.Press("g enter")
	s.set("maxUsageTime", "700")
	s.Press("w")
	ask := uitest.Find[views.SignIn](t, s.Press("M"))
	s.Shows("review", "maxUsageTime")
	s.Hides("cannot take it")
	uitest.Drain(t, s.Model, ask.Retry)
	s.Shows("2 services", "CityAddresses_34.MapServer", "CityBuildings_26.MapServer")
	s.Hides("cannot take it")
}

func TestTheSameChangeNeedsMarkedServices(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.set("maxUsageTime", "700")
	s.Press("w")
	if told := uitest.NoticeText(t, s.Press("M")); !strings.Contains(told, "Mark other services") {
		t.Errorf("told %q", told)
	}
}

func TestHowManyServicesTheSameChangeIsMeantForIsNamed(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Press("space space space")
	s.cities().set("maxUsageTime", "700")
	s.Press("w")
	if hint := s.hint("services.many"); hint != "on 4 services" {
		t.Errorf("the footer says %q", hint)
	}
}

func TestStartAndStopSayThatMarksPlayNoPart(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Press("space space")
	dialog := uitest.Find[views.Open](t, s.Press("s")).Dialog
	dialog.SetSize(78, 16)
	if text := dialog.View(); !strings.Contains(text, "under the cursor only") {
		t.Errorf("it asks %s", text)
	}
}

func TestAfterAFailureOneKeyGoesOnWithTheRest(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-third-fails")
	s.Press("space space space space g enter")
	s.set("maxUsageTime", "700")
	s.Press("w M")
	s.Answer(s.Press("w"), "y")
	s.Shows("Left: 2 services", "goes on with 2 services")
	s.Press("M")
	s.Shows("review", "2 services", "CoastAirquality_26", "CoastViewshed_8")
	s.Hides("CityTrees_19")
	s.Answer(s.Press("w"), "y")
	s.Shows("sent to 2 services")
	if s.edits() != 5 {
		t.Errorf("sent %d times", s.edits())
	}
	s.Press("esc")
	s.Hides("marked")
}

func TestWhatIsLeftStaysMarked(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-third-fails")
	s.Press("space space space space g enter")
	s.set("maxUsageTime", "700")
	s.Press("w M")
	s.Answer(s.Press("w"), "y")
	s.Press("esc")
	s.Shows("2 services marked", "\u25c6CoastAirquality_26", "\u25c6CoastViewshed_8")
	s.Hides("\u25c6CityTrees_19")
}

func TestWhyAServiceCannotTakeItIsReadWholeInANarrowTerminal(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy", simulator.Fault{Path: "admin/services/CityBuildings_26.MapServer", Method: "GET", What: "status", Status: 403}), uitest.Sizes[0])
	s.Press("space space g enter")
	s.set("maxUsageTime", "700")
	s.Press("w M")
	s.Shows("CityBuildings_26.MapServer cannot take it", "(code 403)")
}
