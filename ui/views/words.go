package views

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
)

// mostLines bounds what one text takes of a screen; its JSON has it whole.
const mostLines = 200

// Wrap cleans a text and breaks it at words into lines of at most width cells.
func Wrap(text string, width int) []string {
	lines := strings.Split(ansi.Wrap(plain.Text(text), max(1, width), " "), "\n")
	return lines[:min(len(lines), mostLines)]
}

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

// NameOf returns what to call something that may have no name; clean.
func NameOf(name, id string) string {
	if name = plain.Line(name); name != "" {
		return name
	}
	if id = plain.Line(id); id != "" {
		return id
	}
	return "(no name)"
}

// Sentence returns a text as one line with a capital and a full stop; clean.
func Sentence(text string) string {
	text = plain.Line(text)
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(text[size:], ".") + "."
}
