package command

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

// ErrNoTerminal ends the reason why an editor was not begun that would wait for a person for good.
var ErrNoTerminal = errors.New("needs a terminal")

// RunEditor gives the terminal to the editor that [operation.EditorOn] has found until it ends. It
// reports whether the editor ran, also where it failed.
func (s Env) RunEditor(cmd *exec.Cmd, err error) (ran bool, _ error) {
	if err == nil {
		err = operation.Missing(cmd)
	}
	if _, person := output.Terminal(s.In); err == nil && !person && operation.NeedsTerminal(cmd) {
		err = fmt.Errorf("%s %w", plain.Line(filepath.Base(cmd.Args[0])), ErrNoTerminal)
	}
	if err != nil {
		return false, err
	}
	// The editor gets the terminal; it does not write into the pipe of the result.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.In, output.Underlying(s.Out.Out), output.Underlying(s.Out.Err)
	if _, ok := output.Terminal(s.Out.Out); !ok {
		cmd.Stdout = cmd.Stderr
	}
	err = cmd.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return true, fmt.Errorf("the editor %s failed (%s)", plain.Line(cmd.Path), ended)
	}
	if err != nil {
		return false, fmt.Errorf("the editor could not be run: %w; set VISUAL or EDITOR", err)
	}
	return true, nil
}
