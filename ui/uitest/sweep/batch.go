package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest/sweep/oracle"
)

// batch is the same change in several services, which are asked for at once: each is a wish
// of its own.
type batch []*changing

// playBatch sets a value in several services.
func playBatch(m *machine) {
	raw := fmt.Sprint(900 + m.day.random("value").IntN(900))
	var b batch
	for _, s := range append([]adminapi.ServiceRef{cities}, m.site.services(2)...) {
		b = append(b, setting(m, s, "maxIdleTime", raw))
		m.wish(b[len(b)-1].wish("batch"))
	}
	sent := map[string]bool{}   // as the program before has told
	left := map[string]bool{}   // likewise
	others := map[string]bool{} // the plans of other batches
	edited := false             // by the second administrator
	for n := range attempts {
		results := b.attempt(m, left)
		if results == nil {
			break
		}
		last := m.runs[len(m.runs)-1]
		time.Sleep(pick(m.day.random(fmt.Sprint("pause ", n)), []time.Duration{20 * time.Second, patience, patience}))
		if m.day.random(fmt.Sprint("another batch ", n)).IntN(3) == 0 {
			b.beside(m, others)
		}
		b.interrupted(m, last, results, len(others) == 0 && !edited, sent, left)
		edited = b.others(m, n, left) || edited
	}
}

// beside sends another batch over some of the services, and checks that what an earlier program has left of the first
// one stays what it was.
func (b batch) beside(m *machine, others map[string]bool) {
	r := m.begin()
	defer r.end()
	if r.open() != nil {
		return
	}
	before, err := batching.AllInterrupted(r.site.Memory)
	if err != nil || len(before) == 0 {
		return
	}
	other := strconv.Quote("another" + m.day.act) // of each act: one that sends the same takes an earlier one over
	first := setting(m, b[1].target.Service, "description", other)
	var services []adminapi.ServiceRef
	for _, c := range b[1:] {
		c := setting(m, c.target.Service, "description", other)
		w := c.wish("another batch")
		w.is = func(p *post) bool { return p.run == r && p.path == c.where()+"/edit" }
		m.wish(w)
		services = append(services, c.target.Service)
	}
	content, err := editing.Read(r.ctx, r.site.Client, first.target)
	if err != nil {
		return
	}
	edit := editing.Edit{Target: first.target, Base: content.Document, Why: "another batch"}
	if edit.Edited, err = first.change(edit.Base); err != nil {
		return
	}
	for _, a := range batching.Apply(r.ctx, r.site, batching.PlanMany(r.ctx, r.site, services, edit, nil), false, nil, nil) {
		m.day.log("%s told of another batch, %s: %s, %s", r.name, a.Target, a.Outcome, errorText(a.Err))
	}
	after, err := batching.AllInterrupted(r.site.Memory)
	for _, i := range after {
		others[i.Plan] = others[i.Plan] || !slices.ContainsFunc(before, func(one batching.Interrupted) bool { return one.Plan == i.Plan })
	}
	if err != nil || r.hurt() {
		others[r.name] = true // its plan is not known, and it may have been sent
		return
	}
	m.day.meet("another batch over the same services")
	for _, one := range before {
		killed := len(one.Sent)+len(one.Left) < len(b) // as it sent another batch: it did not say which
		if !others[one.Plan] && !killed && !slices.ContainsFunc(after, func(i batching.Interrupted) bool {
			return i.Plan == one.Plan && slices.Equal(i.Left, one.Left) && slices.Equal(i.Sent, one.Sent)
		}) {
			m.day.fail("another batch over the same services was sent, and of the first one is no longer told: %s", one.Text())
		}
	}
}

// attempt asks a new run of the program once, by a command or not, and returns what it has told of each; nil where all is
// done.
func (b batch) attempt(m *machine, left map[string]bool) []told {
	r := m.begin()
	var results []told
	if m.day.random(r.name+" by command").IntN(2) == 0 {
		results = b.byCommand(r, left)
	} else {
		results = b.try(r)
	}
	dead := r.dead.Load()
	r.end()
	if dead {
		m.day.meet("told: killed")
	}
	done := 0
	for i, c := range b {
		w := c.wish("batch")
		if dead {
			m.day.oracle.Told(oracle.Attempt{Intent: w.intent, Program: r.name, Dead: true})
			continue
		}
		m.day.log("%s told of %s: %s, %s", r.name, c.target, results[i].outcome, results[i].text)
		m.judge(w, r, results[i])
		if results[i].outcome == adminapi.OutcomeDone && results[i].ended {
			done++
		}
	}
	if done == len(b) {
		return nil
	}
	return results
}

// interrupted checks what the next program says of a batch that was not sent whole: what it calls not sent has not
// reached the site from there, nor is it what another program has called sent, and what it calls sent is recorded as that.
// What was told as left is told until it is sent.
func (b batch) interrupted(m *machine, last *run, results []told, same bool, sent, left map[string]bool) {
	r := m.begin()
	defer r.end()
	if r.open() != nil {
		return
	}
	all, err := batching.AllInterrupted(r.site.Memory)
	if err != nil || r.dead.Load() {
		return
	}
	for _, one := range all {
		m.day.log("%s says: %s", r.name, one.Text())
		if len(one.Sent)+len(one.Left) > len(b) {
			m.day.fail("a batch of %d is told as %s", len(b), one.Text())
		}
		m.day.meet("a batch is interrupted")
	}
	leaves := func(c *changing) bool {
		return slices.ContainsFunc(m.records(), func(k *oracle.Record) bool { return below(k.Path) == c.where()+"/edit" && k.Outcome != "not sent" })
	}
	b.waits(m, r, last, results, all)
	if !same { // the texts that are left are no longer those of the services
		return
	}
	for _, c := range b {
		path := c.target.Service.Path()
		if len(all) == 0 && left[path] && !leaves(c) && !c.has(m.truth(c.where())) && !last.hurt() && !r.hurt() {
			m.day.fail("%s was told as not sent, nothing has been sent there since, and no program tells of it any more", path)
		}
		left[path] = len(all) > 0 && slices.Contains(all[0].Left, path)
	}
	if len(all) == 0 {
		clear(sent)
		return
	}
	for _, c := range b { // the newest is that of the program before
		path := c.target.Service.Path()
		reached := m.site.sent(func(p *post) bool { return p.run == last && c.wish("batch").is(p) })
		if left[path] && (len(reached) > 0 || len(all) == 1 && sent[path]) {
			m.day.fail("%s is told as not sent, and a program has sent it: %s", path, all[0].Text())
		}
		is := slices.ContainsFunc(all, func(i batching.Interrupted) bool { return slices.Contains(i.Sent, path) })
		if last.dead.Load() && len(reached) > 0 && !is {
			m.day.fail("%s was sent, and no batch says so: %s", path, all[0].Text())
		}
		if is && !leaves(c) {
			m.day.fail("%s is told as sent, and nothing has left the machine: %s", path, all[0].Text())
		}
		sent[path] = is
	}
}

// waits checks that what a program has stopped before, after it had sent something, is what the next one says is left.
func (b batch) waits(m *machine, r, last *run, results []told, all []batching.Interrupted) {
	if last.hurt() || r.hurt() || len(m.site.sent(last.from)) == 0 {
		return
	}
	for i, c := range b {
		path := c.target.Service.Path()
		if !results[i].rest {
			continue
		}
		m.day.meet("the rest of a batch waits")
		if !slices.ContainsFunc(all, func(one batching.Interrupted) bool { return slices.Contains(one.Left, path) }) {
			m.day.fail("%s was not sent by %s, which had sent to others, and the next program does not say so", path, last.name)
		}
	}
}

// try is one attempt at all services.
func (b batch) try(r *run) []told {
	results := make([]told, len(b))
	all := func(outcome adminapi.Outcome, err error) []told {
		for i := range results {
			results[i] = told{outcome: outcome, text: errorText(err)}
		}
		return results
	}
	all(adminapi.OutcomeNotSent, errors.New("not begun"))
	if err := r.open(); err != nil {
		return all(adminapi.OutcomeNotSent, err)
	}
	edit, err := b.edit(r)
	if err != nil {
		return all(adminapi.OutcomeNotSent, err)
	}
	var services []adminapi.ServiceRef
	for _, c := range b {
		services = append(services, c.target.Service)
	}
	plans := batching.PlanMany(r.ctx, r.site, services, edit, nil)
	for i, p := range plans {
		switch {
		case p.Refused != nil:
			results[i].text = errorText(p.Refused)
		case p.Sent != nil:
			results[i] = told{text: "it was sent before; " + p.GoesOn()}
		case p.Unchanged():
			results[i] = told{outcome: adminapi.OutcomeDone, ended: true, text: "it is there"}
		}
	}
	for _, a := range batching.Apply(r.ctx, r.site, plans, false, nil, nil) {
		for i, c := range b {
			if c.target.Same(a.Target) {
				results[i] = told{outcome: a.Outcome, text: errorText(a.Err), ended: a.Outcome == adminapi.OutcomeDone && a.Err == nil,
					broken: errors.Is(a.Err, operation.ErrJobBroken) || errors.As(a.Err, new(*editing.NotStoredError))}
			}
		}
	}
	return results
}

// edit is the change in the first service, as it is made in all.
func (b batch) edit(r *run) (editing.Edit, error) {
	first := b[0]
	edit := editing.Edit{Target: first.target, Why: "a batch"}
	err := r.retry(func() error {
		content, err := editing.Read(r.ctx, r.site.Client, first.target)
		edit.Base = content.Document
		return err
	})
	if err == nil && first.has(edit.Base) { // from an earlier attempt: the others get it all the same
		edit.Edited = edit.Base
		edit.Base, err = edit.Base.SetValue("maxIdleTime", "899")
		return edit, err
	}
	if err == nil {
		edit.Edited, err = first.change(edit.Base)
	}
	return edit, err
}
