package command

import (
	"errors"
	"fmt"
	"os/exec"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

// NoEditor is why no editor can be run here: without a terminal only one that is named.
func (s Env) NoEditor() error {
	if _, person := output.Terminal(s.In); !person && s.Session.Env("VISUAL") == "" && s.Session.Env("EDITOR") == "" {
		return errors.New("vi needs a terminal, and VISUAL and EDITOR are not set")
	}
	return nil
}

// RunEditor gives the terminal to the editor that [operation.EditorOn] has found until it ends. It
// reports whether the editor ran, also where it failed.
func (s Env) RunEditor(cmd *exec.Cmd, err error) (ran bool, _ error) {
	if err == nil {
		err = operation.Missing(cmd)
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
