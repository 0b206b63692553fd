package upgrade_test

import (
	"testing"

	"geodeck/adminapi/upgrade"
)

// TestEveryCodeIsOfTheKindThatThePlatformGivesIt compares with the pairs of the
// platform's own table: what is neither in a pair nor here reports an event.
func TestEveryCodeIsOfTheKindThatThePlatformGivesIt(t *testing.T) {
	kinds := map[int]upgrade.CodeKind{
		2168: upgrade.Started, 2179: upgrade.Started, 2291: upgrade.Started, // nothing completes them
		2173: upgrade.Counted, 2175: upgrade.Counted, 2012: upgrade.Completed,
	}
	pairs := map[int]int{}
	for started, completed := range map[int]int{
		2010: 2011, 2165: 2166, 2287: 2288, 2101: 2103, 2134: 2132, 2108: 2109, 2144: 2145, 2148: 2149, 2180: 2181, 2178: 2185, 2187: 2188, 2191: 2192,
	} {
		kinds[started], kinds[completed] = upgrade.Started, upgrade.Completed
		pairs[started], pairs[completed] = completed, started
	}
	for _, c := range upgrade.Codes() {
		kind, listed := kinds[c.Code]
		if !listed {
			kind = upgrade.Info
		}
		if c.Kind != kind || c.Pair != pairs[c.Code] {
			t.Errorf("%d is %s with %d, want %s with %d", c.Code, c.Kind, c.Pair, kind, pairs[c.Code])
		}
	}
}

// TestTheCatalogueWalksThroughThePhasesInOrder holds for codes that come where
// their phase is; the upgrader is launched when the plan stands.
func TestTheCatalogueWalksThroughThePhasesInOrder(t *testing.T) {
	var walked []string
	for _, c := range upgrade.Codes() {
		if n := len(walked); n == 0 || walked[n-1] != c.Phase {
			walked = append(walked, c.Phase)
		}
	}
	if len(walked) != len(upgrade.Phases) {
		t.Fatalf("%v", walked)
	}
	for i, phase := range upgrade.Phases {
		if walked[i] != phase {
			t.Errorf("%d: %s, want %s", i, walked[i], phase)
		}
	}
}
