package rows

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/plain"
)

// mostFilter bounds what can be typed or pasted into a filter, in bytes.
const mostFilter = 200

// filter is a text typed by the user, and what it asks for.
type filter struct {
	text   string
	typing bool
}

// needle returns what is looked for, in lower case, and whether rows with it
// are the ones to hide.
func (f filter) needle() (needle string, invert bool) {
	text, invert := strings.CutPrefix(f.text, "!")
	return strings.ToLower(text), invert
}

// empty tells whether every row passes.
func (f filter) empty() bool { return f.text == "" || f.text == "!" }

// key takes one typed key. It reports whether the text changed and whether the
// key meant something here.
func (f *filter) key(msg tea.KeyMsg) (changed, used bool) {
	before := f.text
	switch msg.Type {
	case tea.KeyRunes, tea.KeySpace:
		if !msg.Alt {
			f.add(string(msg.Runes))
		}
	case tea.KeyBackspace:
		f.backspace()
	case tea.KeyCtrlU:
		f.text = ""
	case tea.KeyCtrlW:
		f.dropWord()
	case tea.KeyEnter:
		f.typing = false
	case tea.KeyEsc:
		f.typing, f.text = false, ""
	default:
		return false, false
	}
	return f.text != before, true
}

func (f *filter) add(text string) {
	f.text += plain.Line(text)
	for len(f.text) > mostFilter {
		f.text = f.text[:len(f.text)-lastRune(f.text)]
	}
}

// backspace on an empty text ends typing, as in vi.
func (f *filter) backspace() {
	if f.text == "" {
		f.typing = false
		return
	}
	f.text = f.text[:len(f.text)-lastRune(f.text)]
}

func (f *filter) dropWord() {
	text := strings.TrimRightFunc(f.text, unicode.IsSpace)
	f.text = text[:strings.LastIndexFunc(text, unicode.IsSpace)+1]
}

func lastRune(s string) int {
	_, size := utf8.DecodeLastRuneInString(s)
	return size
}

// Finder returns a function that tells whether a text holds needle, which is in
// lower case; capitals of the text do not matter. ASCII texts are compared in place: a filter asks about every row.
func Finder(needle string) func(string) bool {
	if needle == "" {
		return func(string) bool { return true }
	}
	return func(text string) bool {
		if len(text) < len(needle) && isASCII(text) {
			return false
		}
		if !isASCII(text) {
			return strings.Contains(strings.ToLower(text), needle)
		}
		for len(text) >= len(needle) {
			at := indexFold(text, needle[0])
			switch {
			case at < 0:
				return false
			case startsWith(text[at:], needle):
				return true
			}
			text = text[at+1:]
		}
		return false
	}
}

// indexFold returns where a small letter, or its capital, stands in a text.
func indexFold(text string, letter byte) int {
	at := strings.IndexByte(text, letter)
	if letter < 'a' || letter > 'z' {
		return at
	}
	if at >= 0 {
		text = text[:at]
	}
	if capital := strings.IndexByte(text, letter-'a'+'A'); capital >= 0 {
		return capital
	}
	return at
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func startsWith(text, needle string) bool {
	if len(text) < len(needle) {
		return false
	}
	for i := range len(needle) {
		b := text[i]
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != needle[i] {
			return false
		}
	}
	return true
}
