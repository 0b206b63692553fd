package sweep

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

// refusals are what a site answers to what a user may not read any more, or not now.
var refusals = []string{
	`{"error":{"code":403,"message":"You do not have permissions to access this resource or perform this operation.","details":[]}}`,
	`{"error":{"code":404,"message":"Resource not found.","details":[]}}`,
}

// ask asks another site of the fleet directly: what comes is the truth.
func (b *branch) ask(method, where string, fields url.Values) string {
	if b.direct == nil {
		return ""
	}
	return askDirectly(b.direct, "127.0.0.1:"+b.port, b.token, method, where, fields)
}

// refusesNow reports whether a path is refused to programs.
func (b *branch) refusesNow(where string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refuses[where] != ""
}

// isAway reports whether nobody is at the address of the site.
func (b *branch) isAway() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dead || b.gone
}

// set changes what programs meet at the site.
func (b *branch) set(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}

// judgesRows lets what is said of all sites be judged by what they are.
func (m *machine) judgesRows() {
	first := oracle.Deployment{
		Name: mainBranch, Hard: true, Unsure: !m.day.calm(), Refuses: func(string) bool { return false }, Away: func() bool { return m.day.away(time.Now()) },
		Ask: func(where string) string { return m.site.ask("GET", where, nil) },
	}
	if m.day.Want == severalSites {
		first.Kind = "PROD"
	}
	all := []oracle.Deployment{first}
	for _, b := range m.fleet {
		kind := map[string]string{"production: true": "PROD", "readOnly: true": "LOCKED"}[b.lock]
		all = append(all, oracle.Deployment{
			Name: b.name, Kind: kind, Hard: b.latency > time.Second, Refuses: b.refusesNow, Away: b.isAway,
			Ask: func(where string) string { return b.ask("GET", where, nil) },
		})
	}
	m.day.oracle.Fleet = oracle.NewFleet(all...)
	m.day.oracle.LooksAtAll(time.Now())
}

// isOthers lets others make one of the fast sites of the fleet another one.
func (m *machine) isOthers(r *rand.Rand, b *branch) {
	m.day.oracle.LooksAtAll(time.Now())
	defer func() { m.day.oracle.LooksAtAll(time.Now()) }()
	do := func(what, where string, fields url.Values) {
		answer := b.ask("POST", where, fields)
		m.day.log("others: %s at %s: %.100s", what, b.name, answer)
		if !refused([]byte(answer)) {
			m.day.meet("a site of the fleet: " + what)
		}
	}
	if v := m.day.oracle.Visits; v != nil {
		v.Differs(b.name)
	}
	switch r.IntN(6) {
	case 0:
		b.readOnly = !b.readOnly
		do("its mode is switched", "/mode/update", url.Values{"isReadOnly": {fmt.Sprint(b.readOnly)}})
	case 1:
		do("an upgrade is begun", "/system/upgrades/upgrade", url.Values{"versionManifest": {`{"id":"` + patch + `"}`}, "upgradeSettings": {`{"userInputs":[]}`}})
	case 2:
		do("a health check is run", "/healthCheck/run", url.Values{"suiteIds": {firstSuite}, "runName": {fmt.Sprintf("a check of others %d", r.IntN(1000))}, "async": {"true"}})
	case 3, 4:
		part, answer := pick(r, []string{oracle.PathMode, oracle.PathUpgrades, oracle.PathReports}), pick(r, refusals)
		b.set(func() {
			if len(b.refuses) > 0 {
				b.refuses = map[string]string{}
				return
			}
			b.refuses = map[string]string{part: answer}
		})
		m.day.log("others: %v of %s may not be read", b.refuses, b.name)
		m.day.meet("a site of the fleet: a part of it may not be read any more")
	case 5:
		b.set(func() { b.gone = !b.gone })
		m.day.meet("a site of the fleet: it goes away or comes back")
	}
}

// fleetStates are the words of scripts for the states of a row, as people read them.
var fleetStates = map[string]string{
	"upgradeFailed": "upgrade failed", "upgradeStalled": "upgrade stalled", "upgradeUnknown": "upgrade unknown", "signInNeeded": "sign-in needed", "readOnly": "read-only", "notChecked": "not checked",
}

// fleetRow is a line of "geodeck fleet".
var fleetRow = regexp.MustCompile(`^(\w+)  +(?:\S )?(upgrade failed|upgrade stalled|upgrade unknown|unhealthy|unreachable|sign-in needed|warnings|upgrading|read-only|not checked|outdated|healthy)  +(.*)$`)

// looksAtFleet lists all sites by a command, and has each row judged.
func (m *machine) looksAtFleet(r *run) {
	if m.day.oracle.Fleet == nil {
		m.judgesRows()
	}
	form := pick(m.day.random(r.name+" fleet form"), []string{"jsonl", "json", "table"})
	m.day.oracle.LooksAtAll(time.Now())
	from := time.Now()
	r.lists = true
	p := r.command("", "fleet", "-o", form)
	r.lists = false
	m.day.log("%s", p.out)
	m.day.oracle.LooksAtAll(time.Now())
	if r.dead.Load() {
		return
	}
	var rows []oracle.FleetRow
	switch form {
	case "jsonl":
		for text := range strings.Lines(p.out) {
			rows = append(rows, m.rowOf([]byte(text)))
		}
	case "json":
		var list struct{ Items []json.RawMessage }
		_ = json.Unmarshal([]byte(p.out), &list)
		for _, one := range list.Items {
			rows = append(rows, m.rowOf(one))
		}
	case "table":
		for line := range strings.Lines(p.out) {
			if found := fleetRow.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
				text := strings.ReplaceAll(found[3], "read-only until unlocked", "locked")
				rows = append(rows, oracle.FleetRow{Site: found[1], State: found[2], Text: text})
			}
		}
	}
	names := map[string]int{}
	for _, row := range rows {
		names[row.Site]++
		row.Program, row.Where, row.From, row.To = r.name, "geodeck fleet -o "+form, from, time.Now()
		m.day.oracle.Row(row)
	}
	for _, name := range append([]string{mainBranch}, m.branchNames()...) {
		if names[name] != 1 {
			m.day.fail("geodeck fleet -o %s has %d rows of %s: %.300s", form, names[name], name, p.out)
		}
	}
	m.day.meet("a look at all sites: " + form)
}

func (m *machine) branchNames() (names []string) {
	for _, b := range m.fleet {
		names = append(names, b.name)
	}
	return names
}

// rowOf is a row as scripts get it.
func (m *machine) rowOf(text []byte) (row oracle.FleetRow) {
	var told struct {
		Name, State, Fact, Version string
		ReadOnly                   *bool
		Production, Locked         bool
	}
	if err := json.Unmarshal(text, &told); err != nil || told.Name == "" {
		return row
	}
	row = oracle.FleetRow{Site: told.Name, State: told.State, Text: told.Fact, Version: told.Version, Told: map[string]bool{}}
	if told.ReadOnly != nil {
		row.Told["readOnly"] = *told.ReadOnly
	}
	if words, is := fleetStates[told.State]; is {
		row.State = words
	}
	for _, b := range m.fleet {
		if b.name == told.Name && (b.lock != "") != told.Locked {
			m.day.fail("geodeck fleet says %v of whether %s is locked", told.Locked, told.Name)
		}
	}
	return row
}

// looksAtAll shows all sites in a dashboard for a while, in which others change one of them.
func (b *between) looksAtAll(s *screen) {
	m := b.m
	if m.day.oracle.Fleet == nil {
		m.judgesRows()
	}
	s.clear()
	s.resize(sizes[1+b.r.IntN(2)])
	s.press("view.fleet")
	for range 2 + b.r.IntN(2) {
		s.wait(time.Duration(45+b.r.IntN(60)) * time.Second)
		s.story("all sites")
		m.isOthers(b.r, m.fleet[b.r.IntN(2)])
	}
	s.wait(time.Duration(100+b.r.IntN(60)) * time.Second)
	if s.story("all sites"); !s.dead() {
		m.day.meet("a look at all sites: screen")
	}
}

// ways are how the first site is named.
var ways = []string{"--site", "--url", "GEODECK_SITE", "GEODECK_URL"}

// named returns the arguments that name the first site, in one of the ways that there are.
func (r *run) named(hand *rand.Rand) (args []string) {
	way := pick(hand, ways)
	r.machine.day.meet("a site is named by " + way)
	named := mainBranch
	if strings.HasSuffix(strings.ToLower(way), "url") {
		named = pick(hand, []string{r.machine.site.root, r.machine.site.root + "/", strings.Replace(r.machine.site.root, "http", "HTTP", 1)})
	}
	if strings.HasPrefix(way, "--") {
		args = []string{way, named}
	} else {
		r.says = map[string]string{way: named}
	}
	if named != mainBranch { // an address has no variable of its own
		if r.says == nil {
			r.says = map[string]string{}
		}
		r.says["GEODECK_TOKEN"] = r.machine.site.signIn().Reveal()
	}
	return args
}

// goesOn follows what a line about a site advises: the command names that site, and is one.
func (m *machine) goesOn(line fleetLine) {
	for _, command := range commandsIn(line.Advice + "\n" + line.Message) {
		words := wordsOf(command)
		m.day.log("advised for %s: %s", line.Site, command)
		m.day.meet("a command is advised for a site")
		if words[0] != "site" && words[0] != "fleet" && !strings.Contains(command, "--site "+line.Site) {
			m.day.fail("for %s it is advised to run %q, which names another site or none", line.Site, command)
			continue
		}
		if why := refusedBy(words); why != "" {
			m.day.fail("for %s it is advised to run %q, which is no command: %s", line.Site, command, why)
		}
	}
}

// reachesNone runs a command that must not change any site.
func (m *machine) reachesNone(r *run, why string, args ...string) {
	before, at := len(m.site.sent(r.from)), make([][2]int, len(m.fleet))
	for i, b := range m.fleet {
		at[i] = b.counts()
	}
	p := r.command("", args...)
	m.day.meet("a fleet command " + why)
	if posts := len(m.site.sent(r.from)) - before; posts > 0 {
		m.day.fail("geodeck %s %s exits with %d, and %d requests were posted to %s", args[0], why, p.code, posts, mainBranch)
	}
	for i, b := range m.fleet {
		if b.counts()[0] > at[i][0] {
			m.day.fail("geodeck %s %s exits with %d, and something was posted to %s", args[0], why, p.code, b.name)
		}
	}
	if !r.dead.Load() && p.code == codeDone {
		m.day.fail("geodeck %s %s is a success: %.200s", strings.Join(args, " "), why, p.out)
	}
}

// changesNothing runs a check of the fleet in ways that have to be refused before anything is sent.
func (m *machine) changesNothing(r *run, args ...string) {
	hand := m.day.random(r.name + " refused")
	if hand.IntN(3) == 0 {
		m.reachesNone(r, "with --read-only", append(slices.Clone(args), "--read-only")...)
	}
	if hand.IntN(3) == 0 {
		m.reachesNone(r, "with a name of no site", append(slices.Clone(args), "--unlock", elsewhere)...)
	}
	if hand.IntN(3) == 0 {
		m.day.plan.broken = true
		m.reachesNone(r, "beside a config.yaml that cannot be read", args...)
		m.day.plan.broken = false
	}
	if hand.IntN(3) == 0 { // config.yaml has changed: now the first site is in production, too
		before := len(m.site.sent(r.from))
		m.day.plan.locked = true
		r.command("", append(slices.Clone(args), "--filter", mainBranch)...)
		m.day.plan.locked = false
		if m.day.meet("a fleet command after a site was locked"); len(m.site.sent(r.from)) > before {
			m.day.fail("a health check of all sites reached %s, which config.yaml has in production by now", mainBranch)
		}
	}
}
