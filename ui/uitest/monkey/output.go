package monkey

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Output reads everything that a program writes to a terminal, and knows what it must not.
type Output struct {
	Secrets []string // that must never be written, as far as their first secretPart bytes

	width, height int // that nothing may be written outside of; 0 while the size changes
	x, y          int // of the cursor from 1; x is 0 where its place is not sure
	rest          string
	text          string // the last of what was written, without sequences
	on            map[string]bool
}

// secretPart is how much of a secret is one: a screen may cut it.
const secretPart = 12

// NewOutput returns the output of a program that has not started.
func NewOutput(secrets ...string) *Output {
	return &Output{Secrets: secrets, on: map[string]bool{wrapping: true, cursor: true}}
}

// Bound says that from now on nothing is written outside of a screen of a size in cells;
// 0 by 0 while nobody knows which size the program draws for.
func (o *Output) Bound(width, height int) { o.width, o.height, o.x, o.y = width, height, 0, 0 }

// Modes of a terminal that a program switches on and off.
const (
	wrapping = "7"
	cursor   = "25"
	screen   = "1049" // of its own; on the other one a terminal shows what is typed, whatever it is
)

var (
	// harmless is what may be written: frames, modes, and the query for the background.
	harmless = regexp.MustCompile(`^(?:` +
		`\x1b\[([0-9;:]*)([A-HJKLMPSTXdfm]|[04]?[hl]|r)` + // the cursor, erasing, styles, margins and insertion
		`|\x1b\[\?([0-9;]+)([hl])` +
		`|\x1b\(B|\x0f|\r|\n|\x18` +
		`|\x1b\[6n|\x1b\[c|\x1b\]11;\?(?:\a|\x1b\\)` +
		`)`)
	// outside is what leaves the screen: the clipboard, a notification, the bell.
	outside = regexp.MustCompile(`^(?:\x1b\]52;c;[A-Za-z0-9+/]*=*(?:\a|\x1b\\)|\x1b\]9;[^\x00-\x1f\x7f]*\a|\a)`)
	// failure is what a program says that has failed.
	failure = regexp.MustCompile(`panic:|goroutine \d|runtime error|SIGSEGV|fatal error|the program failed`)
)

// maxSequence is how long a sequence of frames is at most; others have an end.
const maxSequence = 64

// Read reads what came next. Its error names the first thing that must not be written.
func (o *Output) Read(text string) error {
	rest := o.rest + text
	o.rest = ""
	for rest != "" {
		if m := harmless.FindStringSubmatch(rest); m != nil {
			if err := o.obey(m); err != nil {
				return err
			}
			rest = rest[len(m[0]):]
			continue
		}
		if m := outside.FindString(rest); m != "" {
			rest = rest[len(m):]
			continue
		}
		if rest[0] < ' ' || rest[0] == 0x7f {
			if rest[0] == '\x1b' && (len(rest) < maxSequence || strings.HasPrefix(rest, "\x1b]") && !strings.Contains(rest, "\a")) {
				o.rest = rest
				return nil
			}
			if !o.on[screen] {
				rest = rest[1:]
				continue
			}
			return fmt.Errorf("it wrote what a screen has no use for: %q", rest[:min(len(rest), maxSequence)])
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r < ' ' || r == 0x7f })
		if end < 0 {
			end = len(rest)
			if cut := lastRune(rest); cut < end {
				o.rest = rest[cut:]
				if cut == 0 {
					return nil
				}
				end = cut
			}
		}
		if err := o.print(rest[:end]); err != nil {
			return err
		}
		if o.rest != "" {
			return nil
		}
		rest = rest[end:]
	}
	return nil
}

// lastRune returns where a character begins that the text ends within, or the end.
func lastRune(text string) int {
	for i := max(0, len(text)-utf8.UTFMax+1); i < len(text); i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRuneInString(text[i:]) {
			return i
		}
	}
	return len(text)
}

// obey does what a sequence says, as far as it matters.
func (o *Output) obey(m []string) error {
	if m[4] != "" {
		for mode := range strings.SplitSeq(m[3], ";") {
			o.on[mode] = m[4] == "h"
		}
		return nil
	}
	numbers := [2]int{1, 1}
	for i, n := range strings.SplitN(m[1], ";", 2) {
		if n, err := strconv.Atoi(n); err == nil {
			numbers[i] = n
		}
	}
	switch {
	case m[0] == "\r":
		o.x = 1
	case m[0] == "\n":
		o.x = 0
	case m[2] == "H":
		o.y, o.x = numbers[0], numbers[1]
		o.text += "\n"
	case m[2] == "C" && o.x > 0:
		o.x += numbers[0]
		o.text += " "
	case m[2] == "" || m[2] == "m" || m[2] == "K":
		return nil
	default:
		o.x = 0
	}
	if o.width > 0 && o.x > 0 && (o.x > o.width || o.y > o.height) {
		return fmt.Errorf("%q moves the cursor to line %d, column %d of a screen of %dx%d", m[0], o.y, o.x, o.width, o.height)
	}
	return nil
}

// print reads a text.
func (o *Output) print(text string) error {
	if o.on[screen] && !utf8.ValidString(text) {
		return fmt.Errorf("it wrote what is no UTF-8: %q", text)
	}
	for _, r := range text {
		if o.on[screen] && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029') {
			return fmt.Errorf("it wrote the control character %U in %q", r, text)
		}
	}
	if o.x > 0 {
		o.x += ansi.StringWidth(text)
		if o.width > 0 && o.x > o.width+1 {
			return fmt.Errorf("%q ends in column %d of a screen of %dx%d", text, o.x-1, o.width, o.height)
		}
		if len(text) != ansi.StringWidth(text) {
			o.x = 0
		}
	}
	o.text += text
	if err := o.Clean(o.text); err != nil {
		return err
	}
	o.text = o.text[max(0, len(o.text)-128):]
	return nil
}

// Clean returns an error where a text has a secret in it, or the words of a program that has failed.
func (o *Output) Clean(text string) error {
	for _, secret := range o.Secrets {
		if strings.Contains(text, secret[:min(len(secret), secretPart)]) {
			return fmt.Errorf("it tells the secret %q", secret)
		}
	}
	if said := failure.FindString(text); said != "" {
		return fmt.Errorf("it says %q in %q", said, text)
	}
	return nil
}

// Left returns an error where a program that has ended has left a mode of the terminal
// switched, or half a sequence.
func (o *Output) Left() error {
	if o.rest != "" {
		return fmt.Errorf("it ended within %q", o.rest)
	}
	var left []string
	for mode, on := range o.on {
		if on != (mode == wrapping || mode == cursor) {
			left = append(left, mode)
		}
	}
	if slices.Sort(left); len(left) > 0 {
		return fmt.Errorf("it left the modes %s switched", strings.Join(left, ", "))
	}
	return nil
}
