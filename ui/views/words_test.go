package views_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/views"
)

func TestForeignTextIsCleanedAndBrokenAtWords(t *testing.T) {
	t.Parallel()
	if got, want := views.Wrap("one \x1b[31mtwo three", 8), []string{"one two", "three"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnOptionStaysWholeWhereATextIsBroken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"use kubectl get nodes -o json":    {"use kubectl get nodes", "-o json"},
		"or the command, --nodes-command":  {"or the command,", "--nodes-command"},
		"(-o json) is a well-known option": {"(-o json) is a well-", "known option"},
	} {
		if got := views.Wrap(text, 23); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestADurationStaysWholeWhereATextIsBroken(t *testing.T) {
	t.Parallel()
	if got, want := views.Wrap("no message for 1 h 02 min.", 18), []string{"no message for 1 h", "02 min."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := views.Wrap("no message for 1 h.", 17), []string{"no message for", "1 h."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNoLineIsWiderThanItsRoom(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"- ca- - d", "a- db-éé-da--  é世世é-", "b-  d-bcd---bacé-ccéa- b - cd--é世ac----", "dd b-acca 世-"} {
		for width := 2; width < 14; width++ {
			for _, line := range views.Wrap(text, width) {
				if ansi.StringWidth(line) > width {
					t.Errorf("%q in %d cells has the line %q", text, width, line)
				}
			}
		}
	}
}

func TestAnErrorIsWrittenAsASentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "no answer": "No answer.", "it ended.": "It ended.", "öffnen\nging nicht": "Öffnen ging nicht.", "did you mean In?": "Did you mean In?",
	} {
		if got := views.Sentence(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWhatHasNoNameIsCalledByItsID(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{{"Roads", "7", "Roads"}, {"\x1b", "7", "7"}, {"", "", "(no name)"}} {
		if got := views.NameOf(c[0], c[1]); got != c[2] {
			t.Errorf("got %q, want %q", got, c[2])
		}
	}
}

func TestTextIsFittedByCellsNotByBytes(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
