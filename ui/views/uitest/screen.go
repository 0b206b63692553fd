package uitest

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/teatest"
	"github.com/muesli/termenv"

	"geodeck/theme"
	"geodeck/ui/views"
)

// Start is the moment at which simulated sites begin in tests.
var Start = time.Date(2026, 11, 20, 14, 5, 0, 0, time.UTC)

// Zone is the local zone of tests: an hour ahead of UTC, in every season.
var Zone = time.FixedZone("CET", 3600)

// Theme returns the look of goldens: no colours, the Unicode glyphs.
func Theme() *theme.Theme { return themed(termenv.Ascii) }

// ColorTheme returns the look of goldens in 256 colours.
func ColorTheme() *theme.Theme { return themed(termenv.ANSI256) }

func themed(profile termenv.Profile) *theme.Theme {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(profile)
	r.SetHasDarkBackground(true)
	return theme.New(theme.Options{Renderer: r})
}

// Times returns how times are written in goldens.
func Times(now func() time.Time) *views.Times {
	return &views.Times{Mode: views.LocalTime, Local: Zone, Now: now}
}

// Golden compares a screen with testdata/<name of the test>.golden.
func Golden(t testing.TB, screen string) {
	t.Helper()
	// Spaces at the ends of lines are proved by Fits and would be lost in editors.
	lines := strings.Split(screen, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	teatest.RequireEqualOutput(t, []byte(strings.Join(lines, "\n")+"\n"))
}

// Fits fails unless screen takes exactly width by height cells.
func Fits(t testing.TB, screen string, width, height int) {
	t.Helper()
	lines := strings.Split(screen, "\n")
	if len(lines) != height {
		t.Errorf("the screen has %d lines instead of %d", len(lines), height)
	}
	for i, line := range lines {
		if got := ansi.StringWidth(line); got != width {
			t.Errorf("line %d has %d cells instead of %d: %q", i+1, got, width, line)
			return
		}
	}
}

// Harmless fails where a screen without colours holds a control byte other than
// a line feed.
func Harmless(t testing.TB, screen string) {
	t.Helper()
	for i, r := range screen {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			t.Fatalf("control character %U at byte %d of the screen", r, i)
		}
	}
}
