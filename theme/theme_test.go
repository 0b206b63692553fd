package theme_test

import (
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/muesli/termenv"

	"geodeck/theme"
	"geodeck/theme/background"
)

func TestEveryGlyphIsOneCellWide(t *testing.T) {
	t.Parallel()
	for _, ascii := range []bool{false, true} {
		glyphs := reflect.ValueOf(theme.New(theme.Options{ASCII: ascii}).Glyphs)
		for i := range glyphs.NumField() {
			name, each := glyphs.Type().Field(i).Name, []string{glyphs.Field(i).String()}
			if name == "Levels" { // a glyph for each
				each = strings.Split(each[0], "")
			}
			for _, glyph := range each {
				if ansi.StringWidth(glyph) != 1 {
					t.Errorf("ascii=%v: %s %q is %d cells wide, want 1", ascii, name, glyph, ansi.StringWidth(glyph))
				}
				if ascii && glyph[0] > 0x7e {
					t.Errorf("%s %q is not ASCII", name, glyph)
				}
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
	for _, b := range []theme.Background{theme.Dark, theme.Light, theme.Unknown} {
		r := lipgloss.NewRenderer(io.Discard)
		r.SetColorProfile(termenv.TrueColor)
		styles := reflect.ValueOf(*theme.New(theme.Options{Renderer: r, Background: b}))
		for i := range styles.NumField() {
			if !styles.Type().Field(i).IsExported() {
				continue
			}
			style, ok := styles.Field(i).Interface().(lipgloss.Style)
			if !ok {
				continue
			}
			if text := style.Render("x"); strings.Contains(text, "38;2;") || strings.Contains(text, "38;5;") {
				t.Errorf("background %d: %s writes %q", b, styles.Type().Field(i).Name, text)
			}
		}
	}
}

func TestWhatIsRecolouredLooksAsIfItWereDrawnForItsBackground(t *testing.T) {
	t.Parallel()
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.ANSI)
	cell := func(text string) uv.Cell {
		screen := vt.NewEmulator(4, 1)
		_, _ = screen.WriteString(text)
		return *screen.CellAt(0, 0)
	}
	dark := reflect.ValueOf(*theme.New(theme.Options{Renderer: r}))
	for _, b := range []theme.Background{theme.Dark, theme.Light, theme.Unknown} {
		drawn := reflect.ValueOf(*theme.New(theme.Options{Renderer: r, Background: b}))
		for i := range dark.NumField() {
			if !dark.Type().Field(i).IsExported() || dark.Field(i).Type() != reflect.TypeFor[lipgloss.Style]() {
				continue
			}
			got := b.Recolour(dark.Field(i).Interface().(lipgloss.Style).Render("x"))
			want := drawn.Field(i).Interface().(lipgloss.Style).Render("x")
			if cell(got) != cell(want) {
				t.Errorf("background %d: %s is %q instead of %q", b, dark.Type().Field(i).Name, got, want)
			}
		}
	}
}

func TestOnlyColoursAreRecoloured(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\x1b[96mb\x1b[0mc": "a\x1b[34mb\x1b[0mc", "\x1b[1;4;37m": "\x1b[1;4;90m", "\x1b[0;32;1m\x1b[m": "\x1b[0;39;1m\x1b[m", "\x1b[91;33m": "\x1b[31;35m",
		"": "", "text": "text", "[96m and ;96m": "[96m and ;96m", "\x1b[38;5;96m": "\x1b[38;5;96m", "\x1b[38;2;91;92;96m": "\x1b[38;2;91;92;96m", "\x1b[38:5:96m": "\x1b[38:5:96m",
		"\x1b[96A": "\x1b[96A", "\x1b[96;32H96m": "\x1b[96;32H96m", "\x1b[?96m": "\x1b[?96m", "\x1b[96": "\x1b[96", "\x1b[": "\x1b[", "\x1b": "\x1b", "\x1b[\x1b[96m": "\x1b[\x1b[34m",
		theme.CursorMark + "\x1b[7mx\x1b[27m": theme.CursorMark + "\x1b[7mx\x1b[27m",
	} {
		if got := theme.Light.Recolour(text); got != want {
			t.Errorf("%q is %q instead of %q", text, got, want)
		}
		if got := theme.Dark.Recolour(text); got != text {
			t.Errorf("%q is %q on a dark background", text, got)
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

// TestColoursAreReadOnCommonPalettes holds the contrast of each role with the background. On
// white, and on Solarized, no green or yellow of the sixteen is read.
func TestColoursAreReadOnCommonPalettes(t *testing.T) {
	t.Parallel()
	solarized := []uint32{0x073642, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198, 0xeee8d5, 0x002b36, 0xcb4b16, 0x586e75, 0x657b83, 0x839496, 0x6c71c4, 0x93a1a1, 0xfdf6e3}
	for name, p := range map[string]struct {
		own              theme.Background
		background, text uint32
		colours          []uint32
	}{
		"Solarized dark":  {theme.Dark, 0x002b36, 0x839496, solarized},
		"Solarized light": {theme.Light, 0xfdf6e3, 0x657b83, solarized},
		"Gruvbox":         {theme.Dark, 0x282828, 0xebdbb2, []uint32{0x282828, 0xcc241d, 0x98971a, 0xd79921, 0x458588, 0xb16286, 0x689d6a, 0xa89984, 0x928374, 0xfb4934, 0xb8bb26, 0xfabd2f, 0x83a598, 0xd3869b, 0x8ec07c, 0xebdbb2}},
		"Dracula":         {theme.Dark, 0x282a36, 0xf8f8f2, []uint32{0x21222c, 0xff5555, 0x50fa7b, 0xf1fa8c, 0xbd93f9, 0xff79c6, 0x8be9fd, 0xf8f8f2, 0x6272a4, 0xff6e6e, 0x69ff94, 0xffffa5, 0xd6acff, 0xff92df, 0xa4ffff, 0xffffff}},
		"Linux console":   {theme.Dark, 0, 0xaaaaaa, []uint32{0, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa, 0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff}},
		"white":           {theme.Light, 0xffffff, 0, []uint32{0, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff}},
	} {
		for b, least := range map[theme.Background]float64{p.own: 3.25, theme.Unknown: 2.9} {
			look := theme.New(theme.Options{Renderer: lipgloss.NewRenderer(io.Discard), Background: b})
			for role, style := range map[string]lipgloss.Style{"muted": look.Muted, "accent": look.Accent, "ok": look.OK, "warn": look.Warn, "fail": look.Fail, "unknown": look.Unknown} {
				colour := p.text
				if c, ok := style.GetForeground().(lipgloss.Color); ok && c != "" {
					n, err := strconv.Atoi(string(c))
					if err != nil || n > 15 {
						t.Fatalf("%s is the colour %q", role, c)
					}
					colour = p.colours[n]
				}
				if got := contrast(colour, p.background); got < least {
					t.Errorf("%s, background %d: the contrast of %s is %.2f", name, b, role, got)
				}
			}
		}
	}
}

// contrast is the ratio of two colours as WCAG 2 defines it.
func contrast(a, b uint32) float64 {
	light := func(c uint32) float64 {
		sum := 0.0
		for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
			part := float64(c>>(8*i)&0xff) / 255
			if part <= 0.03928 {
				sum += weight * part / 12.92
			} else {
				sum += weight * math.Pow((part+0.055)/1.055, 2.4)
			}
		}
		return sum
	}
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
