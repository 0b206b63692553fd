package progress_test

import (
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/uitest"
)

func TestACursorKeyAllocatesLittle(t *testing.T) {
	failed := adminapi.UpgradeStatus{State: "failed", Code: 2, Messages: release(12)}
	for _, c := range []struct {
		screen        string
		status        adminapi.UpgradeStatus
		messages      int // in place of those of the status
		way           string
		width, height int
	}{
		{"the log below the board", running(11), 0, "", 120, 35},
		{"the log of a run that has ended", ended(), 0, "", 120, 35},
		{"the log of a run that has failed", failed, 0, "", 120, 35},
		{"the log below the columns", running(11), 0, "", 200, 55},
		{"the log below the columns of an end", ended(), 0, "", 200, 55},
		{"the log alone", running(11), 0, "tab", 120, 35},
		{"the board alone", ended(), 0, "", 80, 15},
		{"5,000 messages below the board", running(1), 5000, "", 120, 35},
		{"5,000 messages", running(1), 5000, "tab", 120, 35},
		{"what was found in 5,000 messages", running(1), 5000, "tab progress.same-code", 120, 35},
		{"a message as a table", statusWith("in_progress", 1, stores), 0, "enter", 120, 8},
		{"a message as a tree", statusWith("in_progress", 1, stores), 0, "enter progress.form", 120, 35},
		{"a message as text", statusWith("in_progress", 1, stores), 0, "enter progress.form progress.form", 120, 8},
	} {
		t.Run(c.screen, func(t *testing.T) {
			s := openThemed(t, uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site, uitest.ColorTheme(), c.width, c.height)
			if s.show(c.status); c.messages > 0 {
				merger, fold := progress.NewMerger(progress.LogBudget), progress.NewFold()
				merger.Merge(many(c.messages))
				s.take(snapshotOf(s, merger.Log(), fold.Add(merger.Log(), progress.StateRunning)))
			}
			s.Press(c.way)
			most := uitest.Cursor
			if c.width > 120 {
				most.Bytes *= 2
			}
			s.KeyCosts(most, "up", "down")
		})
	}
}
