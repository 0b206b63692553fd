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

// Parts are what a week is made of, for a person at commands and operations, and for one at the dashboard, too. Other plays
// have none.
func (p Play) Parts() (all []Play) {
	if p.Want != week {
		return nil
	}
	for _, part := range Plays {
		switch part.Want {
		case week, beside, checkout, keptData, severalSites, keepsSites, byHand, lookAround, fleetPlay, nightly, sharing, quoting, imports, beforehand, "patch", "release", "rollback": // whose days are long, of another site, or leave one that offers nothing else
			continue
		}
		if part.Face != dashboard || p.Face == dashboard {
			all = append(all, part)
		}
	}
	return append(all, Play{starts, commands}, Play{"edit", commands}, Play{"edit", "operations"}) // what was stopped, and edited, is wanted again
}

// playWeek wants some things one after the other, and at times a patch at the end.
func playWeek(m *machine) {
	day, r := m.day, m.day.random("week")
	all := Play{week, day.Face}.Parts()
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:3+r.IntN(3)]
	if r.IntN(4) == 0 {
		all = append(all, Play{"patch", pick(r, []string{"operations", commands})})
	}
	face := day.Face
	for n, a := range all {
		day.log("the %s of the week: %s by %s", a.Want, a.Want, a.Face)
		day.Want, day.Face, day.act = a.Want, a.Face, fmt.Sprintf("act %d ", n+1)
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
