package sweep

import (
	"errors"
	"regexp"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
)

// wish is what an administrator wants to be done once.
type wish struct {
	name string
	is   func(*post) bool // the write that does it
	try  func(*run) told  // asks a new run of the program for it, and says what that told
	// has reports whether the site truly has it; nil where that does not show.
	has func() bool
}

// reads reports whether the site has looked at a write of the wish: one whose token it refuses
// it has not, and who has signed in anew sends another.
func (w wish) reads(p *post) bool { return w.is(p) && !tokenRefused.MatchString(p.answer) }

// tokenRefused finds the answer to a token that has ended, however it is laid out.
var tokenRefused = regexp.MustCompile(`"code":\s*498`)

// told is what the program has told its user about a wish.
type told struct {
	outcome adminapi.Outcome
	ended   bool   // not only accepted: its end was seen too
	broken  bool   // the site accepted it and did not do it, and the program says so
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
	m.wants = &w
	for range attempts {
		r := m.begin()
		before := len(m.site.sent(w.reads))
		said := w.try(r)
		dead := r.dead.Load()
		r.end()
		reached := m.site.sent(w.reads)[before:]
		if len(reached) > 1 {
			m.day.fail("%s: %d writes reached the site in one attempt", w.name, len(reached))
		}
		if dead {
			m.day.meet("told: killed")
		} else {
			m.day.log("%s told: %s, %s", r.name, said.outcome, said.text)
			m.judge(w, said, before)
			last = said
			if said.outcome == adminapi.OutcomeDone && said.ended {
				break
			}
		}
		time.Sleep(patience)
	}
	m.once(w)
	return last
}

// judge checks what was told of an attempt against the ledger. Before it so many writes had
// reached the site.
func (m *machine) judge(w wish, said told, before int) {
	all := m.site.sent(w.reads)
	accepted := 0
	for _, p := range all[before:] {
		if p.accepted {
			accepted++
		}
	}
	any := false
	for _, p := range all {
		any = any || p.accepted
	}
	text := said.outcome.String()
	if said.broken {
		text = "done, and broken"
	}
	m.day.meet("told: " + text)
	m.day.meet(w.name + ": " + text)
	if said.broken && accepted > 0 {
		m.day.excused++ // another try is right
	}
	switch {
	case said.outcome == adminapi.OutcomeNotSent && len(all) > before:
		m.day.fail("%s: told %q, but the site has it: %s", w.name, text, said.text)
	case said.outcome == adminapi.OutcomeRefused && accepted > 0:
		m.day.fail("%s: told %q, but the site has accepted it: %s", w.name, text, said.text)
	case said.outcome == adminapi.OutcomeDone && !any && !m.day.plan.foreign && (w.has == nil || !w.has()):
		m.day.fail("%s: told %q, but the site has never accepted it: %s", w.name, text, said.text)
	case said.outcome == adminapi.OutcomeDone && said.ended && !said.broken && w.has != nil && !w.has() && !m.day.plan.foreign:
		m.day.fail("%s: told %q, but the site does not have it: %s", w.name, text, said.text)
	}
}

// once checks that the site has accepted one write for a wish. Another one is right where the
// site had not done what it accepted, or a second administrator has undone it.
func (m *machine) once(w wish) {
	accepted := 0
	for _, p := range m.site.sent(w.is) {
		if p.accepted {
			accepted++
		}
	}
	if accepted > 1+m.day.excused+m.day.plan.breaks && !m.day.plan.foreign {
		m.day.fail("%s: the site has accepted %d writes for one wish", w.name, accepted)
	}
}

// beforePost checks what must be on disk before a write reaches the site.
func (d *Day) beforePost(p *post) {
	if !changes.MatchString(p.path) {
		return
	}
	if d.plan.locked && !p.run.opens.Load() {
		d.fail("POST %s reached a production site before its name was given", p.path)
	}
	d.mu.Lock()
	d.reached[p.path]++
	want := d.reached[p.path]
	d.mu.Unlock()
	recorded := 0
	for _, k := range logOf(d.machine.disk.Durable()) {
		if below(k.Path) == p.path {
			recorded, p.record = recorded+1, k.ID
		}
	}
	if recorded < want {
		d.fail("POST %s reached the site, but %d of %d such requests are in the log on disk", p.path, recorded, want)
	}
}

// beforeEdit checks that no edit of this machine that was accepted goes on when the next is sent: the
// site would refuse that, or do both.
func (d *Day) beforeEdit(p *post) {
	d.backedUp(p)
	if d.plan.denied {
		return // by what the site says no such job is there any more
	}
	s := d.machine.site
	for _, earlier := range s.sent(func(e *post) bool { return e.accepted && e.path == p.path && strings.HasSuffix(p.path, "/edit") }) {
		if job := jobIn.FindString(earlier.answer); job != "" && strings.Contains(s.ask("GET", "/jobs/"+job, nil), `"EXECUTING"`) {
			d.fail("POST %s was sent while job %s of an earlier one goes on", p.path, job)
		}
	}
}

// jobIn finds the id of a job in an answer.
var jobIn = regexp.MustCompile(`j[0-9a-f]{8}-[0-9a-f-]{27}`)

// changes are the paths of writes that change the site.
var changes = regexp.MustCompile(`/(edit|start|stop|upgrade|rollback|importManifest|run)$`)

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
	for _, record := range records { // newest first
		if same(record) {
			return told{outcome: adminapi.OutcomeDone, ended: true, text: "the log has the " + what + ": " + record.Note}, record.Outcome == adminapi.OutcomeDone
		}
	}
	return told{}, false
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
