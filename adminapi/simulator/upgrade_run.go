package simulator

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// upgradeRun is an upgrade or a rollback, past or under way. Its whole log is
// written when it begins; what of it there is to see follows from the clock.
type upgradeRun struct {
	operation  string // upgrade or rollback
	update     *update
	from, to   version
	user       string
	start, end time.Time
	lines      []scriptLine // what it says, of its script
	log        messageLog
	told       lastTold
	final      UpgradeState
	lingers    time.Duration // between the last message and the end
}

// names are what texts of scripts call the versions.
func (r *upgradeRun) names() map[string]string {
	return map[string]string{"from": r.from.String(), "to": r.to.String()}
}

const (
	operationUpgrade  = "upgrade"
	operationRollback = "rollback"
)

// statusRunning is the state of an upgrade under way, with code 1.
const (
	statusRunning     = "in_progress"
	statusRunningCode = 1
)

func (r *upgradeRun) runs(now time.Time) bool { return now.Before(r.end) }

func (r *upgradeRun) what() string {
	if r.operation == operationRollback {
		return fmt.Sprintf("The rollback from %s to %s", r.from, r.to)
	}
	return fmt.Sprintf("The upgrade from %s to %s", r.from, r.to)
}

// begin lets a run happen from its start on: its log is written, and what it
// does to the world is expected.
func (w *world) begin(r *upgradeRun, s script) {
	purpose := fmt.Sprintf("%s %d %s", r.operation, len(w.upgrades.past), r.update.ID)
	w.stage(r)
	p := w.perform(r, s, func() *rand.Rand { return w.random(purpose) })
	r.lines = p.lines
	for _, line := range r.lines {
		at := r.start.Add(line.at)
		r.end = at.Add(r.lingers)
		if line.effect != "" {
			w.schedule(at, func() { w.affect(r, line, at, p.draw) })
		}
	}
	w.record(r)
	w.upgrades.run = r
	w.upgrades.past = append(w.upgrades.past, r)
	if r == w.upgrades.staged {
		w.expectAfterMessages(r)
	}
}

// What a message of a script does to the world.
const (
	effectReadOnly    = "readOnly"
	effectWritable    = "writable"
	effectImage       = "image"       // a component runs its new image
	effectVersion     = "version"     // the site has its new version
	effectCheckBefore = "checkBefore" // the system makes a health report
	effectCheckAfter  = "checkAfter"
)

func (w *world) affect(r *upgradeRun, line scriptLine, at time.Time, draw *rand.Rand) {
	switch line.effect {
	case effectReadOnly:
		w.mode = mode{readOnly: true, message: r.what() + " is in progress."}
	case effectWritable:
		w.mode = mode{}
	case effectImage:
		if c := w.component(line.component); c != nil {
			c.version = line.target
		}
	case effectVersion:
		w.become(r.to)
	case effectCheckBefore:
		w.checkAround("before-update-"+r.from.String(), at, draw)
	case effectCheckAfter:
		w.checkAround("after-update-"+r.to.String(), at, draw)
	}
}

// become gives the site another version, with the suites that come with it.
func (w *world) become(v version) {
	w.version = v
	w.reports.suites = newSuites(w)
}

// checkAround lets the system check the health of the site, as it does before
// and after an upgrade.
func (w *world) checkAround(name string, at time.Time, draw *rand.Rand) {
	if len(w.reports.suites) == 0 {
		return
	}
	suites := w.reports.suites[:1]
	r := &run{id: shortID(draw, 10), name: name, owner: "system", createdBy: "system", start: at,
		suites: suites, found: w.examine(suites), pace: draw.Uint64(), slower: w.reports.slower}
	r.settleEnd()
	w.schedule(r.end, func() { w.reports.add(r) })
}
