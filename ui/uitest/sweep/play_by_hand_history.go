package sweep

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/ui/uitest/sweep/oracle"
)

// playVersionsByHand edits a definition some times, and then restores one of its versions in the history on the screen.
func playVersionsByHand(m *machine) {
	r := m.day.random("versions by hand")
	for n := range 2 + r.IntN(2) {
		c := setting(m, cities, "maxIdleTime", fmt.Sprint(1000+10*n+r.IntN(10)))
		w := c.wish("edit")
		w.try = c.try
		if said := m.insist(w); said.outcome != adminapi.OutcomeDone {
			return
		}
	}
	texts := oracle.BackedUp(m.disk.Files())
	if slices.Contains(texts, "") || len(texts) == 0 {
		return
	}
	back := setting(m, cities, "maxIdleTime", "")
	given := pick(r, texts)
	back.intent.Key, back.intent.Given, back.asks = "", given, "y restore n do not"
	back.has = func(d *document.Document) bool { return d.Text() == given }
	w := back.wish("restore")
	w.is = func(p *post) bool { return p.path == back.where()+"/edit" }
	w.try = func(r *run) told { return back.restoresOnScreen(r) }
	m.insist(w)
}

// restoresOnScreen restores a version that the history of a service lists.
func (c *changing) restoresOnScreen(r *run) told {
	s, err := r.entered("The site has the new", "Read back: the site has everything")
	if err != nil {
		return notSent(errorText(err))
	}
	defer s.close()
	s.wait(2 * time.Second)
	for range 4 {
		if c.asked(s); s.dead() {
			return told{}
		}
		if c.has(c.m.truth(c.where())) {
			return told{outcome: adminapi.OutcomeDone, ended: true, text: "it is there"}
		}
		if !c.atVersion(s) {
			s.story("the version is not seen")
			s.press("esc")
			s.wait(10 * time.Second)
			continue
		}
		if said, over := c.sends(s); over {
			return said
		}
		s.story("not restored yet")
	}
	return notSent("the version is not seen")
}

// asked answers what has come unasked, which has had the keys, and reports whether there was something.
func (c *changing) asked(s *screen) bool {
	if strings.Contains(s.read(), unfinished) || strings.Contains(s.shown, "There is no command") { // such as where what was filtered was read anew
		s.press("esc")
		return true
	}
	return s.clear()
}

// atVersion puts the cursor on the version that is wanted, and looks at it.
func (c *changing) atVersion(s *screen) bool {
	s.command("open history " + cities.Path())
	if s.sees(time.Minute, "What replaced it:", unfinished, sessionExpired, signInTitle, unknownTitle) != "What replaced it:" || c.asked(s) {
		return false
	}
	texts := oracle.BackedUp(s.run.machine.disk.Files())
	at := slices.Index(texts, c.intent.Given)
	if at < 0 {
		return false
	}
	s.resize(sizes[1])
	s.press("rows.top")
	for range at {
		s.press("rows.down")
	}
	s.wait(2 * time.Second)
	if s.dead() || c.asked(s) {
		return false
	}
	day := s.run.machine.day
	look := oracle.Version{Program: s.run.name, Texts: texts, At: at, Sure: len(s.run.disk.Hits()) == 0, Listed: s.shown}
	s.press("services.json")
	if s.wait(time.Second); s.dead() || c.asked(s) {
		return false
	}
	look.Shown = s.shown
	day.oracle.Lists(look)
	day.meet(fmt.Sprintf("by hand: a version is restored behind others: %v", at > 0))
	s.press("esc")
	s.wait(time.Second)
	return !s.dead() && strings.Contains(s.read(), "What replaced it:")
}

// switchEnds are what the screen says of a start or a stop.
var switchEnds = []ending{
	{".MapServer is started.", told{outcome: adminapi.OutcomeDone, ended: true}},
	{".MapServer is stopped.", told{outcome: adminapi.OutcomeDone, ended: true}},
	{"is not known whether", told{}},
	{"Nothing was sent", told{outcome: adminapi.OutcomeNotSent}},
}

// playSwitchByHand stops a service with the keys of the list, and starts it again.
func playSwitchByHand(m *machine) {
	for _, want := range []string{stops, starts} {
		w := wish{name: want, is: func(p *post) bool { return p.path == "/services/"+cities.Path()+"/"+want }, intent: &oracle.Intent{}}
		w.has = func() bool { return isSwitched(want, m.site.ask("GET", "/services/"+cities.Path()+"/status", nil)) }
		w.try = func(r *run) told { return r.switchesOnScreen(want, w.has) }
		if said := m.insist(w); said.outcome != adminapi.OutcomeDone || !said.ended {
			return
		}
	}
}

// switchesOnScreen starts or stops the service, and looks at its state then.
func (r *run) switchesOnScreen(want string, has func() bool) told {
	s, err := r.entered("MapServer is " + map[string]string{starts: "started.", stops: "stopped."}[want])
	if err != nil {
		return notSent(errorText(err))
	}
	defer s.close()
	s.wait(2 * time.Second)
	c := &changing{m: r.machine}
	asks := map[string]string{starts: "Start ", stops: "Stop "}[want] + cities.Path() + " at "
	for range 5 {
		if c.asked(s); s.dead() {
			return told{}
		}
		s.press("view.services")
		s.wait(2 * time.Second)
		if has() {
			r.seesState(s, want)
			return told{outcome: adminapi.OutcomeDone, ended: true, text: "it is so"}
		}
		s.command("start or stop " + cities.Path())
		if s.sees(10*time.Second, asks, "What to do", unknownTitle, unfinished) == "What to do" {
			s.press("enter") // once more
			s.sees(10*time.Second, asks)
		}
		if s.wait(2 * time.Second); !strings.Contains(s.read(), asks) || c.asked(s) {
			s.story("no question")
			s.press("esc")
			s.wait(20 * time.Second)
			continue
		}
		if asked := word.FindStringSubmatch(s.shown); asked != nil {
			s.answers(asked[1], func(shown string) bool { return strings.Contains(shown, asks) }, func() { r.keys.Yes++ })
		} else if !s.yes(asks) {
			continue
		}
		saw := s.sees(5*time.Minute, append(textsOf(switchEnds), "Not st", sessionExpired, signInTitle, unknownTitle)...)
		if said, is := s.ended(switchEnds, want, saw); is {
			r.seesState(s, want)
			return said
		}
		s.story("no end is seen")
		return told{text: "no end is seen"}
	}
	return notSent("there is no question")
}

// seesState looks at the page of the state of the service.
func (r *run) seesState(s *screen, want string) {
	s.command("open status " + cities.Path())
	s.sees(20*time.Second, " State ")
	if s.wait(3 * time.Second); s.dead() {
		return
	}
	r.machine.day.meet("by hand: the state is looked at after a " + want)
	s.story("the state")
	if found := configured.FindStringSubmatch(s.read()); found != nil {
		r.machine.day.oracle.Configured(s.run.name, cities.Path(), found[1])
	}
}

// configured is how the page of a state says that a service is as it should be.
var configured = regexp.MustCompile(`State [✓○] (started|stopped)`)
