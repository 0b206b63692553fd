package sweep

import (
	"fmt"
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
	day       *Day
	scenario  simulator.Scenario
	faults    []lineFault
	disk      []diskFault
	turns     []*turn
	away      []span
	skew      time.Duration
	zone      *time.Location
	foreign   bool // a second administrator is at work, or the platform loses what it was given
	removed   bool // jobs cannot be read, also while they run: who asks again at once cannot know of one
	breaks    int  // so many accepted writes come to nothing at the site
	odd       bool // messages of an upgrade are told in an odd way
	locked    bool // the site is in production, by another spelling of its address
	otherwise bool // and config.yaml has it by another spelling of its address alone
	made      bool // somebody else has done what is wanted, and undone it
	broken    bool // config.yaml cannot be read
	late      *late
	unsent    func(*machine) // what happens right before a write is sent, once
	echo      *echo
	quotes    *quotes
	nights    int               // the next attempt, and a last look, are so many days later
	older     int               // health checks of the name that is wanted, of the night before
	unread    bool              // what the gates of an upgrade are about cannot be read
	mute      map[string]bool   // the paths of what the site never answers to programs
	told      map[string]string // what the site answers to everybody, by the paths
	noLocks   bool              // the disk has no locks, for any program
	apart     bool              // another machine shares the state folder, and no locks

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
	keyring string  // what is wrong with that of the machine; empty for nothing
	others  bool    // somebody else changes config.yaml, too
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
	if d.Want == quoting || p.again > 0 { // an old answer repeats what no program knows, and hides what shows late for longer
		p.faults = slices.DeleteFunc(p.faults, func(f lineFault) bool { return f.What == "again" })
		p.scenario.Faults = slices.DeleteFunc(p.scenario.Faults, func(f simulator.Fault) bool { return f.What == "again" })
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
