package progress_test

import (
	"fmt"
	"runtime"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

// TestALongLogTakesLittleMoreThanItsTexts: what is kept of a message beside its
// text is some 120 bytes, however long the watch goes on and whatever it tells again.
func TestALongLogTakesLittleMoreThanItsTexts(t *testing.T) {
	const n = 100_000
	told := make([]adminapi.UpgradeMessage, n)
	texts := 0
	for i := range told {
		told[i] = adminapi.UpgradeMessage{Code: 2038, When: adminapi.Millis(i), Message: fmt.Sprintf("The deployment arcgis-web-%d runs the image web:12.0.0.7286 now.", i)}
		texts += len(told[i].Message)
	}
	before := heapInUse()
	merger := progress.NewMerger(progress.LogBudget)
	var shown progress.Log
	for i := range told {
		merger.Extend(told[i : i+1])
		shown = merger.Log()
	}
	for range 3 {
		merger.Merge(told)
	}
	used := heapInUse() - before
	t.Logf("%d KiB for %d messages, beside %d KiB of texts", used>>10, n, texts>>10)
	if used > 20<<20 {
		t.Errorf("%d bytes a message", used/n)
	}
	runtime.KeepAlive(merger)
	runtime.KeepAlive(shown)
	runtime.KeepAlive(told)
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkALogToldAgain is the price of a reading that is told as a whole and
// brings nothing new.
func BenchmarkALogToldAgain(b *testing.B) {
	told := longLog(100_000)
	merger := progress.NewMerger(progress.LogBudget)
	merger.Merge(told)
	b.ReportAllocs()
	for b.Loop() {
		merger.Merge(told)
	}
}
