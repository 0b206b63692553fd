package sweep

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/sweep/oracle"
)

// keptData is the play of a site that goes away and comes back while a dashboard is open, or before one begins. What
// others make of it meanwhile nobody here can know.
const keptData = "what was kept of a silent site"

// broken is a service that cannot be started: once it should run, it is down.
const broken = "Utilities/PrintingTools.GPServer"

// silences is a day of a site that is away for long.
type silences struct {
	m *machine
	r *rand.Rand

	readOnly, stopped bool // as the second administrator has made it
}

// playKept looks at the site, loses it for long, and looks at what is shown of it meanwhile, and once it is back. In
// between a definition is edited.
func playKept(m *machine) {
	k := &silences{m: m, r: m.day.random("silences")}
	m.follows(broken)
	if k.differs(); k.r.IntN(3) == 0 {
		k.upgrades()
	}
	for n := range 2 {
		k.silence()
		k.writable()
		w := setting(m, cities, "maxIdleTime", fmt.Sprint(900+100*n+k.r.IntN(99))).wish("edit after a silence")
		m.insist(w)
	}
}

// follows lets screens be judged by what the site is at each moment. services are those that may be down.
func (m *machine) follows(services ...string) {
	reached := func(from, to time.Time) bool {
		for at := from; !at.After(to); at = at.Add(time.Second) {
			if !m.day.away(at) {
				return true
			}
		}
		return !m.day.away(to)
	}
	m.day.oracle.Followed = &oracle.Followed{Services: services, Reached: reached}
	m.day.oracle.Looks(time.Now())
}

// differs lets the second administrator make the site another one, in some of what a screen says of it.
func (k *silences) differs() {
	for range 1 + k.r.IntN(2) {
		switch k.r.IntN(5) {
		case 0, 1:
			k.readOnly = !k.readOnly
			k.others("switches the mode", "/mode/update", url.Values{"isReadOnly": {fmt.Sprint(k.readOnly)}})
		case 2, 3:
			k.stopped = !k.stopped
			k.others("starts or stops a service", "/services/"+broken+map[bool]string{true: "/stop", false: "/start"}[k.stopped], nil)
		case 4:
			k.upgrades()
		}
		time.Sleep(time.Duration(1+k.r.IntN(20)) * time.Second)
	}
}

// upgrades lets the second administrator begin an upgrade.
func (k *silences) upgrades() {
	k.others("begins an upgrade", "/system/upgrades/upgrade", url.Values{"versionManifest": {`{"id":"` + patch + `"}`}, "upgradeSettings": {`{"userInputs":[]}`}})
}

// others lets the second administrator do something, and looks at what has come of it.
func (k *silences) others(what, where string, fields url.Values) {
	k.m.day.oracle.Looks(time.Now())
	answer := k.m.site.ask("POST", where, fields)
	k.m.day.log("the second administrator %s: %.100s", what, answer)
	if !refused([]byte(answer)) {
		k.m.day.meet("another " + what)
	}
	k.m.day.oracle.Looks(time.Now())
}

// writable ends what is in the way of an edit: an upgrade of somebody else, and the mode.
func (k *silences) writable() {
	for range 40 {
		if truth, err := k.m.site.upgrades(); err != nil || truth.State != "in_progress" {
			break
		}
		time.Sleep(time.Minute)
	}
	k.readOnly = false
	k.others("lets the site take writes", "/mode/update", url.Values{"isReadOnly": {"false"}})
}

// silence is one time in which nobody is at the address of the site. A dashboard stays open over it, or the next one
// begins in it.
func (k *silences) silence() {
	s := k.opens()
	if s != nil {
		k.looksAround(s)
	}
	how := k.r.IntN(3)
	if how == 1 && s != nil {
		s.run.kill()
	}
	if how < 2 {
		k.ends(s)
		s = nil
	}
	short := pick(k.r, []time.Duration{3 * time.Minute, 5 * time.Minute, 9 * time.Minute}) // with a dashboard that is open
	absent := time.Duration(0)
	if s == nil {
		absent = pick(k.r, []time.Duration{0, 2 * time.Minute, 50 * time.Minute, 3 * time.Hour, 26 * time.Hour})
	}
	back := time.Now().Add(absent + short)
	k.m.day.leaves(absent + short)
	if s != nil {
		s.run.disconnect()
		k.m.day.meet("a dashboard is open over a silence")
		s.wait(time.Duration(40+k.r.IntN(60)) * time.Second)
	}
	time.Sleep(absent / 2)
	if k.r.IntN(4) > 0 {
		k.differs()
	}
	time.Sleep(absent / 2)
	if s == nil {
		s = k.opens()
	}
	if s != nil {
		k.looksAround(s)
		s.wait(time.Until(back))
		k.comesBack(s)
	}
	k.ends(s)
	time.Sleep(max(0, time.Until(back)))
}

// opens opens the next dashboard, whether or not the site is there; nil where it cannot be.
func (k *silences) opens() *screen {
	r := k.m.begin()
	s, err := r.dashboard()
	if err != nil {
		r.end()
		return nil
	}
	if s.sees(12*time.Second, signInTitle) != "" {
		s.wait(2 * time.Second)
		_ = s.signIn()
	}
	s.resize(sizes[1+s.hand.IntN(2)])
	return s
}

// ends ends a dashboard.
func (k *silences) ends(s *screen) {
	if s == nil {
		return
	}
	s.close()
	s.run.end()
}

// looksAround looks at some of the screens, each for a while.
func (k *silences) looksAround(s *screen) {
	views := []string{"view.health", "view.progress", "view.upgrade", "view.activity"}
	for _, view := range []string{"view.services", pick(k.r, views), pick(k.r, views)} {
		s.watches()
		s.clear()
		s.press(view)
		for range 3 {
			s.wait(time.Duration(3+s.hand.IntN(12)) * time.Second)
		}
		k.meets(s)
	}
	if strings.Contains(s.read(), "upgrade failed") && k.r.IntN(3) == 0 {
		k.dismisses(s)
	}
}

// dismisses takes the end of an upgrade off the screen.
func (k *silences) dismisses(s *screen) {
	s.clear()
	k.m.day.oracle.Dismisses(true)
	s.command("dismiss")
	switch s.sees(5*time.Second, "dismissed:", "its end stays") {
	case "dismissed:":
		k.m.day.oracle.Dismissed(s.run.name, time.Now())
		k.m.day.meet("the end of an upgrade is dismissed")
	case "its end stays":
		k.m.day.oracle.Dismisses(false)
		k.m.day.meet("the end of an upgrade without its begin is not dismissed")
	}
	s.wait(20 * time.Second)
}

// oftenFails lets the upgrade that somebody else begins fail on every second day, and at times tell its newest message alone:
// then nobody knows when it began.
func oftenFails(d *Day, s *simulator.Scenario) {
	r := d.random("the upgrade of others")
	if r.IntN(2) == 0 {
		s.Upgrades.Fail = &simulator.UpgradeFailure{After: 2038, Nth: 5}
		if r.IntN(3) == 0 {
			window := simulator.Window{From: &simulator.Moment{Plus: simulator.Duration{Duration: time.Minute}}, For: simulator.Duration{Duration: 500 * time.Hour}}
			s.Upgrades.Deliveries = append(s.Upgrades.Deliveries, simulator.Delivery{Window: window, Newest: 1})
		}
	}
}

// watches answers the question whether an upgrade of somebody else is to be watched, at times with yes.
func (s *screen) watches() {
	if !strings.Contains(s.read(), watchTitle) || s.hand.IntN(2) == 0 {
		return
	}
	s.wait(2 * time.Second)
	s.press("y")
	s.run.machine.day.meet("an upgrade of somebody else is watched")
}

// shows are what a screen says of a site, by which a sweep knows that it was there.
var shows = []struct{ name, text string }{
	{"the mode of a silent site is kept", "was read-only"}, {"the upgrade of a silent site is kept", "an upgrade ran"},
	{"what is kept has its age", "kept from"}, {"a fact has its age", "as of "}, {"read-only", "READ-ONLY"}, {"a service is down", "1 service down"},
}

// meets counts what is on the screen.
func (k *silences) meets(s *screen) {
	for _, one := range shows {
		if strings.Contains(s.read(), one.text) {
			k.m.day.meet("screen: " + one.name)
		}
	}
}

// comesBack looks at a dashboard after the site is there again: nothing of before may stay.
func (k *silences) comesBack(s *screen) {
	k.m.day.meet("a site comes back to an open dashboard")
	s.wait(100 * time.Second) // the pauses between tries grow
	s.clear()
	s.wait(45 * time.Second)
	k.looksAround(s)
	if left := keptShown.FindString(s.read()); left != "" && len(k.m.day.Troubles) == 0 && !s.dead() { // nothing else was in the way
		s.wrong("the site is back for minutes, and it shows still what was kept: " + left)
	}
}

// keptShown is what stands on a screen of what was kept.
var keptShown = regexp.MustCompile(`kept from|\d+\.\d+\.\d+\.\d+ \d+ (?:s|min|h|days) ago`)

// The troubles by which the promises about silent sites are at stake.
var (
	// signInEnds is a session that ends in each silence, and while another site is on the screen.
	signInEnds = oddity{"each sign-in ends after three minutes", func(p *plan) { p.scenario.TokenLife.Duration = 3 * time.Minute }}
	// slowStart is a site that takes longer for its first answers than a screen waits before it shows what was kept.
	slowStart = oddity{"the first answers take longer than what was kept waits", func(p *plan) { p.scenario.Latency.Duration = 4 * time.Second }}
	// silentLine is one on which requests are sent, and nothing comes back.
	silentLine = oddity{"nothing comes back for five minutes", func(p *plan) {
		outage{what: "silent", span: span{2 * time.Minute, 5 * time.Minute}}.strike(p)
	}}
)

// downFrom is a service that is down as the day begins.
func downFrom(s *simulator.Scenario) {
	s.Editing.Broken = map[string]string{broken: "The container image cannot be pulled."}
}
