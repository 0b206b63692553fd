package widget_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// FuzzConfirm gives keys and pastes to a question. Only y alone answers yes, or the whole word
// that was typed key by key and then enter; the question always fits and obeys nothing.
func FuzzConfirm(f *testing.F) {
	for _, word := range []string{"", "12.0.0.7286", "Süd\u202e\x1b[2J", "y"} {
		for _, keys := range []string{"y", "\x00\x01", "12.0.0.7286\x01", "1x\x0212.0.0.7286\x01", "Y n", "\x03\x03\x04y"} {
			f.Add(word, keys, word+"\ry\n")
		}
	}
	f.Add(strings.Repeat("0Q.0D", 11), "\x00\x01", "together") // once a line too many
	f.Fuzz(func(t *testing.T, word, keys, paste string) {
		if len(keys) > 100 || len(word) > 60 || !utf8.ValidString(word+keys+paste) {
			return
		}
		q := widget.Question{ID: "q", Text: word, Consequence: word, Yes: "do it", Word: word, Then: views.Send(agreed{})}
		c := widget.NewConfirm(uitest.Theme(), q)
		c.SetSize(40, 9)
		typed, pasted := "", false
		for _, char := range keys {
			key := uitest.Text(string(char))[0]
			switch char {
			case 0:
				key, pasted = uitest.Paste(paste), true
			case 1:
				key = uitest.Key("enter")
			case 2:
				key, typed, pasted = uitest.Key("ctrl+u"), "", false
			case 3:
				key = uitest.Key("down")
			case 4:
				key, pasted = uitest.Key("backspace"), false // it may have been all
				_, size := utf8.DecodeLastRuneInString(typed)
				typed = typed[:len(typed)-size]
			default:
				typed += string(char)
			}
			up := give(t, c, key)
			for _, msg := range up {
				shut, ok := msg.(views.Shut)
				if !ok {
					continue
				}
				yes := word == "" && char == 'y' || word != "" && char == 1 && !pasted && strings.HasSuffix(typed, word)
				if shut.Then != nil && !yes {
					t.Fatalf("%q answers %q with yes; pasted %v, typed %q", keys, word, pasted, typed)
				}
				return
			}
			pasted = pasted && char != 1 // what came together is emptied
			fits(t, c, 40, 9)
			uitest.Harmless(t, uitest.Seen(c))
		}
	})
}
