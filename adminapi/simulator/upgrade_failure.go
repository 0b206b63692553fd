package simulator

import (
	"slices"
	"time"
)

// UpgradeFailure is how an upgrade fails: it reports nothing more after one of
// its messages. A release stays as it is then, also in read-only mode; a patch
// is taken back by the site.
type UpgradeFailure struct {
	After int `json:"after"`         // code of the message
	Nth   int `json:"nth,omitempty"` // which one of them; default the first
}

// scriptFallback is how a site takes back a patch that failed.
const scriptFallback = "fallback"

// giveUp is how long the site waits for what does not come before it gives up.
const giveUp = 2 * time.Minute

// fail breaks a run off. One without the message succeeds.
func (w *world) fail(r *upgradeRun, f UpgradeFailure, p *player) {
	if !p.breakOff(f) {
		return
	}
	s := upgradeScripts()[scriptFallback]
	r.final = s.Ends
	if r.update.isRelease() {
		r.lingers = giveUp
		return
	}
	p.at, p.target, p.counts = p.at+giveUp, r.from, map[string]int{}
	p.play(s.Steps, r.names(), p.at)
}

// breakOff drops what follows the message, and tells whether there is one.
func (p *player) breakOff(f UpgradeFailure) bool {
	left := max(f.Nth, 1)
	i := slices.IndexFunc(p.lines, func(line scriptLine) bool {
		if line.code == f.After {
			left--
		}
		return left == 0
	})
	if i < 0 {
		return false
	}
	p.lines, p.at = p.lines[:i+1], p.lines[i].at
	return true
}
