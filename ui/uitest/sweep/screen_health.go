package sweep

import (
	"regexp"
	"strings"
	"time"

	"geodeck/adminapi"
)

// healthEnds are what the screen says at the end of a health check.
var healthEnds = []ending{
	{"Health check: ", told{outcome: adminapi.OutcomeDone, ended: true}},
	{"Health check failed: ", told{outcome: adminapi.OutcomeDone, ended: true}},
	{"The site accepted the request to run the health check", told{outcome: adminapi.OutcomeDone, broken: true}},
	{"Accepted, but its end was not seen", told{outcome: adminapi.OutcomeDone}},
	{"It is not known whether the site accepted", told{}},
	{"The site refused to run the health check", told{outcome: adminapi.OutcomeRefused}},
	{"Health check refused: ", told{outcome: adminapi.OutcomeRefused}},
	{"error: Nothing was sent", told{outcome: adminapi.OutcomeNotSent}},
}

// Other texts of the view of health checks.
const (
	formText = "Name of the report"
	resolved = "(" + runName + ") is done: "
)

// listed is the report in the list, where a narrow screen cuts its name.
var listed = regexp.MustCompile(`[✓✗!](?: passed| failed| warning)?(?: [-:\d]+)+ before the up`)

// healthOnScreen runs a health check with the keys of the dashboard.
func healthOnScreen(r *run) told {
	s, err := r.entered(healthEnds[0].text, healthEnds[1].text)
	if err != nil {
		return notSent(errorText(err))
	}
	defer s.close()
	found := s.sees(5*time.Second, resolved, unknownTitle) == resolved
	s.clear()
	switch there, read := s.listsReport(found); {
	case !read:
		return notSent("the reports cannot be read")
	case there:
		return told{outcome: adminapi.OutcomeDone, ended: true, text: "it is there"}
	case found:
		return told{outcome: adminapi.OutcomeDone, text: "it was found, and is not in the list yet"}
	}
	s.press("health.run")
	return s.runsHealth()
}

// listsReport reports whether the report is in the list, which may take a while where it is
// known to come, and whether the list could be read.
func (s *screen) listsReport(comes bool) (there, read bool) {
	for range 6 {
		s.press("view.health")
		read = s.until(30*time.Second, func(shown string) bool {
			return strings.Contains(shown, "1 of ") || listed.MatchString(shown)
		})
		if len(listed.FindAllString(s.read(), -1)) > s.run.machine.day.plan.older {
			return true, true
		}
		if s.dead() || read && !comes {
			return false, read
		}
		if !s.clear() {
			s.wait(40 * time.Second)
		}
		s.press("R")
	}
	return false, read
}

// runsHealth fills the form in, and reads what becomes of it.
func (s *screen) runsHealth() told {
	texts := append(textsOf(healthEnds, formText, unknownTitle, signInTitle), sessionExpired)
	for range 12 {
		saw := s.sees(4*time.Minute, texts...)
		if s.dead() {
			return told{}
		}
		if said, is := s.ended(healthEnds, "health check", saw); is {
			return said
		}
		switch saw {
		case formText:
			s.wait(2 * time.Second)
			s.press("enter ctrl+u")
			s.types(runName)
			s.run.keys.Yes++
			s.press("enter")
			s.until(20*time.Second, func(shown string) bool { return !strings.Contains(shown, formText) })
		case unknownTitle:
			ours := s.asksOfOurs()
			if s.clear(); !ours {
				return notSent("an earlier one is in the way")
			}
		default:
			if !s.clear() {
				s.story("no end of the health check")
				return told{text: "no end is seen"}
			}
		}
	}
	s.story("no end of the health check")
	return told{text: "no end"}
}
