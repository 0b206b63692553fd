package sweep

import (
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/adminapi/simulator"
)

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

// Sum adds up what is asked on several days.
func Sum(days []Request) (all []Request) {
	at := map[string]int{}
	for _, q := range days {
		i, found := at[q.Name]
		if !found {
			at[q.Name] = len(all)
			all = append(all, q)
			continue
		}
		all[i].Count += q.Count
		all[i].Before = min(all[i].Before, q.Before)
	}
	slices.SortFunc(all, func(a, b Request) int { return strings.Compare(a.Name, b.Name) })
	return all
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
		if writes := slices.DeleteFunc(slices.Clone(all), func(q Request) bool { return !isWrite(q.Name) }); len(writes) > 0 { // who signs in alone writes nothing
			all = writes
		}
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
		if name == "GET /system/upgrades" && r.IntN(2) == 0 {
			f.Status = 403 // while its API begins
		}
	case "leads":
		f.Status = pick(r, []int{301, 302, 303, 307, 308})
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
