package views

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// ResolvePath makes a path as people type it whole: ~ is the home folder, and
// relative ones begin at folder.
func ResolvePath(path, folder string) (string, error) {
	path = strings.TrimSpace(path)
	if path == "~" || strings.HasPrefix(path, "~/") {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("the home folder is not known: %w", err)
		}
		path = filepath.Join(home, path[1:])
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	return filepath.Clean(path), nil
}

// FileSafe replaces what cannot be part of a file name on every system.
func FileSafe(s string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '.', r == '_', r == '-':
			return r
		}
		return '_'
	}, strings.TrimLeft(s, "."))
	return safe[:min(len(safe), maxFileSafe)]
}

// maxFileSafe is how long a name becomes in bytes; file systems allow 255 for all of it.
const maxFileSafe = 100

// Outside gives the terminal to another program, such as an editor, and sends the message
// that ended returns.
func Outside(cmd *exec.Cmd, ended func(error) tea.Msg) tea.Cmd {
	return tea.Exec(outside{cmd}, ended)
}

// outside gives a program the terminal itself. Bubble Tea would give it pipes to our reader
// and our writer, which editors complain about.
type outside struct{ *exec.Cmd }

// SetStdin gives it the keys as they come from the terminal.
func (o outside) SetStdin(in io.Reader) {
	if keys, ok := in.(interface{ Keys() *os.File }); ok {
		in = keys.Keys()
	}
	o.Stdin = in
}

// SetStderr gives it the place for errors.
func (o outside) SetStderr(err io.Writer) { o.Stderr = err }

// SetStdout gives it the screen itself.
func (o outside) SetStdout(out io.Writer) {
	if screen, ok := out.(interface{ Screen() *os.File }); ok {
		out = screen.Screen()
	}
	o.Stdout = out
}
