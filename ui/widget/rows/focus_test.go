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

// What is between the ends of the selected row is as in other rows: it need not be written
// when the selection moves.
func TestTheSelectionChangesTheEndsOfARowOnly(t *testing.T) {
	t.Parallel()
	inks := rows.NewInks(uitest.ColorTheme())
	const blank = "\x1b[7m  \x1b[27m"
	for text, inner := range map[string]string{
		"one           ": "one         " + blank,
		"one":            "one         " + blank,
		"one        two": "one        two", // letters are not reversed
		"\x1b[91mone\x1b[m  \x1b[90mtwo   end\x1b[m": "\x1b[91mone\x1b[m  \x1b[90mtwo   end\x1b[m",
		"\x1b[91mone\x1b[m  \x1b[90mtwo   e  \x1b[m": "\x1b[91mone\x1b[m  \x1b[90mtwo   e\x1b[m" + blank,
		"one         界": "one         界",
		"one        界.": "one        界.",
	} {
		row := inks.Selected("◆", text, 14)
		want := "\x1b[7m›◆\x1b[27m" + inner
		if row != want || ansi.StringWidth(row) != 16 {
			t.Errorf("%q is drawn as %q, want %q", text, row, want)
		}
	}
}
