package adminapi

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// longestEcho is how many bytes of a secret file in a row may stand in an error.
// Any text repeats some bytes of a licence, the name of a product for instance.
const longestEcho = 15

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

var quotedCode = regexp.MustCompile(`"[^"\\\s]{8,15}"`)

// maskCodes hides the short values of a JSON text that look like codes of an
// authorization: letters and digits without a space.
func (h hiddenContent) maskCodes(text string) string {
	for _, at := range quotedCode.FindAllIndex(h, -1) {
		code := string(h[at[0]+1 : at[1]-1])
		if strings.ContainsFunc(code, unicode.IsDigit) && strings.ContainsFunc(code, unicode.IsLetter) {
			text = strings.ReplaceAll(text, code, masked)
		}
	}
	return text
}
