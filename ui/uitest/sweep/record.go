package sweep

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade/progress"
)

// logged is what the log of the machine says of one write. It is read here on its own, so that a mistake
// of the program's reader is no excuse.
type logged struct {
	ID, Path, Outcome, Verdict string
}

// logOf reads the log of a machine, in the order of the writes. A line that is cut off is left out.
func logOf(files map[string][]byte) (all []*logged) {
	for name, content := range files {
		if path.Base(name) != "actions.jsonl" || ofBranch(name) {
			continue
		}
		for line := range bytes.Lines(content) {
			var e struct {
				Event string
				logged
			}
			if json.Unmarshal(line, &e) != nil {
				continue
			}
			if e.Event == "before" {
				all = append(all, &logged{ID: e.ID, Path: e.Path, Outcome: "unknown"})
				continue
			}
			at := slices.IndexFunc(all, func(k *logged) bool { return k.ID == e.ID })
			switch {
			case at < 0:
			case e.Event == "after", e.Event == "resolved":
				all[at].Outcome = e.Outcome
			case e.Event == "settled":
				all[at].Verdict = e.Verdict
			}
		}
	}
	return all
}

// later is how long after the last attempt another program looks at what was left open.
const later = time.Hour

// closes lets a last program look at what the others have left open, and checks what the log says then
// against what the site has truly accepted, and truly has.
func (m *machine) closes() {
	time.Sleep(later)
	before := settledIn(logOf(m.disk.Files()))
	if r := m.begin(); r.open() == nil {
		_, _ = r.site.ResolveWrites(r.ctx) // what cannot be read stays open
	}
	records := logOf(m.disk.Files())
	if settledIn(records) > before {
		m.day.meet(settledLater)
	}
	for _, k := range records {
		m.compares(k)
		m.comparesEnd(k)
	}
	m.comparesUpgrade(records)
	m.notTheirsInLog(records)
}

// settledLater is met where a program records how a write ended that another one has sent.
const settledLater = "the end of another program's write is recorded"

func settledIn(records []*logged) (n int) {
	for _, k := range records {
		if k.Verdict != "" {
			n++
		}
	}
	return n
}

// compares checks one record against what the site has accepted of that very write.
func (m *machine) compares(k *logged) {
	where := below(k.Path)
	if !changes.MatchString(where) {
		return
	}
	accepted := slices.ContainsFunc(m.site.sent(func(p *post) bool { return p.record == k.ID }), func(p *post) bool { return p.accepted })
	switch {
	case accepted && k.Outcome != "done" && k.Outcome != "unknown":
		m.day.fail("the site has accepted POST %s, and the log says %s", where, k.Outcome)
	case !accepted && k.Outcome == "done" && !m.day.plan.foreign && !m.shows(where):
		m.day.fail("the log says that POST %s is done, and the site has not accepted it", where)
	}
}

// shows reports whether the site may have what a write wanted that it did not accept: it has accepted
// another one there, or it makes edits that it answers with an error.
func (m *machine) shows(where string) bool {
	return m.made() || len(m.site.sent(func(p *post) bool { return p.accepted && p.path == where })) > 0
}

// made reports whether the site makes edits that fail.
func (m *machine) made() bool {
	return slices.ContainsFunc(m.day.plan.scenario.Editing.Edits, func(e simulator.EditPlan) bool { return e.Applied })
}

// comparesEnd checks what the log says of the end of a write against its job, as the site has it.
func (m *machine) comparesEnd(k *logged) {
	for _, p := range m.site.sent(func(p *post) bool { return p.record == k.ID && p.accepted }) {
		var job struct{ Status string }
		if id := jobIn.FindString(p.answer); id == "" || json.Unmarshal([]byte(m.site.ask("GET", "/jobs/"+id, nil)), &job) != nil {
			continue
		}
		keeps := m.day.plan.scenario.Editing.Keeps == "" // else a completed job may have kept nothing
		if k.Verdict == "succeeded" && job.Status == "FAILED" && !m.made() || k.Verdict == "failed" && job.Status == "COMPLETED" && keeps || k.Verdict != "" && job.Status == "EXECUTING" {
			m.day.fail("the log says that POST %s %s, and its job is %s", p.path, k.Verdict, job.Status)
		}
	}
}

// comparesUpgrade checks what the log says of the end of the last upgrade or rollback.
func (m *machine) comparesUpgrade(records []*logged) {
	truth, err := m.site.upgrades()
	for _, k := range slices.Backward(records) {
		if err != nil || m.day.plan.foreign || !upgrades.MatchString(k.Path) || k.Outcome != "done" {
			continue
		}
		if state := progress.StateOf(truth); k.Verdict == "succeeded" && state != progress.StateSucceeded || k.Verdict != "" && k.Verdict != "succeeded" && state == progress.StateSucceeded {
			m.day.fail("the log says that POST %s %s, and the site says %s", below(k.Path), k.Verdict, state)
		}
		return
	}
}

// upgrades are the paths of upgrades and rollbacks.
var upgrades = regexp.MustCompile(`/(upgrade|rollback)$`)
