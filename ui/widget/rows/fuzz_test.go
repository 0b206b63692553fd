package rows_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"geodeck/ui/uitest"
	"geodeck/ui/widget/rows"
)

// FuzzFilter types a text into a filter, and deletes from it, or pastes it: what is shown then
// is what the text finds at once, no enter is pressed by a paste, and all rows are there
// without it.
func FuzzFilter(f *testing.F) {
	for _, text := range []string{"gra app", "!red a", "ple zz", "fuji\r", "a\tb\n", "!", "İ ſ K", "\x1b[2J\u202e", strings.Repeat("a ", 70), "漢字"} {
		f.Add(text, uint8(2), "x")
	}
	f.Fuzz(func(t *testing.T, text string, deleted uint8, more string) {
		if len(text) > 150 || len(more) > 40 || !utf8.ValidString(text+more) {
			return
		}
		all := list(fruit, 40, 10)
		pasted := list(fruit, 40, 10)
		pasted.StartFilter()
		pasted.Type(uitest.Paste(text))
		if !pasted.Typing() {
			t.Fatalf("the paste of %q ends the typing", text)
		}
		typed := list(fruit, 40, 10)
		typed.StartFilter()
		for _, key := range uitest.Text(text) {
			typed.Type(key)
		}
		for range deleted % 8 {
			typed.Type(uitest.Key("backspace"))
		}
		if typed.Typing() {
			for _, key := range uitest.Text(more) {
				typed.Type(key)
			}
		}
		for _, l := range []*rows.List[string]{typed, pasted} {
			uitest.Fits(t, uitest.Seen(l), 40, 10)
			uitest.Harmless(t, uitest.Seen(l))
			if l.Typing() {
				l.Type(uitest.Key("enter"))
			}
			once := list(fruit, 40, 10)
			once.SetFilter(l.Filter())
			// The cursor may be where a longer text has led.
			if got, want := strings.Join(shown(l), "\n"), strings.Join(shown(once), "\n"); got != want {
				t.Fatalf("%q, of %q, %d and %q, shows\n%s\nat once\n%s", l.Filter(), text, deleted%8, more, got, want)
			}
			l.SetFilter("")
			if got, want := strings.Join(shown(l), "\n"), strings.Join(shown(all), "\n"); got != want {
				t.Fatalf("behind the filter is\n%s", got)
			}
		}
	})
}
