package simulator

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi/lists"
)

// add adds a run in order of its end.
func (a *health) add(r *healthRun) {
	i, _ := slices.BinarySearchFunc(a.ended, r.end, func(other *healthRun, end time.Time) int { return end.Compare(other.end) })
	a.ended = slices.Insert(a.ended, i, r)
}

func (a *health) run(id string) (*healthRun, error) {
	return orNotFound(find(a.ended, func(r *healthRun) bool { return r.id == id }), "report", "report "+id)
}

// namedRun finds the run whose report the path names.
func (a *health) namedRun(q *request) (*healthRun, error) { return a.run(q.vars["id"]) }

// namedRuns finds the runs whose reports runIds names.
func (a *health) namedRuns(q *request) ([]*healthRun, error) {
	runs := allOf(q, "runIds", a.run)
	if len(runs) == 0 {
		q.refuse(missing("parameter runIds names no report"))
	}
	return runs, q.err
}

// runResults are the allowed values of the parameter runResult.
var runResults = []string{"passed", "failed", "warning", "unknown"}

func (a *health) queryReports(q *request) any {
	wanted := q.list("runResult")
	for _, word := range wanted {
		if !slices.Contains(runResults, word) {
			q.refuse(notAllowed("runResult is " + strconv.Quote(word) + "; allowed: " + strings.Join(runResults, ", ")))
		}
	}
	return page(q, "runs", lists.Each(only(a.ended, func(r *healthRun) bool {
		return len(wanted) == 0 || slices.Contains(wanted, r.result)
	}), (*healthRun).summary))
}

// summary is the run as a list of reports shows it.
func (r *healthRun) summary() object {
	return object{"owner": r.owner, "result": r.result, "createdBy": r.createdBy, "name": r.name,
		"startTime": millis(r.start), "id": r.id, "endTime": millis(r.end), "state": stateDone}
}

// reportsPage has no JSON form, as in the real platform: query is for programs.
func (a *health) reportsPage(*request) any {
	return lists.Each(a.ended, (*healthRun).summary)
}

func (a *health) showReport(_ *request, r *healthRun) any {
	return r.report(r.end)
}

func (a *health) deleteReports(_ *request, runs []*healthRun) any {
	a.ended = slices.DeleteFunc(a.ended, func(r *healthRun) bool { return slices.Contains(runs, r) })
	return object{"success": true}
}

// deleteReport answers without a body, as documented.
func (a *health) deleteReport(q *request, r *healthRun) any {
	_ = a.deleteReports(q, []*healthRun{r})
	return nil
}

func (a *health) renameReport(q *request, r *healthRun) any {
	name := q.required("name")
	if q.err == nil {
		r.name = name
	}
	return object{"success": true}
}

// healthRun is a health check, past or under way. It holds what its report is made
// of, not the report: one of 100,000 tests would fill the memory.
type healthRun struct {
	id, name, owner, createdBy string
	start, end                 time.Time
	suites                     []*suite
	found                      map[string]finding
	pace                       uint64             // seed of its durations
	slower                     map[string]float64 // factors by test name, for what gets slower over weeks
	result                     string
}

type reportBody struct {
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	Owner     string        `json:"owner"`
	CreatedBy string        `json:"createdBy"`
	Result    string        `json:"result"`
	State     string        `json:"state"`
	StartTime int64         `json:"startTime"`
	EndTime   int64         `json:"endTime"`
	Suites    []suiteResult `json:"suiteStatus"`
}

type suiteResult struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Result      string       `json:"result"`
	State       string       `json:"state"`
	StartTime   int64        `json:"startTime"`
	EndTime     int64        `json:"endTime"`
	Critical    []testResult `json:"criticalTestStatus"`
	General     []testResult `json:"generalTestStatus"`
}

type testResult struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Severity    string `json:"severity"`
	Result      string `json:"result"`
	State       string `json:"state"`
	StartTime   int64  `json:"startTime"`
	EndTime     int64  `json:"endTime"`
	Message     string `json:"message,omitempty"`
}

const (
	stateDone    = "completed"
	stateRunning = "in_progress"
)

// setEnd computes when the run ends and how, with the same draws as the report but
// without writing it.
func (r *healthRun) setEnd() {
	draw, worst := r.draw(), 0
	r.end = r.start
	for _, s := range r.suites {
		for _, t := range s.Tests {
			found, took := r.runTest(t, draw)
			r.end, worst = r.end.Add(took), max(worst, weights[found.result])
		}
	}
	r.result = reportWords[worst]
}

func (r *healthRun) draw() *rand.Rand { return rand.New(rand.NewPCG(r.pace, 1)) }

// weights and reportWords turn the results of tests into one for all of them.
var (
	weights     = map[string]int{testPass: 0, testWarning: 1, testFail: 2}
	reportWords = [...]string{"passed", "warning", "failed"}
)

// report writes the report at a time up to the end. It leaves out what has not begun by then, and
// gives no result to what has not ended.
func (r *healthRun) report(at time.Time) reportBody {
	b := reportBody{ID: r.id, Name: r.name, Owner: r.owner, CreatedBy: r.createdBy,
		State: stateDone, StartTime: millis(r.start), Suites: []suiteResult{}}
	draw, clock, worst := r.draw(), r.start, 0
	for _, s := range r.suites {
		result, end, w := r.runSuite(s, clock, at, draw)
		clock, worst = end, max(worst, w)
		b.Suites = append(b.Suites, result)
		if result.State == stateRunning {
			b.State = stateRunning
			return b
		}
	}
	b.EndTime, b.Result = millis(clock), reportWords[worst]
	return b
}

func (r *healthRun) runSuite(s *suite, start, at time.Time, draw *rand.Rand) (result suiteResult, end time.Time, worst int) {
	result = suiteResult{ID: s.ID, Name: s.Name, Description: s.Description, State: stateRunning,
		StartTime: millis(start), Critical: []testResult{}, General: []testResult{}}
	end = start
	for _, t := range s.Tests {
		if end.After(at) {
			break
		}
		begin := end
		found, took := r.runTest(t, draw)
		end, worst = begin.Add(took), max(worst, weights[found.result])
		entry := testResult{ID: t.id, Name: t.Name, Description: t.Description, Severity: t.Severity,
			State: stateRunning, StartTime: millis(begin)}
		if !end.After(at) {
			entry.Result, entry.State, entry.EndTime, entry.Message = found.result, stateDone, millis(end), found.message
		}
		group := &result.General
		if t.Severity == severityCritical {
			group = &result.Critical
		}
		*group = append(*group, entry)
	}
	if !end.After(at) {
		result.State, result.EndTime, result.Result = stateDone, millis(end), reportWords[worst]
	}
	return result, end, worst
}

// runTest draws how long a test takes and returns what it found.
func (r *healthRun) runTest(t test, draw *rand.Rand) (finding, time.Duration) {
	took := time.Duration(float64(t.usual) * (0.8 + 0.4*draw.Float64()))
	if factor := r.slower[t.Name]; factor > 0 {
		took = time.Duration(float64(took) * factor)
	}
	f, bad := r.found[t.Name]
	if !bad {
		f = finding{result: testPass}
	}
	if f.took > 0 {
		took = f.took + took/20
	}
	return f, took
}

// defaultReports is how many earlier reports a world has.
const defaultReports = 12

// slowdown is how much longer the tests that get slower take in each later report.
const slowdown = 0.09

// newHealth makes the suites and the past reports. These are of a world in which all
// was well: what a scenario breaks broke after the last one.
func newHealth(w *world) *health {
	a := &health{world: w, suites: newSuites(w)}
	count := defaultReports
	if w.scenario.Reports != nil {
		count = *w.scenario.Reports
	}
	if len(a.suites) == 0 || count == 0 {
		return a
	}
	a.slower = slowerBy(count)
	r := w.random("history")
	end := w.started.Add(-7 * time.Hour)
	for age := range count {
		end = end.Add(-time.Duration(30+r.IntN(45)) * time.Hour)
		a.add(a.pastRun(r, end, age, count))
	}
	return a
}

// slowerBy returns which tests get slower over the weeks, and by what factor they
// are after n reports.
func slowerBy(n int) map[string]float64 {
	by := slowdown * float64(min(n, 40))
	return map[string]float64{"healthcheck_objectStore": 1 + by, "query_logs_availability": 1 + by/2}
}

// pastRun is the report of a given age, 0 the newest of count.
func (a *health) pastRun(r *rand.Rand, at time.Time, age, count int) *healthRun {
	past := &healthRun{id: shortID(r, 10), start: at, suites: a.suites[:1], pace: r.Uint64(), slower: slowerBy(count - age - 1)}
	past.name, past.owner, past.createdBy = a.pastOrigin(at, age)
	if age == min(5, count-1) && count > 1 {
		past.found = map[string]finding{"healthcheck_index_synced": {result: testFail,
			message: "The index of items differs from the database: 3 items are missing. A reindex is advised."}}
	}
	if a.scenario.HostileText {
		past.name = hostile(past.name, age)
	}
	past.setEnd()
	return past
}

// pastOrigin returns who started a past check: the system around updates, a
// schedule, or the administrator by hand.
func (a *health) pastOrigin(at time.Time, age int) (name, owner, createdBy string) {
	before := a.version // a build that an update of that age brought
	before[3] = max(0, before[3]-10*(age/6))
	switch {
	case age%6 == 3:
		return "after-update-" + before.String(), "system", "system"
	case age%6 == 4:
		return "before-update-" + before.String(), "system", "system"
	case age%3 == 1:
		return "check by hand " + at.UTC().Format("2006-01-02"), "admin", "admin"
	}
	return "scheduled-" + at.UTC().Format("20060102-1504"), "system", "admin"
}

// exportTime is how long the site takes to pack reports.
const exportTime = 2 * time.Second

func (a *health) exportReport(q *request, r *healthRun) any {
	return a.export(q, []*healthRun{r})
}

// export starts a job; at its end an upload holds the file.
func (a *health) export(q *request, runs []*healthRun) any {
	begins := q.now.Add(queueTime)
	item := &upload{id: longID(a.ids), name: "health-check-reports.zip", contentType: "application/zip", date: begins.Add(exportTime), committed: true,
		content: func() ([]byte, error) { return zipReports(runs) }}
	a.schedule(item.date, func() { a.uploads.byID[item.id] = item })
	return a.jobs.inJob(q, job{
		name: "Export reports", resource: "healthCheck", begins: begins, ends: item.date,
		result: func() any { return object{"uploadUrl": a.url(adminRoot + "/uploads/" + item.id)} },
	})
}

// zipReports packs each report as JSON and as CSV.
func zipReports(runs []*healthRun) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, r := range runs {
		report := r.report(r.end)
		text, err := marshal(report)
		if err != nil {
			return nil, err
		}
		f, err := z.Create(report.ID + ".json")
		if err == nil {
			_, err = f.Write(indented(text))
		}
		if err == nil {
			f, err = z.Create(report.ID + ".csv")
		}
		if err == nil {
			err = writeCSV(f, report)
		}
		if err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

func writeCSV(out io.Writer, report reportBody) error {
	c := csv.NewWriter(out)
	_ = c.Write([]string{"suite", "id", "name", "severity", "result", "startTime", "endTime", "message"})
	for _, s := range report.Suites {
		for _, t := range slices.Concat(s.Critical, s.General) {
			_ = c.Write([]string{s.ID, t.ID, t.Name, t.Severity, t.Result, fmt.Sprint(t.StartTime), fmt.Sprint(t.EndTime), t.Message})
		}
	}
	c.Flush()
	return c.Error()
}
