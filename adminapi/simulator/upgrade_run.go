package simulator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"geodeck/adminapi/lists"
)

// upgrades is the area of upgrades and rollbacks.
type upgrades struct {
	*world
	run           *upgradeRun   // under way, or else the last one
	past          []*upgradeRun // oldest first, the last one included
	first         *upgradeRun   // the first upgrade in this world, whose script the scenario changes
	settingsReads int
}

func (a *upgrades) routes() []*route {
	return append(a.children(
		query("/system/upgrades/getUpgradeSettings", "Get upgrade settings", a.showSettings),
		post("/system/upgrades/upgrade", "Upgrade", a.submit),
		query("/system/upgrades/checkRollback", "Check rollback", a.checkRollback),
		post("/system/upgrades/rollback", "Rollback", a.rollback),
		get("/system/upgrades/history", "History", a.showHistory),
		get("/system/upgrades/config", "Upgrade configurations", a.showConfig).from("11.2"),
	), get("/system/upgrades", "Upgrades", a.show).from("10.9"), query("/system/upgrades", "Upgrades", a.show).from("10.9"))
}

// children closes what is below the Upgrades resource while an upgrade runs.
func (a *upgrades) children(routes ...*route) []*route {
	for _, r := range routes {
		r.from(cmp.Or(r.since, "10.9")).idle = true
	}
	return needing([]string{privSecurity, privServers}, routes...)
}

// checkIdle refuses what cannot be done while an upgrade runs.
func (a *upgrades) checkIdle(now time.Time) error {
	run := a.run
	if run == nil || !run.runs(now) {
		return nil
	}
	return conflict("Another operation is in progress; this is not available until it ends.",
		run.title()+" is in progress since "+run.start.UTC().Format(time.RFC3339)+", started by "+run.user+".")
}

// show shows the log of the upgrade that runs, or else of the last one.
func (a *upgrades) show(q *request) any {
	if a.run == nil {
		return pieces{[]byte(`{"status":{"code":0,"messages":[],"state":"no_upgrade"}}` + "\n")}
	}
	return a.statusOf(a.run, q.now)
}

// upgradeRun is an upgrade or a rollback, past or under way. Its whole log is
// written when it begins; how much of it the site shows follows from the clock.
type upgradeRun struct {
	operation  string // upgrade or rollback
	update     *update
	from, to   version
	user       string
	start, end time.Time
	lines      []scriptLine // the messages of its script
	log        messageLog
	changes    ScriptChanges // what the scenario changes of the script
	final      UpgradeState
	tail       time.Duration // between the last message and the end
}

const (
	operationUpgrade  = "upgrade"
	operationRollback = "rollback"
)

func (r *upgradeRun) runs(now time.Time) bool { return now.Before(r.end) }

func (r *upgradeRun) title() string {
	return fmt.Sprintf("The %s from %s to %s", r.operation, r.from, r.to)
}

// begin starts a run with the script of a name: it writes its log and schedules what it
// does to the world.
func (a *upgrades) begin(r *upgradeRun, scriptName string) {
	purpose := fmt.Sprintf("%s %d %s", r.operation, len(a.past), r.update.ID)
	plan, before := a.scenario.Upgrades, 0
	if plan.Past != "" {
		before = 1
	}
	if len(a.past) == before {
		a.first, r.changes = r, plan.ScriptChanges
	}
	p := a.play(r, upgradeScript(scriptName), func() *rand.Rand { return a.random(purpose) })
	r.lines = p.lines
	for _, line := range r.lines {
		at := r.start.Add(line.at)
		r.end = at.Add(r.tail)
		if line.effect != "" {
			a.schedule(at, func() { a.applyEffect(r, line, at, p.draw) })
		}
	}
	r.writeLog()
	a.run = r
	a.past = append(a.past, r)
	if r == a.first {
		a.scheduleEventsAfter(r)
	}
}

// What a message of a script does to the world.
const (
	effectReadOnly    = "readOnly"
	effectWritable    = "writable"
	effectImage       = "image"       // a component runs its new image
	effectVersion     = "version"     // the site has its new version
	effectCheckBefore = "checkBefore" // the system runs a health check
	effectCheckAfter  = "checkAfter"
)

func (a *upgrades) applyEffect(r *upgradeRun, line scriptLine, at time.Time, draw *rand.Rand) {
	switch line.effect {
	case effectReadOnly:
		a.mode = mode{ReadOnly: true, Message: r.title() + " is in progress."}
	case effectWritable:
		a.mode = mode{}
	case effectImage:
		if c := a.component(line.component); c != nil {
			c.version = line.target
		}
	case effectVersion:
		a.setVersion(r.to)
	case effectCheckBefore:
		a.health.checkBySystem("before-update-"+r.from.String(), at, draw)
	case effectCheckAfter:
		a.health.checkBySystem("after-update-"+r.to.String(), at, draw)
	default:
		panic("a script has the unknown effect " + line.effect)
	}
}

// giveUp is how long the site waits for the next message of a failed upgrade.
const giveUp = 2 * time.Minute

// play plays the script of a run with the scenario's changes, and returns the
// player.
func (a *upgrades) play(r *upgradeRun, s script, draw func() *rand.Rand) *player {
	changes, names := r.changes, map[string]string{"from": r.from.String(), "to": r.to.String()}
	p := newPlayer(a.world, r, draw())
	if moving := changes.moving(); moving > 0 {
		p.play(s.Steps, names)
		pace := float64(moving) / float64(p.at)
		p = newPlayer(a.world, r, draw())
		p.pace = pace
	}
	if p.stall = changes.Stall; p.stall != nil {
		p.untilStall = max(p.stall.After.Nth, 1)
	}
	p.play(s.Steps, names)
	r.final = s.Ends
	if changes.Fail != nil && p.cutAfter(*changes.Fail) {
		fallback := upgradeScript(scriptFallback)
		r.final = fallback.Ends
		if r.update.isRelease() || r.operation == operationRollback {
			r.tail = giveUp
		} else {
			p.at, p.target, p.counts = p.at+giveUp, r.from, map[string]int{}
			p.targets.list = slices.DeleteFunc(p.targets.list, func(item scriptTarget) bool {
				return !slices.ContainsFunc(p.lines, func(l scriptLine) bool { return l.effect == effectImage && l.component == item.Name })
			})
			p.play(fallback.Steps, names)
		}
	}
	if p.silent {
		r.tail = forever
	}
	if changes.Ends != nil {
		r.final = *changes.Ends
	}
	return p
}

// What an id means that a site lists to be rolled back, and sends.
const (
	rollbackToward  = "toward"  // the version that the site goes back to
	rollbackRemoves = "removes" // a patch that is removed
	rollbackBeyond  = "beyond"  // listed as one to go back to, and removed
)

// rollbackMeans is what an id means at this site.
func (a *upgrades) rollbackMeans() string {
	return cmp.Or(a.scenario.Upgrades.Rollback, rollbackToward)
}

// rollbackOptions are what can be rolled back, newest first: the versions below the newest patch,
// down to the base release; nothing where no patch is installed.
func (a *upgrades) rollbackOptions() []*update {
	list := a.updates.installed()
	slices.Reverse(list)
	if a.rollbackMeans() == rollbackRemoves {
		return slices.DeleteFunc(list, (*update).isRelease)
	}
	return list[min(1, len(list)):]
}

func (a *upgrades) checkRollback(*request) any {
	return object{"updates": a.rollbackOptions()}
}

func (a *upgrades) rollback(q *request) any {
	u, err := a.updates.named(q, "versionManifest", a.updates.catalogue)
	if err != nil {
		return err
	}
	if text := q.single("rollbackSettings"); q.err != nil {
		return q.err
	} else if text != "" && json.Unmarshal([]byte(text), new(map[string]any)) != nil {
		return notAllowed("rollbackSettings is not a JSON object")
	}
	if updateOf(a.rollbackOptions(), u.ID) == nil {
		return invalid("The deployment cannot be rolled back with this id.", u.ID+" is not among the rollback options of this deployment")
	}
	to := u.full()
	if a.rollbackMeans() != rollbackToward && !u.isRelease() {
		to = earlier(u)
	}
	run := &upgradeRun{operation: operationRollback, update: a.removedAbove(u, to), from: a.updates.siteVersion(), to: to, user: q.user.Username, start: q.now}
	a.begin(run, operationRollback)
	return a.statusOf(run, q.now)
}

// removedAbove is an update with the containers of every patch that going back to a version
// removes. Updates are cumulative.
func (a *upgrades) removedAbove(u *update, to version) *update {
	removed := *u
	removed.Containers = nil
	for _, patch := range slices.Backward(a.updates.installed()) {
		for _, c := range patch.Containers {
			known := slices.ContainsFunc(removed.Containers, func(other container) bool { return other.Name == c.Name })
			if patch.Build.number > to[3] && !known {
				removed.Containers = append(removed.Containers, c)
			}
		}
	}
	return &removed
}

// historyTime is how the history writes a moment. The page names no zone; this is UTC.
const historyTime = "2006-01-02 15:04:05.000"

// showHistory lists what was upgraded and rolled back, newest first. The
// platform recommends it as a page; its JSON form here is our own.
func (a *upgrades) showHistory(*request) any {
	list := lists.Each(a.past, func(r *upgradeRun) object {
		status := "success"
		if r.final.State != status {
			status = "failure"
		}
		return object{
			"operation": r.operation, "id": r.update.ID, "name": r.update.Name, "username": r.user, "status": status,
			"fromVersion": r.from.String(), "toVersion": r.to.String(),
			"startTime": r.start.UTC().Format(historyTime), "endTime": r.end.UTC().Format(historyTime),
		}
	})
	slices.Reverse(list)
	return object{"history": list}
}

// showConfig shows where the pods of the upgrade job run.
func (a *upgrades) showConfig(*request) any {
	return pieces{[]byte(`{"podPlacementPolicy":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[` +
		`{"matchExpressions":[{"key":"upgrader","operator":"In","values":["true"]}]}]}},` +
		`"tolerations":[{"effect":"NoSchedule","key":"upgrader","operator":"Equal","value":"true"}]}}` + "\n")}
}

// addPast adds what was upgraded before the world began, and what runs when it
// begins.
func (a *upgrades) addPast() {
	if u := updateOf(a.updates.catalogue, a.scenario.Upgrades.Past); u != nil {
		now := a.version
		a.version = earlier(u)
		for _, c := range a.components {
			c.version = a.version
		}
		a.start(u, false, "admin", a.started.Add(-26*time.Hour))
		a.version = now
		// What it did is so from the start; the reports around it are new.
		a.settle(a.started)
		a.setVersion(now)
	}
	if e := a.scenario.Upgrades.Other; e != nil && e.When == otherRunning {
		a.startOther(a.started.Add(-e.Ago.Duration))
	}
}

// earlier is the version that an update builds on.
func earlier(u *update) version {
	v, _ := parseVersion(u.PreviousVersion)
	v[3] = u.PreviousBuild.number + u.PreviousReleaseBuild.number
	return v
}

// startOtherAt starts the upgrade of another user when its moment has come, once,
// and reports whether it did.
func (a *upgrades) startOtherAt(moment string, now time.Time) bool {
	e := a.scenario.Upgrades.Other
	if e == nil || e.When != moment || len(a.past) > 0 {
		return false
	}
	a.startOther(now)
	return true
}

func (a *upgrades) startOther(at time.Time) {
	e := a.scenario.Upgrades.Other
	a.start(updateOf(a.updates.catalogue, e.ID), false, cmp.Or(e.User, "operator"), at)
}
