package sweep

import (
	"fmt"
	"slices"
	"time"

	"geodeck/adminapi/simulator"
)

// week is the wish for one thing after the other: what takes three things in one order is met by chance alone, and
// what one leaves on the machine is what the next begins with.
const week = "a week"

// act is what is wanted next, and how.
type act struct{ want, face string }

// acts are what a week is made of, for a person at commands and operations, and for one at the dashboard, too.
func acts(face string) (all []act) {
	for _, p := range Plays {
		switch p.Want {
		case week, beside, checkout, keptData, severalSites, lookAround, fleetPlay, nightly, sharing, quoting, imports, beforehand, "patch", "release", "rollback": // whose days are long, of another site, or leave one that offers nothing else
			continue
		}
		if p.Face != dashboard || face == dashboard {
			all = append(all, act{p.Want, p.Face})
		}
	}
	return append(all, act{starts, commands}, act{"edit", commands}, act{"edit", "operations"}) // what was stopped, and edited, is wanted again
}

// playWeek wants some things one after the other, and at times a patch at the end. A calm week has each of them, so that
// troubles of each can be drawn.
func playWeek(m *machine) {
	day, r := m.day, m.day.random("week")
	all := acts(day.Face)
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if day.Seed > 0 {
		all = all[:3+r.IntN(3)]
	}
	if r.IntN(4) == 0 {
		all = append(all, act{"patch", pick(r, []string{"operations", commands})})
	}
	face := day.Face
	for n, a := range all {
		day.log("the %s of the week: %s by %s", a.want, a.want, a.face)
		day.Want, day.Face, day.act = a.want, a.face, fmt.Sprintf("act %d ", n+1)
		m.play()
		m.rests()
		time.Sleep(pick(r, nights))
	}
	day.Want, day.Face, day.act = week, face, ""
}

// rests ends the programs of an act: the next has its own.
func (m *machine) rests() {
	for _, r := range m.runs {
		r.end()
	}
	m.wants = nil
}

// inTheWeek are the troubles by which the promises of a week are at stake.
func inTheWeek() (all []Trouble) {
	for _, what := range []string{"close", "cut", "silent", "status", "html"} {
		for _, performed := range []bool{false, true} {
			all = append(all, oddity{fmt.Sprintf("answers of a week are lost: %s, performed %v", what, performed), func(p *plan) {
				for _, n := range p.day.random("lost in a week").Perm(10)[:3] {
					p.scenario.Faults = append(p.scenario.Faults, simulator.Fault{
						Path: "admin/services/**", Method: "POST", After: n, Times: 1, What: what, Status: 502, Performed: performed})
				}
			}})
		}
	}
	return all
}

// ofWeek are what a site may do in a week, and the disk, beside what it may do on a day.
func ofWeek() []Trouble {
	return slices.Concat(tornBackups(), hiddenParts(), []Trouble{slowEdits, slowEdits, cannotStart})
}
