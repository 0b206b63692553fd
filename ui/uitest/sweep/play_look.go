package sweep

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/uitest/sweep/oracle"
)

// lookAround is the play of an administrator who reads: what lists show has to be what the site has, each row once and
// in order, while others change it.
const lookAround = "a look around"

// looks is a day of looking around.
type looks struct {
	m        *machine
	r        *rand.Rand
	services []adminapi.ServiceRef
	upgrades bool // somebody else has begun an upgrade
	values   int  // so many edits were wanted
}

// playLookAround edits a definition, and reads all kinds of lists then. In between others change the site.
func playLookAround(m *machine) {
	k := &looks{m: m, r: m.day.random("looks")}
	k.services = append(m.site.services(200), cities)
	k.edits()
	for turn := range 10 {
		if m.day.Face == commands {
			k.looksBy(k.command()...)
		}
		if m.day.Face == commands && turn%4 == 2 && !k.upgrades { // the log has to have some rows
			k.edits()
		}
		if m.day.Face == commands && turn%5 == 3 {
			k.doctors()
		}
		if m.day.Face == dashboard && turn%5 == 0 {
			k.looksAt()
		}
		if k.r.IntN(2) == 0 {
			k.differs()
		}
		time.Sleep(pick(k.r, []time.Duration{2 * time.Second, 3 * time.Second, 20 * time.Second, time.Minute, 10 * time.Minute}))
	}
}

// edits sets a value of a definition to another one.
func (k *looks) edits() {
	k.values++
	c := setting(k.m, cities, "maxIdleTime", fmt.Sprint(900+10*k.r.IntN(90)+k.values))
	w := c.wish("edit before a look")
	if k.m.day.Face == commands {
		w = c.byCommand("edit before a look")
	}
	k.m.insist(w)
}

// toLookAt is a site with something to look at: faults, reports, services that are stopped and some that cannot start.
func toLookAt(d *Day, s *simulator.Scenario) {
	r := d.random("what is there")
	reports := r.IntN(9)
	s.Services, s.Reports = 9+r.IntN(8), &reports
	s.Components = []simulator.ComponentState{{Name: "MINIO", State: "stopped"}, {Name: "LOGGING", State: "strained"}}[:r.IntN(3)]
	s.Editing.Stopped = []string{"Utilities/Geometry.GeometryServer", "System/CachingTools.GPServer"}[:r.IntN(3)]
	if r.IntN(3) == 0 {
		downFrom(s)
	}
	s.Upgrades.Lasts.Duration = 10 * time.Minute
	if r.IntN(2) == 0 {
		s.Version, s.Upgrades.Past = rolledBackVersion, rolledBack
	}
	toInstall(d, s)
}

// Entries of manifests: two patches of the next release, one that builds on nothing and one on that, one of an old release, and a
// release after one that nobody has.
var entries = []string{
	`{"id":"pat_01022026_7301","name":"12.0 fixes","type":"patch","version":"12.0.0","previousVersion":"12.0.0","build":"7301","previousBuild":"7286","releaseBuild":"7286","released":1769900000000}`,
	`{"id":"pat_01032026_7311","name":"12.0 more fixes","type":"patch","version":"12.0.0","previousVersion":"12.0.0","build":"7311","previousBuild":"7301","releaseBuild":"7286","released":1772320000000}`,
	`{"id":"pat_02012026_6950","name":"11.5 lost","type":"patch","version":"11.5.0","previousVersion":"11.5.0","build":"6950","previousBuild":"6949","releaseBuild":"6745","released":1767300000000,"newLicensesRequired":false}`,
	`{"id":"pat_03012026_6960","name":"11.5 after the lost one","type":"patch","version":"11.5.0","previousVersion":"11.5.0","build":"6960","previousBuild":"6950","releaseBuild":"6745","released":1767400000000}`,
	`{"id":"pat_01022022_1310","name":"10.9.1 fixes","type":"patch","version":"10.9.1","previousVersion":"10.9.1","build":"1310","previousBuild":"1203","releaseBuild":"1203","released":1643700000000}`,
	`{"id":"rel_01062027_9900","name":"Release 13.0","type":"release","version":"13.0.0","previousVersion":"12.5.0","build":"9900","previousReleaseBuild":"9400","newLicensesRequired":true,"released":1811800000000}`,
}

// toInstall varies what the site offers.
func toInstall(d *Day, s *simulator.Scenario) {
	r := d.random("what is offered")
	s.Upgrades.Patches = 2 * r.IntN(2)
	switch r.IntN(4) {
	case 0:
		s.Upgrades.Offer = "all"
	case 1:
		s.Upgrades.Mandatory = []string{otherPatch, rolledBack}[:1+r.IntN(2)]
	case 2:
		for _, i := range r.Perm(len(entries))[:1+r.IntN(len(entries))] {
			s.Upgrades.Entries = append(s.Upgrades.Entries, json.RawMessage(entries[i]))
		}
	}
}

// mutes is a site that never answers one kind of read.
func mutes(name string, status int, paths ...string) oddity {
	return oddity{name, func(p *plan) {
		p.mute = map[string]bool{}
		for _, where := range paths {
			p.scenario.Faults = append(p.scenario.Faults, simulator.Fault{Path: "admin" + where, Method: "GET", What: "status", Status: status})
			p.mute[where] = true
		}
	}}
}

// ofLooks are the oddities by which what lists show is at stake.
var ofLooks = []Trouble{
	mutes("the state of two services cannot be read", 500, "/services/Utilities/Symbols.GPServer/status", "/services/System/PublishingTools.GPServer/status"),
	mutes("the state of a service is nothing that this user may read", 403, "/services/"+cities.Path()+"/status"),
	oddity{"it has seventy services", func(p *plan) { p.scenario.Services = 70 }},
	oddity{"it has a hundred and twenty reports", func(p *plan) {
		many := 120
		p.scenario.Reports = &many
	}},
	oddity{"it has a thousand and three reports", func(p *plan) {
		many := 1003
		p.scenario.Reports = &many
	}},
}

// calm reports whether nothing was in the way of the requests of the day.
func (d *Day) calm() bool {
	return !slices.ContainsFunc(d.Troubles, func(t Trouble) bool {
		o, is := t.(oddity)
		return !is || strings.Contains(o.name, "tokens")
	})
}

// differs lets others change the site.
func (k *looks) differs() {
	do := func(what, where string, fields url.Values) {
		answer := k.m.site.ask("POST", where, fields)
		k.m.day.log("the second administrator %s: %.100s", what, answer)
		if !refused([]byte(answer)) {
			k.m.day.meet("another " + what + " before a look")
		}
	}
	service := "/services/" + pick(k.r, k.services[:len(k.services)-1]).Path()
	switch k.r.IntN(6) {
	case 0, 1:
		do("stops a service", service+"/stop", nil)
	case 2:
		do("starts a service", service+"/start", nil)
	case 3, 4:
		do("runs a health check", "/healthCheck/run", url.Values{"suiteIds": {firstSuite}, "runName": {fmt.Sprintf("a check of others %d", k.r.IntN(1000))}, "async": {"true"}})
	case 5:
		if k.upgrades {
			return
		}
		k.upgrades = true
		do("begins an upgrade", "/system/upgrades/upgrade", url.Values{"versionManifest": {`{"id":"` + patch + `"}`}, "upgradeSettings": {`{"userInputs":[]}`}})
	}
}

// lookedAt are the commands that only read.
var lookedAt = []string{"service list", "service status", "service get", "service history", "placement pods", "health reports", "health report", "health suites",
	"job list", "upgrade status", "upgrade history", "upgrade available", "upgrade plan", "log"}

// command draws a command that only reads.
func (k *looks) command() []string {
	service := pick(k.r, append([]adminapi.ServiceRef{cities, cities, cities}, k.services...)).Path()
	with := func(flags []string, args ...string) []string {
		if k.r.IntN(2) == 0 {
			return append(args, flags...)
		}
		return args
	}
	some := fmt.Sprint(k.r.IntN(4))
	switch k.r.IntN(18) {
	case 0:
		return []string{"service", "list"}
	case 1, 2:
		return []string{"service", "list", "--state"}
	case 3:
		return with([]string{"--state"}, "service", "list", pick(k.r, []string{"/", "Hosted", "Utilities", "System"}))
	case 4:
		return []string{"service", "status", service}
	case 5:
		return []string{"placement", "pods", service}
	case 6:
		return with([]string{"--limit", some}, "health", "reports")
	case 7:
		return with([]string{"--result", pick(k.r, []string{"passed", "failed", "warning"})}, "health", "reports", "--limit", some)
	case 8:
		if id := k.reportID(); id != "" && k.r.IntN(4) > 0 {
			return []string{"health", "report", id}
		}
		return []string{"health", "suites"}
	case 9:
		return with([]string{"--limit", some}, "job", "list")
	case 10:
		return []string{"upgrade", "status"}
	case 11:
		return []string{"upgrade", "history"}
	case 12:
		return []string{"upgrade", "available"}
	case 13, 14:
		return with([]string{"--limit", some}, "log")
	case 15, 16:
		if id := k.offeredID(); id != "" {
			return []string{"upgrade", "plan", id}
		}
	}
	return []string{"service", pick(k.r, []string{"get", "history"}), cities.Path()}
}

// reportID is one of the reports, empty for none.
func (k *looks) reportID() string {
	var told struct{ Runs []struct{ ID string } }
	k.m.asks(&told, "/healthCheck/reports/query", url.Values{"start": {"1"}, "num": {"500"}})
	if len(told.Runs) == 0 {
		return ""
	}
	return pick(k.r, told.Runs).ID
}

// offeredID is an update that the site offers, empty for none.
func (k *looks) offeredID() string {
	var told struct{ Patches, Releases []struct{ ID string } }
	k.m.asks(&told, "/system/upgrades/available", nil)
	if all := slices.Concat(told.Patches, told.Releases); len(all) > 0 {
		return pick(k.r, all).ID
	}
	return ""
}

// looksBy runs such a command, and has what it prints judged.
func (k *looks) looksBy(args ...string) {
	m, form := k.m, pick(k.r, []string{"json", "json", "jsonl", "table", "table"})
	r := m.begin()
	defer r.end()
	r.lists = true
	looking := m.day.oracle.LooksBy(own(m.disk.Files()), form, args...)
	p := r.command("", append(args, "-o", form)...)
	if r.dead.Load() {
		return
	}
	for _, what := range lookedAt {
		if strings.HasPrefix(strings.Join(args, " "), what) {
			m.day.meet("a look at " + what)
		}
	}
	looking.Printed(oracle.Printed{Code: p.code, Out: p.out, Err: p.err, Calm: m.day.calm(), Unread: m.day.plan.mute,
		Hostile: m.day.plan.scenario.HostileText, Files: own(m.disk.Files())})
}

// looksAt opens a dashboard, and goes through the lists of some views.
func (k *looks) looksAt() {
	r := k.m.begin()
	defer r.end()
	s, err := r.entered()
	if err != nil {
		return
	}
	defer s.close()
	for _, i := range k.r.Perm(len(viewed))[:3] {
		s.clear()
		filter := ""
		if k.r.IntN(2) == 0 {
			filter = k.partOfName(viewed[i].view)
		}
		if k.goesThrough(s, viewed[i], filter); s.dead() {
			return
		}
	}
}

// viewed are the views whose lists are gone through.
var viewed = []struct{ keys, view string }{
	{"view.services", oracle.ViewServices}, {"view.health", oracle.ViewReports}, {"view.upgrade", oracle.ViewOffers}, {"view.activity activity.turn", oracle.ViewRecord},
}

// partOfName is the end of a name in a list, in some letters; empty where the list has none that is like no other text.
func (k *looks) partOfName(view string) string {
	name := ""
	switch view {
	case oracle.ViewServices:
		name = pick(k.r, k.services).Name
	case oracle.ViewReports:
		var told struct{ Runs []struct{ Name string } }
		k.m.asks(&told, "/healthCheck/reports/query", url.Values{"start": {"1"}, "num": {"500"}})
		if len(told.Runs) > 0 {
			name = pick(k.r, told.Runs).Name
		}
	}
	if len(name) < 6 || k.m.day.plan.scenario.HostileText {
		return ""
	}
	name = name[len(name)-6:]
	return strings.TrimSpace(pick(k.r, []string{name, strings.ToLower(name), strings.ToUpper(name)}))
}

// goesThrough goes through a list from its first row to its last.
func (k *looks) goesThrough(s *screen, of struct{ keys, view string }, filter string) {
	m := k.m
	v := m.day.oracle.LooksAt(of.view, filter, own(m.disk.Files()), m.clock.zone)
	size := sizes[2*k.r.IntN(2)]
	s.resize(size)
	s.press(of.keys)
	s.wait(time.Second)
	s.press("R")
	s.wait(90 * time.Second)
	if s.clear(); filter != "" {
		s.press("rows.filter")
		s.types(filter)
		s.press("enter")
		s.wait(time.Second)
		m.day.meet("a filtered list")
	}
	s.press("g")
	whole := false
	for range 40 {
		s.clear()
		s.resize(size)
		before := s.frame
		s.story(of.view)
		v.Frame(s.frame)
		s.send(uitest.Keys("pgdown")...) // at this size: another one has other pages
		if s.wait(200 * time.Millisecond); s.dead() {
			return
		}
		if whole = s.frame == before; whole {
			break
		}
	}
	if m.day.meet("a look at the list of " + of.view); filter != "" {
		s.press("esc")
	}
	v.Ended(oracle.Scrolled{Whole: whole, Calm: m.day.calm() && m.day.plan.scenario.Latency.Duration == 0 && !m.day.plan.scenario.HostileText, Unread: m.day.plan.mute})
}
