package uitest

import (
	"fmt"
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
	lines := strings.Split(theme.WithoutCursor(screen), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	teatest.RequireEqualOutput(t, []byte(strings.Join(lines, "\n")+"\n"))
}

// Fits fails unless screen takes exactly width by height cells.
func Fits(t testing.TB, screen string, width, height int) {
	t.Helper()
	if wrong := Misfit(screen, width, height); wrong != "" {
		t.Error(wrong)
	}
}

// Misfit says what a screen takes instead of exactly width by height cells; empty where it
// takes these.
func Misfit(screen string, width, height int) string {
	lines := strings.Split(screen, "\n")
	if len(lines) != height {
		return fmt.Sprintf("the screen has %d lines instead of %d", len(lines), height)
	}
	for i, line := range lines {
		if got := ansi.StringWidth(line); got != width {
			return fmt.Sprintf("line %d has %d cells instead of %d: %q", i+1, got, width, line)
		}
	}
	return ""
}

// Harmless fails where a screen without colours holds a control byte other than
// a line feed.
func Harmless(t testing.TB, screen string) {
	t.Helper()
	if wrong := Harm(screen); wrong != "" {
		t.Fatal(wrong)
	}
}

// Harm names the first control character of a screen without colours, other than a line feed;
// empty for none.
func Harm(screen string) string {
	for i, r := range theme.WithoutCursor(screen) {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			return fmt.Sprintf("control character %U at byte %d of the screen", r, i)
		}
	}
	return ""
}

// Seen returns what is drawn as a user sees it, without the mark of the cursor.
func Seen(v interface{ View() string }) string { return theme.WithoutCursor(v.View()) }

// Focus returns the line of a screen that the cursor of the terminal stands in, before and
// behind it; nothing where it is hidden.
func Focus(screen string) (before, behind string) {
	before, behind, found := strings.Cut(Unstyled(screen), theme.CursorMark)
	if !found {
		return "", ""
	}
	behind, _, _ = strings.Cut(behind, "\n")
	return before[strings.LastIndexByte(before, '\n')+1:], behind
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

// Unstyled returns a screen without its colours, and with all else that a terminal obeys.
func Unstyled(screen string) string { return styles.ReplaceAllString(screen, "") }

// Draw draws, and checks the size and that a terminal obeys nothing of it.
func (d *Drawn) Draw() string {
	d.t.Helper()
	return theme.WithoutCursor(d.draw())
}

// draw is Draw with the mark of the cursor.
func (d *Drawn) draw() string {
	d.t.Helper()
	if v, ok := d.drawer.(views.View); ok && v.Hooks().Arrange != nil {
		v.Hooks().Arrange()
	}
	v := d.drawer.View()
	if places := strings.Count(v, theme.CursorMark); places > 1 {
		d.t.Errorf("%d places have the cursor of the terminal in %q", places, v)
	}
	Fits(d.t, v, d.width, d.height)
	Harmless(d.t, Unstyled(v))
	return v
}

// Focus returns the line that the cursor of the terminal stands in, before and behind it;
// nothing where it is hidden.
func (d *Drawn) Focus() (before, behind string) {
	d.t.Helper()
	return Focus(d.draw())
}

// Focused fails unless the cursor of the terminal stands on a selected row, behind its
// marker, or where a text begins that is read, or somewhere in a text that is typed. Where
// no row is selected it may be hidden.
func (d *Drawn) Focused(typing bool) {
	d.t.Helper()
	screen := d.draw()
	if !strings.Contains(screen, theme.CursorMark) && !strings.Contains(screen, "› ") {
		return
	}
	before, behind := Focus(screen)
	panes := strings.Split(before, "│")
	line := []rune(panes[len(panes)-1])
	selected := len(line) > 1 && line[len(line)-2] == '›'
	begins := behind != "" && strings.TrimSpace(string(line)) == ""
	if !selected && !begins && !typing {
		d.t.Errorf("the cursor stands between %q and %q:\n%s", before, behind, theme.WithoutCursor(screen))
	}
}

// Typed fails unless the cursor of the terminal stands behind a text.
func (d *Drawn) Typed(text string) {
	d.t.Helper()
	if before, behind := d.Focus(); !strings.HasSuffix(before, text) {
		d.t.Fatalf("the cursor stands between %q and %q, not behind %q:\n%s", before, behind, text, d.Draw())
	}
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
