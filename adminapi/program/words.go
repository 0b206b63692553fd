package program

import (
	"errors"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Words splits a command line at blanks, with the quotes and backslashes of a shell.
// The error goes behind the name of what holds the line, such as "$EDITOR".
func Words(text string) (words []string, err error) {
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
		return nil, errors.New("has an unclosed quote or backslash")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

const (
	hidden        = "…"
	minSecretWord = 4 // bytes; masking every "a" of a sentence would reveal more than it hides
)

// separator joins the words of a command line while secrets are searched for: words may hold
// blanks.
const separator = "\x00"

// publicVariable names files, and is shown.
const publicVariable = "KUBECONFIG="

// secretPlaces match secrets of a command line: the value of a flag (of kubectl, oc, curl,
// ssh and the like, also inside the script of a shell), of a variable for env, in an
// address, or what looks like a header or a token. The last group is hidden.
var secretPlaces = sync.OnceValue(func() (places []*regexp.Regexp) {
	const (
		long   = `--?[\w.-]*(?i:token|passw|passphrase|secret|credential|bearer|auth|header|api-?key|private-?key)[\w.-]*|--user|-[uHp]`
		part   = `(?:"[^"\x00]*"|'[^'\x00]*'|[^\s\x00]+)`
		quoted = part + `(?:\\["']` + part + `?)*` // such as 'it'\''s secret'
	)
	for _, pattern := range []string{
		`((?:^|\x00)(?:` + long + `)[=\x00])([^\x00]+)`,
		`(\s["']?(?:` + long + `)(?:=|\s+))(` + quoted + `)`,
		`((?:^|[\s\x00])-[uHp])([^\s\x00-][^\x00]*)`,
		`((?:^|\x00)[A-Z_][A-Z0-9_]*=)([^\x00]+)`,
		`([\s;&(][A-Z_][A-Z0-9_]*=)(` + quoted + `)`,
		`(\b(?i:bearer|basic)\s+)([^\s\x00"']+)`,
		`(://)([^/@\s\x00]+)@`,
		`(^|[^\w])(eyJ[\w-]{8}[\w.-]*)`,
	} {
		places = append(places, regexp.MustCompile(pattern))
	}
	return places
})

// Line joins the words of a command line, with what looks like a secret hidden.
func Line(words []string) string {
	return strings.ReplaceAll(maskSecrets(strings.Join(words, separator)), separator, " ")
}

// maskSecrets hides what looks like a secret in a text.
func maskSecrets(text string) string {
	for _, place := range secretPlaces() {
		text = place.ReplaceAllStringFunc(text, func(found string) string {
			at := place.FindStringSubmatchIndex(found)
			if strings.HasSuffix(found[:at[4]], publicVariable) {
				return found
			}
			return found[:at[4]] + hidden + found[at[5]:]
		})
	}
	return text
}

// maskWords hides the hidden words of a command line in the output of its program: programs
// repeat what they do not understand.
func maskWords(words []string, text string) string {
	shown := Line(words)
	quoteOrBlank := func(r rune) bool { return strings.ContainsRune(" \t\n\"'", r) }
	for _, word := range words {
		_, value, _ := strings.Cut(word, "=")
		for _, part := range append([]string{value, word}, strings.FieldsFunc(word, quoteOrBlank)...) {
			if len(part) >= minSecretWord && !strings.Contains(shown, part) {
				text = strings.ReplaceAll(text, part, hidden)
			}
		}
	}
	return maskSecrets(text)
}
