package journal

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const (
	masked        = "[secret]"
	longestValue  = 200 // bytes of a field that is stored as it is
	shortestMask  = 4   // masking every "a" of a sentence would tell more than it hides
	tellingLength = 24  // bytes of a text in a hidden value that nobody writes twice by chance
)

var (
	// These are guessed too easily for their checksum to be stored.
	secretNames = regexp.MustCompile(`(?i)token|passw|passphrase|secret|credential|api_?key|private_?key`)
	// These are stored as their checksum whatever their length.
	hiddenNames = regexp.MustCompile(`(?i)settings|licen[cs]e|definition|certificate|manifest|^service(json)?$`)

	assignment = regexp.MustCompile(`(?i)([a-z_.-]*(?:token|passw(?:or)?d|passphrase|secret|credentials?|api_?key)[a-z_]*=)[^\s&"'<>]+`)
	jsonMember = regexp.MustCompile(`(?i)("[^"]*(?:token|passw(?:or)?d|passphrase|secret|credential|api_?key)[^"]*"\s*:\s*")(?:[^"\\]|\\.)*`)
	bearer     = regexp.MustCompile(`(?i)\b(bearer\s+)[^\s"',;]+`)
)

// secretWords are in every text that a pattern can match, by their first letter. They
// are looked for first: patterns are slow, and logs are long.
var secretWords = [256][]string{
	't': {"token"}, 'p': {"passw", "passphrase", "privatekey", "private_key"}, 's': {"secret"},
	'c': {"credential"}, 'a': {"apikey", "api_key"}, 'b': {"bearer"},
}

// These are taken by patterns for an s and a k.
const longS, kelvin = "ſ", "\u212a"

func maySecret(text string) bool {
	for i := range len(text) - 1 {
		for _, word := range secretWords[text[i]|' '] {
			if end := i + len(word); text[i+1]|' ' == word[1] && end <= len(text) && strings.EqualFold(text[i:end], word) {
				return true
			}
		}
	}
	return strings.Contains(text, longS) || strings.Contains(text, kelvin)
}

// maskText masks what looks like a secret in any text.
func maskText(text string) string {
	if !maySecret(text) {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	for _, pattern := range []*regexp.Regexp{assignment, jsonMember, bearer} {
		text = pattern.ReplaceAllString(text, "${1}"+masked)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// storable returns fields as the log may hold them.
func storable(fields url.Values) url.Values {
	if len(fields) == 0 {
		return nil
	}
	kept := make(url.Values, len(fields))
	for name, values := range fields {
		shown := strings.ToValidUTF8(name, "\uFFFD")
		for _, value := range values {
			kept[shown] = append(kept[shown], storableValue(name, value))
		}
	}
	return kept
}

func storableValue(name, value string) string {
	switch {
	case value == "":
		return ""
	case secretNames.MatchString(name):
		return masked
	case isHidden(name, value):
		return fmt.Sprintf("sha256:%s (%d bytes)", hashOf([]byte(value)), len(value))
	}
	return maskText(value)
}

func isHidden(name, value string) bool {
	return len(value) > longestValue || hiddenNames.MatchString(name)
}

// secretsIn collects what an error must not repeat: hidden values, and the
// texts inside them that are secrets by name or by length.
func secretsIn(fields url.Values) []string {
	var found []string
	for name, values := range fields {
		for _, value := range values {
			switch {
			case secretNames.MatchString(name):
				found = append(found, value)
			case isHidden(name, value):
				found = append(found, value)
				found = append(found, textsInside(value)...)
			}
		}
	}
	found = slices.DeleteFunc(found, func(s string) bool { return len(s) < shortestMask || s == masked })
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) })
	return found
}

func textsInside(value string) []string {
	var document any
	if json.Unmarshal([]byte(value), &document) != nil {
		return nil
	}
	return collect(nil, "", document)
}

func collect(found []string, name string, value any) []string {
	switch v := value.(type) {
	case map[string]any:
		for member, inner := range v {
			found = collect(found, member, inner)
		}
	case []any:
		for _, inner := range v {
			found = collect(found, name, inner)
		}
	case string:
		if len(v) >= tellingLength || secretNames.MatchString(name) || hiddenNames.MatchString(name) {
			found = append(found, v)
		}
	}
	return found
}

// without masks the given secrets, the longest first, and what looks like one.
func without(secrets []string, text string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, masked)
	}
	return maskText(text)
}
