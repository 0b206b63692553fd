package paint

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-osc52/v2"
)

// MaxCopy is how many bytes are copied at most: as base64 they stay below the
// 100,000 bytes of one sequence that terminals commonly take. Beyond it they
// drop the sequence without a word.
const MaxCopy = 74_000

// TooLongError says that a text is longer than terminals copy.
type TooLongError struct{ Bytes int }

// Error says what to do instead.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("%d bytes are too many for the clipboard of a terminal (at most %d); export to a file instead", e.Bytes, MaxCopy)
}

// Copy asks the terminal to put text on the user's clipboard (OSC 52). Control
// characters other than line breaks and tabs are left out: what is pasted into
// a shell must not act. Nobody answers, so nil means asked, not done.
func (t *Terminal) Copy(text string) error {
	text = printable(text)
	if len(text) > MaxCopy {
		return &TooLongError{Bytes: len(text)}
	}
	_, err := t.WriteString(t.sequence(text))
	return err
}

// sequence wraps the request for the multiplexer in between. tmux takes it
// plain or wrapped, depending on its settings, so it gets both.
func (t *Terminal) sequence(text string) string {
	s := osc52.New(text)
	switch {
	case t.env("TMUX") != "":
		return s.String() + s.Tmux().String()
	case strings.HasPrefix(t.env("TERM"), "screen"):
		return s.Screen().String()
	}
	return s.String()
}

func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}
