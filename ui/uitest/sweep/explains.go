package sweep

import (
	"math/rand/v2"
	"net/url"
	"slices"
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

// asksWhy has something explained by a command, and what that says judged.
func (m *machine) asksWhy(r *rand.Rand, args ...string) {
	form := pick(r, []string{"json", "json", "table"})
	run := m.begin()
	defer run.end()
	run.lists = true
	asking := m.day.oracle.Asks(form, args...)
	p := run.command("", append(slices.Clone(args), "-o", form)...)
	if run.dead.Load() {
		return
	}
	m.day.meet("explained: " + args[0])
	asking.Printed(oracle.Printed{Code: p.code, Out: p.out, Err: p.err, Calm: m.day.calm() && m.site.instead.Load() == nil, Unread: m.site.unread(), Files: own(m.disk.Files())})
}

// explained draws what is to be explained: an upgrade, a service, or a report or one of its tests.
func (m *machine) explained(r *rand.Rand) []string {
	switch services := append(m.site.services(40), cities); r.IntN(4) {
	case 0:
		return []string{"upgrade", "explain"}
	case 1:
		service := pick(r, services)
		if r.IntN(2) == 0 { // one that is not up, where there is one
			for _, one := range services {
				if state := m.day.oracle.StateOf(one.Path()); state != "started" {
					service = one
				}
			}
		}
		return []string{"service", "explain", service.Path()}
	}
	args := []string{"health", "explain"}
	if reports := m.reports(); len(reports) > 0 && r.IntN(3) > 0 {
		args = append(args, pick(r, reports[:min(len(reports), 6)]).ID)
		if names := m.day.oracle.TestsOf(args[2]); len(names) > 0 && r.IntN(2) == 0 {
			args = append(args, pick(r, names))
		}
	}
	return args
}

// asksWhyAtLast has some things explained at the end of some days.
func (m *machine) asksWhyAtLast() {
	r := m.day.random("why")
	if q := m.day.plan; q.quotes != nil || q.echo != nil || m.day.oracle.Stale || q.scenario.HostileText || len(m.fleet) > 0 || m.day.Want == severalSites || r.IntN(3) > 0 || len(m.reports()) > 40 {
		return
	}
	if m.site.reports.Load() == nil && r.IntN(2) == 0 {
		m.rewrites(r)
	}
	for range 2 {
		m.asksWhy(r, m.explained(r)...)
	}
	if r.IntN(2) == 0 {
		m.asksHowLong(r)
	}
}

// asksHowLong lets somebody else begin an upgrade, and asks what it does and how long it still takes, until it has ended.
func (m *machine) asksHowLong(r *rand.Rand) {
	var told struct{ Patches []struct{ ID string } }
	if m.asks(&told, "/system/upgrades/available", nil); len(told.Patches) == 0 {
		return
	}
	answer := m.site.ask("POST", "/system/upgrades/upgrade", url.Values{"versionManifest": {`{"id":"` + told.Patches[0].ID + `"}`}, "upgradeSettings": {`{"userInputs":[]}`}})
	if m.day.log("somebody else begins an upgrade: %.100s", answer); refused([]byte(answer)) {
		return
	}
	whole := m.day.plan.scenario.Upgrades.Lasts.Duration
	for range 4 {
		time.Sleep(whole/16 + time.Duration(r.Int64N(int64(max(whole, 8*time.Minute)/5))))
		if r.IntN(3) == 0 {
			m.asksWhy(r, "upgrade", "explain")
		}
		run := m.begin()
		run.lists = true
		asking, at := m.day.oracle.Asks("json", "upgrade", "status"), time.Now()
		p := run.command("", "upgrade", "status", "-o", "json")
		if run.end(); !run.dead.Load() {
			asking.Estimates(oracle.Printed{Code: p.code, Out: p.out}, at, own(m.disk.Files()))
		}
	}
	for range 40 {
		if truth, err := m.site.upgrades(); err != nil || truth.State != "in_progress" {
			break
		}
		time.Sleep(3 * time.Minute)
	}
	m.day.meet("it is asked how long an upgrade takes")
	if !m.day.plan.odd && m.day.plan.scenario.Upgrades.Stall == nil { // else nobody could tell
		m.day.oracle.Lasted()
	}
}
