package services_test

import (
	"regexp"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// TestScreens compares whole screens: those that differ most at every size, the others at
// one size, as that all of them fit is held by another test.
func TestScreens(t *testing.T) {
	t.Parallel()
	every, middle, small := uitest.Sizes, uitest.Sizes[1:2], uitest.Sizes[:2]
	for name, screen := range map[string]struct {
		scenario string
		sizes    []uitest.Size
		story    func(s *screen) string
	}{
		"list":   {"services-down", every, func(s *screen) string { s.Press("space up"); return s.Draw() }},
		"editor": {"healthy", every, func(s *screen) string { return s.drawn("changed") }},
		"review": {"healthy", every, func(s *screen) string {
			s.cities().set("maxUsageTime", "700")
			s.Invoke("jsonedit.go", "provider")
			s.Press("jsonedit.delete services.write")
			return s.Draw()
		}},
		"done": {"healthy", small, func(s *screen) string { return s.drawn("result") }},
		"drift": {"edit-elses", small, func(s *screen) string {
			s.cities().set("maxIdleTime", "1000")
			s.send()
			s.Press("m")
			return s.Draw()
		}},
		"not kept": {"drops-keys", small, func(s *screen) string {
			s.cities()
			s.editor(`subst 's/"provider": "DMaps",/"provider": "DMaps", "note": "ours",/' "$1"`)
			s.Press("services.editor")
			s.send()
			return s.Draw()
		}},
		"lost":        {"edit-answer-lost-not-performed", small, func(s *screen) string { return s.drawn("result") }},
		"history":     {"healthy", every, func(s *screen) string { sentOnce(s).Press("tab tab space"); return s.Draw() }},
		"status":      {"healthy", small, func(s *screen) string { return s.drawn("status") }},
		"status down": {"no-node", every, func(s *screen) string { s.cities().Press("tab tab tab"); return s.Draw() }},
		"draft": {"healthy", small, func(s *screen) string {
			s.cities().set("maxUsageTime", "700")
			s.Press("esc")
			return s.restart().cities().Draw()
		}},
		"draft elsewhere": {"healthy", small, func(s *screen) string {
			s.startAs(alice).cities().set("maxUsageTime", "700")
			return s.startAs(bob).cities().Draw()
		}},
		"draft looked at": {"healthy", middle, func(s *screen) string {
			s.startAs(alice).cities().set("maxUsageTime", "700")
			b := s.startAs(bob).cities()
			b.Press("enter")
			return b.Draw()
		}},
		"draft on another host": {"edit-elses", middle, func(s *screen) string {
			c := s.startAs(carol).cities()
			c.set("maxUsageTime", "700")
			c.crash()
			return s.startAs(bob).cities().Draw()
		}},
		"draft taken over": {"healthy", middle, func(s *screen) string {
			a := s.startAs(alice).cities()
			a.set("maxUsageTime", "700")
			s.startAs(bob).cities().takesOver()
			a.set("provider", "Other")
			return a.Draw()
		}},
		"take over": {"healthy", small, func(s *screen) string {
			s.startAs(alice).cities().set("maxUsageTime", "700")
			return s.Dialog(s.startAs(bob).cities().Press("services.take-over"), s.size.Width, s.size.Height)
		}},
		"send beside another edit": {"healthy", middle, func(s *screen) string {
			a := s.startAs(alice).cities()
			a.set("maxUsageTime", "700")
			s.startAs(bob).cities().takesOver()
			return s.Dialog(a.send(), s.size.Width, s.size.Height)
		}},
		"several services": {"edit-third-fails", small, func(s *screen) string {
			s.Press("space space space space rows.top enter")
			s.set("maxUsageTime", "700")
			s.Press("services.write services.many")
			s.Answer(s.ask(), "y")
			return s.Draw()
		}},
		"read-only":    {"readonly", middle, func(s *screen) string { return s.cities().Draw() }},
		"rules":        {"healthy", every, func(s *screen) string { return s.rules().onPool("spot").Draw() }},
		"rules review": {"healthy", every, func(s *screen) string { s.rules().onPool("spot").Press("services.write"); return s.Draw() }},
		"rules result": {"healthy", small, func(s *screen) string { s.rules().onPool("spot").sendRules(yes...); return s.Draw() }},
		"rules that no node fits": {"healthy", small, func(s *screen) string {
			s.rules().onPool("giss").Press("services.write")
			return uitest.AnyPort(s.Dialog(s.Press("diff.accept"), s.size.Width, s.size.Height))
		}},
	} {
		for _, size := range screen.sizes {
			t.Run(name+"/"+size.Name, func(t *testing.T) {
				t.Parallel()
				uitest.Golden(t, screen.story(openAt(t, uitest.Scenario(t, screen.scenario), size)))
			})
		}
	}
}

// Where there is room, what a value means, what the site has and when it changed stand beside
// the definition.
func TestAValueIsExplainedBesideTheDefinition(t *testing.T) {
	t.Parallel()
	s := sentOnce(openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[2]))
	s.Invoke("jsonedit.go", "maxUsageTime")
	s.Shows("Limits         0 or more", "At the site    the same", "Last change    2026-11-20 15:05 by admin", "from 600")
	s.set("maxInstancesPerNode", "7")
	s.Shows("Limits         0 or more; at least minInstancesPerNode, 2", "Here           7", "At the site    3", "Last change    none kept on this machine",
		"Your changes", "maxInstancesPerNode  3 → 7")
	s.Invoke("jsonedit.go", "provider")
	s.Press("jsonedit.delete")
	s.Invoke("jsonedit.next-change", "")
	s.Press("jsonedit.previous-change")
	s.Shows(`At the site    "DMaps"`, "Here           deleted", "provider  deleted")
}

// Nothing has to be opened to see what a change does, and in a wide terminal what a version was.
func TestTheRequestAndTheVersionStandBesideTheReviewAndTheHistory(t *testing.T) {
	t.Parallel()
	s := sentOnce(openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[2])).set("maxInstancesPerNode", "7")
	s.Press("services.write")
	s.Shows("When you send", "Limits         0 or more; at least minInstancesPerNode, 2", "Last edit      2026-11-20 15:05 by admin", "maxUsageTime 600 → 700",
		"The request: POST", `"maxInstancesPerNode": 7`, "and more: v shows the whole request")
	s.Press("services.request")
	s.Shows("request, lines 1-")
	s.Hides("When you send")
	s.Press("services.request")
	s.Shows("When you send")
	s.Press("esc")
	s.SetSize(uitest.Sizes[1].Width, uitest.Sizes[1].Height)
	s.Press("services.write")
	changes, below, _ := strings.Cut(s.View(), "When you send")
	if !strings.Contains(changes, "~ changed") || !strings.Contains(below, "Last edit      2026-11-20 15:05 by admin") || !strings.Contains(below, "The request: POST") {
		t.Errorf("what sending does does not stand below the changes\n%s", s.View())
	}
	s.SetSize(uitest.Sizes[2].Width, uitest.Sizes[2].Height)
	s.drain(s.Update(views.Rested))
	s.Shows("When you send", "Last edit      2026-11-20 15:05 by admin", "The request: POST")
	s.Answer(s.ask(), "y")
	s.Press("esc tab tab")
	s.Shows("This version, from line 4", `"maxInstancesPerNode": 3`)
	s.Press("down")
	s.Shows("This version, from line 9", `"maxUsageTime": 600`)
	s.sent(2)
}

// drawn is the screen that one of the routes leads to.
func (s *screen) drawn(route string) string {
	s.t.Helper()
	routes[route](s)
	return s.Draw()
}

var seconds = regexp.MustCompile(` +sending, \d+ s`)

func TestScreenSending(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0]).cities().set("maxUsageTime", "700")
	s.Press("services.write")
	cmd := uitest.AnswerOnly(t, s.ask(), uitest.Keys("y")...)
	_, rest := uitest.Run(s.Model, cmd, 2)
	sent := make(chan tea.Msg)
	go func() { sent <- rest[0]() }()
	uitest.Run(s.Model, rest[1], 4)
	uitest.Golden(t, seconds.ReplaceAllString(s.Draw(), " sending, N s")) // the clock goes on beside it
	s.drain(func() tea.Msg { return <-sent })
	s.Shows("has the new definition")
}

// What matters most is seen in a small terminal as well.
func TestSmallScreensShowWhatMattersMost(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		"draft":                 {"Your draft of this definition", "continue with the draft", "leave it for later"},
		"draft elsewhere":       {"has it open", "view the text, read-only", "take the edit over"},
		"draft on another host": {"may still have it open", "discard the draft"},
		"result":                {"The site has the new definition", "run a health check", "back to Definition"},
		"history":               {"When", "What changed"},
		"status":                {"State", "as configured", "MapServer"},
		"rules result":          {"The site has the new placement policy", "Pods"},
		"rules broken":          {"Not valid JSON", "edit it again", "discard it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
			routes[name](s)
			s.Shows(texts...)
		})
	}
}
