package services_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/uitest"
	"geodeck/ui/views/services"
)

// reading is a view that has read the root, and no other folder yet.
func reading(t *testing.T) (s *screen, rest tea.Cmd) {
	t.Helper()
	site, _ := uitest.NewSite(t, uitest.Scenario(t, "healthy")).Counted(t)
	env := uitest.Env(t, site, uitest.Theme())
	m := services.New(env)
	s = &screen{Model: m, Screen: uitest.NewScreen(t, m, 120, 35), t: t, env: env, site: site}
	_, left := uitest.Run(m, m.Init(), 2)
	s.Shows("not read yet")
	return s, tea.Batch(left...)
}

func TestAServiceIsOpenedWhenItsFolderArrives(t *testing.T) {
	t.Parallel()
	s, rest := reading(t)
	told := uitest.NoticeText(t, s.Invoke("services.open", "utilities/geometry.GeometryServer"))
	if !strings.Contains(told, "still being read") {
		t.Errorf("told %q", told)
	}
	uitest.Drain(t, s.Model, rest)
	s.Shows("Definition", "History", "Status")
	if at := s.Status().Path; len(at) == 0 || at[0] != "Utilities/Geometry.GeometryServer" {
		t.Errorf("it leads to %v", at)
	}
}

func TestThatAServiceIsNotThereIsSaidWhenAllIsRead(t *testing.T) {
	t.Parallel()
	s, rest := reading(t)
	s.Invoke("services.open", "No/Such.MapServer")
	if told := uitest.NoticeText(t, uitest.Drain(t, s.Model, rest)); !strings.Contains(told, "There is no service No/Such.MapServer") {
		t.Errorf("told %q", told)
	}
}
