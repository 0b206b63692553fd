package simulator

import (
	"math/rand/v2"
	"time"
)

// run is a health check, past or under way. It holds what is needed to write
// its report, not the report: one of 100,000 tests would fill the memory.
type run struct {
	id, name, owner, createdBy string
	start, end                 time.Time
	suites                     []*suite
	found                      map[string]finding
	pace                       uint64             // seed of its durations
	slower                     map[string]float64 // factors by test name, for what gets slower over weeks
	result                     string
}

type reportBody struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Owner     string      `json:"owner"`
	CreatedBy string      `json:"createdBy"`
	Result    string      `json:"result"`
	State     string      `json:"state"`
	StartTime int64       `json:"startTime"`
	EndTime   int64       `json:"endTime"`
	Suites    []suiteDone `json:"suiteStatus"`
}

type suiteDone struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Result      string     `json:"result"`
	State       string     `json:"state"`
	StartTime   int64      `json:"startTime"`
	EndTime     int64      `json:"endTime"`
	Critical    []testDone `json:"criticalTestStatus"`
	General     []testDone `json:"generalTestStatus"`
}

type testDone struct {
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

// settleEnd works out when the run ends and how, by the same draws as the
// report but without writing it.
func (r *run) settleEnd() {
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

func (r *run) draw() *rand.Rand { return rand.New(rand.NewPCG(r.pace, 1)) }

// report writes the report as it stands at a time; the zero time is the end.
// What has not begun by then is not in it, what goes on has no result.
func (r *run) report(at time.Time) reportBody {
	b := reportBody{ID: r.id, Name: r.name, Owner: r.owner, CreatedBy: r.createdBy,
		State: stateDone, StartTime: millis(r.start), Suites: []suiteDone{}}
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

func (r *run) runSuite(s *suite, start, at time.Time, draw *rand.Rand) (done suiteDone, end time.Time, worst int) {
	done = suiteDone{ID: s.id, Name: s.name, Description: s.description, State: stateDone,
		StartTime: millis(start), Critical: []testDone{}, General: []testDone{}}
	end = start
	for _, t := range s.tests {
		begin := end
		if !at.IsZero() && begin.After(at) {
			done.State = stateRunning
			return done, end, worst
		}
		result, took := r.runTest(t, draw)
		end = begin.Add(took)
		entry := testDone{ID: t.id, Name: t.name, Description: t.description, Severity: t.severity,
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

// runTest draws how long a test takes this time and tells what it found.
func (r *run) runTest(t test, draw *rand.Rand) (finding, time.Duration) {
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

func (s *suiteDone) add(t testDone) {
	if t.Severity == severityCritical {
		s.Critical = append(s.Critical, t)
		return
	}
	s.General = append(s.General, t)
}
