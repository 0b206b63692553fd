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
)

// add adds a run in order of its end.
func (a *health) add(r *healthRun) {
	i, _ := slices.BinarySearchFunc(a.ended, r.end, func(other *healthRun, end time.Time) int { return end.Compare(other.end) })
	a.ended = slices.Insert(a.ended, i, r)
}

func (a *health) find(id string) (*healthRun, error) {
	if i := slices.IndexFunc(a.ended, func(r *healthRun) bool { return r.id == id }); i >= 0 {
		return a.ended[i], nil
	}
	return nil, notFound("no such report", "there is no report "+id)
}

func (a *health) remove(removed ...*healthRun) {
	a.ended = slices.DeleteFunc(a.ended, func(r *healthRun) bool { return slices.Contains(removed, r) })
}

// onReport handles a request by the report that its path names.
func (a *health) onReport(do func(*request, *healthRun) (answer, error)) func(*request) (answer, error) {
	return func(q *request) (answer, error) {
		r, err := a.find(q.vars["id"])
		if err != nil {
			return answer{}, err
		}
		return do(q, r)
	}
}

// onReports handles a request by the reports that runIds names.
func (a *health) onReports(do func(*request, []*healthRun) (answer, error)) func(*request) (answer, error) {
	return func(q *request) (answer, error) {
		if _, err := q.required("runIds"); err != nil {
			return answer{}, err
		}
		var runs []*healthRun
		for _, id := range q.list("runIds") {
			r, err := a.find(id)
			if err != nil {
				return answer{}, err
			}
			runs = append(runs, r)
		}
		return do(q, runs)
	}
}

type reportPage struct {
	Total     int          `json:"total"`
	Num       int          `json:"num"`
	Start     int          `json:"start"`
	NextStart int          `json:"nextStart"`
	Runs      []runSummary `json:"runs"`
}

type runSummary struct {
	Owner     string `json:"owner"`
	Result    string `json:"result"`
	CreatedBy string `json:"createdBy"`
	Name      string `json:"name"`
	StartTime int64  `json:"startTime"`
	ID        string `json:"id"`
	EndTime   int64  `json:"endTime"`
	State     string `json:"state"`
}

// runResults are the values that runResult takes.
var runResults = []string{"passed", "failed", "warning", "unknown"}

func (a *health) queryReports(q *request) (answer, error) {
	wanted := q.list("runResult")
	for _, word := range wanted {
		if !slices.Contains(runResults, word) {
			return answer{}, invalid("a parameter has a value that is not allowed",
				"runResult is "+strconv.Quote(word)+"; allowed: "+strings.Join(runResults, ", "))
		}
	}
	if _, err := q.required("num"); err != nil {
		return answer{}, err
	}
	num, err := q.positive("num", 0)
	if err != nil {
		return answer{}, err
	}
	start, err := q.positive("start", 1)
	if err != nil {
		return answer{}, err
	}
	return answer{body: a.page(wanted, start, num)}, nil
}

// page cuts one page out of the reports with a wanted result; start counts from 1.
func (a *health) page(wanted []string, start, num int) reportPage {
	p := reportPage{Num: num, Start: start, NextStart: -1, Runs: []runSummary{}}
	for _, r := range a.ended {
		if len(wanted) > 0 && !slices.Contains(wanted, r.result) {
			continue
		}
		p.Total++
		switch {
		case p.Total < start:
		case len(p.Runs) < num:
			p.Runs = append(p.Runs, r.summary())
		default:
			p.NextStart = start + num
		}
	}
	return p
}

func (r *healthRun) summary() runSummary {
	return runSummary{r.owner, r.result, r.createdBy, r.name, millis(r.start), r.id, millis(r.end), stateDone}
}

// reportsPage has no JSON form, as in the real platform: query is for programs.
func (a *health) reportsPage(*request) (answer, error) {
	return answer{body: a.page(nil, 1, 1000).Runs}, nil
}

func (a *health) showReport(_ *request, r *healthRun) (answer, error) {
	return answer{body: r.report(time.Time{})}, nil
}

type successBody struct {
	Success bool `json:"success"`
}

func (a *health) deleteReports(_ *request, runs []*healthRun) (answer, error) {
	a.remove(runs...)
	return answer{body: successBody{true}}, nil
}

// deleteReport answers without a body, as documented.
func (a *health) deleteReport(_ *request, r *healthRun) (answer, error) {
	a.remove(r)
	return answer{}, nil
}

func (a *health) renameReport(q *request, r *healthRun) (answer, error) {
	name, err := q.required("name")
	if err != nil {
		return answer{}, err
	}
	r.name = name
	return answer{body: successBody{true}}, nil
}

// healthRun is a health check, past or under way. It holds what is needed to write
// its report, not the report: one of 100,000 tests would fill the memory.
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

// setEnd works out when the run ends and how, by the same draws as the
// report but without writing it.
func (r *healthRun) setEnd() {
	draw, worst := r.draw(), 0
	r.end = r.start
	for _, s := range r.suites {
		for _, t := range s.tests {
			found, took := r.runTest(t, draw)
			r.end, worst = r.end.Add(took), max(worst, weights[found.result])
		}
	}
	r.result = reportWords[worst]
}

func (r *healthRun) draw() *rand.Rand { return rand.New(rand.NewPCG(r.pace, 1)) }

// report writes the report as it stands at a time; the zero time is the end.
// What has not begun by then is not in it, what goes on has no result.
func (r *healthRun) report(at time.Time) reportBody {
	b := reportBody{ID: r.id, Name: r.name, Owner: r.owner, CreatedBy: r.createdBy,
		State: stateDone, StartTime: millis(r.start), Suites: []suiteResult{}}
	draw, clock, worst := r.draw(), r.start, 0
	for _, s := range r.suites {
		done, end, w := r.runSuite(s, clock, at, draw)
		clock, worst = end, max(worst, w)
		b.Suites = append(b.Suites, done)
		if done.State == stateRunning {
			b.State = stateRunning
			return b
		}
	}
	b.EndTime, b.Result = millis(clock), reportWords[worst]
	return b
}

// weights and reportWords turn the results of tests into one for all of them.
var (
	weights     = map[string]int{testPass: 0, testWarning: 1, testFail: 2}
	reportWords = [...]string{reportPass, reportWarning, reportFail}
)

func (r *healthRun) runSuite(s *suite, start, at time.Time, draw *rand.Rand) (done suiteResult, end time.Time, worst int) {
	done = suiteResult{ID: s.id, Name: s.name, Description: s.description, State: stateDone,
		StartTime: millis(start), Critical: []testResult{}, General: []testResult{}}
	end = start
	for _, t := range s.tests {
		begin := end
		if !at.IsZero() && begin.After(at) {
			done.State = stateRunning
			return done, end, worst
		}
		result, took := r.runTest(t, draw)
		end = begin.Add(took)
		entry := testResult{ID: t.id, Name: t.name, Description: t.description, Severity: t.severity,
			Result: result.result, State: stateDone, StartTime: millis(begin), EndTime: millis(end), Message: result.message}
		worst = max(worst, weights[result.result])
		if !at.IsZero() && end.After(at) {
			entry.Result, entry.State, entry.EndTime, entry.Message = "", stateRunning, 0, ""
			done.State = stateRunning
		}
		done.add(entry)
		if done.State == stateRunning {
			return done, end, worst
		}
	}
	done.EndTime, done.Result = millis(end), reportWords[worst]
	return done, end, worst
}

// runTest draws how long a test takes this time and returns what it found.
func (r *healthRun) runTest(t test, draw *rand.Rand) (finding, time.Duration) {
	took := time.Duration(float64(t.usual) * (0.8 + 0.4*draw.Float64()))
	if factor := r.slower[t.name]; factor > 0 {
		took = time.Duration(float64(took) * factor)
	}
	f, bad := r.found[t.name]
	if !bad {
		f = finding{result: testPass}
	}
	if f.took > 0 {
		took = f.took + took/20
	}
	return f, took
}

func (s *suiteResult) add(t testResult) {
	if t.Severity == severityCritical {
		s.Critical = append(s.Critical, t)
		return
	}
	s.General = append(s.General, t)
}

// defaultReports is how many earlier reports a world has.
const defaultReports = 12

// slowdown is how much longer the tests that get slower take in each later report.
const slowdown = 0.09

// newHealth makes the suites and the past: what was checked before, by whom,
// and how it went. The past looks at a world in which all was well; whatever a
// scenario breaks broke after the last report.
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
		a.add(a.pastRun(r, a.suites[:1], end, age, count))
	}
	return a
}

// slowerBy returns which tests get slower over the weeks, and by what factor they
// are after n reports.
func slowerBy(n int) map[string]float64 {
	return map[string]float64{"healthcheck_objectStore": 1 + slowdown*float64(min(n, 40)), "query_logs_availability": 1 + slowdown/2*float64(min(n, 40))}
}

// pastOrigin returns who had a report made: the system around updates, a
// schedule, or the administrator by hand.
func (a *health) pastOrigin(at time.Time, age int) (name, owner, createdBy string) {
	switch {
	case age%6 == 3:
		return "after-update-" + a.earlierVersion(age).String(), "system", "system"
	case age%6 == 4:
		return "before-update-" + a.earlierVersion(age).String(), "system", "system"
	case age%3 == 1:
		return fmt.Sprintf("check by hand %s", at.UTC().Format("2006-01-02")), "admin", "admin"
	}
	return fmt.Sprintf("scheduled-%s", at.UTC().Format("20060102-1504")), "system", "admin"
}

// earlierVersion is the build that an update of that age brought.
func (a *health) earlierVersion(age int) version {
	v := a.world.version
	v[3] = max(0, v[3]-10*(age/6))
	return v
}

// exportTime is how long the site takes to pack reports.
const exportTime = 2 * time.Second

func (a *health) exportReport(q *request, r *healthRun) (answer, error) {
	return a.export(q, []*healthRun{r})
}

// export starts a job; at its end an upload holds the file.
func (a *health) export(q *request, runs []*healthRun) (answer, error) {
	ends := q.now.Add(queueTime + exportTime)
	item := &upload{id: longID(a.world.ids), name: "health-check-reports.zip", contentType: "application/zip", date: ends, committed: true,
		content: func() ([]byte, error) { return zipReports(runs) }}
	a.world.schedule(ends, func() { a.world.uploads.add(item) })
	return a.world.jobs.inJob(q, job{
		name: "Export reports", resource: "healthCheck", begins: q.now.Add(queueTime), ends: ends,
		result: func() any { return map[string]string{"uploadUrl": a.world.adminURL() + "/uploads/" + item.id} },
	}), nil
}

// zipReports packs each report as JSON and as CSV.
func zipReports(runs []*healthRun) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, r := range runs {
		report := r.report(time.Time{})
		if err := zipReport(z, report); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

func zipReport(z *zip.Writer, report reportBody) error {
	text, err := marshal(report, true)
	if err != nil {
		return err
	}
	f, err := z.Create(report.ID + ".json")
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return err
	}
	if f, err = z.Create(report.ID + ".csv"); err != nil {
		return err
	}
	return writeCSV(f, report)
}

func writeCSV(out io.Writer, report reportBody) error {
	c := csv.NewWriter(out)
	_ = c.Write([]string{"suite", "id", "name", "severity", "result", "startTime", "endTime", "message"})
	for _, s := range report.Suites {
		for _, tests := range [][]testResult{s.Critical, s.General} {
			for _, t := range tests {
				_ = c.Write([]string{s.ID, t.ID, t.Name, t.Severity, t.Result, fmt.Sprint(t.StartTime), fmt.Sprint(t.EndTime), t.Message})
			}
		}
	}
	c.Flush()
	return c.Error()
}
