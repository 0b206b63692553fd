package rows_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"geodeck/theme"
	"geodeck/ui/uitest"
	"geodeck/ui/widget/rows"
)

func TestTheCursorStandsOnTheSelectedRowOrWhereTextIsTyped(t *testing.T) {
	t.Parallel()
	l := list(shelf{"0 a", "0 b", "0 c"}, 20, 4)
	standsAt := func(what, before, behind string) {
		t.Helper()
		if b, a := uitest.Focus(l.View()); b != before || strings.TrimSpace(a) != behind {
			t.Errorf("%s: the cursor stands between %q and %q", what, b, a)
		}
	}
	standsAt("at first", "› ", "a")
	l.GoDown()
	standsAt("a row below", "› ", "b")
	l.Mark()
	do(t, l, rows.Up)
	standsAt("on a marked row", "›◆", "b")
	l.StartFilter()
	l.Type(uitest.Key("b"))
	standsAt("in a filter", "/b", "1 of 3")
	l.Type(uitest.Key("enter"))
	standsAt("behind a filter", "›◆", "b")
	l.SetFocused(false)
	standsAt("without the focus", "", "")
	l.StartFilter()
	standsAt("in a filter without the focus", "", "")
	l.SetFocused(true)
	l.Type(uitest.Key("ctrl+u"))
	for range 40 {
		l.Type(uitest.Key("x"))
	}
	if before, _ := uitest.Focus(l.View()); !strings.HasSuffix(before, "xxx") || ansi.StringWidth(before) >= 20 {
		t.Errorf("the end of a long filter is not shown: %q", before)
	}
}

func TestTheCursorStandsWhereATextBeginsThatIsRead(t *testing.T) {
	t.Parallel()
	p := rows.NewPager("…")
	p.SetSize(20, 2)
	p.Set([]string{"one", "two", "three"})
	do(t, p, rows.Down)
	if before, behind := uitest.Focus(p.View()); before != "" || strings.TrimSpace(behind) != "two" {
		t.Errorf("the cursor stands between %q and %q", before, behind)
	}
	p.SetFocused(false)
	if strings.Contains(p.View(), theme.CursorMark) {
		t.Error("a text beside what has the focus has the cursor")
	}
}

// The marker and the first column are one reversed field; what is behind them is as in other rows, and
// need not be written when the selection moves.
func TestTheSelectionReversesTheMarkerAndTheFirstColumn(t *testing.T) {
	t.Parallel()
	inks := rows.NewInks(uitest.ColorTheme())
	for text, want := range map[string]string{
		"one           ":    "[one]           ",
		"one":               "[one]           ",
		"one two  three":    "[one two]  three    ",
		"  ▾ ✓ one  two":    "[  ▾ ✓ one]  two    ",
		"  12   \"key\": 4": "[  12   \"key\":] 4  ", // a number alone names nothing
		"11.5.0.1  2025":    "[11.5.0.1]  2025    ",
		"\x1b[91m✗ one\x1b[m  \x1b[90mtwo\x1b[m": "[✗ one]\x1b[91m\x1b[m  \x1b[90mtwo\x1b[m       ",
		"a b c d e f":                      "[a b c d e] f       ", // no more words are spoken
		"界界  界":                            "[界界]  界          ",
		"":                                 "[]                  ",
		theme.CursorMark + "one  two":      "[" + theme.CursorMark + "one]  two          ",
		"one" + theme.CursorMark + "  two": "[]one" + theme.CursorMark + "  two          ", // it is typed into
		"one  two" + theme.CursorMark:      "[]one  two" + theme.CursorMark + "          ",
	} {
		row := inks.Selected("◆", text, 18)
		want = strings.Replace(strings.Replace(want, "[", "\x1b[7m›◆", 1), "]", "\x1b[27m", 1)
		if strings.TrimRight(row, " ") != strings.TrimRight(want, " ") || ansi.StringWidth(row) != 20 {
			t.Errorf("%q is drawn as %q, want %q", text, row, want)
		}
	}
	long := strings.Repeat("x", 60)
	if row := inks.Selected(" ", long, 50); row != "\x1b[7m› "+long[:40]+"\x1b[27m"+long[40:50] {
		t.Errorf("a long name is drawn as %q", row)
	}
}
