package paint

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNotify is how many bytes of a notification are sent at most: it is one line
// on a desktop, and multiplexers drop long sequences without a word.
const maxNotify = 240

// Bell rings the bell of the terminal. Multiplexers pass it on by themselves.
func (t *Terminal) Bell() error {
	_, err := t.WriteString("\a")
	return err
}

// Notify asks the terminal to notify its user outside its window (OSC 9). Only the
// visible characters of text are sent, as one line that is cut where it is long;
// nothing where there are none. Nobody answers, so nil means asked, not done.
func (t *Terminal) Notify(text string) error {
	line := notifiable(text)
	if line == "" {
		return nil
	}
	_, err := t.WriteString(t.passed("\x1b]9;" + line + "\a"))
	return err
}

// passed wraps a sequence for the multiplexer in between, which hands it on to the
// terminal. Unlike a copy, tmux has no use of its own for it.
func (t *Terminal) passed(sequence string) string {
	switch {
	case t.env("TMUX") != "":
		return "\x1bPtmux;" + strings.ReplaceAll(sequence, "\x1b", "\x1b\x1b") + "\x1b\\"
	case strings.HasPrefix(t.env("TERM"), "screen"):
		return "\x1bP" + sequence + "\x1b\\"
	}
	return sequence
}

// notifiable makes text fit for a notification. Some terminals take a number in
// front for a command, such as 4 for a progress bar: then the sender's name goes
// first.
func notifiable(text string) string {
	line := strings.Join(strings.Fields(strings.Map(visible, text)), " ")
	if line != "" && unicode.IsDigit(rune(line[0])) {
		line = "geodeck: " + line
	}
	if len(line) <= maxNotify {
		return line
	}
	cut := maxNotify - len("...")
	for !utf8.RuneStart(line[cut]) {
		cut--
	}
	return line[:cut] + "..."
}

// visible keeps what is seen of a line: no controls, and no marks that turn or
// join what stands beside them.
func visible(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case r == utf8.RuneError, !unicode.IsPrint(r):
		return -1
	}
	return r
}
