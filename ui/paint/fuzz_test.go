package paint

import (
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"geodeck/theme"
)

// seeds returns texts of all kinds for a fuzz target.
func seeds() (texts []string) {
	for _, parts := range [][]string{glyphs, styles, extended} {
		texts = append(texts, parts...)
		texts = append(texts, strings.Join(parts, ""), strings.Join(parts, "x"), strings.Join(parts, "\n"))
	}
	return texts
}

func FuzzCells(f *testing.F) {
	for i, text := range seeds() {
		f.Add(text, uint8(i%90+1))
	}
	f.Fuzz(func(t *testing.T, text string, width uint8) {
		l := readLine(text, style{}, int(width))
		if len(l.cells) != int(width) || l.cursor < -1 || l.cursor >= max(1, int(width)) {
			t.Fatalf("%d cells, cursor at %d, of %d", len(l.cells), l.cursor, width)
		}
		for x := 0; x < len(l.cells); x++ {
			c := l.cells[x]
			if c.width < 1 || c.content == "" || !utf8.ValidString(c.content) || strings.ContainsFunc(c.content, unicode.IsControl) ||
				strings.HasSuffix(c.content, joiner) {
				t.Fatalf("cell %d is %q, %d wide", x, c.content, c.width)
			}
			for range c.width - 1 {
				if x++; x >= len(l.cells) || l.cells[x] != (cell{}) {
					t.Fatalf("the half of a character is missing at %d", x)
				}
			}
		}
		if shown := strings.TrimRight(content(l.cells), " "); plain(text) && len(text) <= int(width) && shown != strings.TrimRight(text, " ") {
			t.Fatalf("%q is shown as %q", text, shown)
		}
	})
}

func plain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f })
}

func content(cells []cell) string {
	var b strings.Builder
	for _, c := range cells {
		b.WriteString(c.content)
	}
	return b.String()
}

func FuzzFrames(f *testing.F) {
	all := seeds()
	for i, text := range all {
		f.Add(text, all[(i*7+3)%len(all)], uint8(i%40), uint8(i%5))
	}
	f.Fuzz(func(t *testing.T, before, after string, width, height uint8) {
		size := frame{width: int(width)%100 + 1, height: int(height)%10 + 1}
		for _, widths := range []func(rune) int{runeWidth, anyWidth} {
			shown, anew := newGrid(size.width, size.height, &size, widths), newGrid(size.width, size.height, &size, widths)
			var s screen
			shown.paint(s.frame(before, size.width, size.height))
			shown.paint(s.frame(after, size.width, size.height))
			anew.paint(new(screen).frame(after, size.width, size.height))
			if got, want := shown.screen(), anew.screen(); got != want {
				t.Fatal(firstDifference(got, want))
			}
			if shown.Fault != "" {
				t.Fatal(shown.Fault)
			}
			if again := s.frame(after, size.width, size.height); again != "" {
				t.Fatalf("the same frame again writes %q", again)
			}
		}
	})
}

func TestLinesAreReadAsTheyWouldBeShown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Zu\u0308rich":    "Zu\u0308rich", // what combines stays
		"ab界c":            "ab ",          // nothing moves where a wide one has no room
		"abcdef":          "abc",          // cut
		"a\x1b[31mb\xffc": "abc",          // sequences and bytes that are no text
		"a\u009bb\x07c":   "abc",          // controls
		"\u202ea\u200bb":  "ab ",          // marks without width
		"\x1b[1" + strings.Repeat(";1", 100) + "mx": "x  ", // more parameters than anybody needs
	} {
		width := 3
		if strings.HasPrefix(text, "Z") {
			width = 6
		}
		if got := content(readLine(text, style{}, width).cells); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestTerminalsAgreeOnTheGlyphsOfTheProgram(t *testing.T) {
	t.Parallel()
	all := reflect.ValueOf(theme.New(theme.Options{}).Glyphs)
	for i := range all.NumField() {
		c := readLine(all.Field(i).String(), style{}, 1).cells[0]
		if !c.sure() {
			t.Errorf("a line with %s is written as a whole", c.content)
		}
	}
}
