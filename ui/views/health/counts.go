package health

import (
	"strconv"
	"strings"

	"geodeck/adminapi/health"
)

// leastWord is the room from which on counts say what they count.
const leastWord = 16

// passedOf writes counts: "13 of 13 passed", "11 of 13 passed, 2 failed".
func passedOf(c health.Count) string {
	if c.Total() == 0 {
		return "no tests"
	}
	return joinedParts(strconv.Itoa(c.Passed)+" of "+strconv.Itoa(c.Total())+" passed", countParts(c))
}

// countsIn writes counts in a width: all of them, or how many passed, or the
// same in thousands. What would be cut is left out: half a number is a wrong one.
func countsIn(c health.Count, width int) string {
	exact := strconv.Itoa(c.Passed) + " of " + strconv.Itoa(c.Total())
	rough := short(c.Passed) + " of " + short(c.Total())
	if width < leastWord {
		return firstFitting(width, exact, rough)
	}
	return firstFitting(width, passedOf(c), exact+" passed", rough+" passed", exact, rough)
}

// doneIn writes how far a run has come, of as many tests as are expected where
// that is known, and the bad news so far. What has passed by then is no result.
func doneIn(c health.Count, expected, width int) string {
	done, total := c.Total()-c.Running, max(expected, c.Total())
	exact, rough := strconv.Itoa(done), short(done)
	if expected > 0 {
		exact, rough = exact+" of "+strconv.Itoa(total), rough+" of "+short(total)
	}
	c.Running, c.Skipped = 0, 0
	return firstFitting(width, joinedParts(exact+" done", countParts(c)), exact+" done", rough+" done", exact, rough)
}

// firstFitting returns the first text that fits, nothing where none does.
func firstFitting(width int, texts ...string) string {
	for _, text := range texts {
		if len(text) <= width {
			return text
		}
	}
	return ""
}

func joinedParts(first string, parts []string) string {
	return strings.Join(append([]string{first}, parts...), ", ")
}

// short writes a number in at most six cells: "99.9k" of 99999. It is never
// rounded up: nearly all is not all.
func short(n int) string {
	for _, unit := range []struct {
		size int
		sign string
	}{{1_000_000_000, "G"}, {1_000_000, "M"}, {1_000, "k"}} {
		if n < unit.size || n < 10_000 {
			continue
		}
		tenths := n / (unit.size / 10)
		if tenths%10 == 0 {
			return strconv.Itoa(tenths/10) + unit.sign
		}
		return strconv.Itoa(tenths/10) + "." + strconv.Itoa(tenths%10) + unit.sign
	}
	return strconv.Itoa(n)
}

// countParts writes what did not pass, worst first.
func countParts(c health.Count) []string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{c.Failed, "failed"}, {c.Unknown, "unknown"}, {c.Warning, "warning"}, {c.Running, "running"}, {c.Skipped, "skipped"}} {
		if p.n > 0 {
			parts = append(parts, strconv.Itoa(p.n)+" "+p.word)
		}
	}
	return parts
}
