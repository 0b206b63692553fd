package sweep

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"geodeck/ui/uitest"
)

// What stands between a person and the work: the sign-in, and questions that come unasked.
const (
	signInTitle     = "Sign in to 127.0.0.1"
	unknownTitle    = "Outcome unknown:"
	watchTitle      = "Watch it?"
	sessionExpired  = "Press R to sign in"
	sessionsAllowed = 6 // how often somebody signs in anew in one run
)

var errNoSignIn = errors.New("the dashboard cannot sign in")

// enter opens the dashboard and signs in.
func (s *screen) enter() error {
	if s.sees(6*time.Minute, signInTitle, "changes are disabled") == "" {
		s.story("no sign-in")
		return errNoSignIn
	}
	s.wait(2 * time.Second) // a question that comes unasked takes no key at first
	return s.signIn()
}

// signIn answers the dialog until the site takes the answer.
func (s *screen) signIn() error {
	for range 8 {
		switch label := s.label(); {
		case !strings.Contains(s.read(), signInTitle):
			s.signedIn++
			return nil
		case strings.Contains(s.shown, "user and password"):
			s.press("enter")
		case label == "User" && !strings.Contains(s.line(), "admin"):
			s.types("admin")
			s.press("enter")
		case label == "User":
			s.press("enter")
		case label == "Password":
			s.enters(s.run.machine.site.password.Reveal())
			s.press("enter")
			if s.until(3*time.Minute, func(shown string) bool { return !strings.Contains(shown, signInTitle) || s.label() != "" }); strings.Contains(s.read(), signInTitle) {
				s.story("the sign-in is not taken")
				s.wait(30 * time.Second)
			}
		default:
			s.wait(5 * time.Second)
		}
	}
	s.story("not signed in")
	return errNoSignIn
}

// label is the line above that of the cursor, and line that of the cursor.
func (s *screen) label() string {
	before, _, found := strings.Cut(s.focused, "\n")
	if !found {
		return ""
	}
	return strings.TrimSpace(before)
}

func (s *screen) line() string {
	_, line, _ := strings.Cut(s.focused, "\n")
	return line
}

// word is what a question wants to be typed.
var word = regexp.MustCompile(`Type (.+?) and enter to`)

// clear answers what comes unasked, and reports whether there was something.
func (s *screen) clear() (was bool) {
	for range 6 {
		switch shown := s.read(); {
		case s.dead():
			return was
		case strings.Contains(shown, signInTitle):
			if s.signIn() != nil {
				s.press("esc")
			}
		case s.unlock():
		case strings.Contains(shown, watchTitle):
			s.wait(2 * time.Second)
			s.press("n")
		case strings.Contains(shown, unknownTitle):
			s.wait(2 * time.Second)
			s.lookForIt()
		case strings.Contains(shown, sessionExpired) && s.signedIn < sessionsAllowed:
			s.press("R")
			s.sees(5*time.Second, signInTitle)
			s.wait(2 * time.Second)
			if !strings.Contains(s.read(), signInTitle) {
				return was // its key means something else here
			}
		default:
			return was
		}
		was = true
	}
	return was
}

// asksOfOurs reports whether the question is about a write of this very program: one whose
// outcome is still looked for, beside the question.
func (s *screen) asksOfOurs() bool {
	return strings.Contains(s.read(), "process "+strconv.Itoa(s.run.pid())+")")
}

// lookForIt answers the question about a write of unknown outcome: it is looked for at the
// site, and where the site still does not tell, and enough time has passed, another is
// allowed by its name.
func (s *screen) lookForIt() {
	if s.blocked++; s.blocked > 1 || s.hand.IntN(2) == 0 {
		s.run.machine.day.meet("an earlier write is in the way")
	}
	if asked := word.FindStringSubmatch(s.shown); asked != nil {
		s.story("another one is allowed")
		s.answers(asked[1], func(shown string) bool { return strings.Contains(shown, unknownTitle) }, func() {})
		s.sees(10*time.Second, "another request may be sent")
		return
	}
	if s.blocked == 1 {
		s.press("y")
		s.wait(10 * time.Second)
		if !strings.Contains(s.read(), unknownTitle) {
			return
		}
	}
	s.press("esc")
}

// types types a text, a key for each character.
func (s *screen) types(text string) { s.send(uitest.Text(text)...) }

// enters types a text, or pastes it, which most people do with what is long.
func (s *screen) enters(text string) {
	if s.hand.IntN(6) == 0 {
		s.types(text)
		return
	}
	s.send(uitest.Paste(text))
}

// command runs a command by its name.
func (s *screen) command(line string) {
	s.press("palette")
	s.enters(line)
	s.press("enter")
}
