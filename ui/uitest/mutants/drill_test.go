package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestEveryFaultIsStillInTheProgram(t *testing.T) {
	t.Parallel()
	m := parsed(t)
	for _, f := range faults() {
		if _, err := f.cuts.mutated(m); err != nil {
			t.Errorf("%s: %v", f.what, err)
		}
	}
}

// A fault that repeats a guard asks nothing new: its tests were named already.
func TestNoFaultIsPlantedTwiceOrAGuard(t *testing.T) {
	t.Parallel()
	known := map[string]string{}
	for _, g := range guards() {
		known[fmt.Sprint(g.cuts)] = g.holds
	}
	words := map[string]bool{}
	for _, f := range faults() {
		if other := known[fmt.Sprint(f.cuts)]; other != "" {
			t.Errorf("%s: this is %q", f.what, other)
		}
		if words[f.what] || f.what == "" || strings.ContainsAny(f.what, "|\n") {
			t.Errorf("the words are taken, empty, or no cell of a table: %q", f.what)
		}
		known[fmt.Sprint(f.cuts)], words[f.what] = f.what, true
	}
}

// Replacements are values, names and calls: code of several statements would quote source, and change with it.
func TestNoCutWritesAProgram(t *testing.T) {
	t.Parallel()
	cuts := mutant{}
	for _, g := range guards() {
		cuts = append(cuts, g.cuts...)
	}
	for _, f := range faults() {
		cuts = append(cuts, f.cuts...)
	}
	for _, c := range cuts {
		for _, word := range []string{";", "\n", "{ ", " = ", " := ", "if "} {
			if strings.Contains(c.to, word) {
				t.Errorf("%s", c)
			}
		}
	}
}

func TestThePageHasEveryFaultAndNoOther(t *testing.T) {
	t.Parallel()
	page, err := readPage(root)
	if err != nil {
		t.Fatal(err)
	}
	promises := page.promises()
	var want []string
	for _, f := range faults() {
		want = append(want, f.what)
		if promises[f.promise].folders == nil {
			t.Errorf("%s: there is no promise %d", f.what, f.promise)
		}
		if l := page.lines[f.what]; l.promise != f.promise || l.isMissed() {
			t.Errorf("of the promise, or missed without a reason: %s", l)
		}
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(page.lines)); !slices.Equal(got, want) {
		t.Errorf("the table has\n%q, want\n%q\nmake drill PAGE=1 writes it", got, want)
	}
	if !strings.Contains(page.text, "\nTogether: "+page.total()+".\n") {
		t.Errorf("together: %s", page.total())
	}
}

func TestAFaultIsCaughtByMostRangesOrByATest(t *testing.T) {
	t.Parallel()
	f := planted(7, "a lie")
	for _, c := range []struct {
		result result
		before string
		want   string
		missed bool
	}{
		{result{days: []int{30, 4, 9}}, "", "| 7 | a lie | 9 | 30 |  |", false},
		{result{days: []int{30, 0, 9}}, "", "| 7 | a lie | 30 | none |  |", false},
		{result{days: []int{30, 9, 4}, hangs: true}, "", "| 7 | a lie | 9, hangs | 30, hangs |  |", false},
		{result{days: []int{0, 9, 0}, tried: true, test: "TestA/b"}, "", "| 7 | a lie | none | none | `TestA/b` |", false},
		{result{days: []int{0, 0}, tried: true}, "", "| 7 | a lie | none | none | nothing |", true},
		{result{days: []int{0, 0}, tried: true}, "nothing: as said", "| 7 | a lie | none | none | nothing: as said |", false},
	} {
		p := page{lines: map[string]line{f.what: {test: c.before}}}
		if got := p.note(f, c.result); got.String() != c.want || got.isMissed() != c.missed {
			t.Errorf("%+v: %s, missed %v", c.result, got, got.isMissed())
		}
	}
}

func TestThoseThatUseAPackageComeByTheirDistance(t *testing.T) {
	t.Parallel()
	u := users{"a": {"a", "b"}, "b": {"b", "c"}, "c": {"c"}, "d": {"d"}}
	if near, far := u.of([]string{"a"}); !slices.Equal(near, []string{"a", "b"}) || !slices.Equal(far, []string{"c"}) {
		t.Errorf("near %q, far %q", near, far)
	}
}
