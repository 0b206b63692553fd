package progress_test

import (
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

func TestWhereAFailedUpgradeHasStoppedIsTheLastOpenPhase(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		codes []int
		want  string
	}{
		"nothing":                     {nil, ""},
		"begun only":                  {[]int{2010, 2165}, ""},
		"in diagnostics":              {[]int{2010, 2287}, progress.PhaseDiagnostics},
		"after diagnostics":           {[]int{2010, 2287, 2288, 2270}, ""},
		"in a part of PostgreSQL":     {[]int{2010, 2108, 2144, 2145, 2148}, progress.PhasePostgreSQL},
		"one deployment of two":       {[]int{2010, 2101, 2101, 2103, 9999}, progress.PhaseComponents},
		"both deployments":            {[]int{2010, 2101, 2101, 2103, 2103}, ""},
		"of the newest run":           {[]int{2010, 2287, 2010, 2187}, progress.PhaseContent},
		"an earlier run counts not":   {[]int{2010, 2287, 2010}, ""},
		"the log's beginning is gone": {[]int{2288, 2191}, progress.PhaseSearch},
	} {
		var s adminapi.UpgradeStatus
		for i, code := range c.codes {
			s.Messages = append(s.Messages, adminapi.UpgradeMessage{Code: code, When: adminapi.Millis(1000 * (i + 1))})
		}
		if got := progress.OpenPhase(s); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestALogOutOfOrderIsReadByTime(t *testing.T) {
	t.Parallel()
	s := adminapi.UpgradeStatus{Messages: []adminapi.UpgradeMessage{{Code: 2288, When: 3000}, {Code: 2287, When: 2000}, {Code: 2010, When: 1000}}}
	if got := progress.OpenPhase(s); got != "" {
		t.Errorf("%q is open, though it was completed", got)
	}
}

func TestAFailureWithNothingOpenStoppedWhereTheLastMessageCameFrom(t *testing.T) {
	t.Parallel()
	m := progress.NewMerger(progress.LogBudget)
	m.Merge([]adminapi.UpgradeMessage{{Code: 2010, When: 1}, {Code: 2144, When: 2}, {Code: 2145, When: 3}})
	if got := progress.Of(m.Log(), progress.StateFailed).StoppedIn(); got != progress.PhasePostgreSQL {
		t.Errorf("stopped in %q", got)
	}
	if got := progress.Of(m.Log(), progress.StateRunning).StoppedIn(); got != "" {
		t.Errorf("a run that goes on has stopped in %q", got)
	}
}
