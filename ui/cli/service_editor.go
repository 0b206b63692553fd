package cli

import (
	"errors"
	"fmt"
	"os/exec"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// runEditor lets the user's own editor work on a text and returns what it left. An
// error says that nothing was taken over.
func (p *program) runEditor(service adminapi.ServiceRef, text []byte) ([]byte, error) {
	editing, err := views.NewEditing(service.Name+"."+service.Type+".json", text)
	if err != nil {
		return nil, err
	}
	defer func() { _ = editing.Close() }()
	cmd, err := editing.Command(p.Env)
	if err != nil {
		return nil, err
	}
	p.attach(cmd)
	if err := cmd.Run(); err != nil {
		if ended, ok := errors.AsType[*exec.ExitError](err); ok {
			return nil, fmt.Errorf("the editor %s has failed (%s); nothing was taken over", plain.Line(cmd.Path), ended)
		}
		return nil, fmt.Errorf("the editor could not be run: %w; set VISUAL or EDITOR", err)
	}
	edited, _, err := editing.Text()
	return edited, err
}

// attach gives a program our terminal. What a pipe reads is ours alone.
func (p *program) attach(cmd *exec.Cmd) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.In, p.Out, p.Err
	if _, ok := terminal(p.Out); !ok {
		cmd.Stdout = p.Err
	}
}
