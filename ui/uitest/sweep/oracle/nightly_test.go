package oracle_test

import (
	"testing"

	"geodeck/ui/uitest/sweep/oracle"
)

// known is how a command names a failure that is not new.
const known = "known failure, which does not count: a"

// A check fails by what did better within the days, is in no report from before, or cannot be read.
func TestWhatIsNewIsAsTheReportsSay(t *testing.T) {
	t.Parallel()
	const day = 24 * 3600 * 1000
	failed, passed := map[string]int{"a": 2, "b": 0}, map[string]int{"a": 0, "b": 0}
	of := oracle.Report{ID: "now", Name: "night 3", Began: 100 * day, Ended: 100*day + 10, Tests: failed}
	for name, c := range map[string]struct {
		earlier oracle.Report
		unread  bool
		code    int
		said    string
		right   bool
	}{
		"what passed before is new":                     {oracle.Report{ID: "p", Began: 99 * day, Ended: 99*day + 10, Tests: passed}, false, 1, "1 new failure: a", true},
		"and is not hidden":                             {oracle.Report{ID: "p", Began: 99 * day, Ended: 99*day + 10, Tests: passed}, false, 0, known, false},
		"what failed before is known":                   {oracle.Report{ID: "p", Began: 99 * day, Ended: 99*day + 10, Tests: failed}, false, 0, known, true},
		"and fails nothing":                             {oracle.Report{ID: "p", Began: 99 * day, Ended: 99*day + 10, Tests: failed}, false, 1, "1 new failure: a", false},
		"and is named":                                  {oracle.Report{ID: "p", Began: 99 * day, Ended: 99*day + 10, Tests: failed}, false, 0, "", false},
		"what failed beside it was not before":          {oracle.Report{ID: "p", Began: 100*day - 5, Ended: 100*day + 5, Tests: failed}, false, 0, known, false},
		"what passed beside it is new":                  {oracle.Report{ID: "p", Began: 100*day - 5, Ended: 100*day + 5, Tests: passed}, false, 1, "1 new failure: a", true},
		"what cannot be read hides nothing":             {oracle.Report{ID: "p", Began: 99 * day, Ended: 99*day + 10, Tests: failed}, true, 0, known, false},
		"another number of them is told":                {oracle.Report{ID: "p", Began: 99 * day, Ended: 99*day + 10, Tests: passed}, false, 1, "2 new failures: a", false},
		"what passed longer ago is new once, for a day": {oracle.Report{ID: "p", Began: 60 * day, Ended: 60*day + 10, Tests: passed}, false, 1, "1 new failure: a", true},
	} {
		d := newDay()
		d.Judged(oracle.Night{Name: of.Name, Code: c.code, Said: c.said, Reports: []oracle.Report{of, c.earlier}, Unread: map[string]bool{"p": c.unread}})
		if right := len(d.wrong) == 0; right != c.right {
			t.Errorf("%s: %q", name, d.wrong)
		}
	}
}
