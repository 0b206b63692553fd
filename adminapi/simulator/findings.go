package simulator

import (
	"fmt"
	"time"
)

// finding is what a test found that is not as it should be.
type finding struct {
	result  string // fail or warning
	message string
	took    time.Duration // instead of the usual time; 0 keeps it
}

// The words for results: tests and what holds them speak differently.
const (
	testPass, testFail, testWarning       = "pass", "fail", "warning"
	reportPass, reportFail, reportWarning = "passed", "failed", "warning"
)

// examine looks at the world as it is and returns what the tests of the suites
// will find, by test name.
func (w *world) examine(suites []*suite) map[string]finding {
	found := map[string]finding{}
	for _, s := range suites {
		for _, t := range s.tests {
			if f, bad := w.examineTest(t); bad {
				found[t.name] = f
			}
		}
	}
	return found
}

func (w *world) examineTest(t test) (finding, bool) {
	if t.component == "" {
		return w.examineFact(t.name)
	}
	c := w.component(t.component)
	switch {
	case c == nil || c.state == working:
		return w.examineService(t.name)
	case c.state == strained:
		return finding{testWarning, c.says("works, but is short of resources"), 0}, true
	case c.state == degraded:
		return finding{testFail, c.says("answers with errors; not all of its pods are ready"), 0}, true
	}
	timeout := 10 * time.Second
	if c.Store {
		timeout = 30 * time.Second
	}
	return finding{testFail, c.says(fmt.Sprintf("did not answer within %d s", timeout/time.Second)), timeout}, true
}

func (c *component) says(otherwise string) string {
	if c.message != "" {
		return c.message
	}
	return c.Title + " " + otherwise + "."
}

// examineFact looks at what is no component: such things hold for months.
func (w *world) examineFact(testName string) (finding, bool) {
	r := w.random("fact " + testName)
	switch testName {
	case "certificate_expiry":
		if days := 20 + r.IntN(60); days < 30 {
			return finding{testWarning, fmt.Sprintf("The certificate of the ingress ends in %d days.", days), 0}, true
		}
	case "persistent_volume_usage":
		return finding{testWarning, fmt.Sprintf("The volume of the object store is %d %% full.", 81+r.IntN(10)), 0}, true
	case "backup_age":
		if days := 1 + r.IntN(12); days >= 7 {
			return finding{testWarning, fmt.Sprintf("The newest backup is %d days old.", days), 0}, true
		}
	}
	return finding{}, false
}
