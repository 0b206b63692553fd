// Package paint is the one writer to the terminal: the frames that Bubble Tea
// draws, and everything that is written beside them. What goes round it can
// land in the middle of a frame's escape sequence.
package paint

import (
	"os"
	"sync"
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

// Write writes a piece of a frame.
func (t *Terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.File.Write(p)
}

// WriteString is Write: the file's own would go round the lock.
func (t *Terminal) WriteString(s string) (int, error) { return t.Write([]byte(s)) }
