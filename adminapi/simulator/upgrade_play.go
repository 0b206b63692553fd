package simulator

import "math/rand/v2"

// courseOf is what the scenario says of a run: much of the first one in this
// world, nothing of others.
func (w *world) courseOf(r *upgradeRun) Course {
	if r != w.upgrades.staged {
		return Course{}
	}
	return w.scenario.Upgrades.Course
}

// stage lets the scenario's course be that of a run, if it is the first upgrade
// that begins in this world.
func (w *world) stage(r *upgradeRun) {
	before := 0
	if w.scenario.Upgrades.Past != "" {
		before = 1
	}
	if r.operation == operationUpgrade && w.upgrades.staged == nil && len(w.upgrades.past) == before {
		w.upgrades.staged = r
	}
}

// perform plays the script of a run in its course and returns who played it.
func (w *world) perform(r *upgradeRun, s script, draw func() *rand.Rand) *player {
	course := w.courseOf(r)
	p := newPlayer(w, r, draw())
	if moving := course.moving(); moving > 0 {
		p.play(s.Steps, r.names(), 0)
		pace := float64(moving) / float64(p.at)
		p = newPlayer(w, r, draw())
		p.pace = pace
	}
	if p.stall = course.Stall; p.stall != nil {
		p.untilStall = max(p.stall.After.Nth, 1)
	}
	p.play(s.Steps, r.names(), 0)
	r.final = s.Ends
	if course.Fail != nil {
		w.fail(r, *course.Fail, p)
	}
	if p.silent {
		r.lingers = forever
	}
	if course.Ends != nil {
		r.final = *course.Ends
	}
	return p
}

// pause is what follows a message in the course of the scenario: silence for a
// while, or for good.
func (p *player) pause(said scriptLine) {
	if p.stall == nil || !p.stall.After.is(said) {
		return
	}
	if p.untilStall--; p.untilStall == 0 {
		p.at += p.stall.For.Duration
		p.silent = p.stall.For.Duration == 0
	}
}
