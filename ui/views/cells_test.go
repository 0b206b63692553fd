package views_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/views"
)

func TestTextIsFittedByCellsNotByBytes(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"abc", 5, "abc  "},
		{"abcdef", 4, "abc…"},
		{"日本語", 4, "日… "},
		{"日本語", 6, "日本語"},
		{"x", 0, ""},
		{"\x1b[31mabcdef\x1b[0m", 3, "\x1b[31mab…\x1b[0m"},
	} {
		if got := views.Fit(c.in, c.width, "…"); got != c.want {
			t.Errorf("%q in %d cells: %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func TestABlockHasExactlyItsSize(t *testing.T) {
	block := strings.Split(views.Block([]string{"one", "a longer line"}, 6, 3, "~"), "\n")
	if len(block) != 3 {
		t.Fatalf("%d lines, want 3", len(block))
	}
	for _, line := range block {
		if ansi.StringWidth(line) != 6 {
			t.Errorf("%q is not 6 cells wide", line)
		}
	}
}
