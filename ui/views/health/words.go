package health

import (
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// inks are the styles of the view, and its signs.
type inks struct {
	rows.Inks
	arrow string // from one thing to another, in one cell or two
}

func newInks(t *theme.Theme) inks { return inks{rows.NewInks(t), arrow(t.Glyphs)} }

// arrow returns the glyph, or what reads as one where it is ASCII: a lone ">"
// compares.
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
func (k *inks) signed(v health.Verdict) string {
	glyph, ink := k.verdict(v)
	return ink.On(glyph + " " + v.String())
}

// title is the ink of the title above the list or the tree: the one in focus stands out.
func (k *inks) title(focused bool) rows.Ink {
	if focused {
		return k.Accent
	}
	return k.Heading
}

// headline draws a title with a note at the right end of the line.
func (k *inks) headline(title rows.Ink, text, note string, width int) string {
	room := width - len(note) - 1
	if note == "" || room < 8 {
		return title.On(k.Fit(text, width))
	}
	return title.On(k.Fit(text, room)) + " " + k.Muted.On(note)
}

// marked joins facts behind the mark of what is left out: that is the last to go where
// room is short.
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

// joined joins facts as far as they fit whole, and one in any case.
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

// right returns text in exactly width cells, at their right end.
func right(text string, width int) string {
	if n := width - len(text); n > 0 {
		return strings.Repeat(" ", n) + text
	}
	return text
}

// took writes how long something took, nothing where it is not known.
func took(start, end adminapi.Millis) string {
	if d, ok := adminapi.Span(start, end); ok {
		return adminapi.FormatElapsed(d)
	}
	return ""
}

// inColumn writes a duration at the right end of a column of tookWidth cells,
// without its minutes where they do not fit.
func inColumn(text string) string {
	if len(text) > tookWidth {
		hours, _, _ := strings.Cut(text, " ")
		text = hours + " h"
	}
	return right(text, tookWidth)
}

// shortMinute writes a moment for the list: with its time in the present year,
// as a date alone before it.
func shortMinute(times *views.Times, m time.Time) string {
	full := times.Minute(m)
	if times.Mode == views.RelativeTime || m.IsZero() {
		return full
	}
	year := times.Now().In(times.Local).Format("2006-")
	if short, ok := strings.CutPrefix(full, year); ok {
		return short
	}
	return full[:min(len(full), len("2006-01-02"))]
}

// day writes a date for a mark that has little room: "11-19".
func day(times *views.Times, m time.Time) string {
	if times.Mode == views.UTCTime {
		return m.UTC().Format("01-02")
	}
	return m.In(times.Local).Format("01-02")
}

// minWords is the room from which on counts say what they count.
const minWords = 16

// passedOf writes counts: "13 of 13 passed", "11 of 13 passed, 2 failed".
func passedOf(c health.Count) string {
	if c.Total() == 0 {
		return "no tests"
	}
	return joinedParts(strconv.Itoa(c[health.Passed])+" of "+strconv.Itoa(c.Total())+" passed", countParts(c))
}

// countsIn writes counts in a width: all of them, or how many passed, or the
// same in thousands. What would be cut is left out: half a number is a wrong one.
func countsIn(c health.Count, width int) string {
	exact := strconv.Itoa(c[health.Passed]) + " of " + strconv.Itoa(c.Total())
	rough := short(c[health.Passed]) + " of " + short(c.Total())
	if width < minWords {
		return firstFitting(width, exact, rough)
	}
	return firstFitting(width, passedOf(c), exact+" passed", rough+" passed", exact, rough)
}

// doneIn writes how far a run has come, of as many tests as are expected where
// that is known, and the bad news so far. What has passed by then is no result.
func doneIn(c health.Count, expected, width int) string {
	done, total := c.Total()-c[health.Running], max(expected, c.Total())
	exact, rough := strconv.Itoa(done), short(done)
	if expected > 0 {
		exact, rough = exact+" of "+strconv.Itoa(total), rough+" of "+short(total)
	}
	c[health.Running], c[health.Skipped] = 0, 0
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
	for v, n := range c.Each() {
		if v != health.Passed {
			parts = append(parts, strconv.Itoa(n)+" "+v.String())
		}
	}
	return parts
}
