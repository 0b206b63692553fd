package sweep

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/adminapi/simulator"
)

// Trouble is one thing that goes wrong on a day. It depends on what is asked and how often,
// or on the time, and never on what comes first of two things at once.
type Trouble interface {
	fmt.Stringer
	// strike adds it to what is planned for the day.
	strike(*plan)
}

// plan is a day with all its troubles.
type plan struct {
	day      *Day
	scenario simulator.Scenario
	faults   []lineFault
	disk     []diskFault
	turns    []*turn
	away     []span
	skew     time.Duration
	zone     *time.Location
	foreign  bool // a second administrator is at work, or the platform loses what it was given
	removed  bool // jobs cannot be read, also while they run: who asks again at once cannot know of one
	breaks   int  // so many accepted writes come to nothing at the site
	odd      bool // messages of an upgrade are told in an odd way
	locked   bool // the site is in production, by another spelling of its address
	made     bool // somebody else has done what is wanted, and undone it
	broken   bool // config.yaml cannot be read
	late     *late
	unsent   func(*machine) // what happens right before a write is sent, once
	echo     *echo
	quotes   *quotes
	nights   int               // the next attempt, and a last look, are so many days later
	older    int               // health checks of the name that is wanted, of the night before
	unread   bool              // what the gates of an upgrade are about cannot be read
	mute     map[string]bool   // the paths of what the site never answers to programs
	told     map[string]string // what the site answers to everybody, by the paths
	noLocks  bool              // the disk has no locks, for any program
	apart    bool              // another machine shares the state folder, and no locks

	again time.Duration // an upgrade that was accepted is asked for once more, so long after that
	tells []manner

	turned atomic.Bool // the newest list that was read says that a rollback leads elsewhere

	jobs    int   // so many jobs of others are listed before ours
	torn    int   // the sending of so many-th change fails, though all of it has left
	escapes bool  // the site escapes the paths of its jobs
	busy    bool  // an edit of somebody else goes on as the day begins
	sync    *bool // whether edits are asked for without a job; the first is answered with an error at once
	follow  following
	words   *worded // the answer to one of the writes
}

type span struct{ from, long time.Duration }

func (d *Day) draft() *plan {
	p := &plan{day: d, scenario: sceneOf(d), zone: time.UTC, mute: map[string]bool{}, told: map[string]string{}}
	if d.Want == quoting {
		p.quotes = newQuotes(d)
	}
	for _, t := range d.Troubles {
		t.strike(p)
	}
	if d.Want == beforehand { // what is not told at all has no other trouble
		p.scenario.Faults = slices.DeleteFunc(p.scenario.Faults, func(f simulator.Fault) bool {
			return f.Times > 0 && p.mute[strings.TrimPrefix(f.Path, "admin")]
		})
	}
	p.apart = d.Want == sharing && !p.noLocks && d.random("another machine").IntN(3) == 0
	if p.scenario.Upgrades.Other != nil {
		p.late = nil // one trouble with the same request
	}
	if p.late != nil && p.late.works {
		p.scenario.Faults = slices.DeleteFunc(p.scenario.Faults, func(f simulator.Fault) bool {
			return f.Method == "POST" && f.What != "slow" && isUpgrade(&post{path: f.Path})
		})
	}
	return p
}

// isWatched reports whether a play watches an upgrade.
func isWatched(play string) bool { return play == "patch" || play == "release" || play == "rollback" }

// lineFault goes wrong between the site and the program.
type lineFault struct {
	simulator.Fault
	request string
}

// String is the fault with its request, and which one of them has it.
func (f lineFault) String() string {
	text := fmt.Sprintf("%s from number %d on, %d times: %s", f.request, f.After+1, f.Times, f.What)
	if f.Performed {
		text += ", after it was performed"
	}
	return text
}

func (f lineFault) strike(p *plan) {
	p.scenario.Faults = append(p.scenario.Faults, f.Fault)
	p.faults = append(p.faults, f)
}

// outage is a time in which every request goes wrong.
type outage struct {
	span
	what   string
	status int
}

// String is the outage with when it begins, and how long it lasts.
func (o outage) String() string {
	return fmt.Sprintf("%s after %s for %s", o.what, o.from, o.long)
}

func (o outage) strike(p *plan) {
	switch o.what {
	case "refused":
		p.away = append(p.away, o.span)
		return
	case "tokens end":
		p.scenario.Events = append(p.scenario.Events, simulator.Event{At: simulator.Duration{Duration: o.from}, ExpireTokens: true})
		return
	}
	fault := simulator.Fault{Path: "**", What: o.what, Status: o.status}
	fault.From, fault.For = &simulator.Moment{Plus: simulator.Duration{Duration: o.from}}, simulator.Duration{Duration: o.long}
	p.scenario.Faults = append(p.scenario.Faults, fault)
}

// diskFault goes wrong with the disk of one run of the program.
type diskFault struct {
	run   int
	fault memdisk.Fault
	power bool // the whole machine goes off with it
	away  bool // nothing fails: the site is gone
}

// String is the fault with the program and the call of its disk.
func (f diskFault) String() string {
	what := f.fault.Kind.String()
	if f.away {
		what = "the site goes away"
	}
	if f.power {
		what = "the power fails"
	}
	return fmt.Sprintf("disk of program-%d, %s number %d (%d in a row): %s", f.run, strings.TrimSpace(string(f.fault.Op)+" "+f.fault.Path), f.fault.Nth, f.fault.For, what)
}

func (f diskFault) strike(p *plan) {
	p.disk = append(p.disk, f)
}

// diskFaults returns the faults of the n-th run of the program.
func (p *plan) diskFaults(n int, r *run) (faults []memdisk.Fault) {
	if p.noLocks {
		faults = append(faults, memdisk.Fault{Op: memdisk.OpLock, For: -1, Kind: memdisk.NoLocks})
	}
	for _, f := range p.disk {
		if f.fault.Kind == memdisk.NoLocks && p.day.Want == sharing {
			continue // a disk has locks for all programs, or for none
		}
		if f.run != n || f.fault.Kind == memdisk.Held && p.day.Face == dashboard || p.day.Want == fleetPlay {
			continue // the journal waits for such a lock with a mutex, on which others wait: virtual time stands still
		}
		switch {
		case f.away:
			f.fault.Then = r.goesAway
		case f.power:
			f.fault.Then = r.machine.cutPower
		case f.fault.Kind == memdisk.KillBefore || f.fault.Kind == memdisk.KillAfter:
			f.fault.Then = r.kill
		}
		faults = append(faults, f.fault)
	}
	if hand := p.day.random(r.name + " transcript"); isWatched(p.day.Want) && hand.IntN(3) == 0 { // has room again later
		fails := pick(hand, []memdisk.Fault{{Op: memdisk.OpWrite, Kind: memdisk.Full}, {Op: memdisk.OpWrite, Kind: memdisk.Torn},
			{Op: memdisk.OpSync, Kind: memdisk.FailedSync}, {Op: memdisk.OpTruncate, Kind: memdisk.ReadOnly}})
		fails.Path, fails.Nth, fails.For = transcriptFiles, 2+hand.IntN(8), pick(hand, []int{1, 2, 6, 20})
		faults = append(faults, fails)
	}
	if do := p.unsent; do != nil {
		faults = append(faults, memdisk.Fault{Op: memdisk.OpSync, Path: journal.LogName, Nth: 1, Then: func() { do(r.machine) }})
	}
	return faults
}

// interruption happens at a request, before the platform handles it or before its answer is
// sent.
type interruption struct {
	request string
	nth     int
	after   bool
	what    happening
}

// happening is what can happen at a request.
type happening struct {
	name    string
	foreign bool
	at      string // the request before which it matters most
	do      func(*machine, *run)
}

// String is what happens, with its request.
func (i interruption) String() string {
	when := "before"
	if i.after {
		when = "after"
	}
	return fmt.Sprintf("%s %s number %d: %s", when, i.request, i.nth, i.what.name)
}

func (i interruption) strike(p *plan) {
	p.foreign = p.foreign || i.what.foreign
	p.turns = append(p.turns, &turn{name: i.what.name, request: i.request, nth: i.nth, after: i.after, do: func(r *run) {
		p.day.log("%s", i)
		i.what.do(p.day.machine, r)
	}})
}

// oddity is something about the site or the clocks from the beginning.
type oddity struct {
	name   string
	change func(*plan)
}

// String is the oddity as something of the site.
func (o oddity) String() string { return "the site: " + o.name }
func (o oddity) strike(p *plan) {
	o.change(p)
	p.day.meet("oddity: " + o.name)
}

// Draw draws the day of a seed, whose play and face are given. calm is what the site is asked
// on such a day without troubles. Every second day begins with the trouble whose turn it is, every
// third one has what the site does in its turn.
func Draw(seed uint64, play, face string, calm []Request) *Day {
	d := &Day{Seed: seed, Want: play, Face: face, met: map[string]int{}}
	r := d.random("troubles")
	at, besides := d.atStake()
	count := []int{0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 7}[r.IntN(12)]
	if at != nil && r.IntN(2) == 0 {
		count, besides = 0, nil // nothing keeps it from the point
	}
	for n := range count {
		if n == 0 && r.IntN(2) == 0 {
			d.Troubles = append(d.Troubles, d.due(r, calm))
			continue
		}
		d.Troubles = append(d.Troubles, d.trouble(r, calm))
	}
	if oddities := odditiesOf(play, face); d.turn()%3 == 0 { // of which there are most
		d.Troubles = append(d.Troubles, oddities[d.turn()/3%len(oddities)])
	}
	if at != nil {
		d.Troubles = append(d.Troubles, at)
	}
	for _, stakes := range besides {
		if r.IntN(2) == 0 {
			d.Troubles = append(d.Troubles, pick(r, stakes))
		}
	}
	if words := d.drawBeforehand(); len(words) > 0 {
		if d.Troubles = append(d.Troubles, words...); r.IntN(2) == 0 { // nothing else is in the way
			d.Troubles = words
		}
	}
	if words := d.drawWords(); words != nil {
		d.Troubles = append(d.Troubles, words)
	}
	for range 3 {
		if watched := troublesOfWatches(r, play, face); len(watched) > 0 {
			d.Troubles = append(d.Troubles, pick(r, watched))
		}
	}
	return d
}

func (d *Day) trouble(r *rand.Rand, calm []Request) Trouble {
	switch n := r.IntN(100); {
	case n < 38:
		return drawFault(r, d.Want, calm, pick(r, whats))
	case n < 46:
		return drawOutage(r, pick(r, outages))
	case n < 60:
		return drawDisk(r, d.Want, pick(r, diskOps))
	case n < 85:
		return drawInterruption(r, d.Want, calm, pick(r, happeningsOf(d.Want, r)))
	}
	return pick(r, odditiesOf(d.Want, d.Face))
}

// due draws the trouble whose turn it is. Chance alone leaves out for long what is rare: so
// the days of a play go through all that can be drawn, each play from elsewhere on.
func (d *Day) due(r *rand.Rand, calm []Request) Trouble {
	happenings, oddities := happeningsOf(d.Want, r), odditiesOf(d.Want, d.Face)
	turn := d.turn() % (len(whats) + len(outages) + len(diskOps) + len(happenings) + len(oddities))
	if turn < len(whats) {
		return drawFault(r, d.Want, calm, whats[turn])
	}
	if turn -= len(whats); turn < len(outages) {
		return drawOutage(r, outages[turn])
	}
	if turn -= len(outages); turn < len(diskOps) {
		return drawDisk(r, d.Want, diskOps[turn])
	}
	if turn -= len(diskOps); turn < len(happenings) {
		return drawInterruption(r, d.Want, calm, happenings[turn])
	}
	return oddities[turn-len(happenings)]
}

// turn counts the days of a play, each play from elsewhere on.
func (d *Day) turn() int { return int(d.Seed)/len(Plays) + 7*(int(d.Seed)%len(Plays)) }

// atStake is the trouble by which a promise is at stake whose turn it is, nil for none, and those of which a
// day has some more.
func (d *Day) atStake() (at Trouble, besides [][]Trouble) {
	stakes := append(troublesAtStake(d.Want, d.Face), editsAtStake(d.Want, d.Face))
	stakes = slices.DeleteFunc(stakes, func(some []Trouble) bool { return len(some) == 0 })
	if len(stakes) == 0 {
		return nil, nil
	}
	if turn := d.turn() % (len(stakes[0]) + 1); turn < len(stakes[0]) {
		at = stakes[0][turn]
	}
	return at, stakes[1:]
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// requestsAtStake are those by which a play looks for what became of its write, or compares what
// it replaces. A calm day need not have them.
var requestsAtStake = map[string][]string{
	"edit": {"GET /jobs", "GET /jobs/*", "GET /services/" + cities.Path()}, "restore": {"GET /jobs", "GET /jobs/*"},
	outside: {"GET /jobs", "GET /services/" + cities.Path()}, "batch": {"GET /jobs", "GET /jobs/*"}, "health": {"GET /healthCheck/reports", "GET /jobs/*"},
	checkout:   {"GET /jobs", "GET /services/" + cities.Path(), "GET /services/" + cities.Path() + "/status"},
	openWrites: {"GET /jobs", "GET /jobs/*", "GET /services/" + cities.Path()}, onTop: {"GET /jobs", "GET /services/" + cities.Path()},
	week:     {"GET /jobs", "GET /jobs/*", "GET /services/" + cities.Path()},
	versions: {"GET /jobs", "GET /services/" + cities.Path()}, drafts: {"GET /jobs", "GET /services/" + cities.Path()},
	imports:  {"GET /system/upgrades/available", "GET /system/upgrades/manifestStatus", "POST /system/upgrades/importManifest"},
	deletion: {"GET /healthCheck/reports/query", "POST /healthCheck/reports/delete", "POST /healthCheck/reports/*/delete"},
	"patch":  {"GET /system/upgrades"}, "release": {"GET /system/upgrades"}, "rollback": {"GET /system/upgrades"},
}

// drawRequest draws a request and a number of it: any of a calm day; a write; or one by which
// a promise is kept, the last before the write or one of those after it.
func drawRequest(r *rand.Rand, play string, calm []Request) (name string, nth int) {
	all := slices.Clone(calm)
	switch r.IntN(4) {
	case 0:
		all = slices.DeleteFunc(all, func(q Request) bool { return !isWrite(q.Name) })
	case 1:
		if looks := requestsAtStake[play]; looks != nil {
			name = pick(r, looks)
			if i := slices.IndexFunc(all, func(q Request) bool { return q.Name == name }); i >= 0 {
				return name, around(r, all[i])
			}
			return name, 1 + r.IntN(3)
		}
	case 2:
		if after := slices.DeleteFunc(slices.Clone(all), func(q Request) bool { return q.Count == q.Before || isWrite(q.Name) }); len(after) > 0 {
			q := pick(r, after)
			return q.Name, around(r, q)
		}
	}
	q := pick(r, all)
	return q.Name, 1 + r.IntN(min(q.Count, 12)+1)
}

// around is the number of a request about the time of the first write.
func around(r *rand.Rand, q Request) int { return max(1, q.Before+r.IntN(4)) }

// isWrite reports whether a request changes something of the site.
func isWrite(request string) bool {
	return strings.HasPrefix(request, "POST") && !strings.Contains(request, "generateToken")
}

// whats are the faults of the line, those of lost answers more often.
var whats = []string{
	"close", "close", "reset", "reset", "within", "headers", "cut", "cut", "half", "silent", "silent", "html", "html", "status", "empty", "slow", "token", "leads",
	"again", "delay",
}

func drawFault(r *rand.Rand, play string, calm []Request, what string) Trouble {
	name, nth := drawRequest(r, play, calm)
	method, where, _ := strings.Cut(name, " ")
	f := lineFault{request: name, Fault: simulator.Fault{
		Path: strings.TrimPrefix(path.Join("/admin", where), "/"), Method: method, After: nth - 1, Times: 1 + r.IntN(3), What: what,
	}}
	f.Performed = method == "POST" && r.IntN(3) > 0
	switch f.What {
	case "html":
		f.Status = pick(r, []int{200, 502, 503, 504})
	case "status":
		f.Status = pick(r, []int{500, 503, 504})
	case "token":
		f.Performed = false // who refuses a token has not looked at the rest
	case "slow", "delay":
		f.Delay.Duration = time.Duration(1+r.IntN(9)) * time.Second
	case "again":
		if method != "GET" || !repeatable(where) {
			f.What = "close"
		}
	}
	return f
}

// repeatable reports whether an old answer to a request shows as such: one about a definition,
// the state of a service or a job list does not, and no client could tell.
func repeatable(where string) bool {
	return strings.HasSuffix(where, "/upgrades") || strings.HasPrefix(where, "/jobs/")
}

// outages are what can be in the way of every request for a time.
var outages = []string{"refused", "refused", "html", "close", "silent", "status", "empty", "tokens end", "tokens end"}

func drawOutage(r *rand.Rand, what string) Trouble {
	o := outage{what: what, span: span{time.Duration(r.IntN(300)) * time.Second, time.Duration(5+r.IntN(600)) * time.Second}}
	if o.what == "html" {
		o.status = pick(r, []int{200, 502, 503})
	}
	return o
}

// diskOps are the calls of a disk that can go wrong.
var diskOps = []memdisk.Op{memdisk.OpWrite, memdisk.OpSync, memdisk.OpCreate, memdisk.OpRename, memdisk.OpSyncFolder, memdisk.OpOpen, memdisk.OpRead,
	memdisk.OpLock, memdisk.OpLock, memdisk.OpTruncate}

// diskKinds are what can become of a call.
func diskKinds(op memdisk.Op) []memdisk.Kind {
	switch op {
	case memdisk.OpWrite:
		return []memdisk.Kind{memdisk.Full, memdisk.Torn, memdisk.ReadOnly}
	case memdisk.OpSync, memdisk.OpSyncFolder:
		return []memdisk.Kind{memdisk.FailedSync}
	case memdisk.OpLock:
		return []memdisk.Kind{memdisk.Held, memdisk.NoLocks}
	}
	return []memdisk.Kind{memdisk.Full, memdisk.ReadOnly, memdisk.Denied}
}

// kills end the program, or with it the machine.
var kills = []memdisk.Kind{memdisk.KillBefore, memdisk.KillAfter}

func drawDisk(r *rand.Rand, play string, op memdisk.Op) Trouble {
	programs := 2
	if play == week {
		programs = 14
	}
	f := diskFault{run: 1 + r.IntN(programs), fault: memdisk.Fault{Op: op, Nth: 1 + r.IntN(16), For: pick(r, []int{1, 1, 2, 5})}}
	if (op == memdisk.OpWrite || op == memdisk.OpSync) && r.IntN(2) == 0 {
		f.fault.Path, f.fault.Nth = journal.LogName, 1+r.IntN(4) // the record of a write, and its outcome
	}
	switch r.IntN(8) {
	case 0, 1:
		f.fault.Kind, f.fault.For = pick(r, kills), 1
	case 2:
		f.power, f.fault.For = true, 1
	default:
		if f.fault.Kind = pick(r, diskKinds(op)); f.fault.Kind == memdisk.NoLocks {
			f.fault.Nth, f.fault.For = 1, -1 // a file system has locks or not
		}
	}
	return f
}

func drawInterruption(r *rand.Rand, play string, calm []Request, what happening) Trouble {
	i := interruption{after: r.IntN(2) == 0, what: what}
	i.request, i.nth = drawRequest(r, play, calm)
	if i.what.at != "" && r.IntN(2) == 0 {
		i.request, i.nth, i.after = i.what.at, 2, false
	}
	return i
}

// happeningsOf are those that can happen in a play.
func happeningsOf(play string, r *rand.Rand) []happening {
	kill := happening{name: "killed", do: func(_ *machine, r *run) { r.kill() }}
	power := happening{name: "power cut", do: func(m *machine, _ *run) { m.cutPower() }}
	jump := time.Duration(r.IntN(48*60)-24*60) * time.Minute
	all := []happening{
		kill, kill, kill, power,
		{name: "the clock jumps", do: func(m *machine, _ *run) { m.clock.sets(func() { m.clock.ahead.Add(int64(jump)) }) }},
	}
	if play == "batch" { // what is left of it is told by the next program
		all = append(all, kill, kill, kill, kill, kill, kill, power, power)
	}
	return append(all, intruders(play)...)
}
