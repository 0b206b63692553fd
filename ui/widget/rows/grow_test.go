package rows_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"geodeck/ui/uitest"
	"geodeck/ui/widget/rows"
)

func TestAListThatGrowsKeepsItsPlaceFilterAndSearch(t *testing.T) {
	t.Parallel()
	l := list(numbers(30), 60, 12)
	l.SetFilter("1")
	l.SetSearch("19")
	before := l.View()
	key, _ := l.Key()
	if !strings.Contains(before, "12 of 30") || !strings.Contains(before, "1 of 1 found") {
		t.Fatalf("before:\n%s", before)
	}
	l.Grow(numbers(120))
	if now, _ := l.Key(); now != key {
		t.Errorf("the cursor went from %v to %v", key, now)
	}
	grown := slices.Collect(l.Visible())
	if view := l.View(); !strings.Contains(view, "2 found") && !strings.Contains(view, "of 2 found") {
		t.Errorf("what came is not searched:\n%s", view)
	}
	l.Set(numbers(120))
	if anew := slices.Collect(l.Visible()); !slices.Equal(grown, anew) {
		t.Errorf("grown to %v, anew %v", grown, anew)
	}
	l.SetFilter("!1")
	l.Grow(numbers(130))
	if got := slices.Collect(l.Visible()); slices.Contains(got, 121) || !slices.Contains(got, 99) {
		t.Errorf("a turned filter lets %v through", got)
	}
}

func TestASearchGoesToWhatItFindsAndBackWhenGivenUp(t *testing.T) {
	t.Parallel()
	l := list(numbers(50), 60, 12)
	l.GoDown()
	before, _ := l.Selected()
	l.StartSearch()
	for _, key := range uitest.Text("31") {
		l.Type(key)
	}
	if at, _ := l.Selected(); at == before || !l.Typing() {
		t.Errorf("the search did not go along: row %d", at)
	}
	l.Type(uitest.Key("esc"))
	if at, _ := l.Selected(); at != before || l.Search() != "" || l.Len() != 50 {
		t.Errorf("given up at row %d with %q", at, l.Search())
	}
	l.SetSearch("nowhere")
	if view := l.View(); !strings.Contains(view, "not found") {
		t.Errorf("nothing found:\n%s", view)
	}
	do(t, l, rows.Next)
	uitest.Fits(t, l.View(), 60, 12)
}

func TestMarksStayWhereAFilterHidesThem(t *testing.T) {
	t.Parallel()
	l := list(numbers(20), 60, 12)
	l.Mark()
	l.Mark()
	l.SetFilter("7")
	l.GoBottom()
	do(t, l, rows.Range)
	if got := l.Chosen(); !slices.Equal(got[:2], []int{0, 1}) || len(got) != 3 || l.Marked() != 3 {
		t.Errorf("chosen %v", got)
	}
	l.SetFilter("")
	l.GoTop()
	do(t, l, rows.Range)
	l.GoDown()
	l.GoDown()
	if l.Marked() != 3 || len(l.Chosen()) != 3 { // two of the range are marked already
		t.Errorf("%d marked, chosen %v", l.Marked(), l.Chosen())
	}
	if !l.Unmark() || l.Marked() != 0 || l.Unmark() {
		t.Error("marks are still there")
	}
}

func TestAHighlightKeepsTheText(t *testing.T) {
	t.Parallel()
	base, match := rows.Ink{}, rows.NewInk(uitest.ColorTheme().Match)
	for text, want := range map[string]string{
		"PostgreSQL in postgres": match.On("Postgre") + "SQL in " + match.On("postgre") + "s",
		"nothing":                "nothing",
		"İ postgres":             "İ postgres", // places of capitals and small letters differ
		"":                       "",
	} {
		if got := rows.Highlight(text, "postgre", base, match); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
	}
}

// BenchmarkGrow is one row more, and the frame after it.
func BenchmarkGrow(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			all := numbers(n + b.N)
			l := list(all[:n], 100, 40)
			b.ResetTimer()
			for i := range b.N {
				l.Grow(all[:n+i+1])
				l.GoBottom()
				_ = l.View()
			}
		})
	}
}

func TestRowsOnTheScreenAreThoseThatAreDrawn(t *testing.T) {
	t.Parallel()
	l := list(numbers(100), 40, 5)
	if on := slices.Collect(l.OnScreen()); !slices.Equal(on, []int{0, 1, 2, 3, 4}) {
		t.Errorf("on the screen: %v", on)
	}
	l.GoBottom()
	if on := slices.Collect(l.OnScreen()); !slices.Equal(on, []int{95, 96, 97, 98, 99}) {
		t.Errorf("at the end: %v", on)
	}
	l.SetFilter("row 7") // its line takes the room of a row
	if on := slices.Collect(l.OnScreen()); len(on) != 4 || len(shown(l)) != 5 {
		t.Errorf("with a filter: %v", on)
	}
	l.SetFilter("none of them")
	if on := slices.Collect(l.OnScreen()); len(on) != 0 {
		t.Errorf("of nothing: %v", on)
	}
}

func TestWhatStandsBelowARowIsShownAsFarAsThereIsRoom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		height, at int
		first      int // on the screen then
	}{{3, 3, 3}, {4, 3, 3}, {5, 3, 2}, {6, 3, 1}, {20, 3, 0}, {5, 0, 0}} {
		l := list(shelf{"0 a", "0 b", "0 c", "0 d", "1 e", "1 f", "1 g", "0 h", "0 i", "0 j", "0 k", "0 l"}, 40, c.height)
		l.GoNear(c.at)
		l.ShowOpened()
		if on := slices.Collect(l.OnScreen()); on[0] != c.first || !slices.Contains(on, c.at) {
			t.Errorf("with the cursor on %d of %d rows: %v", c.at, c.height, on)
		}
	}
}

func TestAFollowedListFillsTheScreenUpToItsNewestRow(t *testing.T) {
	t.Parallel()
	l := list(numbers(4), 20, 10)
	l.GoBottom()
	if got := shown(l); got[0] != "row 0" || len(got) != 4 {
		t.Fatalf("a screen that is not full shows %q", got)
	}
	for n := 5; n <= 40; n++ {
		l.Grow(numbers(n))
		l.GoBottom()
		if got := shown(l); got[len(got)-1] != "row "+strconv.Itoa(n-1) || len(got) != min(n, 10) {
			t.Fatalf("with %d rows: %q", n, got)
		}
	}
	l.SetSize(20, 9)
	if got := shown(l); got[8] != "row 39" {
		t.Errorf("after a resize: %q", got)
	}
}
