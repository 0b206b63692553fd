package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/sweep/oracle"
)

// The plays in which answers to edits are lost, and nobody looks for the outcome on the same evening.
const (
	openWrites = "open writes" // of several services
	onTop      = "an edit on an open one"
)

// evening is one edit after the other without a look for their outcomes: the day of [openWrites] begins so.
type evening struct {
	m     *machine
	edits []*changing
	sent  map[string]*changing // by the record of the post

	goesAway bool // nobody is at the address of the site as soon as the next program looks
}

// losing are the faults by which a site loses so many answers to edits, of which some were not performed.
func losing(d *Day, answers int) (faults []simulator.Fault) {
	r := d.random("lost answers")
	for n := range answers {
		faults = append(faults, simulator.Fault{
			Path: "admin/services/**", Method: "POST", After: n, Times: 1, What: pick(r, []string{"close", "reset", "silent", "cut", "headers"}), Performed: n == 0 || r.IntN(4) > 0,
		})
	}
	return faults
}

// nights are how long it takes until the next program of a day with open writes.
var nights = []time.Duration{10 * time.Minute, 26 * time.Hour, 50 * time.Hour, 9 * 24 * time.Hour}

// playOpen edits several services in the evening, by one program or by one each, and loses the answers. On the
// next days programs look for the outcomes, and the administrator asks for what is still missing.
func playOpen(m *machine) {
	r := m.day.random("evening")
	e := &evening{m: m, sent: map[string]*changing{}}
	for i, s := range append([]adminapi.ServiceRef{cities}, m.site.services(1+r.IntN(4))...) {
		e.edits = append(e.edits, setting(m, s, "maxIdleTime", fmt.Sprint(900+100*i+r.IntN(99))))
	}
	m.site.atNext("POST "+e.edits[0].where()+"/edit", 1, m.looksMeanwhile)
	e.send(r.IntN(2) == 0)
	if r.IntN(3) == 0 {
		e.otherSpellings()
	}
	for n := range 2 {
		if wait := pick(r, nights); m.day.plan.sync == nil || n > 0 {
			time.Sleep(wait)
		}
		e.goesAway = n == 0 && r.IntN(3) == 0
		e.looks()
		e.lists()
	}
	for _, c := range e.edits {
		c.typed = false
		w := c.wish("open edit")
		if m.day.Face == commands {
			w = c.byCommand("open edit")
		}
		m.insist(w)
	}
	e.looks()
}

// send sends each edit once, all by one program or each by its own, and looks for nothing.
func (e *evening) send(together bool) {
	var r *run
	for _, c := range e.edits {
		if r == nil || !together {
			if r != nil {
				r.end()
			}
			r = e.m.begin()
			if r.open() != nil {
				continue
			}
		}
		e.once(r, c, false)
		time.Sleep(20 * time.Second)
	}
	r.end()
}

// looksMeanwhile checks that another program does not call a write left behind whose answer is awaited.
func (m *machine) looksMeanwhile(one *run) {
	two := m.begin()
	defer two.end()
	j, err := two.journal()
	if err != nil {
		return
	}
	defer j.Close()
	open, err := (operation.Memory{Journal: j}).OpenWrites() // newest first
	if records := m.records(); err == nil && len(open) > 0 && open[0].ID == records[len(records)-1].ID && !one.hurt() && !two.hurt() {
		m.day.fail("%s awaits the answer to its write %s, and %s calls that left behind", one.name, open[0].ID, two.name)
	}
}

// once sends one edit without a look for its outcome, and checks what that tells. typed says that another
// may be sent over an open one.
func (e *evening) once(r *run, c *changing, typed bool) {
	if r.site.Client == nil || r.dead.Load() {
		return
	}
	w := *e.m.wish(c.wish("evening edit"))
	e.m.wants = &w
	before := len(e.m.site.sent(w.is))
	content, err := editing.Read(r.ctx, r.site.Client, c.target)
	if err != nil || c.has(content.Document) {
		return
	}
	edit := editing.Edit{Target: c.target, Base: content.Document, Why: "an edit of the evening", Sync: e.m.day.plan.sync}
	if edit.Edited, err = c.change(edit.Base); err != nil {
		return
	}
	ctx := r.ctx
	why := r.site.CheckSend(ctx, adminapi.TargetService(c.target.Service))
	if open, is := errors.AsType[*operation.UnresolvedError](why); typed && is && allows(open) {
		ctx = operation.WithOverride(ctx, c.target.Service.Path())
	}
	_, result := r.site.ApplyEdit(ctx, edit, nil)
	for _, p := range e.m.site.sent(w.is)[before:] {
		e.sent[p.write.Record] = c
	}
	if r.dead.Load() {
		e.m.day.meet("told: killed")
		e.m.day.oracle.Told(oracle.Attempt{Intent: w.intent, Program: r.name, Dead: true})
		return
	}
	e.m.day.log("%s told of %s: %s, %s", r.name, c.target, result.Outcome, errorText(result.Err))
	e.m.judge(w, r, told{outcome: result.Outcome, text: errorText(result.Err)})
}

// looks lets the next program look at what is open, and checks that it looks at every such write, whatever its
// age and however many there are, and leaves none open that the site shows.
func (e *evening) looks() {
	day := e.m.day
	r := e.m.begin()
	defer r.end()
	if r.open() != nil {
		return
	}
	open := e.m.open()
	if len(open) > 1 {
		day.meet("two writes are open")
	}
	listed, err := r.site.Memory.OpenWrites()
	if err != nil || r.dead.Load() {
		return
	}
	for _, id := range open {
		if !slices.ContainsFunc(listed, func(l written) bool { return l.ID == id }) {
			day.fail("%s: write %s is open in the log, and not in the list of open ones", r.name, id)
		}
	}
	if e.goesAway {
		r.goesAway()
	}
	found, err := r.site.ResolveWrites(r.ctx)
	if err != nil {
		day.meet("an outcome is looked for during an outage")
		return
	}
	if r.dead.Load() || len(r.disk.Hits()) > 0 {
		return
	}
	after := e.m.open()
	for _, id := range open {
		at := slices.IndexFunc(found, func(f operation.EarlierWrite) bool { return f.Record.ID == id })
		if at < 0 {
			day.fail("%s: write %s is open, and nothing is told of it", r.name, id)
			continue
		}
		day.meet("an open write is looked at: " + found[at].Outcome.String())
		if strings.Contains(found[at].How, "cannot be read") {
			day.meet("an outcome is looked for during an outage")
		}
		day.log("%s says of %s: %s, %s", r.name, found[at].Record.Subject, found[at].Outcome, found[at].How)
		if stays := slices.Contains(after, id); stays != (found[at].Outcome == adminapi.OutcomeUnknown) {
			day.fail("%s: write %s is told as %s, and the log says open: %v", r.name, id, found[at].Outcome, stays)
		}
		e.judges(found[at])
	}
}

// judges checks what is told of an open write against the site.
func (e *evening) judges(f operation.EarlierWrite) {
	c, day := e.sent[f.Record.ID], e.m.day
	accepted := len(e.m.site.sent(func(p *post) bool { return p.write.Record == f.Record.ID && p.accepted })) > 0
	if day.plan.foreign || day.plan.breaks > 0 {
		return
	}
	reached := len(e.m.site.sent(func(p *post) bool { return p.write.Record == f.Record.ID })) > 0
	switch {
	case f.Outcome == adminapi.OutcomeRefused && !reached && !day.plan.answersWithErrors():
		day.fail("nobody has refused the edit of %s, and a later program calls it refused: %s", f.Record.Subject, f.How)
	case accepted && (f.Outcome == adminapi.OutcomeRefused || f.Outcome == adminapi.OutcomeNotSent):
		day.fail("the site has accepted the edit of %s, and a later program calls it %s: %s", f.Record.Subject, f.Outcome, f.How)
	case f.Outcome == adminapi.OutcomeDone && !accepted && c != nil && !c.has(e.m.truth(c.where())):
		day.fail("a later program calls the edit of %s done, and the site does not have it: %s", f.Record.Subject, f.How)
	case accepted && f.Outcome == adminapi.OutcomeUnknown && c != nil && c.has(e.m.truth(c.where())) && !strings.Contains(f.How, "cannot be read") && !strings.Contains(f.How, "no longer has what was sent"):
		day.fail("the site has the edit of %s, and a later program does not find that: %s", f.Record.Subject, f.How)
	}
}

// answersWithErrors reports whether something in front of the site may answer with an error.
func (p *plan) answersWithErrors() bool {
	return slices.ContainsFunc(p.scenario.Faults, func(f simulator.Fault) bool {
		return !slices.Contains([]string{"close", "reset", "silent", "cut", "within", "headers", "slow", "delay", "again"}, f.What)
	})
}

// open are the ids of the writes that change the site whose outcome the log leaves open, and over which nobody has
// allowed another.
func (m *machine) open() (ids []string) {
	for _, k := range m.records() {
		if k.Outcome == "unknown" && !k.Overridden && (&oracle.Write{Path: k.Path}).Changes() && !strings.HasSuffix(k.Path, "/delete") { // which may be asked for again
			ids = append(ids, k.ID)
		}
	}
	return ids
}

// lists checks what the command log says of each write against the log on disk.
func (e *evening) lists() {
	text, ok := e.m.read("log", "--limit", "0", "-o", "json")
	var list struct {
		Items []struct{ ID, Outcome string }
	}
	if !ok || json.Unmarshal([]byte(text), &list) != nil {
		return
	}
	e.m.day.meet("the log is listed by a command")
	for _, k := range e.m.records() {
		at := slices.IndexFunc(list.Items, func(i struct{ ID, Outcome string }) bool { return i.ID == k.ID })
		switch {
		case at < 0:
			e.m.day.fail("geodeck log does not list write %s", k.ID)
		case (list.Items[at].Outcome == "unknown") != (k.Outcome == "unknown"):
			e.m.day.fail("geodeck log says %s of write %s, and the log on disk %s", list.Items[at].Outcome, k.ID, k.Outcome)
		}
	}
}

// servicePaths are other ways to write the path of a service.
var servicePaths = []func(string) string{
	strings.ToLower, strings.ToUpper,
	func(p string) string { return "/" + p },
	func(p string) string { return strings.Replace(p, ".MapServer", ".mapserver", 1) },
}

// otherSpellings asks for an edit again under other spellings of its service, and checks that no second post
// reaches the site while an earlier one is open.
func (e *evening) otherSpellings() {
	r := e.m.day.random("spelling")
	for _, c := range e.edits {
		spelled := pick(r, servicePaths)(c.target.Service.Path())
		open := slices.ContainsFunc(e.m.records(), func(k *oracle.Record) bool {
			return k.Outcome == "unknown" && !k.Overridden && below(k.Path) == c.where()+"/edit"
		})
		posts := func() int {
			return len(e.m.site.sent(func(p *post) bool { return strings.EqualFold(p.path, c.where()+"/edit") }))
		}
		before, program := posts(), e.m.begin()
		p := program.change("", "service", "edit", spelled, "--set", "maxIdleTime="+c.raw)
		program.end()
		time.Sleep(time.Minute)
		if open {
			e.m.day.meet("another spelling of a service with an open write")
		}
		still := slices.ContainsFunc(e.m.records(), func(k *oracle.Record) bool {
			return k.Outcome == "unknown" && !k.Overridden && below(k.Path) == c.where()+"/edit"
		})
		if open && still && posts() > before && p.code != codeUnknown {
			e.m.day.fail("%s was edited as %s while an earlier write to it is open", c.target, spelled)
		}
	}
}

// playOnTop sends an edit over one that never arrived, by another program: each with its answer lost. The next
// programs compare the right one.
func playOnTop(m *machine) {
	r := m.day.random("on top")
	value := 900 + r.IntN(700)
	e := &evening{m: m, sent: map[string]*changing{}}
	first, second := setting(m, cities, "maxIdleTime", fmt.Sprint(value)), setting(m, cities, "maxIdleTime", fmt.Sprint(value+1))
	if r.IntN(2) == 0 { // what the first has sent stays beside what the second sends
		m.day.meet("an older sent edit is left")
		m.day.plan.disk = append(m.day.plan.disk, diskFault{run: 2, fault: memdisk.Fault{Op: memdisk.OpRemove, For: -1, Kind: memdisk.Denied}})
	}
	for i, c := range []*changing{first, second} {
		one := m.begin()
		if one.open() == nil {
			e.once(one, c, i == 1)
		}
		one.end()
		time.Sleep(20 * time.Minute)
		if r.IntN(2) == 0 {
			m.spoilsBackups()
		}
	}
	if len(m.open()) > 0 && len(e.sent) > 0 {
		m.day.meet("an edit over one that never arrived is open")
	}
	time.Sleep(pick(r, nights))
	e.looks()
	e.lists()
	w := second.wish("second edit")
	if m.day.Face == commands {
		w = second.byCommand("second edit")
	}
	m.insist(w)
	e.looks()
}

// spoilsBackups lets the disk lose the second half of each backup.
func (m *machine) spoilsBackups() {
	for path, content := range m.disk.Files() {
		if strings.Contains(path, "/backups/") && strings.HasSuffix(path, ".json") {
			m.spoils(path, content, content[:len(content)/2])
		}
	}
}
