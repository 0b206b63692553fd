package progress_test

import (
	"fmt"
	"runtime"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

// longLog is a release with many deployments.
func longLog(n int) []adminapi.UpgradeMessage {
	list := asMessages([]logged{{0, 2010, "11.5.0.6835 -> 12.0.0.7286"}})
	for i := len(list); i < n; i++ {
		deployment := i / 4
		m := adminapi.UpgradeMessage{When: at(i)}
		switch i % 4 {
		case 0:
			m.Code, m.Message = 2101, fmt.Sprintf("Upgrade of the deployment arcgis-web-%d begins.", deployment)
		case 1:
			m.Code, m.Message = 2038, fmt.Sprintf("The deployment arcgis-web-%d runs the image web:12.0.0.7286 now.", deployment)
		case 2:
			m.Code, m.Message = 2103, fmt.Sprintf("Upgrade of the deployment arcgis-web-%d ended after 45 s.", deployment)
		case 3:
			m.Code, m.Message = 2175, fmt.Sprintf("%d of %d deployments are upgraded, after 1 h 2 min 3 s.", deployment, n)
		}
		list = append(list, m)
	}
	return list
}

// BenchmarkFoldAtOnce is the cost of a log that was never seen before.
func BenchmarkFoldAtOnce(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		merger := progress.NewMerger(progress.LogBudget)
		merger.Merge(longLog(n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				progress.Of(merger.Log(), progress.StateRunning)
			}
		})
	}
}

func BenchmarkTexts(b *testing.B) {
	for _, text := range []string{"23 of 41 deployments are upgraded, after 1 h 2 min 3 s.", "41件／47件が完了（1時間2分3秒）"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				progress.CountIn(text)
			}
		})
	}
}

// BenchmarkMerge is the cost of a log that was never seen before, and what it keeps in
// memory, its texts included.
func BenchmarkMerge(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			told := longLog(n)
			b.ReportAllocs()
			for b.Loop() {
				progress.NewMerger(progress.LogBudget).Merge(told)
			}
			b.StopTimer()
			told = nil
			before := heapInUse()
			merger := progress.NewMerger(progress.LogBudget)
			merger.Merge(longLog(n))
			b.ReportMetric(float64(heapInUse()-before)/1024, "KiB/log")
			runtime.KeepAlive(merger)
		})
	}
}
