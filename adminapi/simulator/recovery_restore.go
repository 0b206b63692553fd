package simulator

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi/lists"
)

// recoveryRun is the making of a backup, or its restoring: what it shows at a moment follows
// from the clock.
type recoveryRun struct {
	plan     []recoveryStage
	start    time.Time
	slower   int    // how many times as long as usual it takes
	failedAt string // the stage that failed, empty for none
}

type recoveryStage struct {
	name string
	took time.Duration // as usual
}

var backupStages = []recoveryStage{
	{"Validation", 3096 * time.Millisecond},
	{"Stage Relational store", 5149 * time.Millisecond},
	{"Stage Object store", 50405 * time.Millisecond},
	{"Stage system configuration", 6517 * time.Millisecond},
	{"Post backup operation cleanup", 800 * time.Millisecond},
}

// restoreStages are those of a restore. The site answers during the first and the last one.
var restoreStages = []recoveryStage{
	{"Validation", 4 * time.Second},
	{"Restore Relational store", 17 * time.Second},
	{"Restore Object store", 64 * time.Second},
	{"Restore system configuration", 11 * time.Second},
	{"Start services", 24 * time.Second},
}

// stages returns the stages that have begun at a time.
func (r *recoveryRun) stages(now time.Time) []object {
	list := []object{}
	for i, stage := range r.plan {
		begin, end := r.after(i), r.after(i+1)
		if now.Before(begin) {
			break
		}
		state, took := stateDone, end.Sub(begin)
		switch {
		case now.Before(end):
			state, took = stateRunning, now.Sub(begin)
		case stage.name == r.failedAt:
			state = stateFailed
		}
		list = append(list, object{"name": stage.name, "state": state, "lastUpdated": millis(begin.Add(took)),
			"duration": fmt.Sprintf("%d millis (~ %d minutes)", took.Milliseconds(), int(took.Minutes()))})
		if state != stateDone {
			break
		}
	}
	return list
}

// after returns when the first n stages are over.
func (r *recoveryRun) after(n int) time.Time {
	at := r.start
	for _, stage := range r.plan[:n] {
		at = at.Add(stage.took * time.Duration(r.slower))
	}
	return at
}

func (r *recoveryRun) end() time.Time { return r.after(len(r.plan)) }

// stateFailed is the word for a stage, or all of them, that failed.
const stateFailed = "failed"

// status is the word of a list for how it is at a time.
func (r *recoveryRun) status(now time.Time) string {
	switch {
	case now.Before(r.end()):
		return stateRunning
	case r.failedAt != "":
		return stateFailed
	}
	return stateDone
}

// passcode tells whether another passcode is the same one, and nothing else.
type passcode struct {
	salt [16]byte
	hash [sha256.Size]byte
}

// scheduledPasscode is that of the backups that a site makes every night.
const scheduledPasscode = "geodeck-nightly"

func newPasscode(secrets io.Reader, text string) passcode {
	var p passcode
	if _, err := io.ReadFull(secrets, p.salt[:]); err != nil {
		panic("no random numbers for a passcode: " + err.Error())
	}
	p.hash = p.hashOf(text)
	return p
}

func (p passcode) hashOf(text string) [sha256.Size]byte {
	return sha256.Sum256(append(p.salt[:], text...))
}

// snapshot is what a backup holds of a world: its services, and what their pods run in.
// Accounts, jobs, reports, uploads, the record of upgrades and the backups themselves stay
// as they are when it is restored.
type snapshot struct {
	services    []service    // in the order of the world's
	deployments []deployment // likewise; none where none was made yet
}

func (w *world) snapshot() *snapshot {
	return &snapshot{
		services: lists.Each(w.services.list, func(s *service) service { return *s }),
		deployments: lists.Each(w.pods.list, func(d *deployment) deployment {
			was := *d
			was.pods = slices.Clone(d.pods)
			return was
		}),
	}
}

// replaceContent gives a world what a snapshot holds. All of it is recreated, and answers
// from a time on. It returns the services that cannot start.
func (w *world) replaceContent(c *snapshot, at, settled time.Time) (broken []string) {
	for i, was := range c.services {
		s := w.services.list[i]
		s.description, s.definition, s.stopped = was.description, was.definition, was.stopped
		s.transitionState, s.settledAt = serviceStopped, settled
		if s.broken != "" && !s.stopped {
			broken = append(broken, s.path())
		}
	}
	if len(c.deployments) == 0 {
		w.pods.deployments, w.pods.list = nil, nil
	}
	for i, d := range w.pods.all() {
		if len(c.deployments) > 0 {
			*d = c.deployments[i]
			d.pods = slices.Clone(d.pods)
		}
		d.revision = at
		d.replacePods(settled, 0)
	}
	return broken
}

// restore is the restoring of a backup.
type restore struct {
	recoveryRun
	from   *backup
	broken []string // services that did not start
}

// restoring reports whether a backup is being restored: the site takes no writes then.
func (a *recovery) restoring(now time.Time) bool {
	return a.restored != nil && now.Before(a.restored.end())
}

// away reports whether the site answers nothing since a backup is being restored.
func (a *recovery) away(now time.Time) bool {
	r := a.restored
	return r != nil && !now.Before(r.after(1)) && now.Before(r.after(len(r.plan)-1))
}

// restore begins to restore a backup. Tokens stay valid: accounts are no part of it.
func (a *recovery) restore(q *request, b *backup) any {
	w, code := a.world, q.required("passcode")
	if err := cmp.Or(w.upgrades.checkIdle(q.now), a.checkIdle(q.now)); err != nil {
		return err
	}
	if s := find(w.services.list, func(s *service) bool { return q.now.Before(s.busyUntil) }); s != nil {
		return conflict("Another operation is in progress.", s.path()+" is being changed.")
	}
	if d := find(w.pods.all(), func(d *deployment) bool { return q.now.Before(d.busyUntil) }); d != nil {
		return conflict("Another operation is in progress.", d.name+" is being changed.")
	}
	const cannot = "The backup cannot be restored."
	switch {
	case q.err != nil:
		return q.err
	case b.status(q.now) != stateDone:
		return invalid(cannot, "the backup "+b.name+" is not complete")
	case b.release != w.version.release():
		return invalid(cannot, "the backup is of "+b.release+", the site is "+w.version.release())
	case b.passcode.hashOf(code) != b.passcode.hash:
		return invalid(cannot, "the passcode is not that of the backup")
	}
	r := &restore{from: b, recoveryRun: recoveryRun{plan: restoreStages, start: q.now, slower: 1}}
	a.restored = r
	back := r.after(len(r.plan) - 1)
	w.schedule(back, func() { r.broken = w.replaceContent(b.content, back, r.end()) })
	return success
}

// showStatus shows the newest backup, or the last restore where that is newer.
func (a *recovery) showStatus(q *request) any {
	if len(a.backups) == 0 {
		return object{"status": object{}}
	}
	b := slices.MaxFunc(a.backups, func(a, b *backup) int { return a.start.Compare(b.start) })
	run, operation, schedule := &b.recoveryRun, "Backup", b.schedule
	var broken []string
	if r := a.restored; r != nil && r.start.After(b.start) {
		b, run, operation, schedule, broken = r.from, &r.recoveryRun, "Restore", byHand, r.broken
	}
	code, state, complete, message := 3, "success", millis(run.end()), ""
	switch status := run.status(q.now); {
	case status == stateRunning:
		code, state, complete = 1, stateRunning, 0
	case status == stateFailed:
		code, state, message = 2, stateFailed, "The backup has failed."
	case len(broken) > 0:
		state, message = "completed_with_warnings", "These services did not start: "+strings.Join(broken, ", ")+"."
	}
	return object{"status": object{
		"operation": operation, "backupName": b.name, "backupStore": b.store, "scheduleType": schedule,
		"code": code, "state": state, "message": message, "stages": run.stages(q.now),
		"startTime": millis(run.start), "completeTime": complete,
	}}
}
