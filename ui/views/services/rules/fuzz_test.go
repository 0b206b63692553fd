package rules_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/placement"
	"geodeck/ui/uitest"
)

// fuzzedKeys are what the bytes of a fuzzed input press; any other byte is typed.
var fuzzedKeys = map[byte]string{
	1: "down", 2: "up", 3: "left", 4: "right", 5: "enter", 6: "esc", 7: "tab", 8: "backspace", 9: "delete", 10: "space", 11: "home", 12: "end",
	14: "shift+tab", 15: "ctrl+u", 16: "ctrl+w", 17: "ctrl+r", 18: "+", 19: "p",
}

// pasteByte pastes.
const pasteByte = 0

// FuzzTyping presses keys in the boxes of rules and pastes text into them. The policy can
// always be read, a paste alone never changes it and ends no typing, and all that was done is
// undone byte for byte.
func FuzzTyping(f *testing.F) {
	for _, keys := range []string{"\x12\x01\x01e\x0f\x00\x05", "\x12\x01\x01\x01a\x00\x07\x00\x07\x00\x05", "\x12\x01\x01A\x00\x05", "\x12\x01\x01\x01\x01e\x0e\x0e\x00\x06y", "/\x00\x05n", "\x12\x01\x01e\x06d\x01K"} {
		for _, paste := range []string{"gpu\r", "a100, h100\n, ,", "\x1b[2J\u202e", "-1", "kubernetes.io/hostname"} {
			f.Add([]byte(keys), paste)
		}
	}
	text := file(f, "two.json")
	f.Fuzz(func(t *testing.T, keys []byte, paste string) {
		if len(keys) > 60 || len(paste) > 1000 {
			return
		}
		s := openIn(t, uitest.Theme(), 70, 18, text)
		for _, key := range keys {
			before, captures := s.text(), s.CapturesText()
			switch name, named := fuzzedKeys[key]; {
			case key == pasteByte:
				s.Send(uitest.Paste(paste))
				if now := s.text(); now != before || captures != s.CapturesText() {
					t.Fatalf("after %q the paste of %q makes %q of %q", keys, paste, now, before)
				}
			case named:
				s.Press(name)
			default:
				s.Type(string(rune(key)))
			}
			s.Draw()
			if now := s.text(); now != before {
				if _, err := placement.Parse([]byte(now)); err != nil {
					t.Fatalf("%q: %v in %q", keys, err, now)
				}
			}
		}
		s.giveUp()
		s.Press(strings.Repeat("u ", len(keys)+1))
		s.is(text)
	})
}
