package progress_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"geodeck/adminapi/upgrade/progress"
)

// TestCountsAreThoseOfAMap compares them with a map, also where many hashes want the same
// place, the last one, and differ in half of their bits only.
func TestCountsAreThoseOfAMap(t *testing.T) {
	t.Parallel()
	type key struct {
		high uint64
		low  uint32
	}
	random := rand.New(rand.NewPCG(1, 2))
	highs := []func() uint64{
		random.Uint64,
		func() uint64 { return math.MaxUint64 - random.Uint64N(3) },
		func() uint64 { return random.Uint64N(3) },
	}
	var counts progress.Counts
	want := map[key][3]int32{}
	for range 50_000 {
		id := key{highs[random.IntN(3)](), random.Uint32N(200)}
		next := [3]int32{1 + random.Int32N(3), random.Int32N(3), 1 + random.Int32N(5)}
		if next[1] == 0 {
			next[2] = 0
		}
		if before := counts.Set(id.high, id.low, next[0], next[1], next[2]); before != want[id] {
			t.Fatalf("%v is %v, want %v", id, before, want[id])
		}
		want[id] = next
	}
}
