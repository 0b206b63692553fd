package operation

import (
	"errors"
	"os"
	"slices"
	"strings"
	"unicode"
)

// CommandWords splits a command line: words are told apart by blanks, quotes and
// backslashes as a shell does it, and nothing else of a shell is known. The error
// wants the name of what holds the line before it, such as "$EDITOR".
func CommandWords(text string) (words []string, err error) {
	var word strings.Builder
	quote, inWord, escaped := rune(0), false, false
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case !unicode.IsSpace(r):
			word.WriteRune(r)
			inWord = true
		case inWord:
			words = append(words, word.String())
			word.Reset()
			inWord = false
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("has a quote or a backslash without its end")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// ProgramEnv is the environment of a program that is started from here: ours, without
// GEODECK_*, for the token is among them.
func ProgramEnv() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "GEODECK_")
	})
}
