package services_test

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestScreenList(t *testing.T) {
	t.Parallel()
	atEachSize(t, "services-down", func(_ *testing.T, s *screen) {
		s.Press("space down")
		s.Golden()
	})
}

func TestScreenEditor(t *testing.T) {
	t.Parallel()
	atEachSize(t, "healthy", func(_ *testing.T, s *screen) {
		s.cities().set("maxUsageTime", "700")
		s.Golden()
	})
}

func TestScreenReview(t *testing.T) {
	t.Parallel()
	atEachSize(t, "healthy", func(_ *testing.T, s *screen) {
		s.cities().set("maxUsageTime", "700")
		s.Invoke("jsonedit.go", "provider")
		s.Press("d w")
		s.Golden()
	})
}

func TestScreenDone(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "healthy", func(_ *testing.T, s *screen) {
		s.cities().set("maxUsageTime", "700")
		s.send()
		s.Golden()
	})
}

func TestScreenSending(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.set("maxUsageTime", "700")
	s.Press("w")
	cmd := uitest.AnswerOnly(t, s.Press("w"), uitest.Keys("y")...)
	_, rest := uitest.Run(s.Model, cmd, 2)
	sent := make(chan tea.Msg)
	go func() { sent <- rest[0]() }()
	uitest.Run(s.Model, rest[1], 4)
	s.Golden()
	uitest.Drain(t, s.Model, func() tea.Msg { return <-sent })
	s.Shows("has the new definition")
}

func TestScreenDrift(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "edit-elses", func(_ *testing.T, s *screen) {
		s.cities().set("maxIdleTime", "1000")
		s.send()
		s.Press("m")
		s.Golden()
	})
}

func TestScreenNotKept(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "drops-keys", func(t *testing.T, s *screen) {
		s.cities()
		s.editor(`sed -i 's/"provider": "DMaps",/"provider": "DMaps", "note": "ours",/' "$1"`)
		s.Press("E")
		s.send()
		s.Golden()
	})
}

func TestScreenLost(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "edit-answer-lost-not-performed", func(_ *testing.T, s *screen) {
		s.cities().set("maxUsageTime", "700")
		s.send()
		s.Golden()
	})
}

func TestScreenHistory(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "healthy", func(_ *testing.T, s *screen) {
		sentOnce(s).Press("tab tab c")
		s.Golden()
	})
}

func TestScreenStatus(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "healthy", func(_ *testing.T, s *screen) {
		s.cities().Press("tab tab tab")
		s.Golden()
	})
}

func TestScreenDraft(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "healthy", func(_ *testing.T, s *screen) {
		s.cities().set("maxUsageTime", "700")
		s.Press("esc")
		s.again().cities().Golden()
	})
}

func TestScreenDraftElsewhere(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "healthy", func(_ *testing.T, s *screen) {
		s.starts(alice).cities().set("maxUsageTime", "700")
		s.starts(bob).cities().Golden()
	})
}

func TestScreenDraftLooked(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "healthy", func(_ *testing.T, s *screen) {
		s.starts(alice).cities().set("maxUsageTime", "700")
		b := s.starts(bob).cities()
		b.Press("enter")
		b.Golden()
	})
}

func TestScreenDraftOnAnotherHost(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "edit-elses", func(_ *testing.T, s *screen) {
		c := s.starts(carol).cities()
		c.set("maxUsageTime", "700")
		c.ends()
		s.starts(bob).cities().Golden()
	})
}

func TestScreenDraftTakenOver(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "healthy", func(_ *testing.T, s *screen) {
		a := s.starts(alice).cities()
		a.set("maxUsageTime", "700")
		s.starts(bob).cities().takesOver()
		a.set("provider", "Other")
		a.Golden()
	})
}

func TestScreenTakeOver(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "healthy", func(t *testing.T, s *screen) {
		s.starts(alice).cities().set("maxUsageTime", "700")
		dialog := uitest.Find[views.Open](t, s.starts(bob).cities().Press("T")).Dialog
		dialog.SetSize(s.size.Width, s.size.Height)
		uitest.Golden(t, dialog.View())
	})
}

func TestScreenSendBeside(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "healthy", func(t *testing.T, s *screen) {
		a := s.starts(alice).cities()
		a.set("maxUsageTime", "700")
		s.starts(bob).cities().takesOver()
		dialog := uitest.Find[views.Open](t, a.send()).Dialog
		dialog.SetSize(s.size.Width, s.size.Height)
		uitest.Golden(t, dialog.View())
	})
}

func TestScreenMany(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "edit-third-fails", func(_ *testing.T, s *screen) {
		s.Press("space space space space g enter")
		s.set("maxUsageTime", "700")
		s.Press("w M")
		s.Answer(s.Press("w"), "y")
		s.Golden()
	})
}

func TestScreenReadOnly(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "readonly", func(_ *testing.T, s *screen) {
		s.cities()
		s.Golden()
	})
}

func TestScreenRules(t *testing.T) {
	t.Parallel()
	atEachSize(t, "healthy", func(_ *testing.T, s *screen) {
		s.rules().onPool("spot").Golden()
	})
}

func TestScreenRulesReview(t *testing.T) {
	t.Parallel()
	atEachSize(t, "healthy", func(_ *testing.T, s *screen) {
		s.rules().onPool("spot").Press("w")
		s.Golden()
	})
}

func TestScreenRulesResult(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "healthy", func(_ *testing.T, s *screen) {
		s.rules().onPool("spot").sendRules(yes...)
		s.Golden()
	})
}

func TestScreenRulesNoNode(t *testing.T) {
	t.Parallel()
	inTheMiddle(t, "healthy", func(t *testing.T, s *screen) {
		s.rules().onPool("giss").Press("w")
		dialog := uitest.Find[views.Open](t, s.Press("w")).Dialog
		dialog.SetSize(s.size.Width, s.size.Height)
		uitest.Golden(t, dialog.View())
	})
}

// Drawing changes nothing, on whatever screen.
func TestDrawingChangesNothing(t *testing.T) {
	t.Parallel()
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, "healthy")
			way(s)
			uitest.Pure(t, s.Model)
		})
	}
}

// What matters most is seen in a small terminal as well.
func TestSmallScreensShowWhatMattersMost(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		"draft":                 {"You have edited this definition before", "goes on with the draft", "leaves it for later"},
		"draft elsewhere":       {"has it open", "looks at the text, read only", "takes the edit over"},
		"draft on another host": {"may still have it open", "discards the draft"},
		"result":                {"The site has the new definition", "runs a health check", "goes back to the tab Definition"},
		"history":               {"Kept", "definition"},
		"status":                {"State", "Configured", "MapServer"},
		"rules result":          {"The site has the new placement policy", "Pods"},
		"rules broken":          {"is no placement policy", "opens it in your editor again", "discards this text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
			ways[name](s)
			s.Shows(texts...)
		})
	}
}
