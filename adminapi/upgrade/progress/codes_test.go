package progress_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"geodeck/adminapi/upgrade/progress"
)

// TestEveryCodeIsOfTheKindThatThePlatformGivesIt compares with the pairs of the
// platform's own table: what is neither in a pair nor here reports an event.
func TestEveryCodeIsOfTheKindThatThePlatformGivesIt(t *testing.T) {
	t.Parallel()
	kinds := map[int]progress.CodeKind{
		2072: progress.Started, 2168: progress.Started, 2179: progress.Started, 2291: progress.Started, // nothing completes them
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

// testdata/codes.txt has the codes of the platform's own table.
func TestTheWholeCatalogueIsKnown(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/codes.txt")
	if err != nil {
		t.Fatal(err)
	}
	var codes []int
	for _, text := range regexp.MustCompile(`\d{4}`).FindAllString(string(data), -1) {
		code, _ := strconv.Atoi(text)
		codes = append(codes, code)
		c, ok := progress.CodeOf(code)
		if !ok || c.Code != code || c.Meaning == "" || !slices.Contains(progress.Phases, c.Phase) {
			t.Errorf("%d: %+v", code, c)
		}
	}
	if len(progress.Catalogue) != len(codes) {
		t.Errorf("%d codes, want %d", len(progress.Catalogue), len(codes))
	}
	if _, ok := progress.CodeOf(9999); ok {
		t.Error("9999 is known")
	}
}

func TestPairsPointAtEachOther(t *testing.T) {
	t.Parallel()
	for _, c := range progress.Catalogue {
		if c.Pair == 0 {
			continue
		}
		pair, ok := progress.CodeOf(c.Pair)
		if !ok || pair.Pair != c.Code || pair.Kind == c.Kind {
			t.Errorf("%+v and %+v", c, pair)
		}
	}
}
