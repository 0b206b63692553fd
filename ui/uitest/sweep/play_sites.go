package sweep

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/sweep/oracle"
)

// severalSites is the play of an administrator who goes to another site in the middle of an edit, and comes back.
const severalSites = "sites in one dashboard"

// between is a day of going between sites. The first is in production; the others have locks of their own.
type between struct {
	m     *machine
	r     *rand.Rand
	edit  *changing // of the first site
	other *branch   // where the administrator goes
	there *changing // the edit of that one
	done  bool      // it has that
}

// playSites edits a definition of the first site, goes to another one in between, edits the same service there, and
// comes back.
func playSites(m *machine) {
	if err := m.opensFleet(); err != nil {
		m.day.fail("the sites cannot be made: %v", err)
		return
	}
	r := m.day.random("between")
	m.follows()
	if k := (&silences{m: m, r: r}); r.IntN(3) == 0 {
		k.upgrades()
	}
	visits := oracle.NewVisits(mainBranch, mainBranch)
	for _, b := range m.fleet {
		if b.lock != "" {
			visits.Locked = append(visits.Locked, b.name)
		}
	}
	m.day.oracle.Visits = visits
	for n := range 2 {
		b := &between{m: m, r: r, other: m.fleet[r.IntN(2)]}
		b.edit = setting(m, cities, "maxIdleTime", fmt.Sprint(91000+100*n+r.IntN(99)))
		b.there = setting(m, cities, "maxIdleTime", fmt.Sprint(73000+100*n+r.IntN(99)))
		m.day.oracle.WantsAt(mainBranch, asText(b.edit.raw))
		w := b.edit.wish("edit with a visit elsewhere")
		w.try = b.visits
		m.insist(w)
		time.Sleep(time.Duration(1+r.IntN(30)) * time.Minute)
	}
	m.ownTokens()
}

// asText is a value as it stands in a definition, and on a screen.
func asText(raw string) string { return `"maxIdleTime": ` + raw }

// lostBeforeLeaving is an answer to the first edit that is lost, before the site is left or after it was come back to.
func lostBeforeLeaving(performed bool) oddity {
	name := map[bool]string{true: "the answer to an edit is lost, and another site is gone to", false: "an edit is lost, and another site is gone to"}[performed]
	return oddity{name, func(p *plan) {
		p.scenario.Faults = append(p.scenario.Faults, simulator.Fault{Path: "admin/services/**", Method: "POST", Times: 1, What: "close", Performed: performed})
	}}
}

// visits is one dashboard: it begins at the first site, goes to the other one, and comes back.
func (b *between) visits(r *run) told {
	args := r.named(b.r)
	if b.r.IntN(4) == 0 {
		args = append(args, "--read-only")
		b.m.day.oracle.Visits.ReadsOnly(r.name)
		b.m.day.meet("a dashboard with --read-only")
	}
	byFlag := b.r.IntN(2) == 0
	if byFlag {
		args = append(args, "--unlock", mainBranch)
		b.m.day.oracle.Names(r.name, mainBranch)
	}
	s, err := r.starts(args...)
	if err != nil {
		return notSent(errorText(err))
	}
	defer s.close()
	s.wait(4 * time.Second)
	s.watches()
	s.clear()
	if byFlag && strings.Contains(s.read(), "UNLOCKED") {
		b.m.day.meet("a site is unlocked by the flag of the start")
	}
	s.claim = []string{"The site has the new", "Read back: the site has everything"}
	var said *told
	begun, stays := false, b.r.IntN(4) == 0
	if b.r.IntN(4) == 0 {
		b.looksAtAll(s)
	}
	if b.r.IntN(3) == 0 { // it is sent before
		first := b.edit.finishes(s)
		said = &first
	} else {
		begun = b.begins(s)
	}
	if !s.dead() && !stays && b.goes(s, b.other.name) {
		b.works(s)
		switch back := !s.dead() && b.goes(s, mainBranch); {
		case said != nil:
			return *said
		case !back:
			return notSent("it is not come back to")
		}
		b.m.day.meet("a site is come back to")
		if byFlag {
			b.m.day.meet("a site that a flag had unlocked is come back to")
		}
		s.wait(3 * time.Second)
		s.clear()
	}
	switch {
	case s.dead():
		return told{}
	case said != nil:
		return *said
	case begun && !stays:
		b.m.day.meet("a draft is left for another site")
	}
	return b.edit.finishes(s)
}

// begins types the edit of the first site, which is saved as a draft and not sent; at times it is sent, and not waited for.
func (b *between) begins(s *screen) bool {
	if b.r.IntN(4) == 0 || !b.edit.opens(s) {
		return false
	}
	value, changed := b.edit.page.seen(s)
	if value == "" || value == b.edit.raw || changed {
		return false
	}
	typed := b.edit.types(s)
	s.press("esc")
	return typed && !s.dead()
}

// goes goes to another site by its name, and reports whether its dashboard is there.
func (b *between) goes(s *screen, name string) bool {
	shown := name + " · 127." // a narrow screen cuts the rest
	for range 4 {
		s.clear()
		s.press("@")
		if s.sees(5*time.Second, "Go to a site") == "" {
			s.press("esc")
			continue
		}
		s.types(name)
		s.press("enter")
		if s.sees(10*time.Second, "Go to "+name+"?", shown) == "Go to "+name+"?" {
			b.m.day.meet("a question before a site is left")
			s.wait(time.Second)
			s.press("y")
		}
		if s.sees(20*time.Second, shown) != "" {
			s.wait(3 * time.Second)
			s.watches()
			s.story("at " + name)
			return true
		}
		s.story("not at " + name)
		if s.dead() {
			return false
		}
	}
	return false
}

// works edits the same service at the other site, and at times changes its mind when its name is asked for.
func (b *between) works(s *screen) {
	if b.r.IntN(4) == 0 {
		b.looksAtAll(s)
	}
	if b.r.IntN(3) == 0 {
		s.press(pick(b.r, []string{"view.health", "view.upgrade", "view.activity"}))
		s.wait(time.Duration(2+b.r.IntN(40)) * time.Second)
	}
	if b.done || b.r.IntN(4) == 0 {
		return
	}
	b.m.day.oracle.WantsAt(b.other.name, asText(b.there.raw))
	was := b.other.counts()
	said := b.there.finishes(s)
	now := b.other.counts()
	b.m.day.log("at %s: %s, %s", b.other.name, said.outcome, said.text)
	if s.dead() {
		return
	}
	b.m.day.meet("an edit elsewhere: " + said.outcome.String())
	came, accepted := now[0]-was[0], now[1]-was[1]
	switch {
	case came > 1, said.outcome == adminapi.OutcomeNotSent && came > 0 && said.text != "it cannot be sent", said.outcome == adminapi.OutcomeDone && !said.ended && accepted == 0:
		b.m.day.fail("the edit of %s is told as %s (%s), and %d of %d were accepted", b.other.name, said.outcome, said.text, accepted, came)
	}
	b.done = b.done || accepted > 0
}
