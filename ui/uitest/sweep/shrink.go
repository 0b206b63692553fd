package sweep

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Keep leaves only the troubles with these numbers.
func (d *Day) Keep(numbers []int) *Day {
	less := *fresh(d)
	less.Troubles = nil
	for _, n := range numbers {
		if n < len(d.Troubles) {
			less.Troubles = append(less.Troubles, d.Troubles[n])
		}
	}
	return &less
}

// fresh is a day that was not played.
func fresh(d *Day) *Day {
	return &Day{Seed: d.Seed, Want: d.Want, Face: d.Face, Troubles: d.Troubles, Log: d.Log}
}

// Shrink leaves out every trouble without which a day is still wrong, and returns the numbers
// of the others. play plays a day.
func Shrink(d *Day, play func(*Day) Verdict) []int {
	var kept []int
	for n := range d.Troubles {
		kept = append(kept, n)
	}
	for again := true; again; {
		again = false
		for i := 0; i < len(kept); {
			less := slices.Delete(slices.Clone(kept), i, i+1)
			if len(play(d.Keep(less)).Wrong) == 0 {
				i++
				continue
			}
			kept, again = less, true
		}
	}
	return kept
}

// Command is the line that plays a day again with some of its troubles, and tells its story.
func (d *Day) Command(kept []int) string {
	var numbers []string
	for _, n := range kept {
		numbers = append(numbers, strconv.Itoa(n))
	}
	list := strings.Join(numbers, ",")
	if list == "" {
		list = "none"
	}
	return fmt.Sprintf("go test ./ui/uitest/sweep -run '^TestSweep$' -seeds 1 -from %d -keep %s -log -scenario sweep.yaml", d.Seed, list)
}
