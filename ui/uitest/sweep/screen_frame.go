package sweep

import (
	"slices"
	"strings"
	"time"

	"geodeck/theme"
	"geodeck/ui/uitest"
	"geodeck/ui/uitest/sweep/oracle"
)

// states are what the screen can say, by which a sweep knows that it was there.
var states = []struct{ name, text string }{
	{"sign-in", "Sign in to 127.0.0.1"},
	{"session expired", "Session expired"},
	{"unknown outcome", "Outcome unknown:"},
	{"too small", "too small, needs"},
}

// draw draws the screen, and checks what must hold in every frame.
func (s *screen) draw() {
	m := s.run.machine
	frame := s.model.View()
	s.stale = false
	s.display.frame(frame)
	plain := uitest.Unstyled(frame)
	if s.focused = aroundCursor(plain); theme.WithoutCursor(plain) == s.frame {
		return
	}
	s.frame = theme.WithoutCursor(plain)
	if wrong := uitest.Misfit(frame, s.width, s.height); wrong != "" {
		s.wrong(wrong)
	}
	if wrong := uitest.Harm(s.frame); wrong != "" {
		s.wrong(wrong)
	}
	s.shown = strings.Join(strings.Fields(s.frame), " ")
	if s.lastOnly {
		return
	}
	m.day.oracle.Said(oracle.Saying{Program: s.run.name, Where: "the screen", At: time.Now(), Text: s.frame, Frame: true, Width: s.width, Clock: m.clock.Now()})
	m.noClaim(s)
	for _, state := range states {
		if strings.Contains(s.shown, state.text) {
			m.day.meet("screen: " + state.name)
		}
	}
}

// wrong keeps what must not be on a screen, once, and the screen for the story.
func (s *screen) wrong(what string) {
	if slices.Contains(s.wrongs, what) {
		return
	}
	s.wrongs = append(s.wrongs, what)
	s.story(what)
	s.run.machine.day.fail("%s at %dx%d: %s", s.run.name, s.width, s.height, what)
}

// noClaim checks that the screen has no word of success before the site has accepted what is
// wanted, or has it whatever it has answered: nothing unknown is shown as done.
func (m *machine) noClaim(s *screen) {
	if m.wants == nil || m.day.plan.foreign || m.day.oracle.Elsewhere(s.run.name) {
		return
	}
	for _, words := range s.claim {
		if strings.Contains(s.shown, words) && len(m.site.sent(func(p *post) bool { return m.wants.is(p) && p.accepted })) == 0 &&
			(m.wants.has == nil || !m.wants.has()) {
			s.wrong("it says " + words + ", but the site has never accepted it")
		}
	}
}

// aroundCursor is the line of the cursor, and the one above it.
func aroundCursor(frame string) string {
	before, behind, found := strings.Cut(frame, theme.CursorMark)
	if !found {
		return ""
	}
	behind, _, _ = strings.Cut(behind, "\n")
	if at := strings.LastIndexByte(before, '\n'); at > 0 {
		at = strings.LastIndexByte(before[:at], '\n')
		return before[at+1:] + behind
	}
	return ""
}

// keptTyped checks that what the screen has called saved is in a draft on disk, however the
// program has ended.
func (s *screen) keptTyped() {
	if s.typed == "" {
		return
	}
	s.run.machine.day.meet("a draft is left")
	for path, content := range s.run.machine.disk.Files() {
		if strings.Contains(path, "/drafts/") && strings.Contains(string(content), s.typed) {
			return
		}
	}
	s.wrong("what was typed and saved as a draft is not on disk: " + s.typed)
}

// story keeps the screen for a person who reads the story of the day.
func (s *screen) story(why string) {
	if day := s.run.machine.day; day.Log {
		lines := strings.Split(strings.TrimRight(s.frame, "\n "), "\n")
		for i := range lines {
			lines[i] = "      | " + strings.TrimRight(lines[i], " ")
		}
		day.log("%s %s:\n%s", s.run.name, why, strings.Join(lines, "\n"))
	}
}
