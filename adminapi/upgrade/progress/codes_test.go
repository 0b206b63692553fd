package progress_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"geodeck/adminapi/upgrade/progress"
)

// codeTable has the codes of the platform's own table: on a line one that stands alone, or one that
// begins a step and the one that completes it.
const codeTable = "testdata/codes.txt"

func readCodeTable(t *testing.T) (lines [][]int) {
	t.Helper()
	text, err := os.ReadFile(codeTable)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var codes []int
		for _, field := range strings.Fields(line) {
			code, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, code)
		}
		lines = append(lines, codes)
	}
	return lines
}

// TestEveryCodeIsOfTheKindThatThePlatformGivesIt compares with the pairs of the
// platform's own table: what is neither in a pair nor here reports an event.
func TestEveryCodeIsOfTheKindThatThePlatformGivesIt(t *testing.T) {
	t.Parallel()
	kinds := map[int]progress.CodeKind{
		2072: progress.Started, 2168: progress.Started, 2179: progress.Started, 2291: progress.Started, // nothing completes them
		2173: progress.Counted, 2175: progress.Counted, 2012: progress.Completed,
	}
	pairs := map[int]int{}
	for _, line := range readCodeTable(t) {
		if len(line) == 2 {
			kinds[line[0]], kinds[line[1]] = progress.Started, progress.Completed
			pairs[line[0]], pairs[line[1]] = line[1], line[0]
		}
	}
	for _, c := range progress.Catalogue {
		kind, listed := kinds[c.Code]
		if !listed {
			kind = progress.Info
		}
		if c.Kind != kind || c.Pair != pairs[c.Code] {
			t.Errorf("%d is %s with %d, want %s with %d by %s and this test", c.Code, c.Kind, c.Pair, kind, pairs[c.Code], codeTable)
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

func TestTheWholeCatalogueIsKnown(t *testing.T) {
	t.Parallel()
	listed := slices.Concat(readCodeTable(t)...)
	for _, code := range listed {
		c, ok := progress.CodeOf(code)
		if !ok || c.Code != code || c.Meaning == "" || !slices.Contains(progress.Phases, c.Phase) {
			t.Errorf("%d: %+v", code, c)
		}
	}
	for _, c := range progress.Catalogue {
		if !slices.Contains(listed, c.Code) {
			t.Errorf("%d is not in %s", c.Code, codeTable)
		}
	}
	if len(progress.Catalogue) != len(listed) {
		t.Errorf("%d codes, and %d in %s", len(progress.Catalogue), len(listed), codeTable)
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
