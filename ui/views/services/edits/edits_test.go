package edits_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/edits"
	"geodeck/ui/widget/rows"
)

// However long and odd a line is, it fits, and shows the place that is typed at.
func TestALineThatIsTypedFitsItsRoomWithTheCursorInSight(t *testing.T) {
	t.Parallel()
	k := rows.NewInks(uitest.Theme())
	caret, _, marked := strings.Cut(k.Caret.On("x"), "x")
	if !marked || caret == "" {
		t.Fatalf("the cursor is drawn as %q", k.Caret.On("x"))
	}
	for _, text := range []string{"", "short", strings.Repeat("0123456789", 9), strings.Repeat("地圖", 30), "a\tb\x1b[2J\u202ec\x00d\u200be" + strings.Repeat("ä", 40), strings.Repeat("\t", 30)} {
		line := []rune(text)
		for _, cells := range []int{4, 11, 40} {
			for cursor := range len(line) + 1 {
				from := edits.Leftmost(&k, line, cursor, cells)
				shown := edits.Window(&k, line, from, cursor, cells)
				if width := ansi.StringWidth(ansi.Strip(shown)); width > cells {
					t.Fatalf("%q from %d takes %d of %d cells: %q", text, from, width, cells, shown)
				}
				at := " "
				if cursor < len(line) {
					at, _ = edits.Rune(&k, line[cursor])
				}
				if strings.Count(shown, caret) != 1 || !strings.Contains(shown, k.Caret.On(at)) {
					t.Fatalf("%q with the cursor at %d of %d cells is %q from %d", text, cursor, cells, shown, from)
				}
				uitest.Harmless(t, shown)
			}
		}
		if shown := edits.Window(&k, line, 0, -1, 40); strings.Contains(shown, caret) {
			t.Errorf("another line shows the cursor: %q", shown)
		}
	}
}

func TestEachMarkTakesOneCellAndHasASignOfItsOwn(t *testing.T) {
	t.Parallel()
	k := rows.NewInks(uitest.Theme())
	var signs []string
	for mark := edits.Same; mark <= edits.Gone; mark++ {
		var l edits.Line
		if mark.Draw(&l, &k); l.Cells != 1 || slices.Contains(signs, ansi.Strip(l.String())) {
			t.Errorf("mark %d is %q beside %q, in %d cells", mark, l.String(), signs, l.Cells)
		}
		signs = append(signs, ansi.Strip(l.String()))
	}
}

func TestRowsThatNothingAllowsSaySoBeforeTheirOwnReason(t *testing.T) {
	t.Parallel()
	whyNot, ran := "", 0
	list := edits.Unless(func() string { return whyNot }, []views.Command{
		edits.Row("a", "do", "Does it.", func() { ran++ }, "x"),
		{ID: "b", Enabled: func() string { return "its own" }},
	})
	for _, c := range []struct{ whyNot, a, b string }{{"", "", "its own"}, {"all closed", "all closed", "all closed"}} {
		whyNot = c.whyNot
		if a, b := list[0].Enabled(), list[1].Enabled(); a != c.a || b != c.b {
			t.Errorf("%q and %q, want %q and %q", a, b, c.a, c.b)
		}
	}
	if list[0].Run(); ran != 1 {
		t.Errorf("run %d times", ran)
	}
}
