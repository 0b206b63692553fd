package services_test

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
)

func TestAStoppedServiceIsFoundByItsState(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "services-down"), uitest.Sizes[0])
	s.Hides("PrintingTools", "stopped")
	s.Invoke("rows.filter", "stopped")
	s.Shows("PrintingTools", "stopped, should run", "Geometry", "2 stopped, 1 not as configured")
	s.Hides("SampleWorldCities", "of 40 read")
	s.Invoke("rows.filter", "not as")
	s.Shows("PrintingTools")
	s.Hides("Geometry")
}

func TestHowManyAreStoppedIsSaidOfThoseThatWereRead(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "services-down"), uitest.Sizes[0])
	s.Invoke("rows.filter", "Utilities")
	s.Press("esc")
	s.Shows("40 services  of 26 read: 2 stopped, 1 not as configured")
}

func TestLettersInsideAStateFindNothingByIt(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Invoke("rows.filter", "arted")
	s.Shows("No service matches.")
}

func TestAFilterForAStateReadsAFewAtATimeAndStopsWithIt(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "many-services"), uitest.Sizes[1])
	before := s.wire.Sent("GET status")
	_, rest := uitest.Run(s.Model, s.do("rows.filter", "stopped"), 4)
	s.Shows("No service matches so far", "of 3000 services")
	if s.Status().Busy == "" {
		t.Error("nothing says that states are being read")
	}
	rest = append(rest, s.do("services.back", ""))
	uitest.Drain(t, s.Model, tea.Batch(rest...))
	if n := s.wire.Sent("GET status") - before; n == 0 || n > 70 {
		t.Errorf("%d states were read for a filter that was taken away", n)
	}
}

func TestAFilterForAStateGivesUpWhereNoStateCanBeRead(t *testing.T) {
	t.Parallel()
	s := open(t, "many-services", simulator.Fault{Path: "/admin/services/*/status", Method: "GET", What: "status", Status: 500},
		simulator.Fault{Path: "/admin/services/*/*/status", Method: "GET", What: "status", Status: 500})
	before := s.wire.Sent("GET status")
	s.Invoke("rows.filter", "stopped")
	s.Shows("as far as states could be read")
	if n := s.wire.Sent("GET status") - before; n > 100 {
		t.Errorf("%d requests that fail alike", n)
	}
}
