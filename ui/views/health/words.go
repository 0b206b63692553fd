package health

import (
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
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

// verdict returns the sign of a verdict and its colour.
func (k *inks) verdict(v health.Verdict) (glyph string, ink rows.Ink) {
	switch v {
	case health.Passed:
		return k.Glyphs.Pass, k.OK
	case health.Failed:
		return k.Glyphs.Fail, k.Fail
	case health.Warning:
		return k.Glyphs.Warn, k.Warn
	case health.Running:
		return k.Glyphs.Running, k.Running
	case health.Skipped:
		return k.Glyphs.Skipped, k.Muted
	}
	return k.Glyphs.Unknown, k.Unknown
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
		return adminapi.Took(d)
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
