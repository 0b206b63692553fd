package health

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/widget/rows"
)

// inks are the styles of the view, and its signs.
type inks struct {
	rows.Inks
	arrow string // from one thing to another, in one or two cells
}

func newInks(t *theme.Theme) inks { return inks{rows.NewInks(t), arrow(t.Glyphs)} }

// arrow returns the glyph, or "->" in ASCII: ">" alone is a comparison.
func arrow(g theme.Glyphs) string {
	if g.Arrow == ">" {
		return "->"
	}
	return g.Arrow
}

var verdictStatus = map[health.Verdict]rows.Status{
	health.Passed: rows.StatusPassed, health.Warning: rows.StatusWarning, health.Failed: rows.StatusFailed,
	health.Running: rows.StatusRunning, health.Skipped: rows.StatusSkipped,
}

// verdict returns the glyph of a verdict and its style.
func (k *inks) verdict(v health.Verdict) (glyph string, ink rows.Ink) {
	return k.Mark(verdictStatus[v])
}

// sign returns a verdict as its glyph in colour.
func (k *inks) sign(v health.Verdict) string {
	glyph, ink := k.verdict(v)
	return ink.On(glyph)
}

// signed returns a verdict as glyph and word, in colour.
func (k *inks) signed(v health.Verdict) string { return k.Signed(verdictStatus[v], v.String()) }

// strip draws the verdicts of a test side by side, in the order of the points.
func (k *inks) strip(points []health.Point) string {
	var b strings.Builder
	for _, p := range points {
		if p.Missing {
			b.WriteString(k.Muted.On(k.Glyphs.Dot))
			continue
		}
		b.WriteString(k.sign(p.Verdict))
	}
	return b.String()
}

// sparkline draws the durations of a test side by side: a cell each, higher for longer, blank
// where the duration is not known. Usual differences look small: the whole height is at least
// three times the shortest.
func (k *inks) sparkline(points []health.Point) string {
	levels, longest, shortest := []rune(k.Glyphs.Levels), time.Duration(1), time.Duration(0)
	for _, p := range points {
		longest = max(longest, p.Took)
		if p.Known && (shortest == 0 || p.Took < shortest) {
			shortest = p.Took
		}
	}
	longest = max(longest, 3*shortest)
	var b strings.Builder
	for _, p := range points {
		if !p.Known {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(levels[int(int64(len(levels)-1)*int64(p.Took)/int64(longest))])
	}
	return k.Accent.On(b.String())
}

// maxBar is the length of the longest bar in cells.
const maxBar = 40

// title returns the ink of the title of a pane.
func (k *inks) title(focused bool) rows.Ink {
	if focused {
		return k.Accent
	}
	return k.Heading
}

// marked returns the mark of filters and facts after it. Facts are cut before the mark.
func (k *inks) marked(mark string, facts []string, width int) string {
	rest := width - markRoom(mark)
	line := k.Muted.On(k.Fit(k.joined(facts, rest), rest))
	if mark == "" {
		return line
	}
	return k.Fit(k.Accent.On(mark)+" "+line, width)
}

func markRoom(mark string) int {
	if mark == "" {
		return 0
	}
	return ansi.StringWidth(mark) + 1
}

// joined joins the facts that fit whole, at least one.
func (k *inks) joined(facts []string, width int) string {
	line := facts[0]
	for _, fact := range facts[1:] {
		longer := line + " " + k.Glyphs.Dot + " " + fact
		if ansi.StringWidth(longer) > width {
			break
		}
		line = longer
	}
	return line
}

// took returns how long something took, "" if not known.
func took(start, end adminapi.Millis) string {
	if d, ok := adminapi.Span(start, end); ok {
		return adminapi.FormatElapsed(d)
	}
	return ""
}

// inColumn returns a duration at the right end of a column of tookWidth cells, without its
// minutes if they do not fit.
func inColumn(text string) string {
	if len(text) > tookWidth {
		hours, _, _ := strings.Cut(text, " ")
		text = hours + " h"
	}
	return fmt.Sprintf("%*s", tookWidth, text)
}

// dayLayout is a short date for a mark: "11-19".
const dayLayout = "01-02"

// minWords is the width from which counts have words.
const minWords = 16

// passedOf returns counts: "13 of 13 passed", "11 of 13 passed, 2 failed".
func passedOf(c health.Count) string {
	if c.Total() == 0 {
		return "no tests"
	}
	return joinedParts(strconv.Itoa(c[health.Passed])+" of "+strconv.Itoa(c.Total())+" passed", countParts(c))
}

// endedWith says how a run has ended: "Health check failed: 1 of 13 tests".
func endedWith(v health.Verdict, c health.Count) string {
	of := " of " + plain.Plural(c.Total(), "test")
	switch {
	case v == health.Failed && c[health.Failed] > 0:
		return "Health check failed: " + strconv.Itoa(c[health.Failed]) + of
	case v == health.Warning && c[health.Warning] > 0:
		return "Health check: " + strconv.Itoa(c[health.Warning]) + of + " warned"
	case v == health.Passed && c.Total() > 0:
		return "Health check: " + strconv.Itoa(c[health.Passed]) + of + " passed"
	}
	return "Health check " + v.String() + ": " + passedOf(c)
}

// countsIn returns counts for a width: all of them, how many passed, or that in thousands.
// It leaves out what does not fit: half a number is a wrong one.
func countsIn(c health.Count, width int) string {
	exact := strconv.Itoa(c[health.Passed]) + " of " + strconv.Itoa(c.Total())
	rough := short(c[health.Passed]) + " of " + short(c.Total())
	if width < minWords {
		return firstFitting(width, exact, rough)
	}
	return firstFitting(width, passedOf(c), exact+" passed", rough+" passed", exact, rough)
}

// doneIn returns how many tests of a run are done, of how many if known, and how many did
// not pass. How many passed is not yet a result.
func doneIn(c health.Count, expected, width int) string {
	done, total := c.Total()-c[health.Running], max(expected, c.Total())
	exact, rough := strconv.Itoa(done), short(done)
	if expected > 0 {
		exact, rough = exact+" of "+strconv.Itoa(total), rough+" of "+short(total)
	}
	c[health.Running], c[health.Skipped] = 0, 0
	return firstFitting(width, joinedParts(exact+" done", countParts(c)), exact+" done", rough+" done", exact, rough)
}

// firstFitting returns the first text that fits, "" if none does.
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

// short returns a number in at most six cells: "99.9k" for 99999. It is never rounded up:
// nearly all is not all.
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

// countParts returns what did not pass, the worst first.
func countParts(c health.Count) []string {
	var parts []string
	for v, n := range c.Each() {
		if v != health.Passed {
			parts = append(parts, strconv.Itoa(n)+" "+v.String())
		}
	}
	return parts
}
