// Package sweep plays bad days, thousands of them: an administrator wants something, and the
// network, the disk, the machine, the site and a second administrator are in the way. One
// seed is one exact day: the same requests, outcomes and verdict each time it is played.
//
// Real operations and commands, and the real dashboard with its keys, talk over connections
// in memory to the simulated platform, on a disk in memory, in virtual time
// ([testing/synctest]). What must hold on every day is checked against the ledger of the
// platform; see docs/reliability.md.
//
// Start at [Draw], which draws a day, and [Day.Play]. trouble.go has what can go wrong,
// site.go and machine.go are the two ends of the line, wish.go says how an administrator
// insists and what must hold then, and the plays are in the files of their names.
package sweep

import (
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"geodeck/adminapi/journal/memdisk"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/sweep/oracle"
)

// Day is a day of an administrator.
type Day struct {
	Seed     uint64
	Want     string // such as "edit", see [Plays]
	Face     string // how: "operations", "commands", "dashboard"
	Troubles []Trouble
	Log      bool // keep what happened, for a person

	plan    *plan
	act     string // which one of a [week]; empty on other days
	machine *machine
	begun   time.Time
	hidden  int // secrets of definitions so far

	mu    sync.Mutex
	lines []string
	wrong []string
	met   map[string]int

	oracle *oracle.Day
}

// Verdict is what became of a day.
type Verdict struct {
	Wrong    []string       // what must not happen, and did
	Met      map[string]int // outcomes and troubles that were met
	Story    []string       // what happened, with Day.Log
	Requests []Request      // that reached the site, for those who draw troubles
	Scenario []byte         // the site's part, for geodeck demo --scenario
	Posts    string         // every write that reached the site, and its answer
}

// Request is how often the site was asked something.
type Request struct {
	Name   string // such as "GET /jobs/*"
	Count  int
	Before int // how often before the first write
}

// random returns the random numbers for one purpose.
func (d *Day) random(purpose string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(d.act + purpose))
	return rand.New(rand.NewPCG(d.Seed, h.Sum64()))
}

// reader returns random bytes for one purpose.
func (d *Day) reader(purpose string) io.Reader {
	var key [32]byte
	r := d.random(purpose)
	for i := range key {
		key[i] = byte(r.Uint64())
	}
	return rand.NewChaCha8(key)
}

// log keeps a line of the story, with the true time.
func (d *Day) log(format string, args ...any) {
	if !d.Log {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf("%12s  ", time.Since(d.begun).Round(time.Millisecond))+fmt.Sprintf(format, args...))
}

// fail keeps what must not happen.
func (d *Day) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	d.log("WRONG: %s", text)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wrong = append(d.wrong, text)
}

// meet counts something that happened.
func (d *Day) meet(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.met[what]++
}

// Play plays the day. It must be called in a bubble of testing/synctest, which ends once no
// goroutine of the day is left.
func (d *Day) Play() Verdict {
	d.begun, d.met, d.wrong, d.lines, d.hidden = time.Now(), map[string]int{}, nil, nil, 0
	d.plan = d.draft()
	m := &machine{day: d, disk: memdisk.New(time.Now, "/home/ada", "/tmp"), clock: &clock{zone: d.plan.zone}}
	m.clock.ahead.Store(int64(d.plan.skew))
	d.machine = m
	d.oracle = oracle.New(func(where string) string {
		method := "GET"
		if strings.HasPrefix(where, settingsPath) {
			method = "POST"
		}
		return m.site.ask(method, where, nil)
	}, func(text string) { d.fail("%s", text) }, d.meet)
	d.oracle.Ahead = d.plan.scenario.ClockAhead.Duration
	d.oracle.Mute, d.oracle.Skew = d.plan.mute, func() time.Duration { return time.Duration(m.clock.ahead.Load()) }
	d.oracle.Stale = slices.ContainsFunc(d.plan.faults, func(f lineFault) bool { return f.What == "again" })
	d.oracle.Trimmed = slices.ContainsFunc(d.plan.scenario.Upgrades.Deliveries, func(v simulator.Delivery) bool { return v.Newest > 0 })
	var text []byte
	site, err := newSite(d, d.plan.scenario)
	if m.site = site; err == nil && d.holdsSecrets() {
		site.hide(&d.plan.scenario)
		err = site.starts(d.plan.scenario)
	}
	if err == nil {
		text, err = d.plan.scenario.YAML()
	}
	if err != nil {
		return Verdict{Wrong: []string{"the site cannot be made: " + err.Error()}}
	}
	if err := site.server.Serve(site); err != nil {
		return Verdict{Wrong: []string{"the site cannot be made: " + err.Error()}}
	}
	m.site.turns = d.plan.turns
	m.play()
	for _, r := range m.runs {
		r.end()
	}
	m.looksAfterANight()
	m.closes()
	m.verifies()
	m.restorable()
	m.compares()
	m.handsReportsOn()
	m.asksWhyAtLast()
	m.followsAdvice()
	m.failsToRead()
	m.runs[len(m.runs)-1].end()
	m.private()
	m.silent()
	_ = m.site.server.Close()
	m.closesFleet()
	d.meet("play: " + d.title())
	d.count()
	v := Verdict{Wrong: d.wrong, Met: d.met, Story: d.lines, Requests: m.site.requests(), Scenario: text, Posts: m.site.ledger()}
	*m, d.machine, d.oracle = machine{}, nil, nil // a sweep keeps no day that was played
	return v
}

// count counts which troubles were met.
func (d *Day) count() {
	for _, r := range d.machine.runs {
		for _, kind := range r.disk.Hits() {
			d.met["disk: "+kind]++
		}
	}
	for _, t := range d.plan.turns {
		if t.done {
			d.met[t.name]++
		}
	}
	for _, f := range d.plan.faults {
		if d.machine.site.came[f.request] > f.After {
			d.met["line: "+f.What]++
		}
	}
	for _, t := range d.Troubles {
		if o, ok := t.(outage); ok && time.Since(d.begun) > o.from {
			d.met["outage: "+o.what]++
		}
	}
}

// leaves takes the site from its address for a time.
func (d *Day) leaves(long time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.plan.away = append(d.plan.away, span{time.Since(d.begun), long})
}

// away reports whether nobody is at the address of the site at a time.
func (d *Day) away(at time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	since := at.Sub(d.begun)
	return slices.ContainsFunc(d.plan.away, func(s span) bool { return s.from <= since && since < s.from+s.long })
}

// requests returns what the site was asked, sorted by name.
func (s *site) requests() (all []Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, count := range s.came {
		all = append(all, Request{name, count, s.before[name]})
	}
	slices.SortStableFunc(all, func(a, b Request) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// ledger writes down every write, for comparing two plays of a day.
func (s *site) ledger() string {
	var b strings.Builder
	for _, p := range s.sent(func(*post) bool { return true }) {
		fmt.Fprintf(&b, "%s %s %s %v %s\n", p.at.Sub(s.day.begun), p.run.name, p.path, p.accepted, p.answer)
	}
	return b.String()
}

// String says what the day is, in a line.
func (d *Day) String() string {
	parts := []string{fmt.Sprintf("seed %d: %s by %s", d.Seed, d.Want, d.Face)}
	for i, t := range d.Troubles {
		parts = append(parts, fmt.Sprintf("[%d] %s", i, t))
	}
	return strings.Join(parts, "\n  ")
}
