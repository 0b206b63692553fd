package plain

import (
	"strconv"
	"strings"
)

// Plural writes a number with its word: "1 patch", "2 patches".
func Plural(n int, word string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(word, "ch"):
		word += "es"
	default:
		word += "s"
	}
	return strconv.Itoa(n) + " " + word
}
