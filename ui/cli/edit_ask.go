package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

// errLeft says that a person had the last word.
var errLeft = errors.New("left without sending; nothing was sent")

// asker asks a person on a terminal, a line at a time.
type asker struct {
	program *program
	in      *bufio.Reader
}

// person returns who is asked, nil where nobody sits at a terminal.
func (p *program) person() *asker {
	if _, ok := terminal(p.In); !ok {
		return nil
	}
	return &asker{program: p, in: bufio.NewReader(p.In)}
}

// lastWord returns who is asked before anything is sent; nil where nobody is.
func (p *program) lastWord(ctx context.Context) func(*operation.Edit) error {
	person := p.person()
	if person == nil {
		return nil
	}
	return func(edit *operation.Edit) error { return person.agree(ctx, edit) }
}

// ask asks one question. The end of the input is an answer: to leave.
func (a *asker) ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.program.Err, plain.Line(question)+" ")
	type answer struct {
		line string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		line, err := a.in.ReadString('\n')
		answers <- answer{strings.TrimSpace(line), err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case got := <-answers:
		if got.err == nil || errors.Is(got.err, io.EOF) && got.line != "" {
			return got.line, nil
		}
		return "", left()
	}
}

// agree asks for every lost key by its name, and then for the last word.
func (a *asker) agree(ctx context.Context, edit *operation.Edit) error {
	for _, path := range edit.Unconfirmed() {
		name := path.Name()
		question := fmt.Sprintf("%s would be lost. Type its name, %s, to agree, or nothing to leave:", path, name)
		for {
			typed, err := a.ask(ctx, question)
			if err != nil {
				return err
			}
			if typed == name || typed == path.String() {
				break
			}
			if typed == "" {
				return left()
			}
			question = fmt.Sprintf("That is not its name, which is %s. Once more, or nothing to leave:", name)
		}
		edit.AllowLost = append(edit.AllowLost, path)
	}
	if err := a.agreeToWait(ctx, edit); err != nil {
		return err
	}
	typed, err := a.ask(ctx, "Send this to "+edit.Service.Path()+"? It replaces the whole "+edit.Part.String()+", and "+follows(edit.Part)+". Type yes to send:")
	if err == nil && typed != "yes" {
		err = left()
	}
	return err
}

// follows says what an edit of a part may do to the service.
func follows(part operation.Part) string {
	if part == operation.Placement {
		return "its pods are replaced"
	}
	return "the service may restart"
}

// agreeToWait asks for the name of the service where no node takes its pods.
func (a *asker) agreeToWait(ctx context.Context, edit *operation.Edit) error {
	homeless := edit.Homeless()
	if len(homeless) == 0 || edit.AllowNone {
		return nil
	}
	question := fmt.Sprintf("No node takes the pods of %s: they would wait until one does. Type the name of the service, %s, to agree:",
		strings.Join(homeless, ", "), edit.Service.Name)
	typed, err := a.ask(ctx, question)
	if err == nil && typed != edit.Service.Name && typed != edit.Service.Path() {
		err = left()
	}
	edit.AllowNone = err == nil
	return err
}

func left() error {
	return &failure{code: exitRefused, kind: "left", err: errLeft}
}
