// Package paint is the one writer to the terminal: the frames that Bubble Tea
// draws, and everything that is written beside them. What goes round it can
// land in the middle of a frame's escape sequence.
package paint

import (
	"bytes"
	"os"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Terminal is a terminal that whole writes go to, one after the other. It
// embeds the file, so that Bubble Tea finds the size and the modes of the
// terminal behind it.
type Terminal struct {
	*os.File
	mu  sync.Mutex
	env func(string) string
}

// NewTerminal returns the writer to file. env, such as os.Getenv, tells which
// terminal multiplexer stands between.
func NewTerminal(file *os.File, env func(string) string) *Terminal {
	return &Terminal{File: file, env: env}
}

// Screen is the terminal itself, for a program that it is lent to.
func (t *Terminal) Screen() *os.File { return t.File }

// Write writes a piece of a frame.
func (t *Terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n, err := t.File.Write(unwrapped(p)); err != nil {
		return min(n, len(p)), err
	}
	return len(p), nil
}

// unwrapped switches the wrapping of lines off for as long as frames are drawn, and on
// again for whoever draws next. Terminals do not agree on the width of some scripts:
// a line that is a cell too long would move all others, and loses its end so.
func unwrapped(p []byte) []byte {
	const enter, leave = ansi.SetModeAltScreenSaveCursor, ansi.ResetModeAltScreenSaveCursor
	if !bytes.Contains(p, []byte("1049")) {
		return p
	}
	p = bytes.ReplaceAll(p, []byte(enter), []byte(enter+ansi.ResetModeAutoWrap))
	return bytes.ReplaceAll(p, []byte(leave), []byte(ansi.SetModeAutoWrap+leave))
}

// WriteString is Write: the file's own would go round the lock.
func (t *Terminal) WriteString(s string) (int, error) { return t.Write([]byte(s)) }

// takenBack is everything that a dashboard may have switched on, switched off again.
const takenBack = ansi.ResetModeBracketedPaste + ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent +
	ansi.ResetModeMouseExtSgr + ansi.SetModeTextCursorEnable + ansi.SetModeAutoWrap + ansi.ResetModeAltScreenSaveCursor

// Abandon gives the terminal back, with the modes that it had before, for a program that
// hangs: it waits for nobody. A terminal that takes no more bytes gets its modes alone.
func (t *Terminal) Abandon(before *term.State) {
	fd := int(t.Fd())
	_ = term.Restore(fd, before)
	room := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
	if n, err := unix.Poll(room, 0); err == nil && n > 0 && room[0].Revents&unix.POLLOUT != 0 {
		_, _ = t.File.WriteString(takenBack)
	}
}
