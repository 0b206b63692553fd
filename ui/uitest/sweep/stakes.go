package sweep

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/adminapi/simulator"
)

// editsAtStake are the troubles by which the promises of a play of edits are at stake: its days go through them.
func editsAtStake(play, face string) []Trouble {
	if play == checkout {
		return checkoutsAtStake()
	}
	if face == dashboard || !slices.Contains([]string{"edit", "restore", "batch", openWrites, onTop, versions, beside}, play) {
		return nil
	}
	lost := func(p *plan, what string, performed bool) {
		p.scenario.Faults = append(p.scenario.Faults, simulator.Fault{Path: "admin/services/**", Method: "POST", Times: 1, What: what, Status: 500, Performed: performed})
	}
	lasts := func(p *plan, edit simulator.EditPlan, takes time.Duration) {
		edit.Times, edit.Takes.Duration = 1, takes
		p.scenario.Editing.Edits = []simulator.EditPlan{edit}
	}
	goneOn := []Trouble{
		oddity{"it answers an edit with an error, and makes it in a job with an escaped path", func(p *plan) {
			lost(p, "status", true)
			lasts(p, simulator.EditPlan{}, 3*time.Minute)
			p.escapes = true
		}},
		oddity{"the first edit fails, and its job is removed", func(p *plan) {
			lasts(p, simulator.EditPlan{Ends: "FAILED"}, 20*time.Second)
			p.scenario.Faults = append(p.scenario.Faults, simulator.Fault{Path: "admin/jobs/*", Method: "GET", What: "status", Status: 404})
			p.breaks++
			p.removed = true
		}},
		oddity{"it loses an answer, and keeps the edit in part", func(p *plan) {
			lost(p, "close", true)
			lasts(p, simulator.EditPlan{}, time.Minute)
			p.scenario.Editing.Keeps = "rounded"
			p.breaks++
		}},
		oddity{"somebody else's edit goes on, and ours is lost", func(p *plan) {
			lost(p, "close", false)
			lasts(p, simulator.EditPlan{}, 40*time.Minute)
			p.foreign, p.busy = true, true
		}},
	}
	goneOn = append(goneOn, torn(1), torn(2))
	if play == "edit" { // each look at so many takes long
		goneOn = append(goneOn, oddity{"an edit goes on that is the sixtieth of its jobs", func(p *plan) {
			lost(p, "close", true)
			lasts(p, simulator.EditPlan{}, 8*time.Minute)
			p.jobs = 59
		}})
	}
	away := diskFault{run: 1, away: true, fault: memdisk.Fault{Op: memdisk.OpSync, Path: journal.LogName, Nth: 1}}
	switch play {
	case "batch":
		later := away
		later.fault.Nth = 4 // that of the second edit: the first has its outcome and its end before
		return []Trouble{away, later, torn(1), torn(2), oddity{"the first answer is lost", func(p *plan) { lost(p, "close", false) }},
			oddity{"the clock is set back within a batch, and the program is killed", func(p *plan) {
				kill := happening{name: "killed", do: func(_ *machine, r *run) { r.kill() }}
				interruption{request: "POST /services/" + cities.Path() + "/edit", nth: 1, after: true, what: setBack}.strike(p)
				interruption{request: "POST /services/Utilities/Geometry.GeometryServer/edit", nth: 1, after: true, what: kill}.strike(p)
			}}}
	case openWrites:
		return []Trouble{oddity{"it answers at the end of an edit, after an error", func(p *plan) {
			p.scenario.Faults, p.sync = nil, new(true)
			lasts(p, simulator.EditPlan{}, 20*time.Minute)
		}}}
	}
	return append(goneOn, away)
}

// checkoutsAtStake are what keeps a folder from what the site has: a program ends between two files of a pull, or between an
// edit and the note of it, and editors save while a command runs.
func checkoutsAtStake() (all []Trouble) {
	kill := happening{name: "killed", do: func(_ *machine, r *run) { r.kill() }}
	power := happening{name: "power cut", do: func(m *machine, _ *run) { m.cutPower() }}
	where := "/services/" + cities.Path()
	for nth := range 3 {
		all = append(all,
			interruption{request: "GET " + where, nth: 1 + nth, what: kill},
			interruption{request: "GET " + where + "/placementPolicy", nth: 1 + nth, what: editorSaves},
			interruption{request: "GET /services/Utilities/Geometry.GeometryServer", nth: 2 + nth, what: editorSaves},
		)
	}
	for nth := range 2 {
		edit := "POST " + where + "/edit"
		all = append(all, interruption{request: edit, nth: 1 + nth, after: true, what: kill}, interruption{request: edit, nth: 1 + nth, after: true, what: power},
			interruption{request: edit, nth: 1 + nth, after: true, what: editorSaves}, interruption{request: "GET " + where + "/status", nth: 2 + nth, what: kill})
	}
	return append(all, oddity{"it keeps the first edit of a file in part", func(p *plan) {
		p.scenario.Editing.Edits, p.scenario.Editing.Keeps = []simulator.EditPlan{{Times: 1}}, "rounded"
		p.breaks++
	}})
}

// editorSaves lets an editor save a file of a checkout while a command on it runs.
var editorSaves = happening{name: "an editor saves", do: func(m *machine, r *run) { m.checking.savesMeanwhile(r) }}

// torn is a line that breaks as the n-th change leaves the machine, all of which arrives.
func torn(n int) oddity {
	return oddity{fmt.Sprintf("the line breaks as change %d leaves, which arrives", n), func(p *plan) { p.torn = n }}
}

// goesAway lets nobody be at the address of the site for a while, and ends the connections of a program.
func (r *run) goesAway() {
	r.machine.day.leaves(time.Minute)
	r.disconnect()
	time.Sleep(time.Millisecond) // until the client has noticed
}

// amongJobs is a site that lists so many jobs of others before its own, all of which have completed.
func amongJobs(n int, direct http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		where := below(r.URL.Path)
		if id, one := strings.CutPrefix(where, othersJob); one {
			_, _ = fmt.Fprintf(w, `{"jobid":%q,"status":"COMPLETED","username":"else","operationURI":"/geodeck/admin/services/Utilities/Geometry.GeometryServer/edit","starttime":1,"endtime":2}`,
				path.Base(othersJob)+id)
			return
		}
		answered := httptest.NewRecorder()
		direct.ServeHTTP(answered, r)
		if where == "/jobs" {
			var others strings.Builder
			for i := range n {
				_, _ = fmt.Fprintf(&others, `"%s-0000-4000-8000-%012d",`, path.Base(othersJob), i)
			}
			answered.Body = bytes.NewBuffer(bytes.Replace(answered.Body.Bytes(), []byte(`"jobs":[`), []byte(`"jobs":[`+others.String()), 1))
		}
		hand(w, answered)
	})
}

// othersJob is where the jobs of others are.
const othersJob = "/jobs/j00000000"
