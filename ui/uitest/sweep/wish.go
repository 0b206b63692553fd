package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/ui/uitest/sweep/oracle"
)

// wish is what an administrator wants to be done once.
type wish struct {
	name string
	is   func(*post) bool // the write that does it
	try  func(*run) told  // asks a new run of the program for it, and says what that told
	// has reports whether the site truly has it; nil where that does not show.
	has      func() bool
	intent   *oracle.Intent
	recorded int // how much the log of the machine had before
}

// told is what the program has told its user about a wish.
type told struct {
	outcome adminapi.Outcome
	ended   bool   // not only accepted: its end was seen too
	broken  bool   // the site accepted it and did not do it, and the program says so
	rest    bool   // another one before it was not done, so it waits for the next program
	text    string // for the story
}

// attempts are how often an administrator tries, and patience how long each time until the
// next.
const (
	attempts = 9
	patience = 3 * time.Minute
)

// insist asks for a wish until the program tells that it is done, each time with a new run of
// the program. It checks everything that is told, and reports how it ended.
func (m *machine) insist(w wish) (last told) {
	m.wants = m.wish(w)
	m.wants.recorded = len(m.records())
	w = *m.wants
	for range attempts {
		r := m.begin()
		said := w.try(r)
		dead := r.dead.Load()
		r.end()
		m.day.oracle.Ends(own(m.disk.Files()))
		if dead {
			m.day.meet("told: killed")
			m.day.oracle.Told(oracle.Attempt{Intent: w.intent, Program: r.name, Dead: true})
		} else {
			m.day.log("%s told: %s, %s", r.name, said.outcome, said.text)
			m.judge(w, r, said)
			m.notTheirs(said)
			last = said
			if said.outcome == adminapi.OutcomeDone && said.ended {
				break
			}
		}
		pause := m.pause(len(m.runs) == 1)
		if hand := m.day.random(fmt.Sprint("a short pause after ", len(m.runs))); pause == patience && m.restless() && hand.IntN(3) == 0 {
			pause = time.Duration(5+hand.IntN(100)) * time.Second
		}
		time.Sleep(pause)
		m.spoilsSome(w)
	}
	return last
}

// restless reports whether an administrator may ask again at once.
func (m *machine) restless() bool {
	return m.day.Face == commands && !m.day.plan.removed && slices.Contains([]string{"edit", "restore", "placement", starts, stops, "health"}, m.day.Want)
}

// judge checks what was told of an attempt.
func (m *machine) judge(w wish, r *run, said told) {
	text := said.outcome.String()
	if said.broken {
		text = "done, and broken"
	}
	m.day.meet("told: " + text)
	m.day.meet(w.name + ": " + text)
	m.day.oracle.Told(oracle.Attempt{Intent: w.intent, Program: r.name, Outcome: said.outcome.String(), Ended: said.ended, Broken: said.broken, Text: said.text, Hurt: r.hurt()})
}

// wish is what an administrator wants from now on, for the oracle, too.
func (m *machine) wish(w wish) *wish {
	if w.intent == nil {
		w.intent = &oracle.Intent{}
	}
	w.intent.Name, w.intent.Has = w.name, w.has
	m.wishes = append(m.wishes, &w)
	m.day.oracle.Wants(w.intent)
	return &w
}

// intent is what an administrator wants with a write; nil where that is not known.
func (m *machine) intent(p *post) *oracle.Intent {
	for _, w := range slices.Backward(m.wishes) {
		if w.is(p) {
			return w.intent
		}
	}
	return nil
}

// written is a write in the log of the machine.
type written = journal.Record

// earlier returns what the log of the machine says of a wish, after open writes were looked
// for at the site: a user reads that before asking again. over says that it is done, or that
// it cannot be found out now.
func (r *run) earlier(what string, same func(written) bool) (said told, over bool) {
	if _, err := r.site.ResolveWrites(r.ctx); err != nil {
		return told{outcome: adminapi.OutcomeNotSent, text: "earlier writes cannot be resolved: " + errorText(err)}, true
	}
	records, err := r.site.Memory.Journal.Actions(0)
	if err != nil {
		return told{outcome: adminapi.OutcomeNotSent, text: "the log cannot be read: " + errorText(err)}, true
	}
	for _, record := range records[:max(0, len(records)-r.machine.wants.recorded)] { // newest first
		if same(record) {
			return told{outcome: adminapi.OutcomeDone, ended: true, text: "the log has the " + what + ": " + record.Note}, record.Outcome == adminapi.OutcomeDone
		}
	}
	return told{}, false
}

// notTooSoon checks that nobody is told that a request may be sent again before the earlier one, of unknown outcome,
// would show: two minutes after it was sent, for an upgrade ten.
func (m *machine) notTooSoon(r *run, allowed bool, where string) {
	records := m.records()
	slices.Reverse(records)
	at := slices.IndexFunc(records, func(k *oracle.Record) bool {
		return k.Outcome == "unknown" && !k.Overridden && strings.Contains(k.Path, where)
	})
	if !allowed || at < 0 {
		return
	}
	m.day.meet("an open write may be sent again")
	least := 2 * time.Minute
	if isUpgrade(&post{path: records[at].Path}) {
		least = 10 * time.Minute
	}
	if passed := m.clock.Now().Sub(records[at].Time); passed < least {
		m.day.fail("%s: %s after POST %s was sent, with an unknown outcome, it may be sent again", r.name, passed, records[at].Path)
	}
}

// wait waits as a person does, unless the program is killed meanwhile.
func (r *run) wait(d time.Duration) bool { return r.machine.clock.Sleep(r.ctx, d) == nil }

// errorText is an error for the story.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	if errors.Is(err, memdisk.ErrKilled) {
		return "killed"
	}
	return err.Error()
}
