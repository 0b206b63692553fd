package keyboard

import (
	"bytes"
	"image/color"
	"os"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// backgroundWait is how long the start may wait for the answers of the terminal: longer
// lines are slow enough without.
const backgroundWait = 150 * time.Millisecond

// Background asks the terminal for the colour of its background, and reports whether it is
// light, and whether that is known. It returns after 150 ms at the latest; a [Reader] drops
// the answers that come later. Keys that are typed meanwhile are dropped: there is no screen
// yet that they could be meant for.
func Background(in, out *os.File) (light, known bool) { return background(in, out, backgroundWait) }

func background(in, out *os.File, wait time.Duration) (light, known bool) {
	return lightIn(ask(in, out, ansi.RequestBackgroundColor+ansi.RequestPrimaryDeviceAttributes, wait))
}

// askWait is how long a terminal at the end of a slow line may take for its answers.
const askWait = time.Second

// Ask writes a question that ends with the one for the kind of the terminal, and returns what
// it answers up to that, or within a second. Keys that are typed meanwhile are among it.
func Ask(in, out *os.File, question string) []byte { return ask(in, out, question, askWait) }

func ask(in, out *os.File, question string, wait time.Duration) (said []byte) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil
	}
	defer func() { _ = term.Restore(int(in.Fd()), before) }()
	limit := time.Now().Add(wait)
	if _, err := out.WriteString(question); err != nil {
		return nil
	}
	for part := make([]byte, 256); ; {
		wait := time.Until(limit)
		if torn(said) { // the rest would be taken for keys
			wait += sequenceWait
		}
		if toldKind(said) || !readable(in, wait) {
			return said
		}
		n, err := in.Read(part)
		if err != nil {
			return nil
		}
		said = append(said, part[:n]...)
	}
}

// torn reports whether what a terminal said breaks off within an answer.
func torn(said []byte) bool {
	at := bytes.LastIndexByte(said, esc)
	if at < 0 {
		return false
	}
	switch last := said[at+1:]; {
	case len(last) == 0:
		return true
	case last[0] == '[':
		return bytes.IndexFunc(last[1:], func(r rune) bool { return r >= '@' }) < 0
	case last[0] == ']':
		return bytes.IndexByte(last, '\a') < 0
	}
	return false
}

// toldKind reports whether a terminal has told its kind. All do, after what they were asked
// before.
func toldKind(said []byte) bool {
	_, kind, found := bytes.Cut(said, []byte("\x1b[?"))
	return found && bytes.IndexByte(kind, 'c') >= 0
}

// lightIn reads the colour of the background from what a terminal said.
func lightIn(said []byte) (light, known bool) {
	_, told, _ := bytes.Cut(said, []byte("\x1b]11;"))
	end := bytes.IndexAny(told, "\a\x1b")
	if end < 0 {
		return false, false
	}
	c, ok := ansi.XParseColor(string(told[:end])).(color.RGBA)
	if !ok {
		return false, false
	}
	return 299*int(c.R)+587*int(c.G)+114*int(c.B) > 500*0xff, true
}
