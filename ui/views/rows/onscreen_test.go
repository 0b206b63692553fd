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
