// Package paint is the one writer to the terminal: the frames that Bubble Tea
// draws, and everything else that is written. Other writes could land in the middle
// of a frame's escape sequence.
package paint

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-osc52/v2"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Terminal is a terminal that whole writes go to, one after the other. Bubble Tea does not
// see the file behind it: it would watch its size by itself, later than its first frame, and
// with a data race when the terminal is released and restored.
type Terminal struct {
	file *os.File
	env  func(string) string

	painted atomic.Bool // a Painter draws: the frames of Bubble Tea are dropped
	lost    atomic.Bool // nothing is written any more

	mu      sync.Mutex
	drawing bool // the alternate screen is on
	screen  screen
}

// NewTerminal returns the writer to file. env, such as os.Getenv, is asked for
// the terminal multiplexer in between.
func NewTerminal(file *os.File, env func(string) string) *Terminal {
	return &Terminal{file: file, env: env}
}

// Screen is the terminal itself: its size, its modes, and for a program that it is lent to.
func (t *Terminal) Screen() *os.File { return t.file }

// Write writes a piece of a frame, or drops it where a [Painter] draws or the terminal is
// lost. Neither waits for a frame that is being written.
func (t *Terminal) Write(p []byte) (int, error) {
	if t.lost.Load() || t.painted.Load() && bytes.Contains(p, []byte(Frame)) {
		return len(p), nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.follow(p)
	if n, err := t.send(withoutAutoWrap(p)); err != nil {
		t.screen.forget()
		return min(n, len(p)), err
	}
	return len(p), nil
}

// send writes all of p, also where a program that the terminal was lent to has left it so
// that writes do not wait: what comes anew from its start each time would never end.
func (t *Terminal) send(p []byte) (sent int, err error) {
	for {
		n, err := t.file.Write(p[sent:])
		sent += n
		if !errors.Is(err, unix.EAGAIN) {
			return sent, err
		}
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(t.file.Fd()), Events: unix.POLLOUT}}, -1)
	}
}

// follow learns from what Bubble Tea writes what becomes of the screen.
func (t *Terminal) follow(p []byte) {
	t.screen.x = unknown // it clears the screen and moves the cursor in two writes, with maybe a frame in between
	has := func(sequence string) bool { return bytes.Contains(p, []byte(sequence)) }
	switch {
	case has(ansi.SetModeAltScreenSaveCursor):
		t.drawing = true
		t.screen.forget()
	case has(ansi.ResetModeAltScreenSaveCursor):
		t.drawing = false
	case has(ansi.EraseEntireScreen), has(ansi.EraseEntireLine):
		t.screen.forget()
	case has(ansi.HideCursor), has(ansi.ShowCursor):
		t.screen.cursor = unsure
	}
}

// Lose drops everything that is still to be written: the user has gone, and a terminal that
// takes nothing any more must not hold up the end.
func (t *Terminal) Lose() { t.lost.Store(true) }

// withoutAutoWrap switches the wrapping of lines off while frames are drawn, and on
// again for the next program. Terminals do not agree on the width of some scripts:
// without wrapping, a line that is a cell too long loses its end and moves no other.
func withoutAutoWrap(p []byte) []byte {
	const enter, leave = ansi.SetModeAltScreenSaveCursor, ansi.ResetModeAltScreenSaveCursor
	if !bytes.Contains(p, []byte("1049")) {
		return p
	}
	p = bytes.ReplaceAll(p, []byte(enter), []byte(enter+ansi.ResetModeAutoWrap))
	return bytes.ReplaceAll(p, []byte(leave), []byte(ansi.SetModeAutoWrap+leave))
}

// WriteString is Write.
func (t *Terminal) WriteString(s string) (int, error) { return t.Write([]byte(s)) }

// resetModes ends a sequence, a style and a frame that were cut off, and switches off again
// everything that a dashboard may have switched on.
const resetModes = "\x18" + ansi.ResetStyle + ansi.ResetModeSynchronizedOutput +
	ansi.ResetModeBracketedPaste + ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent +
	ansi.ResetModeMouseExtSgr + ansi.SetModeTextCursorEnable + ansi.SetModeAutoWrap + ansi.ResetModeAltScreenSaveCursor

// Abandon gives the terminal back, with the modes that it had before, without waiting: for
// a program that hangs, or has lost its terminal. A terminal that takes no more bytes only gets
// its modes. Nothing is written afterwards.
func (t *Terminal) Abandon(before *term.State) {
	t.Lose()
	fd := int(t.file.Fd())
	_ = term.Restore(fd, before)
	room := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
	if n, err := unix.Poll(room, 0); err != nil || n == 0 || room[0].Revents&unix.POLLOUT == 0 {
		return
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = t.file.WriteString(resetModes) // waits for a frame that is still being written
	}()
	select {
	case <-written:
	case <-time.After(resetPatience):
	}
}

// resetPatience is how long a terminal that takes bytes may take for those of its modes.
const resetPatience = 200 * time.Millisecond

// MaxCopy is how many bytes are copied at most: as base64 they stay below the
// 100,000 bytes of one sequence that terminals commonly take. They silently drop
// longer ones.
const MaxCopy = 74_000

// Copy asks the terminal to put text on the user's clipboard (OSC 52). Control
// characters other than line breaks and tabs are left out: what is pasted into
// a shell must not act. Terminals send no answer, so nil means sent, not done.
func (t *Terminal) Copy(text string) error {
	text = printable(text)
	if len(text) > MaxCopy {
		return fmt.Errorf("%d bytes do not fit the terminal's clipboard (at most %d); export to a file instead", len(text), MaxCopy)
	}
	_, err := t.WriteString(t.clipboardSequence(text))
	return err
}

// clipboardSequence wraps the request for the multiplexer in between. tmux takes it
// plain or wrapped, depending on its settings, so it gets both.
func (t *Terminal) clipboardSequence(text string) string {
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

// maxNotify is how many bytes of a notification are sent at most: it is one line
// on a desktop, and multiplexers silently drop long sequences.
const maxNotify = 240

// Bell rings the bell of the terminal. Multiplexers pass it on by themselves.
func (t *Terminal) Bell() error {
	_, err := t.WriteString("\a")
	return err
}

// Notify asks the terminal to notify its user outside its window (OSC 9). Only the
// visible characters of text are sent, as one line that is cut where it is long;
// nothing where there are none. Terminals send no answer, so nil means sent, not done.
func (t *Terminal) Notify(text string) error {
	line := notifiable(text)
	if line == "" {
		return nil
	}
	_, err := t.WriteString(t.passThrough(ansi.Notify(line)))
	return err
}

// passThrough wraps a sequence for the multiplexer in between, which hands it on to the
// terminal. Unlike a copy, tmux has no use of its own for it.
func (t *Terminal) passThrough(sequence string) string {
	switch {
	case t.env("TMUX") != "":
		return ansi.TmuxPassthrough(sequence)
	case strings.HasPrefix(t.env("TERM"), "screen"):
		return ansi.ScreenPassthrough(sequence, 0)
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

// visible drops what cannot be seen in a line: controls, and marks that change the direction
// of the text around them.
func visible(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case r == utf8.RuneError, !unicode.IsPrint(r):
		return -1
	}
	return r
}
