package views

import (
	_ "embed"
	"strings"
)

// keyList has a line for each row with a key, after its head: the id, and the key. `make pages` writes
// it from the tables, and a test compares them: a view does not know the rows of another one, and its
// sentences may name them.
//
//go:embed keys.txt
var keyList string

// KeyOf returns the key of a row, as Bubble Tea names it; empty for one without a key.
func KeyOf(row string) string {
	_, rest, _ := strings.Cut(keyList, "\n"+row+"\t")
	key, _, _ := strings.Cut(rest, "\n")
	return key
}

// keyMark begins the name of a row in a sentence, which ends with a brace.
const keyMark = "{key:"

// Keys writes each {key:ROW} of a sentence as the key of that row, as help spells it.
func Keys(sentence string) string {
	var done strings.Builder
	for {
		before, rest, found := strings.Cut(sentence, keyMark)
		if done.WriteString(before); !found {
			return done.String()
		}
		row, after, _ := strings.Cut(rest, "}")
		done.WriteString(KeyLabel(KeyOf(row), true))
		sentence = after
	}
}
