package health_test

import (
	"strings"
	"testing"

	"geodeck/ui/uitest"
)

// A site of nothing but the contract offers neither suites nor a list of reports. A health check runs there
// by typed ids, with a job or without one, and its report is read, kept in the list and compared.
func TestAHealthCheckRunsWhereNothingButTheContractIsOffered(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"contract-only", "contract-only-get"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			s := open(t, siteOf(t, scenario), 80, 24)
			s.Shows("This site does not offer its list of reports.", "The reports that you make here are listed.", "Press r to run")
			if err := s.Status().Err; err != nil {
				t.Errorf("the frame shows an error: %v", err)
			}
			s.Answer(s.Press("health.run"), "enter enter enter")
			s.Shows("✓ passed  geodeck 2026-11-20", "13 of 13 passed", "sharing_availability")
			s.Press("esc")
			s.Shows("known here; the site offers no list", "1 of 1")
			s.Answer(s.Press("health.run"), "enter down enter enter") // without a job
			s.Press("esc")
			s.Shows("1 of 2")
			s.Press("health.refresh")
			s.Shows("1 of 2", "13 of 13 passed")
			s.Press("health.compare")
			s.Shows("13 of 13")
		})
	}
}

func TestAnIdThatIsTypedIsSentAsItIs(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "contract-only"), 80, 24)
	told := s.Answer(s.Press("health.run"), "ctrl+u N O S U C H enter enter enter")
	if text := uitest.NoticeText(t, told); !strings.Contains(text, "there is no suite NOSUCH") {
		t.Errorf("the site was not asked: %q", text)
	}
}
