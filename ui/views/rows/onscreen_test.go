package rows_test

import (
	"slices"
	"testing"

	"geodeck/ui/views/rows"
)

func TestRowsOnTheScreenAreThoseThatAreDrawn(t *testing.T) {
	l := list(numbers(100), 40, 5)
	if on := slices.Collect(l.OnScreen()); !slices.Equal(on, []int{0, 1, 2, 3, 4}) {
		t.Errorf("on the screen: %v", on)
	}
	l.Do(rows.Bottom)
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
	for _, c := range []struct {
		height, at int
		first      int // on the screen then
	}{{3, 3, 3}, {4, 3, 3}, {5, 3, 2}, {6, 3, 1}, {20, 3, 0}, {5, 0, 0}} {
		l := list(shelf{"0 a", "0 b", "0 c", "0 d", "1 e", "1 f", "1 g", "0 h", "0 i", "0 j", "0 k", "0 l"}, 40, c.height)
		l.Near(c.at)
		l.ShowOpened()
		if on := slices.Collect(l.OnScreen()); on[0] != c.first || !slices.Contains(on, c.at) {
			t.Errorf("with the cursor on %d of %d rows: %v", c.at, c.height, on)
		}
	}
}
