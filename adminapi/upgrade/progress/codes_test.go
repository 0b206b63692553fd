package progress_test

import (
	"testing"

	"geodeck/adminapi/upgrade/progress"
)

// TestEveryCodeIsOfTheKindThatThePlatformGivesIt compares with the pairs of the
// platform's own table: what is neither in a pair nor here reports an event.
func TestEveryCodeIsOfTheKindThatThePlatformGivesIt(t *testing.T) {
	t.Parallel()
	kinds := map[int]progress.CodeKind{
		2168: progress.Started, 2179: progress.Started, 2291: progress.Started, // nothing completes them
		2173: progress.Counted, 2175: progress.Counted, 2012: progress.Completed,
	}
	pairs := map[int]int{}
	for started, completed := range map[int]int{
		2010: 2011, 2165: 2166, 2287: 2288, 2101: 2103, 2134: 2132, 2108: 2109, 2144: 2145, 2148: 2149, 2180: 2181, 2178: 2185, 2187: 2188, 2191: 2192,
	} {
		kinds[started], kinds[completed] = progress.Started, progress.Completed
		pairs[started], pairs[completed] = completed, started
	}
	for _, c := range progress.Catalogue {
		kind, listed := kinds[c.Code]
		if !listed {
			kind = progress.Info
		}
		if c.Kind != kind || c.Pair != pairs[c.Code] {
			t.Errorf("%d is %s with %d, want %s with %d", c.Code, c.Kind, c.Pair, kind, pairs[c.Code])
		}
	}
}

// TestTheCatalogueWalksThroughThePhasesInOrder holds for codes that come where
// their phase is; the upgrader is launched when the plan stands.
func TestTheCatalogueWalksThroughThePhasesInOrder(t *testing.T) {
	t.Parallel()
	var walked []string
	for _, c := range progress.Catalogue {
		if n := len(walked); n == 0 || walked[n-1] != c.Phase {
			walked = append(walked, c.Phase)
		}
	}
	if len(walked) != len(progress.Phases) {
		t.Fatalf("%v", walked)
	}
	for i, phase := range progress.Phases {
		if walked[i] != phase {
			t.Errorf("%d: %s, want %s", i, walked[i], phase)
		}
	}
}
