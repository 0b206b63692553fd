package operation

import (
	"regexp"
	"strings"
	"sync"
)

const (
	hidden       = "…"
	shortestWord = 4 // masking every "a" of a sentence would tell more than it hides
)

// between stands between the words of a command line while secrets are looked for: a
// word may hold blanks itself.
const between = "\x00"

// harmless is a variable for env that names files.
const harmless = "KUBECONFIG="

// secretPlaces are how secrets stand on a command line: the value of a flag (of kubectl,
// oc, curl, ssh and the like, also inside the script of a shell), of a variable for env,
// in an address, or as what a header or a token looks like. The last group is hidden.
var secretPlaces = sync.OnceValue(func() (places []*regexp.Regexp) {
	const (
		long   = `--?[\w.-]*(?i:token|passw|passphrase|secret|credential|bearer|auth|header|api-?key|private-?key)[\w.-]*|--user|-[uHp]`
		quoted = `"[^"\x00]*"|'[^'\x00]*'|[^\s\x00]+`
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

// withoutSecrets writes a command line for a person, with blanks between its words.
func withoutSecrets(words []string) string {
	return strings.ReplaceAll(maskSecrets(strings.Join(words, between)), between, " ")
}

func maskSecrets(text string) string {
	for _, place := range secretPlaces() {
		text = place.ReplaceAllStringFunc(text, func(found string) string {
			at := place.FindStringSubmatchIndex(found)
			if strings.HasSuffix(found[:at[4]], harmless) {
				return found
			}
			return found[:at[4]] + hidden + found[at[5]:]
		})
	}
	return text
}

// withoutSecretsOf hides in what a program says whatever of its command line is not
// shown: programs repeat what they do not understand.
func withoutSecretsOf(words []string, said string) string {
	shown := withoutSecrets(words)
	for _, word := range words {
		_, value, _ := strings.Cut(word, "=")
		for _, part := range append([]string{value, word}, strings.FieldsFunc(word, isQuoteOrBlank)...) {
			if len(part) >= shortestWord && !strings.Contains(shown, part) {
				said = strings.ReplaceAll(said, part, hidden)
			}
		}
	}
	return maskSecrets(said)
}

func isQuoteOrBlank(r rune) bool { return strings.ContainsRune(" \t\n\"'", r) }
