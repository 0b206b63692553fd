package oracle_test

import (
	"strconv"
	"strings"
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

// writesDays are those of what commands say of several services, of clear refusals, and of checks that fail by what is new.
var writesDays = []struct {
	rule      string
	good, bad func(*day)
}{
	{"an edit of several has a line for each",
		func(d *day) { d.batch("table", 4, `Roads.MapServer: not sent (busy)`) },
		func(d *day) { d.batch("json", 4, `{"items":[]}`, "program-1") }},
	{"an edit of several has a line for each",
		func(d *day) { d.batch("jsonl", 4, `{"service":"Roads.MapServer","outcome":"not sent"}`) },
		func(d *day) { d.batch("jsonl", 4, `{"service":"Rails.MapServer","outcome":"not sent"}`) }},
	{"a line of an edit of several is so",
		func(d *day) { d.batch("table", 0, "Roads.MapServer: done; the old version is 1", "program-1") },
		func(d *day) { d.batch("table", 0, "Roads.MapServer: done") }},
	{"a line of an edit of several is so",
		func(d *day) {
			d.batch("json", 6, `{"items":[{"service":"Roads.MapServer","outcome":"unknown"}]}`, "program-1")
		},
		func(d *day) {
			d.batch("json", 4, `{"items":[{"service":"Roads.MapServer","outcome":"not sent"}]}`, "program-1")
		}},
	{"a line of an edit of several is so",
		func(d *day) { d.batch("jsonl", 4, `{"service":"Roads.MapServer","outcome":"refused","sent":false}`) },
		func(d *day) { d.batch("jsonl", 0, `{"service":"Roads.MapServer","outcome":"unchanged"}`) }},
	{"an edit of several stops at the first that is not done",
		func(d *day) { d.batch("table", 0, "Roads.MapServer: done", "program-1") },
		func(d *day) { d.batch("table", 6, "Roads.MapServer: unknown", "program-1", "program-1") }},
	{"the exit code of an edit of several fits its lines",
		func(d *day) { d.batch("table", 0, "Roads.MapServer: done", "program-1") },
		func(d *day) { d.batch("table", 0, "Roads.MapServer: unknown", "program-1") }},
	{"the exit code of an edit of several fits its lines",
		func(d *day) { d.batch("table", 1, "Roads.MapServer: failed (not kept)", "program-1") },
		func(d *day) {
			d.batch("table", 5, "Roads.MapServer: not sent")
			d.batch("table", 6, "Roads.MapServer: done", "program-1")
		}},
	{"a clear refusal is told",
		func(d *day) { d.refuses("refused") },
		func(d *day) { d.refuses("unknown") }},
	{"who sends over an open write has waited",
		func(d *day) { d.sendsOver(3 * time.Minute) },
		func(d *day) { d.sendsOver(time.Minute) }},
	{"nothing is sent while an earlier one goes on",
		func(d *day) { d.lost("COMPLETED") },
		func(d *day) { d.lost("EXECUTING") }},
	{"an alarm is raised once in a silence",
		func(d *day) {
			d.stalls(time.Hour)
			d.status("in_progress", noon.Add(time.Hour))
			d.now = noon.Add(2 * time.Hour)
			d.stalls(time.Hour)
		},
		func(d *day) { d.stalls(time.Hour); d.stalls(time.Hour) }},
	{"an alarm tells how long a silence has been",
		func(d *day) { d.stalls(time.Hour) },
		func(d *day) { d.stalls(3 * time.Hour) }},
	{"a check fails by what is new, and by nothing else",
		func(d *day) { d.night(0, known) },
		func(d *day) { d.night(1, "1 new failure: a") }},
}

// batch judges what a program has printed of the one service, after some have edited it.
func (d *day) batch(form string, code int, out string, programs ...string) {
	for _, program := range programs {
		d.edits(program, "A-"+program)
	}
	d.Batched(oracle.Batch{Program: "program-1", Form: form, Code: code, Out: out, Services: []string{"Roads.MapServer"}, Files: d.disk,
		Has: map[string]func(string) bool{"Roads.MapServer": func(text string) bool { return strings.Contains(text, ":900") }}})
}

// refuses is an edit that the site has clearly refused.
func (d *day) refuses(outcome string) {
	d.reads("program-1", after)
	d.records("A-1", after)
	w := d.posts("program-1", after)
	w.Worded = &oracle.Worded{Definite: true}
	d.Answered(w, `{"error":{"code":409}}`, false)
	d.told("program-1", outcome)
}

// sendsOver is an edit so long after one of unknown outcome.
func (d *day) sendsOver(passed time.Duration) {
	d.reads("program-1", after)
	d.records("A-1", after)
	d.Answered(d.posts("program-1", after), "", false)
	d.now = d.now.Add(passed)
	d.records("A-2", after)
	d.posts("program-2", after)
}

// lost is an edit after one whose answer was lost, and whose job has a state.
func (d *day) lost(state string) {
	d.reads("program-1", after)
	d.records("A-1", after)
	d.Answered(d.posts("program-1", after), "", false)
	d.site["/jobs"] = `{"jobs":["` + job + `"]}`
	d.site["/jobs/"+job] = `{"status":"` + state + `","operationURI":"/geodeck/admin` + edit + `","starttime":` + strconv.FormatInt(d.now.UnixMilli(), 10) + `}`
	d.now = d.now.Add(time.Hour)
	d.records("A-2", after)
	d.posts("program-2", after)
}

// stalls is an alarm of a watch; the newest message is an hour old.
func (d *day) stalls(told time.Duration) {
	d.status("in_progress", d.now.Add(-time.Hour))
	d.Stalls(oracle.Stalled{Program: "program-1", At: d.now, Silent: told})
}

// night judges a check with a failure that an earlier one had, too.
func (d *day) night(code int, said string) {
	failed := map[string]int{"a": 2}
	d.Judged(oracle.Night{Name: "now", Code: code, Said: said, Reports: []oracle.Report{
		{ID: "2", Name: "now", Began: 1000, Ended: 2000, Tests: failed}, {ID: "1", Name: "before", Began: 10, Ended: 20, Tests: failed}}})
}
