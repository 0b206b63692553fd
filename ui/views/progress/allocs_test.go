package progress_test

import (
	"runtime"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// What a cursor key and the frame after it may allocate on a screen of 120x40, and on one of 200x60.
const (
	maxAllocs          = 100
	maxBytes, maxLarge = 40 << 10, 80 << 10
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
		{"what was found in 5,000 messages", running(1), 5000, "tab *", 120, 35},
		{"a message as a table", statusWith("in_progress", 1, stores), 0, "enter", 120, 8},
		{"a message as a tree", statusWith("in_progress", 1, stores), 0, "enter v", 120, 35},
		{"a message as text", statusWith("in_progress", 1, stores), 0, "enter v v", 120, 8},
	} {
		t.Run(c.screen, func(t *testing.T) {
			s := openThemed(t, uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site, uitest.ColorTheme(), c.width, c.height)
			if s.show(c.status); c.messages > 0 {
				merger, fold := progress.NewMerger(progress.LogBudget), progress.NewFold()
				merger.Merge(many(c.messages))
				s.Watched(snapshotOf(s, merger.Log(), fold.Add(merger.Log(), progress.StateRunning)))
			}
			s.Press(c.way)
			keys, n := []string{"up", "down"}, 0
			one := func() {
				_, _, _ = views.Press(s.Model, keys[n%2])
				s.Arrange()
				_ = s.View()
				n++
			}
			for range 4 {
				one()
			}
			allocs := testing.AllocsPerRun(100, one)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 100 {
				one()
			}
			runtime.ReadMemStats(&after)
			bytes, room := (after.TotalAlloc-before.TotalAlloc)/100, uint64(maxBytes)
			if c.width > 120 {
				room = maxLarge
			}
			t.Logf("%.0f allocations, %d bytes", allocs, bytes)
			if allocs > maxAllocs || bytes > room {
				t.Errorf("%.0f allocations, %d bytes", allocs, bytes)
			}
		})
	}
}
