package sweep

import (
	"bytes"
	"io"
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

// A night is from one evening to the next morning, and some more.
const night = 26 * time.Hour

// goesHome is an administrator who goes home after the first attempt, and another program that
// looks a day after the last.
func goesHome(nights int) oddity {
	name := map[int]string{1: "the administrator goes home", 2: "the administrator goes home for two days"}[nights]
	return oddity{name, func(p *plan) { p.nights = nights }}
}

// pause is how long an administrator waits after an attempt, the first one of the day or not.
func (m *machine) pause(first bool) time.Duration {
	if n := m.day.plan.nights; n > 0 && first {
		m.day.meet("the next program comes a day later")
		return time.Duration(n) * night
	}
	return patience
}

// looksAfterANight lets the first program of the next day look at what was left open, and checks that it
// finds what the site shows: a day does not make an upgrade unknown for good.
func (m *machine) looksAfterANight() {
	if m.day.plan.nights == 0 {
		return
	}
	time.Sleep(time.Duration(m.day.plan.nights) * night)
	r := m.begin()
	defer r.end()
	open := m.openUpgrades()
	if r.open() != nil {
		return
	}
	if _, err := r.site.ResolveWrites(r.ctx); err != nil || len(open) == 0 || m.day.plan.foreign {
		return
	}
	m.day.meet("an open upgrade is looked for a day later")
	if l := m.day.plan.late; l != nil && !l.ran {
		return // the site has not begun it
	}
	for _, k := range m.openUpgrades() {
		if len(m.site.sent(func(p *post) bool { return isUpgrade(p) && p.accepted })) == 1 && m.acceptedOf(k) {
			m.day.fail("POST %s was accepted, the site shows it, and a day later the log says nothing", below(k.Path))
		}
	}
}

// openUpgrades are the upgrades in the log whose outcome is not known.
func (m *machine) openUpgrades() (open []*oracle.Record) {
	for _, k := range m.records() {
		if isUpgrade(&post{path: below(k.Path)}) && k.Outcome == "unknown" {
			open = append(open, k)
		}
	}
	return open
}

// acceptedOf reports whether the site has accepted the write of a record.
func (m *machine) acceptedOf(k *oracle.Record) bool {
	return len(m.site.sent(func(p *post) bool { return p.write.Record == k.ID && p.accepted })) > 0
}

func readable(text []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(text)) }
