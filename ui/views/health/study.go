package health

import (
	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

// study is a report with all that its pages need and that takes time with a
// hundred thousand tests: it is made by commands, never while keys wait.
type study struct {
	report   *adminapi.Report
	count    health.Count
	verdict  health.Verdict
	findings []health.Finding
	ends     map[testName]past // how each test ended
	tree     *tree             // in the order asked for last
}

func newStudy(r *adminapi.Report, o order) *study {
	s := &study{
		report: r, count: health.CountReport(*r), verdict: health.Overall(*r),
		findings: health.Check(*r), ends: endsOf(r),
	}
	s.tree = newTree(s, o)
	return s
}

// past is how a test ended in the report before.
type past struct {
	verdict health.Verdict
	when    adminapi.Millis
}

// testName is what makes a test the same in two reports.
type testName struct{ suite, name string }

// endsOf indexes a report by test.
func endsOf(r *adminapi.Report) map[testName]past {
	index := map[testName]past{}
	for _, suite := range r.Suites {
		for _, list := range [][]adminapi.TestResult{suite.Critical, suite.General} {
			for _, test := range list {
				when := test.StartTime
				if when.IsZero() {
					when = r.StartTime
				}
				index[testName{suite.ID, test.Name}] = past{health.JudgeState(test.Result, test.State), when}
			}
		}
	}
	return index
}
