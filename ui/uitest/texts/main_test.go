package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// The longest texts of commands are their help, which is read at leisure.
func TestNoSentenceOnAScreenIsLong(t *testing.T) {
	t.Parallel()
	texts, err := collect(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	screens := 0
	for _, text := range texts {
		if !strings.HasPrefix(text.file, "ui/") || strings.HasPrefix(text.file, "ui/cli/") {
			continue
		}
		screens++
		if words := most(text.said); words > longest {
			t.Errorf("%s:%d: a sentence of %d words, more than %d: %s", text.file, text.line, words, longest, text.said)
		}
	}
	if screens < 1000 {
		t.Errorf("only %d texts of screens were found", screens)
	}
}

func TestWordsOfTheLongestSentenceAreCounted(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]int{
		"":                             0,
		"Nothing was sent.":            3,
		"One. Two words; and now here": 3,
		"A head:\n  a b c d":           4,
		"…  %d of %d are read.":        6,
	} {
		if got := most(said); got != want {
			t.Errorf("%q: %d words, want %d", said, got, want)
		}
	}
}
