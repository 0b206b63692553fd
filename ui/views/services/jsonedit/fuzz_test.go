package jsonedit_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/ui/uitest"
)

// fuzzedKeys are what the bytes of a fuzzed input press; any other byte is typed.
var fuzzedKeys = map[byte]string{
	1: "down", 2: "up", 3: "left", 4: "right", 5: "enter", 6: "esc", 7: "tab", 8: "backspace", 9: "delete", 10: "space", 11: "home", 12: "end",
	14: "ctrl+s", 15: "ctrl+f", 16: "ctrl+k", 17: "ctrl+w", 18: "ctrl+u", 19: "f2", 20: "shift+tab", 21: "pgdown", 22: "ctrl+r", 23: "ctrl+end",
}

// pasteByte pastes.
const pasteByte = 0

// FuzzTyping presses keys in an editor and pastes text into it. The document is always JSON, a
// paste alone never changes it and ends no typing, whatever its lines, and all that was done
// is undone byte for byte.
func FuzzTyping(f *testing.F) {
	const text = "{\n  \"name\": \"Süd\",\n  \"capabilities\": \"Map,Query\",\n  \"minInstancesPerNode\": 1.50,\n  \"list\": [true, null],\n  \"o\": {}\n}"
	for _, keys := range []string{"\x01e\x00\x05", "\x01\x01e\x00\x0a\x07\x05", "i\x16\x00\x0e\x06y", "i\x00\x08\x0e", "\x01\x13x\x00\x05d\x01d", "a\x00\x05\x01\x01\x01\x01\x01aA\x00\x05", "/\x00\x05n\x06", "\x01e\x00\x06\x00\x06y"} {
		for _, paste := range []string{"y\r", "{\"a\": 1,\n\"a\": 2}\r\n", "\x1b[2J\u202e\t\"", "Map,\nData,,"} {
			f.Add([]byte(keys), paste)
		}
	}
	f.Fuzz(func(t *testing.T, keys []byte, paste string) {
		if len(keys) > 60 || len(paste) > 1000 {
			return
		}
		s := openIn(t, uitest.Theme(), 70, 18, text)
		for _, key := range keys {
			before, captures := s.Document().Text(), s.CapturesText()
			switch name, named := fuzzedKeys[key]; {
			case key == pasteByte:
				s.Send(uitest.Paste(paste))
				if now := s.Document().Text(); now != before || captures != s.CapturesText() {
					t.Fatalf("after %q the paste of %q makes %q of %q", keys, paste, now, before)
				}
			case named:
				s.Press(name)
			default:
				s.Type(string(rune(key)))
			}
			s.Draw()
			if now := s.Document().Text(); now != before {
				if _, err := document.Parse([]byte(now)); err != nil {
					t.Fatalf("%q: %v in %q", keys, err, now)
				}
			}
		}
		for range 5 {
			if s.CapturesText() {
				s.Press("esc")
			}
			if s.CapturesText() && s.GuardsPaste() {
				s.Press("value.discard")
			}
		}
		if s.CapturesText() {
			t.Fatalf("%q: what is typed is never left:\n%s", keys, s.View())
		}
		s.Press(strings.Repeat("u ", len(keys)+1))
		s.is(text)
	})
}
