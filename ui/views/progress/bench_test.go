package progress_test

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

var counts = []int{1_000, 100_000}

// many are n messages of a run, as long as those of the platform.
func many(n int) []adminapi.UpgradeMessage {
	all := make([]adminapi.UpgradeMessage, 0, n+1)
	all = append(all, begin)
	for i := 1; i < n; i++ {
		all = append(all, adminapi.UpgradeMessage{Code: 2038, When: began + adminapi.Millis(100*i),
			Message: fmt.Sprintf("The deployment arcgis-component-%d runs the image arcgis:11.5.0.6805 now, instead of that before it.", i)})
	}
	return all
}

// snapshotOf is what the watch would have of a log.
func snapshotOf(s *screen, log progress.Log, p progress.Progress) views.Watched {
	s.pass(time.Second)
	return views.Watched{On: true, Snapshot: watching.Snapshot{
		Status: adminapi.UpgradeStatus{State: "in_progress", Code: 1}, Meaning: progress.StateRunning, At: s.env.Clock.Now(), Seen: true,
		Log: log, Progress: p,
	}}
}

// holding is a view that shows n messages, and what made them.
func holding(b *testing.B, n int) (*screen, *progress.Merger, *progress.Fold, []adminapi.UpgradeMessage) {
	b.Helper()
	s := open(b, uitest.NewSite(b, uitest.Scenario(b, "healthy")).Site, 120, 35)
	merger, fold, all := progress.NewMerger(progress.LogBudget), progress.NewFold(), many(n)
	merger.Merge(all)
	s.take(snapshotOf(s, merger.Log(), fold.Add(merger.Log(), progress.StateRunning)))
	return s, merger, fold, all
}

// BenchmarkOneMessageMore is a snapshot with one new message, and the frame after it.
func BenchmarkOneMessageMore(b *testing.B) {
	for _, n := range counts {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s, merger, fold, all := holding(b, n)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				all = append(all, adminapi.UpgradeMessage{Code: 2038, When: began + adminapi.Millis(100*(n+i)), Message: "one more"})
				merger.Merge(all)
				w := snapshotOf(s, merger.Log(), fold.Add(merger.Log(), progress.StateRunning))
				b.StartTimer()
				s.take(w)
				_ = s.View()
			}
		})
	}
}

// BenchmarkFirstPaint is the first frame of a log that was read.
func BenchmarkFirstPaint(b *testing.B) {
	for _, n := range counts {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s, merger, fold, _ := holding(b, n)
			log := merger.Log()
			p := fold.Add(log, progress.StateRunning)
			for b.Loop() {
				b.StopTimer()
				fresh := open(b, s.env.Site, 120, 35)
				w := snapshotOf(fresh, log, p)
				b.StartTimer()
				fresh.take(w)
				_ = fresh.View()
			}
		})
	}
}

// BenchmarkKeys are keys in a log, each with the frame after it.
func BenchmarkKeys(b *testing.B) {
	for _, n := range counts {
		for name, keys := range map[string][]string{"ends": {"g", "G"}, "phases": {"[", "]"}, "filter": {"/", "9", "esc"}, "search": {"*", "esc"}, "attention": {"f", "f"}} {
			b.Run(strconv.Itoa(n)+"/"+name, func(b *testing.B) {
				s, _, _, _ := holding(b, n)
				for b.Loop() {
					for _, key := range keys {
						s.Press(key)
						_ = s.View()
					}
				}
			})
		}
	}
}

// BenchmarkMemory reports what the view keeps beside the log.
func BenchmarkMemory(b *testing.B) {
	_, merger, fold, _ := holding(b, 100_000)
	w := merger.Log()
	for b.Loop() {
		s := open(b, uitest.NewSite(b, uitest.Scenario(b, "healthy")).Site, 120, 35)
		before := heap()
		s.take(snapshotOf(s, w, fold.Add(w, progress.StateRunning)))
		_ = s.View()
		b.ReportMetric((heap()-before)/1024, "KiB/view")
	}
}

func heap() float64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}
