package uitest

import (
	"io"
	"regexp"
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

// Drawer draws itself in exactly the size that it was given.
type Drawer interface {
	View() string
	SetSize(width, height int)
}

// Drawn is what a test sees of a view, or of a part of one, at a size.
type Drawn struct {
	t             testing.TB
	drawer        Drawer
	width, height int
}

func drawn(t testing.TB, d Drawer, width, height int) Drawn {
	d.SetSize(width, height)
	return Drawn{t: t, drawer: d, width: width, height: height}
}

// Resize gives it another size.
func (d *Drawn) Resize(width, height int) {
	d.width, d.height = width, height
	d.drawer.SetSize(width, height)
}

// styles are the only controls that a screen in colour holds.
var styles = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Draw draws, and checks the size and that a terminal obeys nothing of it.
func (d *Drawn) Draw() string {
	d.t.Helper()
	if a, ok := d.drawer.(views.Arranger); ok {
		a.Arrange()
	}
	v := d.drawer.View()
	Fits(d.t, v, d.width, d.height)
	Harmless(d.t, styles.ReplaceAllString(v, ""))
	return v
}

// Golden compares the screen with testdata/<name of the test>.golden.
func (d *Drawn) Golden() {
	d.t.Helper()
	Golden(d.t, d.Draw())
}

// Shows fails unless the screen shows every text.
func (d *Drawn) Shows(texts ...string) {
	d.t.Helper()
	v := d.Draw()
	for _, text := range texts {
		if !strings.Contains(v, text) {
			d.t.Fatalf("the screen does not show %q:\n%s", text, v)
		}
	}
}

// Hides fails where the screen shows any of the texts.
func (d *Drawn) Hides(texts ...string) {
	d.t.Helper()
	v := d.Draw()
	for _, text := range texts {
		if strings.Contains(v, text) {
			d.t.Fatalf("the screen shows %q:\n%s", text, v)
		}
	}
}

// Line returns the first line of the screen with a text, or nothing.
func (d *Drawn) Line(text string) string {
	d.t.Helper()
	for line := range strings.SplitSeq(d.Draw(), "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}
