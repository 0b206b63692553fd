package theme_test

import (
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"geodeck/theme"
	"geodeck/theme/background"
)

func TestEveryGlyphIsOneCellWide(t *testing.T) {
	t.Parallel()
	for _, ascii := range []bool{false, true} {
		glyphs := reflect.ValueOf(theme.New(theme.Options{ASCII: ascii}).Glyphs)
		for i := range glyphs.NumField() {
			name, glyph := glyphs.Type().Field(i).Name, glyphs.Field(i).String()
			if ansi.StringWidth(glyph) != 1 {
				t.Errorf("ascii=%v: %s %q is %d cells wide, want 1", ascii, name, glyph, ansi.StringWidth(glyph))
			}
			if ascii && glyph[0] > 0x7e {
				t.Errorf("%s %q is not ASCII", name, glyph)
			}
		}
	}
}

func TestStatesOfATestAreToldApartWithoutColour(t *testing.T) {
	t.Parallel()
	for _, ascii := range []bool{false, true} {
		g := theme.New(theme.Options{ASCII: ascii}).Glyphs
		seen := map[string]bool{}
		for _, glyph := range []string{g.Pass, g.Fail, g.Warn, g.Unknown, g.Running, g.Skipped} {
			if seen[glyph] {
				t.Errorf("ascii=%v: two states share %q", ascii, glyph)
			}
			seen[glyph] = true
		}
	}
}

func TestColoursAreTheTerminalsOwnSixteen(t *testing.T) {
	t.Parallel()
	for _, light := range []bool{false, true} {
		r := lipgloss.NewRenderer(io.Discard)
		r.SetColorProfile(termenv.TrueColor)
		styles := reflect.ValueOf(*theme.New(theme.Options{Renderer: r, Light: light}))
		for i := range styles.NumField() {
			if !styles.Type().Field(i).IsExported() {
				continue
			}
			style, ok := styles.Field(i).Interface().(lipgloss.Style)
			if !ok {
				continue
			}
			if text := style.Render("x"); strings.Contains(text, "38;2;") || strings.Contains(text, "38;5;") {
				t.Errorf("light=%v: %s writes %q", light, styles.Type().Field(i).Name, text)
			}
		}
	}
}

func TestWithoutColoursNothingButTextIsWritten(t *testing.T) {
	t.Parallel()
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.Ascii)
	if got := theme.New(theme.Options{Renderer: r}).Fail.Render("failed"); got != "failed" {
		t.Errorf("got %q", got)
	}
}

func TestLocaleDecidesTheGlyphs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{map[string]string{"LANG": "de_DE.UTF-8"}, false},
		{map[string]string{"LANG": "C.utf8"}, false},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, true},
		{map[string]string{"LANG": "en_US.ISO-8859-1", "LC_CTYPE": "en_US.UTF-8"}, false},
		{map[string]string{}, true},
	} {
		if got := theme.WantsASCII(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: ASCII %v, want %v", c.env, got, c.want)
		}
	}
}

func TestBackgroundOfTheTerminal(t *testing.T) {
	t.Parallel()
	for value, dark := range map[string]bool{"": true, "15;0": true, "0;15": false, "0;default;15": false, "12;8": true, "0;7": false, "x": true} {
		if got := background.Dark(value); got != dark {
			t.Errorf("COLORFGBG=%q: dark %v, want %v", value, got, dark)
		}
	}
}

// What has the focus is seen on a screen without colours, too, unless nothing but text is
// wanted.
func TestTheFocusIsSeenWithoutColours(t *testing.T) {
	t.Parallel()
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.Ascii)
	seen, plain := theme.New(theme.Options{Renderer: r, Monochrome: true}), theme.New(theme.Options{Renderer: r})
	for _, c := range []struct{ got, want string }{
		{seen.Cursor.Render("x"), "\x1b[7mx\x1b[27m"},
		{seen.TabOn.Render("x"), "\x1b[7mx\x1b[27m"},
		{seen.Caret.Render("x"), theme.CursorMark + "\x1b[4mx\x1b[24m"},
		{seen.Fail.Render("x"), "x"},
		{plain.Cursor.Render("x") + plain.TabOn.Render("x") + plain.Caret.Render("x"), "xx" + theme.CursorMark + "x"},
	} {
		if c.got != c.want {
			t.Errorf("%q instead of %q", c.got, c.want)
		}
	}
}

// Terminals draw their cursor by reversing a cell: on one that is reversed it would be lost.
func TestTheCellThatIsTypedInIsNotReversed(t *testing.T) {
	t.Parallel()
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.TrueColor)
	caret := theme.New(theme.Options{Renderer: r}).Caret.Inline(true).Reverse(true).Render("x")
	if want := theme.CursorMark + "\x1b[4mx\x1b[24m"; caret != want || ansi.StringWidth(caret) != 1 {
		t.Errorf("%q instead of %q", caret, want)
	}
}
