package cli

import (
	"errors"
	"fmt"
	"os/exec"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

// runEditor lets the user's own editor work on a text. What it left is closed by the
// caller, also where the editor has failed; nil where no editor was run.
func (p *program) runEditor(service adminapi.ServiceRef, text []byte) (*operation.Editing, error) {
	if _, person := terminal(p.In); !person && p.Env("VISUAL") == "" && p.Env("EDITOR") == "" {
		return nil, badInput("", errors.New("there is no terminal for vi to work on, and neither VISUAL nor EDITOR names another editor; nothing was sent"))
	}
	editing, err := operation.NewEditing(service.Name+"."+service.Type+".json", text)
	if err != nil {
		return nil, err
	}
	cmd, err := editing.Command(p.Env)
	if err != nil {
		_ = editing.Close()
		return nil, err
	}
	p.attach(cmd)
	err = cmd.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return editing, fmt.Errorf("the editor %s has failed (%s)", plain.Line(cmd.Path), ended)
	}
	if err != nil {
		_ = editing.Close()
		return nil, fmt.Errorf("the editor could not be run: %w; set VISUAL or EDITOR", err)
	}
	return editing, nil
}

// attach gives a program our terminal. What a pipe reads is ours alone.
func (p *program) attach(cmd *exec.Cmd) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.In, below(p.Out), below(p.Err)
	if _, ok := terminal(p.Out); !ok {
		cmd.Stdout = cmd.Stderr
	}
}
