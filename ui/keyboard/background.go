package keyboard

import (
	"image/color"
	"os"
	"regexp"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// backgroundWait is how long the start may wait for the answers of the terminal: longer
// lines are slow enough without.
const backgroundWait = 150 * time.Millisecond

// Every terminal tells its kind, and after what it was asked before: that ends the wait.
var (
	kindOfTerminal     = regexp.MustCompile(`\x1b\[\?[0-9;]*c`)
	backgroundOfScreen = regexp.MustCompile(`\x1b\]11;(rgb:[0-9a-fA-F/]+)`)
)

// Background asks the terminal for the colour of its background, and reports whether it is
// light, and whether that is known. It returns after 150 ms at the latest; a [Reader] drops
// the answers that come later. Keys that are typed meanwhile are dropped: there is no screen
// yet that they could be meant for.
func Background(in, out *os.File) (light, known bool) { return background(in, out, backgroundWait) }

func background(in, out *os.File, wait time.Duration) (light, known bool) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return false, false
	}
	defer func() { _ = term.Restore(int(in.Fd()), before) }()
	limit := time.Now().Add(wait)
	if _, err := out.WriteString(ansi.RequestBackgroundColor + ansi.RequestPrimaryDeviceAttributes); err != nil {
		return false, false
	}
	var said []byte
	for part := make([]byte, 256); !kindOfTerminal.Match(said) && readable(in, time.Until(limit)); {
		n, err := in.Read(part)
		if err != nil {
			return false, false
		}
		said = append(said, part[:n]...)
	}
	return lightIn(said)
}

// lightIn reads the colour of the background from what a terminal said.
func lightIn(said []byte) (light, known bool) {
	found := backgroundOfScreen.FindSubmatch(said)
	if found == nil {
		return false, false
	}
	c, ok := ansi.XParseColor(string(found[1])).(color.RGBA)
	if !ok {
		return false, false
	}
	return 299*int(c.R)+587*int(c.G)+114*int(c.B) > 500*0xff, true
}
