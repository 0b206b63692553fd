package sweep

import (
	"regexp"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

// What the view of upgrades and the questions about them say on the way.
const (
	offersText   = "recommended"
	warningsText = "to accept"
	acceptText   = "and enter to accept it"
	clearText    = "is in the way"
	unsentText   = "Press enter, then type "
	lateText     = "No answer yet. The site's log shows"
	progressTab  = "[Progress]"
	succeeded    = "✓ upgrade succeeded" // messages tell of parts of it
	failed       = "✗ upgrade failed"
)

// startEnds are what the screen says of an upgrade that was sent.
var startEnds = []ending{
	{"No upgrade was seen to start", told{}},
	{"Another upgrade is running", told{}},
	{"It is not known whether the upgrade that runs is yours", told{}},
	{"was sent, and has not begun", told{}},
	{"The site refused", told{outcome: adminapi.OutcomeRefused}},
	{formChanged, told{outcome: adminapi.OutcomeNotSent}},
	{"✗ Nothing was sent", told{outcome: adminapi.OutcomeNotSent}},
	{"upgrade was not sent", told{outcome: adminapi.OutcomeNotSent}},
}

var (
	// ourWatch are the questions about an upgrade that was begun from here.
	ourWatch = regexp.MustCompile(`was being watched here until|that was watched here until|` + regexp.QuoteMeta(watchTitle))
	// toType is what confirms the review.
	toType = regexp.MustCompile(`To start, type (\S+?)(?: or \S+)?:`)
	// installed is the version of the site in the header, once the patch is there.
	installed = regexp.MustCompile(`11\.5\.0\.6835 · admin`)
)

// upgradeOnScreen starts the patch with the keys of the dashboard.
func upgradeOnScreen(r *run) told {
	s, err := r.entered(succeeded)
	if err != nil {
		return notSent(errorText(err))
	}
	defer s.close()
	if said, over := s.runsAlready(installed); over {
		return said
	}
	if why := s.toReview(); why != "" {
		s.story(why)
		return notSent(why)
	}
	return s.starts()
}

// runsAlready answers what an upgrade that was begun before asks for, and reports whether that is the one that is wanted; there is
// the version in the header by which it shows once it is there.
func (s *screen) runsAlready(there *regexp.Regexp) (said told, over bool) {
	foreign := s.run.machine.day.plan.foreign
	switch asked := s.until(6*time.Second, func(shown string) bool { return ourWatch.MatchString(shown) || strings.Contains(shown, unknownTitle) }); {
	case asked && ourWatch.MatchString(s.read()) && !foreign:
		return told{outcome: adminapi.OutcomeDone, ended: true, text: "it runs, or has run"}, true
	case asked && ourWatch.MatchString(s.read()):
		s.wait(2 * time.Second)
		s.press("n")
	}
	s.clear()
	if s.width < 120 {
		s.resize(sizes[1])
	}
	if there.MatchString(s.read()) || strings.Contains(s.shown, resolved) {
		return told{outcome: adminapi.OutcomeDone, ended: true, text: "it is there"}, true
	}
	return told{}, false
}

// toReview goes through the steps up to the review, and says why it did not come there; empty
// where it did.
func (s *screen) toReview() string {
	if why := s.offers(); why != "" {
		return why
	}
	s.press("enter")
	for range 12 {
		if asked := word.FindStringSubmatch(s.read()); asked != nil && strings.Contains(s.shown, acceptText) {
			s.answers(asked[1], func(shown string) bool { return strings.Contains(shown, acceptText) }, func() {})
			s.wait(time.Second)
			s.run.machine.day.meet("what cannot be read is accepted")
			continue
		}
		switch s.sees(time.Minute, clearText, unsentText, unknownTitle, signInTitle, warningsText, "blocks this", "could not be read", sessionExpired) {
		case clearText:
			s.press("enter")
			s.sees(20*time.Second, unsentText)
		case unsentText:
			return ""
		case warningsText:
			s.wait(time.Second)
			s.press("space")
			s.wait(time.Second)
		case "":
			return "the review is not reached"
		default:
			if !s.clear() {
				s.wait(20 * time.Second)
				s.press("R")
			}
		}
		if s.dead() {
			return "killed"
		}
	}
	return "the review is not reached"
}

// offers shows what is offered, and says why it does not come; empty where it does.
func (s *screen) offers() string {
	s.press("view.upgrade")
	for range 5 {
		if s.sees(40*time.Second, offersText) != "" {
			break
		}
		if !s.clear() {
			s.wait(20 * time.Second)
		}
		s.press("2 R")
	}
	if !strings.Contains(s.read(), offersText) {
		return "the offers are not seen"
	}
	return ""
}

// starts confirms the review, and reads what becomes of the start.
func (s *screen) starts() told {
	day := s.run.machine.day
	day.meet("screen: review of an upgrade")
	s.press("enter")
	version := toType.FindStringSubmatch(s.read())
	if version == nil {
		s.story("no version to type")
		s.clear()
		return notSent("the review cannot be confirmed")
	}
	s.answers(version[1], toType.MatchString, func() { s.run.keys.Yes++ })
	texts := append(textsOf(startEnds, unknownTitle, signInTitle, lateText), progressTab, sessionExpired)
	for range 12 {
		saw := s.sees(2*time.Minute, texts...)
		if s.dead() {
			return told{}
		}
		if said, is := s.ended(startEnds, "start", saw); is {
			return said
		}
		switch saw {
		case progressTab:
			if s.wait(2 * time.Second); strings.Contains(s.read(), lateText) {
				break
			}
			s.story("it has begun")
			day.meet("screen: start done")
			return told{outcome: adminapi.OutcomeDone, ended: true, text: saw}
		case unknownTitle:
			ours := s.asksOfOurs()
			if s.clear(); !ours {
				return notSent("an earlier one is in the way")
			}
		case lateText:
			day.meet("screen: the answer is late")
			s.story("the answer is late")
			s.wait(4 * time.Minute)
		default:
			if !s.clear() {
				s.story("no end of the start")
				return told{text: "no end is seen"}
			}
		}
	}
	s.story("no end of the start")
	return told{text: "no end"}
}

// watchOnScreen follows the upgrade with the dashboard, and reports whether it has seen the
// end.
func (m *machine) watchOnScreen(r *run) bool {
	s, err := r.entered()
	if err != nil {
		return false
	}
	defer s.close()
	if s.until(6*time.Second, func(shown string) bool { return ourWatch.MatchString(shown) }) {
		m.day.meet("screen: an upgrade is offered to be watched")
		s.wait(2 * time.Second)
		s.press(pick(s.hand, []string{"y", "n"}))
	} else {
		s.clear()
	}
	if s.hand.IntN(2) == 0 { // something else is done first
		s.press("view.services")
		s.wait(40 * time.Second)
	}
	s.press("view.progress")
	for end := time.Now().Add(3 * time.Hour); time.Now().Before(end); {
		saw := s.sees(20*time.Minute, succeeded, failed, signInTitle, unknownTitle, sessionExpired, "no longer reports", "Its end is unknown")
		if s.dead() {
			return false
		}
		truth, err := m.site.upgrades()
		if err != nil {
			m.day.fail("the site does not tell its upgrades: %v", err)
			return true
		}
		switch meaning := progress.StateOf(truth); saw {
		case succeeded:
			if m.day.meet("watch: succeeded"); meaning != progress.StateSucceeded && !m.day.plan.foreign {
				s.wrong("it says " + saw + ", and the site " + truth.State)
			}
			return true
		case failed:
			if m.day.meet("watch: ended otherwise"); meaning == progress.StateSucceeded && !m.day.plan.foreign {
				s.wrong("it says " + saw + ", and the site " + truth.State)
			}
			return true
		case "":
		default:
			if !s.clear() {
				s.story("the watch waits")
				return false
			}
			s.press("view.progress")
		}
	}
	s.story("the end is not seen")
	return false
}
