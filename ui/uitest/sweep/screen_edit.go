package sweep

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal/memdisk"
)

// notSent is what was told where nothing was sent, as far as a person can see.
func notSent(text string) told { return told{outcome: adminapi.OutcomeNotSent, text: text} }

// page is how a part of a service is edited on the screen.
type page struct {
	open string // the command that opens it
	text string // on it
	seen func(*screen) (value string, changed bool)
	edit func(*screen) // opens the field of the value, and empties it
}

// definition is the page of a value of a definition.
func definition(path document.Path) page {
	return page{
		open: "open service ", text: `"serviceName"`,
		seen: func(s *screen) (value string, changed bool) {
			s.command("go to path " + string(path))
			s.wait(time.Second)
			if found := valueShown.FindStringSubmatch(s.read()); found != nil {
				return found[2], strings.HasPrefix(found[1], "◆")
			}
			return "", false
		},
		edit: func(s *screen) {
			if !strings.Contains(s.read(), "enter apply") {
				s.press("jsonedit.edit")
			}
			s.press("ctrl+u")
		},
	}
}

// valueShown is the line of the value; what has changed has a mark before its number.
var valueShown = regexp.MustCompile(`(◆? \d+) "maxIdleTime": ([\d.]+)`)

// rules is the page of the rules for pods, which get one more toleration.
var rules = page{
	open: "open placement ", text: "Tolerations",
	seen: func(s *screen) (value string, changed bool) {
		s.wait(time.Second)
		if tolerated.MatchString(s.read()) {
			value = "spot"
		} else if strings.Contains(s.shown, "Tolerations") {
			value = "no spot"
		}
		return value, strings.Contains(s.shown, "changed, draft saved") || strings.Contains(s.shown, " w write ")
	},
	edit: func(s *screen) { s.press("rows.bottom rules.add") },
}

// tolerated is the toleration among the rules.
var tolerated = regexp.MustCompile(`spot (?:Equal|Exists)`)

// onScreen is an attempt with the keys of the dashboard.
func (c *changing) onScreen(r *run) told {
	s, err := r.entered("The site has the new", "Read back: the site has everything")
	if err != nil {
		return notSent(errorText(err))
	}
	defer s.close()
	s.wait(2 * time.Second) // for questions about earlier writes
	s.clear()
	return c.finishes(s)
}

// finishes opens the service, goes on with what was typed before, and sends it.
func (c *changing) finishes(s *screen) told {
	if slices.ContainsFunc(c.m.runs, func(r *run) bool {
		return slices.ContainsFunc(r.disk.Hits(), func(kind string) bool { return kind != memdisk.None.String() })
	}) {
		c.unsure()
	}
	if !c.opens(s) {
		s.story("not opened")
		return notSent("the service cannot be opened")
	}
	for range 3 {
		value, changed := c.page.seen(s)
		if value == "" && strings.Contains(s.shown, brokenText) && c.m.day.Want == outside && !c.cut {
			return c.editsOutside(s)
		}
		if value == "" {
			s.story("the value is not seen")
			s.clear()
			continue
		}
		switch {
		case value == c.raw && !changed:
			return told{outcome: adminapi.OutcomeDone, ended: true, text: "it is there"}
		case value != c.raw && c.m.day.Want == outside && !c.cut:
			return c.editsOutside(s)
		case value != c.raw && !c.types(s):
			s.story("not typed")
			return notSent("the value cannot be typed")
		}
		if said, over := c.sends(s); over {
			return said
		}
		s.story("not sent yet")
		s.clear()
	}
	return notSent("it cannot be sent")
}

// opens opens the service, and goes on with the draft that an earlier program has left.
func (c *changing) opens(s *screen) bool {
	const draft = "continue with the draft"
	s.press("view.services")
	for range 6 {
		s.command(c.page.open + c.target.Service.Path())
		switch s.sees(40*time.Second, c.page.text, draft, leftInEditor, brokenText, sessionExpired, signInTitle, unknownTitle) {
		case brokenText:
			return true
		case c.page.text:
			if !c.has(c.m.truth(c.where())) { // what the site has by now is nothing to go on with
				s.offersText(c.raw)
			}
			return true
		case leftInEditor:
			s.run.machine.day.meet("screen: the text of an editor is offered")
			s.run.texts = nil
			s.press("enter")
			if s.sees(10*time.Second, c.page.text, brokenText) != "" {
				return true
			}
		case draft:
			s.run.machine.day.meet("screen: a draft is offered")
			s.press("enter")
			if s.sees(10*time.Second, c.page.text, brokenText) != "" {
				return !strings.Contains(s.shown, "enter apply") || c.types(s) // it was being typed
			}
		}
		if s.dead() {
			return false
		}
		s.story("not open yet")
		if !s.clear() {
			s.wait(20 * time.Second)
		}
		s.press("esc")
	}
	return false
}

// types types the value, and sees it saved as a draft.
func (c *changing) types(s *screen) bool {
	c.page.edit(s)
	c.intent.Began = s.run.machine.day.oracle.ReadBy(s.run.name, c.where())
	s.types(c.raw)
	s.press("enter")
	saved := s.sees(10*time.Second, "changed, draft saved", "changes not saved")
	if saved == "changed, draft saved" {
		s.typed = c.raw
	}
	s.clear()
	return saved != ""
}

// ending is a sentence by which the screen says what became of a write.
type ending struct {
	text string
	said told
}

// textsOf are what the screen says at some ends, behind other texts.
func textsOf(ends []ending, others ...string) []string {
	for _, end := range ends {
		others = append(others, end.text)
	}
	return others
}

// ended is the end of something that the screen has said, if that is one of its ends.
func (s *screen) ended(ends []ending, what, saw string) (said told, is bool) {
	for _, end := range ends {
		if end.text == saw {
			s.story("the end: " + what)
			s.run.machine.day.meet("screen: " + what + " " + end.said.outcome.String())
			end.said.text = saw
			return end.said, true
		}
	}
	return told{}, false
}

// ends are the sentences of the result, those that are parts of others last.
var ends = []ending{
	{"only the answer was lost", told{outcome: adminapi.OutcomeDone, ended: true}},
	{"The site has the new", told{outcome: adminapi.OutcomeDone, ended: true}},
	{"but did not keep all of it", told{outcome: adminapi.OutcomeDone, broken: true}},
	{"did not complete", told{outcome: adminapi.OutcomeDone, broken: true}},
	{"nor what was sent", told{outcome: adminapi.OutcomeUnknown, broken: true}},
	{"ended as", told{outcome: adminapi.OutcomeDone, broken: true}},
	{"it is unchanged", told{outcome: adminapi.OutcomeRefused}},
}

// The other sentences on the way to a result.
const (
	reviewText    = "› review"
	questionText  = "y send"
	conflictText  = "was changed at the site meanwhile; nothing was sent"
	nothingText   = "Nothing was sent"
	neverText     = "very likely the change never arrived"
	nothingToSend = "Nothing to write"
	mergedText    = "your version won each conflict"
	brokenText    = "Not valid JSON. Your text"
	hasAll        = "The site already has all your changes"
)

// sends reviews and sends the edit, and reads what became of it.
func (c *changing) sends(s *screen) (said told, over bool) {
	day, asks := s.run.machine.day, cmp.Or(c.asks, questionText)
	s.press("services.write")
	looked := false
	for range 20 {
		texts := append(textsOf(ends, asks, unknownTitle, signInTitle, conflictText), nothingText, neverText, nothingToSend, mergedText, hasAll, reviewText, sessionExpired)
		saw := s.sees(3*time.Minute, texts...)
		if s.dead() {
			return told{}, true
		}
		if said, is := s.ended(ends, "result", saw); is {
			if said.broken { // it has shown what the site has in place of what was sent: the edit goes on from there
				c.intent.Began = day.oracle.ReadBy(s.run.name, c.where())
			}
			return said, true
		}
		switch saw {
		case asks:
			s.typed = ""
			s.wait(2 * time.Second)
			if !s.yes(asks) {
				break
			}
			s.until(time.Minute, func(shown string) bool { return !strings.Contains(shown, asks) })
		case reviewText:
			day.meet("screen: review")
			if s.clear() || s.accepts() {
				break
			}
			c.othersMeanwhile(s)
			s.press("services.send")
			s.sees(10*time.Second, asks, unknownTitle, nothingText)
		case conflictText:
			day.meet("drift")
			s.story("conflict")
			s.typed = ""
			s.press("space enter")
			if s.sees(5*time.Second, reviewText, mergedText, hasAll) == hasAll {
				return told{}, false
			}
		case nothingText:
			s.story("nothing was sent")
			return notSent("the screen says so"), true
		case nothingToSend, mergedText, hasAll:
			return told{}, false
		case neverText:
			day.meet("screen: very likely never arrived")
			s.story("never arrived")
			if looked {
				return told{text: saw}, true
			}
			looked = true
			s.wait(3 * time.Minute)
			s.press("R")
			s.wait(5 * time.Second)
		case "":
			if s.clear() {
				break
			}
			s.story("no end is seen")
			return told{text: "no end is seen"}, true
		default:
			if !s.clear() {
				s.wait(10 * time.Second)
			}
		}
	}
	s.story("no end")
	return told{text: "no end"}, true
}

// othersMeanwhile lets others change something while the review is open, on a third of the days, up to three times: the site
// has it by the last comparison before the sending.
func (c *changing) othersMeanwhile(s *screen) {
	day := s.run.machine.day
	r := day.random("others meanwhile")
	if times := r.IntN(9); c.m != s.run.machine || day.Want != "edit" && day.Want != outside || times > 2 || c.later > times {
		return
	}
	c.later++
	day.plan.foreign = true
	day.meet(fmt.Sprintf("others change something while a review is open, time %d", c.later))
	switch day.random(fmt.Sprint("others meanwhile ", c.later)).IntN(3) {
	case 0:
		s.run.machine.intrude("maxIdleTime", fmt.Sprint(300+c.later))
	case 1:
		s.run.machine.intrude("description", fmt.Sprintf(`"reviewed by another, %d"`, c.later))
	default:
		s.run.machine.othersEdit(day.secretChange(c.later))
	}
}
