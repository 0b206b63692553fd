package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"geodeck/adminapi/plain"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
	"geodeck/ui/cli/output"
)

// errLeft is the error if the user does not confirm.
var errLeft = errors.New("cancelled; nothing was sent")

// Prompter asks the user on a terminal, a line at a time.
type Prompter struct {
	out *output.Output
	in  *bufio.Reader
}

// NewPrompter returns nil if the standard input is no terminal.
func NewPrompter(s Env) *Prompter {
	if _, ok := output.Terminal(s.In); !ok {
		return nil
	}
	return &Prompter{out: s.Out, in: bufio.NewReader(s.In)}
}

// Ask asks one question. At the end of the input it fails with errLeft.
func (a *Prompter) Ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.out.Err, plain.Line(question)+" ")
	line, err := files.Until(ctx, func() (string, error) { return a.in.ReadString('\n') })
	switch line = strings.TrimSpace(line); {
	case err == nil, errors.Is(err, io.EOF) && line != "":
		return line, nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	return "", LeftUnsent()
}

// Word asks for one of these words, and fails with errLeft without it.
func (a *Prompter) Word(ctx context.Context, question string, words ...string) error {
	typed, err := a.Ask(ctx, question)
	if err == nil && !slices.Contains(words, typed) {
		err = LeftUnsent()
	}
	return err
}

// LeftUnsent is the failure of a question that was not answered.
func LeftUnsent() error {
	return exit.Refusal("left", "", errLeft)
}
