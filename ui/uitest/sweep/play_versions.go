package sweep

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/simulator"
)

// versions is the wish for several edits of one service, and then for each of the kept versions again.
const versions = "versions"

// playVersions edits a service several times, restores what it had before in another order, and checks that each
// version stays byte for byte.
func playVersions(m *machine) {
	r := m.day.random("versions")
	first := setting(m, cities, "maxIdleTime", "1")
	var kept []*document.Document
	for n := range 2 + r.IntN(2) {
		base := m.truth(first.where())
		c := setting(m, cities, "maxIdleTime", fmt.Sprint(1000+100*n+r.IntN(99)))
		name := fmt.Sprintf("edit %d of several", n+1)
		w := c.wish(name)
		if m.day.Face == commands {
			w = c.byCommand(name)
		}
		said := m.insist(w)
		if said.outcome != adminapi.OutcomeDone || !said.ended || said.broken {
			return
		}
		kept = append(kept, base)
		time.Sleep(pick(r, nights))
	}
	m.history(first.target, kept)
	for _, i := range r.Perm(len(kept)) {
		old, found := kept[i].Find("maxIdleTime")
		if !found {
			continue
		}
		back := setting(m, cities, "maxIdleTime", old.Raw())
		if back.has(m.truth(back.where())) {
			continue
		}
		name := fmt.Sprintf("restore %d of several", i+1)
		w := back.wish(name)
		if m.day.Face == commands {
			w = back.restoreByCommand(name)
		} else {
			w.try = func(r *run) told { return back.restores(r) }
		}
		if said := m.insist(w); said.outcome == adminapi.OutcomeDone && said.ended {
			m.day.meet("one of several versions is restored")
		}
	}
}

// restores sends the kept version that has what is wanted, as History does.
func (c *changing) restores(r *run) told {
	if err := r.open(); err != nil {
		return notSent(errorText(err))
	}
	list, err := r.site.Memory.History(c.target)
	if err != nil {
		return notSent("the history cannot be read: " + errorText(err))
	}
	for _, b := range list {
		old, err := r.site.Memory.ReadBackup(c.target, b.ID)
		if err != nil || !c.has(old) {
			continue
		}
		var now editing.Content
		if err = r.retry(func() (err error) {
			now, err = editing.Read(r.ctx, r.site.Client, c.target)
			return err
		}); err != nil {
			return notSent(errorText(err))
		}
		if c.has(now.Document) {
			return told{outcome: adminapi.OutcomeDone, ended: true, text: "it is there"}
		}
		said, drift := c.apply(r, editing.Edit{Target: c.target, Base: now.Document, Edited: old, Why: "a restore"})
		if drift != nil {
			return notSent("it was changed meanwhile")
		}
		return said
	}
	return notSent("no version has it")
}

// history checks that a program reads each version that was replaced, byte for byte.
func (m *machine) history(t editing.Target, kept []*document.Document) {
	r := m.begin()
	defer r.end()
	if m.day.plan.foreign || r.open() != nil {
		return
	}
	list, err := r.site.Memory.History(t)
	if err != nil || r.dead.Load() {
		return
	}
	for _, base := range kept {
		found := false
		for _, b := range list {
			old, err := r.site.Memory.ReadBackup(t, b.ID)
			found = found || err == nil && bytes.Equal(old.Bytes(), base.Bytes())
		}
		if !found && m.lost[base.Text()].IsZero() && len(r.disk.Hits()) == 0 && !r.dead.Load() {
			m.day.fail("%s: a version of %s that was replaced is not in its history", r.name, t)
		}
	}
	m.day.meet("each of several versions is in the history")
}

// tornBackups are faults of the disk exactly when a backup (written as .2* first) or a draft is written, and the power right after the
// post.
func tornBackups() (all []Trouble) {
	for _, f := range []memdisk.Fault{
		{Op: memdisk.OpWrite, Path: ".2*", Nth: 1, For: 1, Kind: memdisk.Torn}, {Op: memdisk.OpSync, Path: ".2*", Nth: 1, For: 1, Kind: memdisk.FailedSync},
		{Op: memdisk.OpSync, Path: ".2*", Nth: 1, For: 1, Kind: memdisk.KillAfter}, {Op: memdisk.OpWrite, Path: ".*", Nth: 2, For: 2, Kind: memdisk.Torn},
		{Op: memdisk.OpWrite, Path: "index.jsonl", Nth: 1, For: 1, Kind: memdisk.Torn}, {Op: memdisk.OpSync, Path: "index.jsonl", Nth: 1, For: 1, Kind: memdisk.FailedSync},
		{Op: memdisk.OpSync, Path: "index.jsonl", Nth: 1, For: 1, Kind: memdisk.KillBefore}, {Op: memdisk.OpWrite, Path: "index.jsonl", Nth: 1, For: 1, Kind: memdisk.KillAfter},
	} {
		for run := range 3 {
			all = append(all, diskFault{run: run + 1, fault: f})
		}
	}
	for nth := range 4 {
		all = append(all, diskFault{run: 1 + nth%2, fault: memdisk.Fault{Op: memdisk.OpLock, Nth: 1 + nth, For: 2, Kind: memdisk.Held}})
	}
	cut := happening{name: "power cut", do: func(m *machine, _ *run) { m.cutPower() }}
	for nth := range 3 {
		all = append(all, interruption{request: "POST /services/" + cities.Path() + "/edit", nth: nth + 1, after: true, what: cut})
	}
	return all
}

// hiddenParts are sites that show their jobs and not their definitions, or the reverse, for a while.
func hiddenParts() (all []Trouble) {
	for _, hidden := range []string{"admin/jobs", "admin/jobs/**", "admin/services/" + cities.Path()} {
		for _, fault := range []simulator.Fault{{What: "status", Status: 404}, {What: "status", Status: 500}, {What: "empty"}, {What: "html", Status: 200}, {What: "half"}} {
			if hidden == "admin/jobs/**" && fault.Status == 404 {
				continue // by that the site says that there is no such job any more
			}
			for _, after := range []int{0, 2} {
				fault.Path, fault.Method, fault.After, fault.Times = hidden, "GET", after, 12
				all = append(all, oddity{"it does not show " + hidden + ": " + fault.What, func(p *plan) { p.scenario.Faults = append(p.scenario.Faults, fault) }})
			}
		}
	}
	return all
}

// drafts is the wish to go on with edits that programs have left unsent.
const drafts = "drafts"

// playDrafts leaves drafts by several programs, of which some are no JSON, and checks that the next finds each as
// it was, and none that was sent.
func playDrafts(m *machine) {
	r := m.day.random("drafts")
	c := setting(m, cities, "maxIdleTime", fmt.Sprint(900+r.IntN(900)))
	base := m.truth(c.where())
	edited, err := c.change(base)
	if err != nil {
		m.day.fail("the draft cannot be made: %v", err)
		return
	}
	texts := []operation.EditDraft{
		{Edited: edited.Text()}, {Edited: base.Text()[:len(base.Text())/2]}, {Edited: "{\"maxIdleTime\": \xff"}, {Edited: edited.Text() + " "},
		{Edited: edited.Text(), Typed: &operation.TypedText{Path: "maxUsageTime", Text: "12"}},
	}
	left := map[*run]operation.EditDraft{} // what was told as saved
	saves := func(one *run, draft operation.EditDraft) *journal.Draft {
		draft.Base = base.Text()
		holder, err := one.site.Memory.SaveEditDraft(c.target, draft)
		if err == nil && holder == nil && !one.dead.Load() {
			left[one] = draft
		}
		return holder
	}
	for _, i := range r.Perm(len(texts)) {
		one := m.begin()
		if one.open() == nil {
			saves(one, texts[i])
			m.day.meet("a draft is left")
			if two := m.begin(); r.IntN(3) > 0 && two.open() == nil { // both are open
				m.besideOther(c.target, one, two, r.IntN(2) == 0)
				if saves(two, texts[(i+1)%len(texts)]) != nil {
					m.day.meet("two programs have one edit open")
				}
				two.end()
			}
			if r.IntN(3) == 0 {
				one.kill()
			}
		}
		one.end()
		time.Sleep(pick(r, nights))
		m.findsDrafts(c.target, left)
	}
	m.sendsDraft(c)
	maps.DeleteFunc(left, func(_ *run, draft operation.EditDraft) bool {
		return draft.Edited == edited.Text() && draft.Typed == nil
	})
	m.findsDrafts(c.target, left)
}

// besideOther lets a program open an editor beside that of another, and checks that the other's text is still there.
// It may take the edit over, too.
func (m *machine) besideOther(t editing.Target, one, two *run, takes bool) {
	draft := operation.EditDraft{Base: "{}", Edited: "{}"}
	text, err := one.site.Memory.OpenEditor(t, draft, document.Whole)
	if _, failed := two.site.Memory.OpenEditor(t, draft, document.Whole); err == nil && failed == nil && !one.hurt() {
		m.day.meet("two programs have editors open")
		if _, there := m.disk.Files()[text.Path()]; !there {
			m.day.fail("%s has opened an editor, and the text in that of %s is gone", two.name, one.name)
		}
	}
	if holder, err := two.site.Memory.EditDraftHolder(t); takes && err == nil && holder != nil {
		if _, err = two.site.Memory.TakeOverEdit(*holder); err == nil {
			m.day.meet("a draft of a program that runs is taken over")
		}
	}
}

// findsDrafts checks that the next program finds each draft as it was.
func (m *machine) findsDrafts(t editing.Target, left map[*run]operation.EditDraft) {
	r := m.begin()
	defer r.end()
	if r.open() != nil {
		return
	}
	saved, err := r.site.Memory.SavedEdits(t)
	if err != nil || r.dead.Load() || len(r.disk.Hits()) > 0 {
		return
	}
	for one, draft := range left {
		if !slices.ContainsFunc(saved, func(s operation.SavedEdit) bool {
			return s.Err == nil && s.Program.PID == one.pid() && reflect.DeepEqual(s.Edit, draft)
		}) {
			m.day.fail("%s: the draft of %s is not found as it was saved", r.name, one.name)
		}
	}
	for _, s := range saved {
		if s.Err == nil && !s.Mine && s.Liveness == journal.Ended {
			m.day.meet("the draft of an earlier program is found")
		}
	}
}

// sendsDraft sends the draft that is a whole edit, and checks that the next program does not call it unsent.
func (m *machine) sendsDraft(c *changing) {
	w := c.wish("draft")
	if m.day.Face == commands {
		w = c.byCommand("draft")
	}
	said := m.insist(w)
	if said.outcome != adminapi.OutcomeDone || !said.ended || said.broken || m.day.plan.foreign {
		return
	}
	edited := m.truth(c.where())
	r := m.begin()
	defer r.end()
	if r.open() != nil {
		return
	}
	if _, err := r.site.ResolveWrites(r.ctx); err != nil {
		return
	}
	saved, err := r.site.Memory.SavedEdits(c.target)
	if err != nil || r.dead.Load() {
		return
	}
	for _, s := range saved {
		now, broken := document.Parse([]byte(s.Edit.Edited))
		if s.Err != nil || broken != nil || s.Edit.Edited != edited.Text() || len(document.Diff(now, edited)) > 0 {
			continue
		}
		if _, sent := r.site.Memory.SentDraft(c.target, s); !sent && len(m.runs) > 0 {
			m.day.log("a draft that the site has is still offered: %s", s.Program.Who())
			m.day.meet("a draft that the site has is still offered")
		}
	}
	m.day.meet("a draft was sent")
}
