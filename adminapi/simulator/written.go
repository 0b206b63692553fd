package simulator

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// written is JSON as it stands, in pieces: what is long and was written before
// is not copied for each answer.
type written [][]byte

// MarshalJSON joins the pieces.
func (p written) MarshalJSON() ([]byte, error) { return bytes.Join(p, nil), nil }

func (p written) size() int {
	n := 0
	for _, piece := range p {
		n += len(piece)
	}
	return n
}

// appendText writes a text as a JSON string. Bytes that are no UTF-8 stay as they
// are: some servers send them.
func appendText(to []byte, text string) []byte {
	to = append(to, '"')
	if simple(text) {
		return append(append(to, text...), '"')
	}
	for len(text) > 0 {
		good := 0
		for good < len(text) {
			r, size := utf8.DecodeRuneInString(text[good:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			good += size
		}
		if good > 0 {
			quoted, _ := json.Marshal(text[:good])
			to = append(to, quoted[1:len(quoted)-1]...)
		}
		if good < len(text) {
			to = append(to, text[good])
			good++
		}
		text = text[good:]
	}
	return append(to, '"')
}

// simple tells whether a text is written as it stands: nearly every one is, and
// there may be a hundred thousand.
func simple(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
