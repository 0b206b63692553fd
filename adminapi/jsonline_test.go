package adminapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"geodeck/adminapi"
)

// unsafeCharacters are those that a terminal obeys, or that hide or turn text.
func unsafeCharacters() string {
	var all strings.Builder
	for r := rune(0); r <= 0x9f; r++ {
		if r < ' ' || r >= 0x7f {
			all.WriteRune(r)
		}
	}
	all.WriteString("\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\ufeff\U000e0041")
	for r := '\u202a'; r <= '\u202e'; r++ {
		all.WriteRune(r)
	}
	for r := '\u2066'; r <= '\u2069'; r++ {
		all.WriteRune(r)
	}
	return all.String()
}

func TestALineOfJSONHoldsNoCharacterThatATerminalObeys(t *testing.T) {
	t.Parallel()
	expectSafeLine(t, "before "+unsafeCharacters()+" ‹é 漢 😀› after")
	for _, r := range unsafeCharacters() {
		expectSafeLine(t, string(r))
	}
	line, err := adminapi.JSONLine(adminapi.UpgradeMessage{Message: "a\xffb", Unknown: []byte("{\"x\u202e\":\"\u009b\"}")})
	if err != nil || strings.ContainsAny(string(line), unsafeCharacters()) || !strings.Contains(string(line), `"x\u202e":"\u009b"`) {
		t.Errorf("%q, %v", line, err)
	}
}

func FuzzJSONLine(f *testing.F) {
	f.Add("plain")
	f.Add("a\u009b31mb\u202ec\x7f\U000e0041")
	f.Fuzz(func(t *testing.T, text string) { expectSafeLine(t, strings.ToValidUTF8(text, "?")) })
}

// expectSafeLine fails unless a text is in its line of JSON, and none of those characters.
func expectSafeLine(t *testing.T, text string) {
	t.Helper()
	line, err := adminapi.JSONLine(map[string]string{"text": text, text: "name"})
	if err != nil || strings.ContainsAny(string(line), unsafeCharacters()) {
		t.Fatalf("%q, %v", line, err)
	}
	var read map[string]string
	if err := json.Unmarshal(line, &read); err != nil || read["text"] != text && text != "text" || read[text] != "name" && text != "text" {
		t.Fatalf("%q is read as %q, %v", line, read, err)
	}
}
