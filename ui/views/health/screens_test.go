package health_test

import (
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

// atEachSize runs a story on a fresh site at each size.
func atEachSize(t *testing.T, sc simulator.Scenario, story func(t *testing.T, s *screen)) {
	t.Helper()
	for _, size := range uitest.Sizes {
		t.Run(size.Name, func(t *testing.T) {
			story(t, open(t, uitest.NewSite(t, sc).Site, size.Width, size.Height))
		})
	}
}

func TestScreenHealthyList(t *testing.T) {
	atEachSize(t, uitest.Scenario(t, "healthy"), func(t *testing.T, s *screen) { s.Golden() })
}

func TestScreenHealthyTree(t *testing.T) {
	atEachSize(t, uitest.Scenario(t, "healthy"), func(t *testing.T, s *screen) {
		s.Press("enter")
		s.Golden()
	})
}

func TestScreenDegradedTree(t *testing.T) {
	atEachSize(t, uitest.Scenario(t, "degraded"), func(t *testing.T, s *screen) {
		s.runCheck()
		s.Press("enter")
		s.Golden()
	})
}

func TestScreenDetailOfAFailedTest(t *testing.T) {
	atEachSize(t, uitest.Scenario(t, "degraded"), func(t *testing.T, s *screen) {
		s.runCheck()
		s.Press("enter f down down enter")
		s.Golden()
	})
}

func TestScreenTooOld(t *testing.T) {
	atEachSize(t, uitest.Scenario(t, "old"), func(t *testing.T, s *screen) { s.Golden() })
}

func TestScreenEmpty(t *testing.T) {
	sc := uitest.Scenario(t, "healthy")
	none := 0
	sc.Reports = &none
	atEachSize(t, sc, func(t *testing.T, s *screen) { s.Golden() })
}

func TestScreenComparison(t *testing.T) {
	atEachSize(t, uitest.Scenario(t, "degraded"), func(t *testing.T, s *screen) {
		s.runCheck()
		s.Press("c down c")
		s.Golden()
	})
}

func TestScreenRunning(t *testing.T) {
	atEachSize(t, uitest.Scenario(t, "degraded"), func(t *testing.T, s *screen) {
		cmd := uitest.AnswerOnly(t, s.Press("r"), uitest.Keys("enter enter")...)
		uitest.Run(s.Model, cmd, 18)
		s.Golden()
	})
}

func TestScreenRunningTree(t *testing.T) {
	s := open(t, uitest.NewSite(t, uitest.Scenario(t, "degraded")).Site, 80, 19)
	cmd := uitest.AnswerOnly(t, s.Press("r"), uitest.Keys("enter enter")...)
	uitest.Run(s.Model, cmd, 18)
	s.Press("enter")
	s.Golden()
}

func TestScreenJSON(t *testing.T) {
	s := degraded(t)
	s.runCheck()
	s.Press("enter f down down v")
	s.Golden()
}

func TestScreenFilter(t *testing.T) {
	s := degraded(t)
	s.Press("enter /")
	uitest.Press(t, s.Model, uitest.Text("store")...)
	s.Golden()
}

func TestScreenInColor(t *testing.T) {
	env := uitest.Env(t, uitest.NewSite(t, uitest.Scenario(t, "degraded")).Site, uitest.ColorTheme())
	s := openIn(t, env, 120, 35)
	s.runCheck()
	s.Press("enter down down down down down")
	s.Golden()
}

func TestScreenRunForm(t *testing.T) {
	s := healthy(t)
	dialog := uitest.Find[views.Open](t, s.Press("r")).Dialog
	dialog.SetSize(78, 16)
	uitest.Drain(t, dialog, dialog.Init())
	uitest.Golden(t, dialog.View())
}
