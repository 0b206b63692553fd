package adminapi

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// longestEcho is how many bytes of a secret file in a row may stand in an error.
// Any text repeats some bytes of a licence, the name of a product for instance.
const longestEcho = 15

const shortestCode = 8 // bytes

// hiddenContent is the content of a secret file, which a server may quote in
// part where it complains of it.
type hiddenContent []byte

// hiding returns a scrubber that masks what a text repeats of contents too.
func (s scrubber) hiding(contents [][]byte) scrubber {
	for _, content := range contents {
		s.hidden = append(slices.Clip(s.hidden), content)
	}
	return s
}

// mask hides what text has in common with the content.
func (h hiddenContent) mask(text string) string {
	if text == "" {
		return text
	}
	return h.maskCodes(h.maskRuns(text))
}

// maskRuns hides every run of more than longestEcho bytes.
func (h hiddenContent) maskRuns(text string) string {
	const window = longestEcho + 1
	if len(text) < window || len(h) < window {
		return text
	}
	shared := make(map[string]bool, len(text))
	for i := range len(text) - window + 1 {
		shared[text[i:i+window]] = false
	}
	for i := range len(h) - window + 1 {
		if found, known := shared[string(h[i:i+window])]; known && !found {
			shared[string(h[i:i+window])] = true
		}
	}
	var b strings.Builder
	end := 0 // of what is hidden or written
	for i := range len(text) - window + 1 {
		if !shared[text[i:i+window]] {
			continue
		}
		if i >= end {
			b.WriteString(text[end:i] + masked)
		}
		end = i + window
	}
	return b.String() + text[end:]
}

// maskCodes hides words that stand in the content as a value of their own and
// look like codes of an authorization: letters and digits, no more than
// longestEcho of them. Versions, dates and words of prose stay.
func (h hiddenContent) maskCodes(text string) string {
	for _, word := range strings.FieldsFunc(text, isBetweenWords) {
		word = strings.TrimRight(word, ".!?")
		if len(word) < shortestCode || len(word) > longestEcho ||
			!strings.ContainsFunc(word, unicode.IsDigit) || !strings.ContainsFunc(word, unicode.IsLetter) {
			continue
		}
		if bytes.Contains(h, []byte(`"`+word+`"`)) {
			text = strings.ReplaceAll(text, word, masked)
		}
	}
	return text
}

func isBetweenWords(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'`,;:()[]{}<>=", r)
}
