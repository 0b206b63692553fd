package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/sweep/oracle"
)

// following is what happens while an upgrade is watched, and what watches have told of it.
type following struct {
	after   time.Duration          // the begin of the first watch
	turns   []func(*machine, *run) // happen then, one at each answer
	full    memdisk.Fault          // of the disk of the first program that watches
	looksOn bool                   // somebody without a record of it watches for a while

	began time.Time      // the first watch
	told  map[string]int // how often each message was told as new, and was kept
}

// troublesOfWatches are those that the watches of a play meet: each of its days has three.
func troublesOfWatches(r *rand.Rand, play, face string) []Trouble {
	if play != "patch" && play != "release" && play != "rollback" || face != "operations" {
		return nil
	}
	after := time.Duration(60+r.IntN(9*60)) * time.Second
	turn := func(do func(*machine, *run)) func(*plan) {
		return func(p *plan) { p.follow.after, p.follow.turns = after, append(p.follow.turns, do) }
	}
	jump := time.Duration(r.IntN(40*60)-20*60) * time.Minute
	full := memdisk.Fault{Op: memdisk.OpWrite, Path: "[12]*.jsonl", Nth: 2 + r.IntN(12), For: pick(r, []int{1, 2, 5, 15}), Kind: memdisk.Full}
	state := pick(r, []simulator.UpgradeState{{State: "waiting_for_resources", Code: 7}, {State: "paused"}, {State: "in_progress", Code: 9}})
	return []Trouble{
		silentWithOutages(r), failing, oddity{"the disk is full during a watch", func(p *plan) { p.follow.full = full }},
		oddity{"messages are told late, and others no more", toldLate},
		oddity{"a watch is cut off", turn(func(_ *machine, r *run) { r.kill() })},
		oddity{"the clock is set during a watch", turn(func(m *machine, _ *run) { m.clock.sets(func() { m.clock.ahead.Add(int64(jump)) }) })},
		oddity{"the clock, fifty minutes ahead, is put right during a watch", func(p *plan) {
			p.skew = 50 * time.Minute
			turn(func(m *machine, _ *run) {
				m.clock.sets(func() { m.clock.ahead.Store(int64(p.scenario.ClockAhead.Duration)) })
			})(p)
		}},
		oddity{"the disk is full while messages repeat the password", func(p *plan) {
			full.For = 15
			p.follow.full, p.echo = full, &echo{tokens: map[string][]string{}}
		}},
		oddity{"messages repeat a password, and it is learned", func(p *plan) {
			turn((*machine).signsInAsOther)(p)
			p.echo = &echo{other: true, tokens: map[string][]string{}}
		}},
		oddity{"somebody begins to watch in a state that nobody knows", func(p *plan) {
			some := simulator.Window{From: &simulator.Moment{Code: 2270}, For: simulator.Duration{Duration: 5 * time.Minute}}
			p.follow.looksOn, p.scenario.Upgrades.States = true, []simulator.StateWindow{{Window: some, UpgradeState: state}}
		}},
	}
}

// silentWithOutages is an upgrade that is silent for an hour, in which the site is away for some short times.
func silentWithOutages(r *rand.Rand) Trouble {
	var away []span
	for at := 25 * time.Minute; at < 70*time.Minute; at += time.Duration(4+r.IntN(14)) * time.Minute {
		away = append(away, span{at, time.Duration(10+r.IntN(170)) * time.Second})
	}
	return oddity{"the upgrade is silent for an hour, and the site is away for moments of it", func(p *plan) {
		silentHour.change(p)
		p.away = append(p.away, away...)
	}}
}

// toldLate lets a site tell messages of one code and time minutes apart, of which it shows the newest alone.
func toldLate(p *plan) {
	when := p.day.begun.Add(p.scenario.ClockAhead.Duration + 20*time.Second).UnixMilli()
	for n, code := range []int{2271, 2166} {
		text := fmt.Sprintf(`{"code":%d,"message":"Node %d has got its images.","when":%d}`, echoCode, n+1, when)
		p.scenario.Upgrades.Also = append(p.scenario.Upgrades.Also, simulator.ExtraMessage{At: simulator.Moment{Code: code}, Message: json.RawMessage(text)})
	}
	some := simulator.Window{From: &simulator.Moment{Code: 2271}, For: simulator.Duration{Duration: 3 * time.Hour}}
	p.scenario.Upgrades.Deliveries, p.odd = append(p.scenario.Upgrades.Deliveries, simulator.Delivery{Window: some, Newest: 8}), true
}

// signsInAsOther lets another user sign in with a program that watches.
func (m *machine) signsInAsOther(r *run) {
	name, password := m.site.other()
	if token, err := r.site.Client.Session.SignIn(r.ctx, name, password, tokenLife); err == nil {
		m.day.oracle.Secrets.Add("token", token.Value.Reveal())
		m.day.meet("a password is learned that messages have repeated")
	}
}

// other is a user who may watch, and whose password has nothing in common with that of the administrator.
func (s *site) other() (name string, password secrets.Secret) {
	for _, u := range s.server.Users()[1:3] {
		if _, _, alike := s.day.oracle.Secrets.In(u.Password); !alike {
			name, password = u.Username, secrets.Secret(u.Password)
		}
	}
	return name, password
}

// follow watches an upgrade, and lets happen what the day has for its watches.
func (m *machine) follow(ctx context.Context, r *run, w *watching.Watch) (last watching.Snapshot, err error) {
	f := &m.day.plan.follow
	if f.began.IsZero() {
		f.began, f.told = time.Now(), map[string]int{}
	}
	for range 5 {
		var before watching.Snapshot
		last, err = polling.Wait(ctx, r.site.Clock, w, func(step polling.Step[watching.Snapshot]) {
			s := step.Value
			alarm, _ := watching.AlarmOf(r.site, before, s)
			before = s
			if alarm.Kind == watching.AlarmStalled && !alarm.Known {
				m.day.oracle.Stalls(oracle.Stalled{Program: r.name, At: time.Now(), Lost: r.hurt() || m.day.plan.odd || m.day.plan.echo != nil, Silent: s.Quiet, Set: m.clock.set.Load()})
			}
			m.day.oracle.Watched(oracle.Watched{
				Program: r.name, At: time.Now(), Site: s.ServerAt(), NothingRuns: s.NothingRuns,
				Answered: s.Unreachable == nil && s.Refused == nil && s.Doubt == watching.NoDoubt, Ended: s.Ended, EndMissing: s.MessagesMissing,
			})
			for _, message := range s.Added {
				if s.TranscriptErr == nil && s.Transcript != "" && len(r.disk.Hits()) == 0 {
					f.told[momentOf(message.UpgradeMessage)]++
				}
			}
			if len(f.turns) > 0 && time.Since(f.began) >= f.after && !step.Done {
				turn := f.turns[0]
				f.turns = f.turns[1:]
				turn(m, r)
			}
		})
		if !errors.Is(err, adminapi.KindSignIn) || !r.wait(time.Minute) {
			break
		}
	}
	return last, err
}

// looksOn lets somebody watch for some minutes who has no record of the upgrade.
func (m *machine) looksOn() {
	time.Sleep(2*time.Minute + atNoRequest)
	r := m.begin()
	defer r.end()
	if r.open() != nil {
		return
	}
	elsewhere := r.site
	elsewhere.Memory = operation.Memory{}
	ctx, cancel := context.WithTimeout(r.ctx, 2*time.Minute)
	defer cancel()
	_, _ = m.follow(ctx, r, watching.NewWatch(elsewhere, nil))
}

// toldOnce checks that the log of a watch has every message as often as the site tells it, and that none was told
// as new that an earlier watch has told and kept.
func (m *machine) toldOnce(last watching.Snapshot, truth adminapi.UpgradeStatus) {
	if e := m.day.plan.echo; e != nil && e.other && !e.from.IsZero() {
		truth.Messages = append(truth.Messages, adminapi.UpgradeMessage{Code: echoCode, When: adminapi.MillisOf(e.from)})
	}
	listed := map[string]int{}
	for i := range last.Log.Len() {
		listed[momentOf(last.Log.At(i).UpgradeMessage)]++
	}
	m.asOften("a watch has", listed, truth, true)
	m.asOften("watches have told as new", m.day.plan.follow.told, truth, false)
}
