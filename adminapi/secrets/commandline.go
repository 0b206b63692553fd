package secrets

import (
	"strings"

	"geodeck/adminapi/pattern"
)

const (
	// hidden stands in place of a secret in a command line.
	hidden        = "…"
	minSecretWord = 4 // bytes; masking every "a" of a sentence would reveal more than it hides

	// separator joins the words of a command line while secrets are searched for: words may hold
	// blanks.
	separator = "\x00"
	// publicVariable names files, and is shown.
	publicVariable = "KUBECONFIG="

	flag      = `(?:--?[\w.-]*(?i:` + words + `|bearer|auth|header)[\w.-]*|--user|-[uHp])`
	part      = `(?:"[^"\x00]*"|'[^'\x00]*'|[^\s\x00]+)`
	shellWord = part + `(?:\\["']` + part + `?)*` // such as 'it'\''s secret'
)

// inCommands match secrets of a command line: the value of a flag (of kubectl, oc, curl, ssh and the
// like, also inside the script of a shell), of a variable for env, in an address, or what looks like
// a header or a token.
var inCommands = patterns{
	pattern.New(`(?:^|\x00)` + flag + `[=\x00]([^\x00]+)`),
	pattern.New(`\s["']?` + flag + `(?:=|\s+)(` + shellWord + `)`),
	pattern.New(`(?:^|[\s\x00])-[uHp]([^\s\x00-][^\x00]*)`),
	pattern.New(`(?:^|\x00)[A-Z_][A-Z0-9_]*=([^\x00]+)`),
	pattern.New(`[\s;&(][A-Z_][A-Z0-9_]*=(` + shellWord + `)`),
	pattern.New(`\b(?i:bearer|basic)\s+([^\s\x00"']+)`),
	pattern.New(`://([^/@\s\x00]+)@`),
	pattern.New(`(?:^|[^\w])(eyJ[\w-]{8}[\w.-]*)`),
}

// CommandLine joins the words of a command line, with what looks like a secret hidden.
func CommandLine(words []string) string {
	return strings.ReplaceAll(hideInCommand(strings.Join(words, separator)), separator, " ")
}

func hideInCommand(text string) string {
	for _, place := range inCommands {
		var out strings.Builder
		end := 0 // of what is in out
		for _, at := range place().FindAllStringSubmatchIndex(text, -1) {
			if !strings.HasSuffix(text[:at[2]], publicVariable) {
				out.WriteString(text[end:at[2]] + hidden)
				end = at[3]
			}
		}
		text = out.String() + text[end:]
	}
	return text
}

// CommandOutput hides the hidden words of a command line in the output of its program: programs
// repeat what they do not understand.
func CommandOutput(words []string, text string) string {
	shown := CommandLine(words)
	quoteOrBlank := func(r rune) bool { return strings.ContainsRune(" \t\n\"'", r) }
	for _, word := range words {
		_, value, _ := strings.Cut(word, "=")
		for _, part := range append([]string{value, word}, strings.FieldsFunc(word, quoteOrBlank)...) {
			if len(part) >= minSecretWord && !strings.Contains(shown, part) {
				text = strings.ReplaceAll(text, part, hidden)
			}
		}
	}
	return hideInCommand(text)
}
