package services_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/uitest"
)

// until lets what goes on for ever go on until the screen shows something.
func (s *screen) until(shown string) {
	s.t.Helper()
	for range 200 {
		if strings.Contains(s.Draw(), shown) || len(s.rest) == 0 {
			break
		}
		_, more := uitest.Run(s.Model, s.rest[0], 1)
		s.rest = append(s.rest[1:], more...)
	}
	s.Shows(shown)
}

// sendsSlowly sends rules and stops where the pods begin to come back.
func (s *screen) sendsSlowly(pool string) *screen {
	s.t.Helper()
	s.onPool(pool).Press("w")
	s.rest = []tea.Cmd{uitest.AnswerOnly(s.t, s.Press("w"), yes...)}
	s.until("1 of 3 ready")
	return s
}

func TestThePodsAreFollowedOnAfterTheirPageWasLeft(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules().sendsSlowly("spot")
	s.Shows("1 of 3 ready since", "Going back stops nothing: o on the tab Placement shows the pods again.", "esc goes back to the tab Placement")
	s.Press("esc")
	s.Shows("pods: 1 of 3 ready")
	s.until("pods: 2 of 3 ready")
	if s.Status().Busy != "following the pods" || s.Leave() != "" {
		t.Errorf("busy with %q, leaving asks %q", s.Status().Busy, s.Leave())
	}
	s.Press("o")
	s.Shows("shared-mapserver: 2 of 3 ready since", "goes back to the rules")
	s.until("All 3 pods answer since")
	s.Shows("a pod that answers may be one from before")
	s.until("the site is not asked any more")
	s.Press("esc")
	s.Shows("whose pool is spot")
	s.Hides("pods:")
	s.wait(20) // the state of the service is read
	if len(s.rest) > 0 {
		t.Errorf("%d commands go on", len(s.rest))
	}
}

func TestThePodsAreToldWithoutAnEdit(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.Press("o")
	s.Shows("shared-mapserver: 3 of 3 ready", "All 3 pods answer", "8 readings say the same: the site is not asked any more", "asks again")
	s.Hides("answer since", "change")
	s.Press("o")
	s.Shows("8 readings say the same")
	s.Press("esc")
	s.Shows("whose pool is gis")
	s.sent(0)
}

func TestThePodsAreNotAskedForOnceTheirServiceIsLeft(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules().sendsSlowly("spot")
	s.Press("esc esc")
	s.wait(3) // the reading that waits ends, and no other begins
	if len(s.rest) > 0 || s.Status().Busy != "" {
		t.Errorf("%d commands go on, busy with %q", len(s.rest), s.Status().Busy)
	}
}

func TestTheStateOfAServiceFollowsItsPods(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("giss").sendRules(typedNone()...)
	s.Press("esc")
	s.Shows("pods: 0 of 3 ready", "stopped, should run")
	s.wait(400)
	s.Shows("stopped, should run")
	s.editor(`sed -i 's/"giss"/"gis"/' "$1"`)
	s.Press("E")
	s.sendRules(yes...)
	s.wait(400)
	s.Press("esc")
	s.Shows("✓ started")
}

func TestWhoWantsToLeaveWhileItIsSentIsToldOnThePageOnly(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.set("maxUsageTime", "700")
	s.Press("w")
	_, rest := uitest.Run(s.Model, uitest.AnswerOnly(t, s.Press("w"), uitest.Keys("y")...), 2)
	if up := s.Press("esc"); len(up) > 0 {
		t.Errorf("sent up %v", up)
	}
	s.Shows("This page stays until it is known")
	s.drain(rest...)
	s.Shows("has the new definition", "goes back to the tab Definition")
	s.Hides("This page stays")
}
