package views

import (
	"io"
	"os"
	"os/exec"

	tea "github.com/charmbracelet/bubbletea"
)

// Outside gives the terminal to another program, such as an editor, and sends the message
// that ended returns.
func Outside(cmd *exec.Cmd, ended func(error) tea.Msg) tea.Cmd {
	return tea.Exec(outside{cmd}, ended)
}

// outside gives a program the terminal itself. Bubble Tea would give it pipes to our reader
// and our writer, which editors complain about.
type outside struct{ *exec.Cmd }

func (o outside) SetStdin(in io.Reader) {
	if keys, ok := in.(interface{ Keys() *os.File }); ok {
		in = keys.Keys()
	}
	o.Stdin = in
}
func (o outside) SetStderr(err io.Writer) { o.Stderr = err }
func (o outside) SetStdout(out io.Writer) {
	if screen, ok := out.(interface{ Screen() *os.File }); ok {
		out = screen.Screen()
	}
	o.Stdout = out
}
