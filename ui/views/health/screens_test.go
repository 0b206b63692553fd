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
	for _, size := range sizes {
		t.Run(size.name, func(t *testing.T) {
			story(t, open(t, uitest.NewSite(t, sc).Site, size.width, size.height))
		})
	}
}

func TestScreenHealthyList(t *testing.T) {
	atEachSize(t, scenario(t, "healthy"), func(t *testing.T, s *screen) { s.golden() })
}

func TestScreenHealthyTree(t *testing.T) {
	atEachSize(t, scenario(t, "healthy"), func(t *testing.T, s *screen) {
		s.press("enter")
		s.golden()
	})
}

func TestScreenDegradedTree(t *testing.T) {
	atEachSize(t, scenario(t, "degraded"), func(t *testing.T, s *screen) {
		s.runCheck()
		s.press("enter")
		s.golden()
	})
}

func TestScreenDetailOfAFailedTest(t *testing.T) {
	atEachSize(t, scenario(t, "degraded"), func(t *testing.T, s *screen) {
		s.runCheck()
		s.press("enter f down down enter")
		s.golden()
	})
}

func TestScreenTooOld(t *testing.T) {
	atEachSize(t, scenario(t, "old"), func(t *testing.T, s *screen) { s.golden() })
}

func TestScreenEmpty(t *testing.T) {
	sc := scenario(t, "healthy")
	none := 0
	sc.Reports = &none
	atEachSize(t, sc, func(t *testing.T, s *screen) { s.golden() })
}

func TestScreenComparison(t *testing.T) {
	atEachSize(t, scenario(t, "degraded"), func(t *testing.T, s *screen) {
		s.runCheck()
		s.press("c down c")
		s.golden()
	})
}

func TestScreenRunning(t *testing.T) {
	atEachSize(t, scenario(t, "degraded"), func(t *testing.T, s *screen) {
		cmd := uitest.AnswerOnly(t, s.press("r"), uitest.Keys("enter enter")...)
		uitest.Run(s.Model, cmd, 18)
		s.golden()
	})
}

func TestScreenRunningTree(t *testing.T) {
	s := open(t, uitest.NewSite(t, scenario(t, "degraded")).Site, 80, 19)
	cmd := uitest.AnswerOnly(t, s.press("r"), uitest.Keys("enter enter")...)
	uitest.Run(s.Model, cmd, 18)
	s.press("enter")
	s.golden()
}

func TestScreenJSON(t *testing.T) {
	s := degraded(t)
	s.runCheck()
	s.press("enter f down down v")
	s.golden()
}

func TestScreenFilter(t *testing.T) {
	s := degraded(t)
	s.press("enter /")
	uitest.Press(t, s.Model, uitest.Text("store")...)
	s.golden()
}

func TestScreenInColor(t *testing.T) {
	env := uitest.Env(t, uitest.NewSite(t, scenario(t, "degraded")).Site, uitest.ColorTheme())
	s := openIn(t, env, 120, 35)
	s.runCheck()
	s.press("enter down down down down down")
	s.golden()
}

func TestScreenRunForm(t *testing.T) {
	s := healthy(t)
	dialog := uitest.Find[views.Open](t, s.press("r")).Dialog
	dialog.SetSize(78, 16)
	uitest.Drain(t, dialog, dialog.Init())
	uitest.Golden(t, dialog.View())
}
