package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/uitest/sweep/oracle"
)

// What is installed, what is gone back to, and from where: each fits the version of the site.
const (
	patch             = "pat_12082025_6805"
	patchVersion      = "11.5.0.6805"
	otherPatch        = "pat_11092025_6815"
	otherVersion      = "11.5.0.6815"
	release           = "rel_11122025_7286"
	releaseVersion    = "12.0.0"
	backTo            = "pat_23102025_6825"
	backToVersion     = "11.5.0.6825"
	rolledBack        = "pat_04122025_6835"
	rolledBackVersion = "11.5.0.6835"
)

// failing is an upgrade that fails in the middle.
var failing = oddity{"the upgrade fails", func(p *plan) {
	fail := simulator.UpgradeFailure{After: 2038, Nth: 5}
	if p.day.Want == "release" {
		fail = simulator.UpgradeFailure{After: 2144}
	}
	p.scenario.Upgrades.Fail = &fail
	p.breaks = attempts
}}

// unreadable is a site that tells neither its reports nor its backups: what cannot be read has to be
// accepted before anything is sent.
var unreadable = oddity{"gates cannot be read", func(p *plan) {
	for _, path := range []string{"admin/healthCheck/reports", "admin/system/disasterrecovery/**"} {
		p.scenario.Faults = append(p.scenario.Faults, simulator.Fault{Path: path, What: "status", Status: 500})
	}
	p.unread = true
}}

// silentHour is an upgrade that says nothing for so long that watches raise an alarm.
var silentHour = oddity{"the upgrade is silent for an hour", func(p *plan) {
	p.scenario.Upgrades.Lasts.Duration = 90 * time.Minute
	behind := 2038 // of a patch, and of a rollback
	if p.day.Want == "release" {
		behind = 2101
	}
	p.scenario.Upgrades.Stall = &simulator.Stall{After: simulator.Moment{Code: behind}, For: simulator.Duration{Duration: time.Hour}}
}}

// upgradeOddities are what a site may do with an upgrade.
var upgradeOddities = []Trouble{
	unreadable, unreadable, unreadable, unreadable,
	failing, failing, failing, failing,
	silentHour, silentHour, silentHour,
	oddity{"messages come twice", oddly(simulator.Delivery{Repeats: 3})},
	shuffled, shuffled,
	oddity{"only the newest messages are told", oddly(simulator.Delivery{Newest: 20})},
	oddity{"a state that nobody knows", func(p *plan) {
		w := simulator.StateWindow{UpgradeState: simulator.UpgradeState{State: "waiting_for_resources", Code: 7}}
		w.From, w.For = &simulator.Moment{Plus: simulator.Duration{Duration: 3 * time.Minute}}, simulator.Duration{Duration: 2 * time.Minute}
		p.scenario.Upgrades.States = append(p.scenario.Upgrades.States, w)
	}},
	oddity{"another starts an upgrade meanwhile", func(p *plan) {
		p.scenario.Upgrades.Other = &simulator.OtherUpgrade{ID: otherPatch, When: "submit"} // of two of one kind nobody could tell
		p.foreign = true
	}},
	oddity{"another's upgrade runs already", func(p *plan) {
		p.scenario.Upgrades.Other = &simulator.OtherUpgrade{ID: patch, When: "running", Ago: simulator.Duration{Duration: 5 * time.Minute}}
		p.foreign = true
	}},
}

var shuffled = oddity{"messages come shuffled", oddly(simulator.Delivery{Shuffled: true})}

// oddly tells the messages of the upgrade in an odd way for a while.
func oddly(d simulator.Delivery) func(*plan) {
	return func(p *plan) {
		d.From, d.For = &simulator.Moment{Plus: simulator.Duration{Duration: time.Minute}}, simulator.Duration{Duration: 6 * time.Minute}
		p.scenario.Upgrades.Deliveries = append(p.scenario.Upgrades.Deliveries, d)
		p.odd = true
	}
}

// playUpgrade installs a patch or a release, and watches it to its end.
func playUpgrade(m *machine) {
	id, version := patch, patchVersion
	if m.day.Want == "release" {
		id, version = release, releaseVersion
		m.fillsIn()
		defer m.filling.remove()
		if m.day.Face == dashboard {
			playForm(m)
			return
		}
	}
	m.upgrade("upgrade", "/system/upgrades/upgrade", func(r *run) (*operation.UpgradeRun, operation.Result) {
		request, err := r.request(id)
		if err != nil {
			return nil, unsent(err)
		}
		return r.site.StartUpgrade(r.ctx, request, nil)
	}, "start", id, "--confirm", version, "--accept", "health,placement")
}

// playRollback goes back to the version before the newest patch.
func playRollback(m *machine) {
	id := backTo
	if m.day.plan.scenario.Upgrades.Rollback != "" { // the newest patch is removed
		id = rolledBack
	}
	m.upgrade("rollback", "/system/upgrades/rollback", func(r *run) (*operation.UpgradeRun, operation.Result) {
		var all []upgrade.Rollback
		if err := r.retry(func() (err error) {
			all, err = r.site.Rollbacks(r.ctx)
			return err
		}); err != nil {
			return nil, unsent(err)
		}
		back, listed := upgrade.RollbackOf(all, id)
		if listed && back.Unsure == "" && (back.To != backToVersion || !slices.Contains(back.Removed(), rolledBackVersion)) {
			m.day.fail("the site would go to %s without %s, and %s is told as: %s", backToVersion, rolledBackVersion, id, back.Sentence())
		}
		if !listed || back.To != backToVersion {
			return nil, unsent(fmt.Errorf("%s leads to %q: %s", id, back.To, back.Unsure))
		}
		return r.site.StartUpgrade(r.ctx, operation.RollbackRequest(back), nil)
	}, "rollback", id, "--confirm", backToVersion, "--accept", "health,placement")
	if truth, err := m.site.upgrades(); err == nil && !m.day.plan.foreign {
		if ran := progress.LastRun(truth); ran.Kind() == progress.RollbackRun && ran.To != backToVersion {
			m.day.fail("%s was confirmed, and the site goes to %s", backToVersion, ran.To)
		}
	}
}

// request reads the offers and the settings of an update, and fills them in.
func (r *run) request(id string) (request operation.UpgradeRequest, err error) {
	var offer operation.Offer
	if err = r.retry(func() (err error) {
		offer, err = r.site.Offers(r.ctx)
		return err
	}); err != nil {
		return request, err
	}
	entry, found := offer.Chain.Find(id)
	if !found {
		return request, fmt.Errorf("%s is not offered", id)
	}
	request = operation.UpgradeRequest{Target: entry.Update, Answers: upgrade.Answers{}}
	if err = r.retry(func() (err error) {
		request.Settings, err = r.site.UpgradeSettings(r.ctx, operation.UpgradeRequest{Target: entry.Update})
		return err
	}); err != nil {
		return request, err
	}
	if r.machine.filling != nil {
		r.machine.filling.answers(request)
	}
	return request, nil
}

type startUpgrade func(*run) (*operation.UpgradeRun, operation.Result)

func unsent(err error) operation.Result {
	return operation.Result{Outcome: adminapi.OutcomeNotSent, Err: err}
}

// upgrade starts an upgrade once, and watches it to its end. line is the command for it.
func (m *machine) upgrade(name, where string, start startUpgrade, line ...string) {
	try, watch := func(r *run) told { return tryUpgrade(r, where, start) }, m.watch
	switch m.day.Face {
	case commands:
		try, watch = upgradeByCommand(line...), m.watchByCommand
	case dashboard:
		try, watch = upgradeOnScreen, m.watchOnScreen
	}
	m.upgradeBy(name, where, try, watch, m.filling.intent())
}

// upgradeBy starts an upgrade once by a way to try it, and watches it to its end by another.
func (m *machine) upgradeBy(name, where string, try func(*run) told, watch func(*run) bool, intent *oracle.Intent) {
	said := m.insist(wish{name: name, is: func(p *post) bool { return p.path == where }, try: try, intent: intent})
	if said.outcome != adminapi.OutcomeDone {
		return
	}
	if m.day.plan.again > 0 {
		m.asksAgain(try)
	}
	if m.day.plan.follow.looksOn {
		m.looksOn()
	}
	if full := m.day.plan.follow.full; full.Kind != memdisk.None {
		m.day.plan.disk = append(m.day.plan.disk, diskFault{run: len(m.runs) + 1, fault: full})
	}
	for range attempts {
		r := m.begin()
		ended := watch(r)
		dead := r.dead.Load()
		r.end()
		if ended && !dead {
			return
		}
		time.Sleep(patience)
	}
	m.day.meet("the end of the upgrade was not seen")
}

// asksAgain asks once more for an upgrade that was accepted, whatever became of it.
func (m *machine) asksAgain(try func(*run) told) {
	time.Sleep(m.day.plan.again)
	m.again = true
	r := m.begin()
	if said := try(r); !r.dead.Load() {
		m.day.meet("an accepted upgrade is asked for again")
		m.judge(*m.wants, r, said)
	}
	r.end()
	time.Sleep(time.Minute)
}

// tryUpgrade is an attempt to start it, not to watch it.
func tryUpgrade(r *run, where string, start startUpgrade) told {
	if err := r.open(); err != nil {
		return told{outcome: adminapi.OutcomeNotSent, text: errorText(err)}
	}
	if said, over := r.earlier("start", func(w written) bool { return strings.HasSuffix(w.Path, where) }); over && !r.machine.again {
		return said
	}
	running, result := start(r)
	outcome, err := result.Outcome, result.Err
	if open, is := errors.AsType[*operation.UnresolvedError](err); is {
		r.machine.notTooSoon(r, open.Wait == 0, "/system/upgrades/")
	}
	said := told{outcome: outcome, ended: outcome == adminapi.OutcomeDone, text: errorText(err)}
	if outcome != adminapi.OutcomeUnknown || running == nil {
		return said
	}
	found, err := polling.Wait(r.ctx, r.site.Clock, running.Search(), nil)
	if err == nil {
		err = found.Err
	}
	switch {
	case err == nil && found.Outcome == adminapi.OutcomeDone:
		return told{outcome: adminapi.OutcomeDone, ended: true, text: "found"}
	case errors.As(err, new(*operation.RefusedError)):
		return told{outcome: adminapi.OutcomeRefused, text: errorText(err)}
	}
	return told{text: "searched: " + errorText(err)}
}

// watch follows the upgrade in a new run of the program, and reports whether it has seen the
// end.
func (m *machine) watch(r *run) (ended bool) {
	if err := r.open(); err != nil {
		m.day.log("%s cannot watch: %s", r.name, errorText(err))
		return false
	}
	running, err := r.site.LastSent(r.ctx)
	if err != nil {
		return false
	}
	w := watching.NewWatch(r.site, running)
	if unfinished, found, _ := r.site.Memory.Unfinished(); found {
		w.Resume(unfinished.ID)
	}
	ctx, cancel := context.WithTimeout(r.ctx, 6*time.Hour)
	defer cancel()
	last, err := m.follow(ctx, r, w)
	if r.dead.Load() {
		return false
	}
	m.day.log("%s has watched: %s, ended %v, %d messages, %s", r.name, last.Status.State, last.Ended, last.Log.Len(), errorText(err))
	switch {
	case err != nil && ctx.Err() != nil:
		m.day.fail("a watch of six hours does not end: %s, %s", last.Status.State, last.DoubtText())
		return true
	case err != nil:
		m.day.meet("watch: " + "refused")
		return false
	case last.NothingRuns && !last.Ended:
		m.day.meet("watch: nothing runs")
	case last.Meaning == progress.StateSucceeded:
		m.day.meet("watch: succeeded")
	default:
		m.day.meet("watch: ended otherwise")
	}
	m.sameEnd(last)
	if last.Ended && last.TranscriptErr == nil {
		m.transcribed(r, last)
	}
	return true
}

// sameEnd checks the end that was told against the true one.
func (m *machine) sameEnd(last watching.Snapshot) {
	truth, err := m.site.upgrades()
	if err != nil {
		m.day.fail("the site does not tell its upgrades: %v", err)
		return
	}
	if meaning := progress.StateOf(truth); last.Ended && meaning != last.Meaning && !m.day.plan.foreign {
		m.day.fail("the upgrade is told as %s, and the site says %s", last.Status.State, truth.State)
	}
}

// transcribed checks that every message that the site still shows is in the transcript once,
// none is there more often than the site has ever told it at once, and all in order.
func (m *machine) transcribed(r *run, last watching.Snapshot) {
	truth, err := m.site.upgrades()
	if err != nil || last.Transcript == "" {
		return
	}
	summary, lines, err := r.site.Memory.Journal.ReadTranscript(last.Transcript)
	if err != nil {
		m.day.meet("the transcript cannot be read")
		return
	}
	if off := summary.Last.Add(summary.Ahead).Sub(time.Now().Add(m.day.plan.scenario.ClockAhead.Duration)); off.Abs() > 10*time.Second {
		m.day.fail("a transcript that has just been written ends %s off by the clock of the site", off)
	}
	kept := map[string]int{}
	for _, line := range lines {
		for _, message := range line.Messages {
			kept[keyOf(message.UpgradeMessage)]++
		}
	}
	shown := map[string]int{}
	for _, message := range truth.Messages {
		shown[keyOf(message)]++
	}
	began := m.site.began()
	for _, message := range truth.Messages {
		key := keyOf(message)
		if message.When < began {
			continue // of the run before
		}
		switch n := kept[key]; {
		case n < shown[key]:
			m.day.fail("a message of the site is %d times in the transcript instead of %d: %s", n, shown[key], key)
			return
		case n > shown[key] && !m.day.plan.odd:
			m.day.fail("a message of the site is %d times in the transcript instead of %d: %s", n, shown[key], key)
			return
		}
	}
	for i := 1; i < last.Log.Len(); i++ {
		if last.Log.At(i).When < last.Log.At(i-1).When {
			m.day.fail("the messages of the upgrade are not in order: %s", keyOf(last.Log.At(i).UpgradeMessage))
			break
		}
	}
	m.toldOnce(last, truth)
	m.day.meet("a whole transcript")
}

// keyOf tells messages apart. The transcript cuts texts of half a megabyte.
func keyOf(m adminapi.UpgradeMessage) string {
	return fmt.Sprintf("%d %d %.200q", m.When, m.Code, m.Message)
}
