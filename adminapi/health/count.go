package health

import "geodeck/adminapi"

// Count holds how many tests ended in each way.
type Count struct{ Passed, Warning, Failed, Skipped, Running, Unknown int }

// Total returns the number of tests counted.
func (c Count) Total() int {
	return c.Passed + c.Warning + c.Failed + c.Skipped + c.Running + c.Unknown
}

// Add counts one more.
func (c *Count) Add(v Verdict) {
	switch v {
	case Passed:
		c.Passed++
	case Warning:
		c.Warning++
	case Failed:
		c.Failed++
	case Skipped:
		c.Skipped++
	case Running:
		c.Running++
	default:
		c.Unknown++
	}
}

// Plus returns the sum of two counts.
func (c Count) Plus(d Count) Count {
	return Count{
		Passed: c.Passed + d.Passed, Warning: c.Warning + d.Warning, Failed: c.Failed + d.Failed,
		Skipped: c.Skipped + d.Skipped, Running: c.Running + d.Running, Unknown: c.Unknown + d.Unknown,
	}
}

// worst returns the worst verdict counted; skipped tests do not count, nor does
// nothing at all: both leave Passed.
func (c Count) worst() Verdict {
	switch {
	case c.Failed > 0:
		return Failed
	case c.Unknown > 0:
		return Unknown
	case c.Warning > 0:
		return Warning
	case c.Running > 0:
		return Running
	}
	return Passed
}

// CountTests counts any number of lists of tests.
func CountTests(lists ...[]adminapi.TestResult) Count {
	var count Count
	for _, tests := range lists {
		for i := range tests {
			count.Add(JudgeState(tests[i].Result, tests[i].State))
		}
	}
	return count
}

// CountReport counts all tests of a report.
func CountReport(r adminapi.Report) Count {
	var count Count
	for i := range r.Suites {
		count = count.Plus(CountTests(r.Suites[i].Critical, r.Suites[i].General))
	}
	return count
}
