package journal_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

// TestMessagesAreKnownUntilTheyAreDropped compares the set with a map while it grows, and
// while batches are dropped again, as after a failed write.
func TestMessagesAreKnownUntilTheyAreDropped(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	set, want := journal.NewMessageSet(), map[int]bool{}
	for range 2000 {
		var batch []journal.TranscriptMessage
		var added []int
		for range random.IntN(20) {
			n := random.IntN(5000)
			m := distinct(n)
			if fresh := set.Add(m); fresh == want[n] {
				t.Fatalf("message %d is new: %v", n, fresh)
			}
			if !want[n] {
				want[n] = true
				batch, added = append(batch, m), append(added, n)
			}
		}
		if random.IntN(3) == 0 {
			set.Drop(batch)
			for _, n := range added {
				delete(want, n)
			}
		}
		if set.Len() != len(want) {
			t.Fatalf("%d messages, want %d", set.Len(), len(want))
		}
	}
}

// distinct returns messages that differ in one thing each.
func distinct(n int) journal.TranscriptMessage {
	m := journal.TranscriptMessage{UpgradeMessage: adminapi.UpgradeMessage{Code: 1, When: 1, Message: "m"}, Nth: 1}
	switch n % 4 {
	case 0:
		m.Code += n
	case 1:
		m.When += adminapi.Millis(n)
	case 2:
		m.Nth += n
	case 3:
		m.Message += string(rune('A' + n))
	}
	return m
}

// BenchmarkMessageSet reports what a transcript of 100,000 messages keeps in memory.
func BenchmarkMessageSet(b *testing.B) {
	for b.Loop() {
		before := heapInUse()
		set := journal.NewMessageSet()
		for n := range 100_000 {
			set.Add(journal.TranscriptMessage{UpgradeMessage: adminapi.UpgradeMessage{Code: n}})
		}
		b.ReportMetric(float64(heapInUse()-before)/1024, "KiB/set")
		runtime.KeepAlive(set)
	}
}

func heapInUse() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
